/* docker.h - the backend made of containers: the same request, limits, log and result, an engine's walls.
 *
 * The client half lives in the library and is that of every backend (sandbox/peer.h); its launcher, libexec/bawn/docker,
 * speaks to the engine (docker/manager.h). */
#pragma once
#include "sandbox/sandbox.h"

extern const struct bawn_backend bawn_docker_backend;
