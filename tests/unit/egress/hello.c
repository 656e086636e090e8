/* hello.c - whom a TLS greeting is for: greetings built here, cut at every byte, and broken on purpose. */
#include "egress/hello.h"
#include <stdint.h>
#include <string.h>
#include "base/buf.h"
#include "tap.h"

static void put(struct bawn_buf *b, uint32_t v, int bytes)
{
	while (bytes-- > 0)
		bawn_buf_char(b, (char)(v >> (8 * bytes)));
}

static void put_vector(struct bawn_buf *b, struct bawn_span s, int bytes)
{
	put(b, (uint32_t)s.n, bytes);
	bawn_buf_add(b, s.p, s.n);
}

struct wish { const char *name; bool ech, twice, two_names, other_type, no_extensions, empty, tail; size_t record; unsigned type, major, padding; };

static void extension(struct bawn_buf *out, const struct wish *w)
{
	bawn_auto_buf list = BAWN_BUF(4096), ext = BAWN_BUF(4096);
	put(&list, w->other_type ? 1 : 0, 1);
	put_vector(&list, bawn_span(w->name), 2);
	if (w->two_names) {
		put(&list, 0, 1);
		put_vector(&list, bawn_span("evil.test"), 2);
	}
	put_vector(&ext, bawn_buf_span(&list), 2);
	put(out, 0, 2);
	put_vector(out, bawn_buf_span(&ext), 2);
}

/* The whole stream: records of at most w->record bytes. */
static void build(struct bawn_buf *out, const struct wish *w)
{
	bawn_auto_buf ext = BAWN_BUF(40000), body = BAWN_BUF(60000), hand = BAWN_BUF(70000);
	put(&ext, 0x002b, 2);
	put_vector(&ext, bawn_span("\x02\x03\x04"), 2);
	if (w->name != NULL)
		extension(&ext, w);
	if (w->twice)
		extension(&ext, w);
	if (w->ech)
		put(&ext, 0xfe0d, 2), put_vector(&ext, bawn_span("x"), 2);
	if (w->padding > 0) {
		put(&ext, 21, 2);
		put(&ext, w->padding, 2);
		for (unsigned i = 0; i < w->padding; i++)
			bawn_buf_char(&ext, 0);
	}
	put(&body, 0x0303, 2);
	for (int i = 0; i < 32; i++)
		put(&body, 7, 1);
	put_vector(&body, bawn_span("0123456789abcdef0123456789abcdef"), 1);
	put_vector(&body, w->empty ? bawn_span("") : (struct bawn_span){ "\x13\x01", 2 }, 2);
	put_vector(&body, (struct bawn_span){ "\0", 1 }, 1);
	if (!w->no_extensions)
		put_vector(&body, bawn_buf_span(&ext), 2);
	put(&hand, w->type != 0 ? w->type : 1, 1);
	put(&hand, (uint32_t)body.n, 3);
	bawn_buf_add(&hand, body.p, body.n);
	if (w->tail)
		bawn_buf_char(&hand, 1);
	size_t record = w->record != 0 ? w->record : 16384;
	for (size_t at = 0; at < hand.n; at += record) {
		size_t n = hand.n - at < record ? hand.n - at : record;
		put(out, 22, 1);
		put(out, w->major != 0 ? w->major : 3, 1);
		put(out, 1, 1);
		put(out, (uint32_t)n, 2);
		bawn_buf_add(out, hand.p + at, n);
	}
}

int main(void)
{
	static const struct { const char *name; struct wish wish; int want; } row[] = {
		{ "a name", { .name = "index.test" }, 1 },
		{ "no name", { .name = NULL }, 1 },
		{ "no extensions at all", { .no_extensions = true }, 1 },
		{ "a name in pieces of one byte", { .name = "index.test", .record = 1 }, 1 },
		{ "a name in pieces of a hundred", { .name = "index.test", .record = 100 }, 1 },
		{ "a long greeting", { .name = "index.test", .padding = 8000 }, 1 },
		{ "a longer one than anybody sends", { .name = "index.test", .padding = 17000 }, -1 },
		{ "an encrypted greeting inside", { .name = "index.test", .ech = true }, 1 },
		{ "the name twice", { .name = "index.test", .twice = true }, -1 },
		{ "two names", { .name = "index.test", .two_names = true }, -1 },
		{ "a name of another kind", { .name = "index.test", .other_type = true }, -1 },
		{ "an empty name", { .name = "" }, -1 },
		{ "no ciphers", { .name = "index.test", .empty = true }, -1 },
		{ "something behind it in its record", { .name = "index.test", .tail = true }, -1 },
		{ "another message", { .name = "index.test", .type = 2 }, -1 },
		{ "another protocol", { .name = "index.test", .major = 2 }, -1 },
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		bawn_auto_buf b = BAWN_BUF(1u << 20);
		struct bawn_hello h;
		build(&b, &row[i].wish);
		int got = bawn_hello_parse(bawn_buf_span(&b), &h);
		bool good = got == row[i].want;
		if (good && got == 1)
			good = h.named == (row[i].wish.name != NULL) && h.encrypted == row[i].wish.ech && (!h.named || strcmp(h.name, row[i].wish.name) == 0);
		ok(good, "%s", row[i].name);
		/* Cut anywhere, it is either not all there or wrong already, and never another greeting. */
		bool waits = true;
		for (size_t n = 0; n < b.n && row[i].want == 1; n++)
			waits = waits && bawn_hello_parse((struct bawn_span){ b.p, n }, &h) == 0;
		ok(waits, "%s, cut at every byte", row[i].name);
	}
	bawn_auto_buf b = BAWN_BUF(1u << 16);
	struct bawn_hello h;
	build(&b, &row[0].wish);
	bawn_buf_str(&b, "\x17\x03\x03 early data");
	ok(bawn_hello_parse(bawn_buf_span(&b), &h) == 1 && strcmp(h.name, "index.test") == 0, "what follows in other records is not looked at");
	static const char *const stranger[] = { "GET / HTTP/1.1\r\n", "SSH-2.0-x", "\x80\x2e\x01", "\x16\x02", "\x17\x03\x01", "\x16\x03\x01" };
	for (size_t i = 0; i < sizeof stranger / sizeof *stranger; i++)
		ok(bawn_hello_parse(bawn_span(stranger[i]), &h) == (i == 5 ? 0 : -1), "a stranger is known by his first bytes (%zu)", i);
	ok(bawn_hello_parse((struct bawn_span){ "\x16\x03\x01\x00\x00", 5 }, &h) == -1, "an empty record is none");
	ok(bawn_hello_parse((struct bawn_span){ "\x16\x03\x01\x40\x01", 5 }, &h) == -1, "nor is one that is too long");
	bool survived = true;
	for (size_t at = 5; at < b.n; at++)
		for (int bit = 0; bit < 8; bit++) {
			b.p[at] ^= (char)(1 << bit);
			int r = bawn_hello_parse(bawn_buf_span(&b), &h);
			survived = survived && r >= -1 && r <= 1;
			b.p[at] ^= (char)(1 << bit);
		}
	ok(survived, "every single bit turned over");
	return done_testing();
}
