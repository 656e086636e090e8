/* test_diff.c - a diff of ours, applied to the old text, gives the new one; it is as short as can be; and it looks as
 * diff -u writes it. */
#include <stdio.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "cli/diff.h"
#include "tap.h"

#define LINES 40

/* Applies a unified diff as a reader of the format would; false where it does not fit.  Counts removed and added lines. */
static bool apply(struct bawn_span old, struct bawn_span diff, struct bawn_buf *out, size_t *out_edits)
{
	const char *p = old.p, *end = old.p + old.n, *d = diff.p, *stop = diff.p + diff.n;
	size_t at = 1;  /* the line of old that p stands on */
	*out_edits = 0;
	while (d < stop) {
		size_t from, n = 1;
		if (sscanf(d, "@@ -%zu,%zu", &from, &n) < 1)
			return false;
		for (from += n == 0; at < from; at++) {  /* lines before the hunk */
			const char *nl = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
			if (nl == NULL)
				return false;
			bawn_buf_add(out, p, (size_t)(nl + 1 - p));
			p = nl + 1;
		}
		d = (const char *)memchr(d, '\n', (size_t)(stop - d)) + 1;
		for (; d < stop && *d != '@'; ) {
			const char *nl = memchr(d, '\n', (size_t)(stop - d));
			size_t len = (size_t)(nl + 1 - d) - 1;
			const bool bare = nl + 1 < stop && nl[1] == '\\';
			const char sign = *d;
			len -= bare;
			if (sign != '+') {
				if ((size_t)(end - p) < len || memcmp(p, d + 1, len) != 0)
					return false;
				p += len;
				at++;
			}
			if (sign != '-')
				bawn_buf_add(out, d + 1, len);
			*out_edits += sign != ' ';
			d = nl + 1;
			if (bare)
				d = (const char *)memchr(d, '\n', (size_t)(stop - d)) + 1;
		}
	}
	bawn_buf_add(out, p, (size_t)(end - p));
	return true;
}

/* The least number of lines removed and added, by the table everybody knows. */
static size_t least(const int *a, size_t n, const int *b, size_t m)
{
	static size_t t[LINES + 1][LINES + 1];
	for (size_t i = 0; i <= n; i++)
		for (size_t j = 0; j <= m; j++)
			t[i][j] = i == 0 || j == 0 ? i + j : a[i - 1] == b[j - 1] ? t[i - 1][j - 1] : 1 + (t[i - 1][j] < t[i][j - 1] ? t[i - 1][j] : t[i][j - 1]);
	return t[n][m];
}

static size_t random_text(struct bawn_buf *out, int *line, bool newline)
{
	const size_t n = (size_t)(rand() % (LINES + 1));
	const int letters = 1 + rand() % 6;
	for (size_t i = 0; i < n; i++) {
		line[i] = rand() % letters;
		bawn_buf_fmt(out, "%c%s", 'a' + line[i], i + 1 < n || newline ? "\n" : "");
	}
	return n;
}

static void random_pairs(void)
{
	size_t wrong = 0, longer = 0, all = 0;
	srand(7);
	for (int i = 0; i < 20000; i++) {
		int x[LINES], y[LINES];
		bawn_auto_buf a = BAWN_BUF(1000), b = BAWN_BUF(1000), diff = BAWN_BUF(20000), back = BAWN_BUF(1000);
		const bool newlines = i % 4 != 0;
		size_t n = random_text(&a, x, newlines || rand() % 2 == 0), m = random_text(&b, y, newlines || rand() % 2 == 0), edits = 0;
		if (i % 2 == 0 && a.n > 0) {  /* a small change of the same text */
			bawn_buf_reset(&b);
			bawn_buf_add(&b, a.p, a.n);
			const size_t at = 2 * ((size_t)rand() % n);
			b.p[at] = (char)(b.p[at] == 'z' ? 'y' : 'z');
			memcpy(y, x, sizeof y);
			y[at / 2] = 'z' - 'a';
			m = n;
		}
		bawn_cli_diff(&diff, bawn_buf_span(&a), bawn_buf_span(&b));
		const bool good = apply(bawn_buf_span(&a), bawn_buf_span(&diff), &back, &edits) && bawn_span_equal(bawn_buf_span(&back), bawn_buf_span(&b)) &&
		                  (diff.n == 0) == bawn_span_equal(bawn_buf_span(&a), bawn_buf_span(&b));
		if (!good && wrong++ == 0)
			diag("from %s to %s:\n%s", a.p, b.p, diff.p);
		longer += newlines && edits != least(x, n, y, m);
		all++;
	}
	ok(wrong == 0, "%zu random pairs: the diff leads from one to the other", all);
	ok(longer == 0, "and none is longer than it must be");
}

static void look(void)
{
	static const struct { const char *name, *a, *b, *want; } row[] = {
		{ "the same", "a\nb\n", "a\nb\n", "" }, { "nothing and nothing", "", "", "" },
		{ "one line changed", "a\nb\nc\n", "a\nB\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n" },
		{ "made from nothing", "", "a\n", "@@ -0,0 +1 @@\n+a\n" }, { "all gone", "a\nb\n", "", "@@ -1,2 +0,0 @@\n-a\n-b\n" },
		{ "a newline less at the end", "a\n", "a", "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n" },
		{ "three lines around it", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n", "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n" },
		{ "two changes six lines apart: one hunk", "1\n2\n3\n4\n5\n6\n7\n8\n", "x\n2\n3\n4\n5\n6\n7\ny\n", "@@ -1,8 +1,8 @@\n-1\n+x\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+y\n" },
		{ "seven apart: two", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "x\n2\n3\n4\n5\n6\n7\n8\ny\n",
		  "@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+y\n" },
		{ "put in between", "a\nb\n", "a\nx\nb\n", "@@ -1,2 +1,3 @@\n a\n+x\n b\n" },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		bawn_auto_buf out = BAWN_BUF(4000);
		bawn_cli_diff(&out, bawn_span(row[i].a), bawn_span(row[i].b));
		ok(bawn_span_is(bawn_buf_span(&out), row[i].want), "%s", row[i].name) || (diag("%s", out.p), 0);
	}
}

/* Ten thousand lines, all of them other lines: one change, at once. */
static void large(void)
{
	bawn_auto_buf a = BAWN_BUF(1u << 20), b = BAWN_BUF(1u << 20), diff = BAWN_BUF(4u << 20), back = BAWN_BUF(1u << 20);
	size_t edits = 0;
	for (int i = 0; i < 10000; i++) {
		bawn_buf_fmt(&a, "a%d\n", i);
		bawn_buf_fmt(&b, "b%d\n", i);
	}
	const uint64_t from = bawn_monotonic_us();
	bawn_cli_diff(&diff, bawn_buf_span(&a), bawn_buf_span(&b));
	const uint64_t ms = (bawn_monotonic_us() - from) / 1000;
	ok(apply(bawn_buf_span(&a), bawn_buf_span(&diff), &back, &edits) && bawn_span_equal(bawn_buf_span(&back), bawn_buf_span(&b)) && edits == 20000 && ms < 10000,
	   "texts without a line in common: right, and done in %d ms", (int)ms);
	bawn_auto_buf little = BAWN_BUF(100);
	bawn_cli_diff(&little, bawn_buf_span(&a), bawn_buf_span(&b));
	ok(bawn_buf_error(&little) == -EMSGSIZE, "a buffer too small says so");
}

int main(void)
{
	look();
	random_pairs();
	large();
	return done_testing();
}
