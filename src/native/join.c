/* join.c - the program's way into the namespaces that init was born with, and what it gives up on the way. */
#include <linux/sched.h>
#include <sched.h>
#include <sys/prctl.h>
#include "base/cleanup.h"
#include "native/box.h"
#include "native/caps.h"
#include "native/note.h"

/* It comes last: nothing takes as long to make. */
static int step_net(struct bawn_box *box, struct bawn_err *err)
{
	bawn_auto_fd net = bawn_take_fd(&box->net.fd);
	return bawn_box_joins_net(box) && setns(net, CLONE_NEWNET) < 0 ? bawn_fail(err, -errno, "join the sandbox's network") : 0;
}

/* A pipe belongs to who made it, and opening one by its name asks whose it is: without this `> /dev/stderr` is refused. */
static int own_streams(uid_t uid, gid_t gid, struct bawn_err *err)
{
	for (int fd = 1; fd <= 2; fd++)
		if (fchown(fd, uid, gid) < 0)
			return bawn_fail(err, -errno, "give the output to the run");
	return 0;
}

/* The run's ids as its namespaces' owner counts them.  Privilege is kept for the next two steps only. */
static int step_identity(struct bawn_box *box, struct bawn_err *err)
{
	uid_t uid = box->root ? box->uid : BAWN_INSIDE_ID;
	gid_t gid = box->root ? box->gid : BAWN_INSIDE_ID;
	if (bawn_box_without(box, BAWN_LAYER_BIT(UID)))
		return 0;
	int r = box->root ? own_streams(uid, gid, err) : 0;
	if (r < 0)
		return r;
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0)
		return bawn_fail(err, -errno, "keep the capabilities for a moment");
	r = bawn_ids_set(uid, gid, box->root, err);
	return r == 0 ? bawn_caps_raise(err) : r;
}

/* A user namespace of the run's own, which owns nothing else. */
static int step_user(struct bawn_box *box, struct bawn_err *err)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	bool own = !bawn_box_without(box, BAWN_LAYER_BIT(USERNS));
	if (own && unshare(CLONE_NEWUSER) < 0)
		return bawn_fail(err, -errno, "make a user namespace");
	/* A change of ids made /proc/self root's, and the launcher reads our namespaces there; exec sets this anew. */
	if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0)
		return bawn_fail(err, -errno, "stay visible");
	return own ? bawn_write_maps(0, uid, gid, err) : 0;
}

/* Its root is already what it will be when init has locked the door, so that nobody waits for that. */
static int step_root(struct bawn_box *box, struct bawn_err *err)
{
	struct bawn_note note;
	int none[2];
	(void)box;
	bawn_program_wait_for(BAWN_NOTE_GO, &note, none);  /* the tree stands */
	return bawn_tree_chroot(err);
}

/* From here on init may lock the door.  Not before: nobody makes a user namespace in the middle of a pivot_root. */
static int step_joined(struct bawn_box *box, struct bawn_err *err)
{
	struct bawn_note joined = { .kind = BAWN_NOTE_JOINED };
	(void)box;
	int r = bawn_note_send(BAWN_PROGRAM_CTL, &joined, NULL, 0);
	return r < 0 ? bawn_fail(err, r, "speak to the launcher") : 0;
}

static int step_caps(struct bawn_box *box, struct bawn_err *err)
{
	if (bawn_box_without(box, BAWN_LAYER_BIT(NO_CAPS)))
		return 0;
	int r = bawn_caps_bound(err);
	return r < 0 ? r : bawn_caps_clear(err);
}

static bawn_step *const step[] = {
	bawn_step_session, bawn_step_meet, step_net, bawn_step_rlimits, step_identity, step_user, step_root, bawn_step_port, step_joined, step_caps, bawn_step_privs, bawn_step_workspace,
	bawn_step_landlock, bawn_step_seccomp,
};

/* The program itself, so that nobody else is ever counted; the cgroup namespace only then, so that its root is
 * the slot's directory. */
static int join(const struct bawn_box *box, struct bawn_err *err)
{
	if (setns(box->init_fd, bawn_box_namespaces(box)) < 0)
		return bawn_fail(err, -errno, "join the sandbox's namespaces");
	int r = box->cg.made ? bawn_cgroups_enter(&box->cg, err) : 0;
	if (r == 0 && !bawn_box_without(box, BAWN_LAYER_BIT(CGROUPNS)) && unshare(CLONE_NEWCGROUP) < 0)
		r = bawn_fail(err, -errno, "make a cgroup namespace");
	return r;
}

_Noreturn void bawn_program_main(struct bawn_box *box, int ctl, const int out[3])
{
	struct bawn_err err = { 0 };
	if (join(box, &err) < 0)
		bawn_program_give_up(ctl, &err);
	bawn_program_run(box, ctl, out, step, BAWN_LEN(step));
}
