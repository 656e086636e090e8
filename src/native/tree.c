/* tree.c - the file system of the sandbox, built by init in its own mount namespace.
 *
 *	/            tmpfs, read-only at the end       /usr  the host's, read-only, nosuid, nodev
 *	/code        tmpfs, read-only                  bin lib lib64 sbin ... as on the host
 *	/workspace   \                                 /etc  generated, plus a table of host files
 *	/tmp          > one tmpfs: one size for all    /dev  null zero full random urandom, fd links
 *	/dev/shm     /                                 /proc own, subset=pid
 *	/env         packages of an environment,       /run  for Python: the hook that tells what it does
 *	             read-only, if the code has one
 *	a virtual environment's bin, lib and pyvenv.cfg where they are on the host, read-only, if the policy names it
 *
 * Invariants: (1) nothing of the host is writable; (2) the three writable places share one superblock,
 * so their sum is the disk limit exactly; (3) the launcher reaches /workspace and /code through
 * directory fds on mounts that are covered where the program is; (4) every mount but those of /usr, a virtual environment and the root is
 * noexec or holds no file of the program's, /workspace excepted.
 * No untrusted byte is in reach while this runs. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "native/box.h"

#define BASE "/tmp"  /* where the new root is mounted until pivot_root; any directory would do */

static int make_dir(const char *path, mode_t mode, struct bawn_err *err)
{
	return mkdir(path, mode) < 0 && errno != EEXIST ? bawn_fail(err, -errno, "make directory '%s'", path) : 0;
}

static int make_file(const char *path, struct bawn_span text, struct bawn_err *err)
{
	bawn_auto_fd fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return bawn_fail(err, -errno, "make '%s'", path);
	int r = bawn_write_all(fd, text.p, text.n, err);
	return r < 0 ? bawn_wrap(err, r, "make '%s'", path) : 0;
}

static int set_flags(const char *path, uint64_t flags, unsigned how, struct bawn_err *err)
{
	struct mount_attr attr = { .attr_set = flags };
	if (syscall(SYS_mount_setattr, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW | how, &attr, sizeof attr) < 0)
		return bawn_fail(err, -errno, "restrict the mount at '%s'", path);
	return 0;
}

#define LOCKED (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)

/* The host's `from` at `to` (made here, file or directory), with all that is mounted below it. */
static int bind_host(const char *from, const char *to, uint64_t flags, struct bawn_err *err)
{
	struct stat st;
	if (stat(from, &st) < 0)
		return bawn_fail(err, -errno, "look at '%s'", from);
	int r = S_ISDIR(st.st_mode) ? make_dir(to, 0755, err) : make_file(to, bawn_span(""), err);
	if (r < 0)
		return r;
	if (mount(from, to, NULL, MS_BIND | MS_REC, NULL) < 0)
		return bawn_fail(err, -errno, "bind '%s'", from);
	return set_flags(to, flags, AT_RECURSIVE, err);
}

/* /bin, /lib and their kin: the same link as on the host, or the directory itself. */
static int add_roots(const struct bawn_box *box, struct bawn_err *err)
{
	static const char *const name[] = { "bin", "sbin", "lib", "lib32", "lib64", "libx32" };
	int r = bind_host("/usr", "usr", bawn_box_without(box, BAWN_LAYER_BIT(MOUNTNS)) ? MOUNT_ATTR_RDONLY : LOCKED, err);
	for (size_t i = 0; r == 0 && i < BAWN_LEN(name); i++) {
		char host[16], link[256];
		struct stat st;
		snprintf(host, sizeof host, "/%s", name[i]);
		if (lstat(host, &st) < 0)
			continue;
		if (S_ISDIR(st.st_mode)) {
			r = bind_host(host, name[i], LOCKED, err);
			continue;
		}
		ssize_t n = readlink(host, link, sizeof link - 1);
		if (n < 0)
			return bawn_fail(err, -errno, "read link '%s'", host);
		link[n] = '\0';
		if (symlink(link, name[i]) < 0)
			return bawn_fail(err, -errno, "make link '%s'", name[i]);
	}
	return r;
}

/* Whether `path` is PREFIX/bin/NAME of a Python virtual environment that can come in. */
static bool in_venv(const char *path, char prefix[static 256])
{
	static const char *const ours[] = { "/tmp/", "/code/", "/workspace/", "/dev/", "/proc/", "/etc/" };
	char config[280];
	struct stat st;
	const char *name = strrchr(path, '/');
	size_t n = (size_t)(name - path);
	if (n < 5 || n >= 256 || memcmp(name - 4, "/bin", 4) != 0 || lstat(path + 1, &st) == 0)
		return false;
	for (size_t i = 0; i < BAWN_LEN(ours); i++)
		if (strncmp(path, ours[i], strlen(ours[i])) == 0)
			return false;
	snprintf(prefix, 256, "%.*s", (int)n - 4, path);
	snprintf(config, sizeof config, "%s/pyvenv.cfg", prefix);
	return stat(config, &st) == 0 && S_ISREG(st.st_mode);
}

/* The parts of a virtual environment, where they are on the host.  Nothing else of the directory comes in: it
 * may be somebody's home.  Whether what is there can be run is seen from inside. */
static int add_venv(const struct bawn_box *box, struct bawn_err *err)
{
	static const char *const part[] = { "bin", "lib", "lib64", "pyvenv.cfg" };
	char prefix[256], path[300], link[256];
	if (box->spec.language != BAWN_LANG_PYTHON || !in_venv(box->spec.interpreter, prefix))
		return 0;
	int r = 0;
	for (char *at = prefix; r == 0 && at != NULL; ) {
		at = strchr(at + 1, '/');
		snprintf(path, sizeof path, "%.*s", at != NULL ? (int)(at - prefix) : (int)strlen(prefix), prefix);
		r = make_dir(path + 1, 0755, err);
	}
	for (size_t i = 0; r == 0 && i < BAWN_LEN(part); i++) {
		snprintf(path, sizeof path, "%s/%s", prefix, part[i]);
		ssize_t n = readlink(path, link, sizeof link - 1);
		link[n > 0 ? n : 0] = '\0';
		if (n > 0)
			r = symlink(link, path + 1) < 0 ? bawn_fail(err, -errno, "make link '%s'", path) : 0;
		else if (access(path, F_OK) == 0)
			r = bind_host(path, path + 1, LOCKED, err);
	}
	return r;
}

#define PASSWD(home) "root:x:0:0:root:/nonexistent:/usr/sbin/nologin\nuser:x:1000:1000::" home ":/bin/bash\n" \
                     "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
static const struct { const char *path, *text; } etc_file[] = {
	{ "etc/passwd", PASSWD("/workspace") },
	{ "etc/group", "root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n" },
	{ "etc/hosts", "127.0.0.1 localhost bawn\n::1 localhost bawn\n" },
	{ "etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n" },
	{ "etc/hostname", "bawn\n" },
};
/* Host files a program needs to find its libraries, fonts and time zone; absent ones are left out. */
static const char *const etc_host[] = { "ld.so.cache", "alternatives", "localtime", "fonts", "matplotlibrc", "mime.types", "python3" };

static int add_etc_host(const char *name, struct bawn_err *err)
{
	char host[300];
	snprintf(host, sizeof host, "/etc/%s", name);
	return access(host, F_OK) == 0 ? bind_host(host, host + 1, LOCKED, err) : 0;  /* a link that leads nowhere is left out too */
}

/* The host's python3 has a directory by the name of its version.  (All of /etc is not looked through: it is long.) */
static int add_etc_python(struct bawn_err *err)
{
	char name[64];
	ssize_t n = readlink("/usr/bin/python3", name, sizeof name - 1);
	name[n > 0 ? n : 0] = '\0';
	return strncmp(name, "python3.", 8) == 0 && strchr(name, '/') == NULL ? add_etc_host(name, err) : 0;
}

static int add_etc(const struct bawn_box *box, struct bawn_err *err)
{
	if (bawn_box_without(box, BAWN_LAYER_BIT(MOUNTNS)))
		return bind_host("/etc", "etc", LOCKED, err);
	int r = make_dir("etc", 0755, err);
	for (size_t i = 0; r == 0 && i < BAWN_LEN(etc_file); i++)
		r = make_file(etc_file[i].path, bawn_span(etc_file[i].text), err);
	for (size_t i = 0; r == 0 && i < BAWN_LEN(etc_host); i++)
		r = add_etc_host(etc_host[i], err);
	return r == 0 ? add_etc_python(err) : r;
}

static int add_dev(struct bawn_err *err)
{
	static const struct { const char *name; unsigned minor_; } node[] = {
		{ "null", 3 }, { "zero", 5 }, { "full", 7 }, { "random", 8 }, { "urandom", 9 } };
	static const struct { const char *to, *name; } link[] = {
		{ "/proc/self/fd", "dev/fd" }, { "/proc/self/fd/0", "dev/stdin" }, { "/proc/self/fd/1", "dev/stdout" },
		{ "/proc/self/fd/2", "dev/stderr" } };
	int r = make_dir("dev", 0755, err);
	for (size_t i = 0; r == 0 && i < BAWN_LEN(node); i++) {
		char host[24], here[24];
		struct stat st;
		snprintf(host, sizeof host, "/dev/%s", node[i].name);
		snprintf(here, sizeof here, "dev/%s", node[i].name);
		r = bind_host(host, here, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, err);
		/* What came in must be the device it is called, not what somebody put in its place. */
		if (r == 0 && (lstat(here, &st) < 0 || !S_ISCHR(st.st_mode) || st.st_rdev != makedev(1, node[i].minor_)))
			r = bawn_fail(err, -ENODEV, "'%s' is not the device it should be", host);
	}
	for (size_t i = 0; r == 0 && i < BAWN_LEN(link); i++)
		if (symlink(link[i].to, link[i].name) < 0)
			r = bawn_fail(err, -errno, "make '%s'", link[i].name);
	return r;
}

static int add_proc(const struct bawn_box *box, struct bawn_err *err)
{
	const char *options = bawn_box_without(box, BAWN_LAYER_BIT(PIDNS)) ? "" : "subset=pid,hidepid=invisible";
	int r = make_dir("proc", 0555, err);
	if (r == 0 && mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, options) < 0)
		return bawn_fail(err, -errno, "mount /proc");
	return r;
}

/* Only for positive controls: the rest of the host, read-only. */
static int add_host(const struct bawn_box *box, struct bawn_err *err)
{
	static const char *const dir[] = { "/root", "/home", "/var", "/sys" };
	int r = 0;
	for (size_t i = 0; bawn_box_without(box, BAWN_LAYER_BIT(MOUNTNS)) && r == 0 && i < BAWN_LEN(dir); i++)
		if (access(dir[i], F_OK) == 0)
			r = bind_host(dir[i], dir[i] + 1, LOCKED, err);
	return r;
}

static int mount_tmpfs(const char *where, uint64_t bytes, uint64_t inodes, unsigned long flags, const char *mode,
                       struct bawn_err *err)
{
	char options[96];
	/* Zero would mean "no limit" to tmpfs; here it means the least there is. */
	snprintf(options, sizeof options, "size=%" PRIu64 ",nr_inodes=%" PRIu64 ",mode=%s",
	         bytes < 4096 ? 4096 : bytes, inodes < 8 ? 8 : inodes, mode);
	if (mount("tmpfs", where, "tmpfs", flags, options) < 0)
		return bawn_fail(err, -errno, "mount a tmpfs at '%s'", where);
	return 0;
}

static int owned_dir(const struct bawn_box *box, const char *path, mode_t mode, struct bawn_err *err)
{
	int r = make_dir(path, 0700, err);
	if (r == 0 && box->root && chown(path, box->uid, box->gid) < 0)
		r = bawn_fail(err, -errno, "give a directory to the run");
	if (r == 0 && chmod(path, mode) < 0)  /* past the umask */
		r = bawn_fail(err, -errno, "set the mode of a directory");
	return r;
}

/* One tmpfs, three faces.  Its own root is covered by one of them: only the launcher's fd still leads there. */
static int add_scratch(const struct bawn_box *box, int *out_workspace, struct bawn_err *err)
{
	static const struct { const char *from, *to; mode_t mode; uint64_t flags; } face[] = {
		{ "tmp/workspace", "workspace", 0755, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV },
		{ "tmp/shm", "dev/shm", 01777, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC },
		{ "tmp/tmp", "tmp", 01777, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC },
	};
	bawn_auto_fd dir = -1;
	int r = make_dir("tmp", 0755, err);
	if (r == 0)
		r = mount_tmpfs("tmp", box->spec.limits.disk_bytes, box->spec.limits.inodes + BAWN_LEN(face) + 1,
		                MS_NOSUID | MS_NODEV | MS_NOEXEC, "0755", err);
	for (size_t i = 0; r == 0 && i < BAWN_LEN(face); i++) {
		r = owned_dir(box, face[i].from, face[i].mode, err);
		if (r == 0)
			r = make_dir(face[i].to, 0755, err);
		if (r == 0 && i == 0 && (dir = open(face[i].from, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
			r = bawn_fail(err, -errno, "open /workspace");
		if (r == 0 && mount(face[i].from, face[i].to, NULL, MS_BIND, NULL) < 0)
			r = bawn_fail(err, -errno, "bind '%s'", face[i].to);
		/* The bind inherits noexec from where it was made; each face gets its own flags. */
		struct mount_attr attr = { .attr_set = face[i].flags, .attr_clr = MOUNT_ATTR_NOEXEC & ~face[i].flags };
		if (r == 0 && syscall(SYS_mount_setattr, AT_FDCWD, face[i].to, 0, &attr, sizeof attr) < 0)
			r = bawn_fail(err, -errno, "restrict the mount at '%s'", face[i].to);
	}
	if (r < 0)
		return r;
	*out_workspace = bawn_take_fd(&dir);
	return 0;
}

/* /code twice: writable for the launcher, and over it read-only for the program. */
static int add_code(int *out_code, struct bawn_err *err)
{
	int r = make_dir("code", 0755, err);
	if (r == 0)
		r = mount_tmpfs("code", 64u << 20, 4096, MS_NOSUID | MS_NODEV | MS_NOEXEC, "0755", err);
	if (r < 0)
		return r;
	bawn_auto_fd dir = open("code", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return bawn_fail(err, -errno, "open /code");
	if (mount("code", "code", NULL, MS_BIND, NULL) < 0)
		return bawn_fail(err, -errno, "bind /code");
	r = set_flags("code", LOCKED, 0, err);
	if (r < 0)
		return r;
	*out_code = bawn_take_fd(&dir);
	return 0;
}

/* Packages that were installed before, in a sandbox of its own: the directory as it is, read-only before it is anywhere
 * to be seen.  `below`: the host's BASE, which has our root over it by now. */
static int add_environment(const struct bawn_box *box, int below, struct bawn_err *err)
{
	const char *path = box->spec.environment;
	bool covered = strncmp(path, BASE "/", sizeof BASE) == 0;
	if (path[0] == '\0')
		return 0;
	bawn_auto_fd dir = covered ? openat(below, path + sizeof BASE, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
	                           : open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bawn_auto_fd tree = dir >= 0 ? open_tree(dir, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC) : -1;
	struct mount_attr attr = { .attr_set = LOCKED };
	if (tree < 0 || syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attr, sizeof attr) < 0)
		return bawn_fail(err, -errno, "take the environment '%s'", path);
	int r = make_dir(&BAWN_ENV_PLACE[1], 0755, err);
	if (r == 0 && move_mount(tree, "", AT_FDCWD, &BAWN_ENV_PLACE[1], MOVE_MOUNT_F_EMPTY_PATH) < 0)
		r = bawn_fail(err, -errno, "mount the environment");
	/* node looks for modules in every directory above the one that asks: the root is above all of them. */
	if (r == 0 && box->spec.language == BAWN_LANG_JAVASCRIPT && symlink("." BAWN_ENV_PLACE "/node_modules", "node_modules") < 0)
		r = bawn_fail(err, -errno, "make '/node_modules'");
	return r;
}

/* The hook travels inside the launcher: there is no file to find, to be unreadable or to be another's. */
static int add_hook(const struct bawn_box *box, struct bawn_err *err)
{
	static const unsigned char hook[] = {
#include "observe-so.h"
	};
	if (!bawn_box_observes(box))
		return 0;
	int r = make_dir("run", 0755, err);
	if (r == 0)
		r = make_dir("run/bawn", 0755, err);
	return r == 0 ? make_file(&BAWN_AREA_HOOK[1], (struct bawn_span){ (const char *)hook, sizeof hook }, err) : r;
}

int bawn_tree_chroot(struct bawn_err *err)
{
	return chroot(BASE) < 0 || chdir("/") < 0 ? bawn_fail(err, -errno, "enter the new root") : 0;
}

int bawn_tree_enter(const struct bawn_box *box, struct bawn_err *err)
{
	if (syscall(SYS_pivot_root, ".", ".") < 0)
		return bawn_fail(err, -errno, "pivot_root");
	if (umount2(".", MNT_DETACH) < 0)
		return bawn_fail(err, -errno, "detach the host's root");
	if (chdir("/") < 0)
		return bawn_fail(err, -errno, "enter the new root");
	if (bawn_box_without(box, BAWN_LAYER_BIT(RO_ROOT)))
		return chmod("/", 01777) < 0 ? bawn_fail(err, -errno, "open the root") : 0;
	return set_flags("/", LOCKED, 0, err);
}

int bawn_tree_base(const struct bawn_box *box, int *out_code, int *out_below, struct bawn_err *err)
{
	(void)umask(022);
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return bawn_fail(err, -errno, "make the mounts private");
	*out_below = open(BASE, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (*out_below < 0)
		return bawn_fail(err, -errno, "open '" BASE "'");
	int r = mount_tmpfs(BASE, (1u << 20) + BAWN_WAY_BYTES, 1024, MS_NOSUID | MS_NODEV, "0755", err);
	if (r == 0 && chdir(BASE) < 0)
		r = bawn_fail(err, -errno, "enter the new root");
	if (r == 0)
		r = add_roots(box, err);
	if (r == 0)
		r = add_etc(box, err);
	if (r == 0)
		r = add_dev(err);
	if (r == 0)
		r = add_proc(box, err);
	if (r == 0)
		r = add_host(box, err);
	return r == 0 ? add_code(out_code, err) : r;
}

/* Only for who may go out (box->way): how programs find the way whose variables were taken from them,
 * and whom to believe there.  Who has no HOME, either, is at home in /tmp then: a place that can be written to and is not
 * collected. */
static int add_way(const struct bawn_box *box, struct bawn_err *err)
{
	static const char *const place[] = {
#define BAWN_X_NET_FILE(name, path) [BAWN_NET_FILE_##name] = path,
		BAWN_NET_FILES(BAWN_X_NET_FILE)
#undef BAWN_X_NET_FILE
	};
	bawn_auto_buf all = BAWN_BUF(BAWN_WAY_BYTES);
	if (box->way < 0 || bawn_box_without(box, BAWN_LAYER_BIT(MOUNTNS)))
		return 0;
	int r = bawn_read_fd(box->way, "the way out", &all, err);
	struct bawn_span rest = bawn_buf_span(&all), text;
	for (size_t i = 0; r == 0 && i < BAWN_LEN(place); i++) {
		if (!bawn_span_take(&rest, '\0', &text))
			return bawn_fail(err, -EBADMSG, "read the way out");
		r = text.n > 0 ? make_file(place[i] + 1, text, err) : 0;
		if (r == 0 && text.n > 0 && i == BAWN_NET_FILE_NPM)
			r = make_file(&(BAWN_NET_HOME "/.npmrc")[1], text, err);
	}
	if (r == 0 && unlink("etc/passwd") < 0)
		return bawn_fail(err, -errno, "replace '/etc/passwd'");
	if (r == 0)
		r = make_file("etc/passwd", bawn_span(PASSWD(BAWN_NET_HOME)), err);
	if (r < 0 || rest.n == 0)
		return r;
	r = make_dir("etc/ssl", 0755, err);
	if (r == 0)
		r = make_dir("etc/ssl/certs", 0755, err);
	return r == 0 ? make_file(&BAWN_CA_FILE[1], rest, err) : r;
}

int bawn_tree_furnish(const struct bawn_box *box, int below_stolen, int *out_workspace, struct bawn_err *err)
{
	bawn_auto_fd below = below_stolen;
	int r = add_venv(box, err);
	if (r == 0)
		r = add_environment(box, below, err);
	if (r == 0)
		r = add_hook(box, err);
	if (r == 0)
		r = add_scratch(box, out_workspace, err);
	return r == 0 ? add_way(box, err) : r;
}
