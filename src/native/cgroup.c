#include "native/cgroup.h"
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/num.h"

#define PERIOD_US 100000u
#define RUN       "run-"  /* what the names of our directories begin with */
#define LEFT_MAX  (8u << 20)  /* of kernel memory that an ordinary run leaves, and may */

static const char *const ctl_name[] = { "memory", "cpu", "cpuacct", "pids" };
_Static_assert(BAWN_LEN(ctl_name) == BAWN_CTL_COUNT, "one name per controller");

static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word);
	for (const char *at = list; *at != '\0'; ) {
		size_t len = strcspn(at, ", \n");
		if (len == n && memcmp(at, word, n) == 0)
			return true;
		at += len;
		at += *at != '\0';
	}
	return false;
}

/* One line: "36 31 0:33 / MOUNT opts ... - TYPE source SUPER".  A mount of a part of the hierarchy
 * (bind) is taken like any other: our directory goes below it. */
static void parse_line(struct bawn_cgroups *cg, char *line, void (*controllers)(const char *, char *, size_t))
{
	char *dash = strstr(line, " - ");
	char mount[256], type[16], super[256] = "", offers[256] = "";
	if (dash == NULL || sscanf(line, "%*s %*s %*s %*s %255s", mount) != 1 ||
	    sscanf(dash, " - %15s %*s %255s", type, super) < 1 || cg->n == BAWN_LEN(cg->at))
		return;
	bool v2 = strcmp(type, "cgroup2") == 0;
	if (!v2 && strcmp(type, "cgroup") != 0)
		return;
	if (v2)
		controllers(mount, offers, sizeof offers);
	bool used = false;
	for (int i = 0; i < BAWN_CTL_COUNT; i++) {
		/* v2 counts CPU time in every directory; there is no cpuacct to enable. */
		bool has = v2 ? has_word(offers, i == BAWN_CTL_CPUACCT ? "cpu" : ctl_name[i]) : has_word(super, ctl_name[i]);
		if (has && cg->of[i] < 0) {
			cg->of[i] = (int)cg->n;
			used = true;
		}
	}
	if (used) {
		cg->at[cg->n] = (struct bawn_hierarchy){ .v2 = v2, .fd = -1, .tasks = -1 };
		snprintf(cg->at[cg->n++].mount, sizeof mount, "%s", mount);
	}
}

void bawn_cgroups_parse(struct bawn_cgroups *cg, struct bawn_span text, void (*controllers)(const char *, char *, size_t))
{
	*cg = (struct bawn_cgroups){ .of = { -1, -1, -1, -1 } };
	char line[2048];
	for (size_t at = 0; at < text.n; ) {
		const char *end = memchr(text.p + at, '\n', text.n - at);
		size_t len = end != NULL ? (size_t)(end - (text.p + at)) : text.n - at;
		if (len < sizeof line) {
			memcpy(line, text.p + at, len);
			line[len] = '\0';
			parse_line(cg, line, controllers);
		}
		at += len + 1;
	}
}

static int read_text(int dirfd, const char *file, char *out, size_t size)
{
	bawn_auto_fd fd = openat(dirfd, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t n = fd < 0 ? -1 : read(fd, out, size - 1);
	if (n < 0)
		return -errno;
	out[n] = '\0';
	return 0;
}

static int write_text(int dirfd, const char *file, const char *text)
{
	bawn_auto_fd fd = openat(dirfd, file, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	return fd < 0 || write(fd, text, strlen(text)) < 0 ? -errno : 0;
}

static void kernel_controllers(const char *mount, char *out, size_t size)
{
	bawn_auto_fd dir = open(mount, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 || read_text(dir, "cgroup.controllers", out, size) < 0)
		out[0] = '\0';
}

static bool is_ours(const char *dir)
{
	char procs[4500];
	snprintf(procs, sizeof procs, "%s/cgroup.procs", dir);
	return faccessat(AT_FDCWD, dir, W_OK, AT_EACCESS) == 0 && faccessat(AT_FDCWD, procs, W_OK, AT_EACCESS) == 0;
}

/* Without root a v2 directory is joined only from beside it: clone3 wants the right to write cgroup.procs
 * of what is above both.  So ours goes below the topmost directory of the caller's on the way down to
 * where the caller is; a directory elsewhere, even one of the caller's, could be filled but not joined. */
static int go_below_own(struct bawn_hierarchy *h, struct bawn_err *err)
{
	char text[4096] = "\n", path[4400];
	int r = read_text(AT_FDCWD, "/proc/self/cgroup", text + 1, sizeof text - 1);
	char *own = r == 0 ? strstr(text, "\n0::/") : NULL;
	if (own == NULL)
		return bawn_fail(err, r < 0 ? r : -ENOENT, "find the own cgroup");
	own += strlen("\n0::");
	own[strcspn(own, "\n")] = '\0';
	snprintf(path, sizeof path, "%s%s", h->mount, own);
	for (char *end = path + strlen(h->mount); ; end += 1 + strcspn(end + 1, "/")) {
		char kept = *end;
		*end = '\0';
		if (strlen(path) < sizeof h->mount && is_ours(path)) {
			memcpy(h->mount, path, strlen(path) + 1);
			return 0;
		}
		*end = kept;
		if (kept == '\0')
			return bawn_fail(err, -EACCES, "no cgroup on the way to '%s' is the caller's own", own);
	}
}

/* Where each controller is mounted. */
static int locate(struct bawn_cgroups *cg, struct bawn_err *err)
{
	bawn_auto_buf text = BAWN_BUF(1u << 20);
	*cg = (struct bawn_cgroups){ .of = { -1, -1, -1, -1 } };
	int r = bawn_read_file(AT_FDCWD, "/proc/self/mountinfo", &text, err);
	if (r < 0)
		return r;
	bawn_cgroups_parse(cg, bawn_buf_span(&text), kernel_controllers);
	for (int i = 0; i < BAWN_CTL_COUNT; i++)
		if (cg->of[i] < 0)
			return bawn_fail(err, -ENOENT, "find the '%s' cgroup controller", ctl_name[i]);
	return 0;
}

int bawn_cgroups_find(struct bawn_cgroups *cg, struct bawn_err *err)
{
	int r = locate(cg, err);
	for (size_t i = 0; r == 0 && geteuid() != 0 && i < cg->n; i++)
		r = cg->at[i].v2 ? go_below_own(&cg->at[i], err) : 0;
	return r;
}

static void nap(long ms)
{
	(void)nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);  /* cut short: the loop looks again */
}

/* Ends every process in the directory: what is there belonged to a run whose lock is gone. */
static int empty_out(const char *path)
{
	bawn_auto_fd dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	for (int tries = 0; tries < 400; tries++) {
		bawn_auto_buf text = BAWN_BUF(1u << 20);
		if (bawn_read_file(dir, "cgroup.procs", &text, NULL) < 0)
			return -errno;
		if (text.n == 0)
			return 0;
		(void)write_text(dir, "cgroup.kill", "1");  /* v2 since 5.14; the loop below serves the others */
		for (char *at = text.p; at < text.p + text.n; at += strcspn(at, "\n") + 1) {
			long pid = strtol(at, NULL, 10);
			if (pid > 1)
				(void)kill((pid_t)pid, SIGKILL);
		}
		nap(5);
	}
	return -EBUSY;
}

static void remove_dir(const struct bawn_hierarchy *h, const char *name)
{
	char path[360];
	snprintf(path, sizeof path, "%s/" BAWN_CGROUP_PARENT "/%s", h->mount, name);
	for (int tries = 0; tries < 20; tries++) {
		if (rmdir(path) == 0 || errno != EBUSY || empty_out(path) < 0)
			break;
		if (tries > 0)
			nap(2);
	}
	snprintf(path, sizeof path, "%s/" BAWN_CGROUP_PARENT, h->mount);
	struct stat st;
	if (stat(path, &st) == 0 && st.st_uid == geteuid())
		(void)rmdir(path);  /* fails while another run is there, and where root made it for us, which is right */
}

/* The number after `key` in "key number" lines, or the whole file's where key is NULL. */
static bool number(int dir, const char *file, const char *key, uint64_t *out)
{
	char text[2048];
	if (read_text(dir, file, text, sizeof text) < 0)
		return false;
	const char *at = text;
	size_t n = key != NULL ? strlen(key) : 0;
	while (key != NULL && !(strncmp(at, key, n) == 0 && at[n] == ' ')) {
		at = strchr(at, '\n');
		if (at == NULL)
			return false;
		at++;
	}
	*out = strtoull(at + n, NULL, 10);
	return true;
}

/* The kernel remembers names that are not there: as much of it as the memory limit gave stays with the host when the run is
 * over.  What an ordinary run leaves is worth keeping. */
static void give_back(const struct bawn_hierarchy *mem)
{
	uint64_t all = 0, names = 0;
	if (!number(mem->fd, mem->v2 ? "memory.current" : "memory.kmem.usage_in_bytes", NULL, &all) || all < LEFT_MAX)
		return;
	if (mem->v2 && (!number(mem->fd, "memory.stat", "slab_reclaimable", &names) || names < LEFT_MAX))
		return;
	char text[24];
	snprintf(text, sizeof text, "%" PRIu64, mem->v2 ? all : 0);
	(void)write_text(mem->fd, mem->v2 ? "memory.reclaim" : "memory.force_empty", text);  /* else the kernel does when it needs room */
}

void bawn_cgroups_remove(struct bawn_cgroups *cg)
{
	if (cg->up)
		give_back(&cg->at[cg->of[BAWN_CTL_MEMORY]]);
	for (size_t i = 0; i < cg->n; i++) {
		if (cg->at[i].fd >= 0)
			remove_dir(&cg->at[i], cg->name);
		bawn_close_fdp(&cg->at[i].fd);
		bawn_close_fdp(&cg->at[i].tasks);
	}
	cg->made = cg->up = false;
}

/* Whether nobody holds the directory `name`; while `*out_lock` is open nobody can. */
static bool is_left(const char *parent, const char *name, int *out_lock)
{
	char path[620];
	snprintf(path, sizeof path, "%s/%s", parent, name);
	*out_lock = strncmp(name, RUN, strlen(RUN)) == 0 ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) : -1;
	return *out_lock >= 0 && flock(*out_lock, LOCK_EX | LOCK_NB) == 0;
}

/* Processes die with their init; only directories can be left, and usually there is none: one look per hierarchy. */
unsigned bawn_cgroups_sweep(struct bawn_cgroups *cg)
{
	unsigned most = 0;
	for (size_t i = 0; i < cg->n; i++) {
		char parent[280];
		unsigned n = 0;
		snprintf(parent, sizeof parent, "%s/" BAWN_CGROUP_PARENT, cg->at[i].mount);
		bawn_auto_dir d = opendir(parent);
		for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL; ) {
			bawn_auto_fd lock = -1;
			if (!is_left(parent, e->d_name, &lock))
				continue;
			remove_dir(&cg->at[i], e->d_name);
			n++;
		}
		most = n > most ? n : most;
	}
	return most;
}

/* Usually on already; make and read-back tell. */
static void enable_controllers(const char *mount, const char *parent)
{
	static const char *const on[] = { "+memory", "+cpu", "+pids" };
	bawn_auto_fd top = open(mount, O_PATH | O_DIRECTORY | O_CLOEXEC);
	bawn_auto_fd mid = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	for (size_t i = 0; i < BAWN_LEN(on); i++) {
		(void)write_text(top, "cgroup.subtree_control", on[i]);
		(void)write_text(mid, "cgroup.subtree_control", on[i]);
	}
}

/* A sweep may take the directory before we hold it, and another run the empty parent: try again. */
static int make_dir(struct bawn_hierarchy *h, const char *name, struct bawn_err *err)
{
	char parent[280], path[360];
	snprintf(parent, sizeof parent, "%s/" BAWN_CGROUP_PARENT, h->mount);
	snprintf(path, sizeof path, "%s/%s", parent, name);
	for (int tries = 0; tries < 50; tries++) {
		if (mkdir(parent, 0755) < 0 && errno != EEXIST)
			return bawn_fail(err, -errno, "make '%s'", parent);
		if (h->v2)
			enable_controllers(h->mount, parent);
		bool made = mkdir(path, 0700) == 0;
		bawn_auto_fd dir = made ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) : -1;
		bawn_auto_fd tasks = dir >= 0 && flock(dir, LOCK_SH) == 0 ? openat(dir, h->v2 ? "cgroup.procs" : "tasks", O_WRONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
		int why = errno;
		if (tasks >= 0) {
			h->fd = bawn_take_fd(&dir);
			h->tasks = bawn_take_fd(&tasks);
			return 0;
		}
		if (made)
			(void)rmdir(path);
		if (why != ENOENT && why != ENODEV)
			return bawn_fail(err, -why, "make '%s'", path);
	}
	return bawn_fail(err, -EAGAIN, "make '%s'", path);
}

/* A limit is one row; an optional file may be absent (no swap accounting), never refuse. */
struct limit_row { enum bawn_ctl ctl; bool v2, optional; const char *file; uint64_t value; bool quota; };

static int set_limit(int dir, const struct limit_row *l, struct bawn_err *err)
{
	char text[48], got[64];
	if (l->quota)
		snprintf(text, sizeof text, "%" PRIu64 " %u", l->value, PERIOD_US);
	else
		snprintf(text, sizeof text, "%" PRIu64, l->value);
	bawn_auto_fd fd = openat(dir, l->file, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 && errno == ENOENT && l->optional)
		return 0;
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		return bawn_fail(err, -errno, "set '%s' to %s", l->file, text);
	ssize_t n = pread(fd, got, sizeof got - 1, 0);
	if (n < 0)
		return bawn_fail(err, -errno, "read back '%s'", l->file);
	got[n] = '\0';
	uint64_t is = strtoull(got, NULL, 10);
	if (is > l->value || l->value - is >= 4096)  /* memory is rounded down to whole pages */
		return bawn_fail(err, -EIO, "'%s' is %.20s after writing %s", l->file, got, text);
	return 0;
}

#define LIMIT_ROWS 11
static void limit_rows(const struct bawn_limits *l, struct limit_row out[static LIMIT_ROWS])
{
	uint64_t quota = l->cpus_milli * (PERIOD_US / 1000);
	quota = quota < 1000 ? 1000 : quota;  /* the kernel takes no less than a millisecond */
	uint64_t pids = l->pids < 1 ? 1 : l->pids;
	const struct limit_row row[] = {
		{ BAWN_CTL_MEMORY, false, false, "memory.limit_in_bytes", l->memory_bytes, false },
		{ BAWN_CTL_MEMORY, false, true, "memory.memsw.limit_in_bytes", l->memory_bytes, false },
		{ BAWN_CTL_MEMORY, false, false, "memory.swappiness", 0, false },
		/* v1 counts socket buffers apart, and only where they are limited. */
		{ BAWN_CTL_MEMORY, false, true, "memory.kmem.tcp.limit_in_bytes", l->memory_bytes / 4, false },
		{ BAWN_CTL_CPU, false, false, "cpu.cfs_period_us", PERIOD_US, false },
		{ BAWN_CTL_CPU, false, false, "cpu.cfs_quota_us", quota, false },
		{ BAWN_CTL_PIDS, false, false, "pids.max", pids, false },
		{ BAWN_CTL_MEMORY, true, false, "memory.max", l->memory_bytes, false },
		{ BAWN_CTL_MEMORY, true, true, "memory.swap.max", 0, false },
		{ BAWN_CTL_CPU, true, false, "cpu.max", quota, true },
		{ BAWN_CTL_PIDS, true, false, "pids.max", pids, false },
	};
	_Static_assert(BAWN_LEN(row) == LIMIT_ROWS, "as many as were said");
	memcpy(out, row, sizeof row);
}

/* Each limit there is for this kind of hierarchy, by `what`. */
static int each_limit(const struct bawn_cgroups *cg, const struct bawn_limits *l, int (*what)(int, const struct limit_row *, struct bawn_err *), struct bawn_err *err)
{
	struct limit_row row[LIMIT_ROWS];
	int r = 0;
	limit_rows(l, row);
	for (size_t i = 0; r == 0 && i < LIMIT_ROWS; i++) {
		const struct bawn_hierarchy *h = &cg->at[cg->of[row[i].ctl]];
		r = h->v2 == row[i].v2 ? what(h->fd, &row[i], err) : 0;
	}
	return r;
}

/* A directory of v2 may lack a controller that those above do not hand down; nothing could join it then. */
static int has_limit(int dir, const struct limit_row *l, struct bawn_err *err)
{
	return l->optional || faccessat(dir, l->file, W_OK, AT_EACCESS) == 0 ? 0 : bawn_fail(err, -errno, "set '%s'", l->file);
}

int bawn_cgroups_make(struct bawn_cgroups *cg, struct bawn_err *err)
{
	uint32_t own;
	int r = getrandom(&own, sizeof own, 0) == (ssize_t)sizeof own ? 0 : bawn_fail(err, -EIO, "name the run's cgroups");
	snprintf(cg->name, sizeof cg->name, RUN "%d-%08x", getpid(), own);
	for (size_t i = 0; r == 0 && i < cg->n; i++)
		r = make_dir(&cg->at[i], cg->name, err);
	if (r == 0)
		r = each_limit(cg, &(struct bawn_limits){ 0 }, has_limit, err);
	if (r < 0)
		bawn_cgroups_remove(cg);
	cg->made = r == 0;
	return r;
}

int bawn_cgroups_limit(struct bawn_cgroups *cg, const struct bawn_limits *limits, struct bawn_err *err)
{
	int r = each_limit(cg, limits, set_limit, err);
	cg->up = r == 0;
	return r;
}

void bawn_cgroups_give_way(const struct bawn_cgroups *cg)
{
	const struct bawn_hierarchy *cpu = &cg->at[cg->of[BAWN_CTL_CPU]];
	if (cg->made)  /* a courtesy and no limit: a run that does not give way is still held by its own */
		(void)write_text(cpu->fd, cpu->v2 ? "cpu.weight" : "cpu.shares", cpu->v2 ? "25" : "256");
}

int bawn_cgroups_enter(const struct bawn_cgroups *cg, struct bawn_err *err)
{
	for (size_t i = 0; i < cg->n; i++) {
		if (!cg->at[i].v2 && write(cg->at[i].tasks, "0", 1) < 0)
			return bawn_fail(err, -errno, "join '%s/" BAWN_CGROUP_PARENT "/%s'", cg->at[i].mount, cg->name);
	}
	return 0;
}

int bawn_cgroups_v2_fd(const struct bawn_cgroups *cg)
{
	for (size_t i = 0; i < cg->n; i++)
		if (cg->at[i].v2)
			return cg->at[i].fd;
	return -1;
}

int bawn_cgroups_confirm(const struct bawn_cgroups *cg, pid_t pid, struct bawn_err *err)
{
	char want[16], text[4096];
	snprintf(want, sizeof want, "%d", pid);
	for (size_t i = 0; i < cg->n; i++)
		if (read_text(cg->at[i].fd, "cgroup.procs", text, sizeof text) < 0 || !has_word(text, want))
			return bawn_fail(err, -ESRCH, "process %d is not in '%s/" BAWN_CGROUP_PARENT "/%s'", pid, cg->at[i].mount, cg->name);
	return 0;
}

void bawn_cgroups_read(const struct bawn_cgroups *cg, struct bawn_counters *out)
{
	*out = (struct bawn_counters){ 0 };
	if (!cg->up)
		return;
	const struct bawn_hierarchy *mem = &cg->at[cg->of[BAWN_CTL_MEMORY]], *acct = &cg->at[cg->of[BAWN_CTL_CPUACCT]],
		*pids = &cg->at[cg->of[BAWN_CTL_PIDS]];
	uint64_t ns = 0;
	if (acct->v2)
		(void)number(acct->fd, "cpu.stat", "usage_usec", &out->cpu_us);
	else if (number(acct->fd, "cpuacct.usage", NULL, &ns))
		out->cpu_us = ns / 1000;
	(void)number(mem->fd, mem->v2 ? "memory.current" : "memory.usage_in_bytes", NULL, &out->memory_bytes);
	(void)number(mem->fd, mem->v2 ? "memory.peak" : "memory.max_usage_in_bytes", NULL, &out->peak_memory_bytes);
	(void)number(mem->fd, mem->v2 ? "memory.events" : "memory.oom_control", "oom_kill", &out->oom_kills);
	(void)number(pids->fd, "pids.current", NULL, &out->pids);
	(void)number(pids->fd, "pids.events", "max", &out->pids_refused);
	out->has_peak_pids = number(pids->fd, "pids.peak", NULL, &out->peak_pids);
	uint64_t *const tasks[] = { &out->pids, &out->peak_pids };
	for (size_t i = 0; i < BAWN_LEN(tasks); i++)
		*tasks[i] -= *tasks[i] < cg->tasks_before ? *tasks[i] : cg->tasks_before;
	out->cpu_us -= out->cpu_us < cg->cpu_before_us ? out->cpu_us : cg->cpu_before_us;
}

static int check_limit(const struct bawn_hierarchy *h, const char *file, uint64_t most, struct bawn_err *err)
{
	char text[64];
	uint64_t is = 0;
	int r = read_text(h->fd, file, text, sizeof text);
	if (r < 0)
		return bawn_fail(err, r, "read '%s/%s'", h->mount, file);
	text[strcspn(text, " \n")] = '\0';
	if (bawn_parse_u64(bawn_span(text), 0, UINT64_MAX, &is, NULL) < 0 || is > most)  /* "max" and -1 are no limit */
		return bawn_fail(err, -EIO, "'%s' is %.20s and not %" PRIu64 " at most", file, text, most);
	return 0;
}

int bawn_cgroups_adopt(struct bawn_cgroups *cg, const struct bawn_limits *l, uint64_t ours, struct bawn_err *err)
{
	struct bawn_counters now;
	int r = locate(cg, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < cg->n; i++) {
		cg->at[i].fd = open(cg->at[i].mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (cg->at[i].fd < 0)
			return bawn_fail(err, -errno, "open '%s'", cg->at[i].mount);
	}
	const struct bawn_hierarchy *mem = &cg->at[cg->of[BAWN_CTL_MEMORY]], *cpu = &cg->at[cg->of[BAWN_CTL_CPU]], *pids = &cg->at[cg->of[BAWN_CTL_PIDS]];
	uint64_t quota = l->cpus_milli * (PERIOD_US / 1000);
	r = check_limit(mem, mem->v2 ? "memory.max" : "memory.limit_in_bytes", l->memory_bytes, err);
	if (r == 0)
		r = check_limit(cpu, cpu->v2 ? "cpu.max" : "cpu.cfs_quota_us", quota < 1000 ? 1000 : quota, err);
	if (r == 0)
		r = check_limit(pids, "pids.max", (l->pids < 1 ? 1 : l->pids) + ours, err);
	if (r < 0)
		return r;
	cg->up = true;
	bawn_cgroups_read(cg, &now);
	cg->cpu_before_us = now.cpu_us;
	cg->tasks_before = ours;
	return 0;
}
