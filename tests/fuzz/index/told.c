/* told.c - libFuzzer target: what the helper is told when it makes an index.
 *
 * The input is a number of entries (two bytes) that are told first and are good, so that a short input fills a block of
 * 1024; then the bytes as they come.  Whatever is told: an answer of eight bytes; and where it took a block, an entry is
 * found by the first of its terms. */
#include "peer.h"

#define DB "file:fuzz?mode=memory&cache=shared"

static sqlite3 *shared_database(void)
{
	sqlite3 *db = NULL;
	assert(sqlite3_open_v2(DB, &db, SQLITE_OPEN_URI | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) == SQLITE_OK);
	return db;
}

static void tell_good(const struct peer *p, unsigned n)
{
	static const uint8_t term[] = { 2, BAWN_INDEX_TYPE, 'a' };
	static uint8_t all[2 * BAWN_INDEX_BLOCK * (sizeof(struct bawn_index_entry) + sizeof term)];
	uint8_t *at = all;
	for (unsigned i = 0; i < n; i++, at += sizeof term) {
		const struct bawn_index_entry e = { .seq = i, .at = 100 * i, .ts = 5, .terms = sizeof term };
		memcpy(at, &e, sizeof e);
		at += sizeof e;
		memcpy(at, term, sizeof term);
	}
	assert(peer_tell(p, all, (size_t)(at - all)));
}

/* Is entry `seq` among what is found by this term? */
static void must_find(uint64_t seq, const uint8_t *term)
{
	const struct peer p = peer_make();
	const struct bawn_index_ask ask = { .until = UINT64_MAX, .low = seq, .high = seq + 1, .terms = 1u + *term };
	assert(peer_tell(&p, &ask, sizeof ask) && peer_tell(&p, term, ask.terms));
	const int status = bawn_index_find(shared_database(), p.its);
	size_t n;
	uint8_t *all = peer_hear(&p, &n);
	struct bawn_index_hit hit;
	assert(status == 0 && n == 2 * sizeof hit);
	memcpy(&hit, all, sizeof hit);
	assert(hit.seq == seq);
	free(all);
	peer_done(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	const unsigned good = (data[0] | (unsigned)data[1] << 8) % (2 * BAWN_INDEX_BLOCK + 1);
	const struct peer p = peer_make();
	sqlite3 *keep = shared_database();
	tell_good(&p, good);
	if (peer_tell(&p, data + 2, size - 2)) {
		uint64_t to;
		size_t n;
		(void)shutdown(p.ours, SHUT_WR);
		const int status = bawn_index_build(shared_database(), p.its);
		uint8_t *all = peer_hear(&p, &n);
		assert(n == sizeof to);
		memcpy(&to, all, sizeof to);
		assert((status == 0) == (to > 0));
		struct bawn_index_entry first;
		const uint8_t *term = data + 2 + sizeof first;
		if (to > good && good % BAWN_INDEX_BLOCK != 0 && size > 2 + sizeof first) {
			memcpy(&first, data + 2, sizeof first);
			if (first.terms > 1 && *term > 0 && *term < first.terms && *term <= BAWN_INDEX_TERM)
				must_find(first.seq, term);
		}
		free(all);
	}
	(void)sqlite3_close(keep);
	peer_done(&p);
	return 0;
}
