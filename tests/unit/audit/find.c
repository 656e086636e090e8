/* find.c - what is found does not depend on the index: absent, fresh, behind, damaged, of another log, made by somebody
 * else, or answered by a helper that lies, the answers are those of reading the whole log. */
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include "audit/index_wire.h"
#include "world.h"

#define LOG (SANITIZED ? 2600 : 4000)

/* The wall clock of the writer, as the test wants it: it steps back now and then. */
static int64_t skew_s;
int clock_gettime(clockid_t id, struct timespec *t)
{
	int r = (int)syscall(SYS_clock_gettime, id, t);
	t->tv_sec += id == CLOCK_REALTIME ? skew_s : 0;
	return r;
}

static uint64_t start_us;
static int change;  /* of a log */

static bool make(const char *dir, int from, int n, uint64_t max_segment)
{
	static const char *const level[] = { "LOW", "LOW", "MEDIUM", "HIGH" };
	static const enum bawn_record_type type[] = { BAWN_RECORD_ASSESS_DONE, BAWN_RECORD_EXEC_INTENT, BAWN_RECORD_LIMIT_VIOLATION, BAWN_RECORD_EXEC_OUTCOME };
	struct bawn_audit *a = NULL;
	bool good = bawn_audit_open(dir, &(struct bawn_audit_options){ .node = "n1", .max_segment_bytes = max_segment }, &a, NULL) == 0;
	for (int i = from; good && i < from + n; ) {
		uint64_t ticket = 0;
		for (int k = 0; good && k < 250 && i < from + n; k++, i++) {
			const int x = i / 4;
			char exec[32], session[32], many[8];
			skew_s = i / 10 - (i % 700 > 690 ? 50 : 0);  /* a tenth of a second each, and back by 50 s for a while */
			snprintf(exec, sizeof exec, "01K%05dABC", x);
			snprintf(session, sizeof session, "s%d", x % 90);
			snprintf(many, sizeof many, "%d", x % 7);
			bawn_auto_json labels = json_pack("{s:s}", "n", many), *body = json_pack("{s:s,s:s,s:O}", "level", x == 77 ? "BLOCKED" : level[x % 4],
				"status", x % 50 ? "completed" : "timeout", "labels", labels);
			for (int m = 0; x == 600 && m < 300; m++) {  /* more labels than are put into an index */
				char key[64];
				snprintf(key, sizeof key, "label-with-a-long-name-so-that-they-do-not-fit-%d", m);
				(void)json_object_set_new(labels, key, json_string("v"));
			}
			good = a->ops->append(a, &(struct bawn_record){ .type = type[i % 4], .exec = exec, .session = session, .body = body }, &ticket, NULL) == 0;
		}
		good = good && a->ops->wait(a, ticket, NULL, NULL) == 0;
	}
	skew_s = 0;
	close_log(a);
	change++;
	return good;
}

/* ---- questions, and the plain way to answer them ---- */

static const char *text(const json_t *o, const char *key)
{
	const char *v = json_string_value(json_object_get(o, key));
	return v != NULL ? v : "";
}

static bool meets(const struct bawn_find *f, const struct bawn_entry *e)
{
	const json_t *body = json_object_get(e->json, "body"), *labels = json_object_get(body, "labels");
	const char *type = text(e->json, "type");
	const size_t n = f->type != NULL ? strlen(f->type) : 0;
	bool good = (f->until_us == 0 || e->ts_us <= f->until_us) && e->ts_us >= f->since_us &&
	            (f->type == NULL || (strncmp(type, f->type, n) == 0 && (type[n] == '\0' || type[n] == '.'))) &&
	            (f->severity == NULL || strcmp(text(e->json, "severity"), f->severity) == 0) && (f->session == NULL || strcmp(text(e->json, "session"), f->session) == 0) &&
	            (f->level == NULL || strcmp(text(body, "level"), f->level) == 0) && (f->status == NULL || strcmp(text(body, "status"), f->status) == 0) &&
	            (f->exec == NULL || strncasecmp(text(e->json, "exec"), f->exec, strlen(f->exec)) == 0) && (!f->ends || bawn_record_ends(type)) &&
	            (!f->one || e->seq == f->seq);
	for (size_t i = 0; i < f->n_labels; i++) {
		const size_t k = strcspn(f->label[i], "=");
		const json_t *v = json_object_getn(labels, f->label[i], k);
		good = good && v != NULL && (f->label[i][k] == '\0' || strcmp(json_string_value(v), f->label[i] + k + 1) == 0);
	}
	return good;
}

struct answer { const struct bawn_find *f; uint64_t seq[LOG * 2], n, limit, shown, anew; };

static int note(void *ctx, const struct bawn_entry *e)
{
	struct answer *a = ctx;
	if (e == NULL) {
		a->n = 0;
		a->anew++;
		return 0;
	}
	a->shown++;
	if (meets(a->f, e))
		a->seq[a->n++] = e->seq;
	return a->n >= a->limit;
}

static const char *const labels[] = { "n=3", "n", "label-with-a-long-name-so-that-they-do-not-fit-299=v" };
static struct { const char *name; struct bawn_find f; uint64_t limit; int since_s, until_s; } question[] = {
	{ "a rare level", { .level = "BLOCKED" }, LOG, 0, 0 },
	{ "a session", { .session = "s7" }, LOG, 0, 0 },
	{ "the last five of a session", { .session = "s7" }, 5, 0, 0 },
	{ "a family of types", { .type = "exec" }, LOG, 0, 0 },
	{ "a type that there is not", { .type = "exe" }, LOG, 0, 0 },
	{ "severity and session", { .severity = "MEDIUM", .session = "s11" }, LOG, 0, 0 },
	{ "ends of executions by status", { .status = "timeout", .ends = true }, LOG, 0, 0 },
	{ "an id", { .exec = "01k00600abc" }, LOG, 0, 0 },
	{ "ids that begin alike", { .exec = "01K005", .ends = true }, LOG, 0, 0 },
	{ "all ids, two of them", { .exec = "0" }, 2, 0, 0 },
	{ "a label with its value", { .label = labels, .n_labels = 1 }, LOG, 0, 0 },
	{ "a label and a level", { .label = labels + 1, .n_labels = 1, .level = "HIGH" }, LOG, 0, 0 },
	{ "a label that was not put in", { .label = labels + 2, .n_labels = 1 }, LOG, 0, 0 },
	{ "since a time when the clock stepped", { .type = "exec" }, LOG, 180, 0 },
	{ "until a time", { .level = "HIGH" }, LOG, 0, 60 },
	{ "between two", { .level = "HIGH" }, LOG, 130, 150 },
	{ "a time alone", { .level = NULL }, LOG, 400, 0 },
	{ "the last three since then", { .level = NULL }, 3, 400, 0 },
	{ "one entry", { .one = true, .seq = 17 }, LOG, 0, 0 },
	{ "another", { .one = true, .seq = 1023 }, LOG, 0, 0 },
	{ "a new one", { .one = true, .seq = LOG - 3 }, LOG, 0, 0 },
	{ "one to come", { .one = true, .seq = LOG * 3 }, LOG, 0, 0 },
	{ "nothing in particular", { .since_us = 0 }, 20, 0, 0 },
};
#define QUESTIONS ((int)BAWN_LEN(question))

static struct bawn_find asked(int q)
{
	struct bawn_find f = question[q].f;
	f.look = 64;
	f.since_us = question[q].since_s > 0 ? start_us + (uint64_t)question[q].since_s * 1000000 : 0;
	f.until_us = question[q].until_s > 0 ? start_us + (uint64_t)question[q].until_s * 1000000 : 0;
	return f;
}

static struct answer with, without[BAWN_LEN(question)];
static int known[BAWN_LEN(question)];  /* at which `change` it was read */
static uint64_t shown, anew;

/* The question with the help of a helper, and without. */
static bool same(const char *dir, const char *helper, int q)
{
	const struct bawn_find f = asked(q);
	struct answer *plain = &without[q];
	int a, b = 0;
	with = (struct answer){ .f = &f, .limit = question[q].limit };
	if (known[q] != change) {
		*plain = with;
		b = bawn_audit_walk_back(dir, note, plain, NULL);
		known[q] = change;
	}
	a = bawn_audit_find(dir, helper, &f, note, &with, NULL);
	shown += with.shown;
	anew += with.anew;
	const bool good = a >= 0 && b >= 0 && with.n == plain->n && memcmp(with.seq, plain->seq, with.n * sizeof *with.seq) == 0;
	if (!good)
		diag("%s: %d, %" PRIu64 " found; read through: %d, %" PRIu64, question[q].name, a, with.n, b, plain->n);
	return good;
}

static int differ(const char *dir, const char *helper)
{
	int n = 0;
	shown = anew = 0;
	for (int q = 0; q < QUESTIONS; q++)
		n += !same(dir, helper, q);
	return n;
}

#define DB    "a/index/" BAWN_INDEX_FILE
#define STAMP "a/index/stamp"

static bool is_there(struct world *w, const char *path)
{
	struct stat st;
	return fstatat(w->tmp.fd, path, &st, 0) == 0;
}

/* ---- how far it has come ---- */

struct told { uint64_t times, last, of; bool forward; };
static void tell(void *ctx, uint64_t done, uint64_t of)
{
	struct told *t = ctx;
	t->forward = (t->times == 0 || (t->forward && done > t->last && of == t->of)) && done <= of;
	*t = (struct told){ t->times + 1, done, of, t->forward };
}

static void progress(struct world *w)
{
	struct told made = { 0 }, again = { 0 }, read = { 0 };
	struct bawn_audit_report r = { 0 };
	struct bawn_find f = asked(0);
	with = (struct answer){ .f = &f, .limit = LOG };
	f.progress = (struct bawn_audit_progress){ tell, &made };
	bool good = sh(w, "rm -rf a/index") && bawn_audit_find(w->dir, HELPER, &f, note, &with, NULL) >= 0;
	ok(good && made.times > 0 && made.forward && made.of > BAWN_INDEX_BLOCK, "who waits for an index is told, %" PRIu64 " times", made.times);
	f.progress.ctx = &again;
	good = bawn_audit_find(w->dir, HELPER, &f, note, &with, NULL) >= 0;
	ok(good && again.times == 0, "and of nothing when it is there");
	good = bawn_audit_verify(w->dir, &(struct bawn_audit_verify_options){ .progress = { tell, &read } }, &r, NULL) == 0 && r.ok;
	ok(good && read.times > 1 && read.forward && read.of == r.entries, "so is who verifies, %" PRIu64 " times", read.times);
}

/* ---- the index in all states ---- */

static void states(struct world *w)
{
	ok(differ(w->dir, NULL) == 0 && !is_there(w, "a/index"), "without a helper: the log is read");
	const uint64_t all = shown;
	for (int q = 0; q < QUESTIONS; q++) {
		(void)sh(w, "rm -rf a/index");
		ok(same(w->dir, HELPER, q), "made for the question: %s", question[q].name);
	}
	const int wrong = differ(w->dir, HELPER);
	ok(wrong == 0 && is_there(w, STAMP) && shown < all / 2, "with an index: %" PRIu64 " entries were shown, without %" PRIu64, shown, all);
	struct stat st, now;
	bool closed = true;
	for (int i = 0; i < 3; i++)
		closed = closed && fstatat(w->tmp.fd, (const char *[]){ DB, STAMP, "a/index" }[i], &st, 0) == 0 && (st.st_mode & 077) == 0;
	ok(closed, "nobody else can read it");
	(void)fstatat(w->tmp.fd, DB, &st, 0);
	ok(differ(w->dir, HELPER) == 0 && anew == 0 && fstatat(w->tmp.fd, DB, &now, 0) == 0 && now.st_ino == st.st_ino && now.st_mtim.tv_nsec == st.st_mtim.tv_nsec,
	   "asking changes nothing in it");
	ok(make(w->dir, LOG, 700, 0) && differ(w->dir, HELPER) == 0, "the log grows by less than a block");
	ok(make(w->dir, LOG + 700, 2000, 0) && differ(w->dir, HELPER) == 0 && fstatat(w->tmp.fd, DB, &now, 0) == 0 && now.st_ino == st.st_ino && now.st_size > st.st_size,
	   "by more: it is added to");
	bawn_auto_fd lock = openat(w->tmp.fd, "a/index/LOCK", O_RDONLY | O_CLOEXEC);
	ok(lock >= 0 && flock(lock, LOCK_EX) == 0 && differ(w->dir, HELPER) == 0, "somebody is at work on it: the log is read");
	ok(make(w->dir, LOG + 2700, 1100, 0) && flock(lock, LOCK_SH) == 0 && differ(w->dir, HELPER) == 0, "others read it while it should be added to");
	ok(flock(lock, LOCK_UN) == 0 && differ(w->dir, HELPER) == 0, "and it is added to when they are done");
	ok(sh(w, "mv a/private b") && differ(w->dir, HELPER) == 0 && is_there(w, STAMP) && sh(w, "mv b a/private"), "a copy without its private key: the log is read");
	ok(bawn_audit_rotate_key(w->dir, NULL, NULL, NULL, NULL) == 0 && make(w->dir, LOG + 3800, 10, 0) && differ(w->dir, HELPER) == 0, "after a new key it is made anew");
	ok(differ(w->dir, "/nonexistent") == 0 && differ(w->dir, "/bin/false") == 0 && differ(w->dir, "/bin/cat") == 0, "no helper, one that fails, one that talks back");
}

/* ---- an index that is not what it should be ---- */

static void hostile(struct world *w)
{
	ok(differ(w->dir, HELPER) == 0 && is_there(w, STAMP), "an index");
	bawn_auto_buf db = get(w, DB), stamp = get(w, STAMP);
	int wrong = 0, rounds = 0;
	srand(7);
	for (int i = 0; i < QUESTIONS; i++, rounds++) {  /* the stamp of the good one stays */
		bawn_auto_buf bad = BAWN_BUF(64u << 20);
		bawn_buf_add(&bad, db.p, i % 4 == 3 ? (size_t)rand() % db.n : db.n);
		for (size_t k = 0; k < 1 + (size_t)(rand() % 50) && bad.n > 0; k++)
			bad.p[(i % 2 ? (size_t)rand() : (size_t)rand() % 4096) % bad.n] = (char)rand();
		set(w, DB, bad.p, bad.n);
		set(w, STAMP, stamp.p, stamp.n);
		wrong += !same(w->dir, HELPER, i % QUESTIONS);
	}
	ok(wrong == 0, "a database that was changed under its stamp, %d times: never believed", rounds);
	(void)sh(w, "rm -rf a/index");
	ok(differ(w->dir, HELPER) == 0, "made anew");
	ok(sh(w, "cp a/index/" BAWN_INDEX_FILE " x; rm a/index/" BAWN_INDEX_FILE "; mv x a/index/" BAWN_INDEX_FILE) && differ(w->dir, HELPER) == 0, "a copy in its place");
	static const char *const junk[] = { "", "bawn-index/1 0 5000 0 0 0\n", "\xff\xfe", "bawn-index/1 99999999999999999999 1 1 1 1\n" };
	wrong = 0;
	for (size_t i = 0; i < BAWN_LEN(junk); i++) {
		set(w, STAMP, junk[i], strlen(junk[i]));
		wrong += differ(w->dir, HELPER) != 0;
	}
	ok(wrong == 0, "stamps that are none");
	bawn_auto_buf good = get(w, STAMP);
	good.p[good.n - 5] = good.p[good.n - 5] == '0' ? '1' : '0';
	set(w, STAMP, good.p, good.n);
	ok(differ(w->dir, HELPER) == 0, "a stamp with another MAC");
	ok(sh(w, "rm -rf a/index; ln -s /tmp a/index") && differ(w->dir, HELPER) == 0 && sh(w, "rm a/index"), "a link in its place");
	ok(sh(w, "touch a/index") && differ(w->dir, HELPER) == 0 && sh(w, "rm a/index; mkdir -m 700 a/index; mkdir a/index/" BAWN_INDEX_FILE) && differ(w->dir, HELPER) == 0,
	   "a file, or a directory in place of the database");
	(void)sh(w, "rm -rf a/index");
}

/* A helper's answers are looked up and hashed: `lie` is a script that answers in its place, once an index is there. */
static void liar(struct world *w, const char *what, const char *script)
{
	char path[200], body[600];
	ok(sh(w, "rm -rf a/index") && differ(w->dir, HELPER) == 0, "an index");
	snprintf(path, sizeof path, "%s/liar", w->tmp.path);
	snprintf(body, sizeof body, "#!/usr/bin/python3\nimport os, socket, struct\ns = socket.socket(fileno=0)\ndef hit(seq, at=0, h=bytes(32)): return struct.pack('QQ', seq, at) + h\n%s\n", script);
	set(w, "liar", body, strlen(body));
	(void)!fchmodat(w->tmp.fd, "liar", 0700, 0);
	int wrong = 0;
	for (int q = 0; q < QUESTIONS; q += 3) {
		if (!is_there(w, STAMP))
			(void)same(w->dir, HELPER, 0);  /* make it again: a lie that was found out has removed it */
		wrong += !same(w->dir, path, q);
	}
	ok(wrong == 0, "a helper that %s changes no answer", what);
}

static void liars(struct world *w)
{
	liar(w, "sends noise", "s.sendall(os.urandom(5000))");
	liar(w, "names entries where they are not", "s.sendall(hit(40, 12) + hit(30, 1 << 62) + hit(2**64-1))");
	liar(w, "names the same entry again and again", "while True: s.sendall(hit(3))");
	liar(w, "names entries out of order", "s.sendall(hit(1) + hit(2) + hit(2**64-1))");
	liar(w, "stops in the middle", "s.sendall(hit(40)[:20])");
	liar(w, "says nothing", "pass");
}

/* What is shown is what was in the log when it was put in: an entry that was changed since, with a hash that fits itself. */
static void changed_log(struct world *w)
{
	const struct bawn_find f = { .exec = "01K00077ABC", .look = 64 };
	struct bawn_err err = { 0 };
	ok(sh(w, "rm -rf a/index") && differ(w->dir, HELPER) == 0, "an index");
	bawn_auto_buf log = get(w, SEG0);
	char *at = memmem(log.p, log.n, "\"level\":\"BLOCKED\"", 17);
	bool found = at != NULL;
	if (found) {
		char *start = (char *)memrchr(log.p, '\n', (size_t)(at - log.p)) + 1, *hash = memmem(at, 2000, ",\"hash\":\"", 9), hex[BAWN_SHA256_HEX];
		memcpy(at, "\"level\":\"BLOCKEX\"", 17);
		bawn_auto_buf covered = BAWN_BUF(1u << 20);
		bawn_buf_add(&covered, start, (size_t)(hash - start));
		bawn_buf_char(&covered, '}');
		bawn_sha256_hex(bawn_buf_span(&covered), hex);
		memcpy(hash + 9, hex, 64);
		set(w, SEG0, log.p, log.n);
	}
	with = (struct answer){ .f = &f, .limit = LOG };
	ok(found && bawn_audit_find(w->dir, HELPER, &f, note, &with, &err) < 0 && err.type == BAWN_ERROR_AUDIT_TAMPERED, "an entry that was changed and hashed anew is not shown: %s", err.msg);
}

/* ---- the helper alone, with whatever database ---- */

static bool survives(struct world *w)
{
	int pair[2], status = 0;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return false;
	(void)fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		bawn_auto_fd d = openat(w->tmp.fd, "a/index", O_RDONLY | O_CLOEXEC);
		if (fchdir(d) == 0 && dup2(pair[1], 0) == 0)
			(void)execl(HELPER, "index", "find", (char *)NULL);
		_exit(9);
	}
	(void)close(pair[1]);
	static const char terms[] = "\x08lBLOCKED\x05x01k0\x05texec";
	struct bawn_index_ask ask = { .until = UINT64_MAX, .high = UINT64_MAX, .terms = sizeof terms - 1 };
	char sink[4096];
	if (send(pair[0], &ask, sizeof ask, MSG_NOSIGNAL) > 0 && send(pair[0], terms, sizeof terms - 1, MSG_NOSIGNAL) > 0)
		while (recv(pair[0], sink, sizeof sink, 0) > 0)
			;
	(void)close(pair[0]);
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) < 2;
}

static void helper_alone(struct world *w)
{
	ok(sh(w, "rm -rf a/index") && differ(w->dir, HELPER) == 0 && survives(w), "the helper answers");
	bawn_auto_buf db = get(w, DB);
	int dead = 0, rounds = 0;
	srand(11);
	for (; rounds < 80; rounds++) {
		bawn_auto_buf bad = BAWN_BUF(64u << 20);
		bawn_buf_add(&bad, db.p, rounds % 5 == 4 ? (size_t)rand() % db.n : db.n);
		for (size_t k = 0; k < 1 + (size_t)(rand() % 200) && bad.n > 0; k++)
			bad.p[(rounds % 3 ? (size_t)rand() : (size_t)rand() % 8192) % bad.n] = (char)rand();
		set(w, DB, bad.p, bad.n);
		dead += !survives(w);
	}
	ok(dead == 0, "and is not brought down by a damaged database, %d of them", rounds);
	static const char *const sql[] = {
		"CREATE VIEW block AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS first, 0 AS low, i AS high, zeroblob(49152) AS body FROM n; CREATE VIEW post AS SELECT 1 AS word, 2 AS first, 3 AS list;",
		"CREATE TABLE block(first, low, high, body); CREATE TABLE post(word, first, list); INSERT INTO block VALUES('x', 'y', 'z', 'w'), (-5, -1, -1, x'00'), (9e99, 1, 1, NULL); INSERT INTO post VALUES('x', 'y', 'z');",
		"CREATE TABLE block(first INTEGER PRIMARY KEY, low, high, body); CREATE TABLE post(word BLOB, first INTEGER, list BLOB); INSERT INTO block VALUES(0, 0, 9, zeroblob(49152)); INSERT INTO post VALUES(x'2a', 0, x'ffff'), (CAST('lBLOCKED' AS BLOB), 0, zeroblob(127)), (CAST('x01k0' AS BLOB), -1, zeroblob(128));",
		"CREATE TABLE other(a);",
	};
	dead = 0;
	for (size_t i = 0; i < BAWN_LEN(sql); i++) {
		char command[1200];
		snprintf(command, sizeof command, "rm -f %s; python3 -c \"import sqlite3, sys; c = sqlite3.connect('%s'); c.executescript(sys.argv[1]); c.commit()\" \"%s\"", DB, DB, sql[i]);
		dead += !sh(w, command) || !survives(w);
	}
	ok(dead == 0, "nor by one that somebody made by hand");
}

/* What it ended with is not in the log any more. */
static void pruned(void)
{
	auto_world w = world_make();
	struct bawn_pruned p = { 0 };
	char file[200];
	snprintf(file, sizeof file, "%s/export", w.tmp.path);
	ok(make(w.dir, 0, LOG, 300000) && differ(w.dir, HELPER) == 0 && is_there(&w, STAMP), "a log with an index");
	ok(make(w.dir, LOG, LOG, 300000) && bawn_audit_prune(w.dir, NULL, &(struct bawn_prune){ .before_us = UINT64_MAX, .export_path = file }, &p, NULL) == 0 &&
	   p.cut > LOG, "of which only what is newer is left");
	ok(make(w.dir, 2 * LOG, 2000, 300000) && differ(w.dir, HELPER) == 0, "the answers are those of reading it");
	const uint64_t first = shown;
	const bool good = differ(w.dir, NULL) == 0;
	ok(good && first < shown / 2, "with an index made anew: %" PRIu64 " entries are read for them, without %" PRIu64, first, shown);
}

int main(void)
{
	auto_world w = world_make(), many = world_make();
	(void)signal(SIGPIPE, SIG_DFL);  /* a helper that goes away must not end us */
	struct timespec t;
	(void)clock_gettime(CLOCK_REALTIME, &t);
	start_us = (uint64_t)t.tv_sec * 1000000;
	ok(make(w.dir, 0, LOG, 0), "a log of %d entries", LOG);
	states(&w);
	progress(&w);
	ok(make(many.dir, 0, LOG, 300000) && files_in(&many, "a/seg") > 3, "one of several segments");
	hostile(&many);
	liars(&many);
	helper_alone(&many);
	changed_log(&many);
	pruned();
	return done_testing();
}
