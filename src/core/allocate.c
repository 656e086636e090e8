#include "core/allocate.h"
#include <inttypes.h>
#include "base/cleanup.h"
#include "base/num.h"

enum unit { UNIT_BYTES, UNIT_MS, UNIT_MILLI, UNIT_COUNT };

struct ctx { json_t *reasons; bool ok; };

static void put(struct bawn_buf *b, enum unit unit, uint64_t v)
{
	switch (unit) {
	case UNIT_BYTES: bawn_put_size(b, v); return;
	case UNIT_MS:    bawn_put_duration(b, v); return;
	case UNIT_MILLI: bawn_buf_fmt(b, "%" PRIu64 ".%03" PRIu64, v / 1000, v % 1000); return;
	case UNIT_COUNT: bawn_buf_fmt(b, "%" PRIu64, v); return;
	}
}

static void because(struct ctx *c, const char *name, enum unit unit, uint64_t from, uint64_t to, const char *why)
{
	bawn_auto_buf b = BAWN_BUF(400);
	bawn_buf_fmt(&b, "%s ", name);
	put(&b, unit, from);
	bawn_buf_str(&b, " -> ");
	put(&b, unit, to);
	bawn_buf_fmt(&b, ": %s", why);
	if (bawn_buf_error(&b) < 0)
		c->ok = false;
	else
		bawn_json_push(c->reasons, json_string(b.p), &c->ok);
}

static uint64_t scaled(uint64_t v, uint64_t milli)
{
	uint64_t big;
	return __builtin_mul_overflow(v, milli, &big) ? UINT64_MAX / 2 : big / 1000;
}

/* What differs between the five numbers that adapt; the steps are the same for all. */
struct row {
	const char *name;
	enum unit   unit;
	size_t      base, limit;     /* offsets in struct bawn_trust_base and struct bawn_limits */
	bool        grows;           /* with complexity */
	uint64_t    step;            /* in steps people can read */
};
#define BASE(f)  offsetof(struct bawn_trust_base, f)
#define LIMIT(f) offsetof(struct bawn_limits, f)
static const struct row row[] = {
	{ "cpus",      UNIT_MILLI, BASE(cpus_milli),   LIMIT(cpus_milli),   true,  100 },
	{ "memory",    UNIT_BYTES, BASE(memory_bytes), LIMIT(memory_bytes), true,  1u << 20 },
	{ "timeout",   UNIT_MS,    BASE(timeout_ms),   LIMIT(timeout_ms),   true,  100 },
	{ "processes", UNIT_COUNT, BASE(pids),         LIMIT(pids),         false, 1 },
	{ "disk",      UNIT_BYTES, BASE(disk_bytes),   LIMIT(disk_bytes),   false, 1 },
};

static uint64_t get(const void *p, size_t offset) { return *(const uint64_t *)(const void *)((const char *)p + offset); }
static void set(void *p, size_t offset, uint64_t v) { *(uint64_t *)(void *)((char *)p + offset) = v; }

static void lower(struct ctx *c, const struct row *r, uint64_t *v, uint64_t to, const char *why)
{
	if (*v <= to)
		return;
	because(c, r->name, r->unit, *v, to, why);
	*v = to;
}

static void allocate_row(const struct row *r, const struct bawn_policy *p, const struct bawn_allocate_in *in,
                         uint64_t factor_milli, struct ctx *c, struct bawn_limits *out)
{
	const struct bawn_trust_base *trust = &p->trust[in->trust];
	uint64_t v = get(trust, r->base), asked = get(&in->asked, r->limit);
	lower(c, r, &v, get(&p->resources, r->base), "resources in sandbox.yaml");
	if (r->grows && factor_milli > 1000) {
		uint64_t more = scaled(v, factor_milli);
		more -= more % r->step;
		if (more > v) {
			because(c, r->name, r->unit, v, more, "complexity of the code");
			v = more;
		}
	}
	if (asked != 0 && asked != v) {
		because(c, r->name, r->unit, v, asked, "asked by the caller");
		v = asked;
	}
	lower(c, r, &v, get(&p->dynamic_max, r->base), "dynamic.max in sandbox.yaml");
	set(out, r->limit, v);
}

static void host_memory(const struct bawn_policy *p, const struct bawn_allocate_in *in, struct ctx *c,
                        struct bawn_limits *out, bool *out_full)
{
	uint64_t share = scaled(in->available_bytes, p->host_share_milli[in->trust]) / (in->running + 1);
	uint64_t floor = bawn_language[in->language].floor_bytes;
	share &= ~UINT64_C(4095);
	*out_full = share < floor;
	lower(c, &row[1], &out->memory_bytes, share, in->running > 0 ? "share of the host's available memory among running executions"
	                                                              : "share of the host's available memory");
	if (out->memory_bytes < floor) {
		because(c, "memory", UNIT_BYTES, out->memory_bytes, floor, "the interpreter needs as much to start");
		out->memory_bytes = floor;
	}
}

int bawn_allocate(const struct bawn_policy *p, const struct bawn_allocate_in *in, struct bawn_limits *out,
                  bool *out_full, json_t **out_reasons, struct bawn_err *err)
{
	bawn_auto_json reasons = json_array();
	struct ctx c = { reasons, reasons != NULL };
	struct bawn_limits l = { 0 };
	bool full = false;
	uint64_t factor = 1000;
	if (p->max_factor_milli > 1000)
		factor += (p->max_factor_milli - 1000) * in->complexity_milli / 1000;
	for (size_t i = 0; c.ok && i < BAWN_LEN(row); i++)
		allocate_row(&row[i], p, in, factor, &c, &l);
	if (!c.ok)
		return bawn_fail(err, -ENOMEM, "allocate limits");
	l.memory_bytes &= ~UINT64_C(4095);  /* the kernel counts in pages */
	lower(&c, &row[0], &l.cpus_milli, in->host_cpus_milli, "the host has no more CPUs");
	if (l.cpus_milli < 10) {
		because(&c, "cpus", UNIT_MILLI, l.cpus_milli, 10, "the kernel counts no finer");
		l.cpus_milli = 10;
	}
	lower(&c, &row[2], &l.timeout_ms, p->max_execution_ms, "monitoring.max_execution_time in sandbox.yaml");
	host_memory(p, in, &c, &l, &full);
	lower(&c, &row[4], &l.disk_bytes, l.memory_bytes / 2, "the workspace lives in memory: at most half of it");
	l.cpu_ms = scaled(l.timeout_ms, l.cpus_milli);
	l.inodes = p->inodes;
	l.open_files = p->open_files;
	l.output_bytes = in->stream ? p->stream_output_bytes : p->output_bytes;
	if (!c.ok)
		return bawn_fail(err, -ENOMEM, "allocate limits");
	*out = l;
	*out_full = full;
	*out_reasons = bawn_steal(reasons);
	return 0;
}
