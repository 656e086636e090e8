/* main.c - the launcher program of the native backend. */
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "native/launch.h"

int main(void)
{
	struct bawn_launcher l;
	/* Whatever the host left open is not ours. */
	if (syscall(SYS_close_range, BAWN_WIRE_SOCKET + 1, ~0u, 0) < 0)
		return 1;
	(void)umask(022);
	/* A write beyond ulimit -f fails instead of ending us.  Blocked, not ignored: the program's own mask is put back. */
	sigset_t set;
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGXFSZ);
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
	if (bawn_launch_init(&l, BAWN_WIRE_SOCKET) < 0)
		return 1;
#ifndef BAWN_TEST_WALLS  /* what is left out must be known first */
	bawn_box_begin(&l.box);
#endif
	return bawn_launch_run(&l);
}
