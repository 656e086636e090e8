/* schema.h - what a configuration key is.  Private to policy: one const table of rows that drives
 * parsing, validation, defaults, `policy show`, the floor rule, the hash and the manual.
 *
 * To add a key: a field in struct bawn_policy and a row in schema.c; nothing else. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "parse/yaml.h"
#include "policy/policy.h"

enum bawn_policy_file { BAWN_FILE_SECURITY, BAWN_FILE_SANDBOX, BAWN_FILE_AUDIT, BAWN_FILE_SERVER, BAWN_FILE_COUNT };
extern const char *const bawn_policy_section[BAWN_FILE_COUNT];  /* "security" */
extern const char *const bawn_policy_file[BAWN_FILE_COUNT];     /* "security.yaml" */

enum bawn_value_type {          /* the field's C type */
	BAWN_VALUE_BOOL,        /* bool */
	BAWN_VALUE_SIZE,        /* uint64_t, bytes */
	BAWN_VALUE_DURATION,    /* uint64_t, milliseconds */
	BAWN_VALUE_MILLI,       /* uint64_t, thousandths */
	BAWN_VALUE_NUMBER,      /* uint64_t */
	BAWN_VALUE_WORD,        /* int, index into words, at least min */
	BAWN_VALUE_CHOICE,      /* char *, one of words */
	BAWN_VALUE_TEXT,        /* char *, NULL where null */
	BAWN_VALUE_LIST,        /* struct bawn_list */
	BAWN_VALUE_LAYERS,      /* uint32_t, mask of enum bawn_layer */
	BAWN_VALUE_RULES,       /* struct bawn_rules */
	BAWN_VALUE_TYPE_COUNT
};

/* Which way is stricter: what the floor rule compares. */
enum bawn_stricter {
	BAWN_STRICTER_FREE,      /* neither */
	BAWN_STRICTER_LOWER,     /* less, false, the earlier word */
	BAWN_STRICTER_HIGHER,    /* more, true, the later word */
	BAWN_STRICTER_SUBSET,    /* may only leave out */
	BAWN_STRICTER_NARROWER,  /* an empty list is none, which is all; one that has something may only leave out, and not everything */
	BAWN_STRICTER_SUPERSET,  /* may only add */
	BAWN_STRICTER_SAME,      /* any change is a loosening */
	BAWN_STRICTER_KEEP,      /* free until the floor has said something */
	BAWN_STRICTER_RULES,     /* rule by rule: higher levels */
	BAWN_STRICTER_COUNT
};

struct bawn_key {
	enum bawn_policy_file    file;
	const char              *key;      /* dotted, within the file */
	enum bawn_value_type     type;
	enum bawn_stricter       stricter;
	size_t                   offset;   /* in struct bawn_policy */
	const char              *def;      /* as it would be written; list items by spaces; NULL: null or empty */
	const char              *help;
	uint64_t                 min, max; /* of numbers, in the field's unit; of words, the least index */
	const struct bawn_words *words;
	/* What text or a list's items must be: NULL where it is good, else what is allowed. */
	const char            *(*check)(struct bawn_span text);
	bool                     always;   /* looser than compiled in needs acknowledge_risk even in the floor */
	bool                     guarded;  /* text that a floor of root's need not say to be the only one who may */
};
extern const struct bawn_key bawn_key[];
extern const size_t bawn_key_count;

/* What no row can say alone; `key` is where the blame is put. */
struct bawn_policy_check { enum bawn_policy_file file; const char *key; bool (*good)(const struct bawn_policy *p); const char *message; };
extern const struct bawn_policy_check bawn_policy_check[];
extern const size_t bawn_policy_check_count;

/* The fields rules and n_rules of struct bawn_policy as one value. */
struct bawn_rules { struct bawn_rule_set *item; size_t n; };

union bawn_value {
	bool flag; uint64_t number; int word; char *text; uint32_t mask; struct bawn_list list; struct bawn_rules rules;
};

/* One file being read, and where its problems go. */
struct bawn_policy_reader {
	const char                *name;    /* stands in front of positions */
	struct bawn_policy_errors *errors;
	bool                       mute;    /* the problems of this file are already known */
	int                        oom;     /* 0 or -ENOMEM: stops everything */
	size_t                     n;       /* problems found, muted or not */
};
void bawn_policy_problem(struct bawn_policy_reader *r, uint32_t line, uint32_t column, const char *key,
                         const char *fmt, ...) BAWN_PRINTF(5, 6);

/* Untrusted text made fit to be shown in a message. */
struct bawn_shown { char text[256]; };
struct bawn_shown bawn_shown(struct bawn_span text);

/* Reads one value; problems are reported, *out is untouched then and false returned. */
bool bawn_value_parse(struct bawn_policy_reader *r, const struct bawn_key *k, const struct bawn_yaml_node *n, union bawn_value *out);
bool bawn_value_default(struct bawn_policy_reader *r, const struct bawn_key *k, union bawn_value *out);
bool bawn_rule_mode_parse(struct bawn_span text, int *out);

union bawn_value bawn_value_get(const struct bawn_key *k, const struct bawn_policy *p);         /* borrowed */
void bawn_value_put_take(const struct bawn_key *k, struct bawn_policy *p, union bawn_value v);  /* frees the old one */
void bawn_value_done(const struct bawn_key *k, union bawn_value *v);

bool bawn_value_looser(const struct bawn_key *k, union bawn_value floor, union bawn_value v);
const struct bawn_rule_set *bawn_rule_find(struct bawn_rules rules, struct bawn_span id);

/* JSON: sizes and durations as they are written, fractions as text, so that no rounding occurs.
 * `canonical`: lists sorted, for the hash.  NULL only when out of memory. */
json_t *bawn_value_json(const struct bawn_key *k, union bawn_value v, bool canonical);
void bawn_value_show(const struct bawn_key *k, union bawn_value v, struct bawn_buf *out);
void bawn_value_allowed(const struct bawn_key *k, struct bawn_buf *out);
const char *bawn_stricter_name(const struct bawn_key *k);

/* The whole of one configuration: every file of every directory, parsed. */
enum bawn_layer_rank { BAWN_RANK_FLOOR, BAWN_RANK_ABOVE };
struct bawn_source {
	enum bawn_layer_rank         rank;
	enum bawn_policy_file        file;
	const char                  *dir;   /* borrowed; NULL: a document given to `set` */
	char                        *name;  /* for messages and origins */
	struct bawn_yaml            *yaml;  /* NULL where another source owns it */
	const struct bawn_yaml_node *root;
};
#define BAWN_SOURCES_MAX 24  /* four directories and a document, four files each */
struct bawn_sources {
	struct bawn_source s[BAWN_SOURCES_MAX];
	size_t n;
	bool   floor_root_owned;
	struct bawn_own *own;   /* the rules of every rules.d, or NULL */
};
void bawn_sources_done(struct bawn_sources *s);
/* Reads what there is; problems with files go to r. */
BAWN_MUST_CHECK int bawn_sources_read(struct bawn_sources *s, const struct bawn_policy_dirs *dirs, const char *target,
                                      struct bawn_policy_reader *r, struct bawn_err *err);
BAWN_MUST_CHECK int bawn_sources_add(struct bawn_sources *s, size_t at, struct bawn_source taken, struct bawn_err *err);
BAWN_MUST_CHECK int bawn_policy_build(const struct bawn_sources *s, struct bawn_policy_reader *r,
                                      struct bawn_policy **out, struct bawn_err *err);
/* rules.d: reads one file into *own (made when NULL); problems go to r.  `seal` sorts and hashes. */
void bawn_own_read(struct bawn_policy_reader *r, const struct bawn_yaml_node *root, struct bawn_own **own);
void bawn_own_seal(struct bawn_policy_reader *r, struct bawn_own *own);
const struct bawn_own *bawn_own_ref(const struct bawn_own *own);  /* NULL stays NULL */

/* err from the problems gathered; always negative. */
int bawn_policy_refuse(const struct bawn_policy_reader *r, struct bawn_err *err);
BAWN_MUST_CHECK int bawn_policy_hash(struct bawn_policy *p, struct bawn_err *err);
