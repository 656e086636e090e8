/* mayrun.c - texts of a Python program that it may run by ways that are not followed.
 *
 * Where a program runs a text that is not known, or hands on a function that runs texts, any text that
 * it holds may be the one: through attributes set by name, operators of its own, containers under two
 * names, generators, context managers.  Not each such way is followed; instead every text is read as
 * what it would be, and one that would have to be confirmed by a person is told.  What is shown to
 * people is left out, a sentence about a command is not one; so is what goes where it is followed. */
#include "assess/mayrun.h"
#include "assess/commands.h"
#include "assess/reader.h"
#include "base/cleanup.h"

#define CLIMB_MAX    256u  /* of a sum: in more parts than that nobody shows a text */
#define TEXT_LEAST   6u
#define TEXT_MOST    4096u
#define TEXTS_BYTES  (256u << 10)  /* of one program */

/* Is it given to something that shows it, looks for it, or does with it what a rule knows? */
static bool is_shown(const struct script *s, uint32_t i)
{
	static const char *const shows[] = { "print", "input", "debug", "info", "warning", "warn", "error", "critical", "exception", "log", "add_argument", "ArgumentParser",
	                                     "add_parser", "exit", "echo", "secho", "fail", "help", "option", "compile", "match", "search", "sub", "findall", "startswith", "endswith",
	                                     "append_text", "showinfo", "showerror", "skipif", "skip" };
	uint32_t p = node(s, i)->parent;
	for (unsigned k = 0; k < CLIMB_MAX && p != 0 && (node(s, p)->kind == BAWN_K_ADJACENT || node(s, p)->kind == BAWN_K_BINARY || node(s, p)->kind == BAWN_K_PAREN || node(s, p)->kind == BAWN_K_KEYWORD); k++)
		p = node(s, p)->parent;
	uint8_t kind = node(s, p)->kind;
	if ((kind == BAWN_K_STATEMENT && node(s, i)->parent == p && !s->reads_notes) || kind == BAWN_K_THROW)
		return true;
	uint32_t call = node(s, p)->kind == BAWN_K_ARGUMENTS ? node(s, p)->parent : 0, f = call != 0 ? child(s, call, BAWN_R_FUNCTION) : 0;
	uint32_t last = f != 0 && node(s, f)->kind == BAWN_K_ATTRIBUTE ? child(s, f, BAWN_R_PROPERTY) : f;
	struct bawn_span name = last != 0 ? text_of(s, last) : bawn_span("");
	if (call != 0 && (s->told[call] || node(s, node(s, call)->parent)->kind == BAWN_K_THROW))
		return true;
	for (size_t k = 0; k < BAWN_LEN(shows); k++)
		if (bawn_span_is(name, shows[k]))
			return true;
	return false;
}

/* A text that stands for itself: not a part of one, and not one in a list of words. */
static const struct value *whole_text(const struct script *s, uint32_t i)
{
	uint8_t kind = node(s, i)->kind, parent = node(s, node(s, i)->parent)->kind;
	bool text = kind == BAWN_K_STRING || kind == BAWN_K_BINARY || kind == BAWN_K_ADJACENT || kind == BAWN_K_CALL;
	bool part = parent == BAWN_K_ADJACENT || parent == BAWN_K_INSERT || (parent == BAWN_K_BINARY && bawn_value_is_text(s->val[node(s, i)->parent]) && !s->val[node(s, i)->parent]->partial);
	if (!text || part)
		return NULL;
	const struct value *v = s->val[i];
	return bawn_value_is_text(v) && v->text.n >= TEXT_LEAST && v->text.n <= TEXT_MOST && !is_shown(s, i) ? v : NULL;
}

/* The word that begins at `at`: is it a command somebody knows something about? */
static bool is_command(const struct engine *e, struct bawn_span t, size_t at)
{
	while (at < t.n && strchr(" \t\n\"'\\{", t.p[at]) != NULL)
		at++;
	size_t end = at, start = at;
	for (; end < t.n && strchr(" \t\n;|&<>()\"'`=", t.p[end]) == NULL; end++)
		start = t.p[end] == '/' ? end + 1 : start;
	struct bawn_span name = { t.p + start, end - start };
	char word[64];
	if (name.n == 0 || name.n >= sizeof word)
		return false;
	if (end < t.n && t.p[end] == '=')
		return true;  /* a setting, before whatever command */
	memcpy(word, name.p, name.n);
	word[name.n] = '\0';
	return strchr(word, '$') != NULL || bawn_command_find(word) != NULL || bawn_engine_knows_command(e, name);
}

/* Parsing costs; most texts have nothing that looks like a command where one would stand. */
static bool may_be_command(const struct engine *e, struct bawn_span t)
{
	if (is_command(e, t, 0))
		return true;
	for (size_t i = 0; i + 1 < t.n; i++)  /* of several newlines the last, since those before a word are passed over */
		if (strchr(";|&(`\n", t.p[i]) != NULL && t.p[i + 1] != '\n' && is_command(e, t, i + 1))
			return true;
	return false;
}

void bawn_script_may_run(struct script *s)
{
	size_t left = TEXTS_BYTES;
	uint64_t unread = s->e->tags & (BAWN_TAG(UNREAD));
	if (!s->python || s->e->quiet || (unread == 0 && !s->hands_on))
		return;
	s->reads_notes = memmem(s->t->text.p, s->t->text.n, "__doc__", 7) != NULL;
	for (uint32_t i = 0; i < s->t->n && s->e->error == 0; i++) {
		const struct value *v = whole_text(s, i);
		s->e->spent += v != NULL ? 2 * v->text.n : 0;
		if (v == NULL || !may_be_command(s->e, v->text))
			continue;
		if (v->text.n > left) {
			(void)bawn_engine_event(s->e, "cut-short", i, NULL);
			return;
		}
		left -= v->text.n;
		if (bawn_engine_try(s->e, BAWN_LANG_BASH, v->text, i) >= BAWN_LEVEL_HIGH)
			(void)bawn_engine_event(s->e, "text-may-run", i, bawn_arena_text(scratch(s), v->text));
	}
}
