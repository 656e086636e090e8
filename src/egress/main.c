/* main.c - libexec/bawn/egress: one process per run that has a network (and its dialler, dial.h).
 *
 * Reads as: what to allow, from core; the dialler apart; everything given up; the loop.  The sandbox's port comes with
 * the last message and is not looked at before nothing is left to lose. */
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/confine.h"
#include "egress/proxy.h"

static struct bawn_rules rules;
static struct bawn_networks except;

/* No socket, no file, no program, nobody signalled: what is open is all there is. */
static const unsigned short needed[] = {
	SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_wait, SYS_epoll_pwait, SYS_accept4, SYS_recvfrom, SYS_recvmsg, SYS_sendto, SYS_sendmsg,
	SYS_setsockopt, SYS_shutdown, SYS_close, SYS_mmap, SYS_munmap, SYS_mremap, SYS_madvise, SYS_brk, SYS_clock_gettime, SYS_futex,
	SYS_restart_syscall, SYS_wait4, SYS_rt_sigreturn, SYS_exit_group,
};

static int take_row(struct bawn_ipc_msg *m, struct bawn_err *err)
{
	const char *text = bawn_ipc_get_text(&m->in, BAWN_EGRESS_TEXT);
	if (!bawn_ipc_in_end(&m->in))
		return bawn_fail(err, -EBADMSG, "read a row");
	return m->type == BAWN_EGRESS_RULE ? bawn_rules_add(&rules, bawn_span(text), err) : bawn_networks_add(&except, bawn_span(text), err);
}

/* Rows until START; its credential stays in `frame`. */
static int take_orders(char *frame, struct bawn_egress_start *out, int *out_port, struct bawn_err *err)
{
	for (;;) {
		struct bawn_ipc_msg m;
		int r = bawn_ipc_recv(BAWN_CHILD_SOCKET, frame, 0, &m, err);
		if (r < 0)
			return r;
		if (m.type == BAWN_EGRESS_START && m.n_fds == 1) {
			*out_port = bawn_ipc_take_fd(&m, 0);
			bawn_egress_get_start(&m.in, out);
			return bawn_ipc_in_end(&m.in) ? 0 : bawn_fail(err, -EBADMSG, "read what to do");
		}
		bool row = (m.type == BAWN_EGRESS_RULE || m.type == BAWN_EGRESS_PRIVATE) && m.n_fds == 0;
		r = row ? take_row(&m, err) : bawn_fail(err, -EPROTO, "message %u", m.type);
		bawn_ipc_msg_done(&m);
		if (r < 0)
			return r;
	}
}

/* As root: a uid that nobody else has.  Otherwise the caller's own, and there is nothing to give up. */
static int drop(uint64_t uid, struct bawn_err *err)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { 0 };
	gid_t id = (gid_t)uid;
	if (geteuid() == 0 && (uid == 0 || setgroups(0, NULL) < 0 || setresgid(id, id, id) < 0 || setresuid(id, id, id) < 0))
		return bawn_fail(err, uid == 0 ? -EINVAL : -errno, "give up root");
	if (geteuid() == 0 || syscall(SYS_capset, &head, none) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_DUMPABLE, 0) < 0)
		return bawn_fail(err, geteuid() == 0 ? -EPERM : -errno, "give up privileges");
	return 0;
}

static int limit(const struct bawn_net_limits *l, uint64_t cpu_s, struct bawn_err *err)
{
	const struct bawn_most row[] = {
		{ RLIMIT_CORE, 0 }, { RLIMIT_FSIZE, 0 }, { RLIMIT_NOFILE, 2 * l->at_once + 32 }, { RLIMIT_CPU, cpu_s },
#if !defined(__SANITIZE_ADDRESS__)
		{ RLIMIT_AS, 1u << 30 },
#endif
	};
	return bawn_limit_self(row, BAWN_LEN(row)) ? 0 : bawn_fail(err, -errno, "limit the proxy");
}

static int set_up(char *frame, struct bawn_egress_start *start, struct bawn_proxy_spec *out, int *out_pid, struct bawn_err *err)
{
	int r = take_orders(frame, start, &out->port, err);
	if (r == 0 && rules.n == 0)
		r = bawn_fail_as(err, BAWN_ERROR_NETWORK_UNAVAILABLE, "network.whitelist", "the whitelist is empty");
	if (r == 0)
		r = drop(start->uid, err);
	if (r == 0)
		r = limit(&start->limits, start->cpu_s, err);
	if (r == 0)
		r = *out_pid = bawn_dial_start(&rules, &except, &start->limits, &out->dialler, err);
	if (r >= 0 && !bawn_confine_self(needed, BAWN_LEN(needed)))
		r = bawn_fail(err, -errno, "confine the proxy");
	return r;
}

int main(void)
{
	struct bawn_err err = { 0 };
	struct bawn_egress_start start;
	bawn_auto_buf b = BAWN_IPC_BUF;
	char *frame = malloc(BAWN_IPC_MAX);
	/* Whatever the host left open is not ours. */
	if (frame == NULL || close_range(BAWN_CHILD_SOCKET + 1, ~0u, 0) < 0)
		return 1;
	struct bawn_proxy_spec spec = { .rules = &rules, .core = BAWN_CHILD_SOCKET, .port = -1, .dialler = -1 };
	int dialler = -1, r = set_up(frame, &start, &spec, &dialler, &err);
	if (r < 0) {
		bawn_ipc_put_err(&b, &err);
		(void)!bawn_ipc_send(BAWN_CHILD_SOCKET, BAWN_EGRESS_FAILED, &b, NULL, 0, 0, NULL);  /* who is gone needs no reason */
		return 1;
	}
	spec.limits = start.limits;
	spec.credential = start.credential;
	if (bawn_ipc_send(BAWN_CHILD_SOCKET, BAWN_EGRESS_READY, NULL, NULL, 0, 0, NULL) < 0)
		return 1;
	r = bawn_proxy_run(&spec);
	bawn_dial_stop(dialler, spec.dialler);
	return r;
}
