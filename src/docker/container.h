/* container.h - what a run's container is told to be, and whether it is.
 *
 * Every key that is sent is compared with what the engine says of the container before it is started: a default that is
 * weaker, a key an engine does not know, a value it changed, all mean that nothing runs. */
#pragma once
#include "docker/image.h"
#include "sandbox/sandbox.h"

/* Who made it, for whoever finds it later. */
struct bawn_maker { char slot[64], slots[48], by[80], boot[40]; };

/* The body of the request to create it.  `way`: path of the socket that is bound into it, the only thing that ever is; "":
 * nothing. */
BAWN_MUST_CHECK int bawn_container_config(const struct bawn_sandbox_spec *spec, const struct bawn_image *image, const struct bawn_maker *maker,
                                          const char *way, json_t **out, struct bawn_err *err);
/* enforcement_missing where `seen` (an engine's account of it) is not `config`. */
BAWN_MUST_CHECK int bawn_container_check(const json_t *config, const struct bawn_image *image, const json_t *seen, struct bawn_err *err);

/* Runtimes that are known to let code out, or that do not say whether they do: {name, version, cve} each, of the text of /version. */
BAWN_MUST_CHECK int bawn_versions_check(const json_t *version, const char *runtime, json_t **out_vulnerable, struct bawn_err *err);
