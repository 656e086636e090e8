/* broken.c - text that does not parse hides nothing.
 *
 * The parser gives up on a stretch where an interpreter might not (newer syntax, a shell that has run
 * all lines before the one it stumbles over).  Each line of such a stretch is read again by itself,
 * after the file's own imports, so that what stands in it is still seen.
 *
 * The same holds for a text that takes too much to be read as a whole: it is read in pieces. */
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

/* ---- what Bash takes and the grammar does not ---- */

/* @(a|b), ?(a), *(a), +(a), !(a), which the grammar has only in tests: names in braces come to the same. */
static bool without_patterns(struct bawn_span line, struct bawn_buf *out)
{
	bool any = false;
	for (size_t i = 0; i < line.n; i++) {
		const char *close = i + 1 < line.n && line.p[i + 1] == '(' && strchr("@?*+!", line.p[i]) != NULL ? memchr(line.p + i, ')', line.n - i) : NULL;
		if (close == NULL) {
			bawn_buf_char(out, line.p[i]);
			continue;
		}
		struct bawn_span in = { line.p + i + 2, (size_t)(close - line.p) - i - 2 };
		bool maybe = line.p[i] == '?' || line.p[i] == '*', braces = maybe || memchr(in.p, '|', in.n) != NULL;
		any = true;
		for (size_t k = 0; k < in.n + 2; k++) {
			char c = k == 0 ? '{' : k == in.n + 1 ? '}' : in.p[k - 1] == '|' ? ',' : in.p[k - 1];
			if (line.p[i] == '!')
				c = k == 0 ? '*' : '\0';
			if (k == in.n + 1 && maybe)
				bawn_buf_char(out, ',');
			if (c != '\0' && (braces || line.p[i] == '!' || (c != '{' && c != '}')))
				bawn_buf_char(out, c);
		}
		i = (size_t)(close - line.p);
	}
	return any && bawn_buf_error(out) == 0;
}

#define DOCUMENTS_MAX 8u

/* The here-documents that begin on a line: the command each belongs to, and its end mark. */
static size_t documents_of(struct bawn_span line, struct bawn_span command[DOCUMENTS_MAX], struct bawn_span mark[DOCUMENTS_MAX])
{
	size_t n = 0, start = 0;
	for (size_t i = 0; i + 2 < line.n && n < DOCUMENTS_MAX; i++) {
		start = strchr(";|&", line.p[i]) != NULL ? i + 1 : start;
		if (line.p[i] != '<' || line.p[i + 1] != '<')
			continue;
		i += 2;
		if (line.p[i] == '<')
			continue;
		while (i < line.n && strchr("- '\"\\", line.p[i]) != NULL)
			i++;
		size_t end = i;
		while (end < line.n && strchr(" ;|&<>()'\"", line.p[end]) == NULL)
			end++;
		mark[n] = (struct bawn_span){ line.p + i, end - i };
		while (end < line.n && strchr(";|&", line.p[end]) == NULL)
			end++;
		command[n++] = (struct bawn_span){ line.p + start, end - start };
	}
	return n;
}

/* Two here-documents on one line follow one after the other; each is read with its own command. */
static void read_documents(struct stretch *s, size_t from)
{
	struct bawn_span text = s->e->tree->text, line = line_at(text, from), command[DOCUMENTS_MAX], mark[DOCUMENTS_MAX];
	size_t n = s->e->tree->grammar == BAWN_GRAMMAR_BASH ? documents_of(line, command, mark) : 0, at = from + line.n + 1;
	for (size_t k = 0; n > 1 && k < n && at < text.n; k++) {
		bawn_auto_buf b = BAWN_BUF(LINE_BYTES);
		bawn_buf_add(&b, command[k].p, command[k].n);
		bawn_buf_char(&b, '\n');
		struct bawn_span one = { NULL, 0 };
		while (at < text.n && !(one.n == mark[k].n && one.p != NULL && memcmp(one.p, mark[k].p, one.n) == 0)) {
			struct bawn_span whole = line_at(text, at);
			bawn_buf_add(&b, whole.p, whole.n);
			bawn_buf_char(&b, '\n');
			one = trimmed(whole);
			at += whole.n + 1;
		}
		if (bawn_buf_error(&b) != 0)
			s->left = 0;
		else
			(void)read_piece(s, bawn_buf_span(&b), (struct place){ (uint32_t)from, (uint32_t)(from + line.n) });
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
		struct place at = { start, start + (uint32_t)code.n };
		bawn_auto_buf plain = BAWN_BUF(LINE_BYTES);
		read_documents(s, from);
		if (s->e->tree->grammar == BAWN_GRAMMAR_BASH && without_patterns(code, &plain))
			(void)read_piece(s, bawn_buf_span(&plain), at);
		else if (code.n > 0)
			read_line(s, code, at);
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

/* ---- what was given up ---- */

#define PIECE_BYTES (16u << 10)
#define OVERLAP     256u  /* of pieces that end nowhere in particular */

/* How long the piece at `at` is: it ends with a line, else with a statement, else where it must. */
static size_t piece_at(struct bawn_span text, size_t at)
{
	const char *from = text.p + at, *end = NULL;
	if (from == NULL || text.n - at <= PIECE_BYTES)
		return text.n - at;
	end = memrchr(from, '\n', PIECE_BYTES);
	end = end != NULL ? end : memrchr(from, ';', PIECE_BYTES);
	return end != NULL ? (size_t)(end + 1 - from) : PIECE_BYTES;
}

/* A piece may take too much, too: the others are still read. */
static void forget_failure(struct engine *e)
{
	if (e->error == 0 || e->err->type != BAWN_ERROR_ASSESSMENT_FAILED)
		return;
	e->error = 0;
	*e->err = (struct bawn_err){ 0 };
	bawn_arena_done(&e->scratch);
}

void bawn_read_pieces(struct engine *e, int language, struct bawn_span text, uint64_t work)
{
	struct bawn_node root = { .end = (uint32_t)text.n };
	struct bawn_tree whole = { .grammar = (enum bawn_grammar)language, .text = text, .node = &root, .n = 1 };
	const struct bawn_tree *outer = e->tree;
	uint64_t share = work / (text.n / (PIECE_BYTES - OVERLAP) + 1), most = e->most.work, spent = e->spent;
	bawn_auto_buf before = BAWN_BUF(PRELUDE_MAX + 512);
	prelude(&whole, &before);
	e->tree = &whole;
	e->rereading = true;
	for (size_t at = 0, n; at < text.n && e->error == 0; at += n == PIECE_BYTES ? n - OVERLAP : n) {
		bawn_auto_buf b = BAWN_BUF(PRELUDE_MAX + PIECE_BYTES + 1024);
		n = piece_at(text, at);
		bawn_buf_add(&b, before.p != NULL ? before.p : "", before.n);
		bawn_buf_add(&b, text.p + at, n);
		if (!bawn_engine_whole(e, &b))
			break;
		e->most.work = e->spent + e->scratch.asked + share;
		(void)bawn_engine_text_at(e, language, bawn_buf_span(&b), (struct place){ (uint32_t)at, (uint32_t)(at + n) });
		forget_failure(e);
	}
	e->rereading = false;
	e->tree = outer;
	e->most.work = most;
	e->spent = spent;
}
