/* witness.c - a log that was put back, cut or grown anew contradicts its witness, an honest one never does. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "audit/witness.h"
#include "world.h"

static char *at(struct world *w, const char *name)
{
	static char path[4][200];
	static unsigned n;
	char *p = path[n++ % 4];
	snprintf(p, sizeof path[0], "%s/%s", w->tmp.path, name);
	return p;
}

static struct bawn_audit *open_seen(struct world *w, const char *witness, bool must, struct bawn_err *err)
{
	struct bawn_audit *a = NULL;
	struct bawn_audit_options o = { .node = "n1", .witness = witness != NULL ? at(w, witness) : NULL, .witness_must = must };
	(void)!bawn_audit_open(w->dir, &o, &a, err);
	return a;
}

static bool grow(struct world *w, const char *witness, int n, const char *text)
{
	struct bawn_err err = { 0 };
	auto_log a = open_seen(w, witness, true, &err);
	bool good = a != NULL;
	for (int i = 0; good && i < n; i++)
		good = put_text(a, text, NULL, &err) == 0;
	if (!good)
		diag("%s", err.msg);
	return good;
}

static enum bawn_error opens_seen(struct world *w, const char *witness)
{
	struct bawn_err err = { 0 };
	auto_log a = open_seen(w, witness, true, &err);
	if (a == NULL)
		diag("%s", err.msg);
	return a != NULL ? BAWN_ERROR_NONE : err.type;
}

static struct bawn_audit_report verify_seen(struct world *w, const char *witness, bool may)
{
	struct bawn_audit_report r = { .problem = "could not be read" };
	struct bawn_err err = { 0 };
	if (bawn_audit_verify(w->dir, &(struct bawn_audit_verify_options){ .witness = at(w, witness), .witness_may = may }, &r, &err) < 0)
		snprintf(r.problem, sizeof r.problem, "error: %.150s", err.msg);
	return r;
}

static const char *anchor_of_copy(struct world *w, const char *witness)
{
	static struct bawn_audit_report r;
	r = (struct bawn_audit_report){ 0 };
	(void)!bawn_audit_verify(w->dir, &(struct bawn_audit_verify_options){ .witness = at(w, witness), .copy = true }, &r, NULL);
	return r.ok ? r.anchor : r.problem;
}

static uint64_t knows(struct world *w, const char *witness)
{
	struct bawn_sighting s = { 0 };
	struct bawn_audit_report r = verify(w->dir);
	bawn_auto_fd fd = openat(w->tmp.fd, witness, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd >= 0 && bawn_witness_know(fd, r.origin, &s) == 0 ? s.seal.size : 0;
}

static void honest(void)
{
	auto_world w = world_make();
	struct stat st;
	ok(grow(&w, "wit", 3, "x") && knows(&w, "wit") == 4, "a log tells its witness at the latest when it is closed");
	ok(fstatat(w.tmp.fd, "wit", &st, 0) == 0 && (st.st_mode & 07777) == 0700, "whose directory is 0700");
	struct bawn_audit_report r = verify_seen(&w, "wit", false);
	ok(r.ok && strcmp(r.anchor, "same-uid") == 0 && r.witnessed == 4, "verify says how far it has seen: %s", r.problem);
	ok(grow(&w, "wit", 700, "y") && knows(&w, "wit") == 704 && verify_seen(&w, "wit", false).ok, "and it grows with the log");
	ok(grow(&w, NULL, 300, "z") && knows(&w, "wit") == 704 && verify_seen(&w, "wit", false).ok, "a log may know more than its witness");
	ok(opens_seen(&w, "wit") == BAWN_ERROR_NONE && knows(&w, "wit") == 1004, "the next opener makes up for it");
	ok(strcmp(verify(w.dir).anchor, "none") == 0, "without it there is no anchor");
	ok(bawn_audit_rotate_key(w.dir, &(struct bawn_audit_options){ .witness = at(&w, "wit") }, NULL, NULL, NULL) == 0 && knows(&w, "wit") == 1005 &&
	   grow(&w, "wit", 2, "k") && verify_seen(&w, "wit", false).ok, "so over a change of keys");
	struct bawn_audit_report none = verify_seen(&w, "nowhere", true), must = verify_seen(&w, "nowhere", false);
	ok(none.ok && strcmp(none.anchor, "none") == 0 && !must.ok && strstr(must.problem, "error") != NULL, "one that is not there is no anchor, or an error");
	ok(mkdirat(w.tmp.fd, "empty", 0700) == 0 && verify_seen(&w, "empty", true).ok && !verify_seen(&w, "empty", false).ok, "so one that knows nothing of it: %s", verify_seen(&w, "empty", false).problem);
}

/* The whole directory, keys and checkpoint too: to itself it is a good log. */
static void rolled_back(void)
{
	static const struct { const char *name; bool new_key; int again; } row[] = {
		{ "put back to an older copy", false, 0 },
		{ "put back to before a change of keys", true, 0 },
		{ "put back and grown again, still shorter", false, 2 },
		{ "put back and grown again to the same length", false, 4 },
		{ "put back and grown beyond, from another past", false, 9 },
		{ "put back and grown far beyond", false, 600 },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		auto_world w = world_make();
		bool good = grow(&w, "wit", 3, "old") && sh(&w, "cp -a a older");
		if (row[i].new_key)
			good = good && bawn_audit_rotate_key(w.dir, &(struct bawn_audit_options){ .witness = at(&w, "wit") }, NULL, NULL, NULL) == 0;
		good = good && grow(&w, "wit", 4, "new") && verify_seen(&w, "wit", false).ok && opens_seen(&w, "wit") == BAWN_ERROR_NONE;
		good = good && sh(&w, "rm -r a && mv older a") && grow(&w, NULL, row[i].again, "other");
		ok(good && verify(w.dir).ok && sh(&w, "cp -a a copy"), "a log %s: it looks good", row[i].name);
		struct bawn_audit_report r = verify_seen(&w, "wit", false);
		ok(!r.ok, "its witness knows better: %s", r.problem);
		ok(opens_seen(&w, "wit") == BAWN_ERROR_AUDIT_TAMPERED && opens_seen(&w, "wit") == BAWN_ERROR_AUDIT_TAMPERED, "and it is refused");
		struct bawn_err err = { 0 };
		ok(open_seen(&w, "wit", true, &err) == NULL && strstr(err.msg, row[i].again < 4 ? "cut or put back" : "another past") != NULL, "with the reason");
		ok(sh(&w, "diff -r a copy"), "and left as it was found");
		ok(opens_seen(&w, NULL) == BAWN_ERROR_NONE, "without a witness it goes unnoticed");
	}
}

static void cut(void)
{
	auto_world w = world_make();
	ok(grow(&w, "wit", 3, "x"), "a log");
	bawn_auto_buf seg = get(&w, SEG0), head = get(&w, "a/head");
	ok(grow(&w, "wit", 4, "y"), "that grew");
	set(&w, SEG0, seg.p, seg.n);
	set(&w, "a/head", head.p, head.n);
	forget_checkpoint(&w);
	ok(verify(w.dir).ok && !verify_seen(&w, "wit", false).ok && opens_seen(&w, "wit") == BAWN_ERROR_AUDIT_TAMPERED, "its last entries cut off with their head are missed");
	bawn_buf_str(&seg, "{\"v\":1,\"seq\"");
	set(&w, SEG0, seg.p, seg.n);
	ok(!verify_seen(&w, "wit", false).ok && opens_seen(&w, "wit") == BAWN_ERROR_AUDIT_TAMPERED && files_in(&w, "a/quarantine") == 0,
	   "also behind a tail that looks torn, and nothing is cut");
	ok(opens_seen(&w, NULL) == BAWN_ERROR_NONE, "without a witness it goes unnoticed");
}

/* What crashes leave must never look like somebody's hand. */
static void crashes(void)
{
	auto_world w = world_make();
	ok(grow(&w, "wit", 3, "x"), "a log");
	bawn_auto_buf head = get(&w, "a/head");
	ok(grow(&w, "wit", 4, "y"), "that grew");
	set(&w, "a/head", head.p, head.n);
	forget_checkpoint(&w);
	ok(verify_seen(&w, "wit", false).ok && opens_seen(&w, "wit") == BAWN_ERROR_NONE && verify(w.dir).entries == 8, "a head that lags behind its witness is brought up");
	pid_t pid = fork();
	if (pid == 0) {
		struct bawn_audit *a = open_seen(&w, "wit", true, NULL);
		for (int i = 0; i < 5; i++)
			(void)!put_text(a, "then killed", NULL, NULL);
		(void)raise(SIGKILL);
	}
	(void)waitpid(pid, NULL, 0);
	ok(knows(&w, "wit") == 8 && verify(w.dir).entries == 13 && verify_seen(&w, "wit", false).ok, "killed before it was closed, the witness lags");
	ok(opens_seen(&w, "wit") == BAWN_ERROR_NONE && knows(&w, "wit") == 13, "until the next opener");
	char file[100], name[BAWN_WITNESS_NAME];
	bawn_witness_name(verify(w.dir).origin, name);
	snprintf(file, sizeof file, "wit/%s", name);
	bawn_auto_buf whole = get(&w, file);
	int bad = 0;
	for (size_t n = 0; n <= whole.n; n++) {
		set(&w, file, whole.p, n);
		bad += opens_seen(&w, "wit") != BAWN_ERROR_NONE || knows(&w, "wit") != 13;
	}
	ok(bad == 0, "a witness's file cut at any of %zu bytes is no alarm, and made good (%d wrong)", whole.n, bad);
}

static void never_less(void)
{
	auto_world w = world_make();
	ok(grow(&w, "wit", 1, "x"), "a log");
	bawn_auto_fd fd = openat(w.tmp.fd, "wit", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct bawn_head h;
	struct bawn_sighting s = { 0 };
	bawn_head_init(&h);
	int bad = 0;
	off_t longest = 0;
	memset(h.hash, 'a', 64);
	for (uint64_t n = 1; n <= 2000; n++) {
		char name[BAWN_WITNESS_NAME];
		struct stat st = { 0 };
		h.size = h.seal.size = n % 3 == 0 ? n / 2 : n;
		bad += bawn_witness_tell(fd, "o/1", &h, n % 100 == 0, NULL) < 0 || bawn_witness_know(fd, "o/1", &s) < 0 || s.seal.size != (n % 3 == 0 ? n - 1 : n);
		bawn_witness_name("o/1", name);
		bad += fstatat(fd, name, &st, 0) < 0;
		longest = st.st_size > longest ? st.st_size : longest;
	}
	ok(bad == 0, "told of less, a witness keeps what it knows (%d wrong)", bad);
	ok(longest > 60000 && longest < 70000, "its file does not grow for ever (%d bytes)", (int)longest);
	char name[BAWN_WITNESS_NAME], path[100];
	bawn_witness_name("o/1", name);
	snprintf(path, sizeof path, "wit/%s", name);
	bawn_auto_buf text = get(&w, path);
	char *first = strchr(text.p, '\n') + 1;  /* two writers may come in either order */
	bawn_auto_buf late = BAWN_BUF(2000);
	bawn_buf_add(&late, first, (size_t)(strchr(first, '\n') + 1 - first));
	bawn_buf_add(&text, late.p, late.n);
	set(&w, path, text.p, text.n);
	ok(bawn_witness_know(fd, "o/1", &s) == 0 && s.seal.size == 2000, "the largest counts, not the last");
	ok(bawn_witness_know(fd, "o/2", &s) == -ENOENT && knows(&w, "wit") == 2, "each log has its own");
}

/* Threads of one handle: one commits and tells, another makes tiles and tells. */
struct teller { int fd; uint64_t from; int lost; };
static void *tell_all(void *arg)
{
	struct teller *t = arg;
	struct bawn_head h;
	struct bawn_sighting s = { 0 };
	bawn_head_init(&h);
	memset(h.hash, 'a', 64);
	for (uint64_t n = t->from; n < 6000; n += 2) {
		h.size = h.seal.size = n;
		t->lost += bawn_witness_tell(t->fd, "o/1", &h, n % 10 < 2, NULL) == 0 && (bawn_witness_know(t->fd, "o/1", &s) < 0 || s.seal.size < n);
	}
	return NULL;
}

static void by_threads(void)
{
	auto_world w = world_make();
	bawn_auto_fd fd = -1;
	bool good = bawn_witness_open(at(&w, "wit"), &fd, NULL) == 0;
	struct teller t[] = { { .fd = fd, .from = 1 }, { .fd = fd, .from = 2 } };
	pthread_t id[2];
	for (int i = 0; good && i < 2; i++)
		good = pthread_create(&id[i], NULL, tell_all, &t[i]) == 0;
	for (int i = 0; good && i < 2; i++)
		(void)pthread_join(id[i], NULL);
	ok(good && t[0].lost + t[1].lost == 0, "what two threads tell it over one handle it knows (%d lost)", t[0].lost + t[1].lost);
}

/* Another log, whole and signed by a key of its own, where one was that the witness remembers. */
static void replaced(void)
{
	auto_world w = world_make();
	const struct bawn_audit_verify_options own = { .witness = at(&w, "wit"), .witness_may = true, .witness_own = true };
	struct bawn_audit_report r = { 0 };
	struct bawn_err err = { 0 };
	bool good = grow(&w, NULL, 2, "foreign") && sh(&w, "mv a foreign") && grow(&w, "wit", 5, "ours") && bawn_audit_verify(w.dir, &own, &r, NULL) == 0 && r.ok;
	good = good && sh(&w, "mv a ours && cp -a foreign a");
	ok(good && verify(w.dir).ok, "a log in place of another looks good");
	ok(good && bawn_audit_verify(w.dir, &own, &r, NULL) == 0 && !r.ok && strstr(r.problem, "was replaced") != NULL, "the witness that was the other's alone knows better: %s", r.problem);
	ok(open_seen(&w, "wit", false, &err) == NULL && err.type == BAWN_ERROR_AUDIT_TAMPERED && strstr(err.msg, "was replaced") != NULL, "and nobody goes on with it: %s", err.msg);
	ok(opens_seen(&w, "wit") == BAWN_ERROR_NONE, "control: one that several logs share says nothing of the others");
	good = sh(&w, "rm -r a wit && cp -a ours a") && grow(&w, "wit", 1, "ours") && sh(&w, "rm -r a");
	auto_log anew = good ? open_seen(&w, "wit", false, &err) : NULL;
	ok(anew != NULL && strstr(anew->weakness, "begun anew") != NULL && put_text(anew, "x", NULL, NULL) == 0, "one that was begun anew says so itself");
	char name[BAWN_WITNESS_NAME], file[100];
	bawn_witness_name(verify(w.dir).origin, name);
	snprintf(file, sizeof file, "wit/%s", name);
	good = unlinkat(w.tmp.fd, file, 0) == 0;
	err = (struct bawn_err){ 0 };
	auto_log again = good ? open_seen(&w, "wit", false, &err) : NULL;
	ok(again != NULL && bawn_audit_verify(w.dir, &own, &r, NULL) == 0 && r.ok && r.previous > 0, "and is no alarm before its witness knows of it: %s%s", err.msg, r.problem);
}

static void unwritable(void)
{
	auto_world w = world_make();
	struct bawn_err err = { 0 };
	set(&w, "file", "x", 1);
	ok(open_seen(&w, "file/wit", true, &err) == NULL && err.type != BAWN_ERROR_NONE && strstr(err.msg, "witness") != NULL, "a witness that must be and cannot: %s", err.msg);
	auto_log a = open_seen(&w, "file/wit", false, &err);
	ok(a != NULL && strstr(a->weakness, "no witness") != NULL && put_text(a, "x", NULL, &err) == 0, "one that may: the log says what it lacks: %s", a->weakness);
	auto_log b = open_seen(&w, "wit", false, &err);
	ok(b != NULL && b->weakness[0] == '\0', "where it has one it says nothing");
}

static void of_another_user(void)
{
	auto_world w = world_make();
	if (getuid() != 0) {
		skip("a witness's file that cannot be read is a weakness", "needs root to become another user");
		return;
	}
	ok(grow(&w, "wit", 1, "x") && sh(&w, "chmod 755 . && chown -R 65534 a wit && chown 0 wit/*"), "a log whose witness's file root has made");
	pid_t pid = fork();
	if (pid == 0) {
		struct bawn_err err = { 0 };
		if (setresuid(65534, 65534, 65534) < 0)
			_exit(9);
		struct bawn_audit *a = open_seen(&w, "wit", false, &err);
		_exit(!(a != NULL && strstr(a->weakness, "witness") != NULL && open_seen(&w, "wit", true, &err) == NULL));
	}
	int status = -1;
	ok(waitpid(pid, &status, 0) == pid && status == 0, "one that cannot be read is a weakness, or an error where it must be");
}

static void waited_for(void)
{
	auto_world w = world_make();
	auto_log a = open_seen(&w, "wit", true, NULL);
	ok(put_text(a, "x", NULL, NULL) == 0 && knows(&w, "wit") == 1, "an entry like others is told later");
	ok(bawn_audit_put(a, &(struct bawn_record){ .type = BAWN_RECORD_POLICY_CHANGED }, NULL, NULL) == 0 && knows(&w, "wit") == 3, "policy.changed is not acknowledged before");
	struct bawn_err err = { 0 };
	ok(sh(&w, "rm -r wit") && bawn_audit_put(a, &(struct bawn_record){ .type = BAWN_RECORD_POLICY_CHANGED }, NULL, &err) < 0 && strstr(err.msg, "witness") != NULL,
	   "and not at all where the witness is gone: %s", err.msg);
}

/* No file may grow that long: the log fits, its witness does not. */
static void too_long(void)
{
	const struct rlimit low = { 100u << 10, 1u << 30 }, high = { 1u << 30, 1u << 30 };
	auto_world w = world_make();
	struct bawn_err err = { 0 };
	(void)setrlimit(RLIMIT_FSIZE, &high);
	ok(grow(&w, "wit", 3, "x"), "a log");
	(void)setrlimit(RLIMIT_FSIZE, &low);
	auto_log must = open_seen(&w, "wit", true, &err);
	auto_log may = open_seen(&w, "wit", false, &err);
	const struct bawn_record change = { .type = BAWN_RECORD_POLICY_CHANGED };
	ok(put_text(may, "x", NULL, &err) == 0 && may->weakness[0] == '\0', "an entry like others does not need it");
	ok(bawn_audit_put(must, &change, NULL, &err) < 0 && strstr(err.msg, "witness") != NULL, "a witness that must know and cannot be told: %s", err.msg);
	ok(bawn_audit_put(may, &change, NULL, &err) == 0 && strstr(may->weakness, "witness") != NULL, "one that may: the log says so from then on: %s", may->weakness);
	const uint64_t entries = verify(w.dir).entries;
	err = (struct bawn_err){ 0 };
	ok(bawn_audit_rotate_key(w.dir, &(struct bawn_audit_options){ .witness = at(&w, "wit") }, NULL, NULL, &err) < 0 && strstr(err.msg, "nothing was done") != NULL &&
	   verify(w.dir).entries == entries && verify(w.dir).epoch == 0, "no key goes that it does not know of: %s", err.msg);
	(void)setrlimit(RLIMIT_FSIZE, &high);
	ok(bawn_audit_rotate_key(w.dir, &(struct bawn_audit_options){ .witness = at(&w, "wit") }, NULL, NULL, &err) == 0 && verify_seen(&w, "wit", false).ok, "with room it does");
}

/* The log has room and its witness has none: what is written is written once, and only what needs the witness fails. */
static void no_room(void)
{
	auto_world w = world_make();
	char dir[200];
	struct bawn_err err = { 0 };
	if (getuid() != 0) {
		skip("a witness without room", "needs root to mount a small file system");
		return;
	}
	snprintf(dir, sizeof dir, "%s/small", w.tmp.path);
	bool good = unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 && mkdir(dir, 0700) == 0 &&
	            mount("tmpfs", dir, "tmpfs", MS_NOSUID | MS_NODEV, "size=64k") == 0;
	struct bawn_audit *a = good ? open_seen(&w, "small/wit", true, &err) : NULL;
	good = a != NULL && bawn_audit_put(a, &(struct bawn_record){ .type = BAWN_RECORD_POLICY_CHANGED }, NULL, &err) == 0;
	ok(good, "control: with room the change of a policy is acknowledged %s", err.msg);
	static char block[4096];
	char fill[220];
	snprintf(fill, sizeof fill, "%s/fill", dir);
	bawn_auto_fd fd = open(fill, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	while (write(fd, block, sizeof block) > 0)
		continue;
	uint64_t ticket[3];
	static const enum bawn_record_type type[] = { BAWN_RECORD_EXEC_OUTCOME, BAWN_RECORD_POLICY_CHANGED, BAWN_RECORD_EXEC_INTENT };
	int refused = 0;
	struct bawn_receipt receipt[3] = { 0 };
	/* The witness's file has room left in its last page: until that is used up nothing is refused. */
	for (int i = 0; good && refused == 0 && i < 60; i++) {
		struct tally before = tally(w.dir, NULL);
		int r[3];
		for (size_t n = 0; n < BAWN_LEN(type); n++)
			good = good && a->ops->append(a, &(struct bawn_record){ .type = type[n] }, &ticket[n], NULL) == 0;
		for (size_t n = 0; n < BAWN_LEN(type); n++)
			r[n] = a->ops->wait(a, ticket[n], &receipt[n], r[1] < 0 && n > 1 ? NULL : &err);
		refused = r[1];
		good = good && r[0] == 0 && r[2] == 0 && tally(w.dir, NULL).all == before.all + 3;
	}
	ok(good && refused == -ENOSPC && err.type == BAWN_ERROR_DISK_FULL && strstr(err.msg, "its witness does not know") != NULL, "without, it is not: %s", err.msg);
	ok(good && receipt[1].seq + 1 == receipt[2].seq && receipt[0].seq + 1 == receipt[1].seq, "but it is in the log, once, as what came with it is, which is acknowledged");
	ok(good && put_text(a, "x", NULL, &err) == 0 && verify(w.dir).ok, "and that goes on");
	close_log(a);
	(void)close(bawn_take_fd(&fd));
	(void)umount2(dir, MNT_DETACH);
}

/* So it is with segments. */
static void not_pruned(void)
{
	const struct rlimit low = { 100u << 10, 1u << 30 }, high = { 1u << 30, 1u << 30 };
	auto_world w = world_make();
	struct bawn_err err = { 0 };
	struct bawn_pruned done;
	const struct bawn_audit_options o = { .node = "n", .max_segment_bytes = 3000, .witness = at(&w, "wit") };
	const struct bawn_prune ask = { .before_us = UINT64_MAX, .export_path = at(&w, "export") };
	struct bawn_audit *a = NULL;
	(void)setrlimit(RLIMIT_FSIZE, &high);
	bool good = bawn_audit_open(w.dir, &o, &a, NULL) == 0;
	for (int i = 0; good && i < 12; i++)
		good = put_text(a, "x", NULL, NULL) == 0;
	close_log(a);
	const struct bawn_audit_report before = verify(w.dir);
	ok(good && before.ok && before.segments > 2, "a log of some segments");
	(void)setrlimit(RLIMIT_FSIZE, &low);
	ok(bawn_audit_prune(w.dir, &o, &ask, &done, &err) < 0 && strstr(err.msg, "nothing was done") != NULL && verify(w.dir).entries == before.entries &&
	   verify(w.dir).segments == before.segments, "no segment goes that the witness does not know of: %s", err.msg);
	(void)setrlimit(RLIMIT_FSIZE, &high);
	(void)unlink(ask.export_path);
	ok(bawn_audit_prune(w.dir, &o, &ask, &done, &err) == 0 && done.segments > 0 && verify_seen(&w, "wit", false).ok, "with room they go: %s", err.msg);
}

/* A byte of its first line: what it has seen is still there, and still counts. */
static void harmed(void)
{
	auto_world w = world_make();
	char name[BAWN_WITNESS_NAME], path[100];
	bool good = grow(&w, "wit", 3, "x") && sh(&w, "cp -a a older") && grow(&w, "wit", 3, "y");
	bawn_witness_name(verify(w.dir).origin, name);
	snprintf(path, sizeof path, "wit/%s", name);
	bawn_auto_buf file = get(&w, path);
	int missed = 0, lost = 0;
	ok(good && sh(&w, "cp -a a newer"), "a log and its witness");
	for (size_t i = 0; file.p[i] != '\n'; i++) {
		file.p[i] ^= 0x01;
		set(&w, path, file.p, file.n);
		missed += !sh(&w, "rm -r a && cp -a older a") || verify_seen(&w, "wit", true).ok || opens_seen(&w, "wit") != BAWN_ERROR_AUDIT_TAMPERED;
		lost += !sh(&w, "rm -r a && cp -a newer a") || opens_seen(&w, "wit") != BAWN_ERROR_NONE || !verify_seen(&w, "wit", false).ok;
		file.p[i] ^= 0x01;
	}
	ok(missed == 0 && lost == 0, "with any byte of its first line changed it still knows (%d missed), and is mended (%d not)", missed, lost);
}

static void kept_checkpoint(void)
{
	auto_world w = world_make();
	bool good = grow(&w, NULL, 3, "x") && sh(&w, "cp -a a older");
	age_checkpoint(&w);
	ok(good && grow(&w, NULL, 4, "y") && sh(&w, "cp a/checkpoint note") && grow(&w, NULL, 1, "z"), "somebody kept a checkpoint");
	struct bawn_audit_report r = verify_seen(&w, "note", false);
	ok(r.ok && r.witnessed == 8 && strcmp(r.anchor, "same-uid") == 0, "the log holds it: %s", r.problem);
	ok(sh(&w, "mv a good && cp -a older a") && verify(w.dir).ok && !verify_seen(&w, "note", false).ok, "an older copy does not: %s", verify_seen(&w, "note", false).problem);
	ok(grow(&w, NULL, 20, "other") && verify(w.dir).ok && !verify_seen(&w, "note", false).ok, "nor another future: %s", verify_seen(&w, "note", false).problem);
	ok(sh(&w, "rm -r a") && grow(&w, NULL, 20, "other") && !verify_seen(&w, "note", false).ok, "nor another log: %s", verify_seen(&w, "note", false).problem);
	set(&w, "junk", "junk\n", 5);
	ok(strstr(verify_seen(&w, "junk", false).problem, "neither") != NULL, "something else is no witness");
	if (getuid() != 0) {
		skip("one of another user's is an anchor", "needs root to have another user's files");
		return;
	}
	ok(sh(&w, "rm -r a && mv good a && chown -R 1234 a && chmod 755 . note") && strcmp(verify_seen(&w, "note", false).anchor, "other-uid") == 0, "one of another user's is an anchor");
	ok(strcmp(anchor_of_copy(&w, "note"), "other-uid") == 0, "of a copy too, where it is root's own");
	ok(sh(&w, "chown 1233 note") && strcmp(verify_seen(&w, "note", false).anchor, "other-uid") == 0 && strcmp(anchor_of_copy(&w, "note"), "same-uid") == 0,
	   "of a copy not where it is a third user's: he may be who writes the log");
	ok(sh(&w, "chown 0 note && chown 1233 .") && strcmp(anchor_of_copy(&w, "note"), "same-uid") == 0 && sh(&w, "chown 0 ."), "nor where its directory is");
	static const char *const of_log[] = { "a", "a/seg", "a/head" };
	for (size_t i = 0; i < BAWN_LEN(of_log); i++) {
		char command[100];
		snprintf(command, sizeof command, "chown 1233 note && chown 1233 %s", of_log[i]);
		ok(sh(&w, command) && strcmp(verify_seen(&w, "note", false).anchor, "same-uid") == 0, "nor where its owner has %s of the log", of_log[i]);
		snprintf(command, sizeof command, "chown 0 note && chown 1234 %s", of_log[i]);
		(void)sh(&w, command);
	}
	static const char *const within_reach[] = { "chmod 775 .", "chmod 755 . && chmod 662 note", "chmod 644 note && chown 1234 note", "chown 1234 . && chown 0 note", "chown 98 . && chown -R 0 a && chown 99 note" };
	for (size_t i = 0; i < BAWN_LEN(within_reach); i++)
		ok(sh(&w, within_reach[i]) && strcmp(verify_seen(&w, "note", false).anchor, "same-uid") == 0, "not after: %s", within_reach[i]);
}

int main(void)
{
	honest();
	rolled_back();
	cut();
	crashes();
	never_less();
	unwritable();
	of_another_user();
	waited_for();
	too_long();
	not_pruned();
	harmed();
	kept_checkpoint();
	by_threads();
	replaced();
	no_room();  /* last: it has mounts of its own from there on */
	return done_testing();
}
