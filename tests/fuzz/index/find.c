/* find.c - libFuzzer target: what the helper is asked, and whatever a database may hold.
 *
 * The input is rows, a byte that is no kind of row, and the question as it comes.  A row is a kind, lengths of a word and of what stands beside
 * it, a number of two bytes, and these bytes: a list of `post`, as bytes or as a text that SQLite would recode; or a block,
 * whose body is these bytes again and again.  Whatever is there: whole hits within what was asked for, and an end only where it was
 * found to the end. */
#include "peer.h"

struct bytes { const uint8_t *p; size_t n; };

static struct bytes take(struct bytes *in, size_t n)
{
	const struct bytes out = { in->p, n < in->n ? n : in->n };
	in->p += out.n;
	in->n -= out.n;
	return out;
}

static void run(sqlite3 *db, const char *sql) { assert(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK); }

static void put_post(sqlite3 *db, struct bytes word, unsigned first, struct bytes list, int text)
{
	sqlite3_stmt *s = NULL;
	assert(sqlite3_prepare_v2(db, "INSERT OR REPLACE INTO post VALUES(?1, ?2, ?3)", -1, &s, NULL) == SQLITE_OK);
	(void)sqlite3_bind_blob(s, 1, word.n > 0 ? word.p : (const void *)"", (int)word.n, SQLITE_STATIC);
	(void)sqlite3_bind_int(s, 2, (int)first);
	if (text)
		(void)sqlite3_bind_text(s, 3, list.n > 0 ? (const char *)list.p : "", (int)list.n, SQLITE_STATIC);
	else
		(void)sqlite3_bind_blob(s, 3, list.p, (int)list.n, SQLITE_STATIC);
	(void)sqlite3_step(s);
	(void)sqlite3_finalize(s);
}

static void put_block(sqlite3 *db, unsigned first, struct bytes fill, int text)
{
	static uint8_t body[48 * BAWN_INDEX_BLOCK];
	sqlite3_stmt *s = NULL;
	for (size_t i = 0; i < sizeof body; i++)
		body[i] = fill.n > 0 ? fill.p[i % fill.n] : 0;
	assert(sqlite3_prepare_v2(db, "INSERT OR REPLACE INTO block VALUES(?1, 0, ?2, ?3)", -1, &s, NULL) == SQLITE_OK);
	(void)sqlite3_bind_int(s, 1, (int)first);
	(void)sqlite3_bind_int64(s, 2, fill.n > 7 ? INT64_MAX : (sqlite3_int64)fill.n);
	if (text)
		(void)sqlite3_bind_text(s, 3, (const char *)body, (int)sizeof body, SQLITE_STATIC);
	else
		(void)sqlite3_bind_blob(s, 3, body, (int)sizeof body, SQLITE_STATIC);
	(void)sqlite3_step(s);
	(void)sqlite3_finalize(s);
}

static void put_rows(sqlite3 *db, struct bytes *in)
{
	run(db, "BEGIN; CREATE TABLE block(first INTEGER PRIMARY KEY, low INTEGER, high INTEGER, body BLOB);"
	        "CREATE TABLE post(word BLOB, first INTEGER, list BLOB, PRIMARY KEY(word, first)) WITHOUT ROWID;");
	for (int blocks = 0; in->n > 5 && *in->p < 4; ) {
		const struct bytes row = take(in, 5);
		const unsigned first = row.p[3] | (unsigned)row.p[4] << 8;
		const struct bytes word = take(in, row.p[1]), list = take(in, row.p[2]);
		if (row.p[0] < 2)
			put_post(db, word, first, list, row.p[0]);
		else if (blocks++ < 8)
			put_block(db, first, list, row.p[0] == 3);
	}
	(void)take(in, 1);
	run(db, "COMMIT");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = { data, size };
	struct bawn_index_ask ask = { 0 };
	const struct peer p = peer_make();
	sqlite3 *db = memory_database();
	run(db, size % 2 == 0 ? "PRAGMA encoding='UTF-16'" : "PRAGMA encoding='UTF-8'");
	put_rows(db, &in);
	memcpy(&ask, in.p, in.n < sizeof ask ? in.n : sizeof ask);
	assert(peer_tell(&p, in.p, in.n));
	(void)shutdown(p.ours, SHUT_WR);
	const int status = bawn_index_find(db, p.its);
	size_t n;
	uint8_t *all = peer_hear(&p, &n);
	struct bawn_index_hit hit = { 0 };
	for (size_t i = 0; i + sizeof hit <= n; i += sizeof hit) {
		memcpy(&hit, all + i, sizeof hit);
		assert((hit.seq >= ask.low && hit.seq < ask.high) || (hit.seq == BAWN_INDEX_END && i + sizeof hit == n));
	}
	assert(status != 0 || (n % sizeof hit == 0 && n > 0 && hit.seq == BAWN_INDEX_END));
	free(all);
	peer_done(&p);
	return 0;
}
