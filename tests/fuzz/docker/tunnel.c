/* tunnel.c - libFuzzer target for what comes out of a container: the engine's framing, and the messages in it. */
#include <stdlib.h>
#include "docker/mux.h"
#include "docker/tunnel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bawn_span rest = { (const char *)data, size }, piece;
	struct bawn_mux mux = { 0 };
	struct bawn_tunnel t;
	int stream, r = 0;
	if (bawn_tunnel_init(&t, 65536, NULL) < 0)
		return 0;
	while (r >= 0 && (stream = bawn_mux_next(&mux, &rest, &piece)) > 0) {
		struct bawn_ipc_msg m;
		while (stream == 1 && (r = bawn_tunnel_feed(&t, &piece, &m, NULL)) > 0) {
			if (m.in.n > BAWN_IPC_MAX || m.n_fds > BAWN_IPC_FDS)
				abort();
			bawn_ipc_msg_done(&m);
		}
	}
	bawn_tunnel_done(&t);
	return 0;
}
