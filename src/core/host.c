#include "core/host.h"
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/file.h"

static int slurp(const char *root, const char *path, struct bawn_buf *out)
{
	char full[1400];
	int n = snprintf(full, sizeof full, "%s%s", root, path);
	if (n < 0 || (size_t)n >= sizeof full)
		return -ENAMETOOLONG;
	bawn_buf_reset(out);
	return bawn_read_file(AT_FDCWD, full, out, NULL);
}

/* The number after `name` at the start of a line; false when there is none ("max", absent). */
static bool number_after(const char *text, const char *name, uint64_t *out)
{
	size_t n = strlen(name);
	for (const char *at = text; at != NULL; at = strchr(at, '\n'), at = at != NULL ? at + 1 : NULL) {
		if (strncmp(at, name, n) != 0)
			continue;
		char *end;
		errno = 0;
		unsigned long long v = strtoull(at + n, &end, 10);
		if (end == at + n || errno != 0)
			return false;
		*out = v;
		return true;
	}
	return false;
}

/* The files that say how full a memory cgroup is, by version. */
static const struct flavour { const char *max, *used, *stat_key; } flavour[] = {
	{ "memory.max",            "memory.current",        "inactive_file " },
	{ "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file " },
};

/* A limit of at least what the host has limits nothing: the rest is not looked at. */
static uint64_t room_in(const char *root, const char *dir, const struct flavour *f, uint64_t total)
{
	bawn_auto_buf text = BAWN_BUF(65536);
	char path[1300];
	uint64_t max, used, cache = 0;
	snprintf(path, sizeof path, "%s/%s", dir, f->max);
	if (slurp(root, path, &text) < 0 || !number_after(text.p, "", &max) || max >= total)
		return UINT64_MAX;  /* the root cgroup has no limit file, and "max" is no number */
	snprintf(path, sizeof path, "%s/%s", dir, f->used);
	if (slurp(root, path, &text) < 0 || !number_after(text.p, "", &used))
		return UINT64_MAX;
	snprintf(path, sizeof path, "%s/memory.stat", dir);
	if (slurp(root, path, &text) == 0)
		(void)number_after(text.p, f->stat_key, &cache);  /* absent: nothing can be reclaimed */
	used = used > cache ? used - cache : 0;
	return max > used ? max - used : 0;
}

/* Walks from the own cgroup up to the mount's root and keeps the tightest. */
static uint64_t room_up(const char *root, const char *mount, const char *own, const struct flavour *f, uint64_t total)
{
	uint64_t least = UINT64_MAX;
	char path[1200];
	int n = snprintf(path, sizeof path, "%s%s", mount, strcmp(own, "/") == 0 ? "" : own);
	if (n < 0 || (size_t)n >= sizeof path)
		return least;
	for (size_t keep = strlen(mount); ; ) {
		uint64_t room = room_in(root, path, f, total);
		least = room < least ? room : least;
		char *slash = strrchr(path, '/');
		if (slash == NULL || (size_t)(slash - path) < keep)
			return least;
		*slash = '\0';
	}
}

static const char *in_line(const char *line, const char *what)
{
	return memmem(line, strcspn(line, "\n"), what, strlen(what));
}

/* Where the memory controller is mounted: v1 by its super option, v2 by its type. */
static bool find_mount(const char *mountinfo, bool v2, char out[static 512])
{
	for (const char *line = mountinfo; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *sep = in_line(line, " - ");
		if (sep == NULL || strncmp(sep + 3, v2 ? "cgroup2 " : "cgroup ", v2 ? 8 : 7) != 0)
			continue;
		if (!v2 && in_line(sep, ",memory") == NULL && in_line(sep, " memory") == NULL)
			continue;
		if (sscanf(line, "%*s %*s %*s %*s %511s", out) == 1)
			return true;
	}
	return false;
}

/* The own path in that hierarchy, from /proc/self/cgroup ("4:memory:/x", "0::/x"). */
static bool own_path(const char *cgroups, bool v2, char out[static 600])
{
	for (const char *line = cgroups; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *names = in_line(line, ":"), *path = names != NULL ? in_line(names + 1, ":") : NULL;
		if (path == NULL)
			continue;
		size_t n = (size_t)(path - names) - 1;
		if (v2 ? n == 0 : memmem(names + 1, n, "memory", strlen("memory")) != NULL) {
			snprintf(out, 600, "%.*s", (int)strcspn(path + 1, "\n"), path + 1);
			return true;
		}
	}
	return false;
}

static uint64_t cgroup_room(const char *root, uint64_t total)
{
	uint64_t least = UINT64_MAX;
	bawn_auto_buf mounts = BAWN_BUF(1u << 20), cgroups = BAWN_BUF(65536);
	if (slurp(root, "/proc/self/mountinfo", &mounts) < 0 || slurp(root, "/proc/self/cgroup", &cgroups) < 0)
		return least;
	for (int v2 = 0; v2 < 2; v2++) {
		char mount[512], own[600];
		if (!find_mount(mounts.p, v2 != 0, mount) || !own_path(cgroups.p, v2 != 0, own))
			continue;
		uint64_t room = room_up(root, mount, own, &flavour[v2 != 0 ? 0 : 1], total);
		least = room < least ? room : least;
	}
	return least;
}

int bawn_host_read(const char *root, struct bawn_host *out, struct bawn_err *err)
{
	bawn_auto_buf text = BAWN_BUF(65536);
	int r = slurp(root, "/proc/meminfo", &text);
	uint64_t total, available;
	if (r < 0 || !number_after(text.p, "MemTotal:", &total) || !number_after(text.p, "MemAvailable:", &available))
		return bawn_fail(err, r < 0 ? r : -EPROTO, "read how much memory the host has");
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof set, &set) < 0)
		return bawn_fail(err, -errno, "count the CPUs");
	total *= 1024;
	available *= 1024;
	uint64_t room = cgroup_room(root, total);
	*out = (struct bawn_host){
		.cpus_milli = (uint64_t)CPU_COUNT(&set) * 1000,
		.memory_total = total,
		.memory_available = room < available ? room : available,
	};
	return 0;
}
