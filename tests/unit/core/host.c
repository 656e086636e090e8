/* host.c - available memory is the least of the host's and every enclosing cgroup's. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "core/host.h"
#include "tap.h"
#include "tmpdir.h"

static void put(const struct tmpdir *d, const char *path, const char *text)
{
	char full[300];
	snprintf(full, sizeof full, "%s%s", d->path, path);
	char *slash = strrchr(full, '/');
	*slash = '\0';
	(void)!bawn_make_dirs(full, 0755, NULL);
	*slash = '/';
	(void)!bawn_replace_file(AT_FDCWD, full, bawn_span(text), 0644, NULL);
}

static uint64_t available(const struct tmpdir *d)
{
	struct bawn_host h;
	return bawn_host_read(d->path, &h, NULL) == 0 ? h.memory_available : 0;
}

int main(void)
{
	auto_tmpdir d = tmpdir_make();
	struct bawn_host h;
	ok(bawn_host_read(d.path, &h, NULL) < 0, "no /proc is an error, not a guess");
	put(&d, "/proc/meminfo", "MemTotal:       2048 kB\nMemFree: 1 kB\nMemAvailable:   1024 kB\n");
	ok(available(&d) == 1024 * 1024, "without cgroups the host decides");
	put(&d, "/proc/self/mountinfo", "30 1 0:1 / /cg/memory rw - cgroup cgroup rw,memory\n31 1 0:2 / /cg/u rw - cgroup2 cgroup2 rw\n");
	put(&d, "/proc/self/cgroup", "4:memory:/a/b\n0::/x\n");
	put(&d, "/cg/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
	put(&d, "/cg/memory/a/b/memory.usage_in_bytes", "1000\n");
	ok(available(&d) == 1024 * 1024, "an unlimited cgroup changes nothing");
	put(&d, "/cg/memory/a/memory.limit_in_bytes", "500000\n");
	put(&d, "/cg/memory/a/memory.usage_in_bytes", "300000\n");
	put(&d, "/cg/memory/a/memory.stat", "cache 1\ntotal_inactive_file 100000\n");
	ok(available(&d) == 300000, "a limited ancestor counts, with what can be reclaimed");
	put(&d, "/cg/u/x/memory.max", "150000\n");
	put(&d, "/cg/u/x/memory.current", "50000\n");
	put(&d, "/cg/u/x/memory.stat", "anon 1\ninactive_file 20000\n");
	ok(available(&d) == 120000, "and so does cgroup v2");
	put(&d, "/cg/u/x/memory.max", "max\n");
	ok(available(&d) == 300000, "'max' is no limit");
	put(&d, "/cg/u/x/memory.max", "10\n");
	ok(available(&d) == 0, "a full cgroup has nothing left");
	ok(bawn_host_read("", &h, NULL) == 0 && h.memory_total > h.memory_available && h.cpus_milli >= 1000, "this host answers");
	return done_testing();
}
