/* hand.c - what is said and handed to a sandbox, however it was built: notes, inputs, code, arguments. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "native/box.h"
#include "native/note.h"

void bawn_box_init(struct bawn_box *box)
{
	*box = (struct bawn_box){ .slot_fd = -1, .live = -1, .init_fd = -1, .pid_fd = -1, .init_ctl = -1, .ctl = -1,
		.out = { -1, -1, -1 }, .listener = -1, .port = -1, .way = -1, .net = { .fd = -1 }, .workspace = -1, .code = -1, .rooms = { -1, -1 }, .mounts = -1, .area = -1 };
}

void bawn_box_lacks(struct bawn_box *box, enum bawn_layer layer, const char *why, ...)
{
	va_list ap;
	va_start(ap, why);
	vsnprintf(box->why[layer], sizeof box->why[layer], why, ap);
	va_end(ap);
}

/* What somebody inside said before it gave up, or 0. */
int bawn_box_given_up(int ctl, struct bawn_err *err)
{
	struct bawn_note note;
	int fds[2];
	if (bawn_note_recv(ctl, 0, &note, fds) < 0)
		return 0;
	bawn_close_fdp(&fds[0]);
	bawn_close_fdp(&fds[1]);
	if (note.kind != BAWN_NOTE_FAILED || note.err.code >= 0)
		return 0;
	if (err != NULL)
		*err = note.err;
	return note.err.code;
}

/* To one that is gone already nothing can be said: why it went is what counts. */
static int told(int ctl, int r, struct bawn_err *err)
{
	int why = r < 0 ? bawn_box_given_up(ctl, err) : 0;
	return why < 0 ? why : r < 0 ? bawn_fail(err, r, "speak to the sandbox") : 0;
}

int bawn_box_tell(int ctl, const struct bawn_note *note, int fd, struct bawn_err *err)
{
	return told(ctl, bawn_note_send(ctl, note, &fd, fd >= 0), err);
}

/* The next note that is not about a missing layer; a failure inside becomes ours. */
int bawn_box_listen(struct bawn_box *box, int ctl, uint32_t want, struct bawn_note *note, int fds[static 2], struct bawn_err *err)
{
	for (;;) {
		int r = bawn_note_recv(ctl, BAWN_PATIENCE_MS, note, fds);
		if (r < 0)
			return bawn_fail(err, r, "wait for the sandbox");
		if (note->kind == want)
			return 0;
		int *brought = note->kind == BAWN_NOTE_PORT ? &box->port : note->kind == BAWN_NOTE_LISTENER ? &box->listener : NULL;
		if (brought != NULL && *brought < 0)
			*brought = bawn_take_fd(&fds[0]);
		bawn_close_fdp(&fds[0]);
		bawn_close_fdp(&fds[1]);
		if (brought != NULL)
			continue;
		if (note->kind == BAWN_NOTE_LACKS && note->layer < BAWN_LAYER_COUNT) {
			bawn_box_lacks(box, (enum bawn_layer)note->layer, "%s", note->err.msg);
			continue;
		}
		if (note->kind == BAWN_NOTE_FAILED && note->err.code < 0) {
			if (err != NULL)
				*err = note->err;
			return note->err.code;
		}
		return bawn_fail(err, -EPROTO, "wait for the sandbox");
	}
}

int bawn_box_pipes(struct bawn_box *box, int w[static 3], struct bawn_err *err)
{
	for (int s = 1; s <= 2; s++) {
		int p[2];
		if (pipe2(p, O_CLOEXEC) < 0)
			return bawn_fail(err, -errno, "make a pipe");
		box->out[s] = p[0];
		w[s] = p[1];
		if (fcntl(p[0], F_SETFL, O_NONBLOCK) < 0)
			return bawn_fail(err, -errno, "make a pipe");
	}
	return 0;
}

/* Its size is sealed: whatever the program does to it, the hook never touches memory that is not there. */
int bawn_box_area(struct bawn_box *box, struct bawn_err *err)
{
	uint64_t magic = BAWN_AREA_MAGIC;
	if (!bawn_box_observes(box))
		return 0;
	box->area = memfd_create("observed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (box->area < 0 || ftruncate(box->area, sizeof(struct bawn_area)) < 0 ||
	    pwrite(box->area, &magic, sizeof magic, 0) != (ssize_t)sizeof magic ||
	    fcntl(box->area, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
		return bawn_fail(err, -errno, "make room for what is observed");
	return 0;
}

int bawn_box_check_need(const struct bawn_box *box, struct bawn_err *err)
{
	uint32_t absent = box->spec.need & ~box->layers & ((1u << BAWN_LAYER_COUNT) - 1);
	for (int i = 0; i < BAWN_LAYER_COUNT; i++)
		if (absent & 1u << i)
			return bawn_fail_as(err, BAWN_ERROR_ENFORCEMENT_MISSING, bawn_word(&bawn_layer_words, i),
			                    "the wall '%s' does not stand: %s", bawn_word(&bawn_layer_words, i), box->why[i]);
	return 0;
}

void bawn_box_meet(struct bawn_box *box, const struct bawn_guest *g)
{
	box->uid = g->uid;
	box->gid = g->gid;
	box->cg.up = g->in_cgroup;
	box->spec = (struct bawn_sandbox_spec){ .language = (enum bawn_language)g->language, .interpreter = g->interpreter, .environment = g->environment,
		.network = (enum bawn_network)g->network, .observe = g->observe, .without = g->without, .limits = g->limits };
}

/* Tells those inside who is to come. */
int bawn_box_tell_guest(const struct bawn_box *box, int ctl, int fd, int more, struct bawn_err *err)
{
	struct bawn_note note = { .kind = BAWN_NOTE_GUEST, .guest = {
		.uid = box->uid, .gid = box->gid, .limits = box->spec.limits, .in_cgroup = box->cg.up,
		.language = (uint32_t)box->spec.language, .without = box->spec.without, .network = (uint32_t)box->spec.network,
		.observe = box->spec.observe } };
	if (strlen(box->spec.interpreter) >= sizeof note.guest.interpreter)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "interpreter", "the interpreter's path is longer than %zu bytes",
		                    sizeof note.guest.interpreter - 1);
	memcpy(note.guest.interpreter, box->spec.interpreter, strlen(box->spec.interpreter) + 1);
	if (box->spec.environment != NULL)
		snprintf(note.guest.environment, sizeof note.guest.environment, "%s", box->spec.environment);  /* wire.c: it fits */
	int fds[] = { fd, more };
	int r = bawn_note_send(ctl, &note, fds, fd < 0 ? 0 : more < 0 ? 1 : 2);
	return told(ctl, r, err);
}

static int copy_fd(int from, int to, struct bawn_err *err)
{
	off_t at = 0;
	for (;;) {
		ssize_t n = sendfile(to, from, &at, 1u << 20);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return bawn_fail(err, -errno, "copy");
		if (n == 0)
			return 0;
	}
}

static int place(struct bawn_box *box, int dir, const char *name, uint32_t mode, int fd, struct bawn_err *err)
{
	bawn_auto_fd to = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (to < 0)
		return bawn_fail(err, -errno, "make '%s'", name);
	int r = copy_fd(fd, to, err);
	if (r == 0 && box->root && fchown(to, box->uid, box->gid) < 0)
		r = bawn_fail(err, -errno, "give '%s' to the run", name);
	if (r == 0 && fchmod(to, mode & 0777) < 0)
		r = bawn_fail(err, -errno, "set the mode of '%s'", name);
	return r;
}

/* Opens the directory `name` below `dir`, made if need be. */
static int step_into(struct bawn_box *box, int dir, const char *name, struct bawn_err *err)
{
	if (mkdirat(dir, name, 0755) < 0 && errno != EEXIST)
		return bawn_fail(err, -errno, "make directory '%s'", name);
	bawn_auto_fd sub = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (sub < 0 || (box->root && fchown(sub, box->uid, box->gid) < 0))
		return bawn_fail(err, -errno, "open directory '%s'", name);
	return bawn_take_fd(&sub);
}

/* A module beside the code is importable because /code has a link of that name. */
static int link_code(struct bawn_box *box, const char *name, struct bawn_err *err)
{
	char target[300];
	if (strcmp(name, bawn_language[box->spec.language].main_file) == 0)
		return 0;
	snprintf(target, sizeof target, "/workspace/%s", name);
	if (symlinkat(target, box->code, name) < 0 && errno != EEXIST)
		return bawn_fail(err, -errno, "link '%s' into /code", name);
	return 0;
}

int bawn_box_put(struct bawn_box *box, const char *name, uint32_t mode, int fd, struct bawn_err *err)
{
	char part[256];
	bawn_auto_fd dir = dup(box->workspace);
	bool top = true;
	for (const char *at = name; ; top = false) {
		size_t n = strcspn(at, "/");
		if (n == 0 || n >= sizeof part || (n == 1 && at[0] == '.') || (n == 2 && at[0] == '.' && at[1] == '.'))
			return bawn_fail_as(err, BAWN_ERROR_INPUT_INVALID, "inputs", "'%s' is not a relative name", name);
		memcpy(part, at, n);
		part[n] = '\0';
		int r = top ? link_code(box, part, err) : 0;
		if (r == 0 && at[n] == '\0')
			r = place(box, dir, part, mode, fd, err);
		if (r == -ENOSPC)
			return bawn_fail_as(err, BAWN_ERROR_INPUT_INVALID, "inputs", "input '%s' does not fit the disk limit", name);
		if (r < 0 || at[n] == '\0')
			return r < 0 ? bawn_wrap(err, r, "put input '%s'", name) : 0;
		int sub = step_into(box, dir, part, err);
		if (sub < 0)
			return sub;
		bawn_close_fdp(&dir);
		dir = sub;
		at += n + 1;
	}
}

/* How each interpreter is called; the code's path and the arguments follow. */
static const char *const option[BAWN_LANG_COUNT][3] = {
	[BAWN_LANG_PYTHON] = { "-s", "-u", NULL },
	[BAWN_LANG_BASH] = { "--noprofile", "--norc", NULL },
	[BAWN_LANG_JAVASCRIPT] = { NULL },
};
static const char *const environment[] = { "PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/workspace", "LANG=C.UTF-8", "TZ=UTC" };

static uint32_t count(const struct bawn_buf *b)
{
	uint32_t n = 0;
	for (size_t i = 0; i < b->n; i++)
		n += b->p[i] == '\0';
	return n;
}

static bool has_name(const struct bawn_buf *env, const char *entry)
{
	size_t n = strcspn(entry, "=") + 1;
	for (size_t at = 0; at < env->n; at += strlen(env->p + at) + 1)
		if (strncmp(env->p + at, entry, n) == 0)
			return true;
	return false;
}

static int pack(struct bawn_box *box, const struct bawn_buf *args, const struct bawn_buf *env, struct bawn_note *note,
                int *out_fd, struct bawn_err *err)
{
	const struct bawn_language_row *lang = &bawn_language[box->spec.language];
	bawn_auto_buf all = BAWN_BUF(8u << 20);
	bawn_buf_add(&all, box->spec.interpreter, strlen(box->spec.interpreter) + 1);
	for (int i = 0; option[box->spec.language][i] != NULL; i++)
		bawn_buf_add(&all, option[box->spec.language][i], strlen(option[box->spec.language][i]) + 1);
	bawn_buf_fmt(&all, "/code/%s", lang->main_file);
	bawn_buf_char(&all, '\0');
	bawn_buf_add(&all, args->p, args->n);
	note->n_args = count(&all);
	for (size_t i = 0; i < BAWN_LEN(environment); i++)
		if (!has_name(env, environment[i]))
			bawn_buf_add(&all, environment[i], strlen(environment[i]) + 1);
	bawn_buf_add(&all, env->p, env->n);
	note->n_env = count(&all) - note->n_args;
	if (bawn_buf_error(&all) < 0)
		return bawn_fail(err, bawn_buf_error(&all), "gather the arguments");
	return bawn_sealed_copy("args", bawn_buf_span(&all), out_fd, err);
}

int bawn_box_start(struct bawn_box *box, int code_fd, int stdin_fd, const struct bawn_buf *args,
                   const struct bawn_buf *env, struct bawn_err *err)
{
	struct bawn_note note = { .kind = BAWN_NOTE_GO };
	bawn_auto_fd strings = -1, null = -1;
	int r = place(box, box->code, bawn_language[box->spec.language].main_file, 0444, code_fd, err);
	if (r == 0)
		r = pack(box, args, env, &note, &strings, err);
	if (r < 0)
		return bawn_wrap(err, r, "hand over the code");
	if (stdin_fd < 0)
		stdin_fd = null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	r = bawn_note_send(box->ctl, &note, (int[]){ strings, stdin_fd }, 2);
	if (r < 0)
		return bawn_fail(err, r, "open the gate");
	int fds[2];
	r = bawn_note_recv(box->ctl, BAWN_PATIENCE_MS, &note, fds);
	bawn_close_fdp(&box->ctl);
	if (r == -EPIPE)
		return 0;  /* exec closed it: the interpreter runs */
	if (r == 0 && note.kind == BAWN_NOTE_FAILED && note.err.code < 0) {
		if (err != NULL)
			*err = note.err;
		return note.err.code;
	}
	return bawn_fail(err, r < 0 ? r : -EPROTO, "start the interpreter");
}

void bawn_box_reap(struct bawn_box *box)
{
	for (;;) {
		int status;
		pid_t pid = waitpid(-1, &status, __WALL);
		if (pid < 0 && errno == EINTR)
			continue;
		if (pid < 0)
			return;
		if (pid == box->pid && !box->reaped) {
			box->reaped = true;
			box->status = status;
		}
	}
}
