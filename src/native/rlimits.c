/* rlimits.c - per-process limits: what cgroups do not count, a backstop for CPU time, and, where
 * there is no cgroup, what stands in for one. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include "base/cleanup.h"
#include "native/box.h"

/* RLIMIT_NPROC counts per user namespace since 5.14; before, it would count all the user's processes. */
static bool nproc_is_ours(void)
{
	struct utsname u;
	unsigned major = 0, minor = 0;
	return uname(&u) == 0 && sscanf(u.release, "%u.%u", &major, &minor) == 2 && (major > 5 || (major == 5 && minor >= 14));
}

/* Only ever down. */
static int lower(int which, rlim_t value, struct bawn_err *err)
{
	struct rlimit now;
	if (getrlimit((__rlimit_resource_t)which, &now) < 0)
		return bawn_fail(err, -errno, "read resource limit %d", which);
	rlim_t v = value < now.rlim_max ? value : now.rlim_max;
	return setrlimit((__rlimit_resource_t)which, &(struct rlimit){ v, v }) < 0 ? bawn_fail(err, -errno, "set resource limit %d", which) : 0;
}

int bawn_rlimits_files(const struct bawn_box *box, struct bawn_err *err) { return lower(RLIMIT_NOFILE, box->spec.limits.open_files, err); }

int bawn_rlimits_apply(const struct bawn_box *box, bool cgroup, struct bawn_err *err)
{
	const struct bawn_limits *l = &box->spec.limits;
	bool jit = box->spec.language == BAWN_LANG_JAVASCRIPT;
	const struct { int which; rlim_t value; bool apply; } row[] = {
		{ RLIMIT_CORE, 1, true },  /* 1, not 0: only 1 also keeps a core_pattern pipe of the host from being started */
		{ RLIMIT_FSIZE, l->disk_bytes + (1u << 20), true },  /* ENOSPC comes first; this bounds sparse files */
		{ RLIMIT_MEMLOCK, 0, true },
		{ RLIMIT_MSGQUEUE, 0, true },
		{ RLIMIT_SIGPENDING, 256, true },
		{ RLIMIT_STACK, 8u << 20, true },
		{ RLIMIT_NICE, 0, true },
		{ RLIMIT_RTPRIO, 0, true },
		{ RLIMIT_CPU, (l->cpu_ms + 999) / 1000 + 1, true },
		{ RLIMIT_NPROC, l->pids + 1, !cgroup && nproc_is_ours() },  /* init is one more */
		{ RLIMIT_DATA, l->memory_bytes, !cgroup },
		/* V8 reserves far more than it uses; so does malloc, an arena for each thread. */
		{ RLIMIT_AS, l->memory_bytes + (256u << 20) + l->pids * (64ull << 20), !cgroup && !jit },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		int r = row[i].apply ? lower(row[i].which, row[i].value, err) : 0;
		if (r < 0)
			return r;
	}
	return 0;
}
