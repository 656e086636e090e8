/* init.c - PID 1 of the sandbox: builds the tree, then holds the namespaces open and reaps.
 *
 * Once sealed it has no capability, the run's uid, is not dumpable, and does nothing but wait for the
 * end of the launcher.  Children handed to it are reaped by the kernel (SIGCHLD ignored). */
#include <grp.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include "base/cleanup.h"
#include "native/box.h"
#include "native/caps.h"
#include "native/note.h"

static int loopback_up(struct bawn_err *err)
{
	bawn_auto_fd fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq ifr = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &ifr) < 0)
		return bawn_fail(err, -errno, "bring loopback up");
	return 0;
}

static int build(struct bawn_box *box, int *workspace, int *code, struct bawn_err *err)
{
	int r = bawn_tree_build(box, workspace, code, err);
	if (r == 0 && !bawn_box_without(box, BAWN_LAYER_BIT(NETNS)))
		r = loopback_up(err);
	if (r == 0 && !bawn_box_without(box, BAWN_LAYER_BIT(UTSNS)) && sethostname("bawn", 4) < 0)
		r = bawn_fail(err, -errno, "set the host name");
	return r;
}

/* Gives up all privilege.  The parent-death signal comes last: a change of uid clears it. */
static int seal(const struct bawn_box *box, struct bawn_err *err)
{
	if (box->root && (setgroups(0, NULL) < 0 || setresgid(box->gid, box->gid, box->gid) < 0 ||
	                  setresuid(box->uid, box->uid, box->uid) < 0))
		return bawn_fail(err, -errno, "give up root in init");
	int r = bawn_caps_clear(err);
	if (r < 0)
		return r;
	/* With no_new_privs nothing can come back, whatever the bounding set says. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		return bawn_fail(err, -errno, "seal init");
	return 0;
}

static _Noreturn void give_up(int ctl, const struct bawn_err *err)
{
	struct bawn_note note = { .kind = BAWN_NOTE_FAILED, .err = *err };
	(void)!bawn_note_send(ctl, &note, NULL, 0);  /* the launcher sees the end of the socket anyway */
	_exit(1);
}

static void wait_go(int ctl)
{
	struct bawn_note note;
	int none[2];
	if (bawn_note_recv(ctl, -1, &note, none) < 0 || note.kind != BAWN_NOTE_GO)
		_exit(1);
}

_Noreturn void bawn_init_main(struct bawn_box *box, int ctl, int live)
{
	struct bawn_err err = { 0 };
	int dir[2] = { -1, -1 };
	(void)signal(SIGCHLD, SIG_IGN);
	wait_go(ctl);  /* rootless: the uid map is there */
	int r = build(box, &dir[0], &dir[1], &err);
	if (r < 0)
		give_up(ctl, &err);
	wait_go(ctl);  /* the program has joined: now the door can be locked */
	r = bawn_tree_enter(box, &err);
	if (r == 0)
		r = seal(box, &err);
	if (r < 0)
		give_up(ctl, &err);
	struct bawn_note room = { .kind = BAWN_NOTE_ROOM };
	if (bawn_note_send(ctl, &room, dir, 2) < 0)
		_exit(1);
	bawn_close_fdp(&dir[0]);
	bawn_close_fdp(&dir[1]);
	bawn_close_fdp(&ctl);
	for (;;) {
		struct pollfd p = { .fd = live, .events = POLLIN };
		if (poll(&p, 1, -1) > 0)
			_exit(0);  /* the launcher is gone; the kernel ends everything in here */
	}
}
