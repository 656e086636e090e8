/* image.h - the image a container is made of: the user's, with our init in it.
 *
 * An image is named by tag or digest and resolved once to its id.  The init (docker/inside.c) is added in an image of its
 * own, made once for each pair of the two and found by its labels: nothing is run for that, no registry is asked. */
#pragma once
#include "docker/moby.h"

struct bawn_image { char id[80], base[80]; };  /* of what is run, and of what the user named: "sha256:..." */

/* Has the engine fetch it, from where it fetches images.  `tell` hears of bytes that came and that are known of; a negative
 * return ends it. */
typedef int bawn_image_tell_fn(void *ctx, uint64_t done, uint64_t of);
BAWN_MUST_CHECK int bawn_image_pull(struct bawn_moby *e, const char *name, bawn_image_tell_fn *tell, void *ctx, struct bawn_err *err);

/* `maker`: for whoever finds what a death in the middle of it leaves. */
struct bawn_maker;
BAWN_MUST_CHECK int bawn_image_find(struct bawn_moby *e, const char *name, const struct bawn_maker *maker, struct bawn_image *out, struct bawn_err *err);
