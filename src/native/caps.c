#include "native/caps.h"
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/cleanup.h"

int bawn_caps_bound(struct bawn_err *err)
{
	unsigned long cap = 0;
	while (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0)
		cap++;
	/* EINVAL: past the last one the kernel knows. */
	return errno == EINVAL && cap > CAP_AUDIT_READ ? 0 : bawn_fail(err, -errno, "drop capability %lu from the bounding set", cap);
}

int bawn_caps_raise(struct bawn_err *err)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };
	if (syscall(SYS_capget, &head, data) < 0)
		return bawn_fail(err, -errno, "read the capabilities");
	for (size_t i = 0; i < BAWN_LEN(data); i++)
		data[i].effective = data[i].permitted;
	if (syscall(SYS_capset, &head, data) < 0)
		return bawn_fail(err, -errno, "keep the capabilities");
	return 0;
}

int bawn_caps_clear(struct bawn_err *err)
{
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
		return bawn_fail(err, -errno, "clear the ambient capabilities");
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { { 0 } };
	if (syscall(SYS_capset, &head, none) < 0)
		return bawn_fail(err, -errno, "drop the capabilities");
	return 0;
}

int bawn_ids_set(uid_t uid, gid_t gid, bool groups, struct bawn_err *err)
{
	if ((groups && syscall(SYS_setgroups, 0, NULL) < 0) || syscall(SYS_setresgid, gid, gid, gid) < 0 ||
	    syscall(SYS_setresuid, uid, uid, uid) < 0)
		return bawn_fail(err, -errno, "take the run's uid");
	return 0;
}
