/* entry.c - see entry.h.
 *
 * Invariants:
 * (1) what bawn_line_draft accepts, bawn_line_check accepts once it has its place: a record that
 *     could not be read back is refused before it is queued;
 * (2) a line has one spelling: no spaces, no fractions, no needless escapes, no leading zeros, no
 *     key twice; so equal meaning is equal bytes and nothing hides in a variant;
 * (3) the reader allocates nothing (but see duplicates below) and recurses at most BAWN_JSON_DEPTH deep.
 * An attacker controls: every string in a record, and every byte of a file handed to the reader. */
#include "audit/entry.h"
#include <inttypes.h>
#include <sys/random.h>
#include "base/b64.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/utf8.h"

#define LAST_INT 9007199254740991u  /* 2^53 - 1: the largest integer every JSON reader keeps exact */

/* ---- reading ---- */

struct scan {
	const char *p, *end;
	const char *problem;   /* of the first failure */
	bool        nul;         /* a \u0000 was read */
	bool        look_twice;  /* two keys of one object may be the same */
};

static bool bad(struct scan *s, const char *problem)
{
	if (s->problem == NULL)
		s->problem = problem;
	return false;
}

static bool literal(struct scan *s, const char *text, const char *problem)
{
	size_t n = strlen(text);
	if ((size_t)(s->end - s->p) < n || memcmp(s->p, text, n) != 0)
		return bad(s, problem);
	s->p += n;
	return true;
}

static bool next_is(const struct scan *s, char c) { return s->p < s->end && *s->p == c; }

static bool number(struct scan *s, uint64_t *out)
{
	uint64_t v = 0;
	const char *from = s->p;
	for (; s->p < s->end && *s->p >= '0' && *s->p <= '9'; s->p++) {
		if (s->p - from >= 16)
			return bad(s, "a number beyond 2^53");
		v = v * 10 + (uint64_t)(*s->p - '0');
	}
	if (s->p == from || (*from == '0' && s->p - from > 1))
		return bad(s, "not a plain integer");
	if (v > LAST_INT)
		return bad(s, "a number beyond 2^53");
	*out = v;
	return true;
}

static bool integer(struct scan *s)
{
	uint64_t v = 0;
	bool minus = next_is(s, '-');
	s->p += minus;
	if (!number(s, &v) || (minus && v == 0))
		return bad(s, "not a plain integer");
	return !(next_is(s, '.') || next_is(s, 'e') || next_is(s, 'E')) || bad(s, "a number that is not an integer");
}

/* After a backslash.  One spelling per character: \u00XX only where there is no short form. */
static bool escape(struct scan *s)
{
	static const char shorts[] = "\"\\bfnrt";
	if (s->p == s->end)
		return bad(s, "an unfinished string");
	char c = *s->p++;
	if (c != '\0' && strchr(shorts, c) != NULL)
		return true;
	if (c != 'u' || s->end - s->p < 4 || s->p[0] != '0' || s->p[1] != '0' || (s->p[2] != '0' && s->p[2] != '1'))
		return bad(s, "an escape that is not canonical");
	char low = s->p[3];
	bool hex = (low >= '0' && low <= '9') || (low >= 'A' && low <= 'F');
	bool has_short = s->p[2] == '0' && low != '\0' && strchr("89ACD", low) != NULL;
	s->nul |= s->p[2] == '0' && low == '0';
	s->p += 4;
	return (hex && !has_short) || bad(s, "an escape that is not canonical");
}

/* The first byte that is not plain: a quote, a backslash, a control character, or not ASCII.  Eight at
 * a time while none of eight is: this loop sees nearly every byte of a log. */
static const char *plain(const char *p, const char *end)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
	for (; end - p >= 8; p += 8) {
		uint64_t v;
		memcpy(&v, p, sizeof v);
		uint64_t quote = v ^ ones * '"', slash = v ^ ones * '\\';
		uint64_t odd = v | (v - ones * 0x20) | (quote - ones) | (slash - ones);
		if ((odd & tops) != 0)  /* a top bit, or a borrow: look at each */
			break;
	}
	while (p < end && (unsigned char)*p >= 0x20 && (unsigned char)*p < 0x80 && *p != '"' && *p != '\\')
		p++;
	return p;
}

static bool string(struct scan *s, struct bawn_span *out)
{
	if (!next_is(s, '"'))
		return bad(s, "a string is missing");
	const char *from = ++s->p;
	while ((s->p = plain(s->p, s->end)) < s->end) {
		unsigned char c = (unsigned char)*s->p;
		uint32_t ch;
		if (c == '"') {
			*out = (struct bawn_span){ from, (size_t)(s->p - from) };
			s->p++;
			return true;
		}
		if (c < 0x20)
			return bad(s, "a control character in a string");
		size_t n = 1;
		if (c != '\\')
			n = bawn_utf8_next((struct bawn_span){ s->p, (size_t)(s->end - s->p) }, 0, &ch);
		if (n == 0)
			return bad(s, "bytes that are not UTF-8");
		s->p += n;
		if (c == '\\' && !escape(s))
			return false;
	}
	return bad(s, "an unfinished string");
}

static bool value(struct scan *s, int depth);

/* Tells keys apart, but not for certain: equal keys have equal marks. */
static uint64_t mark_of(struct bawn_span key)
{
	const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t h = key.n * odd, v = 0;
	size_t i = 0;
	for (; i + 8 <= key.n; i += 8) {
		memcpy(&v, key.p + i, 8);
		h = (h ^ v) * odd;
		h ^= h >> 29;
	}
	for (v = 0; i < key.n; i++)
		v = v << 8 | (unsigned char)key.p[i];
	h = (h ^ v) * odd;
	return h ^ h >> 32;
}

#define MARKS 32  /* of an object with more keys the rest are only suspected */
struct marks { uint64_t mark[MARKS]; unsigned n; };

static bool seen_before(struct marks *m, struct bawn_span key)
{
	const uint64_t mark = mark_of(key);
	bool seen = m->n == MARKS;
	for (unsigned i = 0; i < m->n; i++)
		seen |= m->mark[i] == mark;
	if (m->n < MARKS)
		m->mark[m->n++] = mark;
	return seen;
}

static bool object(struct scan *s, int depth)
{
	struct marks seen;
	seen.n = 0;
	if (!next_is(s, '{'))
		return bad(s, "an object is missing");
	s->p++;
	if (next_is(s, '}')) {
		s->p++;
		return true;
	}
	for (;;) {
		struct bawn_span key;
		s->nul = false;
		if (!string(s, &key))
			return false;
		if (s->nul)
			return bad(s, "a key with a NUL");
		if (!literal(s, ":", "a colon is missing") || !value(s, depth))
			return false;
		s->look_twice |= seen_before(&seen, key);
		if (next_is(s, '}')) {
			s->p++;
			return true;
		}
		if (!literal(s, ",", "a comma is missing"))
			return false;
	}
}

static bool array(struct scan *s, int depth)
{
	s->p++;
	if (next_is(s, ']')) {
		s->p++;
		return true;
	}
	for (;;) {
		if (!value(s, depth))
			return false;
		if (next_is(s, ']')) {
			s->p++;
			return true;
		}
		if (!literal(s, ",", "a comma is missing"))
			return false;
	}
}

static bool value(struct scan *s, int depth)
{
	struct bawn_span text;
	if (depth >= BAWN_JSON_DEPTH)
		return bad(s, "nested too deeply");
	switch (s->p < s->end ? *s->p : '\0') {
	case '"': return string(s, &text);
	case '{': return object(s, depth + 1);
	case '[': return array(s, depth + 1);
	case 't': return literal(s, "true", "an unknown word");
	case 'f': return literal(s, "false", "an unknown word");
	case 'n': return literal(s, "null", "an unknown word");
	default:  return integer(s);
	}
}

static bool text_or_null(struct scan *s)
{
	struct bawn_span text;
	return next_is(s, 'n') ? literal(s, "null", "an unknown word") : string(s, &text);
}
static bool object_or_null(struct scan *s)
{
	return next_is(s, 'n') ? literal(s, "null", "an unknown word") : object(s, 1);
}

/* Without a branch for each letter: three hashes of each line pass through here. */
bool bawn_is_hex(const char *p, size_t n)
{
	unsigned other = 0;
	for (size_t i = 0; i < n; i++) {
		const unsigned c = (unsigned char)p[i];
		other |= !(c - '0' < 10u) & !(c - 'a' < 6u);
	}
	return other == 0;
}

static bool hex(struct scan *s, size_t n, const char **out)
{
	if ((size_t)(s->end - s->p) < n || !bawn_is_hex(s->p, n))
		return bad(s, "not the expected number of hexadecimal digits");
	*out = s->p;
	s->p += n;
	return true;
}

static bool base64(struct scan *s, uint8_t *out, size_t n)
{
	size_t letters = BAWN_B64_LEN(n);
	if ((size_t)(s->end - s->p) < letters || !bawn_b64_read((struct bawn_span){ s->p, letters }, out, n))
		return bad(s, "a root or signature that is no canonical base64");
	s->p += letters;
	return true;
}

/* Root and signature, or nothing. */
static bool seal(struct scan *s, struct bawn_line *l)
{
	static const char unknown[] = "members after hash that this version does not know";
	l->sealed = s->end - s->p > 2;
	l->seal.size = l->seq + 1;
	return !l->sealed || (literal(s, "\",\"root\":\"", unknown) && base64(s, l->seal.root, sizeof l->seal.root) &&
	                      literal(s, "\",\"signature\":\"", unknown) && base64(s, l->seal.signature, sizeof l->seal.signature));
}

static bool body(struct scan *s, struct bawn_span *out)
{
	out->p = s->p;
	if (!object(s, 1))
		return false;
	out->n = (size_t)(s->p - out->p);
	return true;
}

static bool word(struct scan *s, char least, char most, struct bawn_span *out)
{
	if (!string(s, out))
		return false;
	for (size_t i = 0; i < out->n; i++)
		if ((out->p[i] < least || out->p[i] > most) && out->p[i] != '.' && out->p[i] != '_')
			return bad(s, "a type or severity that is no plain word");
	return out->n > 0 || bad(s, "an empty type or severity");
}

static bool members(struct scan *s, struct bawn_line *l)
{
	static const char order[] = "members are not in their order";
	uint64_t mono;
	struct bawn_span severity, node;
	const char *salt;
	return literal(s, "{\"v\":1,\"seq\":", "does not begin as an entry of version 1") && number(s, &l->seq) &&
	       literal(s, ",\"ts\":", order) && number(s, &l->ts_us) &&
	       literal(s, ",\"mono\":", order) && number(s, &mono) &&
	       literal(s, ",\"type\":", order) && word(s, 'a', 'z', &l->type) &&
	       literal(s, ",\"severity\":", order) && word(s, 'A', 'Z', &severity) &&
	       literal(s, ",\"node\":", order) && string(s, &node) &&
	       literal(s, ",\"session\":", order) && text_or_null(s) &&
	       literal(s, ",\"principal\":", order) && object_or_null(s) &&
	       literal(s, ",\"exec\":", order) && text_or_null(s) &&
	       literal(s, ",\"body\":", order) && body(s, &l->body) &&
	       literal(s, ",\"salt\":\"", order) && hex(s, 32, &salt) &&
	       literal(s, "\",\"prev_hash\":\"", order) && hex(s, 64, &l->prev_hash) &&
	       literal(s, "\",\"hash\":\"", order) && hex(s, 64, &l->hash) &&
	       seal(s, l) && literal(s, "\"}", "members after hash that this version does not know") &&
	       (s->p == s->end || bad(s, "bytes after the entry"));
}

/* The scanner only suspects a duplicate; the full parser knows. */
static int duplicates(struct bawn_span line, const char **out_problem)
{
	json_error_t why;
	bawn_auto_json j = json_loadb(line.p, line.n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &why);
	if (j != NULL)
		return 0;
	if (json_error_code(&why) != json_error_duplicate_key)
		return -ENOMEM;  /* all else that could be wrong with it, the scanner has seen (tests/fuzz/audit) */
	*out_problem = "the same key twice";
	return -EBADMSG;
}

int bawn_line_shape(struct bawn_span line, struct bawn_line *out, const char **out_problem)
{
	struct scan s = { .p = line.p, .end = line.p + line.n };
	struct bawn_line l = { 0 };
	if (line.n >= BAWN_ENTRY_MAX) {
		*out_problem = "longer than an entry may be";
		return -EBADMSG;
	}
	if (!members(&s, &l)) {
		*out_problem = s.problem;
		return -EBADMSG;
	}
	if (s.look_twice) {
		int r = duplicates(line, out_problem);
		if (r < 0)
			return r;
	}
	bawn_unhex(l.hash, l.data, sizeof l.data);
	*out = l;
	return 0;
}

static void hash_covered(struct bawn_span covered, uint8_t out[static BAWN_SHA256_LEN])
{
	struct bawn_sha256 h;
	bawn_sha256_init(&h);
	bawn_sha256_add(&h, covered.p, covered.n);
	bawn_sha256_add(&h, "}", 1);
	bawn_sha256_end(&h, out);
}

int bawn_line_check(struct bawn_span line, struct bawn_line *out, const char **out_problem)
{
	struct bawn_line l;
	uint8_t hash[BAWN_SHA256_LEN];
	int r = bawn_line_shape(line, &l, out_problem);
	if (r < 0)
		return r;
	hash_covered((struct bawn_span){ line.p, (size_t)(l.hash - line.p) - strlen(",\"hash\":\"") }, hash);
	if (memcmp(hash, l.data, sizeof hash) != 0) {
		*out_problem = "its hash is not the hash of its bytes";
		return -EBADMSG;
	}
	*out = l;
	return 0;
}

void bawn_hash_leaf(const char hash[static 64], uint8_t out[static BAWN_SHA256_LEN])
{
	uint8_t raw[BAWN_SHA256_LEN];
	bawn_unhex(hash, raw, sizeof raw);
	bawn_tree_leaf(raw, out);
}

void bawn_line_leaf(const struct bawn_line *l, uint8_t out[static BAWN_SHA256_LEN]) { bawn_tree_leaf(l->data, out); }

/* ---- writing ---- */

static void put_text(struct bawn_buf *out, const char *text, bool *ok)
{
	bawn_auto_json j = bawn_json_text_or_null(text);
	*ok = *ok && j != NULL && bawn_json_put(out, j, NULL) == 0;
}

static void put_object(struct bawn_buf *out, const json_t *j, const char *otherwise, bool *ok)
{
	if (j == NULL)
		bawn_buf_str(out, otherwise);
	else
		*ok = *ok && bawn_json_put(out, j, NULL) == 0;
}

static int put_members(struct bawn_buf *out, const struct bawn_record *rec, const char *node,
                       struct bawn_err *err)
{
	uint8_t raw[16];
	char salt[2 * sizeof raw + 1];
	bool ok = true;
	if (getrandom(raw, sizeof raw, 0) != (ssize_t)sizeof raw)
		return bawn_fail(err, -errno, "draw random bytes");
	bawn_hex(raw, sizeof raw, salt);
	bawn_buf_fmt(out, "\"ts\":%" PRIu64 ",\"mono\":%" PRIu64 ",\"type\":\"%s\",\"severity\":\"%s\",\"node\":",
	             bawn_wall_us(), bawn_monotonic_us(), bawn_record_name(rec->type),
	             rec->severity != NULL ? rec->severity : bawn_record_severity(rec->type));
	put_text(out, node != NULL ? node : "", &ok);
	bawn_buf_str(out, ",\"session\":");
	put_text(out, rec->session, &ok);
	bawn_buf_str(out, ",\"principal\":");
	put_object(out, rec->principal, "null", &ok);
	bawn_buf_str(out, ",\"exec\":");
	put_text(out, rec->exec, &ok);
	bawn_buf_str(out, ",\"body\":");
	put_object(out, rec->body, "{}", &ok);
	bawn_buf_fmt(out, ",\"salt\":\"%s\"", salt);
	if (bawn_buf_error(out) == -EMSGSIZE)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "body",
		                    "a record of more than %u bytes", BAWN_ENTRY_MAX);
	if (bawn_buf_error(out) < 0 || !ok)
		return bawn_fail(err, -ENOMEM, "write a record");
	return 0;
}

/* All that a line's hash covers, but for the brace that ends it there. */
static void put_covered(struct bawn_buf *out, uint64_t seq, struct bawn_span draft, const char prev_hash[static 64])
{
	bawn_buf_fmt(out, "{\"v\":1,\"seq\":%" PRIu64 ",", seq);
	bawn_buf_add(out, draft.p, draft.n);
	bawn_buf_str(out, ",\"prev_hash\":\"");
	bawn_buf_add(out, prev_hash, 64);
	bawn_buf_char(out, '"');
}

static void put_hash(struct bawn_buf *out, const char hash[static 64])
{
	bawn_buf_str(out, ",\"hash\":\"");
	bawn_buf_add(out, hash, 64);
	bawn_buf_str(out, "\"}\n");
}

#define LINE_AROUND (sizeof "{\"v\":1,\"seq\":9007199254740991," - 1 + sizeof ",\"prev_hash\":\"\",\"hash\":\"\"}\n" - 1 + 128 + \
                     sizeof ",\"root\":\"\",\"signature\":\"\"" - 1 + BAWN_B64_LEN(BAWN_SHA256_LEN) + BAWN_B64_LEN(BAWN_SIGNATURE_LEN))

int bawn_line_draft(struct bawn_buf *out, const struct bawn_record *rec, const char *node, struct bawn_err *err)
{
	if ((unsigned)rec->type >= BAWN_RECORD_COUNT)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "type", "an unknown type of record");
	bawn_auto_buf draft = BAWN_BUF(BAWN_ENTRY_MAX - LINE_AROUND);
	int r = put_members(&draft, rec, node, err);
	if (r < 0)
		return r;
	/* Invariant 1: read it back as it would stand in the log.  Hash, root and signature are ours, and have room. */
	struct bawn_line l;
	const char *problem = "";
	bawn_auto_buf trial = BAWN_BUF(BAWN_ENTRY_MAX);
	put_covered(&trial, LAST_INT, bawn_buf_span(&draft), BAWN_NO_HASH);
	put_hash(&trial, BAWN_NO_HASH);
	r = bawn_buf_error(&trial);
	if (r == 0)
		r = bawn_line_shape((struct bawn_span){ trial.p, trial.n - 1 }, &l, &problem);
	if (r == -EBADMSG)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "body",
		                    "a record that could not be read back: %s", problem);
	bawn_buf_add(out, draft.p, draft.n);
	if (r == 0)
		r = bawn_buf_error(out);
	return r < 0 ? bawn_fail(err, r, "write a record") : 0;
}

void bawn_line_put(struct bawn_buf *out, uint64_t seq, struct bawn_span draft,
                   const char prev_hash[static 64], char out_hash[static BAWN_SHA256_HEX])
{
	size_t from = out->n;
	put_covered(out, seq, draft, prev_hash);
	out_hash[0] = '\0';
	if (bawn_buf_error(out) < 0)
		return;
	uint8_t raw[BAWN_SHA256_LEN];
	hash_covered((struct bawn_span){ out->p + from, out->n - from }, raw);
	bawn_hex(raw, sizeof raw, out_hash);
	put_hash(out, out_hash);
}

void bawn_line_seal(struct bawn_buf *out, const struct bawn_seal *seal)
{
	if (bawn_buf_error(out) < 0)
		return;
	out->n -= sizeof "}\n" - 1;
	bawn_buf_str(out, ",\"root\":\"");
	bawn_b64_put(out, seal->root, sizeof seal->root);
	bawn_buf_str(out, "\",\"signature\":\"");
	bawn_b64_put(out, seal->signature, sizeof seal->signature);
	bawn_buf_str(out, "\"}\n");
}
