/* diff.c - see diff.h.  Myers' greedy algorithm: the furthest place on each diagonal for d = 0, 1, 2 … edits, all kept, so
 * that the way can be walked back.
 *
 * Invariant: memory and time are bounded by DMAX whatever the texts: DMAX^2 ints, (lines) * DMAX steps.
 * An attacker controls: both texts. */
#include "cli/diff.h"
#include <stdbool.h>
#include <stdlib.h>
#include "base/cleanup.h"

#define DMAX    2000
#define CONTEXT 3

struct lines { struct bawn_span *line; bool *changed; size_t n; };  /* a line has its newline, but for a last one without */

static void lines_done(struct lines *l)
{
	free(l->line);
	free(l->changed);
}
#define auto_lines __attribute__((cleanup(lines_done))) struct lines

static bool split(struct bawn_span text, struct lines *out)
{
	size_t n = 1;
	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == '\n';
	*out = (struct lines){ .line = calloc(n, sizeof *out->line), .changed = calloc(n, sizeof *out->changed) };
	if (out->line == NULL || out->changed == NULL)
		return false;
	for (const char *p = text.p, *end = text.p + text.n; text.n > 0 && p < end; ) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const size_t len = nl != NULL ? (size_t)(nl + 1 - p) : (size_t)(end - p);
		out->line[out->n++] = (struct bawn_span){ p, len };
		p += len;
	}
	return true;
}

static void mark(struct lines *l, size_t from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		l->changed[from + i] = true;
}

/* ---- which lines changed ---- */

/* Row d holds the furthest x on the diagonals -d … d; it begins at d * d. */
static int *row(int *all, int d) { return all + (size_t)d * (size_t)d + d; }

/* From (n, m) back to (0, 0): each step off a diagonal is a line removed or added. */
static void walk_back(int *all, int d, struct lines *a, struct lines *b, size_t skip, int n, int m)
{
	for (int x = n, y = m; d > 0; d--) {
		const int *v = row(all, d - 1), k = x - y;
		const bool down = k == -d || (k != d && v[k - 1] < v[k + 1]);
		x = v[down ? k + 1 : k - 1];
		y = x - (down ? k + 1 : k - 1);
		if (down)
			b->changed[skip + (size_t)y] = true;
		else
			a->changed[skip + (size_t)x] = true;
	}
}

/* Marks what changed between n lines of a and m of b, from `skip` on; false: too much, or no memory. */
static bool greedy(struct lines *a, struct lines *b, size_t skip, int n, int m)
{
	const int most = n + m < DMAX ? n + m : DMAX;
	int *all = NULL;
	for (int d = 0; d <= most; d++) {
		if ((d & 63) == 0) {  /* room for the next 64 rows */
			const size_t rows = (size_t)(d + 64);
			int *more = realloc(all, rows * rows * sizeof *all);
			if (more == NULL)
				break;
			all = more;
		}
		int *v = row(all, d);
		const int *u = d > 0 ? row(all, d - 1) : NULL;
		for (int k = -d; k <= d; k += 2) {
			int x = d == 0 ? 0 : k == -d || (k != d && u[k - 1] < u[k + 1]) ? u[k + 1] : u[k - 1] + 1;
			int y = x - k;
			while (x < n && y < m && bawn_span_equal(a->line[skip + (size_t)x], b->line[skip + (size_t)y]))
				x++, y++;
			v[k] = x;
			if (x == n && y == m) {
				walk_back(all, d, a, b, skip, n, m);
				free(all);
				return true;
			}
		}
	}
	free(all);
	return false;
}

static void find_changes(struct lines *a, struct lines *b)
{
	size_t same = 0, end = 0;
	while (same < a->n && same < b->n && bawn_span_equal(a->line[same], b->line[same]))
		same++;
	while (end < a->n - same && end < b->n - same && bawn_span_equal(a->line[a->n - 1 - end], b->line[b->n - 1 - end]))
		end++;
	const size_t n = a->n - same - end, m = b->n - same - end;
	if (n == 0 || m == 0 || n > 1000000 || m > 1000000 || !greedy(a, b, same, (int)n, (int)m)) {
		mark(a, same, n);
		mark(b, same, m);
	}
}

/* ---- hunks ---- */

static void put_line(struct bawn_buf *out, char sign, struct bawn_span line)
{
	bawn_buf_char(out, sign);
	bawn_buf_add(out, line.p, line.n);
	if (line.p[line.n - 1] != '\n')
		bawn_buf_str(out, "\n\\ No newline at end of file\n");
}

static void put_range(struct bawn_buf *out, char sign, size_t from, size_t n)
{
	bawn_buf_fmt(out, n == 1 ? "%c%zu" : "%c%zu,%zu", sign, n == 0 ? from : from + 1, n);
}

/* From (i, j), where something changed, to behind the last change that is near the one before. */
static void hunk_end(const struct lines *a, const struct lines *b, size_t *i, size_t *j)
{
	size_t x = *i, y = *j, quiet = 0;
	while ((x < a->n || y < b->n) && quiet <= 2 * CONTEXT) {
		const bool gone = x < a->n && a->changed[x], fresh = !gone && y < b->n && b->changed[y];
		x += !fresh;
		y += !gone;
		quiet = gone || fresh ? 0 : quiet + 1;
		if (gone || fresh) {
			*i = x;
			*j = y;
		}
	}
}

static void put_hunk(struct bawn_buf *out, const struct lines *a, size_t i, size_t i_end, const struct lines *b, size_t j, size_t j_end)
{
	bawn_buf_str(out, "@@ ");
	put_range(out, '-', i, i_end - i);
	bawn_buf_char(out, ' ');
	put_range(out, '+', j, j_end - j);
	bawn_buf_str(out, " @@\n");
	while (i < i_end || j < j_end) {
		if (i < i_end && a->changed[i])
			put_line(out, '-', a->line[i++]);
		else if (j < j_end && b->changed[j])
			put_line(out, '+', b->line[j++]);
		else
			put_line(out, ' ', a->line[i]), i++, j++;
	}
}

void bawn_cli_diff(struct bawn_buf *out, struct bawn_span before, struct bawn_span after)
{
	auto_lines a = { 0 }, b = { 0 };
	if (!split(before, &a) || !split(after, &b)) {
		out->error = out->error < 0 ? out->error : -ENOMEM;
		return;
	}
	find_changes(&a, &b);
	for (size_t i = 0, j = 0; i < a.n || j < b.n; ) {
		if ((i >= a.n || !a.changed[i]) && (j >= b.n || !b.changed[j])) {
			i++, j++;
			continue;
		}
		const size_t lead = i < CONTEXT ? i : CONTEXT;
		size_t i_end = i, j_end = j;
		hunk_end(&a, &b, &i_end, &j_end);
		const size_t left = a.n - i_end, trail = left < CONTEXT ? left : CONTEXT;
		put_hunk(out, &a, i - lead, i_end + trail, &b, j - lead, j_end + trail);
		i = i_end;
		j = j_end;
	}
}
