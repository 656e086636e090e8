/* engine.h - what the language readers tell, matched against the rules.
 *
 * A reader turns a tree into facts (this name is called with these values, this path is written, this
 * command runs).  The engine finds the rules that hold, keeps findings and tags, and gives back the
 * tags, which the reader puts on the value the fact produced: so data from the network stays known as
 * such until it reaches a sink. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "assess/arena.h"
#include "assess/assess.h"
#include "assess/rule.h"
#include "base/buf.h"
#include "parse/tree.h"

/* What is known about an expression: any of a name, a text, a number, items; and where it came from. */
struct value {
	const char       *name;    /* dotted name it stands for, "f()" for a call's result */
	struct bawn_span  text;    /* .p != NULL: a constant text */
	int64_t           number;
	struct value    **item;    /* list: items; dict: values */
	const char      **key;     /* dict */
	uint32_t          n_items;
	bool              has_number, is_list, is_dict, is_path, partial;  /* partial: text with gaps */
	bool              imported;  /* a module, or something in one */
	bool              choice;    /* one of the items */
	bool              bytes;     /* text: bytes, not characters */
	bool              cycles;    /* list: begins again when it ends */
	bool              bound;     /* function: the items are its first arguments */
	bool              named, aliased;  /* list or dictionary: a name stands for it; several do */
	enum { CUT_NONE, CUT_WORD, CUT_PATH } cut;  /* choice, range: what was left out, there were too many */
	struct store     *store;     /* list that grew: where its items are, see fold_list.c */
	uint64_t          taint;   /* 1 << enum bawn_tag */
	struct value     *self;    /* of a method: the object */
	uint32_t          function;  /* of a local function: its node */
	struct value     *result;    /* of a function in another file: what it gives back */
};

struct keyword { const char *name; struct value *value; };

struct fact {
	uint8_t         kind;      /* enum bawn_matcher */
	const char     *name;      /* name, path, text, command, or event */
	struct value  **arg; uint32_t n_args;
	struct keyword *keyword; uint32_t n_keywords;
	const char     *to;        /* PIPE: the command that reads */
	uint64_t        taint;
	uint8_t         access;    /* PATH, REDIRECT */
	bool            shell;     /* PATH: still to be expanded */
	const char     *folded;    /* shown in the finding */
	bool            trusted;   /* the policy trusts what it is about */
	bool            mention;   /* STRING: it stands there, and nobody has done anything with it */
	uint32_t        node;
};

/* What one assessment may use: work is counted (see bawn_engine_go_on), so that the same code and the
 * same rules give the same verdict on every machine; the time, far more than the work takes, is a net for
 * what was counted too low.  It is looked at whenever so much work is done, and by the parser. */
#define WORK_MAX   (UINT64_C(1) << 30)
#define MEMORY_MAX ((size_t)54 << 20)
#define TIME_US    UINT64_C(20000000)

#define FINDINGS_MAX     200u
#define FINDINGS_RAW_MAX 5000u
#define NESTING_MAX      4u

/* Where something stands, in bytes; lines and columns are counted only for what is shown. */
struct place { uint32_t start, end; };
struct raw_finding { uint16_t rule; uint8_t level; bool again, nested; uint32_t file; struct place at; const char *folded, *message; };

/* For qsort: in the order of the text; the worst first. */
int bawn_finding_by_place(const void *a, const void *b);
int bawn_finding_by_level(const void *a, const void *b);

/* A rule that holds but for something that must be seen elsewhere in the file. */
struct pending { uint16_t rule; struct place at; const char *folded; };
#define PENDING_MAX 128u

/* One assessment: all files. */
#define LINKS_MAX 16u
#define ENDLESS_MAX 16u
struct link { const char *name, *target; };  /* both normal */

struct engine {
	struct arena                 *arena;    /* texts that the result keeps */
	struct arena                  scratch;  /* values */
	const struct bawn_rule_table *rules;
	const struct bawn_policy     *policy;   /* may be NULL */
	struct raw_finding           *found; size_t n_found, cap_found;
	uint32_t                      n_dropped;
	uint32_t                      file;     /* being read */
	uint64_t                      tags;     /* seen in this file */
	uint32_t                      held;     /* how many rules held for the last fact that was told */
	uint64_t                      given;    /* by rules that held since somebody last set it to 0 */
	struct pending                pending[PENDING_MAX]; uint32_t n_pending;
	struct place                  tag_at[BAWN_TAG_COUNT];  /* where each was first seen */
	uint32_t                      tag_file[BAWN_TAG_COUNT];  /* and in which file, where several count together */
	bool                          rereading;  /* a stretch that was read before: nothing is told twice */
	bool                          across;   /* what several files do together is being judged */
	struct module                *module; size_t n_modules;  /* of several files: what each binds and does */
	const char                  **unfinished;  /* by file: why it was not read to its end, or NULL */
	uint32_t                      capabilities;
	struct bawn_tree_limit        most;     /* of all files together */
	uint64_t                      spent;    /* work, beside what scratch was asked for */
	uint64_t                      deadline_us, look_at;  /* when to give up; at how much work to look at the clock again */
	size_t                        live;     /* bytes of the trees being read, and of the tables beside them */
	bool                          quiet;    /* a first look: tags flow, nothing is kept */
	struct shell                 *shell;    /* the Bash text being read, whose variables an inner one has; NULL: none */
	bool                          cut;      /* a bound was reached since somebody last asked, see bawn_value_cut */
	bool                          kept;     /* an inner text left values that the outer one still has */
	struct { const struct bawn_tree *tree; uint32_t loop; } endless[ENDLESS_MAX]; uint32_t n_endless;  /* loops that nothing ends, beside while True */
	struct link                   link[LINKS_MAX]; uint32_t n_links;  /* other names of files outside the workspace */
	unsigned                      depth;    /* text inside text */
	struct place                  outer;    /* where the outermost text stands */
	const struct bawn_tree       *tree;
	struct bawn_complexity        complexity;
	uint64_t                      work;     /* of this file, for complexity */
	bool                          parse_ok;
	uint64_t                      folded;   /* bytes made while folding, see fold.h */
	int                           error;    /* first failure, sticky */
	struct bawn_err              *err;
};

/* A rule by the number a finding has: of the table, or after those of rules.d. */
struct bawn_rule bawn_engine_rule(const struct engine *e, uint16_t number);

/* Once for each node: false when there was a failure before, or work, time or the room for what is found
 * are used up (which is one).
 * Nodes read, texts matched, bytes put together and what the parser did count as work. */
bool bawn_engine_go_on(struct engine *e);

/* Parses a text within what is left; it is what is read until it is closed.  Failures are the engine's. */
int  bawn_engine_open(struct engine *e, int language, struct bawn_span text, struct bawn_tree *out);
void bawn_engine_read(struct engine *e);
void bawn_engine_close(struct engine *e, struct bawn_tree *t);

/* Is the text complete?  One that there was no memory for is a failure; one that is too long is cut. */
bool bawn_engine_whole(struct engine *e, const struct bawn_buf *b);

/* A bound never hides anything: what it left out sets `cut`, the value it was left out of gets the tag by
 * bawn_value_cut, which flows with it, and where such a value is run, names a file or a host, or is called,
 * bawn_engine_reach tells that it could not be followed. */
struct value *bawn_value_cut(struct engine *e, struct value *v);  /* v itself where nothing was cut; a copy with the tag */
void bawn_engine_reach(struct engine *e, const struct value *v, uint32_t node);

/* Tags of all rules that hold. */
uint64_t bawn_engine_fact(struct engine *e, const struct fact *f);
uint64_t bawn_engine_told(struct engine *e, const struct fact *f);  /* an event, with what it is about */
uint64_t bawn_engine_event(struct engine *e, const char *event, uint32_t node, const char *folded);
void     bawn_engine_combine(struct engine *e);  /* at the end of a file */

/* Keeps a finding. */
void bawn_engine_report(struct engine *e, uint16_t rule, uint8_t level, uint32_t node, const char *folded);

/* Reads `text` as part of the file being read; positions are those of `node` in the outer text. */
void bawn_engine_text(struct engine *e, int language, struct bawn_span text, uint32_t node);
/* The same at a place of its own; false: it does not parse. */
bool bawn_engine_text_at(struct engine *e, int language, struct bawn_span text, struct place at);

/* Is there a rule about the command of that name? */
bool bawn_engine_knows_command(const struct engine *e, struct bawn_span name);
/* What level the text would have; nothing of it is kept.  LOW where it does not parse. */
int bawn_engine_try(struct engine *e, int language, struct bawn_span text, uint32_t node);

/* A path used by code; relative and temporary ones are nobody's business. */
uint64_t bawn_engine_path(struct engine *e, struct bawn_span path, enum bawn_access access, bool shell, uint32_t node);

/* `name` is from now on another name of a file; only those of files outside the workspace are kept. */
void bawn_engine_link(struct engine *e, struct bawn_span target, struct bawn_span name, uint32_t node);

/* The readers.  engine->tree is the text to read. */
void bawn_read_script(struct engine *e);                                /* Python, JavaScript */
void bawn_read_shell(struct engine *e);
void bawn_read_broken(struct engine *e);                                /* what the parser stumbled over */
/* A text that was given up, in pieces, each with its share of the work; there is no tree. */
void bawn_read_pieces(struct engine *e, int language, struct bawn_span text, uint64_t work);
uint64_t bawn_shell_command(struct engine *e, struct value **word, uint32_t n, uint32_t node);  /* argv, from any language */

/* Values. */
struct value *bawn_value_new(struct engine *e);
struct value *bawn_value_text(struct engine *e, struct bawn_span text);
static inline bool bawn_value_is_text(const struct value *v) { return v != NULL && v->text.p != NULL; }
