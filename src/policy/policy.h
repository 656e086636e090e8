/* policy.h - the effective policy: what the four YAML files, their floor and the compiled
 * defaults come to.  Plain data, read by everybody, changed by nobody once loaded.
 *
 * One schema table (policy/schema.c) is the only place that knows the keys: it drives parsing,
 * validation, defaults, `bawn policy show`, the floor rule and the manual. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/json.h"
#include "policy/limits.h"
#include "policy/tables.h"

struct bawn_list { char **item; size_t n; };  /* owned by the policy */

enum bawn_rule_mode { BAWN_RULE_OFF = -1 };   /* or an enum bawn_level */
/* Without may_lower the rule's own level stands where it is the higher one. */
struct bawn_rule_set { char *id; int mode; bool may_lower; };

/* The rules an installation adds in rules.d: a name, a path or a host, and the level it makes code.
 * They only ever add findings.  Immutable; shared by every policy built from the same files. */
struct bawn_own_example { char *text; uint32_t line; bool match; };
struct bawn_own_rule {
	char *id;                          /* "local/..." */
	int   level, language, cwe;        /* language -1: any; cwe 0: none */
	char *message, *why, *fix, *where; /* where: FILE:LINE */
	struct bawn_list name, path, host;
	struct bawn_own_example *example; size_t n_examples;
};
/* X(NAME, "name"): what a rule of rules.d can name. */
#define BAWN_OWN_KINDS(X) X(NAME, "name") X(PATH, "path") X(HOST, "host")
#define BAWN_X_OWN(n, t) BAWN_OWN_##n,
enum bawn_own_kind { BAWN_OWN_KINDS(BAWN_X_OWN) BAWN_OWN_KIND_COUNT };
struct bawn_own_key { const char *text; uint32_t rule; enum bawn_own_kind kind; };  /* by kind, then text */
struct bawn_own {
	struct bawn_own_rule *rule; size_t n;
	struct bawn_own_key  *key;  size_t n_keys;
	uint8_t               sha256[BAWN_SHA256_LEN];  /* of all but the examples and the places */
	unsigned              refs;
};

/* Where a value was written; path NULL: the compiled default. */
struct bawn_policy_origin { const char *path; uint32_t line, column; };

/* What one trust level starts from. */
struct bawn_trust_base { uint64_t cpus_milli, memory_bytes, timeout_ms, pids, disk_bytes; };

struct bawn_policy {
	/* security.yaml */
	int      decision[BAWN_LEVEL_COUNT];         /* enum bawn_action */
	uint64_t medium_score, high_score, blocked_score;
	struct bawn_rule_set *rules; size_t n_rules; /* rules: {ID: off|LEVEL}, by id */
	struct bawn_list blocked_patterns, high_triggers, trusted_patterns;
	const struct bawn_own *own;                  /* rules.d; NULL: none */
	bool     allow_user_override;
	int      override_minimum;                   /* enum bawn_assurance */
	uint64_t max_reason, override_expires_ms;
	uint64_t max_code_bytes;

	/* sandbox.yaml */
	int      backend;                            /* enum bawn_backend_id */
	char    *image;
	char    *docker_host, *docker_runtime;       /* "unix://PATH"; NULL: the default */
	bool     docker_require_patched;
	char    *interpreter[BAWN_LANG_COUNT];
	struct bawn_trust_base resources;            /* upper bound of every trust level */
	uint64_t inodes, open_files, output_bytes, stream_output_bytes;
	bool     read_only;
	struct bawn_list security_opt, cap_drop;
	char    *sandbox_user;                       /* security.user: "UID[:GID]"; NULL: one of `uids` */
	int      network_mode;                       /* enum bawn_network: the ceiling */
	struct bawn_list whitelist, allow_private, packages;
	char    *ca_file;                            /* NULL: the system's */
	struct bawn_net_limits net;
	uint64_t install_sent_bytes, install_received_bytes, install_connections;  /* in place of those, where packages are fetched */
	struct bawn_trust_base trust[BAWN_TRUST_COUNT];
	bool     trust_defined[BAWN_TRUST_COUNT];
	int      level_trust[BAWN_LEVEL_COUNT];      /* enum bawn_trust */
	uint64_t max_factor_milli;                   /* dynamic.max_factor */
	struct bawn_trust_base dynamic_max;          /* dynamic.max: the ceiling of any run */
	uint64_t host_share_milli[BAWN_TRUST_COUNT]; /* dynamic.host_share, of available memory */
	uint64_t max_running;                        /* executions at once on this host */
	uint64_t queue_timeout_ms;
	uint32_t minimum_enforcement[BAWN_BACKEND_COUNT];  /* BAWN_LAYER_BIT mask */
	bool     require_cgroup_as_root;
	uint64_t sample_ms;                          /* monitoring.sample_interval */
	uint64_t max_execution_ms;                   /* monitoring.max_execution_time */
	int      on_violation;                       /* enum bawn_violation */
	bool     observe;
	uint64_t uid_first, uid_count;

	/* audit.yaml */
	char    *sign, *log_level, *keep_output;
	bool     include_full_code, redact_tokens;
	uint64_t retention_days, archive_days, max_segment_bytes;
	struct bawn_list redact;
	uint64_t alert_critical_per_hour, alert_violations_per_hour, alert_integrity, alert_disk_percent;
	char    *witness;

	/* server.yaml */
	char    *listen;                             /* NULL: STATE/sock */

	/* Where it came from. */
	struct bawn_policy_origin *origin;           /* one per row of the schema */
	struct bawn_list paths;                      /* what origin[].path points into */
	struct bawn_list loosened;                   /* "sandbox.yaml: network.network_mode", acknowledged */
	bool     floor_root_owned;                   /* /etc/bawn exists and belongs to root */
	uint8_t  sha256[BAWN_SHA256_LEN];            /* of every value, independent of spelling */
};

/* The directories that are read, in this order: the floor, then each may only tighten.  Any may
 * be NULL (not used).  Absent directories and files are fine; unreadable or bad ones are errors. */
struct bawn_policy_dirs {
	const char *floor;      /* normally /etc/bawn */
	const char *user;       /* $XDG_CONFIG_HOME/bawn */
	const char *explicit_;  /* --config DIR or BAWN_CONFIG: must exist */
};

/* Every problem found, in order of file and position: "sandbox.yaml:3:12: ..." one per line. */
struct bawn_policy_errors { struct bawn_buf text; size_t n; };
void bawn_policy_errors_done(struct bawn_policy_errors *e);

/* On failure err says the first problem and how many there are; `errors` (may be NULL) has all. */
BAWN_MUST_CHECK int bawn_policy_load(const struct bawn_policy_dirs *dirs, struct bawn_policy **out,
                                     struct bawn_policy_errors *errors, struct bawn_err *err);
void bawn_policy_free(struct bawn_policy *p);

/* One file of rules.d alone, as `bawn rules test` reads it.  Problems as above. */
BAWN_MUST_CHECK int bawn_own_parse(const char *name, struct bawn_span text, const struct bawn_own **out,
                                   struct bawn_policy_errors *errors, struct bawn_err *err);
void bawn_own_unref(const struct bawn_own *own);

/* The keys of this kind and text are out[0..n). */
const struct bawn_own_key *bawn_own_find(const struct bawn_own *own, enum bawn_own_kind kind, struct bawn_span text, size_t *out_n);

bool bawn_image_name_valid(struct bawn_span name);
bool bawn_host_row_valid(struct bawn_span row);  /* of network.whitelist; a preset is one, too */

/* What a rule whose own level is `own` comes to: BAWN_RULE_OFF or an enum bawn_level. */
int bawn_policy_rule_mode(const struct bawn_policy *p, const char *id, int own);

/* [{key, value, origin: default|FILE:LINE, default, help}] for `bawn policy show --json`. */
BAWN_MUST_CHECK int bawn_policy_show(const struct bawn_policy *p, json_t **out, struct bawn_err *err);

/* `document` (YAML or JSON text) has any of security, sandbox, audit, server at top level.  It is
 * merged over the files in `target_dir`, the whole is validated against the floor, and only then
 * the changed files are replaced, all or none.  *out: {updated: [keys], errors: [], before: hash,
 * after: hash}; when it is refused, errors are listed, nothing changed, and CONFIG_INVALID returned. */
BAWN_MUST_CHECK int bawn_policy_set(const struct bawn_policy_dirs *dirs, const char *target_dir,
                                    struct bawn_span document, json_t **out, struct bawn_err *err);

/* The same; `record` is called with what *out will be, before any file is replaced, and its error stops that. */
typedef int bawn_policy_record_fn(void *ctx, const json_t *change, struct bawn_err *err);
BAWN_MUST_CHECK int bawn_policy_set_recorded(const struct bawn_policy_dirs *dirs, const char *target_dir, struct bawn_span document,
                                             bawn_policy_record_fn *record, void *ctx, json_t **out, struct bawn_err *err);

/* The schema as rows, for the manual: key, type, default, what is stricter, help. */
void bawn_policy_manual(struct bawn_buf *out);
