/* presets.h - `pip` and `npm` in the whitelist: the indexes that this host's own pip and npm are configured with.
 *
 * Read from the files and variables they document, in their order; neither program is run.  Nothing is built in: a
 * host that names no index has none.  What the index itself points to (file hosts, other mirrors) is not followed:
 * each needs a row of its own, and a denial says which.
 *
 * Whose configuration: that of the user this process runs as.  As root, only files that belong to root and that nobody
 * else can write count, and HOME only where it is root's: who becomes root by sudo does not bring an index along.
 * A file that cannot be understood is an error, not an empty one. */
#pragma once
#include <sys/types.h>
#include "base/err.h"
#include "base/span.h"

struct bawn_strings { char **item; size_t n; };
BAWN_PRINTF(2, 3) int bawn_strings_add(struct bawn_strings *s, const char *fmt, ...);  /* -ENOMEM */
void bawn_strings_done(struct bawn_strings *s);

/* X(NAME, "name") */
#define BAWN_PRESETS(X) X(PIP, "pip") X(NPM, "npm")
#define BAWN_X_PRESET(n, t) BAWN_PRESET_##n,
enum bawn_preset { BAWN_PRESETS(BAWN_X_PRESET) BAWN_PRESET_COUNT };
int bawn_preset_named(const char *row);  /* -1: it is none */

struct bawn_preset_host {                  /* tests have one of their own */
	const char *root;                  /* before every path; "" */
	uid_t       uid;
	const char *python, *node;         /* the interpreters: their prefixes have configuration, too */
	const char *(*variable)(const char *name);
};
struct bawn_preset_found {
	struct bawn_strings rule;          /* rows for the whitelist */
	struct bawn_strings env;           /* "NAME=VALUE": how pip and npm inside find the same indexes */
	bool                stripped;      /* a URL had a user or a password; they are not handed on */
};
/* NETWORK_UNAVAILABLE where there is no index, or a file is broken or not to be believed. */
BAWN_MUST_CHECK int bawn_preset_resolve(enum bawn_preset which, const struct bawn_preset_host *host, struct bawn_preset_found *out, struct bawn_err *err);

/* One file of the INI kind, for the fuzzer and the tests: calls `each` for every value, in order.  `flat`: as npm reads
 * it (keys before any section, quotes); else as pip does (continued lines, keys in any case, '_' for '-').
 * The number of the first line that is none, or 0. */
typedef void bawn_ini_each(void *ctx, struct bawn_span section, struct bawn_span key, struct bawn_span value);
unsigned bawn_ini_read(struct bawn_span text, bool flat, bawn_ini_each *each, void *ctx);
