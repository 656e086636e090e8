/* decode.c - each codec undoes what its name says, keeps its bounds and gives nothing for rubbish. */
#include "assess/decode.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "tap.h"

#define HEX(text) bawn_decode(&a, BAWN_CODEC_HEX, bawn_span(text))

static void test_codecs(void)
{
	static const struct { const char *codec, *in, *out; } row[] = {
		{ "base64", "cHJpbnQoMSk=", "print(1)" },
		{ "base64", "cHJp\nbnQo MSk", "print(1)" },
		{ "BASE64_codec", "cHJ!p*bnQoMSk=", "print(1)" },
		{ "base64url", "Pz8_Pj4-", "\x3f\x3f\x3f>>>" },
		{ "base-16", "7072696E74283129", "print(1)" },
		{ "hex", "70 72 69 6e 74 28 31 29", "print(1)" },
		{ "base32", "OBZGS3TUFAYSS===", "print(1)" },
		{ "base32", "obzgs3tufayss===", "print(1)" },
		{ "b85", "aB^vGbSN<?", "print(1)" },
		{ "a85", "E,oZ1F=8jm", "print(1)" },
		{ "ascii85", "<~E,oZ1 F=8jm~>", "print(1)" },
		{ "uu", "begin 666 <data>\n)<')I;G0H,2D*\n \nend\n", "print(1)\n" },
		{ "rot-13", "cevag(1)", "print(1)" },
		{ "quopri", "pri=6Et=28=\n1)", "print(1)" },
		{ "unicode_escape", "\\x70\\u0072\\151nt\\x281)", "print(1)" },
		{ "utf-7", "print+ACg-1)+-", "print(1)+" },
		{ "cp037", "\x97\x99\x89\x95\xa3M\xf1]", "print(1)" },
		{ "CP500", "\x81\x4a\xf1\x5a\x4f", "a[1]!" },
		{ "koi8-r", "print(1)", "print(1)" },
		{ "shift_jis", "print(1)", "print(1)" },
		{ "latin-1", "\xe9", "\xc3\xa9" },
		{ "utf8", "print(1)", "print(1)" },
	};
	struct arena a = ARENA(1u << 20);
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		struct bawn_span out = bawn_decode(&a, bawn_codec_named(bawn_span(row[i].codec)), bawn_span(row[i].in));
		if (!ok(out.p != NULL && bawn_span_is(out, row[i].out), "%s: %s", row[i].codec, row[i].out))
			diag("got '%.*s'", (int)out.n, out.p != NULL ? out.p : "");
	}
	bawn_arena_done(&a);
}

static void test_packed(void)
{
	static const struct { const char *name; enum bawn_codec codec; const char *in; } row[] = {
		{ "zlib", BAWN_CODEC_INFLATE, "789c2b28cacc2bd130d404000e1502b0" },
		{ "zlib, broken off after the text", BAWN_CODEC_INFLATE, "789c2b28cacc2bd130d40400" },
		{ "gzip", BAWN_CODEC_INFLATE, "1f8b08000000000002032b28cacc2bd130d4040008a790ed08000000" },
		{ "deflate without a header", BAWN_CODEC_INFLATE, "2b28cacc2bd130d40400" },
		{ "bzip2", BAWN_CODEC_BZIP2, "425a6839314159265359af0ee54700000299800060200000215400200022069a7a10c08168d84177245385090af0ee5470" },
		{ "xz", BAWN_CODEC_LZMA, "fd377a585a000004e6d6b4460200210116000000742fe5a30100077072696e74283129000160531e086a2e5900012008bb19d9bb1fb6f37d010000000004595a" },
		{ "lzma", BAWN_CODEC_LZMA, "5d00008000ffffffffffffffff00381c89568c0b99938b46e983ffff8e700000" },
		{ "UTF-16 with a mark", BAWN_CODEC_UTF16, "fffe7000720069006e0074002800310029 00" },
		{ "UTF-16, big end first", BAWN_CODEC_UTF16BE, "007000720069006e0074002800310029" },
		{ "UTF-32", BAWN_CODEC_UTF32, "fffe0000 70000000 72000000 69000000 6e000000 74000000 28000000 31000000 29000000" },
		{ "percent", BAWN_CODEC_PERCENT, "25373072696e74253238312529" },
		{ "percent with units", BAWN_CODEC_UNESCAPE, "25753030373072696e742532382531" },
		{ "entities", BAWN_CODEC_ENTITIES, "262378373 03b72696e74266c7061723b2623343 93b29" },
	};
	struct arena a = ARENA(4u << 20);
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		struct bawn_span in = HEX(row[i].in), out = bawn_decode(&a, row[i].codec, in);
		const char *want = row[i].codec == BAWN_CODEC_UNESCAPE ? "print(%1" : row[i].codec == BAWN_CODEC_PERCENT ? "print(1%)" : "print(1)";
		if (!ok(in.p != NULL && out.p != NULL && bawn_span_is(out, want), "%s", row[i].name))
			diag("got '%.*s'", (int)out.n, out.p != NULL ? out.p : "");
	}
	bawn_arena_done(&a);
}

static void test_refused(void)
{
	static const struct { const char *name; enum bawn_codec codec; const char *in; } row[] = {
		{ "half a byte of hex", BAWN_CODEC_HEX, "616" },
		{ "one letter of base64", BAWN_CODEC_BASE64, "Y" },
		{ "a letter that base32 does not have", BAWN_CODEC_BASE32, "OBZ1" },
		{ "base85 beyond 32 bits", BAWN_CODEC_BASE85, "~~~~~" },
		{ "one letter of base85", BAWN_CODEC_BASE85, "a" },
		{ "text that is no stream", BAWN_CODEC_BZIP2, "print(1)" },
		{ "the start of a stream", BAWN_CODEC_LZMA, "\xfd" "7zXZ" },
		{ "an unknown codec", BAWN_CODEC_NONE, "x" },
	};
	struct arena a = ARENA(4u << 20);
	for (size_t i = 0; i < BAWN_LEN(row); i++)
		ok(bawn_decode(&a, row[i].codec, bawn_span(row[i].in)).p == NULL, "nothing comes of %s", row[i].name);
	static const char bomb[] = "425a68393141592653599ffa8bb500080a4100800420000008200030cc0549ea71060140601e2ee48a70a1213ff5176a";
	ok(bawn_decode(&a, BAWN_CODEC_BZIP2, HEX(bomb)).p == NULL, "a mebibyte in 48 bytes is too much");
	for (int c = 0; c < BAWN_CODEC_COUNT; c++) {
		struct bawn_span out = bawn_decode(&a, (enum bawn_codec)c, bawn_span(""));
		ok(out.p == NULL || out.n == 0, "nothing comes of nothing (%d)", c);
	}
	ok(bawn_codec_named(bawn_span("no such codec, and a long name")) == BAWN_CODEC_NONE, "an unknown name is no codec");
	static const char known[][12] = { "a85", "ascii", "bz2", "hex", "iso-8859-1", "rot13", "utf-16-le", "uu", "zlib_codec" };
	for (size_t i = 0; i < BAWN_LEN(known); i++)
		ok(bawn_codec_named(bawn_span(known[i])) != BAWN_CODEC_NONE, "%s is found", known[i]);
	bawn_arena_done(&a);
}

static void test_bytes(void)
{
	struct arena a = ARENA(1u << 20);
	struct bawn_span byte = bawn_unescape(&a, bawn_span("\\xff\\u0041"), BAWN_ESCAPES_BYTES), letter = bawn_unescape(&a, bawn_span("\\xff"), BAWN_ESCAPES_PYTHON);
	ok(bawn_span_is(byte, "\xff\\u0041"), "in bytes \\xff is one byte and \\u is not special");
	ok(bawn_span_is(letter, "\xc3\xbf"), "in a text it is a letter");
	ok(bawn_span_is(bawn_encode_latin1(&a, letter), "\xff"), "and back");
	ok(bawn_encode_latin1(&a, bawn_span("\xe2\x82\xac")).p == NULL, "a letter that needs more than a byte is refused");
	bawn_arena_done(&a);
}

int main(void)
{
	test_codecs();
	test_packed();
	test_refused();
	test_bytes();
	return done_testing();
}
