/* cli.h - the command line: one row per command, and what the commands share.
 *
 * Invariants: (1) a command is a row of bawn_cli_command: parser, --help, man page and completion
 * read nothing else; (2) what is shown comes from the JSON documents of the library; (3) our own
 * lines start with "bawn:" and go to stderr; (4) every byte we did not write ourselves is escaped
 * before it is shown.  An attacker controls the code, its output, its file names and the reasons
 * people typed; never the tables. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <bawn/bawn.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/opt.h"
#include "egress/presets.h"
#include "policy/tables.h"

/* Exit codes of every command but run (whose codes are those of bawn_exit_code). */
enum {
	BAWN_EXIT_OK = 0,
	BAWN_EXIT_FOUND = 1,      /* a finding, a failed verification, an answer that changed nothing */
	BAWN_EXIT_USAGE = 2,
	BAWN_EXIT_INTEGRITY = 3,  /* the log is whole, but nothing independent vouches for it */
	BAWN_EXIT_CANNOT = 125,
	BAWN_EXIT_INTERRUPTED = 130,
};

struct bawn_cli_common { bool json, quiet, verbose, help; const char *config, *state; };

struct bawn_cli_command;
struct bawn_cli {
	struct bawn_cli_common common;
	const struct bawn_cli_command *command;
	struct bawn *bawn;              /* opened by bawn_cli_open, closed by bawn_cli_main */
	bool colour_out, colour_err;
	int argc, at, rest; char **argv;  /* as typed; argv[at] is the command word; of run: argv[rest] is the code's own, or FILE */
};

struct bawn_cli_command {
	const char *group, *name;       /* "audit", "verify"; group NULL for a plain command */
	const char *synopsis;           /* what follows the name */
	const char *summary;            /* one line */
	const char *about;              /* paragraphs */
	const char *example;            /* lines as typed */
	struct bawn_opts opts; size_t opts_size;
	int  least, most;               /* how many words; most < 0: any number */
	bool options_first;             /* options end at the first word: the rest belongs to the program */
	bool when_bare;                 /* meant when only the group is named */
	int (*run)(struct bawn_cli *c, const void *opts, int n_words, char **word);
};
extern const struct bawn_cli_command *const bawn_cli_command[];   /* ends with NULL */
extern const struct bawn_opts bawn_cli_common_opts;

#define BAWN_CLI_OPTS(rows) { rows, sizeof(rows) / sizeof *(rows) }
#define BAWN_CLI_OPT(type, l, n, k, f, a, c, h) \
	{ .letter = l, .name = n, .kind = BAWN_OPT_##k, .offset = offsetof(type, f), .arg = a, .choices = c, .help = h }

int bawn_cli_main(int argc, char **argv);

/* ---- out.c: speaking and answering ---- */

/* One "bawn: ..." line on stderr; the formatted text is escaped as a whole. */
void bawn_cli_say(const char *fmt, ...) BAWN_PRINTF(1, 2);
/* Writes text to a terminal or stderr; a failure is ignored. */
void bawn_cli_show(int fd, const struct bawn_buf *text);
/* Writes to stdout; a failure is said and becomes BAWN_EXIT_CANNOT, else `code` is returned. */
int bawn_cli_print(const struct bawn_buf *text, int code);
int bawn_cli_print_json(const json_t *doc, int code);
/* Reports a failure as text or as {"error": {...}} and returns its exit code. */
int bawn_cli_fail(const struct bawn_cli *c, const struct bawn_err *err);
int bawn_cli_usage(const struct bawn_cli *c, const char *fmt, ...) BAWN_PRINTF(2, 3);
/* {type, message, hint, field}; NULL when out of memory. */
json_t *bawn_cli_error_json(const struct bawn_err *err);
void bawn_cli_error_text(const struct bawn_err *err);

BAWN_MUST_CHECK int bawn_cli_open(struct bawn_cli *c, struct bawn_err *err);
struct bawn_options bawn_cli_options(const struct bawn_cli *c);
/* The policy in force, without opening anything else.  The caller frees it. */
struct bawn_policy;
BAWN_MUST_CHECK int bawn_cli_policy(const struct bawn_cli *c, struct bawn_policy **out, struct bawn_err *err);
/* The document of a result, which is freed. */
BAWN_MUST_CHECK int bawn_cli_take(struct bawn_result *r, json_t **out, struct bawn_err *err);

/* ---- render.c: JSON -> text ---- */

/* The value at "a.b.c", or NULL; its text or "", its number or 0. */
json_t *bawn_cli_at(const json_t *doc, const char *path);
const char *bawn_cli_text(const json_t *doc, const char *path);
uint64_t bawn_cli_number(const json_t *doc, const char *path);

enum bawn_cli_kind {
	BAWN_CLI_TEXT, BAWN_CLI_SIZE, BAWN_CLI_MS, BAWN_CLI_LEVEL, BAWN_CLI_LIST, BAWN_CLI_COUNTS, BAWN_CLI_YESNO, BAWN_CLI_TIME,
};
struct bawn_cli_field { const char *title, *path; enum bawn_cli_kind kind; };
void bawn_cli_cell(struct bawn_buf *out, const json_t *value, enum bawn_cli_kind kind);
/* A table with one line per element of `rows`, columns as wide as needed. */
void bawn_cli_table(struct bawn_buf *out, const json_t *rows, const struct bawn_cli_field *column, size_t n, bool colour);
/* "title   value" lines; fields that are null or absent are left out. */
void bawn_cli_fields(struct bawn_buf *out, const json_t *doc, const struct bawn_cli_field *field, size_t n, bool colour);
void bawn_cli_colour(struct bawn_buf *out, const char *level, bool colour, bool on);
/* A size for people: rounded to the unit that keeps two or more digits. */
void bawn_cli_put_about(struct bawn_buf *out, uint64_t bytes);
/* A time for people: 250ms, 1.5s, 30s, 2m. */
void bawn_cli_put_time(struct bawn_buf *out, uint64_t ms);

/* "no network, none of your files, 256m memory, 30s, 1 cpu, 32 processes, 96m disk" */
void bawn_cli_limits_sentence(struct bawn_buf *out, const json_t *limits, const char *network, size_t n_inputs);

/* The line of code at `place` ({line, column, end_line, end_column}) with ^~~~ below the range. */
void bawn_cli_excerpt(struct bawn_buf *out, const json_t *place, struct bawn_span code);
/* How many columns of a terminal shown text takes: wide characters two, combining ones none. */
size_t bawn_cli_width(struct bawn_span text);
/* A finding with its code line and a caret, why and fix; `code` may be empty. */
void bawn_cli_finding(struct bawn_buf *out, const json_t *finding, struct bawn_span code, bool colour);

/* "score 44 = any/secret-read 20 + ...; MEDIUM 20, HIGH 60, BLOCKED 100; strongest finding HIGH": unless `always`,
 * only where the level comes from the sum and not from a finding. */
void bawn_cli_score(struct bawn_buf *out, const json_t *assessment, bool always);

/* ---- hint.c ---- */

/* Missing relative files that lie beside `script`: for each, adds a denial {kind: path, source: hook,
 * hint: "--in NAME"} at the end of result.denials.  Returns how many. */
int bawn_cli_missing_file_hint(json_t *result, const char *script, struct bawn_span stderr_tail);

/* ---- sarif.c ---- */

struct bawn_cli_sarif {
	const json_t *assessments;  /* [{path, findings, ...}] */
	const json_t *failures;     /* [{path, error}]: files without a verdict */
	const json_t *rules;        /* the rule table, as of bawn_rules_json */
	const char   *version, *rules_version;
};
/* A SARIF 2.1.0 document; NULL when out of memory. */
json_t *bawn_cli_sarif(const struct bawn_cli_sarif *in);

/* ---- confirm.c ---- */
struct bawn_cli_asker {
	int tty;                /* /dev/tty, or -1 */
	int signals;            /* a signalfd that ends the question, or -1 */
	bool asked, interrupted;
	bool colour;
	const char *path;       /* what the code is called */
	const char *network;
	size_t n_inputs;
};
/* The controlling terminal, open, or -1: no terminal, or (json) stderr is none. */
int bawn_cli_tty(bool json);
/* Asks for `yes`, then for a reason unless one is given: 1 yes, 0 no. */
int bawn_cli_ask(struct bawn_cli_asker *a, const char *question, const char *given_reason, char *reason, size_t reason_size);
int bawn_cli_confirm(struct bawn_cli_asker *a, const struct bawn_question *q, const char *given_reason, struct bawn_answer *out);
void bawn_cli_question_text(struct bawn_buf *out, const struct bawn_cli_asker *a, const struct bawn_question *q);

/* ---- input.c ---- */
struct bawn_cli_inputs {
	struct bawn_input *item; size_t n, cap;
	uint64_t bytes;
	size_t skipped;
};
#define BAWN_CLI_STDIN_MAX  (16u << 20)
#define BAWN_CLI_CODE_MAX   (64u << 20)
#define BAWN_CLI_INPUTS_MAX 4096
#define BAWN_CLI_INPUT_BYTES_MAX (256u << 20)
#define BAWN_CLI_TREE_DEPTH 32
/* "PATH" or "PATH:NAME"; a directory is walked, names sorted, links that leave it skipped. */
BAWN_MUST_CHECK int bawn_cli_input_add(struct bawn_cli_inputs *in, const char *spec, struct bawn_err *err);
void bawn_cli_inputs_done(struct bawn_cli_inputs *in);
/* Reads to the end; over `out`'s ceiling is `too_large`.  Says so when nothing comes for a while. */
BAWN_MUST_CHECK int bawn_cli_read_stdin(struct bawn_buf *out, bool quiet, struct bawn_err *err);
BAWN_MUST_CHECK int bawn_cli_read_code(const char *path, struct bawn_buf *out, struct bawn_err *err);
/* A file that was named on the command line and is no code. */
BAWN_MUST_CHECK int bawn_cli_read_file(const char *path, struct bawn_buf *out, struct bawn_err *err);

/* ---- with.c: packages by name and by file ---- */
/* Files: a package.json by its name, else lines as pip has them. */
BAWN_MUST_CHECK int bawn_cli_with(struct bawn_strings *w, const struct bawn_opt_list *name, const struct bawn_opt_list *file, struct bawn_err *err);

/* ---- stream.c: the program's output on its way to ours ---- */

/* What may reach a terminal: text, newlines, tabs and colours, which end with the output; other control sequences are
 * shown escaped, because whoever wrote the code must not drive the reader's terminal. */
struct bawn_cli_filter { unsigned char held[24]; size_t n; bool coloured; };
void bawn_cli_filter_add(struct bawn_cli_filter *f, struct bawn_span bytes, struct bawn_buf *out);
void bawn_cli_filter_end(struct bawn_cli_filter *f, struct bawn_buf *out);

/* ---- drive.c: one execution from start to result, with its output and the signals ---- */
struct bawn_cli_drive {
	bool live;                       /* pass output on as it comes */
	bool tells;                      /* say what takes long before the code starts */
	int  signals;                    /* signalfd: SIGINT, SIGTERM, SIGHUP */
	unsigned interrupts;
	bool abandoned;                  /* after a second interrupt: leave by _exit, nothing may wait any more */
	bool broken;                     /* nobody reads our stdout any more */
	int  lost[3];                    /* by stream: why output could not be written (errno), or 0 */
	const char *result_path;         /* where the caller will write the result, or NULL */
	bool terminal[3], open_line;     /* by stream; whether the cursor stands in mid-line */
	struct bawn_cli_filter filter[3];
	struct bawn_buf tail;            /* the end of stderr */
	uint64_t samples;
	struct bawn_cli_asker asker;
	const char *reason;              /* given with --reason: not asked again */
};
BAWN_MUST_CHECK int bawn_cli_drive_init(struct bawn_cli_drive *d, bool live, struct bawn_err *err);
void bawn_cli_drive_done(struct bawn_cli_drive *d);
/* -ECANCELED: a second interrupt came and there is no result. */
BAWN_MUST_CHECK int bawn_cli_drive(struct bawn_cli_drive *d, struct bawn *b, struct bawn_request *req, json_t **out, struct bawn_err *err);
/* Waits until something changes in `dir`, a signal comes (1) or `ms` have passed. */
int bawn_cli_drive_wait(struct bawn_cli_drive *d, int inotify, int ms);

/* ---- report.c: a result in words ---- */
struct bawn_cli_ran { const char *path, *network, *out_dir; size_t n_inputs; struct bawn_span code; bool stats, dry_run, asked, unread; };
/* BAWN_EXIT_CANNOT where what was asked for could not be written, else 0. */
int bawn_cli_report(const struct bawn_cli *c, const json_t *result, const struct bawn_cli_ran *ran);
/* "bawn run --approval ID ..." as it has to be typed. */
void bawn_cli_put_again(struct bawn_buf *out, const struct bawn_cli *c, const char *approval);

/* ---- quote.c: words for a shell ---- */
void bawn_cli_put_quoted(struct bawn_buf *out, const char *word);

/* ---- help.c, manual.c ---- */
void bawn_cli_help(struct bawn_buf *out);
void bawn_cli_help_command(struct bawn_buf *out, const struct bawn_cli_command *cmd);
void bawn_cli_help_group(struct bawn_buf *out, const char *group);
void bawn_cli_manual(struct bawn_buf *out);
void bawn_cli_bash_completion(struct bawn_buf *out);
void bawn_cli_zsh_completion(struct bawn_buf *out);
