/* wire.h - one frame of any bytes through the decoders: what decodes must encode to the same bytes. */
#pragma once
#include <stdlib.h>
#include <string.h>
#include "ipc/ipc.h"
#include "sandbox/wire.h"

static void same(const struct bawn_ipc_in *before, const struct bawn_ipc_in *after, struct bawn_buf *again)
{
	if (bawn_ipc_in_end(after) && (bawn_buf_error(again) < 0 || again->n != before->n || memcmp(again->p, before->p, again->n) != 0))
		abort();
	bawn_buf_done(again);
}

static void wire_one(const char *data, size_t size)
{
	struct bawn_ipc_msg m = { 0 };
	if (bawn_ipc_parse(data, size, &m, NULL) < 0)
		return;
	const struct bawn_ipc_in before = m.in;
	struct bawn_buf b = BAWN_IPC_BUF;
#define ROUND(what, type) ROUND_BY(bawn_wire, what, type)
#define ROUND_BY(by, what, type) { \
		type v; \
		memset(&v, 0, sizeof v); \
		by##_get_##what(&m.in, &v); \
		if (bawn_ipc_in_end(&m.in)) { by##_put_##what(&b, &v); } \
		same(&before, &m.in, &b); \
		break; \
	}
	switch (m.type) {
	case BAWN_WIRE_PREPARE:
	case BAWN_WIRE_PROBE: ROUND(spec, struct bawn_sandbox_spec)
	case BAWN_WIRE_FAILED: ROUND_BY(bawn_ipc, err, struct bawn_err)
	case BAWN_WIRE_PREPARED: ROUND(enforcement, struct bawn_enforcement)
	case BAWN_WIRE_USAGE: ROUND(usage, struct bawn_usage)
	case BAWN_WIRE_DENIAL: ROUND(denial, struct bawn_denial)
	case BAWN_WIRE_OUTCOME: ROUND(outcome, struct bawn_sandbox_event)
	case BAWN_WIRE_PROBED: ROUND(probe, struct bawn_probe)
	default:
		for (int i = 0; i < 4; i++) {
			(void)bawn_ipc_get_text(&m.in, BAWN_WIRE_PATH);
			(void)bawn_ipc_get_bytes(&m.in, BAWN_WIRE_CHUNK);
			(void)bawn_ipc_get_u64(&m.in);
		}
	}
}
