/* yaml.c - libfyaml's events turned into a small tree of our own.
 *
 * Events, not libfyaml's documents: an event stream is flat, so depth, node count and aliases are
 * refused the moment they appear, before anything is built or expanded from them.
 * Invariants: (1) the text is checked for size, UTF-8 and control characters before libfyaml sees
 * it; (2) every node is on y->all, so freeing never walks the tree; (3) the tree leaves this file
 * only when there was no problem at all.
 * NOTE: libfyaml 0.7 does not survive a failed allocation of its own; room_enough() asks for what the
 * worst text of that size was seen to take, so that want of memory shows there, as an error. */
#include "parse/yaml.h"
#include <libfyaml.h>  /* first of all: see meson.build */
#include <stdarg.h>
#include "base/cleanup.h"
#include "base/utf8.h"
#include "parse/quoted.h"

#define PROBLEMS_MAX 100  /* a hostile file gets no more lines out of us */

struct node {
	struct bawn_yaml_node n;
	struct node *older;  /* on y->all */
	const struct bawn_yaml_node **tail;
	char text[];
};

struct bawn_yaml { struct node *all; const struct bawn_yaml_node *root; size_t count; };

struct reader {
	const char       *name;
	struct bawn_span  text;
	struct bawn_yaml *y;
	struct bawn_buf  *problems;
	struct bawn_err  *err;
	size_t            n_problems;
	struct { struct node *node, *key; } open[BAWN_YAML_DEPTH_MAX];
	size_t            depth;
	bool              document;  /* one has begun */
	bool              ended;     /* the stream came to its end */
	uint32_t          line, column;  /* of the last event */
};

const char *bawn_yaml_kind_name(enum bawn_yaml_kind kind)
{
	static const char *const name[BAWN_YAML_KIND_COUNT] = { "text", "a list", "a mapping" };
	return (unsigned)kind < BAWN_YAML_KIND_COUNT ? name[kind] : "?";
}

void bawn_yaml_free(struct bawn_yaml *y)
{
	if (y == NULL)
		return;
	for (struct node *n = y->all; n != NULL; ) {
		struct node *older = n->older;
		free(n);
		n = older;
	}
	free(y);
}

const struct bawn_yaml_node *bawn_yaml_root(const struct bawn_yaml *y) { return y->root; }

const struct bawn_yaml_node *bawn_yaml_get(const struct bawn_yaml_node *mapping, const char *key)
{
	if (mapping == NULL || mapping->kind != BAWN_YAML_MAPPING)
		return NULL;
	for (const struct bawn_yaml_node *n = mapping->first; n != NULL; n = n->next)
		if (bawn_span_is(n->key->text, key))
			return n;
	return NULL;
}

bool bawn_yaml_null(const struct bawn_yaml_node *n)
{
	return n == NULL || (n->kind == BAWN_YAML_SCALAR && n->plain &&
	       (n->text.n == 0 || bawn_span_is(n->text, "~") || bawn_span_is(n->text, "null")));
}

/* Notes one problem; `quoted` (may be empty) is untrusted text shown after the message.  Returns
 * 0 as long as reading on is useful. */
static int problem(struct reader *r, uint32_t line, uint32_t column, const char *what, struct bawn_span quoted)
{
	bawn_auto_buf text = BAWN_BUF(2048);
	bawn_buf_fmt(&text, "%s:%u:%u: ", r->name, line, column);
	bawn_buf_escaped(&text, bawn_span(what));
	if (quoted.n > 0) {
		bawn_buf_str(&text, " '");
		bawn_buf_escaped(&text, (struct bawn_span){ quoted.p, quoted.n > 60 ? 60 : quoted.n });
		bawn_buf_str(&text, quoted.n > 60 ? "...'" : "'");
	}
	int failed = bawn_fail_as(r->n_problems++ == 0 ? r->err : NULL, BAWN_ERROR_CONFIG_INVALID, NULL, "%s",
	                          text.p != NULL ? text.p : "out of memory");
	if (r->problems != NULL)
		bawn_buf_fmt(r->problems, "%s\n", text.p != NULL ? text.p : "out of memory");
	return r->n_problems < PROBLEMS_MAX ? 0 : failed;
}

/* The same where there is no point in reading on. */
static int fatal(struct reader *r, uint32_t line, uint32_t column, const char *what)
{
	int failed = problem(r, line, column, what, (struct bawn_span){ NULL, 0 });
	return failed < 0 ? failed : -EINVAL;
}

static bool control(uint32_t c)
{
	return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
}

/* Size, UTF-8 and control characters, with the position of the first that is wrong. */
static int check_bytes(struct reader *r, struct bawn_span text)
{
	if (text.n > BAWN_YAML_SIZE_MAX)
		return fatal(r, 1, 1, "more than 256 KiB");
	uint32_t line = 1, column = 1, c;
	for (size_t at = 0, n; at < text.n; at += n) {
		n = bawn_utf8_next(text, at, &c);
		if (n == 0)
			return fatal(r, line, column, "not UTF-8");
		if (control(c))
			return fatal(r, line, column, c == 0 ? "a NUL byte" : "a control character");
		column++;
		if (c == '\n') {
			line++;
			column = 1;
		}
	}
	return 0;
}

static int out_of_memory(struct reader *r)
{
	return bawn_fail(r->err, -ENOMEM, "read '%s'", r->name);
}

static void position(struct reader *r, struct fy_event *e, uint32_t *line, uint32_t *column)
{
	const struct fy_mark *mark = fy_event_start_mark(e);
	const struct node *parent = r->depth > 0 ? r->open[r->depth - 1].node : NULL;
	const struct node *near = parent != NULL && r->open[r->depth - 1].key != NULL ? r->open[r->depth - 1].key : parent;
	r->line = *line = mark != NULL ? (uint32_t)mark->line + 1 : near != NULL ? near->n.line : 1;
	r->column = *column = mark != NULL ? (uint32_t)mark->column + 1 : near != NULL ? near->n.column : 1;
}

static int make(struct reader *r, enum bawn_yaml_kind kind, struct fy_event *e, struct bawn_span text, struct node **out)
{
	uint32_t line, column;
	position(r, e, &line, &column);
	if (++r->y->count > BAWN_YAML_NODES_MAX)
		return fatal(r, line, column, "more than 10000 keys and values");
	struct node *n = calloc(1, sizeof *n + text.n + 1);
	if (n == NULL)
		return out_of_memory(r);
	if (text.n > 0)
		memcpy(n->text, text.p, text.n);
	n->older = r->y->all;
	r->y->all = n;
	n->tail = &n->n.first;
	n->n.kind = kind;
	n->n.line = line;
	n->n.column = column;
	n->n.text = (struct bawn_span){ n->text, text.n };
	*out = n;
	return 0;
}

static int take_key(struct reader *r, struct node *parent, struct node *n)
{
	r->open[r->depth - 1].key = n;
	if (n->n.kind != BAWN_YAML_SCALAR)
		return fatal(r, n->n.line, n->n.column, "a key must be a word, not a mapping or a list");
	if (n->n.plain && bawn_span_is(n->n.text, "<<"))
		return problem(r, n->n.line, n->n.column, "merge keys are not allowed", (struct bawn_span){ NULL, 0 });
	if (n->n.text.n == 0)
		return problem(r, n->n.line, n->n.column, "a key is empty", (struct bawn_span){ NULL, 0 });
	for (const struct bawn_yaml_node *o = parent->n.first; o != NULL; o = o->next)
		if (bawn_span_equal(o->key->text, n->n.text))
			return problem(r, n->n.line, n->n.column, "the same key twice:", n->n.text);
	return 0;
}

/* Puts a new node where the stream stands: the root, a key, a value or an item. */
static int place(struct reader *r, struct node *n)
{
	if (r->depth == 0) {
		r->y->root = &n->n;
		return 0;
	}
	struct node *parent = r->open[r->depth - 1].node;
	if (parent->n.kind == BAWN_YAML_MAPPING) {
		if (r->open[r->depth - 1].key == NULL)
			return take_key(r, parent, n);
		n->n.key = &r->open[r->depth - 1].key->n;
		r->open[r->depth - 1].key = NULL;
	}
	*parent->tail = &n->n;
	parent->tail = &n->n.next;
	parent->n.n++;
	return 0;
}

/* What stands between the quotes; false where the marks do not show a pair of them. */
static bool between_quotes(const struct reader *r, struct fy_token *value, char quote, struct bawn_span *out)
{
	const struct fy_mark *start = fy_token_start_mark(value), *end = fy_token_end_mark(value);
	if (start == NULL || end == NULL || start->input_pos < 1 || end->input_pos < start->input_pos || end->input_pos >= r->text.n)
		return false;
	*out = (struct bawn_span){ r->text.p + start->input_pos, end->input_pos - start->input_pos };
	return r->text.p[start->input_pos - 1] == quote && r->text.p[end->input_pos] == quote;
}

/* Plain and block scalars as libfyaml reads them, chunk by chunk: fy_token_get_text would give ""
 * where memory ran out. */
static int decode_chunks(struct reader *r, struct fy_token *value, struct bawn_buf *out, bool *out_bad)
{
	int bad = 0;
	struct fy_token_iter *at = fy_token_iter_create(value);
	for (const struct fy_iter_chunk *c = NULL; at != NULL && (c = fy_token_iter_chunk_next(at, c, &bad)) != NULL; )
		bawn_buf_add(out, c->str, c->len);
	fy_token_iter_destroy(at);
	*out_bad = bad != 0;  /* an empty block of spaces, for one */
	return at == NULL ? out_of_memory(r) : 0;
}

/* A scalar's value; *out_bad where it is none. */
static int decode(struct reader *r, struct fy_token *value, enum fy_scalar_style style, struct bawn_buf *out, bool *out_bad)
{
	struct bawn_span raw;
	bool doubled = style == FYSS_DOUBLE_QUOTED;
	int failed = 0;
	*out_bad = false;
	bawn_buf_add(out, "", 0);
	if (doubled || style == FYSS_SINGLE_QUOTED)
		*out_bad = !between_quotes(r, value, doubled ? '"' : '\'', &raw) || !bawn_yaml_unquote(raw, doubled, out);
	else if (value != NULL)
		failed = decode_chunks(r, value, out, out_bad);
	*out_bad = *out_bad || bawn_utf8_bad(bawn_buf_span(out)) < out->n || strlen(out->p != NULL ? out->p : "") < out->n;
	return failed == 0 && bawn_buf_error(out) < 0 ? out_of_memory(r) : failed;
}

static int on_scalar(struct reader *r, struct fy_event *e)
{
	struct fy_token *value = e->type == FYET_SCALAR ? e->scalar.value : NULL;
	enum fy_scalar_style style = value != NULL ? fy_token_scalar_style(value) : FYSS_PLAIN;
	bawn_auto_buf bytes = BAWN_BUF(4 * BAWN_YAML_SIZE_MAX);  /* an escape of two letters can be three bytes */
	bool bad;
	struct node *n = NULL;
	int failed = decode(r, value, style, &bytes, &bad);
	if (failed == 0)
		failed = make(r, BAWN_YAML_SCALAR, e, bawn_buf_span(&bytes), &n);
	if (failed < 0)
		return failed;
	n->n.plain = style == FYSS_PLAIN;
	if ((style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED) && n->n.column > 1)
		n->n.column--;  /* libfyaml points behind the quote */
	if (bad)
		failed = problem(r, n->n.line, n->n.column, n->n.plain || style == FYSS_LITERAL || style == FYSS_FOLDED
			? "a text that cannot be read" : "an escape that is unknown or makes a NUL or bad UTF-8", (struct bawn_span){ NULL, 0 });
	return failed < 0 ? failed : place(r, n);
}

static int on_open(struct reader *r, struct fy_event *e)
{
	struct node *n = NULL;
	int failed = make(r, e->type == FYET_MAPPING_START ? BAWN_YAML_MAPPING : BAWN_YAML_SEQUENCE, e,
	                  (struct bawn_span){ "", 0 }, &n);
	if (failed == 0)
		failed = place(r, n);
	if (failed < 0)
		return failed;
	if (r->depth == BAWN_YAML_DEPTH_MAX)
		return fatal(r, n->n.line, n->n.column, "nested deeper than 16");
	r->open[r->depth].node = n;
	r->open[r->depth].key = NULL;
	r->depth++;
	return 0;
}

static int on_alias(struct reader *r, struct fy_event *e)
{
	uint32_t line, column;
	position(r, e, &line, &column);
	int failed = problem(r, line, column, "aliases are not allowed; write the value again", (struct bawn_span){ NULL, 0 });
	return failed < 0 ? failed : on_scalar(r, e);
}

static int on_document(struct reader *r, struct fy_event *e)
{
	uint32_t line, column;
	position(r, e, &line, &column);
	if (r->document)
		return fatal(r, line, column, "a second document; one file is one document");
	r->document = true;
	struct fy_document_state *state = e->document_start.document_state;
	if (fy_document_state_tags_explicit(state) || fy_document_state_version_explicit(state))
		return problem(r, line, column, "directives are not allowed", (struct bawn_span){ NULL, 0 });
	return 0;
}

/* Tags and anchors, on whatever node they stand. */
static int check_extras(struct reader *r, struct fy_event *e)
{
	static const struct bawn_span none = { NULL, 0 };
	uint32_t line, column;
	position(r, e, &line, &column);
	int failed = 0;
	if (fy_event_get_tag_token(e) != NULL)
		failed = problem(r, line, column, "tags are not allowed", none);
	if (failed == 0 && e->type != FYET_ALIAS && fy_event_get_anchor_token(e) != NULL)
		failed = problem(r, line, column, "anchors are not allowed", none);
	return failed;
}

static int on_event(struct reader *r, struct fy_event *e)
{
	int failed = check_extras(r, e);
	if (failed < 0)
		return failed;
	switch (e->type) {
	case FYET_DOCUMENT_START:
		return on_document(r, e);
	case FYET_ALIAS:
		return on_alias(r, e);
	case FYET_SCALAR:
		return on_scalar(r, e);
	case FYET_MAPPING_START:
	case FYET_SEQUENCE_START:
		return on_open(r, e);
	case FYET_MAPPING_END:
	case FYET_SEQUENCE_END:
		r->depth--;
		return 0;
	case FYET_STREAM_END:
		r->ended = true;
		return 0;
	case FYET_NONE:
	case FYET_STREAM_START:
	case FYET_DOCUMENT_END:
		return 0;
	}
	return fatal(r, 1, 1, "an event of no known kind");
}

/* What libfyaml had to say, in our own form. */
static int syntax_errors(struct reader *r, struct fy_diag *diag)
{
	void *at = NULL;
	size_t before = r->n_problems;
	for (const struct fy_diag_error *e; (e = fy_diag_errors_iterate(diag, &at)) != NULL; )
		if (e->msg != NULL && problem(r, e->line > 0 ? (uint32_t)e->line : 1, e->column > 0 ? (uint32_t)e->column : 1,
		                              e->msg, (struct bawn_span){ NULL, 0 }) < 0)
			break;
	/* It gives up on some texts ("%YAML 0.1") without a word. */
	return r->n_problems > before ? -EINVAL : fatal(r, r->line, r->column, "not YAML from here on");
}

static void quiet(struct fy_diag *diag, void *user, const char *text, size_t n)
{
	(void)diag, (void)user, (void)text, (void)n;  /* collected instead */
}

static int read_events(struct reader *r, struct fy_parser *parser, struct fy_diag *diag)
{
	int failed = 0;
	for (struct fy_event *e; failed == 0 && (e = fy_parser_parse(parser)) != NULL; ) {
		failed = on_event(r, e);
		fy_parser_event_free(parser, e);
	}
	if (failed == 0 && (!r->ended || fy_parser_get_stream_error(parser)))
		failed = syntax_errors(r, diag);
	return failed;
}

#define ROOM_LEAST    (1u << 20)
#define ROOM_PER_BYTE 400u  /* "[[[[..." is the worst: a token for every byte */

static bool room_enough(struct bawn_span text)
{
	void *volatile room = malloc(ROOM_LEAST + ROOM_PER_BYTE * text.n);  /* volatile: or it is optimised away */
	bool enough = room != NULL;
	free(room);
	return enough;
}

static int parse(struct reader *r, struct bawn_span text)
{
	if (!room_enough(text))
		return out_of_memory(r);
	const struct fy_diag_cfg quiet_cfg = { .output_fn = quiet, .level = FYET_ERROR, .module_mask = ~0u };
	struct fy_diag *diag = fy_diag_create(&quiet_cfg);
	if (diag == NULL)
		return out_of_memory(r);
	fy_diag_set_collect_errors(diag, true);
	const struct fy_parse_cfg cfg = {
		.search_path = "",
		.flags = FYPCF_COLLECT_DIAG | FYPCF_DISABLE_MMAP_OPT | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE,
		.diag = diag,
	};
	struct fy_parser *parser = fy_parser_create(&cfg);
	int failed = 0;
	if (parser == NULL || fy_parser_set_string(parser, text.n > 0 ? text.p : "", text.n) != 0)
		failed = out_of_memory(r);
	else
		failed = read_events(r, parser, diag);
	fy_parser_destroy(parser);
	fy_diag_destroy(diag);
	return failed;
}

/* An empty document: a null scalar at its beginning. */
static int empty_root(struct reader *r)
{
	struct node *n = calloc(1, sizeof *n + 1);
	if (n == NULL)
		return out_of_memory(r);
	n->older = r->y->all;
	r->y->all = n;
	n->n = (struct bawn_yaml_node){ .kind = BAWN_YAML_SCALAR, .plain = true, .line = 1, .column = 1, .text = { n->text, 0 } };
	r->y->root = &n->n;
	return 0;
}

int bawn_yaml_parse(const char *name, struct bawn_span text, struct bawn_yaml **out,
                    struct bawn_buf *problems, struct bawn_err *err)
{
	bawn_auto_yaml y = calloc(1, sizeof *y);
	struct reader r = { .name = name, .text = text, .y = y, .problems = problems, .err = err, .line = 1, .column = 1 };
	if (y == NULL)
		return out_of_memory(&r);
	int failed = check_bytes(&r, text);
	if (failed == 0)
		failed = parse(&r, text);
	if (failed == 0 && r.n_problems > 0)
		failed = -EINVAL;
	if (failed == 0 && y->root == NULL)
		failed = empty_root(&r);
	if (failed < 0)
		return failed;
	*out = bawn_steal(y);
	return 0;
}
