/* box.h - one sandbox as the launcher builds it.
 *
 *	launcher --clone3(NEWNS NEWPID NEWIPC NEWUTS [rootless: NEWUSER NEWNET])--> init, PID 1 inside
 *	    |     |                               mounts, pivot_root; then only waits
 *	    |     +--thread, with privilege: unshare(NEWNET), loopback; init and program join it
 *	    +--setns(init's NEWPID [NEWUSER]), clone3--> program, PID 2 inside, the launcher's own child:
 *	                 its wait status is a kernel fact.  It joins init's other namespaces and its
 *	                 cgroups, takes its uid, and only then makes its user namespace
 *
 * Init, most of its tree, the cgroups and the program's process are there before anybody asks (bawn_box_begin);
 * who is to come is told to both then.
 * The three work side by side.  The program's root is the new one as soon as that stands; pivot_root waits
 * until the program is inside, since it moves everybody who is.
 *
 * Invariants: (1) no byte of the request enters before the program has its filter: it waits at the
 * gate, a socket read, after seccomp; (2) a wall that is needed and does not stand means nothing runs;
 * (3) which walls stand is read back from the kernel (verify.c), not remembered; (4) everything
 * inside dies with init, and init dies with the launcher: parent-death signal set after its last uid
 * change, and the end of a pipe only the launcher holds; (5) the program's user namespace owns none
 * of the others.
 * An attacker controls nothing until bawn_box_start; afterwards only what happens inside. */
#pragma once
#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>
#include "native/cgroup.h"
#include "sandbox/wire.h"

#define BAWN_PATIENCE_MS 20000    /* for a step that takes milliseconds; then the host is in trouble */
#define BAWN_INSIDE_ID 1000u   /* uid and gid of the program, as it sees itself */

/* A network namespace that a thread makes; ahead == false: init is born with one instead. */
struct bawn_net { pthread_t thread; bool ahead, joined; int fd; struct bawn_err err; };

struct bawn_note;
#define BAWN_WAY_BYTES (BAWN_CA_BYTES + BAWN_NET_FILE_COUNT * (BAWN_NET_FILE_BYTES + 1))  /* certificates, and what programs read */

struct bawn_box {
	struct bawn_sandbox_spec spec;   /* text borrowed from the launcher's copy of the message */
	bool     begun;
	struct bawn_err early;           /* what failed before anybody asked */
	bool     root;                   /* with privilege: own uid per run; else the rootless tier */
	uid_t    uid; gid_t gid;         /* of the run, on the host */
	int      slot_fd;                /* the slot's lock: kept here and in init */
	int      live;                   /* write end of the pipe init watches */
	pid_t    init_pid, pid;
	int      init_fd, pid_fd;        /* pidfds; -1 once reaped */
	int      init_ctl, ctl;
	int      out[3];                 /* read ends by stream number */
	int      port;                   /* listening socket of its namespace, where it has a way out; handed on, then -1 */
	int      way;                    /* how programs find the way out, and whom to believe there (make_way); -1: there is none */
	int      listener;               /* seccomp notifications, or -1 */
	struct bawn_net net;
	int      workspace, code;        /* directories, writable from here only */
	int      rooms[2];               /* further file systems the program may fill, where the workspace is not all; else -1 */
	int      mounts;                 /* its mount namespace, held so that it is taken apart after the answer; -1: sooner */
	int      area;                   /* what the interpreter's hook writes into (sandbox/area.h), or -1 */
	struct bawn_cgroups cg;
	uint32_t layers, missing;
	char     why[BAWN_LAYER_COUNT][160];
	bool     reaped; int status;     /* of the program, as waitpid gives it */
};

void bawn_box_init(struct bawn_box *box);
/* What needs no request: namespaces, init and most of the tree, cgroups, and the program's process in them, going up
 * while nobody has asked yet.  Where it failed bawn_box_build says so. */
void bawn_box_begin(struct bawn_box *box);
BAWN_MUST_CHECK int bawn_box_build(struct bawn_box *box, struct bawn_err *err);
/* Puts one input into /workspace (before start). */
BAWN_MUST_CHECK int bawn_box_put(struct bawn_box *box, const char *name, uint32_t mode, int fd, struct bawn_err *err);
/* `args` and `env` hold NUL-terminated strings back to back. */
BAWN_MUST_CHECK int bawn_box_start(struct bawn_box *box, int code_fd, int stdin_fd, const struct bawn_buf *args,
                                   const struct bawn_buf *env, struct bawn_err *err);
/* Kills and reaps all of it; afterwards nothing inside is alive.  May be called again. */
void bawn_box_kill(struct bawn_box *box);
/* Takes whatever child comes until there is none; the program's status is kept. */
void bawn_box_reap(struct bawn_box *box);
void bawn_box_done(struct bawn_box *box);

/* Which walls a test asked to leave out; always none in the launcher that is installed. */
static inline bool bawn_box_without(const struct bawn_box *box, uint32_t bit)
{
#ifdef BAWN_TEST_WALLS
	return (box->spec.without & bit) != 0;
#else
	(void)box, (void)bit;
	return false;
#endif
}
/* Only Python's interpreter can tell what it does. */
static inline bool bawn_box_observes(const struct bawn_box *box)
{
	return box->spec.observe && box->spec.language == BAWN_LANG_PYTHON;
}
/* One id inside for one outside, for process `pid` (0: ourselves), through a /proc seen to be one. */
BAWN_MUST_CHECK int bawn_write_maps(pid_t pid, uid_t uid, gid_t gid, struct bawn_err *err);
/* Those init is born with and the program joins; the process namespace apart. */
int bawn_box_namespaces(const struct bawn_box *box);
/* What is written below /proc is the kernel's, or nothing is: somebody may have mounted something else there. */
BAWN_MUST_CHECK int bawn_open_kernel_file(const char *path, int how, struct bawn_err *err);
void bawn_net_ahead(struct bawn_net *n);
BAWN_MUST_CHECK int bawn_net_wait(struct bawn_net *n, struct bawn_err *err);
void bawn_net_done(struct bawn_net *n);
BAWN_MUST_CHECK int bawn_net_loopback(struct bawn_err *err);
/* Whether the sandbox gets the one made ahead. */
static inline bool bawn_box_joins_net(const struct bawn_box *box)
{
	return box->net.ahead && !bawn_box_without(box, BAWN_LAYER_BIT(NETNS));
}
/* What one inside said last, if it failed; 0 where it said nothing. */
int bawn_box_given_up(int ctl, struct bawn_err *err);
BAWN_MUST_CHECK int bawn_box_tell(int ctl, const struct bawn_note *note, int fd, struct bawn_err *err);
/* Tells one inside who is to come; up to two descriptors go along, -1: none. */
BAWN_MUST_CHECK int bawn_box_tell_guest(const struct bawn_box *box, int ctl, int fd, int more, struct bawn_err *err);
/* The next note of a kind; what failed or is lacking is taken down on the way. */
BAWN_MUST_CHECK int bawn_box_listen(struct bawn_box *box, int ctl, uint32_t want, struct bawn_note *note, int fds[static 2], struct bawn_err *err);
BAWN_MUST_CHECK int bawn_box_pipes(struct bawn_box *box, int out_theirs[static 3], struct bawn_err *err);
/* The memory an observed interpreter writes into, where it is to be observed. */
BAWN_MUST_CHECK int bawn_box_area(struct bawn_box *box, struct bawn_err *err);
BAWN_MUST_CHECK int bawn_box_check_need(const struct bawn_box *box, struct bawn_err *err);
void bawn_box_lacks(struct bawn_box *box, enum bawn_layer layer, const char *why, ...) BAWN_PRINTF(3, 4);

/* The parts, one file each. */
/* *out_below: what of the host its root covers meanwhile; goes to bawn_tree_furnish. */
BAWN_MUST_CHECK int bawn_tree_base(const struct bawn_box *box, int *out_code, int *out_below, struct bawn_err *err);
/* What depends on who is to come. */
BAWN_MUST_CHECK int bawn_tree_furnish(const struct bawn_box *box, int below_stolen, int *out_workspace, struct bawn_err *err);
/* For the program, before bawn_tree_enter makes it the root of all who are inside. */
BAWN_MUST_CHECK int bawn_tree_chroot(struct bawn_err *err);
BAWN_MUST_CHECK int bawn_tree_enter(const struct bawn_box *box, struct bawn_err *err);
/* What those inside are told of the request becomes theirs; text stays borrowed from `g`. */
struct bawn_guest;
void bawn_box_meet(struct bawn_box *box, const struct bawn_guest *g);
_Noreturn void bawn_init_main(struct bawn_box *box, int ctl, int live);
_Noreturn void bawn_program_main(struct bawn_box *box, int ctl, const int out[3]);

/* The program's steps that are the same however the box is built, and the walk over a table of them. */
typedef int bawn_step(struct bawn_box *box, struct bawn_err *err);
bawn_step bawn_step_session, bawn_step_meet, bawn_step_rlimits, bawn_step_port, bawn_step_privs, bawn_step_workspace, bawn_step_landlock, bawn_step_seccomp;
#define BAWN_PROGRAM_CTL 3  /* the program's end of the control socket; closes at exec */
_Noreturn void bawn_program_run(struct bawn_box *box, int ctl, const int out[3], bawn_step *const *step, size_t n);
_Noreturn void bawn_program_give_up(int ctl, const struct bawn_err *err);
void bawn_program_wait_for(uint32_t kind, struct bawn_note *note, int fds[static 2]);
/* Listens at BAWN_PORT in the network namespace one is in. */
BAWN_MUST_CHECK int bawn_port_open(int *out_fd, struct bawn_err *err);
BAWN_MUST_CHECK int bawn_landlock_apply(struct bawn_err *err);
int  bawn_landlock_abi(void);
/* Loads the language's filter; *out_listener is -1 where the kernel gives none. */
BAWN_MUST_CHECK int bawn_seccomp_load(enum bawn_language language, bool notify, int *out_listener, struct bawn_err *err);
const char *bawn_syscall_name(int nr);  /* NULL where unknown */
const char *bawn_syscall_hint(int nr);  /* what to do instead; never NULL */
/* Answers one notification with its errno; the call's number, or a negative errno. */
int  bawn_seccomp_answer(int listener);
/* All but that of open files, which comes after what is still to be sent. */
BAWN_MUST_CHECK int bawn_rlimits_apply(const struct bawn_box *box, bool cgroup, struct bawn_err *err);
BAWN_MUST_CHECK int bawn_rlimits_files(const struct bawn_box *box, struct bawn_err *err);
/* Fill box->layers from what the kernel says about the program: where it is, once it has joined; what it may, once it
 * waits at the gate; what it sees, once the door is locked. */
BAWN_MUST_CHECK int bawn_verify_joined(struct bawn_box *box, struct bawn_err *err);
BAWN_MUST_CHECK int bawn_verify_power(struct bawn_box *box, struct bawn_err *err);
BAWN_MUST_CHECK int bawn_verify_root(struct bawn_box *box, struct bawn_err *err);
/* The same for a container, seen from inside it: in other namespaces than `outside` of the spec, a read-only root. */
void bawn_verify_contained(struct bawn_box *box);
/* Whether a build failed because root's user namespace lacks the run's ids: then *err says that. */
bool bawn_explain_uid(const struct bawn_box *box, struct bawn_err *err);
void bawn_explain(const struct bawn_box *box, const struct bawn_err *failure, struct bawn_probe *out);
