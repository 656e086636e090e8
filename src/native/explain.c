/* explain.c - for `bawn doctor`: each layer's state on this host, and the exact fix of what is missing. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "config.h"
#include "native/box.h"

/* A sysctl that, at this value, takes away user namespaces: from users without privilege, or from root too. */
static const struct { const char *path; char bad; bool root_too; const char *fix; } sysctl_row[] = {
	{ "/proc/sys/user/max_user_namespaces", '0', true, "sysctl -w user.max_user_namespaces=10000 (and in /etc/sysctl.d, to stay)" },
	{ "/proc/sys/kernel/unprivileged_userns_clone", '0', false,
	  "sysctl -w kernel.unprivileged_userns_clone=1 (and in /etc/sysctl.d, to stay); or run bawn as root" },
	{ "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", '1', false,
	  "give the launcher its AppArmor profile, which comes with 'make install': install -m 644 " BAWN_DATA "/apparmor/bawn-launch "
	  "/etc/apparmor.d/ && apparmor_parser -r /etc/apparmor.d/bawn-launch; or run bawn as root" },
};
#define CONTAINER_FIX \
	"in a container: docker run --cap-add SYS_ADMIN --cap-add NET_ADMIN --cap-add SYS_PTRACE --security-opt seccomp=unconfined " \
	"--security-opt apparmor=unconfined --security-opt systempaths=unconfined; Kubernetes: the same three capabilities, " \
	"seccompProfile Unconfined, procMount Unmasked; or run bawn on the host"

_Static_assert(sizeof CONTAINER_FIX <= sizeof ((struct bawn_probe_row *)0)->fix, "the fix is told whole");
#define UID_FIX \
	"set uids.first in sandbox.yaml to uids that are in /proc/self/uid_map and nobody's, or give the container more of them; or run bawn as another user than root"

static bool sysctl_is(const char *path, char bad)
{
	char text[16] = "";
	bawn_auto_fd fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd >= 0 && read(fd, text, sizeof text - 1) > 0 && text[0] == bad && text[1] == '\n';
}

/* Somebody put a system call filter on us: a container's runtime, as a rule. */
static bool filtered(void)
{
	bawn_auto_buf text = BAWN_BUF(16384);
	return bawn_read_file(AT_FDCWD, "/proc/self/status", &text, NULL) == 0 && strstr(text.p, "\nSeccomp:\t2") != NULL;
}

static bool maps(const char *path, uint32_t id)
{
	bawn_auto_buf text = BAWN_BUF(65536);
	if (bawn_read_file(AT_FDCWD, path, &text, NULL) < 0 || text.n == 0)
		return true;  /* nothing is known against it; the kernel's is never empty for root */
	for (char *save = NULL, *at = strtok_r(text.p, "\n", &save); at != NULL; at = strtok_r(NULL, "\n", &save)) {
		uint32_t first, n;
		if (sscanf(at, "%" SCNu32 " %*u %" SCNu32, &first, &n) == 2 && id >= first && id - first < n)
			return true;
	}
	return false;
}

bool bawn_explain_uid(const struct bawn_box *box, struct bawn_err *err)
{
	if (!box->root || (maps("/proc/self/uid_map", box->uid) && maps("/proc/self/gid_map", box->gid)))
		return false;
	(void)bawn_fail_as(err, BAWN_ERROR_ENFORCEMENT_MISSING, "uid", "there is no uid and gid %u in the user namespace that bawn is root of", box->uid);
	return true;
}

/* Why the kernel refuses, the surest reason first. */
static const char *kernel_fix(const struct bawn_box *box)
{
	const bool root = box->root;
	for (size_t i = 0; i < BAWN_LEN(sysctl_row); i++)
		if ((!root || sysctl_row[i].root_too) && sysctl_is(sysctl_row[i].path, sysctl_row[i].bad))
			return sysctl_row[i].fix;
	if (bawn_explain_uid(box, NULL))
		return UID_FIX;
	return root || filtered() ? CONTAINER_FIX : "run 'bawn doctor' as root to see what the kernel refuses to a user";
}

/* v1 directories can be given away; a v2 one is joined only from within (cgroup.c). */
static const char *cgroup_fix(const struct bawn_box *box)
{
	if (box->root)
		return "mount the memory, cpu and pids cgroup controllers writable (in a container: a private cgroup namespace, rw)";
	if (box->cg.n == 1 && box->cg.at[0].v2)
		return "start it in a cgroup of your own, with the cpu, memory and pids controllers: systemd-run --user --scope bawn ...; or run bawn as root";
	return "as root, below each of memory, cpu, cpuacct and pids in /sys/fs/cgroup: mkdir bawn && chown -R USER bawn; or run bawn as root";
}

static const char *fix_of(const struct bawn_box *box, enum bawn_layer layer)
{
	switch ((int)layer) {
	case BAWN_LAYER_CGROUP:
		return cgroup_fix(box);
	case BAWN_LAYER_UID:
		return box->root ? UID_FIX : "run bawn as root, or through a daemon under another uid";
	case BAWN_LAYER_LANDLOCK:
		return "a kernel of 5.13 or later with CONFIG_SECURITY_LANDLOCK and 'landlock' in the lsm= boot parameter";
	case BAWN_LAYER_SECCOMP:
		return "a kernel with CONFIG_SECCOMP_FILTER";
	case BAWN_LAYER_DENIAL_REPORTING:
		return "a kernel of 5.0 or later; a container runtime may forbid nested seccomp listeners";
	default:
		return kernel_fix(box);
	}
}

void bawn_explain(const struct bawn_box *box, const struct bawn_err *failure, struct bawn_probe *out)
{
	*out = (struct bawn_probe){ .usable = failure->code == 0 };
	for (int i = 0; i < BAWN_LAYER_COUNT; i++) {
		struct bawn_probe_row *row = &out->layer[i];
		if (box->layers & 1u << i) {
			row->state = BAWN_PROBE_ACTIVE;
			if (i == BAWN_LAYER_LANDLOCK)
				snprintf(row->detail, sizeof row->detail, "ABI %d", bawn_landlock_abi());
			continue;
		}
		bool absent = i == BAWN_LAYER_LANDLOCK && bawn_landlock_abi() == -ENOSYS;
		row->state = absent ? BAWN_PROBE_ABSENT : BAWN_PROBE_MISSING;
		const char *why = box->why[i][0] != '\0' ? box->why[i] : failure->code != 0 ? failure->msg : "not there";
		snprintf(row->detail, sizeof row->detail, "%.159s", why);
		/* Where the whole could not be built, a part that was not tried lacks what the whole does. */
		bool tried = failure->code == 0 || box->why[i][0] != '\0' || absent;
		snprintf(row->fix, sizeof row->fix, "%s", tried ? fix_of(box, (enum bawn_layer)i) : kernel_fix(box));
	}
	if (failure->code != 0)
		snprintf(out->summary, sizeof out->summary, "cannot build a sandbox: %.170s", failure->msg);
	else
		snprintf(out->summary, sizeof out->summary, box->root ? "with root: own uid, all namespaces%s"
		         : "rootless: user namespace of the caller%s", box->cg.up ? ", cgroups" : ", without cgroups");
}
