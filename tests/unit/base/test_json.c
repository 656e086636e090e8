/* test_json.c - one document has one meaning: what two readers could take differently is refused. */
#include <string.h>
#include "base/cleanup.h"
#include "base/json.h"
#include "fault.h"
#include "tap.h"

static void parsing(void)
{
	static const struct { const char *name, *text; size_t n; bool good; } row[] = {
#define TEXT(t) t, sizeof t - 1
		{ "an object",                        TEXT("{\"a\": [1, -2, true, null, \"x\"]}"), true },
		{ "a bare value",                     TEXT("7"), true },
		{ "white space around",               TEXT(" \t\r\n{} \n"), true },
		{ "the same key in two objects",      TEXT("[{\"a\":1},{\"a\":2}]"), true },
		{ "a duplicate key",                  TEXT("{\"a\":1,\"a\":1}"), false },
		{ "a duplicate key by escape",        TEXT("{\"a\":1,\"\\u0061\":2}"), false },
		{ "a duplicate key, deep",            TEXT("[{\"x\":{\"a\":1,\"b\":2,\"a\":3}}]"), false },
		{ "a NUL byte in a string",           TEXT("\"a\0b\""), false },
		{ "an escaped NUL in a string",       TEXT("\"a\\u0000b\""), false },
		{ "an escaped NUL in a key",          TEXT("{\"a\\u0000\":1}"), false },
		{ "a NUL byte after the document",    TEXT("{}\0"), false },
		{ "a line end in a string",           TEXT("\"a\nb\""), false },
		{ "bad UTF-8 in a string",            TEXT("\"\xff\""), false },
		{ "overlong UTF-8",                   TEXT("\"\xc0\xaf\""), false },
		{ "a surrogate in UTF-8",             TEXT("\"\xed\xa0\x80\""), false },
		{ "half a surrogate pair",            TEXT("\"\\ud800\""), false },
		{ "a surrogate pair",                 TEXT("\"\\ud83d\\ude00\""), true },
		{ "trailing bytes",                   TEXT("{}x"), false },
		{ "two documents",                    TEXT("{} {}"), false },
		{ "a trailing comma",                 TEXT("[1,]"), false },
		{ "a comment",                        TEXT("{} // no"), false },
		{ "single quotes",                    TEXT("{'a':1}"), false },
		{ "NaN",                              TEXT("NaN"), false },
		{ "a leading zero",                   TEXT("01"), false },
		{ "hexadecimal",                      TEXT("0x1"), false },
		{ "a plus sign",                      TEXT("+1"), false },
		{ "the largest integer",              TEXT("9223372036854775807"), true },
		{ "the smallest integer",             TEXT("-9223372036854775808"), true },
		{ "an integer too large",             TEXT("9223372036854775808"), false },
		{ "an integer too small",             TEXT("-9223372036854775809"), false },
		{ "a real too large",                 TEXT("1e999"), false },
		{ "empty",                            TEXT(""), false },
		{ "only white space",                 TEXT("  "), false },
		{ "cut off",                          TEXT("{\"a\":"), false },
		{ "a byte order mark",                TEXT("\xef\xbb\xbf{}"), false },
#undef TEXT
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		json_t *untouched = (json_t *)(void *)&row, *j = untouched;
		struct bawn_err err = { 0 };
		int r = bawn_json_parse((struct bawn_span){ row[i].text, row[i].n }, &j, &err);
		ok(row[i].good ? r == 0 : r < 0 && j == untouched && err.type == BAWN_ERROR_INVALID_REQUEST && err.msg[0] != '\0',
		   "%s is %s", row[i].name, row[i].good ? "read" : "refused");
		if (r == 0)
			json_decref(j);
	}
	json_t *j = NULL;
	ok(bawn_json_parse((struct bawn_span){ NULL, 0 }, &j, NULL) < 0 && j == NULL, "no text at all");
	ok(bawn_json_parse((struct bawn_span){ "123456", 2 }, &j, NULL) == 0 && json_integer_value(j) == 12, "bytes past the span are not read");
	json_decref(j);
	struct bawn_err err = { 0 };
	ok(bawn_json_parse(bawn_span("{\n  \"a\": x}"), &j, &err) < 0 && strstr(err.msg, "line 2") != NULL, "an error says where");
}

static int nested(int depth, char open, char close)
{
	bawn_auto_buf b = BAWN_BUF(1 << 22);
	for (int i = 0; i < depth; i++)
		bawn_buf_str(&b, open == '{' && i > 0 ? "\"k\":{" : open == '{' ? "{" : "[");
	for (int i = 0; i < depth; i++)
		bawn_buf_char(&b, close);
	bawn_auto_json j = NULL;
	return bawn_json_parse(bawn_buf_span(&b), &j, NULL);
}

static void depth(void)
{
	static const struct { int depth; bool good; } row[] = { { 1, true }, { 64, true }, { 65, false }, { 1000000, false } };
	for (size_t i = 0; i < BAWN_LEN(row); i++)
		ok((nested(row[i].depth, '[', ']') == 0) == row[i].good && (nested(row[i].depth, '{', '}') == 0) == row[i].good,
		   "%d levels are %s", row[i].depth, row[i].good ? "read" : "refused");
	bawn_auto_buf b = BAWN_BUF(1000);
	bawn_buf_str(&b, "[\"");
	for (int i = 0; i < 100; i++)
		bawn_buf_str(&b, "[{\\\"");
	bawn_buf_str(&b, "\\\\\"]");
	bawn_auto_json j = NULL;
	ok(bawn_json_parse(bawn_buf_span(&b), &j, NULL) == 0, "brackets and escaped quotes in a string do not count");
}

static void round_trip(void)
{
	static const struct { const char *text, *want; } row[] = {
		{ "{\"b\":1,\"a\":2}", NULL },
		{ "[ 1 , 2 ]", "[1,2]" },
		{ "\"\\u001b[0m\\n\"", "\"\\u001B[0m\\n\"" },
		{ "\"caf\\u00e9\"", "\"caf\xc3\xa9\"" },
		{ "[9223372036854775807,-9223372036854775808]", NULL },
		{ "{\"a\":{\"b\":[{},[],null,true,false,\"\"]}}", NULL },
		{ "[0.015,0.5]", NULL },
		{ "{\"a\":[0.30000000000000004]}", NULL },
		{ "1.7976931348623157e308", NULL },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		bawn_auto_json j = NULL;
		bawn_auto_buf b = BAWN_BUF(1000);
		const char *want = row[i].want != NULL ? row[i].want : row[i].text;
		ok(bawn_json_parse(bawn_span(row[i].text), &j, NULL) == 0 && bawn_json_put(&b, j, NULL) == 0 &&
		   strcmp(b.p, want) == 0 && strchr(b.p, '\n') == NULL, "%s is written on one line", want);
	}
	bawn_auto_json j = json_string("0123456789");
	bawn_auto_buf b = BAWN_BUF(5);
	struct bawn_err err = { 0 };
	ok(bawn_json_put(&b, j, &err) == -EMSGSIZE && err.code == -EMSGSIZE, "a document over the ceiling is refused");
}

static void texts(void)
{
	static const struct { const char *in; size_t n; const char *want; } row[] = {
		{ "", 0, "\"\"" },
		{ NULL, 0, "\"\"" },
		{ "plain", 5, "\"plain\"" },
		{ "a\xff" "b", 3, "\"a\xef\xbf\xbd" "b\"" },
		{ "\xff\xff", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\"" },
		{ "a\0b", 3, "\"a\\u0000b\"" },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		bawn_auto_json j = bawn_json_text((struct bawn_span){ row[i].in, row[i].n });
		bawn_auto_buf b = BAWN_BUF(100);
		ok(bawn_json_put(&b, j, NULL) == 0 && strcmp(b.p, row[i].want) == 0, "any bytes make the text %s", row[i].want);
	}
	bawn_auto_json none = bawn_json_text_or_null(NULL);
	bawn_auto_json some = bawn_json_text_or_null("x");
	ok(json_is_null(none) && json_is_string(some), "no text is null");
	static const struct { const char *in; size_t n; const char *want; } coded[] = {
		{ "", 0, "" }, { "f", 1, "Zg==" }, { "fo", 2, "Zm8=" }, { "foo", 3, "Zm9v" }, { "\0\xff", 2, "AP8=" }, { "\xfb\xff", 2, "+/8=" },
	};
	for (size_t i = 0; i < BAWN_LEN(coded); i++) {
		bawn_auto_json j = bawn_json_base64((struct bawn_span){ coded[i].in, coded[i].n });
		ok(j != NULL && strcmp(json_string_value(j), coded[i].want) == 0, "base64 '%s'", coded[i].want);
	}
}

static json_t *build(bool *good)
{
	json_t *o = json_object(), *a = json_array();
	bawn_json_push(a, json_integer(1), good);
	bawn_json_push(a, bawn_json_text(bawn_span("x\xff")), good);
	bawn_json_push(a, bawn_json_base64(bawn_span("bytes")), good);
	bawn_json_set(o, "list", a, good);
	bawn_json_set(o, "none", bawn_json_text_or_null(NULL), good);
	for (int i = 0; i < 20; i++) {
		char key[8];
		snprintf(key, sizeof key, "k%d", i);
		bawn_json_set(o, key, json_integer(i), good);
	}
	return o;
}

static void no_memory(void)
{
	bool good = true, clean = true;
	bawn_json_set(NULL, "k", json_integer(1), &good);
	ok(!good, "a member of an object that could not be made is noticed");
	good = true;
	bawn_auto_json o = json_object();
	bawn_json_set(o, "k", NULL, &good);
	ok(!good, "so is a value that could not be made");
	for (fault_arm(1); fault_more(); ) {
		bool whole = true;
		bawn_auto_json j = build(&whole);
		if (whole)
			clean &= json_object_size(j) == 22 && json_array_size(json_object_get(j, "list")) == 3;
	}
	ok(clean && (!FAULT_WORKS || fault_at > 40), "building: each allocation may fail and is noticed");
	static const char text[] = "{\"a\":[1,2,{\"b\":\"text\"}],\"c\":{\"d\":null,\"e\":\"\\u00e9\"},\"f\":1.5}";
	for (fault_arm(1); fault_more(); ) {
		bawn_auto_json j = NULL;
		bawn_auto_buf b = BAWN_BUF(1000);
		struct bawn_err err = { 0 };
		int r = bawn_json_parse(bawn_span(text), &j, &err);
		if (r == 0)
			r = bawn_json_put(&b, j, &err);
		clean &= r == 0 ? j != NULL && b.n > 40 : r == -ENOMEM && err.type == BAWN_ERROR_OUT_OF_MEMORY;
	}
	ok(clean && (!FAULT_WORKS || fault_at > 20), "reading and writing: each allocation may fail, and is told from a bad document");
}

int main(void)
{
	parsing();
	depth();
	round_trip();
	texts();
	no_memory();
	return done_testing();
}
