/* note.c - see note.h.
 * An attacker controls: every byte of a key or note that is read. */
#include "audit/note.h"
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include "base/b64.h"
#include "base/num.h"

#define ED25519 0x01
#define PRIVATE "PRIVATE+KEY+"
#define DASH    "\xe2\x80\x94 "

_Static_assert(BAWN_SIGNATURE_LEN == crypto_sign_BYTES && BAWN_SEED_LEN == crypto_sign_SEEDBYTES &&
               BAWN_PUBLIC_LEN == crypto_sign_PUBLICKEYBYTES && BAWN_SECRET_LEN == crypto_sign_SECRETKEYBYTES, "Ed25519");

static void id_of(const struct bawn_vkey *k, uint8_t out[static 4])
{
	struct bawn_sha256 h;
	bawn_node sum;
	bawn_sha256_init(&h);
	bawn_sha256_add(&h, k->origin, strlen(k->origin));
	bawn_sha256_add(&h, "\n\x01", 2);
	bawn_sha256_add(&h, k->public, sizeof k->public);
	bawn_sha256_end(&h, sum);
	memcpy(out, sum, 4);
}

/* "origin+id+base64(01 32 bytes)" */
static void key_text(char *out, size_t size, const struct bawn_vkey *k, const uint8_t bytes[static 32])
{
	uint8_t id[4], typed[33] = { ED25519 };
	char hex[9], b64[BAWN_B64_LEN(sizeof typed) + 1];
	memcpy(typed + 1, bytes, 32);
	id_of(k, id);
	bawn_hex(id, sizeof id, hex);
	bawn_b64(typed, sizeof typed, b64);
	snprintf(out, size, "%s+%s+%s", k->origin, hex, b64);
	sodium_memzero(typed, sizeof typed);
	sodium_memzero(b64, sizeof b64);
}

/* Takes it apart; the id is handed out to be compared. */
static bool key_parts(struct bawn_span text, char origin[static BAWN_ORIGIN_MAX], char id[static 9], uint8_t bytes[static 32])
{
	uint8_t typed[33];
	const size_t tail = 1 + 8 + 1 + BAWN_B64_LEN(sizeof typed);
	if (text.n <= tail || text.n - tail >= BAWN_ORIGIN_MAX)
		return false;
	const char *at = text.p + text.n - tail;
	for (const char *p = text.p; p < at; p++)  /* also in its name nothing that could end a line or a field */
		if (*p <= ' ' || *p > '~' || strchr("+\"\\", *p) != NULL)
			return false;
	if (at[0] != '+' || at[9] != '+' || !bawn_b64_read((struct bawn_span){ at + 10, tail - 10 }, typed, sizeof typed) ||
	    typed[0] != ED25519)
		return false;
	memcpy(origin, text.p, text.n - tail);
	origin[text.n - tail] = '\0';
	memcpy(id, at + 1, 8);
	id[8] = '\0';
	memcpy(bytes, typed + 1, 32);
	sodium_memzero(typed, sizeof typed);
	return true;
}

static bool has_id(const struct bawn_vkey *k, const char id[static 9])
{
	uint8_t raw[4];
	char hex[9];
	id_of(k, raw);
	bawn_hex(raw, sizeof raw, hex);
	return strcmp(hex, id) == 0;
}

bool bawn_vkey_read(struct bawn_span text, struct bawn_vkey *out)
{
	struct bawn_vkey k = { 0 };
	char id[9];
	if (!key_parts(text, k.origin, id, k.public) || !has_id(&k, id))
		return false;
	*out = k;
	return true;
}

void bawn_vkey_text(const struct bawn_vkey *k, char out[static BAWN_VKEY_MAX]) { key_text(out, BAWN_VKEY_MAX, k, k->public); }

bool bawn_vkey_equal(const struct bawn_vkey *a, const struct bawn_vkey *b)
{
	return strcmp(a->origin, b->origin) == 0 && memcmp(a->public, b->public, sizeof a->public) == 0;
}

void bawn_signer_expand(struct bawn_signer *s) { (void)crypto_sign_seed_keypair(s->key.public, s->secret, s->seed); }
void bawn_signer_wipe(struct bawn_signer *s) { sodium_memzero(s, sizeof *s); }

void bawn_signer_put(struct bawn_buf *out, const struct bawn_signer *s)
{
	char text[BAWN_VKEY_MAX];
	key_text(text, sizeof text, &s->key, s->seed);
	bawn_buf_fmt(out, PRIVATE "%s\n", text);
	sodium_memzero(text, sizeof text);
}

bool bawn_signer_read(struct bawn_span text, struct bawn_signer *out)
{
	struct bawn_signer s = { 0 };
	char id[9];
	const size_t lead = sizeof PRIVATE - 1;
	bool good = bawn_span_starts(text, PRIVATE) && text.n > lead && text.p[text.n - 1] == '\n' &&
	            key_parts((struct bawn_span){ text.p + lead, text.n - lead - 1 }, s.key.origin, id, s.seed);
	if (good) {
		bawn_signer_expand(&s);
		good = has_id(&s.key, id);
	}
	if (good)
		*out = s;
	bawn_signer_wipe(&s);
	return good;
}

/* ---- checkpoints ---- */

#define TEXT_MAX (BAWN_ORIGIN_MAX + 21 + 46)

static size_t checkpoint(char out[static TEXT_MAX], const char *origin, const struct bawn_seal *s)
{
	char root[BAWN_B64_LEN(BAWN_SHA256_LEN) + 1];
	bawn_b64(s->root, sizeof s->root, root);
	return (size_t)snprintf(out, TEXT_MAX, "%s\n%" PRIu64 "\n%s\n", origin, s->size, root);
}

void bawn_seal_sign(struct bawn_seal *s, const struct bawn_signer *by)
{
	char text[TEXT_MAX];
	size_t n = checkpoint(text, by->key.origin, s);
	(void)crypto_sign_detached(s->signature, NULL, (const unsigned char *)text, n, by->secret);
}

bool bawn_seal_good(const struct bawn_seal *s, const struct bawn_vkey *by)
{
	char text[TEXT_MAX];
	size_t n = checkpoint(text, by->origin, s);
	return crypto_sign_verify_detached(s->signature, (const unsigned char *)text, n, by->public) == 0;
}

void bawn_note_put(struct bawn_buf *out, const struct bawn_seal *s, const struct bawn_vkey *by)
{
	char text[TEXT_MAX];
	uint8_t both[4 + BAWN_SIGNATURE_LEN];
	bawn_buf_add(out, text, checkpoint(text, by->origin, s));
	id_of(by, both);
	memcpy(both + 4, s->signature, BAWN_SIGNATURE_LEN);
	bawn_buf_fmt(out, "\n" DASH "%s ", by->origin);
	bawn_b64_put(out, both, sizeof both);
	bawn_buf_char(out, '\n');
}

static bool head_lines(struct bawn_span *rest, struct bawn_span *origin, uint64_t *size, uint8_t *root)
{
	struct bawn_span number, hash, empty;
	return bawn_span_take(rest, '\n', origin) && bawn_span_take(rest, '\n', &number) && bawn_span_take(rest, '\n', &hash) && bawn_span_take(rest, '\n', &empty) &&
	       empty.n == 0 && (number.n == 1 || (number.n > 0 && number.p[0] != '0')) &&
	       bawn_parse_u64(number, 0, INT64_MAX, size, NULL) == 0 && bawn_b64_read(hash, root, BAWN_SHA256_LEN);
}

bool bawn_note_size(struct bawn_span text, uint64_t *out)
{
	struct bawn_span origin;
	bawn_node root;
	return head_lines(&text, &origin, out, root);
}

bool bawn_note_claim(struct bawn_span text, struct bawn_seal *out)
{
	struct bawn_span origin;
	struct bawn_seal s = { 0 };
	if (!head_lines(&text, &origin, &s.size, s.root))
		return false;
	*out = s;
	return true;
}

bool bawn_note_read(struct bawn_span text, const struct bawn_vkey *by, struct bawn_seal *out)
{
	struct bawn_span origin, line;
	struct bawn_seal s;
	uint8_t id[4], both[4 + BAWN_SIGNATURE_LEN];
	char lead[sizeof DASH + BAWN_ORIGIN_MAX + 1];
	if (!head_lines(&text, &origin, &s.size, s.root) || !bawn_span_is(origin, by->origin))
		return false;
	snprintf(lead, sizeof lead, DASH "%s ", by->origin);
	id_of(by, id);
	while (bawn_span_take(&text, '\n', &line)) {  /* others may have signed it too */
		if (!bawn_span_starts(line, lead))
			continue;
		struct bawn_span b64 = { line.p + strlen(lead), line.n - strlen(lead) };
		if (!bawn_b64_read(b64, both, sizeof both) || memcmp(both, id, 4) != 0)
			continue;
		memcpy(s.signature, both + 4, BAWN_SIGNATURE_LEN);
		*out = s;
		return true;
	}
	return false;
}
