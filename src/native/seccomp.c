/* seccomp.c - loads the filter made at build time, and answers what it reports.
 *
 * Invariants: (1) the filter decides, nobody else: a notification is only ever answered with an
 * errno, never CONTINUE, so nothing the program can change afterwards matters; (2) with the
 * supervisor gone the call fails too (ENOSYS).  An attacker controls the number of notifications,
 * which the launcher bounds. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include "base/cleanup.h"
#include "native/box.h"
#include "seccomp-tables.h"

static const struct { const struct sock_filter *f; size_t n; } filter[] = {
	[BAWN_LANG_PYTHON] = { bpf_python, BAWN_LEN(bpf_python) },
	[BAWN_LANG_BASH] = { bpf_bash, BAWN_LEN(bpf_bash) },
	[BAWN_LANG_JAVASCRIPT] = { bpf_javascript, BAWN_LEN(bpf_javascript) },
};
_Static_assert(BAWN_LEN(filter) == BAWN_LANG_COUNT, "one filter per language");

/* A refusal that tells the program it may not, as against one that makes a library fall back. */
static bool is_denial(const struct sock_filter *f)
{
	uint32_t data = f->k & SECCOMP_RET_DATA;
	return f->code == (BPF_RET | BPF_K) && (f->k & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO &&
	       (data == EPERM || data == EAFNOSUPPORT);
}

static int load(const struct sock_filter *f, size_t n, unsigned flags)
{
	struct sock_fprog prog = { .len = (unsigned short)n, .filter = (struct sock_filter *)(uintptr_t)f };
	long r = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &prog);
	return r < 0 ? -errno : (int)r;
}

int bawn_seccomp_load(enum bawn_language language, bool notify, int *out_listener, struct bawn_err *err)
{
	struct sock_filter f[1024];
	size_t n = filter[language].n;
	if (n > BAWN_LEN(f))
		return bawn_fail(err, -E2BIG, "load the system call filter");
	memcpy(f, filter[language].f, n * sizeof *f);
	for (size_t i = 0; i < n; i++)
		if (is_denial(&f[i]))
			f[i].k = SECCOMP_RET_USER_NOTIF;
	int r = notify ? load(f, n, SECCOMP_FILTER_FLAG_NEW_LISTENER) : -ENOSYS;
	if (r >= 0) {
		*out_listener = r;
		return 0;
	}
	r = load(filter[language].f, n, 0);
	if (r < 0)
		return bawn_fail(err, r, "load the system call filter");
	*out_listener = -1;
	return 0;
}

const char *bawn_syscall_name(int nr)
{
	return nr >= 0 && (size_t)nr < BAWN_LEN(syscall_name) ? syscall_name[nr] : NULL;
}

/* What to do instead: the names a row is for, each in blanks. */
static const struct { const char *names, *hint; } hint[] = {
	{ " ptrace process_vm_readv process_vm_writev process_madvise pidfd_getfd pidfd_send_signal kcmp ", "no process inside may look into another; debug and trace it outside" },
	{ " mount umount2 pivot_root chroot fsopen fsconfig fsmount fspick move_mount open_tree mount_setattr open_by_handle_at name_to_handle_at ",
	  "the file tree of a run is fixed; pass what it needs with --in" },
	{ " unshare setns clone ", "no new namespaces inside: containers and other sandboxes cannot be started in this one" },
	{ " bpf perf_event_open userfaultfd fanotify_init fanotify_mark ", "kernel tracing, profiling and fault handling are not for unread code" },
	{ " keyctl add_key request_key ", "there are no kernel keyrings inside" },
	{ " socket socketpair ", "only Unix, TCP and UDP sockets, and loopback; netlink, raw and other families are refused" },
	{ " setsockopt ", "this socket option is refused; the common ones of sockets and TCP are allowed" },
	{ " io_uring_setup io_uring_enter io_uring_register ", "no io_uring; use ordinary reads and writes (libraries fall back by themselves)" },
	{ " mmap mprotect pkey_mprotect ", "no memory that can be written and executed at once" },
	{ " mknod mknodat ", "no named pipes and no devices; use a plain pipe or a Unix socket" },
	{ " setuid setgid setreuid setregid setresuid setresgid setgroups setfsuid setfsgid capset ", "a run has one user and no privileges to give up or gain" },
	{ " setpriority sched_setscheduler sched_setattr sched_setparam sched_setaffinity ioprio_set ", "a run has no say in its priority; ask for more with --cpus" },
	{ " settimeofday clock_settime adjtimex clock_adjtime ", "the host's clock cannot be set; give the program its time as an argument" },
	{ " sethostname setdomainname ", "a run cannot name its machine; it has a name of its own already" },
	{ " shmget shmat shmctl shmdt semget semop semtimedop semctl msgget msgsnd msgrcv msgctl mq_open mq_unlink ",
	  "no System V IPC and no message queues; use pipes, Unix sockets, or files in /dev/shm" },
	{ " splice tee vmsplice ", "no moving of pages between files; use ordinary reads and writes" },
	{ " execveat ", "a program is executed by its path, and only from the read-only system" },
	{ " prctl arch_prctl personality modify_ldt ", "how the kernel treats the processes of a run is fixed before it begins" },
	{ " prlimit64 setrlimit ", "a process has a say in its own limits alone, and may only lower them" },
	{ " fcntl ", "plain locks and flags work; leases, locks of open files, other pipe sizes and packet mode do not" },
	{ " ioctl ", "there are no devices and no terminal inside; only asking for sizes and setting non-blocking mode work" },
	{ " sendto recvfrom sendmsg recvmsg sendmmsg recvmmsg ", "plain sending and receiving work; out-of-band data and zero-copy do not" },
	{ " reboot kexec_load kexec_file_load init_module finit_module delete_module swapon swapoff acct quotactl quotactl_fd iopl ioperm syslog vhangup ",
	  "this is the host's and not the run's to change; do it outside" },
};

const char *bawn_syscall_hint(int nr)
{
	char word[64];
	const char *name = bawn_syscall_name(nr);
	snprintf(word, sizeof word, " %s ", name != NULL ? name : "?");
	for (size_t i = 0; i < BAWN_LEN(hint); i++)
		if (strstr(hint[i].names, word) != NULL)
			return hint[i].hint;
	return "the sandbox allows no such system call, or not with these arguments";
}

int bawn_seccomp_answer(int listener)
{
	/* The kernel may know larger structs than this build; it fills what it was told. */
	struct seccomp_notif in = { 0 };
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &in) < 0)
		return -errno;
	uint32_t family = (uint32_t)in.data.args[0];
	bool unknown_family = in.data.nr == SYS_socket && family != 1 && family != 2 && family != 10;
	struct seccomp_notif_resp out = { .id = in.id, .error = unknown_family ? -EAFNOSUPPORT : -EPERM };
	(void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &out);  /* ENOENT: the caller was killed meanwhile */
	/* glibc asks netlink for the addresses whenever a name is looked up, in exactly these words, and does without. */
	if (in.data.nr == SYS_socket && family == AF_NETLINK && in.data.args[1] == (SOCK_RAW | SOCK_CLOEXEC) && in.data.args[2] == 0)
		return -EAFNOSUPPORT;
	return in.data.nr < 0 ? 0x7fff : in.data.nr;
}
