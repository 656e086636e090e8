/* image.h - the image a container is made of: the user's, with our init in it.
 *
 * An image is named by tag or digest and resolved once to its id.  The init (docker/inside.c) is added in an image of its
 * own, made once for each pair of the two and found by its labels: nothing is run for that, no registry is asked. */
#pragma once
#include "docker/moby.h"

struct bawn_image { char id[80], base[80]; };  /* of what is run, and of what the user named: "sha256:..." */

BAWN_MUST_CHECK int bawn_image_find(struct bawn_moby *e, const char *name, struct bawn_image *out, struct bawn_err *err);
