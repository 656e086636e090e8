/* packages.h - what a package may be called, and whether somebody should look at the name twice.  Pure.
 *
 * A package is a name and a version of the index: never a path, an address or an option, so that nothing but the
 * index decides what comes.  An attacker controls every text here. */
#pragma once
#include <stdbool.h>
#include "base/err.h"
#include "egress/presets.h"
#include "policy/policy.h"
#include "policy/tables.h"

#define BAWN_MAX_PACKAGES     64
#define BAWN_PACKAGE_NAME     216  /* with its end; npm's longest is 214 */
#define BAWN_PACKAGE_SPEC     256

/* Takes the name out of NAME, NAME[EXTRA]==1.2,<2 (python) or NAME, @SCOPE/NAME, NAME@^1.2 (javascript), in the one
 * spelling that its index has for it.  INVALID_REQUEST, field `packages`. */
BAWN_MUST_CHECK int bawn_package_name(enum bawn_language language, const char *spec, char out[static BAWN_PACKAGE_NAME], struct bawn_err *err);

/* Adds to `out` what a file names: the `dependencies` of a package.json, or one package a line as pip has them (a line that
 * would be an option, an address, a path or a condition is INVALID_REQUEST).  Names and versions are copied, not judged;
 * `file` is for messages. */
BAWN_MUST_CHECK int bawn_packages_read(struct bawn_span text, bool json, const char *file, struct bawn_strings *out, struct bawn_err *err);

/* Whether `name` (as bawn_package_name gives it) is one edit away from a popular package, *out: a letter more, less or
 * other, or two that changed places.  A popular one itself is not. */
bool bawn_package_lookalike(enum bawn_language language, const char *name, char out[static BAWN_PACKAGE_NAME]);

/* Whether network.packages lists it, or lists none. */
bool bawn_package_listed(const struct bawn_policy *p, enum bawn_language language, const char *name);

/* Whether a backend takes packages at all; INVALID_REQUEST, naming `field`. */
BAWN_MUST_CHECK int bawn_packages_backend(int backend, const char *field, struct bawn_err *err);
/* Whether policy lists any host to fetch them from; NETWORK_UNAVAILABLE with the row to write: `preset`, for what `tool` of
 * this host has. */
BAWN_MUST_CHECK int bawn_packages_whitelist(const struct bawn_policy *p, const char *tool, const char *preset, struct bawn_err *err);

/* What installs packages of a language: NULL where nothing does. */
struct bawn_installer { const char *tool, *package, *preset; struct bawn_span code; };
const struct bawn_installer *bawn_installer(enum bawn_language language);
