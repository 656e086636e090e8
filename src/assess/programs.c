/* programs.c - see commands.h. */
#include "assess/commands.h"
#include "assess/decode.h"
#include "assess/modules.h"
#include "assess/text.h"
#include "base/buf.h"
#include "base/cleanup.h"

void bawn_sh_run(struct engine *e, struct bawn_span t, uint32_t node)
{
	if (t.n > 0)
		bawn_engine_text(e, BAWN_LANG_BASH, t, node);
}

static void unread(struct engine *e, uint32_t node) { (void)bawn_engine_event(e, "unread-program", node, NULL); }

/* Words that are one program together; those that are too long for that are not read. */
static struct value *joined(struct engine *e, struct value *const *word, uint32_t n, uint32_t node)
{
	struct value *all = bawn_sh_join(e, word, n);
	for (uint32_t i = 0; i < n; i++)
		bawn_engine_reach(e, word[i], node);
	if (all == NULL && e->error == 0)
		unread(e, node);
	return all;
}

static const char *file_key(struct engine *e, const struct value *v)
{
	return bawn_value_is_text(v) && !v->partial ? bawn_path_normal(bawn_sh_arena(e), v->text) : NULL;
}

static int language_of(struct bawn_span text, int otherwise)
{
	int guessed = bawn_span_starts(text, "#!") ? bawn_language_guess(NULL, text) : -1;
	return guessed >= 0 ? guessed : otherwise;
}

/* Did the file come out of an archive that was downloaded?  One whose checksum was compared is somebody's
 * whom the program knows, and building from sources begins with what is in them. */
static bool was_unpacked(const struct shell *s, const char *key)
{
	const struct value *dir = bawn_sh_get(s, "unpacked ", bawn_span(""));
	if (!bawn_value_is_text(dir) || s->verified)
		return false;
	const char *slash = strrchr(key, '/'), *base = slash != NULL ? slash + 1 : key;
	if (strcmp(base, "configure") == 0 || strcmp(base, "setup.py") == 0 || strcmp(base, "bootstrap") == 0 || strcmp(base, "autogen.sh") == 0)
		return false;
	return dir->text.n == 0 ? key[0] != '/' && key[0] != '~' : bawn_path_under(dir->text.p, key, false);
}

/* A file is run: what the program put into it, or something nobody knows. */
static void run_file(struct shell *s, struct engine *e, const struct value *v, int language, bool foreign, uint32_t node)
{
	static const char *const own_place[] = { "/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/opt/homebrew/bin" };
	const char *key = file_key(e, v);
	if (s != NULL)
		s->hungry = true;
	struct value *text = s != NULL && key != NULL ? bawn_sh_get(s, "file ", bawn_span(key)) : NULL;
	for (size_t i = 0; text == NULL && key != NULL && i < BAWN_LEN(own_place); i++)
		if (bawn_path_under(own_place[i], key, false))
			return;
	if (text != NULL && (text->taint & BAWN_TAG(NET_RECV)) != 0)
		(void)bawn_engine_event(e, "runs-download", node, key);
	else if (text != NULL && (text->taint & BAWN_TAG(DECODE)) != 0)
		(void)bawn_engine_event(e, "decoded-exec", node, key);
	else if (text != NULL)
		(void)bawn_engine_event(e, "runs-written", node, key);
	else if (key != NULL && (bawn_path_under("/proc/*/fd", key, false) || bawn_path_under("/dev/fd", key, false)))
		(void)bawn_engine_event(e, "runs-memory", node, key);
	else if (s != NULL && key != NULL && was_unpacked(s, key))
		(void)bawn_engine_event(e, bawn_sh_get(s, "unpacked ", bawn_span(""))->has_number ? "runs-download" : "runs-unpacked", node, key);
	else
		(void)bawn_engine_event(e, "runs-file", node, key);
	bawn_engine_reach(e, text, node);
	bawn_engine_reach(e, v, node);
	if (text != NULL && !bawn_value_is_text(text))
		bawn_modules_feed(e, foreign ? -1 : language, node);
	if (!bawn_value_is_text(text))
		return;
	if (!bawn_text_printable(text->text))
		unread(e, node);
	else if (foreign)
		bawn_foreign_program(e, text->text, false, node);
	else
		bawn_engine_text(e, language_of(text->text, language), text->text, node);
}

/* An input file is run, or one of them. */
static void run_input(struct engine *e, const struct value *v, int language, uint32_t node)
{
	if (bawn_value_is_text(v) && v->text.n > 0)
		bawn_modules_run(e, v->text, language, node);
	if (!bawn_value_is_text(v) || v->partial)
		bawn_modules_run_any(e, node);
}

static void run_code(struct engine *e, const struct value *v, int language, uint32_t node)
{
	bawn_engine_reach(e, v, node);
	if (bawn_value_is_text(v))
		bawn_engine_text(e, language, v->text, node);
	if (!bawn_value_is_text(v) || v->partial) {
		bawn_modules_feed(e, language, node);
		(void)bawn_engine_event(e, "unknown-program", node, NULL);
	}
}

/* Does the option carry a program as the next word?  Short ones may be bundled: bash -lc. */
static bool gives_program(const struct command *c, struct bawn_span w)
{
	bool javascript = c->language == BAWN_LANG_JAVASCRIPT;
	if (javascript && (bawn_span_is(w, "--eval") || bawn_span_is(w, "-p") || bawn_span_is(w, "--print") || bawn_span_is(w, "-pe") || bawn_span_is(w, "eval")))
		return true;
	char letter = javascript ? 'e' : 'c';
	return w.n >= 2 && w.n <= 8 && w.p[0] == '-' && w.p[1] != '-' && memchr(w.p + 1, letter, w.n - 1) != NULL;
}

/* What another command printed is run. */
static void run_output(struct engine *e, const struct value *v, int language, uint32_t node)
{
	if ((v->taint & BAWN_TAG(DECODE)) != 0)
		(void)bawn_engine_event(e, "decoded-exec", node, NULL);
	if ((v->taint & BAWN_TAG(NET_RECV)) != 0)
		(void)bawn_engine_event(e, "runs-download", node, NULL);
	bawn_engine_reach(e, v, node);
	if (!bawn_value_is_text(v))
		bawn_modules_feed(e, language, node);
	else if (bawn_text_printable(v->text))
		bawn_engine_text(e, language, v->text, node);
	else
		unread(e, node);
}

/* sh -c 'code' name a b: the code with its arguments set, where they are plain texts. */
static const struct value *with_arguments(struct engine *e, struct value *const *word, uint32_t n, uint32_t node)
{
	bawn_auto_buf b = BAWN_BUF(SHELL_TEXT_MAX);
	if (!bawn_value_is_text(word[0]) || memchr(word[0]->text.p, '$', word[0]->text.n) == NULL)
		return word[0];
	bawn_buf_add(&b, "set --", 6);
	for (uint32_t i = 2; i < n && !bawn_sh_is(word[i], ";") && !bawn_sh_is(word[i], "+"); i++) {
		struct bawn_span t = bawn_value_is_text(word[i]) ? word[i]->text : (struct bawn_span){ NULL, 0 };
		if (t.p == NULL || memchr(t.p, '\'', t.n) != NULL || bawn_span_is(t, "{}"))
			return word[0];
		bawn_buf_fmt(&b, " '%.*s'", (int)t.n, t.p);
	}
	bawn_buf_char(&b, '\n');
	bawn_buf_add(&b, word[0]->text.p, word[0]->text.n);
	if (!bawn_engine_whole(e, &b)) {
		unread(e, node);
		return word[0];
	}
	struct value *v = bawn_sh_text(e, (struct bawn_span){ bawn_arena_text(bawn_sh_arena(e), bawn_buf_span(&b)), b.n }, word[0]->taint);
	if (v == NULL || v->text.p == NULL)
		return word[0];
	v->partial = word[0]->partial;
	return v;
}

/* A shell, or an interpreter with a grammar. */
static void interpreter(struct shell *s, struct engine *e, const char *name, const struct command *c, struct value *const *word, uint32_t n, uint32_t node)
{
	for (uint32_t i = 1; i < n; i++) {
		const struct value *v = word[i];
		if (bawn_value_is_text(v) && gives_program(c, v->text)) {
			uint32_t at = i + 1;
			while (at + 1 < n && bawn_sh_option(word[at]))  /* bash -c -i 'x' */
				at++;
			if (at < n)
				run_code(e, at + 2 < n && (c->kind & SHELL) != 0 ? with_arguments(e, word + at, n - at, node) : word[at], c->language, node);
			return;
		}
		if (bawn_sh_is(v, "-m"))
			return;
		if (bawn_sh_option(v)) {
			if (bawn_sh_in(v, "--init-file --rcfile") && i + 1 < n && word[i + 1] != NULL) {
				if (word[i + 1]->self != NULL)
					run_output(e, word[i + 1]->self, c->language, node);
				else
					run_file(s, e, word[i + 1], c->language, false, node);
			}
			if (bawn_sh_in(v, "-s --init-file --rcfile"))
				break;
			i += bawn_sh_takes_value(c, v->text);
			continue;
		}
		if (bawn_sh_in(v, "- /dev/stdin /dev/fd/0 /proc/self/fd/0"))
			return;
		if (v != NULL && v->self != NULL)  /* <(command) */
			run_output(e, v->self, c->language, node);
		else if (v != NULL && (v->taint & BAWN_TAG(NET_RECV)) == 0) {
			run_input(e, v, c->language, node);
			run_file(s, e, v, c->language, false, node);
		}
		return;
	}
	if (s != NULL)
		s->hungry = s->hungry || bawn_sh_is_shell(name);
	if (bawn_sh_is_shell(name) && (s == NULL || !s->fed))
		(void)bawn_engine_event(e, "bare-shell", node, NULL);
}

/* -EncodedCommand: base64 of UTF-16. */
static void encoded_command(struct engine *e, struct bawn_span t, uint32_t node)
{
	size_t n = 0, m = 0;
	char *p = bawn_decode_base64(bawn_sh_arena(e), t, &n);
	for (size_t i = 0; p != NULL && i + 1 < n; i += 2)
		if (p[i + 1] == '\0')
			p[m++] = p[i];
	if (m > 2) {
		(void)bawn_engine_event(e, "decoded-exec", node, NULL);
		bawn_foreign_program(e, (struct bawn_span){ p, m }, false, node);
	}
}

/* Is the word code rather than the name of something? */
static bool is_code(struct bawn_span w)
{
	return w.n >= 200 || memchr(w.p, ' ', w.n) != NULL || memchr(w.p, '(', w.n) != NULL || memchr(w.p, '\'', w.n) != NULL || memchr(w.p, '"', w.n) != NULL ||
	       memchr(w.p, ';', w.n) != NULL || memchr(w.p, '`', w.n) != NULL;
}

/* The programs among the words of an interpreter, with the modules that it is told to load. */
static void foreign(struct shell *s, struct engine *e, const char *name, struct value *const *word, uint32_t n, uint32_t node)
{
	bool powershell = strcmp(name, "pwsh") == 0 || strcmp(name, "powershell") == 0, php = strcmp(name, "php") == 0;
	struct value *program = NULL;
	for (uint32_t i = 1; i < n; i++) {
		if (i > 1 && bawn_sh_is(word[i - 1], "-f") && word[i] != NULL && bawn_value_is_text(word[i]->self))
			bawn_foreign_program(e, word[i]->self->text, false, node);  /* awk -f <(command) */
		bawn_engine_reach(e, word[i], node);
		if (!bawn_value_is_text(word[i]))
			continue;
		struct bawn_span w = word[i]->text;
		bool module = w.n > 3 && w.p[0] == '-' && (w.p[1] == 'M' || w.p[1] == 'm' || w.p[1] == 'r' || w.p[1] == 'l') && !php;
		struct value part = { .text = module ? (struct bawn_span){ w.p + 2, w.n - 2 } : w };
		const char *key = file_key(e, word[i]);
		if (powershell && i + 1 < n && w.n >= 2 && w.p[0] == '-' && (w.p[1] | 0x20) == 'e' && bawn_value_is_text(word[i + 1]))
			encoded_command(e, word[i + 1]->text, node);
		bool given = i > 1 && bawn_sh_in(word[i - 1], php ? "-r" : "-e -E");  /* however short */
		if (module || given || is_code(w)) {
			program = program == NULL ? bawn_sh_text(e, part.text, 0) : bawn_sh_concat(e, program, &part, "\n");
			if (program == NULL)
				unread(e, node);
		} else if (s != NULL && key != NULL && bawn_sh_get(s, "file ", bawn_span(key)) != NULL)
			run_file(s, e, word[i], -1, true, node);
	}
	if (program != NULL)
		bawn_foreign_program(e, program->text, false, node);
	const struct command *c = bawn_command_find(name);
	for (uint32_t i = 1; program == NULL && (c->kind & FIRST) == 0 && c->valued[0] != 'o' && i < n; i++)
		if (!bawn_sh_option(word[i])) {  /* a script, or a class */
			run_input(e, word[i], -1, node);
			run_file(s, e, word[i], -1, true, node);
			break;
		}
}

/* What an editor or a client is told to do. */
static void edits(struct engine *e, struct value *const *word, uint32_t n, uint32_t node)
{
	for (uint32_t i = 1; i < n; i++)
		if (bawn_value_is_text(word[i]) && word[i]->text.n > 1 && word[i]->text.p[0] != '-')
			bawn_foreign_program(e, word[i]->text, true, node);
}

/* The path of a shell among the words of a program that is not known to only look at it. */
static bool hands_shell(struct value *const *word, uint32_t n)
{
	static const char *const path[] = { "/bin/sh", "/bin/bash", "/bin/dash", "/bin/zsh", "/bin/ksh", "/bin/ash", "/bin/csh" };
	for (uint32_t i = 1; i < n; i++)
		for (size_t k = 0; bawn_value_is_text(word[i]) && k < BAWN_LEN(path); k++) {
			const char *at = memmem(word[i]->text.p, word[i]->text.n, path[k], strlen(path[k]));
			size_t end = at != NULL ? (size_t)(at - word[i]->text.p) + strlen(path[k]) : 0;
			if (at != NULL && (end == word[i]->text.n || strchr(" '\")};,|&<>\n\t", word[i]->text.p[end]) != NULL))
				return true;
		}
	return false;
}

static bool is_address(struct bawn_span w)
{
	unsigned dots = 0;
	size_t i = 0;
	for (; i < w.n && ((w.p[i] >= '0' && w.p[i] <= '9') || w.p[i] == '.'); i++)
		dots += w.p[i] == '.';
	return dots == 3 && i >= 7 && (i == w.n || w.p[i] == ':') && !bawn_span_starts(w, "127.") && !bawn_span_starts(w, "0.0.0.0");
}

/* A program nobody knows is given a shell and an address: the shape of every remote shell tool. */
static bool shell_to_host(struct engine *e, struct value *const *word, uint32_t n)
{
	bool shell_ = false, host = false;
	for (uint32_t i = 1; i < n; i++) {
		shell_ = shell_ || (bawn_value_is_text(word[i]) && bawn_sh_is_shell(bawn_sh_name(e, word[i])));
		host = host || (bawn_value_is_text(word[i]) && is_address(word[i]->text));
	}
	return shell_ && host;
}

#define TEXT_TOLD 8192u

/* Texts among the words, for the rules that know hosts and other constants. */
static void texts(struct engine *e, struct value *const *word, uint32_t n, bool net, uint32_t node)
{
	for (uint32_t i = 1; i < n; i++) {
		struct bawn_span w = bawn_value_is_text(word[i]) ? word[i]->text : (struct bawn_span){ NULL, 0 };
		if (w.n < 6 || !(net || memmem(w.p, w.n, "://", 3) != NULL))
			continue;
		w.n = w.n < TEXT_TOLD ? w.n : TEXT_TOLD;  /* the host comes first */
		struct fact f = { .kind = BAWN_MATCH_STRING, .name = bawn_arena_text(bawn_sh_arena(e), w), .node = node };
		(void)bawn_engine_fact(e, &f);
	}
}

/* ssh to this very machine runs here. */
static void local_ssh(struct engine *e, struct value *const *word, uint32_t n, uint32_t node)
{
	for (uint32_t i = 1; i + 1 < n; i++)
		if (bawn_sh_in(word[i], "localhost 127.0.0.1 ::1 root@localhost")) {
			struct value *all = joined(e, word + i + 1, n - i - 1, node);
			if (all != NULL)
				bawn_sh_run(e, all->text, node);
			return;
		}
}

/* sed '1e command' */
static void sed_programs(struct engine *e, struct value *const *word, uint32_t n, uint32_t node)
{
	for (uint32_t i = 1; i < n; i++) {
		struct bawn_span w = bawn_value_is_text(word[i]) ? word[i]->text : (struct bawn_span){ NULL, 0 };
		size_t k = 0;
		while (k < w.n && ((w.p[k] >= '0' && w.p[k] <= '9') || w.p[k] == '$'))
			k++;
		if (k + 2 < w.n && w.p[k] == 'e' && w.p[k + 1] == ' ')
			bawn_sh_run(e, (struct bawn_span){ w.p + k + 2, w.n - k - 2 }, node);
		bool file = k + 2 < w.n && strchr("rRwW", w.p[k]) != NULL && w.p[k + 1] == ' ';  /* sed 'r /x' puts it in between */
		if (file)
			(void)bawn_engine_path(e, (struct bawn_span){ w.p + k + 2, w.n - k - 2 }, (w.p[k] | 0x20) == 'r' ? BAWN_ACCESS_READ : BAWN_ACCESS_WRITE, true, node);
	}
}

static void builtin_programs(struct engine *e, const char *name, struct value *const *word, uint32_t n, uint32_t node)
{
	if (strcmp(name, "eval") == 0) {
		struct value *all = joined(e, word + 1, n - 1, node);
		if (all != NULL && (!all->partial || n > 2 || all->text.n > 4))
			bawn_sh_run(e, all->text, node);
		if (all == NULL || all->partial)
			bawn_modules_feed(e, BAWN_LANG_BASH, node);
	} else if (strcmp(name, "trap") == 0 && n > 1) {
		uint32_t at = bawn_sh_is(word[1], "--") && n > 2 ? 2 : 1;
		bawn_engine_reach(e, word[at], node);
		if (bawn_value_is_text(word[at]))
			bawn_sh_run(e, word[at]->text, node);
	} else if (strcmp(name, "ssh") == 0) {
		local_ssh(e, word, n, node);
	} else if (strcmp(name, "sed") == 0) {
		sed_programs(e, word, n, node);
	}
}

#define LINES_MAX 1024u  /* of a makefile or a table of cron */

/* The recipes of a makefile are shell, one line each. */
static void recipes(struct engine *e, struct bawn_span t, uint32_t node)
{
	size_t start = 0;
	for (size_t lines = 0; start < t.n && lines < LINES_MAX; lines++) {
		const char *end = memchr(t.p + start, '\n', t.n - start);
		size_t stop = end != NULL ? (size_t)(end - t.p) : t.n, at = start + 1;
		while (at < stop && strchr("\t @-+", t.p[at]) != NULL)
			at++;
		if (t.p[start] == '\t' && at < stop)
			bawn_sh_run(e, (struct bawn_span){ t.p + at, stop - at }, node);
		start = stop + 1;
	}
	if (start < t.n)
		unread(e, node);
}

/* Tools that do what a file says, where the program itself wrote the file. */
static void directed(struct shell *s, struct engine *e, const char *name, struct value *const *word, uint32_t n, uint32_t node)
{
	static const struct { const char *name, *file; } tool[] = {
		{ "make", "Makefile" }, { "make", "makefile" }, { "gmake", "Makefile" }, { "gradle", "build.gradle" }, { "rake", "Rakefile" }, { "ant", "build.xml" },
		{ "mvn", "pom.xml" }, { "cmake", "CMakeLists.txt" }, { "just", "justfile" }, { "cargo", "build.rs" }, { "inetd", "/etc/inetd.conf" },
		{ "xinetd", "/etc/xinetd.conf" }, { "tmux", "~/.tmux.conf" }, { "cobc", "" }, { "ansible-playbook", "" }, { "supervisord", "supervisord.conf" },
	};
	for (size_t i = 0; s != NULL && i < BAWN_LEN(tool); i++)
		for (uint32_t k = 0; strcmp(name, tool[i].name) == 0 && k < n; k++) {
			const char *key = k == 0 ? tool[i].file : file_key(e, word[k]);
			const struct value *v = key != NULL ? bawn_sh_get(s, "file ", bawn_span(key)) : NULL;
			struct value *text[2] = { NULL, (struct value *)(uintptr_t)v };
			if (!bawn_value_is_text(v))
				continue;
			if (strcmp(tool[i].file, "Makefile") == 0 || strcmp(tool[i].file, "makefile") == 0)
				recipes(e, v->text, node);
			else
				bawn_foreign_program(e, v->text, false, node);
			if (hands_shell(text, 2))  /* a service that is a shell, or a step that is one */
				(void)bawn_engine_event(e, strstr(name, "inetd") != NULL ? "shell-to-host" : "hands-shell", node, NULL);
		}
}

void bawn_sh_programs(struct shell *s, struct engine *e, const char *name, struct value *const *word, uint32_t n, uint32_t node)
{
	const struct command *c = bawn_command_find(name);
	unsigned kind = c != NULL ? c->kind : 0;
	if ((kind & (SHELL | SCRIPT)) != 0)
		interpreter(s, e, name, c, word, n, node);
	if ((kind & FOREIGN) != 0)
		foreign(s, e, name, word, n, node);
	if ((kind & EDITS) != 0)
		edits(e, word, n, node);
	if ((kind & JOINED) != 0 && n > 1) {
		struct value *all = joined(e, word + 1, n - 1, node);
		if (all != NULL && memchr(all->text.p, '|', all->text.n) != NULL)
			bawn_sh_run(e, all->text, node);
	}
	if ((kind & (DATA | SHELL | SCRIPT | WRAPS)) == 0 && hands_shell(word, n))
		(void)bawn_engine_event(e, "hands-shell", node, NULL);
	if (c == NULL && bawn_sh_inner(name, word, n) == 0 && shell_to_host(e, word, n))
		(void)bawn_engine_event(e, "shell-to-host", node, NULL);
	builtin_programs(e, name, word, n, node);
	directed(s, e, name, word, n, node);
	bool known = c != NULL || (bawn_value_is_text(word[0]) && memchr(word[0]->text.p, '/', word[0]->text.n) == NULL);
	if (!known) {
		bawn_modules_run(e, bawn_value_is_text(word[0]) ? word[0]->text : bawn_span(""), BAWN_MODULE_ITSELF, node);
		run_file(s, e, word[0], BAWN_LANG_BASH, false, node);
	}
	if (c == NULL || c->access != BAWN_ACCESS_COUNT)
		texts(e, word, n, (kind & NET) != 0, node);
}

/* ---- files that commands leave behind ---- */

struct outcome { struct bawn_span out, url, before, last; };  /* the last two operands */

static struct outcome outcome_of(struct value *const *word, uint32_t n, bool wget, bool copy)
{
	struct outcome o = { 0 };
	for (uint32_t i = 1; i < n; i++) {
		struct bawn_span w = bawn_value_is_text(word[i]) ? word[i]->text : (struct bawn_span){ NULL, 0 };
		struct bawn_span next = i + 1 < n && bawn_value_is_text(word[i + 1]) ? word[i + 1]->text : (struct bawn_span){ NULL, 0 };
		if (w.n == 0)
			continue;
		bool to = w.n >= 2 && w.p[0] == '-' && w.p[1] != '-' && (wget ? w.p[w.n - 1] == 'O' : w.p[w.n - 1] == 'o');
		if (to || bawn_span_is(w, "--output") || bawn_span_is(w, "--output-document"))
			o.out = next;
		else if (memmem(w.p, w.n, "://", 3) != NULL)
			o.url = w;
		else if (w.n > 3 && bawn_span_starts(w, "-o") && !copy)
			o.out = (struct bawn_span){ w.p + 2, w.n - 2 };
		else if (!bawn_sh_option(word[i]))
			o.before = o.last, o.last = w;
	}
	return o;
}

/* A copy is what the file was; a program keeps being that program. */
static void keep_copy(struct shell *s, struct engine *e, const struct outcome *o, uint32_t node)
{
	if (o->before.n == 0 || o->last.n == 0)
		return;
	const char *from = bawn_path_normal(bawn_sh_arena(e), o->before), *to = bawn_path_normal(bawn_sh_arena(e), o->last);
	struct value *v = from != NULL ? bawn_sh_get(s, "file ", bawn_span(from)) : NULL;
	bawn_modules_copy(e, o->before, o->last, node);
	if (v != NULL) {
		bawn_sh_wrote(s, o->last, v, false, 0, 0);
		return;
	}
	const char *slash = from != NULL ? strrchr(from, '/') : NULL;
	if (slash == NULL || to == NULL || strstr(from, "bin/") == NULL)
		return;
	const char *inside = bawn_arena_fmt(bawn_sh_arena(e), "%s%s", to, slash);
	struct value *program = bawn_value_text(e, o->before);
	bawn_sh_set(s, "program ", bawn_span(to), program);
	if (inside != NULL)
		bawn_sh_set(s, "program ", bawn_span(inside), program);
}

/* An archive that was downloaded is unpacked, from a file or from its input: what comes out was downloaded
 * too.  `open`: whoever is on the way can change it, and nobody compared it. */
static void keep_unpacked(struct shell *s, struct engine *e, const char *name, struct value *const *word, uint32_t n, const struct value *in)
{
	bool tar = bawn_sh_in(word[0], "tar bsdtar gtar"), fetched = in != NULL && (in->taint & BAWN_TAG(NET_RECV)) != 0, open = fetched;
	struct bawn_span dir = bawn_span("");
	for (uint32_t i = 1; i < n; i++) {
		const char *key = file_key(e, word[i]);
		const struct value *v = key != NULL ? bawn_sh_get(s, "file ", bawn_span(key)) : NULL;
		fetched = fetched || (v != NULL && (v->taint & BAWN_TAG(NET_RECV)) != 0);
		open = open || (fetched && v != NULL && v->has_number);
		if (i + 1 < n && bawn_value_is_text(word[i + 1]) && bawn_sh_in(word[i], tar ? "-C --directory" : "-d"))
			dir = word[i + 1]->text;
	}
	const char *normal = dir.n > 0 ? bawn_path_normal(bawn_sh_arena(e), dir) : "";
	bool unpacks = tar || strcmp(name, "unzip") == 0 || strcmp(name, "7z") == 0 || strcmp(name, "dpkg-deb") == 0;
	struct value *to = fetched && unpacks && normal != NULL ? bawn_value_text(e, bawn_span(normal[0] == '/' || normal[0] == '~' ? normal : "")) : NULL;
	if (to == NULL)
		return;
	to->has_number = open;
	bawn_sh_set(s, "unpacked ", bawn_span(""), to);
}

/* What a command line gives: downloads into files, copies of files the program wrote. */
void bawn_sh_keep_files(struct shell *s, struct engine *e, const char *name, struct value *const *word, uint32_t n, uint64_t tags, uint32_t node)
{
	bool curl = strcmp(name, "curl") == 0, wget = strcmp(name, "wget") == 0, copy = bawn_sh_in(word[0], "cp mv ln install");
	bool other = !curl && !wget && (tags & BAWN_TAG(DOWNLOAD)) != 0;
	if (s == NULL)
		return;
	bool compares = bawn_sh_any(word, n, "-c") || bawn_sh_any(word, n, "--check") || bawn_sh_any(word, n, "--verify");
	s->verified = s->verified || (compares && bawn_sh_in(word[0], "sha1sum sha256sum sha512sum shasum md5sum b2sum gpg gpgv"));
	if (!curl && !wget && !copy && !other) {
		keep_unpacked(s, e, name, word, n, NULL);
		return;
	}
	struct outcome o = outcome_of(word, n, wget, copy);
	if (copy) {
		keep_copy(s, e, &o, node);
		return;
	}
	if (o.out.n == 0 && o.last.n > 0 && other)
		o.out = o.last;
	if (o.url.n == 0 && o.last.n > 0 && memchr(o.last.p, '.', o.last.n) != NULL)
		o.url = o.last;
	if (o.out.n == 0 && o.url.n > 0) {
		const char *slash = memrchr(o.url.p, '/', o.url.n);
		o.out = slash != NULL ? (struct bawn_span){ slash + 1, o.url.n - (size_t)(slash + 1 - o.url.p) } : o.url;
	}
	struct value *v = o.out.n > 0 && !bawn_span_is(o.out, "-") ? bawn_value_new(e) : NULL;
	if (v != NULL) {
		v->taint = BAWN_TAG(NET_RECV) | BAWN_TAG(DOWNLOAD);
		v->has_number = bawn_span_starts(o.url, "http://");  /* whoever is on the way can change it */
		bawn_sh_wrote(s, o.out, v, false, 0, 0);
	}
}

/* ---- standard input ---- */

static bool reads_program(const char *name, struct value *const *word, uint32_t n)
{
	const struct command *c = bawn_command_find(name);
	for (uint32_t i = 1; i < n; i++) {
		if (bawn_sh_in(word[i], "-s - /dev/stdin /dev/fd/0 /proc/self/fd/0"))
			return true;
		if (bawn_value_is_text(word[i]) && gives_program(c, word[i]->text))
			return false;
		if (!bawn_sh_option(word[i]))
			return false;
		i += bawn_sh_takes_value(c, word[i]->text);
	}
	return bawn_sh_is_shell(name) || (c->kind & SCRIPT) != 0;
}

/* Lines for cron, at or systemd: what runs stands after the times, or after a key. */
static void scheduled(struct engine *e, struct bawn_span t, uint32_t node)
{
	size_t start = 0;
	for (size_t lines = 0; start < t.n && lines < LINES_MAX; lines++) {
		size_t end = start;
		while (end < t.n && t.p[end] != '\n')
			end++;
		size_t at = start;
		if (t.p[at] == '@')
			while (at < end && t.p[at] != ' ' && t.p[at] != '\t')
				at++;
		for (unsigned k = 0; k < 5 && at < end && (t.p[at] == '*' || (t.p[at] >= '0' && t.p[at] <= '9')); k++) {
			while (at < end && t.p[at] != ' ' && t.p[at] != '\t')
				at++;
			while (at < end && (t.p[at] == ' ' || t.p[at] == '\t'))
				at++;
		}
		struct bawn_span rest = { t.p + at, end - at };
		if (bawn_span_starts(rest, "root "))
			rest.p += 5, rest.n -= 5;
		const char *exec = memmem(rest.p, rest.n, "Exec", 4);
		const char *equals = exec == rest.p && rest.n > 0 ? memchr(rest.p, '=', rest.n) : NULL;
		if (equals != NULL)
			rest = (struct bawn_span){ equals + 1, rest.n - (size_t)(equals + 1 - rest.p) };
		if (rest.n > 0 && rest.p[0] != '[' && rest.p[0] != '#' && bawn_text_printable(rest))
			bawn_sh_run(e, rest, node);
		start = end + 1;
	}
	if (start < t.n)
		unread(e, node);
}

/* A client is told to send a file: put notes.txt */
static void client_line(const struct shell *s, struct engine *e, struct bawn_span line, uint32_t node)
{
	static const char *const verb[] = { "put ", "mput ", "send " };
	for (size_t i = 0; i < BAWN_LEN(verb); i++) {
		size_t from = strlen(verb[i]), stop = from;
		if (!bawn_span_starts(line, verb[i]))
			continue;
		while (stop < line.n && line.p[stop] != ' ')
			stop++;
		(void)bawn_engine_event(e, "client-sends", node, NULL);
		(void)bawn_sh_file(s, e, (struct bawn_span){ line.p + from, stop - from }, BAWN_ACCESS_READ, node);
	}
}

/* Editors and clients read commands line by line. */
static void feed_lines(const struct shell *s, const struct command *c, struct bawn_span t, uint32_t node)
{
	for (size_t start = 0; start < t.n; ) {
		size_t end = start;
		while (end < t.n && t.p[end] != '\n')
			end++;
		struct bawn_span line = { t.p + start, end - start };
		bawn_foreign_program(s->e, line, true, node);
		if ((c->kind & NET) != 0)
			client_line(s, s->e, line, node);
		start = end + 1;
	}
}

/* What xargs -I puts in place: the word after -I, or the rest of it; parallel's own. */
static const char *xargs_mark(struct engine *e, struct value *const *word, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		struct bawn_span w = bawn_value_is_text(word[i]) ? word[i]->text : (struct bawn_span){ NULL, 0 };
		if (bawn_span_is(w, "-I") && i + 1 < n && bawn_value_is_text(word[i + 1]) && word[i + 1]->text.n > 0)
			return bawn_arena_text(bawn_sh_arena(e), word[i + 1]->text);
		if (w.n > 2 && bawn_span_starts(w, "-I"))
			return bawn_arena_text(bawn_sh_arena(e), (struct bawn_span){ w.p + 2, w.n - 2 });
	}
	return bawn_sh_any(word, n, "-i") || bawn_sh_any(word, n, "{}") ? "{}" : NULL;
}

/* What xargs reads are words of what it runs: all of them at once, or with a mark one line at a time. */
static void feed_xargs(struct shell *s, const char *name, struct value *const *word, uint32_t n, struct value *in, uint32_t node)
{
	struct value *inner[SHELL_WORDS_MAX];
	uint32_t k = 0, from = bawn_sh_inner(name, word, n);
	const char *mark = xargs_mark(s->e, word, n);
	bool text = bawn_value_is_text(in);
	if (from == 0)
		return;
	if (mark == NULL) {
		for (uint32_t w = from; w < n && k < SHELL_WORDS_MAX / 2; w++)
			inner[k++] = word[w];
		bawn_sh_push(s, in, text, false, inner, &k);
		inner[k - 1] = k == SHELL_WORDS_MAX ? bawn_value_cut(s->e, inner[k - 1]) : inner[k - 1];
		(void)bawn_sh_command(s, s->e, inner, k, node);
		return;
	}
	struct value line = *in;
	size_t rest = text ? in->text.n : 0;
	for (unsigned lines = 0; lines < SHELL_WORDS_MAX && (lines == 0 || rest > 0); lines++) {
		const char *end = rest > 0 ? memchr(line.text.p, '\n', rest) : NULL;
		line.text.n = end != NULL ? (size_t)(end - line.text.p) : rest;
		k = 0;
		for (uint32_t w = from; w < n && k < SHELL_WORDS_MAX; w++)
			inner[k++] = !text && bawn_sh_is(word[w], mark) ? in : bawn_sh_marked(s->e, word[w], mark, &line);
		(void)bawn_sh_command(s, s->e, inner, k, node);
		size_t used = line.text.n + (end != NULL);
		if (used > 0)  /* where there is no text, there is nothing to step over */
			line.text.p += used, rest -= used;
	}
	s->cut_short = s->cut_short || rest > 0;
}

/* sed 's/a/b/e': each line is run after it was changed. */
static bool sed_runs(struct value *const *word, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		struct bawn_span t = bawn_value_is_text(word[i]) ? word[i]->text : bawn_span("");
		const char *last = t.n > 4 && t.p[0] == 's' ? memrchr(t.p, t.p[1], t.n) : NULL;
		if (last != NULL && last > t.p + 2 && memchr(last, 'e', t.n - (size_t)(last - t.p)) != NULL)
			return true;
	}
	return false;
}

bool bawn_sh_feed(struct shell *s, struct value *const *word, uint32_t n, struct value *in, uint32_t node)
{
	struct engine *e = s->e;
	uint32_t at = bawn_sh_unwrap(e, word, n);
	const char *name = at < n ? bawn_sh_name(e, word[at]) : NULL;
	if (name == NULL || in == NULL)
		return false;
	const struct command *c = bawn_command_find(name);
	unsigned kind = c != NULL ? c->kind : 0;
	bool schedules = strcmp(name, "crontab") == 0 || strcmp(name, "at") == 0 || strcmp(name, "batch") == 0;
	if ((kind & (EDITS | FOREIGN)) != 0 || schedules)
		bawn_engine_reach(e, in, node);
	bool text = bawn_value_is_text(in) && bawn_text_printable(in->text);
	word += at, n -= at;
	if ((kind & (SHELL | SCRIPT)) != 0 && reads_program(name, word, n)) {
		run_output(e, in, c->language, node);
		return true;
	}
	if ((kind & EDITS) != 0 && text)
		feed_lines(s, c, in->text, node);
	if ((kind & FOREIGN) != 0 && text) {
		bawn_foreign_program(e, in->text, false, node);
		return true;
	}
	if (text && schedules)
		scheduled(e, in->text, node);
	if (strcmp(name, "sed") == 0 && sed_runs(word, n))
		run_output(e, in, BAWN_LANG_BASH, node);
	keep_unpacked(s, e, name, word, n, in);  /* nothing could be compared on the way */
	if (strcmp(name, "xargs") == 0 || strcmp(name, "parallel") == 0)
		feed_xargs(s, name, word, n, in, node);
	return false;
}

/* `v` went into a file: it is remembered, and where programs are started from it is read as one. */
void bawn_sh_wrote(struct shell *s, struct bawn_span path, const struct value *v, bool append, uint64_t tags, uint32_t node)
{
	const char *key = bawn_path_normal(bawn_sh_arena(s->e), path);
	if (key == NULL || v == NULL || (strncmp(key, "/dev/", 5) == 0 && strncmp(key, "/dev/shm/", 9) != 0))
		return;
	struct value *before = append ? bawn_sh_get(s, "file ", bawn_span(key)) : NULL;
	struct value *now = before != NULL ? bawn_sh_concat(s->e, before, v, "\n") : (struct value *)(uintptr_t)v;
	bawn_sh_set(s, "file ", bawn_span(key), now != NULL ? now : bawn_value_cut(s->e, NULL));
	if ((tags & BAWN_TAG(PERSIST)) != 0 && bawn_value_is_text(v))
		scheduled(s->e, v->text, node);
}
