/* landlock.c - a second lock on the file system: read and execute anywhere inside, write only where
 * the tree is writable.  What each kernel adds is one row; numbers are spelled out because the build
 * machine's header may be older than the kernel. */
#include <fcntl.h>
#include <linux/landlock.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "base/cleanup.h"
#include "native/box.h"

#define FS_EXECUTE    (1ull << 0)
#define FS_WRITE_FILE (1ull << 1)
#define FS_READ_FILE  (1ull << 2)
#define FS_READ_DIR   (1ull << 3)
#define FS_MAKE_CHAR  (1ull << 6)
#define FS_MAKE_BLOCK (1ull << 11)
#define FS_REFER      (1ull << 13)
#define FS_TRUNCATE   (1ull << 14)
#define FS_IOCTL_DEV  (1ull << 15)
#define FS_V1         ((1ull << 13) - 1)
#define READ_EXEC     (FS_EXECUTE | FS_READ_FILE | FS_READ_DIR)
#define SCOPE_ABSTRACT_UNIX (1ull << 0)
#define SCOPE_SIGNAL        (1ull << 1)

/* What an ABI brings; without it that protection is left to the mount tree and the namespaces. */
static const struct { int abi; uint64_t fs, scoped; } step[] = {
	{ 1, FS_V1, 0 },
	{ 2, FS_REFER, 0 },
	{ 3, FS_TRUNCATE, 0 },
	{ 5, FS_IOCTL_DEV, 0 },
	{ 6, 0, SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL },
};
#define WRITABLE (FS_V1 & ~(FS_MAKE_CHAR | FS_MAKE_BLOCK))
#define DEVICE   (FS_READ_FILE | FS_WRITE_FILE)

struct ruleset_attr { uint64_t fs, net, scoped; };

int bawn_landlock_abi(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	return abi < 0 ? -errno : (int)abi;
}

static int allow(int set, const char *path, uint64_t what, struct bawn_err *err)
{
	bawn_auto_fd at = open(path, O_PATH | O_CLOEXEC);
	struct landlock_path_beneath_attr beneath = { .allowed_access = what, .parent_fd = at };
	if (at < 0 || syscall(SYS_landlock_add_rule, set, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) < 0)
		return bawn_fail(err, -errno, "allow '%s' in Landlock", path);
	return 0;
}

int bawn_landlock_apply(struct bawn_err *err)
{
	int abi = bawn_landlock_abi();
	if (abi < 1)
		return bawn_fail(err, abi < 0 ? abi : -ENOSYS, "ask for Landlock");
	struct ruleset_attr attr = { 0 };
	for (size_t i = 0; i < BAWN_LEN(step) && step[i].abi <= abi; i++) {
		attr.fs |= step[i].fs;
		attr.scoped |= step[i].scoped;
	}
	size_t size = abi >= 6 ? sizeof attr : abi >= 4 ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
	bawn_auto_fd set = (int)syscall(SYS_landlock_create_ruleset, &attr, size, 0);
	if (set < 0)
		return bawn_fail(err, -errno, "make a Landlock ruleset");
	int r = allow(set, "/", READ_EXEC & attr.fs, err);
	for (size_t i = 0; r == 0 && i < bawn_writable_count; i++)
		r = allow(set, bawn_writable[i].path, ((bawn_writable[i].dir ? WRITABLE | FS_REFER : DEVICE) | FS_TRUNCATE) & attr.fs, err);
	if (r < 0)
		return r;
	if (syscall(SYS_landlock_restrict_self, set, 0) < 0)
		return bawn_fail(err, -errno, "apply Landlock");
	return 0;
}
