/* serve.c - see serve.h.
 *
 *	block(first, low, high, body)   1024 entries from seq `first` on; body: for each where it stands, its time, its hash
 *	post(word, first, list)         in which entries of that block a term occurs: 16-bit numbers, or from 64 on 1024 bits
 *
 * Invariant: every number and length that is told or comes out of the database is checked before it is used.
 * An attacker controls: the texts in terms; the database only where somebody has the log's private key. */
#include "index/serve.h"
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "audit/index_wire.h"

#define BLOCK      BAWN_INDEX_BLOCK
#define LIST_MAX   64u           /* from here on bits are shorter */
#define BITS       (BLOCK / 8)
#define PREFIX_MAX (4u << 20)    /* entries of ids that begin alike; beyond that the id is not asked for */
_Static_assert(2 * LIST_MAX == BITS, "the length tells a list from bits");

struct place { uint64_t at, ts; uint8_t hash[BAWN_SHA256_LEN]; };

/* ---- the socket ---- */

struct talk { int fd; char bytes[64 << 10]; size_t at, n; };  /* what was read and not yet taken */

/* 1, 0 at the end of file, -1. */
static int get(struct talk *in, void *to, size_t n)
{
	for (size_t done = 0; done < n; ) {
		const size_t have = in->n - in->at, take = have < n - done ? have : n - done;
		memcpy((char *)to + done, in->bytes + in->at, take);
		in->at += take;
		done += take;
		if (done == n)
			break;
		ssize_t got = read(in->fd, in->bytes, sizeof in->bytes);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got == 0 && done == 0 ? 0 : -1;
		in->at = 0;
		in->n = (size_t)got;
	}
	return 1;
}

static bool put(int fd, const void *p, size_t n)
{
	for (size_t done = 0; done < n; ) {
		ssize_t did = send(fd, (const char *)p + done, n - done, MSG_NOSIGNAL);
		if (did < 0 && errno == EINTR)
			continue;
		if (did <= 0)
			return false;
		done += (size_t)did;
	}
	return true;
}

struct term { const uint8_t *p; unsigned n; };

static bool next_term(const uint8_t **at, const uint8_t *end, struct term *out)
{
	if (*at >= end || **at == 0 || **at > BAWN_INDEX_TERM || **at > end - *at - 1)
		return false;
	*out = (struct term){ *at + 1, **at };
	*at += 1 + **at;
	return true;
}

/* ---- build ---- */

struct occurrence { struct term term; uint16_t entry; };
struct building {
	struct talk        in;
	sqlite3_stmt      *block, *post;
	struct place       place[BLOCK];
	uint8_t           *terms[BLOCK];  /* owned: what the occurrences point into */
	struct occurrence *all;
	size_t             n, room;
	uint64_t           first, entries, low, high;
};

static int by_term(const void *a, const void *b)
{
	const struct occurrence *x = a, *y = b;
	const unsigned n = x->term.n < y->term.n ? x->term.n : y->term.n;
	const int order = memcmp(x->term.p, y->term.p, n);
	return order != 0 ? order : x->term.n != y->term.n ? (x->term.n < y->term.n ? -1 : 1) : x->entry - y->entry;
}

static bool done_step(sqlite3_stmt *s)
{
	const bool good = sqlite3_step(s) == SQLITE_DONE;
	return sqlite3_reset(s) == SQLITE_OK && good;
}

static bool put_post(struct building *b, const struct occurrence *from, size_t n)
{
	uint16_t list[LIST_MAX];
	uint8_t bits[BITS] = { 0 };
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		const unsigned e = from[i].entry;
		if ((unsigned)bits[e / 8] >> (e % 8) & 1u)
			continue;  /* the same term twice */
		bits[e / 8] = (uint8_t)(bits[e / 8] | 1u << (e % 8));
		if (kept < LIST_MAX)
			list[kept] = (uint16_t)e;
		kept++;
	}
	return sqlite3_bind_blob(b->post, 1, from->term.p, (int)from->term.n, SQLITE_STATIC) == SQLITE_OK &&
	       sqlite3_bind_int64(b->post, 2, (sqlite3_int64)b->first) == SQLITE_OK &&
	       sqlite3_bind_blob(b->post, 3, kept < LIST_MAX ? (const void *)list : bits, kept < LIST_MAX ? (int)(2 * kept) : (int)BITS, SQLITE_STATIC) == SQLITE_OK &&
	       done_step(b->post);
}

static void forget_block(struct building *b)
{
	for (uint64_t i = 0; i < b->entries; i++) {
		free(b->terms[i]);
		b->terms[i] = NULL;
	}
	b->n = b->entries = 0;
}

static bool put_block(struct building *b)
{
	if (b->n > 1)
		qsort(b->all, b->n, sizeof *b->all, by_term);
	bool good = true;
	for (size_t i = 0, k; good && i < b->n; i = k) {
		for (k = i + 1; k < b->n && b->all[k].term.n == b->all[i].term.n && memcmp(b->all[k].term.p, b->all[i].term.p, b->all[i].term.n) == 0; k++)
			;
		good = put_post(b, b->all + i, k - i);
	}
	good = good && sqlite3_bind_int64(b->block, 1, (sqlite3_int64)b->first) == SQLITE_OK && sqlite3_bind_int64(b->block, 2, (sqlite3_int64)b->low) == SQLITE_OK &&
	       sqlite3_bind_int64(b->block, 3, (sqlite3_int64)b->high) == SQLITE_OK &&
	       sqlite3_bind_blob(b->block, 4, b->place, sizeof b->place, SQLITE_STATIC) == SQLITE_OK && done_step(b->block);
	forget_block(b);
	return good;
}

static bool note_terms(struct building *b, uint16_t entry, const uint8_t *terms, size_t n)
{
	struct term t;
	for (const uint8_t *at = terms; next_term(&at, terms + n, &t); ) {
		if (b->n == b->room) {
			const size_t room = b->room == 0 ? 4096 : 2 * b->room;
			struct occurrence *more = reallocarray(b->all, room, sizeof *more);
			if (more == NULL)
				return false;
			b->all = more;
			b->room = room;
		}
		b->all[b->n++] = (struct occurrence){ t, entry };
	}
	return true;
}

/* 1, 0 at the end of file, -1. */
static int take_entry(struct building *b)
{
	struct bawn_index_entry e;
	int r = get(&b->in, &e, sizeof e);
	if (r <= 0 || e.terms > BAWN_INDEX_TERMS || e.seq > INT64_MAX || e.ts > INT64_MAX || (b->entries > 0 && e.seq != b->first + b->entries))
		return r == 0 ? 0 : -1;
	const uint64_t i = b->entries;
	b->terms[i] = malloc(e.terms + 1u);
	b->entries++;
	if (b->terms[i] == NULL || (e.terms > 0 && get(&b->in, b->terms[i], e.terms) != 1) || !note_terms(b, (uint16_t)i, b->terms[i], e.terms))
		return -1;
	b->first = i == 0 ? e.seq : b->first;
	b->low = i == 0 || e.ts < b->low ? e.ts : b->low;
	b->high = i == 0 || e.ts > b->high ? e.ts : b->high;
	b->place[i] = (struct place){ .at = e.at, .ts = e.ts };
	memcpy(b->place[i].hash, e.hash, sizeof e.hash);
	return 1;
}

static bool run_sql(sqlite3 *db, const char *sql) { return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK; }

/* All that is told, up to the end of file.  Entries before the number returned are in the database; 0: it failed. */
static uint64_t build(struct building *b, sqlite3 *db)
{
	uint64_t to = 0;
	int r = run_sql(db, "PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-65536; BEGIN;"
	                    "CREATE TABLE IF NOT EXISTS block(first INTEGER PRIMARY KEY, low INTEGER, high INTEGER, body BLOB);"
	                    "CREATE TABLE IF NOT EXISTS post(word BLOB, first INTEGER, list BLOB, PRIMARY KEY(word, first)) WITHOUT ROWID;") &&
	                sqlite3_prepare_v2(db, "INSERT INTO block VALUES(?1, ?2, ?3, ?4)", -1, &b->block, NULL) == SQLITE_OK &&
	                sqlite3_prepare_v2(db, "INSERT INTO post VALUES(?1, ?2, ?3)", -1, &b->post, NULL) == SQLITE_OK ? 1 : -1;
	while (r > 0) {
		r = take_entry(b);
		if (r > 0 && b->entries == BLOCK) {
			to = b->first + BLOCK;
			r = put_block(b) ? 1 : -1;
		}
	}
	(void)sqlite3_finalize(b->block);
	(void)sqlite3_finalize(b->post);
	return r == 0 && run_sql(db, "COMMIT") ? to : 0;
}

int bawn_index_build(sqlite3 *db, int fd)
{
	struct building *b = calloc(1, sizeof *b);
	uint64_t to = 0;
	if (b != NULL) {
		b->in.fd = fd;
		to = build(b, db);
		forget_block(b);
		free(b->all);
		free(b);
	}
	if (sqlite3_close(db) != SQLITE_OK)
		to = 0;
	return put(fd, &to, sizeof to) && to > 0 ? 0 : 1;
}

/* ---- find ---- */

struct finding {
	struct talk            in;
	sqlite3               *db;
	struct bawn_index_ask  ask;
	uint8_t                terms[BAWN_INDEX_TERMS];
	struct term            term[BAWN_INDEX_TERMS / 2];  /* in `terms` */
	size_t                 n_terms;
	sqlite3_stmt          *blocks, *post, *body;
	uint64_t              *prefixed;   /* entries whose id begins as asked, ascending */
	size_t                 n_prefixed;
	bool                   by_prefix;
	struct bawn_index_hit  hit[BLOCK];
};

/* The bytes in a column; false: it holds something else, which SQLite would make bytes of. */
static bool bytes_in(sqlite3_stmt *s, int column, const uint8_t **out, int *out_n)
{
	if (sqlite3_column_type(s, column) != SQLITE_BLOB)
		return false;
	*out = sqlite3_column_blob(s, column);
	*out_n = sqlite3_column_bytes(s, column);
	return true;
}

/* Adds what a row of `post` says to the bits of its block; false: it is none. */
static bool add_bits(uint64_t bits[static BLOCK / 64], const uint8_t *p, int n)
{
	if (n == (int)BITS) {
		for (unsigned i = 0; i < BLOCK / 64; i++) {
			uint64_t v;
			memcpy(&v, p + 8 * i, 8);
			bits[i] |= v;
		}
		return true;
	}
	for (int i = 0; i + 1 < n; i += 2) {
		uint16_t e;
		memcpy(&e, p + i, 2);
		if (e >= BLOCK)
			return false;
		bits[e / 64] |= UINT64_C(1) << (e % 64);
	}
	return n >= 0 && n < (int)BITS && n % 2 == 0;
}

static bool bits_of(struct finding *f, struct term t, uint64_t first, uint64_t bits[static BLOCK / 64])
{
	bool good = sqlite3_bind_blob(f->post, 1, t.p, (int)t.n, SQLITE_STATIC) == SQLITE_OK && sqlite3_bind_int64(f->post, 2, (sqlite3_int64)first) == SQLITE_OK;
	const int r = good ? sqlite3_step(f->post) : SQLITE_ERROR;
	const uint8_t *list;
	int n;
	if (r == SQLITE_ROW)
		good = bytes_in(f->post, 0, &list, &n) && add_bits(bits, list, n);
	(void)sqlite3_reset(f->post);
	return good && (r == SQLITE_ROW || r == SQLITE_DONE);
}

static int by_number(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* The entries of all ids that begin with the text of this term. */
static bool gather_prefix(struct finding *f, struct term t)
{
	sqlite3_stmt *s = NULL;
	uint8_t last[BAWN_INDEX_TERM + 1];
	size_t room = 0;
	int r = SQLITE_ERROR;
	bool good = true;
	memcpy(last, t.p, t.n);
	last[t.n] = 0xff;  /* ids are ASCII */
	if (sqlite3_prepare_v2(f->db, "SELECT first, list FROM post WHERE word >= ?1 AND word < ?2", -1, &s, NULL) == SQLITE_OK &&
	    sqlite3_bind_blob(s, 1, t.p, (int)t.n, SQLITE_STATIC) == SQLITE_OK && sqlite3_bind_blob(s, 2, last, (int)t.n + 1, SQLITE_STATIC) == SQLITE_OK)
		r = SQLITE_ROW;
	f->by_prefix = true;
	while (good && r == SQLITE_ROW && (r = sqlite3_step(s)) == SQLITE_ROW) {
		uint64_t bits[BLOCK / 64] = { 0 };
		const uint64_t first = (uint64_t)sqlite3_column_int64(s, 0);
		const uint8_t *list;
		int n;
		good = bytes_in(s, 1, &list, &n) && add_bits(bits, list, n);
		for (unsigned i = 0; good && i < BLOCK; i++) {
			if ((bits[i / 64] >> (i % 64) & 1u) == 0)
				continue;
			if (f->n_prefixed == room) {
				room = room == 0 ? 64 : 2 * room;
				uint64_t *more = room <= PREFIX_MAX ? reallocarray(f->prefixed, room, sizeof *more) : NULL;
				if (more == NULL) {  /* too many to be worth it: not asked for */
					f->by_prefix = false;
					r = SQLITE_DONE;
					break;
				}
				f->prefixed = more;
			}
			f->prefixed[f->n_prefixed++] = first + i;
		}
	}
	(void)sqlite3_finalize(s);
	if (f->n_prefixed > 1)
		qsort(f->prefixed, f->n_prefixed, sizeof *f->prefixed, by_number);
	return good && r == SQLITE_DONE;
}

static void prefixed_bits(const struct finding *f, uint64_t first, uint64_t bits[static BLOCK / 64])
{
	size_t low = 0, high = f->n_prefixed;
	while (low < high) {
		const size_t mid = low + (high - low) / 2;
		if (f->prefixed[mid] < first)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < f->n_prefixed && f->prefixed[low] - first < BLOCK; low++)
		bits[(f->prefixed[low] - first) / 64] |= UINT64_C(1) << ((f->prefixed[low] - first) % 64);
}

/* Which entries of a block meet all terms. */
static bool match(struct finding *f, uint64_t first, uint64_t out[static BLOCK / 64])
{
	static const uint8_t any = BAWN_INDEX_ANY;
	uint64_t always[BLOCK / 64] = { 0 };
	memset(out, 0xff, sizeof always);
	if (!bits_of(f, (struct term){ &any, 1 }, first, always))
		return false;
	uint64_t left = 1;
	for (size_t t = 0; t < f->n_terms && left != 0; t++) {
		uint64_t bits[BLOCK / 64];
		memcpy(bits, always, sizeof bits);
		if (f->term[t].p[0] == BAWN_INDEX_EXEC && !f->by_prefix)
			continue;
		if (f->term[t].p[0] == BAWN_INDEX_EXEC)
			prefixed_bits(f, first, bits);
		else if (!bits_of(f, f->term[t], first, bits))
			return false;
		left = 0;
		for (unsigned i = 0; i < BLOCK / 64; i++)
			left |= out[i] &= bits[i];
	}
	return true;
}

static const uint8_t *body_of(struct finding *f, uint64_t first)
{
	const uint8_t *body;
	int n;
	return sqlite3_bind_int64(f->body, 1, (sqlite3_int64)first) == SQLITE_OK && sqlite3_step(f->body) == SQLITE_ROW && bytes_in(f->body, 0, &body, &n) &&
	       n == (int)(BLOCK * sizeof(struct place)) ? body : NULL;
}

/* Sends what is asked for of one block. */
static bool answer_block(struct finding *f, uint64_t first)
{
	uint64_t bits[BLOCK / 64];
	size_t n = 0;
	bool any = false;
	if (!match(f, first, bits))
		return false;
	for (unsigned i = 0; i < BLOCK / 64; i++)
		any |= bits[i] != 0;
	if (!any)
		return true;
	const uint8_t *body = body_of(f, first);
	for (unsigned i = BLOCK; body != NULL && i-- > 0; ) {
		struct place p;
		memcpy(&p, body + i * sizeof p, sizeof p);
		if (p.ts < f->ask.since || p.ts > f->ask.until || first + i < f->ask.low || first + i >= f->ask.high || (bits[i / 64] >> (i % 64) & 1u) == 0)
			continue;
		f->hit[n] = (struct bawn_index_hit){ .seq = first + i, .at = p.at };
		memcpy(f->hit[n++].hash, p.hash, sizeof p.hash);
	}
	(void)sqlite3_reset(f->body);
	return body != NULL && put(f->in.fd, f->hit, n * sizeof *f->hit);
}

static bool ask_for(struct finding *f)
{
	if (get(&f->in, &f->ask, sizeof f->ask) != 1 || f->ask.terms > sizeof f->terms || (f->ask.terms > 0 && get(&f->in, f->terms, f->ask.terms) != 1))
		return false;
	const uint8_t *at = f->terms;
	while (f->n_terms < sizeof f->term / sizeof *f->term && next_term(&at, f->terms + f->ask.terms, &f->term[f->n_terms]))
		f->n_terms++;
	return at == f->terms + f->ask.terms;
}

/* Are all hits sent? */
static bool find(struct finding *f)
{
	int r = run_sql(f->db, "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON") && ask_for(f) &&
	        sqlite3_prepare_v2(f->db, "SELECT list FROM post WHERE word = ?1 AND first = ?2", -1, &f->post, NULL) == SQLITE_OK &&
	        sqlite3_prepare_v2(f->db, "SELECT body FROM block WHERE first = ?1", -1, &f->body, NULL) == SQLITE_OK &&
	        sqlite3_prepare_v2(f->db, "SELECT first, low, high FROM block WHERE first > ?1 AND first < ?2 ORDER BY first DESC", -1, &f->blocks, NULL) == SQLITE_OK &&
	        sqlite3_bind_int64(f->blocks, 1, f->ask.low >= BLOCK ? (sqlite3_int64)(f->ask.low - BLOCK) : -1) == SQLITE_OK &&
	        sqlite3_bind_int64(f->blocks, 2, f->ask.high > INT64_MAX ? INT64_MAX : (sqlite3_int64)f->ask.high) == SQLITE_OK ? 1 : -1;
	for (size_t i = 0; r > 0 && i < f->n_terms; i++)
		if (f->term[i].p[0] == BAWN_INDEX_EXEC && !f->by_prefix && f->n_prefixed == 0)
			r = gather_prefix(f, f->term[i]) ? 1 : -1;
	while (r > 0 && (r = sqlite3_step(f->blocks)) == SQLITE_ROW) {
		const uint64_t first = (uint64_t)sqlite3_column_int64(f->blocks, 0), low = (uint64_t)sqlite3_column_int64(f->blocks, 1), high = (uint64_t)sqlite3_column_int64(f->blocks, 2);
		r = low > f->ask.until || high < f->ask.since || answer_block(f, first) ? 1 : -1;
	}
	(void)sqlite3_finalize(f->blocks);
	(void)sqlite3_finalize(f->post);
	(void)sqlite3_finalize(f->body);
	return r == SQLITE_DONE;
}

int bawn_index_find(sqlite3 *db, int fd)
{
	static const struct bawn_index_hit end = { .seq = BAWN_INDEX_END };
	struct finding *f = calloc(1, sizeof *f);
	bool good = f != NULL;
	if (good) {
		f->db = db;
		f->in.fd = fd;
		good = find(f);
		free(f->prefixed);
		free(f);
	}
	(void)sqlite3_close(db);
	return good && put(fd, &end, sizeof end) ? 0 : 1;
}
