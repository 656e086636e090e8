/* explain.c - for `bawn doctor`: each layer's state on this host, and the exact fix of what is missing. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"
#include "native/box.h"

/* A sysctl that, at this value, takes away user namespaces. */
static const struct { const char *path; char bad; const char *fix; } sysctl_row[] = {
	{ "/proc/sys/kernel/unprivileged_userns_clone", '0', "sysctl -w kernel.unprivileged_userns_clone=1" },
	{ "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", '1',
	  "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile with 'userns,' for libexec/bawn/launch" },
	{ "/proc/sys/user/max_user_namespaces", '0', "sysctl -w user.max_user_namespaces=10000" },
};

static const char *namespace_fix(bool root)
{
	for (size_t i = 0; i < BAWN_LEN(sysctl_row); i++) {
		char text[16] = "";
		bawn_auto_fd fd = open(sysctl_row[i].path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0 && read(fd, text, sizeof text - 1) > 0 && text[0] == sysctl_row[i].bad && text[1] == '\n')
			return sysctl_row[i].fix;
	}
	return root ? "this looks like a container: run it with CAP_SYS_ADMIN (docker run --cap-add SYS_ADMIN --security-opt "
	              "apparmor=unconfined --security-opt seccomp=unconfined) or use the docker backend from the host"
	            : "run as root once with 'bawn doctor' to see what the kernel refuses";
}

static const char *fix_of(const struct bawn_box *box, enum bawn_layer layer)
{
	switch ((int)layer) {
	case BAWN_LAYER_CGROUP:
		return box->root ? "mount the memory, cpu and pids cgroup controllers writable (in a container: a private cgroup namespace, rw)"
		                 : "as root, in each cgroup hierarchy: mkdir /sys/fs/cgroup/bawn && chown -R USER /sys/fs/cgroup/bawn "
		                   "(v1: below memory, cpu, cpuacct and pids); or run bawn as root";
	case BAWN_LAYER_UID:
		return box->root ? "set uid_first in sandbox.yaml to a free range" : "run bawn as root, or through a daemon under another uid";
	case BAWN_LAYER_LANDLOCK:
		return "a kernel of 5.13 or later with CONFIG_SECURITY_LANDLOCK and 'landlock' in the lsm= boot parameter";
	case BAWN_LAYER_SECCOMP:
		return "a kernel with CONFIG_SECCOMP_FILTER";
	case BAWN_LAYER_DENIAL_REPORTING:
		return "a kernel of 5.0 or later; a container runtime may forbid nested seccomp listeners";
	default:
		return namespace_fix(box->root);
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
		snprintf(row->fix, sizeof row->fix, "%s", fix_of(box, (enum bawn_layer)i));
	}
	if (failure->code != 0)
		snprintf(out->summary, sizeof out->summary, "cannot build a sandbox: %.170s", failure->msg);
	else
		snprintf(out->summary, sizeof out->summary, box->root ? "with root: own uid, all namespaces%s"
		         : "rootless: user namespace of the caller%s", box->cg.up ? ", cgroups" : ", without cgroups");
}
