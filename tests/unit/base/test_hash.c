/* test_hash.c - SHA-256 against the vectors of FIPS 180-4, whole and in pieces. */
#include <string.h>
#include <sodium.h>
#include "base/cleanup.h"
#include "base/hash.h"
#include "tap.h"

int main(void)
{
	static const struct { const char *name, *text; size_t times; const char *want; } row[] = {
		{ "nothing", "", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ "one block", "abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ "two blocks", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
		{ "a million letters", "aaaaaaaaaa", 100000,
		  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0" },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		struct bawn_sha256 h;
		uint8_t raw[BAWN_SHA256_LEN];
		char hex[BAWN_SHA256_HEX];
		bawn_sha256_init(&h);
		for (size_t k = 0; k < row[i].times; k++)
			bawn_sha256_add(&h, row[i].text, strlen(row[i].text));
		bawn_sha256_end(&h, raw);
		bawn_hex(raw, sizeof raw, hex);
		ok(strcmp(hex, row[i].want) == 0, "%s", row[i].name);
		if (row[i].times == 1) {
			bawn_sha256_hex(bawn_span(row[i].text), hex);
			ok(strcmp(hex, row[i].want) == 0, "%s, at once", row[i].name);
		}
	}

	/* Any way to cut 200 bytes in two comes to the same. */
	char bytes[200];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (char)i;
	uint8_t whole[BAWN_SHA256_LEN], parts[BAWN_SHA256_LEN];
	bawn_sha256((struct bawn_span){ bytes, sizeof bytes }, whole);
	bool same = true;
	for (size_t cut = 0; cut <= sizeof bytes; cut++) {
		struct bawn_sha256 h;
		bawn_sha256_init(&h);
		bawn_sha256_add(&h, bytes, cut);
		bawn_sha256_add(&h, bytes + cut, sizeof bytes - cut);
		bawn_sha256_end(&h, parts);
		same &= memcmp(whole, parts, sizeof whole) == 0;
	}
	ok(same, "where the bytes are cut makes no difference");
	/* Another library's answers, for lengths around the ends of blocks. */
	for (size_t n = 0; n <= sizeof bytes; n++) {
		bawn_sha256((struct bawn_span){ bytes, n }, whole);
		(void)crypto_hash_sha256(parts, (const unsigned char *)bytes, n);
		same &= memcmp(whole, parts, sizeof whole) == 0;
	}
	ok(same, "libsodium hashes the same, whatever the length");
	uint8_t back[4];
	bawn_unhex("000ff0ff", back, sizeof back);
	ok(memcmp(back, "\x00\x0f\xf0\xff", 4) == 0, "and hex is read back");
	char hex[9];
	bawn_hex((const uint8_t *)"\x00\x0f\xf0\xff", 4, hex);
	ok(strcmp(hex, "000ff0ff") == 0, "hex is lower case, two letters a byte");
	bawn_hex((const uint8_t *)"", 0, hex);
	ok(hex[0] == '\0', "hex of nothing is nothing");
	return done_testing();
}
