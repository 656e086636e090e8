#include "base/confine.h"
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#define MOST 250  /* a jump reaches 255 instructions */

bool bawn_limit_self(const struct bawn_most *row, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (setrlimit((__rlimit_resource_t)row[i].what, &(struct rlimit){ row[i].most, row[i].most }) < 0)
			return false;
	return true;
}

#if !defined(__x86_64__)
/* Nobody who asked to be confined goes on without: a port begins here. */
#error "the system calls of this processor have other numbers: write its filter first"
#elif defined(__SANITIZE_ADDRESS__)
static bool lock_syscalls(const unsigned short *needed, size_t count)
{
	(void)needed, (void)count;
	return true;
}
#else
static bool lock_syscalls(const unsigned short *needed, size_t count)
{
	struct sock_filter f[MOST + 6];
	unsigned n = 0;
	if (count > MOST)
		return false;
	f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
	f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < count; i++, n++)
		f[n] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, needed[i], (unsigned char)(count - i), 0);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &(struct sock_fprog){ .len = (unsigned short)n, .filter = f }) == 0;
}
#endif

bool bawn_confine_self(const unsigned short *needed, size_t n)
{
	return prctl(PR_SET_DUMPABLE, 0) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && lock_syscalls(needed, n);
}
