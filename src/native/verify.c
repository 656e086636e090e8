/* verify.c - which walls stand, read from the kernel's own account of the waiting program.
 *
 * A layer counts only if its fact was read; what could not be read counts as missing. */
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "native/box.h"

static void stands(struct bawn_box *box, enum bawn_layer layer, bool good, const char *otherwise)
{
	if (good)
		box->layers |= 1u << layer;
	else if (box->why[layer][0] == '\0')
		bawn_box_lacks(box, layer, "%s", otherwise);
}

static void check_namespace(struct bawn_box *box, enum bawn_layer layer, const char *file, int self, int proc)
{
	struct stat ours, theirs;
	bool seen = fstatat(self, file, &ours, 0) == 0 && fstatat(proc, file, &theirs, 0) == 0;
	stands(box, layer, seen && (ours.st_ino != theirs.st_ino || ours.st_dev != theirs.st_dev),
	       seen ? "the program shares the host's namespace" : "which namespace the program is in cannot be read (root needs CAP_SYS_PTRACE for that)");
}

/* The rest of the line that starts with `key`, or "". */
static const char *line(const char *text, const char *key)
{
	size_t n = strlen(key);
	for (const char *at = text; at != NULL && *at != '\0'; at = strchr(at, '\n'), at += at != NULL)
		if (strncmp(at, key, n) == 0)
			return at + n;
	return "";
}

static void check_status(struct bawn_box *box, const char *text)
{
	static const char *const cap[] = { "CapInh:\t", "CapPrm:\t", "CapEff:\t", "CapBnd:\t", "CapAmb:\t" };
	bool none = true;
	for (size_t i = 0; i < BAWN_LEN(cap); i++)
		none = none && strncmp(line(text, cap[i]), "0000000000000000\n", 17) == 0;
	stands(box, BAWN_LAYER_NO_CAPS, none, "the program holds capabilities");
	stands(box, BAWN_LAYER_NO_NEW_PRIVS, line(text, "NoNewPrivs:\t")[0] == '1', "no_new_privs is not set");
	stands(box, BAWN_LAYER_SECCOMP, line(text, "Seccomp:\t")[0] == '2', "no system call filter is loaded");
	unsigned uid[4] = { 0 }, gid[4] = { 0 };
	bool own = box->root && sscanf(line(text, "Uid:"), "%u %u %u %u", &uid[0], &uid[1], &uid[2], &uid[3]) == 4 &&
	           sscanf(line(text, "Gid:"), "%u %u %u %u", &gid[0], &gid[1], &gid[2], &gid[3]) == 4;
	for (int i = 0; i < 4; i++)
		own = own && uid[i] == box->uid && gid[i] == box->gid;
	stands(box, BAWN_LAYER_UID, own, box->root ? "the program does not run under its own uid"
	                                           : "without root the code runs under the caller's uid, in a user namespace");
}

/* "Max core file size        0                    0                    bytes" */
static void check_limits(struct bawn_box *box, const char *text)
{
	uint64_t core = UINT64_MAX, files = UINT64_MAX;
	bool got = sscanf(line(text, "Max core file size"), "%" SCNu64, &core) == 1 &&
	           sscanf(line(text, "Max open files"), "%" SCNu64, &files) == 1;
	stands(box, BAWN_LAYER_RLIMITS, got && core <= 1 && files <= box->spec.limits.open_files, "resource limits are not set");
}

static bool is_ro(int proc, const struct bawn_box *box)
{
	static const char *const path[] = { "root/", "root/usr/", "root/code/", "root/etc/" };
	bool ro = true;
	for (size_t i = 0; i < BAWN_LEN(path); i++) {
		struct statvfs v;
		bawn_auto_fd fd = openat(proc, path[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
		ro = ro && fd >= 0 && fstatvfs(fd, &v) == 0 && (v.f_flag & ST_RDONLY) != 0;
	}
	if (box->spec.environment != NULL && box->spec.environment[0] != '\0') {  /* that it came in at all, and how */
		const unsigned long want = ST_RDONLY | ST_NOSUID | ST_NODEV;
		struct statvfs v;
		bawn_auto_fd fd = openat(proc, "root" BAWN_ENV_PLACE "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
		ro = ro && fd >= 0 && fstatvfs(fd, &v) == 0 && (v.f_flag & want) == want;
	}
	return ro;
}

static int read_proc(int dir, const char *file, struct bawn_buf *out, struct bawn_err *err)
{
	bawn_buf_reset(out);
	return bawn_read_file(dir, file, out, err);
}

static int open_proc(const char *path, struct bawn_err *err)
{
	struct statfs fs;
	bawn_auto_fd dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 || fstatfs(dir, &fs) < 0 || fs.f_type != PROC_SUPER_MAGIC)
		return bawn_fail(err, -ENOENT, "read the program's state from /proc");
	return bawn_take_fd(&dir);
}

static int open_program(const struct bawn_box *box, struct bawn_err *err)
{
	char path[32];
	snprintf(path, sizeof path, "/proc/%d", box->pid);
	return open_proc(path, err);
}

/* Ours and the program's directories. */
static int open_both(const struct bawn_box *box, int *out_self, int *out_proc, struct bawn_err *err)
{
	*out_self = open_proc("/proc/self", err);
	*out_proc = *out_self < 0 ? *out_self : open_program(box, err);
	return *out_proc < 0 ? *out_proc : 0;
}

int bawn_verify_joined(struct bawn_box *box, struct bawn_err *err)
{
	static const struct { enum bawn_layer layer; const char *file; } ns[] = {
		{ BAWN_LAYER_MOUNTNS, "ns/mnt" }, { BAWN_LAYER_PIDNS, "ns/pid" }, { BAWN_LAYER_NETNS, "ns/net" },
		{ BAWN_LAYER_IPCNS, "ns/ipc" }, { BAWN_LAYER_UTSNS, "ns/uts" }, { BAWN_LAYER_CGROUPNS, "ns/cgroup" },
	};
	bawn_auto_fd self = -1, proc = -1;
	int r = open_both(box, &self, &proc, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < BAWN_LEN(ns); i++)
		check_namespace(box, ns[i].layer, ns[i].file, self, proc);
	box->mounts = openat(proc, "ns/mnt", O_RDONLY | O_CLOEXEC);
	stands(box, BAWN_LAYER_CGROUP, box->cg.up && bawn_cgroups_confirm(&box->cg, box->pid, NULL) == 0,
	       "the program is not in its cgroup");
	return 0;
}

int bawn_verify_power(struct bawn_box *box, struct bawn_err *err)
{
	bawn_auto_buf text = BAWN_BUF(16384);
	bawn_auto_fd self = -1, proc = -1;
	int r = open_both(box, &self, &proc, err);
	if (r < 0)
		return r;
	check_namespace(box, BAWN_LAYER_USERNS, "ns/user", self, proc);
	r = read_proc(proc, "status", &text, err);
	if (r < 0)
		return r;
	check_status(box, text.p);
	r = read_proc(proc, "limits", &text, err);
	if (r < 0)
		return r;
	check_limits(box, text.p);
	stands(box, BAWN_LAYER_LANDLOCK, box->why[BAWN_LAYER_LANDLOCK][0] == '\0' &&
	       !bawn_box_without(box, BAWN_LAYER_BIT(LANDLOCK)), "left out");
	stands(box, BAWN_LAYER_DENIAL_REPORTING, box->listener >= 0, "the kernel gives no seccomp notifications");
	return 0;
}

int bawn_verify_root(struct bawn_box *box, struct bawn_err *err)
{
	bawn_auto_fd proc = open_program(box, err);
	if (proc < 0)
		return proc;
	stands(box, BAWN_LAYER_RO_ROOT, is_ro(proc, box), "the root is writable");
	return 0;
}

/* Nothing but loopback: a namespace of one's own could still have been given a way out. */
static bool only_loopback(void)
{
	bawn_auto_buf text = BAWN_BUF(65536);
	size_t devices = 0;
	bool lo = false;
	if (bawn_read_file(AT_FDCWD, "/proc/self/net/dev", &text, NULL) < 0)
		return false;
	for (char *save = NULL, *at = strtok_r(text.p, "\n", &save); at != NULL; at = strtok_r(NULL, "\n", &save)) {
		at += strspn(at, " ");
		devices += strchr(at, ':') != NULL;  /* the two lines of headings have none */
		lo = lo || strncmp(at, "lo:", 3) == 0;
	}
	return lo && devices == 1;
}

static bool is_elsewhere(const char *name, const char *outside)
{
	char path[32], link[64] = "", kind[16];
	snprintf(path, sizeof path, "/proc/self/ns/%s", name);
	snprintf(kind, sizeof kind, "%s:[", name);
	ssize_t n = readlink(path, link, sizeof link - 1);
	return n > 0 && n < (ssize_t)sizeof link - 1 && strncmp(link, kind, strlen(kind)) == 0 && strstr(outside, kind) != NULL &&
	       strstr(outside, link) == NULL;
}

void bawn_verify_contained(struct bawn_box *box)
{
	static const struct { enum bawn_layer layer; const char *name; } ns[] = {
		{ BAWN_LAYER_USERNS, "user" }, { BAWN_LAYER_MOUNTNS, "mnt" }, { BAWN_LAYER_PIDNS, "pid" }, { BAWN_LAYER_NETNS, "net" },
		{ BAWN_LAYER_IPCNS, "ipc" }, { BAWN_LAYER_UTSNS, "uts" }, { BAWN_LAYER_CGROUPNS, "cgroup" },
	};
	static const char *const path[] = { "/", "/usr", "/etc" };
	bool ro = true;
	for (size_t i = 0; i < BAWN_LEN(ns); i++) {
		bool own = is_elsewhere(ns[i].name, box->spec.outside);
		own = own && (ns[i].layer != BAWN_LAYER_PIDNS || getpid() == 1) && (ns[i].layer != BAWN_LAYER_NETNS || only_loopback());
		stands(box, ns[i].layer, own, "the container shares it with who asks");
	}
	for (size_t i = 0; i < BAWN_LEN(path); i++) {
		struct statvfs v;
		ro = ro && statvfs(path[i], &v) == 0 && (v.f_flag & ST_RDONLY) != 0;
	}
	stands(box, BAWN_LAYER_RO_ROOT, ro, "the root is writable");
	stands(box, BAWN_LAYER_CGROUP, box->cg.up, "the container's limits cannot be read");
}
