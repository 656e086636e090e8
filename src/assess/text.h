/* text.h - comparing texts: globs, paths by component, letters in disguise.
 * Pure; an attacker controls every byte of what is compared, the rules control the patterns. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "assess/arena.h"
#include "base/span.h"

/* `*` is any run of bytes, `?` one byte, `\\*` a star; everything else is itself.  Linear space, bounded time. */
bool bawn_glob(const char *pattern, struct bawn_span text);

/* A path made comparable: `.` and `..` undone, home directories written ~, `../../etc` taken as /etc.
 * NULL where the text cannot be a path, or is still longer than one can be. */
#define BAWN_PATH_MAX 4096u
const char *bawn_path_normal(struct arena *a, struct bawn_span text);
/* Of a path that ends in components that are wildcards alone: the same with one star for them, since they name
 * whatever is there; NULL: it is none, or written so. */
const char *bawn_path_widest(struct arena *a, const char *normal);
/* What a path below /proc/self/root and its like is without that; NULL: it is none. */
const char *bawn_path_behind(const char *normal);

/* A text that is or holds (http://...) an address written in octal, in hex, as one number or otherwise as nobody
 * writes it: the same with the address as it is known, NULL: none. */
const char *bawn_text_address(struct arena *a, const char *text);

/* Is `path` (normal) the pattern or below it?  Components may be globs, on either side where `shell`
 * says that the path itself is still to be expanded.  A pattern that begins with two stars and '/'
 * may start at any component; one that begins with '=' is the whole path. */
bool bawn_path_under(const char *pattern, const char *path, bool shell);

/* Outside the workspace, /tmp and harmless devices. */
bool bawn_path_outside(const char *path);

/* An identifier as NFKC writes it, where that is ASCII: full-width, mathematical, raised, joined letters. */
const char *bawn_fold_name(struct arena *a, struct bawn_span name);

/* The offset of the first bidirectional control or zero-width character, or text.n. */
size_t bawn_text_hidden(struct bawn_span text);

bool bawn_text_printable(struct bawn_span text);
