/* shell_input.c - see shell.h.  What reaches a command's standard input, and where its output goes.
 *
 * Pipelines carry what their first command prints, here-documents and here-strings what they say; files
 * that the program writes are remembered by name. */
#include "assess/modules.h"
#include "assess/shell.h"
#include "assess/text.h"
#include "base/cleanup.h"

#define PIPE_MAX 32u

static const struct bawn_node *node(const struct shell *s, uint32_t i) { return &s->t->node[i]; }
static struct bawn_span text_of(const struct shell *s, uint32_t i) { return bawn_node_text(s->t, i); }

/* The simple command that reads or writes for a compound one. */
static uint32_t command_of(const struct shell *s, uint32_t i, bool last)
{
	for (unsigned k = 0; k < 16 && i != 0; k++) {
		uint8_t kind = node(s, i)->kind;
		if (kind != BAWN_K_REDIRECTED && kind != BAWN_K_LIST_OF_COMMANDS && kind != BAWN_K_SUBSHELL && kind != BAWN_K_OTHER)
			break;
		uint32_t c = node(s, i)->child;
		while (c != 0 && (last || kind == BAWN_K_LIST_OF_COMMANDS) && kind != BAWN_K_REDIRECTED && node(s, c)->next != 0)
			c = node(s, c)->next;
		if (c == 0)
			break;
		i = c;
	}
	return i;
}

/* `while read x; do ... done` with known lines; { read x; ...; } with a known text. */
static void give_compound(struct shell *s, uint32_t i, const struct value *in)
{
	uint32_t first = node(s, i)->child;
	struct value *argv = first != 0 ? s->argv[command_of(s, first, false)] : NULL;
	bool loop = node(s, i)->kind == BAWN_K_WHILE;
	if (argv == NULL || argv->n_items < 2 || !bawn_sh_is(argv->item[0], "read") || !bawn_value_is_text(in))
		return;
	uint32_t body = loop ? bawn_node_child(s->t, i, BAWN_R_BODY) : 0;
	struct value rest = *in;
	while (rest.text.n > 0 && !s->cut_short) {
		bawn_sh_assign(s, argv->item, argv->n_items, 1, &rest);
		const char *end = memchr(rest.text.p, '\n', rest.text.n);
		size_t used = end != NULL ? (size_t)(end + 1 - rest.text.p) : rest.text.n;
		rest.text.p += used, rest.text.n -= used;
		if (!loop) {
			for (uint32_t c = node(s, first)->next; c != 0; c = node(s, c)->next)
				(void)bawn_sh_replay(s, c, s->args);
			return;
		}
		if (body != 0)
			(void)bawn_sh_replay(s, body, s->args);
	}
}

/* What stands at the input of a group, a branch, a loop or a function is read by whatever in it reads. */
static void give_inside(struct shell *s, uint32_t at, uint32_t first, struct value *in)
{
	for (uint32_t i = at, end = node(s, at)->end; i < s->t->n && node(s, i)->start < end; i++) {
		struct value *argv = node(s, i)->kind == BAWN_K_COMMAND && i != first ? s->argv[i] : NULL;
		if (argv != NULL && argv->n_items > 0 && !bawn_sh_has_input(s, i))
			(void)bawn_sh_feed(s, argv->item, argv->n_items, in, i);
	}
}

static uint32_t body_of(const struct shell *s, uint32_t at, const struct value *argv)
{
	switch (node(s, at)->kind) {
	case BAWN_K_SUBSHELL: case BAWN_K_OTHER: case BAWN_K_IF: case BAWN_K_FOR: case BAWN_K_WHILE: case BAWN_K_CASE: return at;
	default: break;
	}
	const struct value *f = argv != NULL && argv->n_items > 0 && bawn_value_is_text(argv->item[0]) ? bawn_sh_get(s, "function ", argv->item[0]->text) : NULL;
	return f != NULL ? bawn_node_child(s->t, f->function, BAWN_R_BODY) : 0;
}

/* Text or data reaches a command; what it prints then, NULL where that is not known. */
struct value *bawn_sh_give(struct shell *s, uint32_t at, struct value *in)
{
	uint32_t command = command_of(s, at, false);
	struct value *argv = s->argv[command];
	if (in == NULL)
		return NULL;
	uint32_t body = body_of(s, at, argv);
	if (body != 0)
		give_inside(s, body, command, in);
	if (body != 0 && body != at)
		give_compound(s, body, in);
	uint32_t own = argv != NULL ? bawn_sh_builtin_at(argv->item, argv->n_items) : 0;
	if (argv == NULL || argv->n_items == 0 || bawn_sh_is(argv->item[own], "read")) {
		uint32_t group = argv != NULL && command != at ? node(s, command)->parent : command;
		if (argv != NULL)
			bawn_sh_assign(s, argv->item, argv->n_items, own + 1, in);
		give_compound(s, group, in);
		return NULL;
	}
	if (bawn_sh_in(argv->item[own], "mapfile readarray"))
		bawn_sh_assign_lines(s, argv->item, argv->n_items, in);
	for (uint32_t c = node(s, command)->child; c != 0; c = node(s, c)->next)
		if (node(s, c)->kind == BAWN_K_PROCESS_SUB && bawn_span_starts(text_of(s, c), ">("))
			give_inside(s, c, 0, in);  /* tee >(x) */
	if (bawn_sh_feed(s, argv->item, argv->n_items, in, command))
		return NULL;
	uint32_t from = bawn_sh_unwrap(s->e, argv->item, argv->n_items);
	struct value *out = bawn_sh_printed(s, argv->item + from, argv->n_items - from, in);
	s->e->cut = s->e->cut || (out == NULL && (in->taint & BAWN_TAG(CUT)) != 0);
	for (uint32_t k = from + 1; k < argv->n_items && bawn_sh_is(argv->item[from], "tee"); k++)
		if (bawn_value_is_text(argv->item[k]) && !bawn_sh_option(argv->item[k]))
			bawn_sh_wrote(s, argv->item[k]->text, in, false, bawn_engine_path(s->e, argv->item[k]->text, BAWN_ACCESS_WRITE, true, command), command);
	return out;
}

/* ---- pipelines and redirections ---- */

struct flow { struct value *v; uint64_t taint; const char *name[PIPE_MAX]; uint32_t n; };

/* The command's name as pipes know it; clients that only sometimes talk to hosts carry their verb. */
static const char *pipe_name(struct shell *s, uint32_t command)
{
	struct value *argv = s->argv[command];
	if (argv == NULL || argv->n_items == 0)
		return NULL;
	uint32_t at = bawn_sh_unwrap(s->e, argv->item, argv->n_items);
	const char *name = at < argv->n_items ? bawn_sh_name(s->e, argv->item[at]) : NULL;
	for (uint32_t k = at + 1; name != NULL && strcmp(name, "xargs") == 0 && k < argv->n_items; k++)
		if (bawn_sh_is_shell(bawn_sh_name(s->e, argv->item[k])))
			return bawn_sh_name(s->e, argv->item[k]);
	if (name != NULL && strcmp(name, "openssl") == 0 && at + 1 < argv->n_items && bawn_value_is_text(argv->item[at + 1]))
		return bawn_arena_fmt(bawn_sh_arena(s->e), "openssl-%.*s", (int)argv->item[at + 1]->text.n, argv->item[at + 1]->text.p);
	return name;
}

static void flow_through(struct shell *s, uint32_t i, struct flow *f)
{
	uint32_t in = command_of(s, i, false), out = command_of(s, i, true);
	if (f->v != NULL) {
		f->taint |= f->v->taint;
		struct value *given = bawn_sh_give(s, i, f->v);
		f->v = given != NULL ? given : s->val[out];
	} else {
		f->v = s->val[i] != NULL ? s->val[i] : s->val[out];
	}
	if (f->v != NULL)
		f->v->taint |= f->taint;
	const char *name = pipe_name(s, in);
	if (name != NULL && f->n < PIPE_MAX)
		f->name[f->n++] = name;
	if (out != in && (name = pipe_name(s, out)) != NULL && f->n < PIPE_MAX)
		f->name[f->n++] = name;
}

static void pipe_facts(struct shell *s, uint32_t i, const struct flow *flow)
{
	for (uint32_t from = 0; from < flow->n; from++)
		for (uint32_t to = from + 1; to < flow->n; to++) {
			struct fact f = { .kind = BAWN_MATCH_PIPE, .name = flow->name[from], .to = flow->name[to], .node = i, .taint = flow->taint };
			(void)bawn_engine_fact(s->e, &f);
		}
}

static struct value *pipeline(struct shell *s, uint32_t i, struct flow *f)
{
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next)
		if (node(s, c)->kind != BAWN_K_OPERATOR && node(s, c)->kind != BAWN_K_COMMENT)
			flow_through(s, c, f);
	pipe_facts(s, i, f);
	return f->v;
}

/* One inside a here-document is read with the document. */
struct value *bawn_sh_read_pipeline(struct shell *s, uint32_t i)
{
	struct flow f = { 0 };
	return node(s, node(s, i)->parent)->kind == BAWN_K_HEREDOC ? NULL : pipeline(s, i, &f);
}

struct bawn_span bawn_sh_operator(const struct shell *s, uint32_t i)
{
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next)
		if (node(s, c)->kind == BAWN_K_OPERATOR)
			return text_of(s, c);
	return bawn_span("");
}

static bool is_here_string(const struct shell *s, uint32_t i)
{
	uint32_t at = node(s, i)->start;
	return s->t->text.n - at > 2 && memcmp(s->t->text.p + at, "<<<", 3) == 0;
}

/* The value keeps the tags of the file. */
struct value *bawn_sh_read_redirect(struct shell *s, uint32_t i)
{
	uint32_t to = bawn_node_child(s->t, i, BAWN_R_DESTINATION);
	struct bawn_span op = bawn_sh_operator(s, i);
	struct value *v = to != 0 ? s->val[to] : NULL;
	if (!is_here_string(s, i))
		bawn_engine_reach(s->e, v, i);
	if (is_here_string(s, i) || !bawn_value_is_text(v) || (to != 0 && node(s, to)->kind == BAWN_K_PROCESS_SUB))
		return NULL;
	bool in = op.n > 0 && op.p[0] == '<';
	const char *normal = bawn_path_normal(bawn_sh_arena(s->e), v->text);
	struct value *out = bawn_value_new(s->e);
	if (normal == NULL || out == NULL)
		return NULL;
	struct fact f = { .kind = BAWN_MATCH_REDIRECT, .name = normal, .shell = true, .node = i, .folded = normal,
	                  .access = in ? BAWN_ACCESS_READ : BAWN_ACCESS_WRITE };
	uint64_t tags = bawn_engine_fact(s->e, &f);
	if ((tags & BAWN_TAG(CONNECT)) == 0)
		tags |= bawn_engine_path(s->e, bawn_sh_path(s, v->text), in ? BAWN_ACCESS_READ : BAWN_ACCESS_WRITE, true, i);
	out->taint = tags;
	out->has_number = in && bawn_modules_open(s->e, v->text);  /* an input file */
	return out;
}

/* A process substitution that a redirection leads to is one end of a pipe. */
static void pipe_redirect(struct shell *s, uint32_t i, uint32_t command, uint32_t sub)
{
	struct flow f = { 0 };
	const char *own = pipe_name(s, command), *inner = pipe_name(s, command_of(s, node(s, sub)->child != 0 ? command_of(s, sub, false) : sub, false));
	for (uint32_t c = node(s, sub)->child; c != 0 && inner == NULL; c = node(s, c)->next)
		inner = pipe_name(s, command_of(s, c, false));
	if (own == NULL || inner == NULL)
		return;
	bool in = bawn_sh_operator(s, i).p[0] == '<';
	f.name[0] = in ? inner : own, f.name[1] = in ? own : inner, f.n = 2;
	pipe_facts(s, i, &f);
}

struct value *bawn_sh_contents(struct shell *s, const struct value *v)
{
	const char *key = bawn_value_is_text(v) && !v->partial ? bawn_path_normal(bawn_sh_arena(s->e), v->text) : NULL;
	if (key != NULL)
		return bawn_sh_get(s, "file ", bawn_span(key));
	bool own = v != NULL && (v->taint & BAWN_TAG(OWN_FILE)) != 0 && (!bawn_value_is_text(v) || bawn_span_is(v->text, "{}"));  /* "$0" */
	const struct shell *top = s;
	while (top->outer != NULL)
		top = top->outer;
	return own ? bawn_sh_text(s->e, top->t->text, BAWN_TAG(OWN_TEXT)) : NULL;
}

static void write_redirect(struct shell *s, uint32_t i, const struct value *v)
{
	uint32_t to = bawn_node_child(s->t, i, BAWN_R_DESTINATION);
	struct bawn_span op = bawn_sh_operator(s, i), t = text_of(s, i);
	if (to == 0 || op.n == 0 || op.p[0] != '>' || t.p[0] == '2' || !bawn_value_is_text(s->val[to]) || (op.n > 1 && op.p[1] == '&'))
		return;
	if (v != NULL && (v->taint & BAWN_TAG(KEYS)) != 0 && !bawn_span_starts(s->val[to]->text, "/dev/"))
		(void)bawn_engine_event(s->e, "keys-kept", i, NULL);
	bawn_sh_wrote(s, s->val[to]->text, v, op.n > 1 && op.p[1] == '>', s->val[i] != NULL ? s->val[i]->taint : 0, i);
}

/* `cat <<EOF | sh`, `cat <<EOF > file`: the grammar puts what follows into the here-document. */
static struct value *after_heredoc(struct shell *s, uint32_t here, struct value *out)
{
	for (uint32_t c = node(s, here)->child; c != 0; c = node(s, c)->next) {
		struct flow f = { .v = out };
		if (node(s, c)->kind == BAWN_K_PIPELINE)
			out = pipeline(s, c, &f);
		else if (node(s, c)->kind == BAWN_K_REDIRECT)
			write_redirect(s, c, out);
	}
	return out;
}

struct value *bawn_sh_input_of(struct shell *s, uint32_t c)
{
	uint32_t to = bawn_node_child(s->t, c, BAWN_R_DESTINATION);
	switch (node(s, c)->kind) {
	case BAWN_K_HERESTRING: return s->val[c];
	case BAWN_K_HEREDOC:
		for (uint32_t b = node(s, c)->child; b != 0; b = node(s, b)->next)
			if (node(s, b)->kind == BAWN_K_HEREDOC_BODY)
				return s->val[b];
		return NULL;
	case BAWN_K_REDIRECT: {
		struct bawn_span op = bawn_sh_operator(s, c);
		struct value *v = to != 0 ? s->val[to] : NULL;
		if (is_here_string(s, c))
			return v;
		if (v == NULL || op.n == 0 || op.p[0] != '<')
			return NULL;
		struct value *known = v->self != NULL ? v->self : bawn_sh_contents(s, v);
		return known == NULL && s->val[c] != NULL && s->val[c]->has_number ? s->val[c] : known;
	}
	default: return NULL;
	}
}

#define PLUMBED_MAX (64u << 10)

/* Where a descriptor goes is not followed: once some lead elsewhere and a shell reads one, every text counts. */
void bawn_sh_read_plumbed(struct shell *s)
{
	size_t left = PLUMBED_MAX;
	bool plumbed = s->plumbed || (s->hungry && memmem(s->t->text.p, s->t->text.n, "coproc ", 7) != NULL);  /* not all of it parses */
	for (uint32_t i = 0; plumbed && s->hungry && i < s->t->n; i++) {
		uint8_t kind = node(s, i)->kind;
		const struct value *v = s->val[i], *argv = s->argv[i];
		bool prints = kind == BAWN_K_COMMAND && argv != NULL && argv->n_items > 1 && bawn_sh_in(argv->item[0], "echo printf cat");
		if (!bawn_value_is_text(v) || !(prints || kind == BAWN_K_HEREDOC_BODY || kind == BAWN_K_HERESTRING || kind == BAWN_K_RAW))
			continue;
		s->cut_short = s->cut_short || v->text.n > left;
		if (v->text.n > left)
			return;
		left -= v->text.n;
		bawn_engine_text(s->e, BAWN_LANG_BASH, v->text, i);
	}
}

/* exec 3>x, exec {fd}> >(x): for all that follows. */
static bool is_exec(const struct shell *s, uint32_t command)
{
	const struct value *argv = s->argv[command];
	bool named = argv != NULL && argv->n_items == 2 && bawn_value_is_text(argv->item[1]) && bawn_span_starts(argv->item[1]->text, "{");
	return argv != NULL && (argv->n_items == 1 || named) && bawn_sh_is(argv->item[0], "exec");
}

/* Commands that print until somebody stops them. */
static bool never_ends(const struct shell *s, uint32_t command)
{
	const struct value *argv = s->argv[command];
	if (argv == NULL || argv->n_items == 0)
		return false;
	bool copies = bawn_sh_in(argv->item[0], "cat base64 xxd od hexdump");
	for (uint32_t i = 1; copies && i < argv->n_items; i++)
		if (bawn_sh_in(argv->item[i], "/dev/zero /dev/urandom /dev/random"))
			return true;
	return bawn_sh_is(argv->item[0], "yes");
}

static void endless_write(struct shell *s, uint32_t redirect, uint32_t command)
{
	uint32_t to = bawn_node_child(s->t, redirect, BAWN_R_DESTINATION);
	struct bawn_span op = bawn_sh_operator(s, redirect);
	if (to != 0 && op.n > 0 && op.p[0] == '>' && text_of(s, redirect).p[0] != '2' && never_ends(s, command) && !bawn_span_starts(text_of(s, to), "/dev/"))
		(void)bawn_engine_event(s->e, "endless-write", redirect, NULL);
}

/* <&3, where a descriptor leads to another machine: what is read came from there. */
static bool from_machine(const struct shell *s, uint32_t redirect)
{
	struct bawn_span t = text_of(s, redirect);
	return s->wired && node(s, redirect)->kind == BAWN_K_REDIRECT && bawn_span_starts(t, "<&");
}

struct value *bawn_sh_read_redirected(struct shell *s, uint32_t i)
{
	uint32_t body = node(s, i)->child, command = command_of(s, body, true);
	struct value *out = body != 0 ? s->val[body] : NULL;
	bool kept = is_exec(s, command);
	s->plumbed = s->plumbed || kept;
	for (uint32_t c = body != 0 ? node(s, body)->next : 0; c != 0; c = node(s, c)->next) {
		struct value *in = bawn_sh_input_of(s, c), *given = in != NULL ? bawn_sh_give(s, body, in) : NULL;
		out = given != NULL ? given : out;
		s->wired = s->wired || (kept && s->val[c] != NULL && (s->val[c]->taint & BAWN_TAG(CONNECT)) != 0);
		if (from_machine(s, c))
			out = bawn_sh_text(s->e, bawn_value_is_text(out) ? out->text : bawn_span(""), BAWN_TAG(NET_RECV) | (out != NULL ? out->taint : 0));
		uint32_t to = bawn_node_child(s->t, c, BAWN_R_DESTINATION);
		if (node(s, c)->kind == BAWN_K_REDIRECT && to != 0 && node(s, to)->kind == BAWN_K_PROCESS_SUB)
			pipe_redirect(s, c, command, to);
		const char *name = node(s, c)->kind == BAWN_K_REDIRECT && s->val[c] != NULL && bawn_sh_operator(s, c).p[0] == '<' ? pipe_name(s, command) : NULL;
		if (name != NULL) {  /* a file at the input is the start of a pipe */
			struct flow f = { .taint = s->val[c]->taint, .name = { "<", name }, .n = 2 };
			pipe_facts(s, c, &f);
		}
	}
	for (uint32_t c = body != 0 ? node(s, body)->next : 0; c != 0; c = node(s, c)->next) {
		uint32_t to = bawn_node_child(s->t, c, BAWN_R_DESTINATION);
		if (out != NULL && to != 0 && bawn_span_starts(text_of(s, to), ">("))
			give_inside(s, to, 0, out);
		if (node(s, c)->kind == BAWN_K_REDIRECT) {
			write_redirect(s, c, out);
			endless_write(s, c, body);
		} else if (node(s, c)->kind == BAWN_K_HEREDOC)
			out = after_heredoc(s, c, out);
	}
	return out;
}
