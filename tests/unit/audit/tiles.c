/* tiles.c - tiles and checkpoint follow from the log, are made after it, and made anew where they do not. */
#include "audit/entry.h"
#include "audit/keys.h"
#include "audit/proof.h"
#include "world.h"
#include "audit/tiles.h"

static bool there(struct world *w, const char *path, off_t size)
{
	struct stat st;
	return fstatat(w->tmp.fd, path, &st, 0) == 0 && st.st_size == size;
}

static bool put_many(const char *dir, int n)
{
	auto_log a = open_log(dir, 60000, NULL);
	uint64_t t = 0;
	int r = a == NULL;
	for (int i = 0; r == 0 && i < n; i++)
		r = a->ops->append(a, &(struct bawn_record){ .type = BAWN_RECORD_ALERT }, &t, NULL);
	return r == 0 && a->ops->wait(a, t, NULL, NULL) == 0;
}

static void grow(void)
{
	auto_world w = world_make();
	ok(fill_log(w.dir, 4, 0) && strcmp(verify(w.dir).tiles, "good") == 0, "a small log has good tiles: %s", verify(w.dir).tiles);
	ok(there(&w, "a/tile/0/000.p/5", 5 * 32) && there(&w, "a/tile/entries/000.p/5", 5 * 34) && files_in(&w, "a/tile/0/000.p") == 1, "of five entries");
	date_checkpoint(&w, 0);
	ok(fill_log(w.dir, 1, 0) && there(&w, "a/tile/0/000.p/5", 5 * 32) && strcmp(verify(w.dir).tiles, "good") == 0, "one more a moment later waits for others");
	age_checkpoint(&w);
	ok(fill_log(w.dir, 1, 0) && there(&w, "a/tile/0/000.p/7", 7 * 32) && files_in(&w, "a/tile/0/000.p") == 1 && files_in(&w, "a/tile/entries/000.p") == 1,
	   "the next ones take their place");
	date_checkpoint(&w, 0);
	ok(put_many(w.dir, 31) && there(&w, "a/tile/0/000.p/7", 7 * 32) && put_many(w.dir, 1) && there(&w, "a/tile/0/000.p/39", 39 * 32), "32 do not wait");
	bool good = true;
	for (int i = 0; i < 60; i++) {  /* over the end of a tile, one commit at a time */
		age_checkpoint(&w);
		good = good && put_many(w.dir, i % 9 + 1) && strcmp(verify(w.dir).tiles, "good") == 0 && verify(w.dir).ok;
	}
	ok(good, "they stay good while it grows");
	ok(there(&w, "a/tile/0/000", 8192) && there(&w, "a/tile/entries/000", 8704) && there(&w, "a/tile/1/000.p/1", 32) && files_in(&w, "a/tile/0/000.p") == -1,
	   "a full tile needs its beginnings no more");
	ok(put_many(w.dir, 70000) && verify(w.dir).ok && strcmp(verify(w.dir).tiles, "good") == 0 && there(&w, "a/tile/1/000", 8192) && there(&w, "a/tile/2/000.p/1", 32),
	   "three levels: %s", verify(w.dir).tiles);
}

static void harmed(void)
{
	auto_world w = world_make();
	ok(fill_log(w.dir, 3, 0) && put_many(w.dir, 600), "a log");
	static const struct { const char *name, *path; bool edge; } row[] = {
		{ "an old tile",      "a/tile/0/000",         false },
		{ "an old bundle",    "a/tile/entries/001",   false },
		{ "the edge",         NULL,                   true },
		{ "a tile above",     "a/tile/1/000.p/2",     true },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		char edge[60];
		snprintf(edge, sizeof edge, "a/tile/0/002.p/%d", (int)(verify(w.dir).entries % 256));
		const char *path = row[i].path != NULL ? row[i].path : edge;
		bawn_auto_buf b = get(&w, path);
		b.p[b.n / 2] ^= 1;
		set(&w, path, b.p, b.n);
		struct bawn_audit_report r = verify(w.dir);
		ok(r.ok && strcmp(r.tiles, "good") != 0 && strstr(r.tiles, path + 2) != NULL, "%s that was changed is named, and the log is good: %s", row[i].name, r.tiles);
		if (row[i].edge)
			age_checkpoint(&w);
		else
			forget_checkpoint(&w);
		ok(fill_log(w.dir, 1, 0) && strcmp(verify(w.dir).tiles, "good") == 0, "%s: %s", row[i].edge ? "the next writer makes it anew" : "without a checkpoint the next writer makes all anew", verify(w.dir).tiles);
	}
	bawn_auto_buf note = get(&w, "a/checkpoint");
	note.p[note.n - 10] = note.p[note.n - 10] == 'A' ? 'B' : 'A';
	set(&w, "a/checkpoint", note.p, note.n);
	ok(verify(w.dir).ok && strstr(verify(w.dir).tiles, "checkpoint") != NULL, "a checkpoint with another signature is named: %s", verify(w.dir).tiles);
	set(&w, "a/checkpoint", "x\n", 2);
	ok(verify(w.dir).ok && strstr(verify(w.dir).tiles, "checkpoint") != NULL, "so is one that is none: %s", verify(w.dir).tiles);
	age_checkpoint(&w);
	ok(fill_log(w.dir, 1, 0) && strcmp(verify(w.dir).tiles, "good") == 0, "and replaced");
}

/* A writer that never closes still publishes, a tile at a time. */
static void while_open(void)
{
	auto_world w = world_make();
	auto_log a = open_log(w.dir, 0, NULL);
	bool good = true;
	for (int i = 0; i < 600; i++)
		good = good && put_text(a, "x", NULL, NULL) == 0;
	(void)usleep(200000);  /* they are made at most ten times a second: 600 may have come sooner than that */
	good = good && put_text(a, "x", NULL, NULL) == 0;
	struct bawn_audit_report r = verify(w.dir);
	ok(good && r.ok && strcmp(r.tiles, "good") == 0 && there(&w, "a/tile/0/001", 8192), "an open log publishes its full tiles: %s", r.tiles);
	(void)unlinkat(w.tmp.fd, "a/checkpoint", 0);
	(void)renameat(w.tmp.fd, "a/tile", w.tmp.fd, "a/gone");
	ok(put_text(a, "y", NULL, NULL) == 0 && verify(w.dir).ok, "and does not depend on them");
}

/* ---- proofs ---- */

struct leaves { bawn_node leaf[1000]; };
static int note_leaf(void *ctx, const struct bawn_entry *e)
{
	struct leaves *l = ctx;
	bawn_hash_leaf(json_string_value(json_object_get(e->json, "hash")), l->leaf[e->seq]);
	return 0;
}

/* How many of the first n entries have a proof that the log's key signed; `of` receives the size of the last tree. */
static int proved(struct world *w, uint64_t n, uint64_t *of)
{
	static struct leaves l;
	struct bawn_vkey key;
	struct bawn_seal seal = { 0 };
	bawn_auto_fd dir = openat(w->tmp.fd, "a", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int good = bawn_keys_public(dir, 0, &key) == 0 && bawn_audit_walk(w->dir, 0, note_leaf, &l, NULL) == 0 ? 0 : -1000;
	for (uint64_t i = 0; i < n; i++) {
		bawn_auto_buf proof = BAWN_BUF(1u << 16);
		good += bawn_audit_proof(w->dir, i, &proof, NULL) == 0 && bawn_proof_check(bawn_buf_span(&proof), l.leaf[i], i, &key, &seal) == NULL;
	}
	*of = seal.size;
	return good;
}

/* From tiles or, where these do not do, from all entries: always a good one, or none. */
static void proofs(void)
{
	auto_world w = world_make();
	uint64_t of = 0;
	ok(put_many(w.dir, 700) && proved(&w, 701, &of) == 701 && of > 700, "each entry is proved");
	ok(put_many(w.dir, 3) && proved(&w, 704, &of) == 704 && of > 703, "also the newest, which the checkpoint does not have");
	bawn_auto_buf log = get(&w, SEG0), tile = get(&w, "a/tile/0/000"), proof = BAWN_BUF(1u << 16);
	tile.p[5 * 32] ^= 1;
	set(&w, "a/tile/0/000", tile.p, tile.n);
	ok(proved(&w, 20, &of) == 20, "where a tile is damaged from the entries");
	tile.p[5 * 32] ^= 1;
	set(&w, "a/tile/0/000", tile.p, tile.n);
	char *at = memmem(log.p, log.n, "\"seq\":5,", 8), *hash = memmem(at, 2000, ",\"hash\":\"", 9), hex[BAWN_SHA256_HEX], *from = (char *)memrchr(log.p, '\n', (size_t)(at - log.p)) + 1;
	hash[-2] = hash[-2] == '0' ? '1' : '0';  /* it cites another entry, and its own hash fits that */
	bawn_auto_buf covered = BAWN_BUF(4096);
	bawn_buf_add(&covered, from, (size_t)(hash - from));
	bawn_buf_char(&covered, '}');
	bawn_sha256_hex(bawn_buf_span(&covered), hex);
	memcpy(hash + 9, hex, 64);
	set(&w, SEG0, log.p, log.n);
	ok(bawn_audit_proof(w.dir, 5, &proof, NULL) < 0, "an entry that was changed has none, whatever tiles say");
}

int main(void)
{
	proofs();
	grow();
	harmed();
	while_open();
	return done_testing();
}
