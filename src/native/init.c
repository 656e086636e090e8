/* init.c - PID 1 of the sandbox: builds the tree, then holds the namespaces open and reaps.
 *
 * Once sealed it has no capability, the run's uid, is not dumpable, and does nothing but wait for the
 * end of the launcher.  Children handed to it are reaped by the kernel (SIGCHLD ignored). */
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include "base/cleanup.h"
#include "native/box.h"
#include "native/caps.h"
#include "native/note.h"

static int build(struct bawn_box *box, int *code, int *below, struct bawn_err *err)
{
	int r = bawn_box_namespaces(box) & CLONE_NEWNET ? bawn_net_loopback(err) : 0;
	if (r == 0)
		r = bawn_tree_base(box, code, below, err);
	if (r == 0 && !bawn_box_without(box, BAWN_LAYER_BIT(UTSNS)) && sethostname("bawn", 4) < 0)
		r = bawn_fail(err, -errno, "set the host name");
	return r;
}

/* Gives up all privilege.  The parent-death signal comes last: a change of uid clears it. */
static int seal(const struct bawn_box *box, struct bawn_err *err)
{
	int r = box->root ? bawn_ids_set(box->uid, box->gid, true, err) : 0;
	if (r == 0)
		r = bawn_caps_clear(err);
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

/* What came along, or -1. */
static int wait_for(int ctl, uint32_t kind, struct bawn_note *note)
{
	int fd[2];
	if (bawn_note_recv(ctl, -1, note, fd) < 0 || note->kind != kind)
		_exit(1);
	return fd[0];
}

/* From here on the slot is taken as long as we are there. */
static void meet(struct bawn_box *box, int ctl, struct bawn_note *note)
{
	int fd[2];
	if (bawn_note_recv(ctl, -1, note, fd) < 0 || note->kind != BAWN_NOTE_GUEST)
		_exit(1);
	box->slot_fd = fd[0];
	box->way = fd[1];
	bawn_box_meet(box, &note->guest);
}

static int join_net(const struct bawn_box *box, int fd, struct bawn_err *err)
{
	bawn_auto_fd net = fd;
	return bawn_box_joins_net(box) && setns(net, CLONE_NEWNET) < 0 ? bawn_fail(err, -errno, "join the sandbox's network") : 0;
}

_Noreturn void bawn_init_main(struct bawn_box *box, int ctl, int live)
{
	struct bawn_err err = { 0 };
	struct bawn_note note;
	int dir[2] = { -1, -1 }, below = -1;
	(void)signal(SIGCHLD, SIG_IGN);
	(void)wait_for(ctl, BAWN_NOTE_GO, &note);  /* rootless: the uid map is there */
	int r = build(box, &dir[1], &below, &err);
	if (r < 0)
		give_up(ctl, &err);
	struct bawn_note guest;
	meet(box, ctl, &guest);
	r = bawn_tree_furnish(box, below, &dir[0], &err);
	if (r < 0)
		give_up(ctl, &err);
	if (bawn_note_send(ctl, &(struct bawn_note){ .kind = BAWN_NOTE_STANDS }, NULL, 0) < 0)
		_exit(1);
	r = join_net(box, wait_for(ctl, BAWN_NOTE_GO, &note), &err);  /* the program has joined: now the door can be locked */
	if (r == 0)
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
