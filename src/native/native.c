#include "native/native.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include "base/cleanup.h"
#include "base/num.h"
#include "native/cgroup.h"
#include "sandbox/peer.h"

/* A probe's number is its process's: over when that is dead. */
static bool is_dead_probe(const char *name)
{
	uint64_t slot;
	return strncmp(name, "slot-", 5) == 0 && bawn_parse_u64(bawn_span(name + 5), BAWN_PROBE_SLOTS, UINT32_MAX, &slot, NULL) == 0 &&
	       kill((pid_t)(slot - BAWN_PROBE_SLOTS), 0) < 0 && errno == ESRCH;
}

/* The slot a directory is named after: the number at its end, if its lock file here gives that very name. */
static unsigned sweep_dir(struct bawn_cgroups *cg, const char *name, int slots)
{
	char own[64];
	uint64_t slot;
	const char *dash = strrchr(name, '-');
	if (is_dead_probe(name))
		return bawn_cgroups_remove(cg, name) > 0;
	if (dash == NULL || bawn_parse_u64(bawn_span(dash + 1), 0, UINT32_MAX, &slot, NULL) < 0)
		return 0;
	bawn_auto_fd lock = openat(slots, dash + 1, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (lock < 0)
		return 0;  /* not of this run directory */
	bawn_cgroup_name((unsigned)slot, lock, own);
	if (strcmp(own, name) != 0 || flock(lock, LOCK_EX | LOCK_NB) < 0)
		return 0;
	return bawn_cgroups_remove(cg, name) > 0;
}

/* Processes die with their init; only directories can be left, and usually there is none: one look
 * per hierarchy. */
static int native_sweep(const char *run_dir, unsigned *out_n, struct bawn_err *err)
{
	char path[512];
	struct bawn_cgroups cg;
	unsigned n = 0;
	snprintf(path, sizeof path, "%s/slots", run_dir);
	bawn_auto_fd slots = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (slots < 0 && errno != ENOENT)
		return bawn_fail(err, -errno, "open '%s'", path);
	(void)!bawn_cgroups_find(&cg, NULL);  /* whatever hierarchies there are: what is not there holds nothing */
	for (size_t i = 0; slots >= 0 && i < cg.n; i++) {
		snprintf(path, sizeof path, "%s/" BAWN_CGROUP_PARENT, cg.at[i].mount);
		bawn_auto_dir d = opendir(path);
		for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL; )
			n += sweep_dir(&cg, e->d_name, slots);
	}
	*out_n = n;
	return 0;
}

static int native_probe(const struct bawn_sandbox_spec *spec, struct bawn_probe *out, struct bawn_err *err)
{
	struct bawn_sandbox *s = NULL;
	int r = bawn_peer_open(spec->launcher, &s, err);
	if (r == 0)
		r = bawn_peer_probe(s, spec, out, err);
	bawn_peer_release(s);
	return r;
}

const struct bawn_backend bawn_native_backend = {
	.name = "native", .id = BAWN_BACKEND_NATIVE, .open = bawn_peer_open, .probe = native_probe, BAWN_PEER_FUNCTIONS, .sweep = native_sweep,
};
