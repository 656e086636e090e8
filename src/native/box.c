#include "native/box.h"
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "native/note.h"

static int make_pair(int out[static 2], struct bawn_err *err)
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, out) < 0)
		return bawn_fail(err, -errno, "make a control socket");
	return 0;
}

int bawn_open_kernel_file(const char *path, int how, struct bawn_err *err)
{
	struct statfs fs;
	bawn_auto_fd fd = open(path, how | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 || fstatfs(fd, &fs) < 0)
		return bawn_fail(err, -errno, "open '%s'", path);
	if (fs.f_type != PROC_SUPER_MAGIC)
		return bawn_fail(err, -EINVAL, "write '%s', which is not the kernel's", path);
	return bawn_take_fd(&fd);
}

int bawn_write_maps(pid_t pid, uid_t uid, gid_t gid, struct bawn_err *err)
{
	char path[64], uids[48], gids[48];
	const struct { const char *file, *text; } row[] = { { "setgroups", "deny" }, { "uid_map", uids }, { "gid_map", gids } };
	snprintf(uids, sizeof uids, "%u %u 1", BAWN_INSIDE_ID, uid);
	snprintf(gids, sizeof gids, "%u %u 1", BAWN_INSIDE_ID, gid);
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		if (pid == 0)
			snprintf(path, sizeof path, "/proc/self/%s", row[i].file);
		else
			snprintf(path, sizeof path, "/proc/%d/%s", pid, row[i].file);
		bawn_auto_fd fd = bawn_open_kernel_file(path, O_WRONLY, err);
		if (fd < 0)
			return fd;
		if (write(fd, row[i].text, strlen(row[i].text)) < 0)
			return bawn_fail(err, -errno, "write '%s'", path);
	}
	return 0;
}

static int go(int ctl, int fd, struct bawn_err *err) { return bawn_box_tell(ctl, &(struct bawn_note){ .kind = BAWN_NOTE_GO }, fd, err); }

int bawn_box_namespaces(const struct bawn_box *box)
{
	static const struct { uint32_t layer; int flag; } row[] = {
		{ BAWN_LAYER_BIT(NETNS), CLONE_NEWNET }, { BAWN_LAYER_BIT(IPCNS), CLONE_NEWIPC }, { BAWN_LAYER_BIT(UTSNS), CLONE_NEWUTS } };
	int flags = CLONE_NEWNS;
	for (size_t i = 0; i < BAWN_LEN(row); i++)
		flags |= bawn_box_without(box, row[i].layer) ? 0 : row[i].flag;
	return bawn_box_joins_net(box) ? flags & ~CLONE_NEWNET : flags;
}

/* Only these stay: above all not the write end of the pipe, nor what the thread of net.c holds. */
static void keep_two(int a, int b)
{
	unsigned low = (unsigned)(a < b ? a : b), high = (unsigned)(a < b ? b : a);
	if (syscall(SYS_close_range, 3, low - 1, 0) < 0 || (low + 1 < high && syscall(SYS_close_range, low + 1, high - 1, 0) < 0) ||
	    syscall(SYS_close_range, high + 1, ~0u, 0) < 0)
		_exit(1);
}

static int clone_init(struct bawn_box *box, struct bawn_err *err)
{
	int ctl[2], live[2];
	int r = make_pair(ctl, err);
	if (r < 0)
		return r;
	box->init_ctl = ctl[0];
	bawn_auto_fd theirs = ctl[1];
	if (pipe2(live, O_CLOEXEC) < 0)
		return bawn_fail(err, -errno, "make a pipe");
	box->live = live[1];
	bawn_auto_fd watched = live[0];
	struct clone_args args = { .flags = (unsigned)bawn_box_namespaces(box) | CLONE_NEWPID | CLONE_PIDFD, .exit_signal = SIGCHLD,
	                           .pidfd = (uint64_t)(uintptr_t)&box->init_fd };
	args.flags |= box->root ? 0 : CLONE_NEWUSER;
	long pid = syscall(SYS_clone3, &args, sizeof args);
	if (pid < 0)
		return bawn_fail_as(err, BAWN_ERROR_ENFORCEMENT_MISSING, "namespaces", "make the sandbox's namespaces: %s", strerrordesc_np(errno));
	if (pid == 0) {
		keep_two(theirs, watched);
		bawn_init_main(box, theirs, watched);
	}
	box->init_pid = (pid_t)pid;
	if (!box->root)
		r = bawn_write_maps(box->init_pid, box->uid, box->gid, err);
	return r == 0 ? go(box->init_ctl, -1, err) : r;
}

/* Without them `why` says so, and the rlimits stand in for them if that may be. */
static void make_cgroups(struct bawn_box *box)
{
	struct bawn_err why = { 0 };
	if (bawn_box_without(box, BAWN_LAYER_BIT(CGROUP)))
		bawn_box_lacks(box, BAWN_LAYER_CGROUP, "left out");
	else if (bawn_cgroups_find(&box->cg, &why) < 0 || bawn_cgroups_make(&box->cg, &why) < 0)
		bawn_box_lacks(box, BAWN_LAYER_CGROUP, "%s", why.msg);
}

static void set_limits(struct bawn_box *box)
{
	struct bawn_err why = { 0 };
	if (box->cg.made && bawn_cgroups_limit(&box->cg, &box->spec.limits, &why) < 0)
		bawn_box_lacks(box, BAWN_LAYER_CGROUP, "%s", why.msg);
}

/* Sends in who is to live there. */
static int clone_program(struct bawn_box *box, struct bawn_err *err)
{
	int ctl[2];
	int w[3] = { -1, -1, -1 };
	int r = make_pair(ctl, err);
	if (r < 0)
		return r;
	box->ctl = ctl[0];
	bawn_auto_fd theirs = ctl[1];
	r = bawn_box_pipes(box, w, err);
	if (r < 0)
		return r;
	/* For our children to come; we stay where we are, but for the user namespace of the rootless tier. */
	if (setns(box->init_fd, CLONE_NEWPID | (box->root ? 0 : CLONE_NEWUSER)) < 0)
		return bawn_fail(err, -errno, "join the sandbox's process namespace");
	int v2 = box->cg.made ? bawn_cgroups_v2_fd(&box->cg) : -1;
	struct clone_args args = { .flags = CLONE_PIDFD | (v2 >= 0 ? CLONE_INTO_CGROUP : 0), .exit_signal = SIGCHLD,
	                           .pidfd = (uint64_t)(uintptr_t)&box->pid_fd, .cgroup = v2 >= 0 ? (unsigned)v2 : 0 };
	long pid = syscall(SYS_clone3, &args, sizeof args);
	if (pid == 0)
		bawn_program_main(box, theirs, w);
	bawn_close_fdp(&w[1]);
	bawn_close_fdp(&w[2]);
	if (pid < 0)
		return bawn_fail(err, -errno, "make the program's process");
	box->pid = (pid_t)pid;
	return 0;
}

/* On return the program is in the new root, and init may lock the door. */
static int move_in(struct bawn_box *box, struct bawn_err *err)
{
	struct bawn_note note;
	int fds[2];
	int r = bawn_box_listen(box, box->init_ctl, BAWN_NOTE_STANDS, &note, fds, err);
	if (r < 0)
		return bawn_wrap(err, r, "build the sandbox");
	r = go(box->ctl, -1, err);
	return r == 0 ? bawn_box_listen(box, box->ctl, BAWN_NOTE_JOINED, &note, fds, err) : r;
}

static int enter_room(struct bawn_box *box, struct bawn_err *err)
{
	struct bawn_note note;
	int fds[2];
	int r = bawn_verify_joined(box, err);  /* while init locks the door and the program puts on its filters */
	if (r == 0)
		r = bawn_box_listen(box, box->ctl, BAWN_NOTE_READY, &note, fds, err);
	if (r == 0)
		r = bawn_verify_power(box, err);
	/* Whoever is inside ends with init: where that has given up, its word counts. */
	int why = r < 0 ? bawn_box_given_up(box->init_ctl, err) : 0;
	if (r < 0 && why == 0)
		return r;
	if (r == 0)
		why = bawn_box_listen(box, box->init_ctl, BAWN_NOTE_ROOM, &note, fds, err);
	if (why < 0)
		return bawn_wrap(err, why, "build the sandbox");
	box->workspace = fds[0];
	box->code = fds[1];
	return bawn_verify_root(box, err);
}

/* Whatever rank the caller has is not the code's: no real-time policy (a cgroup of v1 would not take it
 * either), nothing better than nice 0. */
static int ordinary_rank(struct bawn_err *err)
{
	struct sched_param none = { .sched_priority = 0 };
	errno = 0;
	int nice = getpriority(PRIO_PROCESS, 0), was = errno, policy = sched_getscheduler(0);
	bool humble = policy == SCHED_OTHER || policy == SCHED_BATCH || policy == SCHED_IDLE;
	if (was != 0 || (!humble && sched_setscheduler(0, SCHED_OTHER, &none) < 0) ||
	    (nice < 0 && setpriority(PRIO_PROCESS, 0, 0) < 0))
		return bawn_fail(err, was != 0 ? -was : -errno, "run with ordinary priority");
	return 0;
}

/* Nor does the code stand where the caller was put: protected from the kernel when memory is short (at -1000 nobody in
 * the cgroup could be killed, and the memory limit would be waited at instead of ending the run). */
static int ordinary_victim(struct bawn_err *err)
{
	char text[16] = "";
	bawn_auto_fd fd = bawn_open_kernel_file("/proc/self/oom_score_adj", O_RDWR, err);
	if (fd < 0)
		return fd;
	if (read(fd, text, sizeof text - 1) < 0 || (text[0] == '-' && pwrite(fd, "0", 1, 0) < 0))
		return bawn_fail(err, -errno, "be an ordinary victim of a shortage of memory");
	return 0;
}

/* Random addresses and this kernel's own name, whatever setarch was told: what counts when the interpreter is executed. */
static int ordinary_addresses(struct bawn_err *err)
{
	return personality(PER_LINUX) < 0 ? bawn_fail(err, -errno, "have random addresses") : 0;
}

/* A kernel, a sysctl, a security module or a container that forbids a step of the building takes a wall away,
 * whichever step it was; what is short (memory, descriptors) is another matter. */
static void name_refusal(struct bawn_err *err)
{
	static const int refusal[] = { -EPERM, -EACCES, -ENOSYS, -EINVAL, -EOPNOTSUPP, -ENOSPC, -EUSERS };  /* ENOSPC: max_user_namespaces */
	for (size_t i = 0; err != NULL && i < BAWN_LEN(refusal); i++)
		if (err->code == refusal[i] && (err->type == BAWN_ERROR_INTERNAL || err->type == BAWN_ERROR_DISK_FULL))
			err->type = BAWN_ERROR_ENFORCEMENT_MISSING;
}

void bawn_box_begin(struct bawn_box *box)
{
	box->begun = true;
	box->root = geteuid() == 0;
	box->uid = geteuid();
	box->gid = getegid();
	int r = ordinary_rank(&box->early);
	if (r == 0)
		r = ordinary_victim(&box->early);
	if (r == 0)
		r = ordinary_addresses(&box->early);
	if (r < 0)
		return;
	bawn_net_ahead(&box->net);
	r = clone_init(box, &box->early);
	if (r < 0)
		return;
	make_cgroups(box);
	r = clone_program(box, &box->early);
	/* Where init has failed meanwhile, that is the reason, and what followed from it is not. */
	if (r < 0)
		(void)bawn_box_given_up(box->init_ctl, &box->early);
}

/* Here, where the host's files are to be seen: the texts of net_file, each with its end, and the certificates, in one. */
static int make_way(struct bawn_box *box, struct bawn_err *err)
{
	bawn_auto_buf all = BAWN_BUF(BAWN_WAY_BYTES);
	if (box->spec.network == BAWN_NETWORK_NONE)
		return 0;
	for (int i = 0; i < BAWN_NET_FILE_COUNT; i++)
		bawn_buf_add(&all, box->spec.net_file[i], strlen(box->spec.net_file[i]) + 1);
	int r = box->spec.ca_file[0] != '\0' ? bawn_read_file(AT_FDCWD, box->spec.ca_file, &all, NULL) : 0;
	if (r < 0)
		return bawn_fail_as(err, BAWN_ERROR_NETWORK_UNAVAILABLE, "network.ca_file", "read '%s': %s", box->spec.ca_file, strerrordesc_np(-r));
	return bawn_sealed_copy("way", bawn_buf_span(&all), &box->way, err);
}

/* Who is to come, with what it writes observations into and the network it joins, of which either may be missing. */
static int tell_program(struct bawn_box *box, struct bawn_err *err)
{
	int net = bawn_box_joins_net(box) ? box->net.fd : -1;
	return bawn_box_observes(box) ? bawn_box_tell_guest(box, box->ctl, box->area, net, err) : bawn_box_tell_guest(box, box->ctl, net, -1, err);
}

static int build(struct bawn_box *box, struct bawn_err *err)
{
	int r = make_way(box, err);
	if (r < 0)
		return r;
	r = bawn_box_tell_guest(box, box->init_ctl, box->slot_fd, box->way, err);
	if (r < 0)
		return bawn_wrap(err, r, "build the sandbox");
	set_limits(box);  /* while init furnishes the tree */
	r = bawn_box_area(box, err);
	if (r == 0)
		r = bawn_net_wait(&box->net, err);
	if (r == 0)
		r = tell_program(box, err);
	if (r == 0)
		r = move_in(box, err);
	int why = r < 0 ? bawn_box_given_up(box->init_ctl, err) : 0;  /* as in bawn_box_begin */
	if (why < 0)
		return bawn_wrap(err, why, "build the sandbox");
	if (r == 0)
		r = go(box->init_ctl, bawn_box_joins_net(box) ? box->net.fd : -1, err);
	if (r == 0 || r == -EPIPE)  /* gone already: it says why */
		r = enter_room(box, err);
	if (r == 0 && box->spec.network != BAWN_NETWORK_NONE && box->port < 0)
		r = bawn_fail_as(err, BAWN_ERROR_NETWORK_UNAVAILABLE, "network", "the sandbox has no port that leads out");
	return r == 0 ? bawn_box_check_need(box, err) : r;
}

int bawn_box_build(struct bawn_box *box, struct bawn_err *err)
{
	if (!box->begun)
		bawn_box_begin(box);
	if (box->root && box->spec.uid == 0)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "uid", "as root every run needs a uid of its own");
	if (box->root)
		box->uid = box->gid = (uid_t)box->spec.uid;
	int r = box->early.code;
	if (r < 0 && err != NULL)
		*err = box->early;
	if (r == 0)
		r = build(box, err);
	if (r < 0) {
		name_refusal(err);
		(void)bawn_explain_uid(box, err);
		bawn_box_kill(box);
		return r;
	}
	box->missing = ((1u << BAWN_LAYER_COUNT) - 1) & ~box->layers;
	return 0;
}

void bawn_box_kill(struct bawn_box *box)
{
	if (box->init_fd >= 0)
		(void)pidfd_send_signal(box->init_fd, SIGKILL, NULL, 0);  /* ESRCH: it is dead */
	if (box->pid_fd >= 0)
		(void)pidfd_send_signal(box->pid_fd, SIGKILL, NULL, 0);
	bawn_close_fdp(&box->live);  /* init ends by this, too: nobody is waited for who was not told */
	/* Init cannot go before all inside are reaped, and the program is ours to reap: take whatever
	 * comes until there is nothing more. */
	bawn_box_reap(box);
	bawn_close_fdp(&box->init_fd);
	bawn_close_fdp(&box->pid_fd);
	box->init_fd = box->pid_fd = -1;
}

void bawn_box_done(struct bawn_box *box)
{
	bawn_box_kill(box);
	bawn_cgroups_remove(&box->cg);
	bawn_net_done(&box->net);
	int *const fd[] = { &box->live, &box->init_ctl, &box->ctl, &box->out[1], &box->out[2], &box->port, &box->way, &box->listener,
		&box->workspace, &box->code, &box->mounts, &box->area, &box->slot_fd };
	for (size_t i = 0; i < BAWN_LEN(fd); i++)
		bawn_close_fdp(fd[i]);
}
