#include "egress/wire.h"
#include <stdint.h>

void bawn_egress_put_start(struct bawn_buf *b, const struct bawn_egress_start *s)
{
	const struct bawn_net_limits *l = &s->limits;
	const uint64_t n[] = { l->sent_bytes, l->received_bytes, l->connections, l->at_once, l->connect_ms, l->head_ms, l->idle_ms };
	_Static_assert(sizeof n == sizeof *l, "every limit travels");
	for (size_t i = 0; i < sizeof n / sizeof *n; i++)
		bawn_ipc_put_u64(b, n[i]);
	bawn_ipc_put_text(b, s->credential);
	bawn_ipc_put_u64(b, s->uid);
	bawn_ipc_put_u64(b, s->cpu_s);
}

void bawn_egress_get_start(struct bawn_ipc_in *in, struct bawn_egress_start *out)
{
	struct bawn_net_limits *l = &out->limits;
	uint64_t *const n[] = { &l->sent_bytes, &l->received_bytes, &l->connections, &l->at_once, &l->connect_ms, &l->head_ms, &l->idle_ms };
	for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
		*n[i] = bawn_ipc_get_u64(in);
		if (*n[i] > INT64_MAX / 1000)
			in->bad = true;
	}
	out->credential = bawn_ipc_get_text(in, BAWN_EGRESS_CREDENTIAL);
	out->uid = bawn_ipc_get_u64(in);
	out->cpu_s = bawn_ipc_get_u64(in);
	if (out->uid >= UINT32_MAX || out->cpu_s == 0 || out->cpu_s > UINT32_MAX || l->at_once == 0 || l->at_once > 256 || out->credential[0] == '\0')
		in->bad = true;
}

void bawn_egress_put_host(struct bawn_buf *b, const struct bawn_egress_host *h)
{
	const uint64_t n[] = { h->connections, h->failed, h->sent_bytes, h->received_bytes };
	bawn_ipc_put_text(b, h->host);
	bawn_ipc_put_u32(b, h->plain);
	for (size_t i = 0; i < sizeof n / sizeof *n; i++)
		bawn_ipc_put_u64(b, n[i]);
}

void bawn_egress_get_host(struct bawn_ipc_in *in, struct bawn_egress_host *out)
{
	uint64_t *const n[] = { &out->connections, &out->failed, &out->sent_bytes, &out->received_bytes };
	bawn_ipc_copy_text(in, out->host, sizeof out->host);
	out->plain = bawn_ipc_get_below(in, 2);
	for (size_t i = 0; i < sizeof n / sizeof *n; i++)
		*n[i] = bawn_ipc_get_u64(in);
}

void bawn_egress_put_denied(struct bawn_buf *b, const struct bawn_egress_denied *d)
{
	bawn_ipc_put_u32(b, (uint32_t)d->why);
	bawn_ipc_put_text(b, d->what);
	bawn_ipc_put_u64(b, d->count);
	bawn_ipc_put_u64(b, d->threshold);
	bawn_ipc_put_u64(b, d->actual);
}

void bawn_egress_get_denied(struct bawn_ipc_in *in, struct bawn_egress_denied *out)
{
	out->why = (enum bawn_deny)bawn_ipc_get_below(in, BAWN_DENY_COUNT);
	bawn_ipc_copy_text(in, out->what, sizeof out->what);
	out->count = bawn_ipc_get_u64(in);
	out->threshold = bawn_ipc_get_u64(in);
	out->actual = bawn_ipc_get_u64(in);
}
