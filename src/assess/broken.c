/* broken.c - text that does not parse hides nothing.
 *
 * The parser gives up on a stretch where an interpreter might not (newer syntax, a shell that has run
 * all lines before the one it stumbles over).  Each line of such a stretch is read again by itself,
 * after the file's own imports, so that what stands in it is still seen. */
#include "assess/engine.h"
#include "base/cleanup.h"

#define READ_AGAIN_MAX (1u << 20)
#define PRELUDE_MAX    (4u << 10)
#define LINE_BYTES     (16u << 10)

static struct bawn_span line_at(struct bawn_span text, size_t at)
{
	const char *end = memchr(text.p + at, '\n', text.n - at);
	return (struct bawn_span){ text.p + at, end != NULL ? (size_t)(end - text.p) - at : text.n - at };
}

static struct bawn_span trimmed(struct bawn_span line)
{
	while (line.n > 0 && (line.p[0] == ' ' || line.p[0] == '\t'))
		line.p++, line.n--;
	return line;
}

/* The names that the file's imports bind. */
static void prelude(const struct bawn_tree *t, struct bawn_buf *out)
{
	for (size_t at = 0; at < t->text.n && out->n < PRELUDE_MAX; ) {
		struct bawn_span line = line_at(t->text, at), code = trimmed(line);
		bool python = t->grammar == BAWN_GRAMMAR_PYTHON && (bawn_span_starts(code, "import ") || bawn_span_starts(code, "from "));
		bool script = t->grammar == BAWN_GRAMMAR_JAVASCRIPT && (bawn_span_starts(code, "import ") || memmem(code.p, code.n, "require(", 8) != NULL);
		if ((python || script) && code.n < 256) {
			bawn_buf_add(out, code.p, code.n);
			bawn_buf_char(out, '\n');
		}
		at += line.n + 1;
	}
}

struct stretch { struct engine *e; struct bawn_span before; size_t left; };  /* left: bytes that may still be read */

static bool read_piece(struct stretch *s, struct bawn_span piece, struct place at)
{
	bawn_auto_buf b = BAWN_BUF(PRELUDE_MAX + LINE_BYTES + 512);
	bawn_buf_add(&b, s->before.p, s->before.n);
	bawn_buf_add(&b, piece.p, piece.n);
	bawn_buf_char(&b, '\n');
	if (bawn_buf_error(&b) != 0 || s->left < b.n) {
		s->left = 0;
		return true;
	}
	s->left -= b.n;
	return bawn_engine_text_at(s->e, (int)s->e->tree->grammar, bawn_buf_span(&b), at);
}

/* A line, or where it still does not parse the statements in it. */
static void read_line(struct stretch *s, struct bawn_span line, struct place at)
{
	if (read_piece(s, line, at))
		return;
	for (size_t i = 0, start = 0; i <= line.n && s->left > 0; i++)
		if (i == line.n || strchr(";{}", line.p[i]) != NULL) {
			if (i > start && i - start < line.n)
				(void)read_piece(s, trimmed((struct bawn_span){ line.p + start, i - start }), at);
			start = i + 1;
		}
}

/* The lines on which [from, to) stands.  Returns where the next line begins. */
static size_t read_lines(struct stretch *s, size_t from, size_t to)
{
	struct bawn_span text = s->e->tree->text;
	while (from > 0 && text.p[from - 1] != '\n')
		from--;
	do {
		struct bawn_span line = line_at(text, from), code = trimmed(line);
		uint32_t start = (uint32_t)(code.p - text.p);
		if (code.n > 0)
			read_line(s, code, (struct place){ start, start + (uint32_t)code.n });
		from += line.n + 1;
	} while (from < to && from < text.n && s->left > 0);
	return from;
}

void bawn_read_broken(struct engine *e)
{
	const struct bawn_tree *t = e->tree;
	if (!t->errors || e->depth > 0)
		return;
	bawn_auto_buf before = BAWN_BUF(PRELUDE_MAX + 512);
	prelude(t, &before);
	struct stretch s = { e, bawn_buf_span(&before), READ_AGAIN_MAX };
	size_t done = 0;
	e->rereading = true;
	for (uint32_t i = 0; i < t->n && s.left > 0 && e->error == 0; i++)
		if (t->node[i].kind == BAWN_K_ERROR && t->node[i].start >= done && t->node[i].start < t->text.n)
			done = read_lines(&s, t->node[i].start, t->node[i].end);
	e->rereading = false;
	if (s.left == 0)
		(void)bawn_engine_event(e, "unreadable", t->error_node, NULL);
}
