/* sign.c - who signed what: keys and their files, epochs, and logs made anew by somebody without the key. */
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include "world.h"
#include "audit/entry.h"
#include "audit/head.h"
#include "audit/keys.h"

static struct bawn_audit_report verify_with(const char *dir, const char *key, bool skim)
{
	struct bawn_audit_report r = { 0 };
	struct bawn_err err = { 0 };
	if (bawn_audit_verify(dir, &(struct bawn_audit_verify_options){ .key = key, .skim = skim }, &r, &err) < 0)
		snprintf(r.problem, sizeof r.problem, "error: %.150s", err.msg);
	return r;
}

static void key_of(struct world *w, const char *path, char out[static BAWN_VKEY_MAX])
{
	bawn_auto_buf b = get(w, path);
	snprintf(out, BAWN_VKEY_MAX, "%.*s", b.n > 0 ? (int)b.n - 1 : 0, b.p);
}

static struct bawn_signer signer_of(struct world *w, const char *path)
{
	struct bawn_signer s = { 0 };
	bawn_auto_buf b = get(w, path);
	if (!bawn_signer_read(bawn_buf_span(&b), &s))
		diag("no private key in %s", path);
	return s;
}

/* ---- a log written anew ---- */

struct forgery {
	const struct bawn_signer *by;     /* NULL: signatures stay as they were */
	const struct bawn_signer *later;  /* who signs after the first log.key, or NULL */
	const char *find, *put;           /* of the same length, replaced in each draft */
	bool unsigned_too;                /* no signature but on the last line */
	int  drop;                        /* this line is left out; -1: none */
};

/* All hashes, links, roots and the head are made to fit. */
static void forge(struct world *w, const struct bawn_buf *seg, const struct forgery *f)
{
	bawn_auto_buf out = BAWN_BUF(1u << 20);
	struct bawn_head h;
	struct bawn_tree tree = { 0 };
	const struct bawn_signer *by = f->by;
	int number = 0;
	bawn_head_init(&h);
	h.gen = 1000;
	for (const char *p = seg->p, *end; p < seg->p + seg->n; p = end + 1, number++) {
		end = strchr(p, '\n');
		struct bawn_line l;
		const char *problem;
		if (bawn_line_shape((struct bawn_span){ p, (size_t)(end - p) }, &l, &problem) < 0)
			diag("forge: %s", problem);
		const bool turn = bawn_span_is(l.type, "log.key");
		if (number == f->drop) {
			by = turn && f->later != NULL ? f->later : by;
			continue;
		}
		const char *from = strstr(p, ",\"ts\":") + 1, *to = l.prev_hash - strlen(",\"prev_hash\":\"");
		bawn_auto_buf draft = BAWN_BUF(1u << 20);
		bawn_buf_add(&draft, from, (size_t)(to - from));
		char *at = f->find != NULL ? strstr(draft.p, f->find) : NULL;
		if (at != NULL)
			memcpy(at, f->put, strlen(f->put));
		char hash[BAWN_SHA256_HEX];
		bawn_node leaf;
		size_t start = out.n;
		bawn_line_put(&out, h.size, bawn_buf_span(&draft), h.hash, hash);
		memcpy(h.hash, hash, sizeof hash);
		h.before = tree;
		bawn_hash_leaf(hash, leaf);
		bawn_tree_add(&tree, leaf);
		h.size++;
		struct bawn_seal seal = l.seal;
		if (by != NULL) {
			seal.size = h.size;
			bawn_tree_root(&tree, seal.root);
			bawn_seal_sign(&seal, by);
		}
		if (l.sealed && (!f->unsigned_too || end + 1 == seg->p + seg->n))
			bawn_line_seal(&out, &seal);
		h.seal = seal;
		h.at = start;
		h.offset = out.n;
		if (turn) {
			h.epoch++;
			by = f->later != NULL ? f->later : by;
		}
	}
	char head[BAWN_HEAD_FILE];
	for (int i = 0; i < 2; i++, h.gen++)
		bawn_head_encode(&h, head + (h.gen & 1) * BAWN_HEAD_SLOT);
	set(w, SEG0, out.p, out.n);
	set(w, "a/head", head, sizeof head);
	forget_checkpoint(w);
}

static void rewritten(void)
{
	auto_world w = world_make(), thief = world_make();
	char vkey[BAWN_VKEY_MAX], other[BAWN_VKEY_MAX];
	ok(fill_log(w.dir, 9, 0) && fill_log(thief.dir, 0, 0), "a log, and somebody with a key of his own");
	bawn_auto_buf seg = get(&w, SEG0), head = get(&w, "a/head");
	key_of(&w, "a/vkey", vkey);
	key_of(&thief, "a/vkey", other);
	struct bawn_signer own = signer_of(&w, "a/private/epoch-0.key"), his = signer_of(&thief, "a/private/epoch-0.key");
	ok(verify_with(w.dir, vkey, false).ok && verify_with(w.dir, vkey, true).ok, "with its key it verifies");
	ok(!verify_with(w.dir, other, false).ok && strstr(verify_with(w.dir, other, false).problem, "key given") != NULL, "with another key it does not");
	struct bawn_err err = { 0 };
	struct bawn_audit_report r;
	ok(bawn_audit_verify(w.dir, &(struct bawn_audit_verify_options){ .key = "nonsense" }, &r, &err) < 0 && err.type == BAWN_ERROR_INVALID_REQUEST, "what is no key is an error, not a verdict");

	forge(&w, &seg, &(struct forgery){ .by = &own, .drop = -1 });
	ok(verify_with(w.dir, vkey, false).ok, "the forger's tools are sound: who has the key can do it: %s", verify(w.dir).problem);
	static const struct { const char *name; bool sign, skim; const char *find, *put; int drop; uint64_t bad; } row[] = {
		{ "a record changed, all re-hashed, signatures kept",    false, false, "record 4", "record X", -1, 5 },
		{ "a record changed, all re-hashed, signatures skimmed", false, true,  "record 4", "record X", -1, 5 },
		{ "the last record changed likewise",                    false, false, "record 8", "record X", -1, 9 },
		{ "a record left out, all re-hashed, signatures kept",   false, false, NULL, NULL, 5, 5 },
		{ "a record changed, all signed by another key",         true,  false, "record 4", "record X", -1, 0 },
		{ "a record changed, all signed by another key, skimmed", true, true,  "record 4", "record X", -1, 0 },
		{ "a record left out, all signed by another key",        true,  false, NULL, NULL, 5, 0 },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		forge(&w, &seg, &(struct forgery){ .by = row[i].sign ? &his : NULL, .find = row[i].find, .put = row[i].put, .drop = row[i].drop });
		r = verify_with(w.dir, NULL, row[i].skim);
		ok(!r.ok && r.first_bad_seq == row[i].bad && r.verified_to == row[i].bad, "%s, is noticed: %s", row[i].name, r.problem);
		ok(opens_as(w.dir) == BAWN_ERROR_AUDIT_TAMPERED, "and not written to");
	}
	forge(&w, &seg, &(struct forgery){ .by = &own, .unsigned_too = true, .drop = -1 });
	ok(!verify(w.dir).ok, "a log.genesis without a signature is noticed: %s", verify(w.dir).problem);

	/* A log of his own in its place: good in itself, so only a key known from elsewhere tells. */
	ok(verify(thief.dir).ok && !verify_with(thief.dir, vkey, false).ok, "another log whole is noticed by whoever pinned the key");
	set(&w, SEG0, seg.p, seg.n);
	set(&w, "a/head", head.p, head.n);
	ok(verify(w.dir).ok && opens_as(w.dir) == BAWN_ERROR_NONE, "put back, it verifies");
	bawn_auto_buf his_key = get(&thief, "a/vkey");
	set(&w, "a/vkey", his_key.p, his_key.n);
	ok(!verify(w.dir).ok && strstr(verify(w.dir).problem, "vkey") != NULL, "a file vkey that is not the log's is noticed");
}

static void key_files(void)
{
	auto_world w = world_make();
	struct stat st;
	struct bawn_err err = { 0 };
	auto_log a = open_log(w.dir, 0, NULL);
	ok(fstatat(w.tmp.fd, "a/private/epoch-0.key", &st, 0) == 0 && (st.st_mode & 07777) == 0600, "the private key is 0600");
	ok(fstatat(w.tmp.fd, "a/private", &st, 0) == 0 && (st.st_mode & 07777) == 0700, "its directory 0700");
	char vkey[BAWN_VKEY_MAX], epoch0[BAWN_VKEY_MAX];
	key_of(&w, "a/vkey", vkey);
	key_of(&w, "a/keys/epoch-0.vkey", epoch0);
	ok(strcmp(vkey, epoch0) == 0 && strcmp(verify(w.dir).vkey, vkey) == 0 && strncmp(vkey, "audit.n1/", 9) == 0, "vkey is that of epoch 0 and of log.genesis");
	bawn_auto_buf key = get(&w, "a/private/epoch-0.key");
	bawn_auto_buf log = get(&w, SEG0);
	ok(strstr(log.p, "PRIVATE") == NULL && memmem(log.p, log.n, key.p + 60, 20) == NULL, "and the private key is nowhere in the log");
	close_log(a);
	a = NULL;
	static const struct { const char *name, *text; bool there; mode_t mode; } row[] = {
		{ "missing",             NULL, false, 0600 },
		{ "empty",               "",   true,  0600 },
		{ "damaged",             "x",  true,  0600 },
		{ "readable by others",  NULL, true,  0640 },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		(void)unlinkat(w.tmp.fd, "a/private/epoch-0.key", 0);
		if (row[i].there) {
			set(&w, "a/private/epoch-0.key", row[i].text != NULL ? row[i].text : key.p, row[i].text != NULL ? strlen(row[i].text) : key.n);
			if (fchmodat(w.tmp.fd, "a/private/epoch-0.key", row[i].mode, 0) < 0)
				diag("chmod failed");
		}
		ok(open_log(w.dir, 0, &err) == NULL && err.type == BAWN_ERROR_AUDIT_FAILED, "with a private key %s nothing is written: %s", row[i].name, err.msg);
		ok(verify(w.dir).ok, "and the log still verifies");
	}
	auto_world other = world_make();
	ok(fill_log(other.dir, 1, 0), "another log");
	bawn_auto_buf wrong = get(&other, "a/private/epoch-0.key");
	(void)unlinkat(w.tmp.fd, "a/private/epoch-0.key", 0);
	set(&w, "a/private/epoch-0.key", wrong.p, wrong.n);
	ok(open_log(w.dir, 0, &err) == NULL && err.type == BAWN_ERROR_AUDIT_TAMPERED, "with the key of another log nothing is written: %s", err.msg);
	set(&w, "a/private/epoch-0.key", key.p, key.n);
	ok(opens_as(w.dir) == BAWN_ERROR_NONE, "with its own it goes on");
}

static int count_seals(struct world *w)
{
	bawn_auto_buf log = get(w, SEG0);
	int n = 0;
	for (const char *p = log.p; (p = strstr(p, "\",\"signature\":\"")) != NULL; p++)
		n++;
	return n;
}

static void each_entry(void)
{
	for (int every = 0; every < 2; every++) {
		auto_world w = world_make();
		struct bawn_audit *a = NULL;
		uint64_t t = 0;
		struct bawn_receipt rc = { 0 };
		int r = bawn_audit_open(w.dir, &(struct bawn_audit_options){ .node = "n", .sign_every = every }, &a, NULL);
		for (int i = 0; r == 0 && i < 20; i++)
			r = a->ops->append(a, &(struct bawn_record){ .type = BAWN_RECORD_ALERT }, &t, NULL);
		if (r == 0)
			r = a->ops->wait(a, t, &rc, NULL);
		close_log(a);
		struct bawn_audit_report v = verify(w.dir);
		ok(r == 0 && count_seals(&w) == (every ? 21 : 2) && v.signatures == (every ? 21 : 2) && v.ok && v.entries == 21,
		   "%s: %d signatures for twenty records in one commit and log.genesis", every ? "sign: entry" : "sign: batch", count_seals(&w));
	}
}

/* Entries that continue the chain beyond head, but that nobody signed. */
static void unsigned_tail(void)
{
	auto_world w = world_make();
	ok(fill_log(w.dir, 3, 0), "a log");
	bawn_auto_buf head = get(&w, "a/head");
	struct bawn_head h;
	ok(bawn_head_decode(bawn_buf_span(&head), &h) == 0, "its head");
	bawn_auto_buf line = BAWN_BUF(4096), draft = BAWN_BUF(4096);
	char hash[BAWN_SHA256_HEX];
	ok(bawn_line_draft(&draft, &(struct bawn_record){ .type = BAWN_RECORD_ALERT }, "n", NULL) == 0, "an entry made by hand");
	bawn_line_put(&line, h.size, bawn_buf_span(&draft), h.hash, hash);
	bawn_auto_fd fd = openat(w.tmp.fd, SEG0, O_WRONLY | O_APPEND | O_CLOEXEC);
	ok(write(fd, line.p, line.n) == (ssize_t)line.n, "appended");
	struct bawn_audit_report r = verify(w.dir);
	ok(r.ok && r.entries == 4 && r.torn_bytes == line.n && tally(w.dir, NULL).all == 4, "is no entry, but torn bytes");
	struct tally back = { 0 };
	ok(bawn_audit_walk_back(w.dir, count_entry, &back, NULL) == 0 && back.all == 4, "also read from the end");
	ok(opens_as(w.dir) == BAWN_ERROR_NONE && verify(w.dir).entries == 5 && tally(w.dir, "log.recovered").of_type == 1 && tally(w.dir, "alert").of_type == 0,
	   "and is cut, recorded, never signed");
	/* The same with a signature by a key of one's own. */
	auto_world thief = world_make();
	ok(fill_log(thief.dir, 0, 0), "somebody else's key");
	struct bawn_signer his = signer_of(&thief, "a/private/epoch-0.key");
	bawn_auto_buf now = get(&w, "a/head");
	struct bawn_tree tree;
	bawn_node leaf;
	ok(bawn_head_decode(bawn_buf_span(&now), &h) == 0, "the head now");
	bawn_buf_reset(&line);
	bawn_line_put(&line, h.size, bawn_buf_span(&draft), h.hash, hash);
	bawn_head_tree(&h, &tree);
	bawn_hash_leaf(hash, leaf);
	bawn_tree_add(&tree, leaf);
	struct bawn_seal seal = { .size = tree.size };
	bawn_tree_root(&tree, seal.root);
	bawn_seal_sign(&seal, &his);
	bawn_line_seal(&line, &seal);
	ok(write(fd, line.p, line.n) == (ssize_t)line.n && verify(w.dir).ok && verify(w.dir).torn_bytes == line.n, "signed by another key it is torn bytes too");
	ok(opens_as(w.dir) == BAWN_ERROR_NONE && tally(w.dir, "alert").of_type == 0 && tally(w.dir, "log.recovered").of_type == 2, "and cut");
}

/* A file that something is mounted on cannot be removed: whoever asked for another key is told that the old one is there. */
static void undying_key(void)
{
	if (geteuid() != 0) {
		skip("an old key that cannot be destroyed is told", "not root");
		return;
	}
	auto_world w = world_make();
	pid_t pid = fork();
	if (pid == 0) {  /* mounts of its own, which go with it */
		char key[512];
		struct bawn_receipt rc = { 0 };
		struct bawn_err err = { 0 };
		snprintf(key, sizeof key, "%s/private/epoch-0.key", w.dir);
		auto_log a = open_log(w.dir, 0, NULL);
		bool good = a != NULL && put_text(a, "by the first key", NULL, NULL) == 0 && unshare(CLONE_NEWNS) == 0 &&
		            mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 && mount(key, key, NULL, MS_BIND, NULL) == 0;
		int r = bawn_audit_rotate_key(w.dir, &(struct bawn_audit_options){ .node = "n" }, NULL, &rc, &err);
		good = good && r < 0 && strstr(err.msg, "the old one is still there") != NULL && verify(w.dir).epoch == 1;
		_exit(umount2(key, MNT_DETACH) == 0 && good ? 0 : 1);
	}
	int status = -1;
	ok(waitpid(pid, &status, 0) == pid && status == 0, "an old key that cannot be destroyed is told");
}

static void epochs(void)
{
	auto_world w = world_make();
	char first[BAWN_VKEY_MAX], second[BAWN_VKEY_MAX];
	struct bawn_receipt rc = { 0 };
	auto_log a = open_log(w.dir, 0, NULL);
	ok(put_text(a, "by the first key", NULL, NULL) == 0, "a log held open");
	struct bawn_signer old = signer_of(&w, "a/private/epoch-0.key");
	bawn_auto_buf seg0 = get(&w, SEG0), head0 = get(&w, "a/head");
	ok(bawn_audit_rotate_key(w.dir, &(struct bawn_audit_options){ .node = "n" }, NULL, &rc, NULL) == 0 && rc.seq == 2, "its key is changed by somebody else");
	ok(faccessat(w.tmp.fd, "a/private/epoch-0.key", F_OK, 0) < 0 && faccessat(w.tmp.fd, "a/private/epoch-1.key", F_OK, 0) == 0, "the old private key is gone");
	struct bawn_audit_report r = verify(w.dir);
	ok(r.ok && r.epoch == 1 && r.entries == 3 && opens_as(w.dir) == BAWN_ERROR_NONE, "the log verifies when log.key stands last: %s", r.problem);
	ok(put_text(a, "by the second key", NULL, NULL) == 0, "the open handle goes on");
	close_log(a);
	a = NULL;
	key_of(&w, "a/keys/epoch-0.vkey", first);
	key_of(&w, "a/keys/epoch-1.vkey", second);
	r = verify(w.dir);
	ok(r.ok && r.entries == 4 && strcmp(r.tiles, "good") == 0, "under two keys it verifies: %s%s", r.problem, r.tiles);
	ok(verify_with(w.dir, first, false).ok && verify_with(w.dir, second, false).ok && verify_with(w.dir, first, true).ok && strcmp(first, second) != 0, "with either of them pinned");
	ok(tally(w.dir, "log.key").of_type == 1, "and it says so itself");
	bawn_auto_buf seg = get(&w, SEG0), head = get(&w, "a/head");
	struct bawn_signer now = signer_of(&w, "a/private/epoch-1.key");
	forge(&w, &seg, &(struct forgery){ .by = &old, .later = &now, .drop = -1 });
	ok(verify(w.dir).ok, "the forger's tools are sound");
	forge(&w, &seg, &(struct forgery){ .by = &old, .drop = -1 });
	ok(!verify(w.dir).ok && verify(w.dir).first_bad_seq == 3, "an entry signed by the key of an epoch that is over is noticed: %s", verify(w.dir).problem);
	forge(&w, &seg, &(struct forgery){ .by = &now, .drop = -1 });
	ok(!verify(w.dir).ok && verify(w.dir).first_bad_seq == 0, "one signed by the key of an epoch to come too: %s", verify(w.dir).problem);
	forge(&w, &seg, &(struct forgery){ .by = &old, .later = &now, .drop = 2 });
	ok(!verify(w.dir).ok, "log.key left out is noticed: %s", verify(w.dir).problem);
	forge(&w, &seg, &(struct forgery){ .by = &old, .later = &now, .find = "\"epoch\":1", .put = "\"epoch\":2", .drop = -1 });
	ok(!verify(w.dir).ok && verify(w.dir).first_bad_seq == 2, "an epoch left out is noticed: %s", verify(w.dir).problem);

	/* Rolled back to before the key was changed: the private key of that epoch is gone. */
	set(&w, SEG0, seg0.p, seg0.n);
	set(&w, "a/head", head0.p, head0.n);
	ok(opens_as(w.dir) == BAWN_ERROR_AUDIT_FAILED, "rolled back into an epoch that is over, nobody can go on with it");
	/* Killed between log.key and the end of the old key; head lags. */
	set(&w, SEG0, seg.p, seg.n);
	bawn_auto_buf again = BAWN_BUF(1000);
	bawn_signer_put(&again, &old);
	set(&w, "a/private/epoch-0.key", again.p, again.n);
	forget_checkpoint(&w);
	ok(verify(w.dir).ok && verify(w.dir).entries == 4 && opens_as(w.dir) == BAWN_ERROR_NONE && verify(w.dir).entries == 4, "a head that lags over a change of keys is brought up: %s", verify(w.dir).problem);
	ok(faccessat(w.tmp.fd, "a/private/epoch-0.key", F_OK, 0) < 0, "and the old private key destroyed at last");
	set(&w, "a/head", head.p, head.n);
	ok(verify(w.dir).ok, "it verifies");
}

static void going_back(void)
{
	auto_world w = world_make();
	auto_log a = open_log(w.dir, 0, NULL);
	struct bawn_err err = { 0 };
	ok(put_text(a, "one", NULL, NULL) == 0, "a log held open");
	bawn_auto_buf seg = get(&w, SEG0), head = get(&w, "a/head");
	ok(put_text(a, "two", NULL, NULL) == 0 && put_text(a, "three", NULL, NULL) == 0, "and written to");
	set(&w, SEG0, seg.p, seg.n);
	set(&w, "a/head", head.p, head.n);
	ok(put_text(a, "four", NULL, &err) < 0 && err.type == BAWN_ERROR_AUDIT_TAMPERED, "put back to an older state under an open handle, it is refused: %s", err.msg);
	ok(verify(w.dir).ok, "to itself that state looks good: this is what a witness is for");

	auto_world c = world_make();
	ok(fill_log(c.dir, 1, 0), "a log");
	bawn_auto_buf seg1 = get(&c, SEG0), head1 = get(&c, "a/head");
	age_checkpoint(&c);
	ok(fill_log(c.dir, 2, 0), "that grew, and has published a checkpoint");
	set(&c, SEG0, seg1.p, seg1.n);
	set(&c, "a/head", head1.p, head1.n);
	ok(!verify(c.dir).ok && opens_as(c.dir) == BAWN_ERROR_AUDIT_TAMPERED, "rolled back behind its checkpoint it is refused: %s", verify(c.dir).problem);
	bawn_buf_str(&seg1, "{\"v\":1,\"seq\"");
	set(&c, SEG0, seg1.p, seg1.n);
	ok(!verify(c.dir).ok && opens_as(c.dir) == BAWN_ERROR_AUDIT_TAMPERED && files_in(&c, "a/quarantine") == 0, "also with a tail that looks torn, and nothing is cut");
}

static void origins(void)
{
	static const struct { const char *node, *lead; } row[] = {
		{ "host-1.example", "audit.host-1.example/" }, { "", "audit.host/" }, { "a b+c\n\"", "audit.abc/" }, { "\xc3\xa9", "audit.host/" },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		auto_world w = world_make();
		struct bawn_audit *a = NULL;
		int r = bawn_audit_open(w.dir, &(struct bawn_audit_options){ .node = row[i].node }, &a, NULL);
		close_log(a);
		struct bawn_audit_report v = verify(w.dir);
		ok(r == 0 && v.ok && strncmp(v.origin, row[i].lead, strlen(row[i].lead)) == 0 && strlen(v.origin) == strlen(row[i].lead) + 32, "origin %s", v.origin);
	}
}

int main(void)
{
	rewritten();
	key_files();
	each_entry();
	unsigned_tail();
	epochs();
	undying_key();
	going_back();
	origins();
	return done_testing();
}
