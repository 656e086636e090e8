/* program.c - the program until it becomes the interpreter.
 *
 * The program's steps are one table (native/join.c; in a container docker/inside.c), walked in order; the order is
 * the point: limits while they can still be set, identity, then privilege away, then the filters, and only then
 * the gate.  Each step fails closed: a report to the launcher and _exit. */
#include <elf.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "base/cleanup.h"
#include "native/box.h"
#include "native/note.h"

_Noreturn void bawn_program_give_up(int ctl, const struct bawn_err *err)
{
	struct bawn_note note = { .kind = BAWN_NOTE_FAILED, .err = *err };
	(void)!bawn_note_send(ctl, &note, NULL, 0);  /* the launcher sees the end of the socket anyway */
	_exit(1);
}

/* A wall that could not be put up and may do without, if the launcher's `need` agrees. */
static void lacks(enum bawn_layer layer, const struct bawn_err *err)
{
	struct bawn_note note = { .kind = BAWN_NOTE_LACKS, .layer = (uint32_t)layer, .err = *err };
	if (bawn_note_send(BAWN_PROGRAM_CTL, &note, NULL, 0) < 0)
		_exit(1);
}

void bawn_program_wait_for(uint32_t kind, struct bawn_note *note, int fds[static 2])
{
	if (bawn_note_recv(BAWN_PROGRAM_CTL, -1, note, fds) < 0 || note->kind != kind)
		_exit(1);
}

int bawn_step_session(struct bawn_box *box, struct bawn_err *err)
{
	(void)box;
	(void)umask(022);
	if (setsid() < 0 && errno != EPERM)  /* EPERM: leads one already */
		return bawn_fail(err, -errno, "start a session");
	/* The client had every signal put back, but for the two that libc hides: a host may have left those ignored. */
	static const uint64_t dfl[4], none;
	for (int s = 32; s <= 33; s++)
		if (syscall(SYS_rt_sigaction, s, dfl, NULL, sizeof none) < 0)
			return bawn_fail(err, -errno, "reset signal %d", s);
	if (syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof none) < 0)
		return bawn_fail(err, -errno, "reset the signal mask");
	return 0;
}

/* Up to here nobody has asked for anything. */
int bawn_step_meet(struct bawn_box *box, struct bawn_err *err)
{
	static struct bawn_note guest;  /* the interpreter's path stays in it */
	int fds[2];
	bawn_program_wait_for(BAWN_NOTE_GUEST, &guest, fds);
	bawn_box_meet(box, &guest.guest);
	const bool observes = bawn_box_observes(box);
	box->area = observes ? fds[0] : -1;
	box->net.fd = fds[observes ? 1 : 0];
	if (box->area < 0 || box->area == BAWN_AREA_FD)
		return 0;
	if (dup3(box->area, BAWN_AREA_FD, O_CLOEXEC) < 0)
		return bawn_fail(err, -errno, "keep what is written into for observation");
	bawn_close_fdp(&box->area);
	box->area = BAWN_AREA_FD;
	return 0;
}

int bawn_step_rlimits(struct bawn_box *box, struct bawn_err *err)
{
	return bawn_box_without(box, BAWN_LAYER_BIT(RLIMITS)) ? 0 : bawn_rlimits_apply(box, box->cg.up, err);
}

int bawn_port_open(int *out, struct bawn_err *err)
{
	const struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(BAWN_PORT), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	bawn_auto_fd fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || bind(fd, (const struct sockaddr *)&at, sizeof at) < 0 || listen(fd, 128) < 0)
		return bawn_fail_as(err, BAWN_ERROR_NETWORK_UNAVAILABLE, "network", "listen inside the sandbox: %s", strerrordesc_np(errno));
	*out = bawn_take_fd(&fd);
	return 0;
}

/* The one way out begins in here and is listened at from outside: the program keeps nothing of it. */
int bawn_step_port(struct bawn_box *box, struct bawn_err *err)
{
	bawn_auto_fd fd = -1;
	if (box->spec.network == BAWN_NETWORK_NONE)
		return 0;
	int r = bawn_port_open(&fd, err);
	if (r < 0)
		return r;
	struct bawn_note note = { .kind = BAWN_NOTE_PORT };
	r = bawn_note_send(BAWN_PROGRAM_CTL, &note, &fd, 1);
	return r < 0 ? bawn_fail(err, r, "speak to the launcher") : 0;
}

int bawn_step_privs(struct bawn_box *box, struct bawn_err *err)
{
	if (bawn_box_without(box, BAWN_LAYER_BIT(NO_NEW_PRIVS)))
		return 0;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? bawn_fail(err, -errno, "set no_new_privs") : 0;
}

static int no_interpreter(const struct bawn_box *box, struct bawn_err *err)
{
	const struct bawn_language_row *lang = &bawn_language[box->spec.language];
	return bawn_fail_as(err, BAWN_ERROR_INTERPRETER_MISSING, "interpreter",
	                    "'%s' is not there, or not to be read, in the sandbox: install the package '%s', or name another program with "
	                    "interpreters.%s in sandbox.yaml (under /usr; for python also a virtual environment of one that is, outside /tmp)",
	                    box->spec.interpreter, lang->package, lang->name);
}

/* Will the dynamic linker be there to load the hook?  Otherwise nobody would close its descriptor. */
static bool loads_libraries(const char *program)
{
	Elf64_Ehdr e;
	Elf64_Phdr p;
	char linker[64] = "";
	bawn_auto_fd fd = open(program, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || pread(fd, &e, sizeof e, 0) != (ssize_t)sizeof e || memcmp(e.e_ident, ELFMAG, SELFMAG) != 0 ||
	    e.e_ident[EI_CLASS] != ELFCLASS64)
		return false;
	for (unsigned i = 0; i < e.e_phnum; i++) {
		if (pread(fd, &p, sizeof p, (off_t)(e.e_phoff + i * sizeof p)) != (ssize_t)sizeof p)
			return false;
		if (p.p_type == PT_INTERP)
			return pread(fd, linker, sizeof linker - 1, (off_t)p.p_offset) > 0 && strstr(linker, "/ld-linux") != NULL;
	}
	return false;
}

int bawn_step_workspace(struct bawn_box *box, struct bawn_err *err)
{
	if (chdir("/workspace") < 0)
		return bawn_fail(err, -errno, "enter /workspace");
	struct stat st;
	bool there = stat(box->spec.interpreter, &st) == 0 && S_ISREG(st.st_mode) && access(box->spec.interpreter, X_OK) == 0;
	if (!there)
		return no_interpreter(box, err);
	if (box->area >= 0 && !loads_libraries(box->spec.interpreter))
		bawn_close_fdp(&box->area);
	return 0;
}

int bawn_step_landlock(struct bawn_box *box, struct bawn_err *err)
{
	if (bawn_box_without(box, BAWN_LAYER_BIT(LANDLOCK)))
		return 0;
	if (bawn_landlock_apply(err) < 0)
		lacks(BAWN_LAYER_LANDLOCK, err);
	return 0;
}

int bawn_step_seccomp(struct bawn_box *box, struct bawn_err *err)
{
	if (bawn_box_without(box, BAWN_LAYER_BIT(SECCOMP)))
		return 0;
	return bawn_seccomp_load(box->spec.language, !bawn_box_without(box, BAWN_LAYER_BIT(DENIAL_REPORTING)), &box->listener, err);
}

/* Takes `n` strings that stand back to back; false where there are fewer. */
static bool split(char **at, const char *end, char **out, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *nul = memchr(*at, '\0', (size_t)(end - *at));
		if (nul == NULL)
			return false;
		out[i] = *at;
		*at = nul + 1;
	}
	return true;
}

static int take_args(const struct bawn_note *go, int fd, char ***out_argv, char ***out_envp, struct bawn_err *err)
{
	struct stat st;
	if (fstat(fd, &st) < 0 || st.st_size <= 0)
		return bawn_fail(err, -EBADMSG, "read the arguments");
	size_t size = (size_t)st.st_size, n = (size_t)go->n_args + go->n_env + 3;  /* two ends, and the hook */
	char *text = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	char **all = mmap(NULL, n * sizeof *all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (text == MAP_FAILED || all == MAP_FAILED)
		return bawn_fail(err, -errno, "read the arguments");
	char *at = text;
	if (!split(&at, text + size, all, go->n_args) || !split(&at, text + size, all + go->n_args + 1, go->n_env))
		return bawn_fail(err, -EBADMSG, "read the arguments");
	*out_argv = all;
	*out_envp = all + go->n_args + 1;
	return 0;
}

/* What is in flight is counted against the sender's limit of open files, and without a uid of its own together with
 * whatever the user's other runs have in flight: so that limit comes last. */
static int hand_over(struct bawn_box *box, struct bawn_err *err)
{
	const struct bawn_note note = { .kind = BAWN_NOTE_LISTENER };
	int r = box->listener >= 0 ? bawn_note_send(BAWN_PROGRAM_CTL, &note, &box->listener, 1) : 0;
	if (r < 0)
		return bawn_fail(err, r, "speak to the launcher");
	bawn_close_fdp(&box->listener);
	return bawn_box_without(box, BAWN_LAYER_BIT(RLIMITS)) ? 0 : bawn_rlimits_files(box, err);
}

/* The gate: everything stands, the filter included; nothing of the request has been seen yet. */
static _Noreturn void gate(struct bawn_box *box)
{
	struct bawn_err err = { 0 };
	struct bawn_note go, ready = { .kind = BAWN_NOTE_READY };
	char **argv = NULL, **envp = NULL;
	int fds[2];
	if (hand_over(box, &err) < 0)
		bawn_program_give_up(BAWN_PROGRAM_CTL, &err);
	if (bawn_note_send(BAWN_PROGRAM_CTL, &ready, NULL, 0) < 0)
		_exit(1);
	bawn_program_wait_for(BAWN_NOTE_GO, &go, fds);
	if (take_args(&go, fds[0], &argv, &envp, &err) < 0)
		bawn_program_give_up(BAWN_PROGRAM_CTL, &err);
	if (dup2(fds[1], 0) < 0) {
		(void)bawn_fail(&err, -errno, "set standard input");
		bawn_program_give_up(BAWN_PROGRAM_CTL, &err);
	}
	static char preload[] = "LD_PRELOAD=" BAWN_AREA_HOOK;
	if (box->area >= 0 && fcntl(box->area, F_SETFD, 0) == 0)
		envp[go.n_env] = preload;
	(void)execve(box->spec.interpreter, argv, envp);
	if (errno == ENOENT || errno == EACCES || errno == ENOEXEC)
		(void)bawn_fail_as(&err, BAWN_ERROR_INTERPRETER_MISSING, "interpreter", "run '%s': %s",
		                   box->spec.interpreter, strerrordesc_np(errno));
	else
		(void)bawn_fail(&err, -errno, "run '%s'", box->spec.interpreter);
	bawn_program_give_up(BAWN_PROGRAM_CTL, &err);
}

/* Leaves 0 (empty), 1 and 2 (pipes) and 3 (the control socket), whatever numbers they came with. */
static void arrange_fds(int ctl, const int out[3])
{
	int high[3] = { fcntl(out[1], F_DUPFD_CLOEXEC, 10), fcntl(out[2], F_DUPFD_CLOEXEC, 10), fcntl(ctl, F_DUPFD_CLOEXEC, 10) };
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	null = null >= 0 ? fcntl(null, F_DUPFD_CLOEXEC, 10) : -1;
	if (null < 0 || high[0] < 0 || high[1] < 0 || high[2] < 0 || dup2(null, 0) < 0 || dup2(high[0], 1) < 0 ||
	    dup2(high[1], 2) < 0 || dup3(high[2], BAWN_PROGRAM_CTL, O_CLOEXEC) < 0 || syscall(SYS_close_range, BAWN_PROGRAM_CTL + 1, ~0u, 0) < 0)
		_exit(1);
}

_Noreturn void bawn_program_run(struct bawn_box *box, int ctl, const int out[3], bawn_step *const *step, size_t n)
{
	struct bawn_err err = { 0 };
	arrange_fds(ctl, out);
	box->listener = -1;
	for (size_t i = 0; i < n; i++)
		if (step[i](box, &err) < 0)
			bawn_program_give_up(BAWN_PROGRAM_CTL, &err);
	gate(box);
}
