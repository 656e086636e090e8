/* bawn.h - run code that nobody has read yet: assessed before, contained during, provable after; libbawn(3).
 *
 *	struct bawn *b;
 *	struct bawn_result *r;
 *	struct bawn_err err = { 0 };
 *	if (bawn_open(NULL, &b, &err) == 0) {
 *		struct bawn_request req = { .size = sizeof req, .code = "print(6*7)", .code_size = 10, .language = "python" };
 *		if (bawn_assess_and_execute(b, &req, &r, &err) == 0) {
 *			puts(bawn_result_json(r));
 *			bawn_result_free(r);
 *		}
 *		bawn_close(b);
 *	}
 *
 * Every function returns 0 or a negative errno and fills `err` (which may be NULL).  A run that was
 * refused, held or killed is not an error: it is a result whose `status` says so.
 * Options structs start with their `size`; fields left zero mean the strictest choice.  Strings and
 * buffers passed in are borrowed for the length of the call (for bawn_start: until bawn_exec_free).
 * A handle may be shared between threads; an execution belongs to one thread, but bawn_cancel may
 * come from any.  The library never prints, exits, starts threads, installs signal handlers, forks
 * its host or reaps children that are not its own. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <bawn/err.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BAWN_VERSION "0.1.0"

struct bawn;         /* an open state directory with its policy and log */
struct bawn_exec;    /* one execution on its way */
struct bawn_result;  /* a JSON document */

struct bawn_options {
	size_t      size;
	const char *state_dir;    /* NULL: BAWN_STATE, else /var/lib/bawn (root) or ~/.local/state/bawn */
	const char *config_dir;   /* NULL: BAWN_CONFIG, else none beyond /etc/bawn and ~/.config/bawn */
	const char *libexec_dir;  /* NULL: where bawn is installed or was built */
	const char *via;          /* what asks: "cli", "python", "mcp"; NULL: "c" */
};

BAWN_API int  bawn_open(const struct bawn_options *options, struct bawn **out, struct bawn_err *err);
BAWN_API void bawn_close(struct bawn *b);
BAWN_API const char *bawn_version(void);

/* A file put into /workspace before the code starts.  `name` is relative, without "." or "..". */
struct bawn_input { const char *name; const void *data; size_t size; uint32_t mode; };

/* What a person is asked when policy wants a confirmation. */
struct bawn_question {
	size_t      size;
	const char *level;            /* "HIGH" or "BLOCKED" */
	const char *request_sha256;
	const char *assessment_json;  /* findings and all, as in the result */
	const char *limits_json;      /* what the run would be held to */
	const char *code; size_t code_size;
};
struct bawn_answer {
	size_t size;
	int    yes;
	int    terminal;      /* a person typed it on the controlling terminal (checked: there must be one) */
	char   name[64];      /* who, for the record */
	char   reason[2048];  /* at most overrides.max_reason characters */
};

enum bawn_event_kind { BAWN_EVENT_STATE, BAWN_EVENT_OUTPUT, BAWN_EVENT_USAGE, BAWN_EVENT_DENIAL, BAWN_EVENT_OUTCOME };
struct bawn_event {
	size_t               size;
	uint64_t             seq;      /* from 1, without gaps */
	uint64_t             at_us;    /* wall time */
	enum bawn_event_kind kind;
	const char          *id;       /* of the execution */
	const char          *text;     /* STATE: its name; DENIAL: what; OUTCOME: the status */
	int                  stream;   /* OUTPUT: 1 or 2 */
	const void          *data; size_t data_size;                  /* OUTPUT */
	uint64_t             cpu_ms, memory_bytes, pids, wall_ms;     /* USAGE */
};

struct bawn_request {
	size_t             size;
	const char        *code; size_t code_size;
	const char        *language;   /* NULL: by the extension of `path`, else by the #! line */
	const char        *path;       /* where the code came from; for messages and `language` only */
	const char *const *args; size_t n_args;
	const char *const *env; size_t n_env;            /* "NAME=VALUE" */
	const void        *stdin_data; size_t stdin_size;
	const struct bawn_input *inputs; size_t n_inputs;
	/* Installed before the code runs, which then has no network: "NAME", "NAME==VERSION"; for javascript "NAME@VERSION".
	 * Needs network.whitelist; names that look like others, or that policy does not list, are held as HIGH is. */
	const char *const *packages; size_t n_packages;
	const char        *backend;    /* NULL: policy's */
	const char        *image;
	const char        *environment;  /* packages that are there already: a name given by `build`, or a hash */
	uint64_t           timeout_ms, memory_bytes, cpus_milli, pids, disk_bytes;  /* 0: as computed */
	const char        *trust;      /* may only lower */
	const char        *network;    /* NULL: none */
	const char *const *labels; size_t n_labels;      /* "NAME=VALUE" */
	const char        *session;
	int                override_;  /* ask to lift HIGH or BLOCKED, with `reason` */
	const char        *reason;
	const char        *approval;   /* id of an approval given for exactly this request */
	/* Copy the files left in /workspace there; NULL: only list them.  One that cannot be written to, or lies in a directory
	 * of bawn's own, is INVALID_REQUEST before anything runs; a file that cannot be written there is skipped, and told as
	 * `error` beside how the code ended. */
	const char        *out_dir;
	int                stream;     /* on_event gets output up to the larger stream limit; the result keeps its start */
	int                dry_run;    /* assess, decide and allocate only */
	/* 0, or a failure that means no; -ECANCELED: the one who asked wants it no more. */
	int              (*confirm)(void *ctx, const struct bawn_question *q, struct bawn_answer *out);
	void             (*on_event)(void *ctx, const struct bawn_event *e);
	void              *ctx;
	/* What nobody lifts now may be lifted later: HIGH and BLOCKED become pending approvals, and an approval that
	 * somebody gave for exactly this request is used.  One that was denied stays so until it expires. */
	int                hold;
	const char        *client;     /* what the program that asks calls itself; recorded as claimed, believed by nobody */
	/* With `network` or `packages`: hosts outside network.whitelist, for this run or this install alone.  A request that asks
	 * for one is held as HIGH is, whatever its level: a person grants it. */
	const char *const *hosts; size_t n_hosts;
	const char        *build;      /* run nothing: only have `packages` installed, and call that so */
	/* More packages, as a file names them: the lines of a requirements.txt (names and versions; no options, addresses or
	 * conditions), for javascript a package.json, of which `dependencies` count. */
	const char        *requirements; size_t requirements_size;
};

/* The whole flow, blocking.  *out is set whenever 0 is returned. */
BAWN_API int bawn_assess_and_execute(struct bawn *b, const struct bawn_request *req, struct bawn_result **out, struct bawn_err *err);

/* The same without blocking: poll bawn_exec_fd for reading, call bawn_exec_step, until it returns 1.  A step waits for the
 * disk, for the log's lock (at most 30 s) and for `confirm`; with a network, for a proxy of ours to answer (at most 10 s).
 * It never waits for a sandbox, its launcher or an engine. */
BAWN_API int  bawn_start(struct bawn *b, const struct bawn_request *req, struct bawn_exec **out, struct bawn_err *err);
BAWN_API int  bawn_exec_fd(const struct bawn_exec *e);
BAWN_API int  bawn_exec_step(struct bawn_exec *e, struct bawn_err *err);   /* 1: over; 0: poll again; negative: failed */
BAWN_API int  bawn_exec_result(struct bawn_exec *e, struct bawn_result **out, struct bawn_err *err);
BAWN_API int  bawn_cancel(struct bawn_exec *e);                            /* from any thread; the result says "cancelled" */
BAWN_API void bawn_exec_free(struct bawn_exec *e);                         /* ends what still runs */

BAWN_API int bawn_assess_code_only(struct bawn *b, const struct bawn_request *req, struct bawn_result **out, struct bawn_err *err);

struct bawn_history_filter {
	size_t      size;
	uint64_t    limit;                /* 0: 50 */
	uint64_t    since_us, until_us;   /* 0: no bound */
	const char *level, *status, *session, *id;  /* NULL: any; id may be a unique prefix */
};
BAWN_API int bawn_get_execution_history(struct bawn *b, const struct bawn_history_filter *f, struct bawn_result **out, struct bawn_err *err);
BAWN_API int bawn_get_security_status(struct bawn *b, struct bawn_result **out, struct bawn_err *err);
BAWN_API int bawn_configure_policies(struct bawn *b, const char *document, size_t size, struct bawn_result **out, struct bawn_err *err);
BAWN_API int bawn_get_audit_report(struct bawn *b, uint64_t since_us, uint64_t until_us, struct bawn_result **out, struct bawn_err *err);

BAWN_API int bawn_approvals_list(struct bawn *b, struct bawn_result **out, struct bawn_err *err);
/* `terminal` as in struct bawn_answer. */
BAWN_API int bawn_approvals_decide(struct bawn *b, const char *id, int approve, const char *reason, int terminal, struct bawn_result **out, struct bawn_err *err);

BAWN_API const char *bawn_result_json(const struct bawn_result *r);
BAWN_API const char *bawn_result_status(const struct bawn_result *r);  /* "" where the document has none */
BAWN_API void        bawn_result_free(struct bawn_result *r);

#ifdef __cplusplus
}
#endif
