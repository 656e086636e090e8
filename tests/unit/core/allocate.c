/* allocate.c - how limits follow from code, trust and host. */
#include <string.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "core/allocate.h"
#include "tap.h"
#include "tmpdir.h"

static struct bawn_policy *policy;
static const struct bawn_allocate_in plain = { .trust = BAWN_TRUST_TRUSTED, .language = BAWN_LANG_PYTHON, .lines = 1,
	.host_cpus_milli = 8000, .available_bytes = 64ull << 30 };

static struct bawn_limits limits_of(struct bawn_allocate_in in, bool *full, const char *reason)
{
	struct bawn_limits l = { 0 };
	bool f;
	bawn_auto_json reasons = NULL;
	if (bawn_allocate(policy, &in, &l, &f, &reasons, NULL) < 0)
		return l;
	if (full != NULL)
		*full = f;
	size_t i;
	json_t *r;
	bool found = reason == NULL;
	json_array_foreach(reasons, i, r)
		found = found || strstr(json_string_value(r), reason) != NULL;
	if (!found)
		memset(&l, 0, sizeof l);
	return l;
}

int main(void)
{
	struct bawn_policy_dirs none = { 0 };
	if (bawn_policy_load(&none, &policy, NULL, NULL) < 0)
		return ok(false, "the defaults load"), done_testing();

	static const struct { enum bawn_trust trust; uint64_t cpus, mem, time, pids, disk; } table[] = {
		{ BAWN_TRUST_TRUSTED,   2000, 1ull << 30,   120000, 100, 256u << 20 },
		{ BAWN_TRUST_STANDARD,  1000, 512u << 20,    60000,  64, 128u << 20 },
		{ BAWN_TRUST_UNTRUSTED, 1000, 256u << 20,    30000,  32,  96u << 20 },
		{ BAWN_TRUST_UNKNOWN,   1000, 256u << 20,    15000,  25,  96u << 20 },
	};
	for (size_t i = 0; i < BAWN_LEN(table); i++) {
		struct bawn_allocate_in in = plain;
		in.trust = table[i].trust;
		struct bawn_limits l = limits_of(in, NULL, NULL);
		ok(l.cpus_milli == table[i].cpus && l.memory_bytes == table[i].mem && l.timeout_ms == table[i].time &&
		   l.pids == table[i].pids && l.disk_bytes == table[i].disk, "the base of %s", bawn_word(&bawn_trust_words, (int)table[i].trust));
		ok(l.cpu_ms == l.timeout_ms * l.cpus_milli / 1000 && l.inodes == 16384 && l.open_files == 256 && l.output_bytes == 1u << 20,
		   "cpu time is timeout x cpus; inodes, files and output as shipped");
	}

	struct bawn_allocate_in in = plain;
	struct bawn_limits a = limits_of(plain, NULL, NULL), b;
	in.complexity_milli = 500;
	b = limits_of(in, NULL, "complex");
	ok(b.memory_bytes > a.memory_bytes && b.timeout_ms > a.timeout_ms && b.cpus_milli > a.cpus_milli, "complex code gets more");
	in.complexity_milli = 1000;
	b = limits_of(in, NULL, NULL);
	ok(b.memory_bytes == 2ull << 30 && b.timeout_ms == 240000 && b.cpus_milli == 4000 && b.pids == a.pids, "at most twice as much, and the same processes");

	in = plain;
	in.available_bytes = 1ull << 30;
	b = limits_of(in, NULL, "share of the host");
	ok(b.memory_bytes > 0 && b.memory_bytes <= (1ull << 30) * 3 / 10, "little memory available: less of it");
	ok(b.disk_bytes <= b.memory_bytes / 2, "the workspace stays within half the memory");
	in = plain;
	in.running = 20;
	in.available_bytes = 20ull << 30;
	b = limits_of(in, NULL, "running executions");
	ok(b.memory_bytes > 0 && b.memory_bytes <= (20ull << 30) * 3 / 10 / 21 && b.memory_bytes < a.memory_bytes, "twenty others: a share among them");
	in = plain;
	in.host_cpus_milli = 1000;
	ok(limits_of(in, NULL, "CPUs").cpus_milli == 1000, "never more CPUs than there are");

	bool full = false;
	in = plain;
	in.available_bytes = 64u << 20;
	b = limits_of(in, &full, "interpreter");
	ok(full && b.memory_bytes == bawn_language[BAWN_LANG_PYTHON].floor_bytes, "below what the interpreter needs the host is full");
	(void)limits_of(plain, &full, NULL);
	ok(!full, "an empty host is not full");

	in = plain;
	in.asked.memory_bytes = 100u << 20;
	in.asked.timeout_ms = 5000;
	in.asked.pids = 3;
	b = limits_of(in, NULL, "asked");
	ok(b.memory_bytes == 100u << 20 && b.timeout_ms == 5000 && b.pids == 3, "callers may ask for less");
	in.asked.memory_bytes = 1500u << 20;
	ok(limits_of(in, NULL, NULL).memory_bytes == 1500u << 20, "or for more");
	in.asked.memory_bytes = 64ull << 30;
	in.asked.timeout_ms = 86400000;
	b = limits_of(in, NULL, "dynamic.max");
	ok(b.memory_bytes == 2ull << 30 && b.timeout_ms == 300000, "up to the policy's ceiling");
	in.asked.memory_bytes = 1;
	ok(limits_of(in, NULL, "interpreter").memory_bytes == bawn_language[BAWN_LANG_PYTHON].floor_bytes, "never below what an interpreter needs");
	in = plain;
	in.stream = true;
	ok(limits_of(in, NULL, NULL).output_bytes == 64u << 20, "streamed output has the larger cap");
	bawn_policy_free(policy);

	auto_tmpdir d = tmpdir_make();
	(void)!bawn_replace_file(d.fd, "sandbox.yaml", bawn_span("resources: {timeout: 10, mem_limit: 128m}\n"), 0644, NULL);
	struct bawn_policy_dirs tight = { .explicit_ = d.path };
	if (!ok(bawn_policy_load(&tight, &policy, NULL, NULL) == 0, "a tighter policy loads"))
		return done_testing();
	in = plain;
	in.asked.timeout_ms = 200000;
	in.asked.memory_bytes = 1u << 30;
	b = limits_of(in, NULL, NULL);
	ok(b.timeout_ms == 20000 && b.memory_bytes == 256u << 20, "tightened resources bound what is asked for: at most max_factor times");
	bawn_policy_free(policy);
	return done_testing();
}
