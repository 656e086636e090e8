/* envs.h - environments: packages that were installed once, kept in the state directory.
 *
 *	STATE/env/SHA256/env.json   what it is made of           STATE/env/want/KEY    the SHA256 that a request came to
 *	STATE/env/SHA256/tree/      what the code sees at /env   STATE/env/name/NAME   the SHA256 that a person calls so
 *	STATE/env/ID.tmp/           one that is being built
 *
 * Invariants: (1) what has a SHA256 for its name is whole: it was checked, synced and renamed, and never changes again;
 * (2) who uses one holds a shared lock on its directory, who removes it needs the exclusive one; (3) who builds holds
 * the lock of want/KEY, so that one builds and the others find it done; (4) a draft is locked by its builder: one that
 * can be locked by somebody else is left over, and is removed before the next is begun.
 * The SHA256 is that of the lock: language, interpreter, and every package with version and hash. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "base/hash.h"
#include "base/json.h"
#include "sandbox/sandbox.h"

#define BAWN_ENV_NAME 65

bool bawn_env_may_be_called(const char *name);  /* letters, digits, '.', '_', '-'; no SHA256 */

/* One that is in use. */
struct bawn_env { char sha256[BAWN_SHA256_HEX], path[BAWN_ENV_PATH]; int lock; json_t *doc; };
#define BAWN_ENV_NONE ((struct bawn_env){ .lock = -1 })
BAWN_MUST_CHECK int bawn_env_hold(const char *state, const char *sha256, struct bawn_env *out, struct bawn_err *err);  /* NOT_FOUND */
void bawn_env_drop(struct bawn_env *e);  /* accepts BAWN_ENV_NONE */

/* The one that is called so (or whose SHA256 begins so): NOT_FOUND. */
BAWN_MUST_CHECK int bawn_env_named(const char *state, const char *name, char out[static BAWN_SHA256_HEX], struct bawn_err *err);
BAWN_MUST_CHECK int bawn_env_call(const char *state, const char *name, const char *sha256, struct bawn_err *err);

/* Whether this request was built before, and is still there. */
bool bawn_env_wanted(const char *state, const char *key, char out[static BAWN_SHA256_HEX]);
/* The right to build it; -EAGAIN: somebody else does. */
BAWN_MUST_CHECK int bawn_env_claim(const char *state, const char *key, int *out_lock, struct bawn_err *err);

/* One that is being built; `out` was BAWN_ENV_DRAFT_NONE; gone with bawn_env_draft_done unless it was published. */
struct bawn_env_draft { int dir, self, tree; char name[64]; uint64_t files, bytes; struct bawn_sha256 sum; };
#define BAWN_ENV_DRAFT_NONE ((struct bawn_env_draft){ .dir = -1, .self = -1, .tree = -1 })
BAWN_MUST_CHECK int bawn_env_draft_begin(const char *state, const char *id, struct bawn_env_draft *out, struct bawn_err *err);
/* A plain file with this relative name, copied from `fd`; names come in order, and are in the draft's sum. */
BAWN_MUST_CHECK int bawn_env_draft_put(struct bawn_env_draft *d, const char *path, int fd, const char *sha256, struct bawn_err *err);
/* Whole, on disk, and then under its name; what is there by that name already is as good.  Until bawn_env_draft_done it cannot
 * be removed: who built it can hold it. */
BAWN_MUST_CHECK int bawn_env_draft_publish(struct bawn_env_draft *d, const char *sha256, const json_t *doc, int claim, struct bawn_err *err);
void bawn_env_draft_done(struct bawn_env_draft *d);

/* [{environment, name: [..], language, packages, files, bytes, built_at, ...}] by time. */
BAWN_MUST_CHECK int bawn_env_list(const char *state, json_t **out, struct bawn_err *err);
/* BUSY where it is in use.  Names for it go with it. */
BAWN_MUST_CHECK int bawn_env_remove(const char *state, const char *sha256, struct bawn_err *err);
