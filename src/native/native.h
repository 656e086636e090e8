/* native.h - the backend made of the host's own kernel: namespaces, seccomp, Landlock, cgroups.
 *
 * The client half lives in the library: it posix_spawns `launch` (one per run) and speaks ipc to it.
 * The walls are the launcher's; see native/box.h. */
#pragma once
#include "sandbox/sandbox.h"

extern const struct bawn_backend bawn_native_backend;
