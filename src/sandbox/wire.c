#include "sandbox/wire.h"
#include <stdio.h>

static const char *or_empty(const char *text) { return text != NULL ? text : ""; }

void bawn_wire_put_spec(struct bawn_buf *b, const struct bawn_sandbox_spec *s)
{
	bawn_ipc_put_text(b, s->id);
	bawn_ipc_put_u32(b, (uint32_t)s->language);
	bawn_ipc_put_text(b, s->interpreter);
	const uint64_t limits[] = { s->limits.cpus_milli, s->limits.memory_bytes, s->limits.timeout_ms, s->limits.cpu_ms,
		s->limits.pids, s->limits.disk_bytes, s->limits.inodes, s->limits.open_files, s->limits.output_bytes };
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		bawn_ipc_put_u64(b, limits[i]);
	bawn_ipc_put_u32(b, (uint32_t)s->network);
	bawn_ipc_put_text(b, or_empty(s->ca_file));
	for (int i = 0; i < BAWN_NET_FILE_COUNT; i++)
		bawn_ipc_put_text(b, or_empty(s->net_file[i]));
	bawn_ipc_put_text(b, or_empty(s->environment));
	bawn_ipc_put_u32(b, s->collect_files);
	bawn_ipc_put_u32(b, (uint32_t)s->on_violation);
	bawn_ipc_put_u64(b, s->sample_ms);
	bawn_ipc_put_u32(b, s->observe);
	bawn_ipc_put_u32(b, s->need);
	bawn_ipc_put_u32(b, s->slot);
	bawn_ipc_put_u64(b, s->uid);
	bawn_ipc_put_u32(b, s->without);
	bawn_ipc_put_text(b, or_empty(s->container.engine));
	bawn_ipc_put_text(b, or_empty(s->container.image));
	bawn_ipc_put_text(b, or_empty(s->container.runtime));
	bawn_ipc_put_u32(b, s->container.require_patched);
	bawn_ipc_put_text(b, or_empty(s->outside));
}

void bawn_wire_get_spec(struct bawn_ipc_in *in, struct bawn_sandbox_spec *out)
{
	out->id = bawn_ipc_get_text(in, BAWN_WIRE_ID);
	out->language = (enum bawn_language)bawn_ipc_get_below(in, BAWN_LANG_COUNT);
	out->interpreter = bawn_ipc_get_text(in, BAWN_WIRE_PATH);
	if (out->interpreter[0] != '/')
		in->bad = true;
	uint64_t *const limits[] = { &out->limits.cpus_milli, &out->limits.memory_bytes, &out->limits.timeout_ms,
		&out->limits.cpu_ms, &out->limits.pids, &out->limits.disk_bytes, &out->limits.inodes,
		&out->limits.open_files, &out->limits.output_bytes };
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
		*limits[i] = bawn_ipc_get_u64(in);
		if (*limits[i] > INT64_MAX / 1000)  /* room for every unit we convert to */
			in->bad = true;
	}
	_Static_assert(sizeof(struct bawn_limits) == 9 * sizeof(uint64_t), "every limit travels");
	out->network = (enum bawn_network)bawn_ipc_get_below(in, BAWN_NETWORK_COUNT);
	out->ca_file = bawn_ipc_get_text(in, 255);
	if (out->ca_file[0] != '/' && out->ca_file[0] != '\0')
		in->bad = true;
	for (int i = 0; i < BAWN_NET_FILE_COUNT; i++)
		out->net_file[i] = bawn_ipc_get_text(in, BAWN_NET_FILE_BYTES);
	out->environment = bawn_ipc_get_text(in, BAWN_ENV_PATH - 1);
	if (out->environment[0] != '/' && out->environment[0] != '\0')
		in->bad = true;
	out->collect_files = bawn_ipc_get_u32(in);
	out->on_violation = (enum bawn_violation)bawn_ipc_get_below(in, BAWN_VIOLATION_COUNT);
	out->sample_ms = bawn_ipc_get_u64(in);
	out->observe = bawn_ipc_get_below(in, 2);
	out->need = bawn_ipc_get_u32(in);
	out->slot = bawn_ipc_get_u32(in);
	out->uid = bawn_ipc_get_u64(in);
	if (out->uid >= UINT32_MAX)
		in->bad = true;
	out->without = bawn_ipc_get_u32(in);
	out->container.engine = bawn_ipc_get_text(in, 107);  /* of a Unix socket's address */
	out->container.image = bawn_ipc_get_text(in, BAWN_WIRE_ID * 8);
	out->container.runtime = bawn_ipc_get_text(in, BAWN_WIRE_ID);
	out->container.require_patched = bawn_ipc_get_below(in, 2);
	out->outside = bawn_ipc_get_text(in, 512);
	out->slot_fd = -1;
	out->launcher = "";
}

void bawn_wire_put_enforcement(struct bawn_buf *b, const struct bawn_enforcement *e)
{
	bawn_ipc_put_u32(b, e->layers);
	bawn_ipc_put_u32(b, e->missing);
	bawn_ipc_put_text(b, or_empty(e->container));
}

void bawn_wire_get_enforcement(struct bawn_ipc_in *in, struct bawn_enforcement *out)
{
	out->layers = bawn_ipc_get_below(in, 1u << BAWN_LAYER_COUNT);
	out->missing = bawn_ipc_get_below(in, 1u << BAWN_LAYER_COUNT);
	out->container = bawn_ipc_get_text(in, BAWN_WIRE_CONTAINER);
}

void bawn_wire_put_usage(struct bawn_buf *b, const struct bawn_usage *u)
{
	const uint64_t n[] = { u->wall_us, u->cpu_us, u->peak_memory_bytes, u->memory_bytes, u->pids, u->peak_pids,
		u->disk_bytes, u->samples };
	for (size_t i = 0; i < sizeof n / sizeof *n; i++)
		bawn_ipc_put_u64(b, n[i]);
	bawn_ipc_put_u32(b, (uint32_t)u->has_peak_pids | (uint32_t)u->has_memory << 1 | (uint32_t)u->has_cpu << 2);
}

void bawn_wire_get_usage(struct bawn_ipc_in *in, struct bawn_usage *out)
{
	uint64_t *const n[] = { &out->wall_us, &out->cpu_us, &out->peak_memory_bytes, &out->memory_bytes, &out->pids,
		&out->peak_pids, &out->disk_bytes, &out->samples };
	for (size_t i = 0; i < sizeof n / sizeof *n; i++)
		*n[i] = bawn_ipc_get_u64(in);
	uint32_t has = bawn_ipc_get_below(in, 8);
	out->has_peak_pids = has & 1;
	out->has_memory = has & 2;
	out->has_cpu = has & 4;
}

void bawn_wire_put_denial(struct bawn_buf *b, const struct bawn_denial *d)
{
	bawn_ipc_put_u32(b, (uint32_t)d->kind);
	bawn_ipc_put_text(b, d->what);
	bawn_ipc_put_u64(b, d->count);
	bawn_ipc_put_u32(b, (uint32_t)d->by);
	bawn_ipc_put_text(b, d->hint);
	bawn_ipc_put_u64(b, d->threshold);
	bawn_ipc_put_u64(b, d->actual);
}

void bawn_wire_get_denial(struct bawn_ipc_in *in, struct bawn_denial *out)
{
	out->kind = (enum bawn_denial_kind)bawn_ipc_get_below(in, BAWN_DENIAL_COUNT);
	bawn_ipc_copy_text(in, out->what, sizeof out->what);
	out->count = bawn_ipc_get_u64(in);
	out->by = (enum bawn_denied_by)bawn_ipc_get_below(in, BAWN_BY_COUNT);
	bawn_ipc_copy_text(in, out->hint, sizeof out->hint);
	out->threshold = bawn_ipc_get_u64(in);
	out->actual = bawn_ipc_get_u64(in);
}

void bawn_wire_put_outcome(struct bawn_buf *b, const struct bawn_sandbox_event *e)
{
	bawn_ipc_put_u32(b, (uint32_t)e->outcome.end);
	bawn_ipc_put_u32(b, (uint32_t)e->outcome.exit_code);
	bawn_ipc_put_u32(b, (uint32_t)e->outcome.signal);
	bawn_ipc_put_u32(b, (uint32_t)e->outcome.truncated[1] | (uint32_t)e->outcome.truncated[2] << 1);
	bawn_ipc_put_u64(b, e->outcome.threshold);
	bawn_ipc_put_u64(b, e->outcome.actual);
	bawn_wire_put_usage(b, &e->usage);
}

void bawn_wire_get_outcome(struct bawn_ipc_in *in, struct bawn_sandbox_event *out)
{
	out->outcome.end = (enum bawn_end)bawn_ipc_get_below(in, BAWN_END_COUNT);
	out->outcome.exit_code = (int)bawn_ipc_get_below(in, 256);
	out->outcome.signal = (int)bawn_ipc_get_below(in, 128);
	uint32_t cut = bawn_ipc_get_below(in, 4);
	out->outcome.truncated[1] = cut & 1;
	out->outcome.truncated[2] = cut & 2;
	out->outcome.threshold = bawn_ipc_get_u64(in);
	out->outcome.actual = bawn_ipc_get_u64(in);
	bawn_wire_get_usage(in, &out->usage);
}

void bawn_wire_put_probe(struct bawn_buf *b, const struct bawn_probe *p)
{
	bawn_ipc_put_u32(b, p->usable);
	bawn_ipc_put_text(b, p->summary);
	for (int i = 0; i < BAWN_LAYER_COUNT; i++) {
		bawn_ipc_put_u32(b, (uint32_t)p->layer[i].state);
		bawn_ipc_put_text(b, p->layer[i].detail);
		bawn_ipc_put_text(b, p->layer[i].fix);
	}
}

void bawn_wire_get_probe(struct bawn_ipc_in *in, struct bawn_probe *out)
{
	out->usable = bawn_ipc_get_below(in, 2);
	bawn_ipc_copy_text(in, out->summary, sizeof out->summary);
	for (int i = 0; i < BAWN_LAYER_COUNT; i++) {
		out->layer[i].state = (enum bawn_probe_state)bawn_ipc_get_below(in, BAWN_PROBE_ABSENT + 1);
		bawn_ipc_copy_text(in, out->layer[i].detail, sizeof out->layer[i].detail);
		bawn_ipc_copy_text(in, out->layer[i].fix, sizeof out->layer[i].fix);
	}
}
