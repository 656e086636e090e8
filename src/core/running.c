#include "core/running.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "base/ulid.h"

static int open_dir(const char *state_dir, int *out, struct bawn_err *err)
{
	char path[600];
	snprintf(path, sizeof path, "%s/running", state_dir);
	int r = bawn_make_dirs(path, 0700, err);
	if (r < 0)
		return r;
	*out = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return *out >= 0 ? 0 : bawn_fail(err, -errno, "open '%s'", path);
}

int bawn_running_mark(const char *state_dir, const char *exec, uint64_t log_from, int *out_fd, struct bawn_err *err)
{
	bawn_auto_fd dir = -1;
	int r = open_dir(state_dir, &dir, err);
	if (r < 0)
		return r;
	char tmp[64];
	snprintf(tmp, sizeof tmp, "%s.tmp", exec);
	bawn_auto_fd fd = openat(dir, tmp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return bawn_fail(err, -errno, "mark the execution as running");
	char text[32];
	int n = snprintf(text, sizeof text, "%" PRIu64 "\n", log_from);
	r = bawn_write_all(fd, text, (size_t)n, err);
	/* Locked before it gets its name: a sweep never meets it unlocked. */
	if (r == 0 && flock(fd, LOCK_EX | LOCK_NB) < 0)
		r = bawn_fail(err, -errno, "lock the running execution");
	if (r == 0 && renameat(dir, tmp, dir, exec) < 0)
		r = bawn_fail(err, -errno, "mark the execution as running");
	if (r < 0) {
		(void)unlinkat(dir, tmp, 0);  /* the failure is already being reported */
		return r;
	}
	*out_fd = bawn_take_fd(&fd);
	return 0;
}

void bawn_running_clear(const char *state_dir, const char *exec, int fd)
{
	bawn_auto_fd dir = -1;
	if (fd < 0)
		return;
	if (open_dir(state_dir, &dir, NULL) == 0)
		(void)unlinkat(dir, exec, 0);  /* left behind it costs the next opener one look */
	(void)close(fd);
}

struct find { const char *exec; json_t *intent; bool ended; };
static int find_entry(void *ctx, const struct bawn_entry *e)
{
	struct find *f = ctx;
	const char *exec = json_string_value(json_object_get(e->json, "exec"));
	const char *type = json_string_value(json_object_get(e->json, "type"));
	if (exec == NULL || type == NULL || strcmp(exec, f->exec) != 0)
		return 0;
	if (strcmp(type, bawn_record_name(BAWN_RECORD_EXEC_INTENT)) == 0) {
		json_decref(f->intent);
		f->intent = json_incref(e->json);
	}
	if (strcmp(type, bawn_record_name(BAWN_RECORD_EXEC_OUTCOME)) == 0 || strcmp(type, bawn_record_name(BAWN_RECORD_EXEC_LOST)) == 0)
		f->ended = true;
	return 0;
}

/* exec.lost carries what the history needs, from the intent. */
static int record_lost(struct bawn_audit *log, const json_t *intent, const char *exec, struct bawn_err *err)
{
	/* Not all of it: arguments and inputs may fill a record to the brim, and this one must fit. */
	static const char *const kept[] = { "request_sha256", "code_sha256", "started_at", "language", "path", "labels",
		"level", "score", "decision", "trust_level" };
	const json_t *from = json_object_get(intent, "body");
	bawn_auto_json body = json_object();
	bool ok = body != NULL;
	for (size_t i = 0; i < BAWN_LEN(kept); i++)
		if (json_object_get(from, kept[i]) != NULL)
			bawn_json_set(body, kept[i], json_deep_copy(json_object_get(from, kept[i])), &ok);
	bawn_json_set(body, "status", json_string("killed"), &ok);
	bawn_json_set(body, "intent_seq", json_deep_copy(json_object_get(intent, "seq")), &ok);
	if (!ok)
		return bawn_fail(err, -ENOMEM, "record a lost execution");
	struct bawn_receipt receipt;
	struct bawn_record rec = { .type = BAWN_RECORD_EXEC_LOST, .exec = exec, .body = body,
		.session = json_string_value(json_object_get(intent, "session")),
		.principal = json_object_get(intent, "principal") };
	return bawn_audit_put(log, &rec, &receipt, err);
}

static int settle(const char *audit_dir, struct bawn_audit *log, const char *exec, uint64_t from, unsigned *lost, struct bawn_err *err)
{
	struct find f = { .exec = exec };
	int r = bawn_audit_walk(audit_dir, from, find_entry, &f, err);
	bawn_auto_json intent = f.intent;
	if (r == 0 && intent != NULL && !f.ended) {
		r = record_lost(log, intent, exec, err);
		*lost += r == 0;
	}
	return r;
}

static int sweep_one(int dir, const char *name, const char *audit_dir, struct bawn_audit *log, unsigned *lost, struct bawn_err *err)
{
	bawn_auto_fd fd = openat(dir, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
		return 0;  /* gone meanwhile, or alive */
	if (fstat(fd, &st) < 0 || st.st_nlink == 0)
		return 0;  /* its owner finished between our open and our lock */
	bawn_auto_buf text = BAWN_BUF(64);
	uint64_t from = 0;
	if (bawn_read_fd(fd, name, &text, NULL) == 0)
		from = strtoull(text.p, NULL, 10);  /* a torn file: look through the whole log */
	int r = settle(audit_dir, log, name, from, lost, err);
	if (r == 0)
		(void)unlinkat(dir, name, 0);  /* left behind it costs the next opener one look */
	return r;
}

/* ---- after a power cut ---- */

#define LOOK_BACK 4096u  /* entries: more than are written in the minute before one, by far */
#define BOOT_LEN  64

struct newest { json_t *ended, *open; uint64_t looked; bool ok; };
static int note_newest(void *ctx, const struct bawn_entry *e)
{
	struct newest *n = ctx;
	const char *exec = json_string_value(json_object_get(e->json, "exec")), *type = json_string_value(json_object_get(e->json, "type"));
	if (exec != NULL && bawn_record_ends(type))
		bawn_json_set(n->ended, exec, json_true(), &n->ok);
	if (exec != NULL && strcmp(type, bawn_record_name(BAWN_RECORD_EXEC_INTENT)) == 0 && json_object_get(n->ended, exec) == NULL)
		bawn_json_set(n->open, exec, json_incref(e->json), &n->ok);
	return !n->ok ? -ENOMEM : ++n->looked >= LOOK_BACK;
}

/* Intents without an end and without a file: whoever had them is gone with the system he ran on. */
static int settle_newest(int dir, const char *audit_dir, struct bawn_audit *log, unsigned *lost, struct bawn_err *err)
{
	bawn_auto_json ended = json_object(), *open = json_object();
	struct newest n = { .ended = ended, .open = open, .ok = ended != NULL && open != NULL };
	int r = n.ok ? bawn_audit_walk_back(audit_dir, note_newest, &n, err) : -ENOMEM;
	const char *exec;
	json_t *intent;
	if (!n.ok)
		return bawn_fail(err, -ENOMEM, "look for lost executions");
	r = r > 0 ? 0 : r;
	json_object_foreach(open, exec, intent) {
		if (r < 0 || faccessat(dir, exec, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
			continue;  /* alive, or the sweep's */
		r = record_lost(log, intent, exec, err);
		*lost += r == 0;
	}
	return r;
}

/* Once in each life of the system, by one process. */
static int sweep_boot(int dir, const char *audit_dir, struct bawn_audit *log, unsigned *lost, struct bawn_err *err)
{
	bawn_auto_buf now = BAWN_BUF(BOOT_LEN), then = BAWN_BUF(BOOT_LEN);
	if (bawn_read_file(AT_FDCWD, "/proc/sys/kernel/random/boot_id", &now, NULL) < 0 || now.n == 0)
		return 0;
	bawn_auto_fd fd = openat(dir, "boot", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0 || (bawn_read_fd(fd, "boot", &then, NULL) == 0 && then.n == now.n && memcmp(then.p, now.p, now.n) == 0))
		return 0;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return 0;  /* somebody is at it */
	bawn_buf_reset(&then);
	if (lseek(fd, 0, SEEK_SET) == 0 && bawn_read_fd(fd, "boot", &then, NULL) == 0 && then.n == now.n && memcmp(then.p, now.p, now.n) == 0)
		return 0;  /* was, until now */
	int r = settle_newest(dir, audit_dir, log, lost, err);
	if (r == 0 && ftruncate(fd, 0) == 0 && pwrite(fd, now.p, now.n, 0) < 0)
		(void)!ftruncate(fd, 0);  /* then it is looked at once more */
	return r;
}

int bawn_running_sweep(const char *state_dir, const char *audit_dir, struct bawn_audit *log, unsigned *out_lost, struct bawn_err *err)
{
	bawn_auto_fd dir = -1;
	int r = open_dir(state_dir, &dir, err);
	if (r < 0)
		return r;
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bawn_auto_dir d = copy >= 0 ? fdopendir(copy) : NULL;
	if (d == NULL) {
		bawn_close_fdp(&copy);
		return bawn_fail(err, -errno, "list running executions");
	}
	unsigned lost = 0;
	for (struct dirent *e; r == 0 && (e = readdir(d)) != NULL; )
		if (bawn_ulid_valid(bawn_span(e->d_name)))
			r = sweep_one(dir, e->d_name, audit_dir, log, &lost, err);
	if (r == 0)
		r = sweep_boot(dir, audit_dir, log, &lost, err);
	if (r == 0)
		*out_lost = lost;
	return r;
}
