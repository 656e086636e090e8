/* tables.h - the words of the contract, one row each: levels, decisions, trust, assurance, languages.
 * Every name that appears in JSON, YAML, on the command line or in the manual comes from here. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/span.h"

/* X(NAME, "name") in rising order of severity, strictness or strength. */
#define BAWN_LEVELS(X)     X(LOW, "LOW") X(MEDIUM, "MEDIUM") X(HIGH, "HIGH") X(BLOCKED, "BLOCKED")
#define BAWN_ACTIONS(X)    X(RUN, "run") X(WARN, "warn") X(CONFIRM, "confirm") X(REFUSE, "refuse")
#define BAWN_TRUSTS(X)     X(TRUSTED, "trusted") X(STANDARD, "standard") X(UNTRUSTED, "untrusted") X(UNKNOWN, "unknown")
#define BAWN_ASSURANCES(X) X(NONE, "none") X(SELF, "self") X(TERMINAL, "terminal") X(SEPARATE, "separate")
#define BAWN_BACKENDS(X)   X(NATIVE, "native") X(DOCKER, "docker")
#define BAWN_NETWORKS(X)   X(NONE, "none") X(DEPENDENCIES, "dependencies")
#define BAWN_VIOLATIONS(X) X(NOTE, "note") X(KILL, "kill")

/* The protections a run can have; `enforcement.layers` and `.missing` use these names. */
#define BAWN_LAYERS(X) \
	X(USERNS, "userns") X(MOUNTNS, "mountns") X(PIDNS, "pidns") X(NETNS, "netns") X(IPCNS, "ipcns") \
	X(UTSNS, "utsns") X(CGROUPNS, "cgroupns") X(RO_ROOT, "ro_root") X(UID, "uid") X(NO_CAPS, "no_caps") \
	X(NO_NEW_PRIVS, "no_new_privs") X(SECCOMP, "seccomp") X(LANDLOCK, "landlock") \
	X(RLIMITS, "rlimits") X(CGROUP, "cgroup") X(DENIAL_REPORTING, "denial_reporting")

#define BAWN_X_LEVEL(n, t)     BAWN_LEVEL_##n,
#define BAWN_X_ACTION(n, t)    BAWN_ACTION_##n,
#define BAWN_X_TRUST(n, t)     BAWN_TRUST_##n,
#define BAWN_X_ASSURANCE(n, t) BAWN_ASSURANCE_##n,
#define BAWN_X_BACKEND(n, t)   BAWN_BACKEND_##n,
#define BAWN_X_NETWORK(n, t)   BAWN_NETWORK_##n,
#define BAWN_X_VIOLATION(n, t) BAWN_VIOLATION_##n,
#define BAWN_X_LAYER(n, t)     BAWN_LAYER_##n,
enum bawn_level     { BAWN_LEVELS(BAWN_X_LEVEL)         BAWN_LEVEL_COUNT };
enum bawn_action    { BAWN_ACTIONS(BAWN_X_ACTION)       BAWN_ACTION_COUNT };
enum bawn_trust     { BAWN_TRUSTS(BAWN_X_TRUST)         BAWN_TRUST_COUNT };
enum bawn_assurance { BAWN_ASSURANCES(BAWN_X_ASSURANCE) BAWN_ASSURANCE_COUNT };
enum bawn_backend_id { BAWN_BACKENDS(BAWN_X_BACKEND)    BAWN_BACKEND_COUNT };
enum bawn_network   { BAWN_NETWORKS(BAWN_X_NETWORK)     BAWN_NETWORK_COUNT };
enum bawn_violation { BAWN_VIOLATIONS(BAWN_X_VIOLATION) BAWN_VIOLATION_COUNT };
enum bawn_layer     { BAWN_LAYERS(BAWN_X_LAYER)         BAWN_LAYER_COUNT };

#define BAWN_LAYER_BIT(name) (1u << BAWN_LAYER_##name)

/* A list of words indexed by an enum. */
struct bawn_words { const char *const *name; int n; };
extern const struct bawn_words bawn_level_words, bawn_action_words, bawn_trust_words, bawn_assurance_words,
	bawn_backend_words, bawn_network_words, bawn_violation_words, bawn_layer_words, bawn_language_words;

const char *bawn_word(const struct bawn_words *w, int i);          /* "?" when out of range */
int bawn_word_find(const struct bawn_words *w, struct bawn_span text);  /* -1 when absent */

enum bawn_language { BAWN_LANG_PYTHON, BAWN_LANG_BASH, BAWN_LANG_JAVASCRIPT, BAWN_LANG_COUNT };

/* What a language is: how it is recognised, what runs it, how little memory it can start in. */
struct bawn_language_row {
	const char *name;
	const char *main_file;      /* under /code */
	const char *interpreter;    /* default path */
	const char *aliases;        /* "py|python3" accepted by --lang */
	const char *extensions;     /* ".py|.pyw" */
	const char *shebangs;       /* interpreter basenames, a trailing version is ignored */
	uint64_t    floor_bytes;    /* never limit memory below this */
	const char *package;        /* what to install where it is absent, as Debian calls it */
};
extern const struct bawn_language_row bawn_language[BAWN_LANG_COUNT];

int bawn_language_named(struct bawn_span name);                            /* name or alias; -1 */
int bawn_language_guess(const char *path_or_null, struct bawn_span code);  /* extension, then shebang; -1 */

/* Variables that change what an interpreter or the loader does: never taken from a request. */
bool bawn_env_refused(struct bawn_span name);
/* Letters, digits and '_', not starting with a digit. */
bool bawn_env_name_valid(struct bawn_span name);
