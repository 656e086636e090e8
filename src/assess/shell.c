/* shell.c - reads Bash: words are put together as the shell would, commands are seen through their
 * wrappers (sudo, env, xargs, find -exec), pipelines carry what their first command prints.
 *
 * The walk is the one of script.c: children first, no recursion.  bawn_shell_command takes a list of
 * words from any language; text that is a program (bash -c, python -c, a here-document for an
 * interpreter) goes back through the engine, which bounds the nesting. */
#include <stdlib.h>
#include "assess/engine.h"
#include "assess/index.h"
#include "assess/text.h"
#include "base/cleanup.h"

struct script;  /* the unescaping is shared with script.h's languages */
struct bawn_span bawn_unescape(struct arena *a, struct bawn_span text);

#define WORDS_MAX 1024u
#define TEXT_MAX  (256u << 10)

struct variable { const char *name; uint32_t hash; struct value *value; };

struct shell {
	struct engine          *e;
	const struct bawn_tree *t;
	struct value          **val;   /* of a word: the word; of a command: what it prints */
	struct value          **argv;  /* of a command: its words as a list */
	struct variable        *var; uint32_t n_vars, cap_vars;  /* by hash, open */
	const char             *function;   /* the one being read, NULL outside */
	uint32_t                function_end;
	bool                    known_functions;
};

static struct arena *scratch(struct engine *e) { return &e->scratch; }
static const struct bawn_node *node(const struct shell *s, uint32_t i) { return &s->t->node[i]; }

static struct value *text_value(struct engine *e, struct bawn_span t, uint64_t taint)
{
	struct value *v = bawn_value_text(e, t);
	if (v != NULL)
		v->taint = taint;
	return v;
}

static struct value *list_of(struct engine *e, struct value **item, uint32_t n)
{
	struct value *v = bawn_value_new(e);
	struct value **copy = v != NULL ? bawn_arena_array(scratch(e), struct value *, n + 1) : NULL;
	if (copy == NULL)
		return NULL;
	if (n > 0)
		memcpy(copy, item, n * sizeof *item);
	v->item = copy, v->n_items = n, v->is_list = true;
	return v;
}

static struct value *concat(struct engine *e, const struct value *a, const struct value *b, const char *between)
{
	struct bawn_span x = bawn_value_is_text(a) ? a->text : bawn_span(a == NULL ? "" : "{}");
	struct bawn_span y = bawn_value_is_text(b) ? b->text : bawn_span("{}");
	size_t m = strlen(between);
	if (x.n + y.n + m > TEXT_MAX)
		return NULL;
	const char *p = x.n == 0 && m == 0 ? y.p : m > 0 ? bawn_arena_join(scratch(e), x, (struct bawn_span){ between, m }) : x.p;
	if (p != NULL && x.n + m > 0)
		p = bawn_arena_join(scratch(e), (struct bawn_span){ p, x.n + m }, y);
	if (p == NULL)
		return NULL;
	struct value *v = text_value(e, (struct bawn_span){ p, x.n + m + y.n }, (a != NULL ? a->taint : 0) | (b != NULL ? b->taint : 0));
	if (v != NULL)
		v->partial = (a != NULL && (!bawn_value_is_text(a) || a->partial)) || !bawn_value_is_text(b) || b->partial;
	return v;
}

static struct value *words_joined(struct engine *e, struct value *const *word, uint32_t n)
{
	struct value *v = NULL;
	for (uint32_t i = 0; i < n; i++) {
		v = concat(e, v, word[i], i == 0 ? "" : " ");
		if (v == NULL)
			return NULL;
	}
	return v;
}

/* ---- commands: tables ---- */

/* Commands whose arguments are another command.  `valued` options take a word. */
static const struct { const char *name, *valued; uint8_t operands; } wrapper[] = {
	{ "sudo", "-u -g -h -p -C -r -t -T -U -D", 0 }, { "doas", "-u -C", 0 }, { "env", "-u -C -S", 0 }, { "nohup", "", 0 },
	{ "timeout", "-s -k", 1 }, { "nice", "-n", 0 }, { "ionice", "-c -n", 0 }, { "setsid", "", 0 }, { "time", "-f -o", 0 },
	{ "command", "", 0 }, { "builtin", "", 0 }, { "exec", "-a", 0 }, { "stdbuf", "-i -o -e", 0 }, { "watch", "-n", 0 },
	{ "xargs", "-I -n -P -L -d -E -s -a", 0 }, { "strace", "-o -e -p", 0 }, { "ltrace", "-o -e", 0 }, { "busybox", "", 0 },
	{ "chroot", "", 1 }, { "unshare", "", 0 }, { "flock", "-w -E", 1 }, { "taskset", "-c", 1 }, { "chrt", "", 1 },
	{ "parallel", "-j", 0 }, { "script", "", 0 }, { "proxychains", "-f", 0 }, { "proxychains4", "-f", 0 }, { "torsocks", "", 0 },
	{ "nsenter", "-t", 0 }, { "fakeroot", "", 0 }, { "dbus-run-session", "", 0 }, { "xvfb-run", "", 0 }, { "gosu", "", 1 },
	{ "then", "", 0 }, { "do", "", 0 }, { "!", "", 0 }, { "else", "", 0 }, { "pkexec", "--user", 0 }, { "setarch", "", 1 },
};

/* Interpreters and the option after which a program stands. */
static const struct { const char *name, *option; int8_t language; } interpreter[] = {
	{ "sh", "-c", BAWN_LANG_BASH }, { "bash", "-c", BAWN_LANG_BASH }, { "dash", "-c", BAWN_LANG_BASH }, { "zsh", "-c", BAWN_LANG_BASH },
	{ "ksh", "-c", BAWN_LANG_BASH }, { "ash", "-c", BAWN_LANG_BASH }, { "su", "-c", BAWN_LANG_BASH }, { "script", "-c", BAWN_LANG_BASH }, { "python", "-c", BAWN_LANG_PYTHON },
	{ "python2", "-c", BAWN_LANG_PYTHON }, { "python3", "-c", BAWN_LANG_PYTHON }, { "pypy", "-c", BAWN_LANG_PYTHON },
	{ "pypy3", "-c", BAWN_LANG_PYTHON }, { "node", "-e", BAWN_LANG_JAVASCRIPT }, { "nodejs", "-e", BAWN_LANG_JAVASCRIPT },
	{ "node", "--eval", BAWN_LANG_JAVASCRIPT }, { "perl", "-e", -1 }, { "ruby", "-e", -1 }, { "ruby", "-rsocket", -1 }, { "php", "-r", -1 }, { "lua", "-e", -1 },
	{ "perl", "-MIO", -1 }, { "awk", "", -1 }, { "gawk", "", -1 }, { "mawk", "", -1 }, { "nawk", "", -1 }, { "tclsh", "", -1 }, { "osascript", "-e", -1 },
	{ "powershell", "-Command", -1 }, { "pwsh", "-c", -1 }, { "socat", "", -1 }, { "vim", "-c", -1 }, { "gdb", "-ex", -1 },
};

/* What a command does with its operands; LAST_WRITTEN: the last is written, the others are `access`. */
#define LAST_WRITTEN 1
#define SKIP_FIRST   2   /* the first operand is a pattern, a mode, an owner */
static const struct { const char *name; uint8_t access, how; } operand[] = {
	{ "cat", BAWN_ACCESS_READ, 0 }, { "head", BAWN_ACCESS_READ, 0 }, { "tail", BAWN_ACCESS_READ, 0 }, { "less", BAWN_ACCESS_READ, 0 },
	{ "more", BAWN_ACCESS_READ, 0 }, { "tac", BAWN_ACCESS_READ, 0 }, { "nl", BAWN_ACCESS_READ, 0 }, { "strings", BAWN_ACCESS_READ, 0 },
	{ "xxd", BAWN_ACCESS_READ, 0 }, { "od", BAWN_ACCESS_READ, 0 }, { "hexdump", BAWN_ACCESS_READ, 0 }, { "base64", BAWN_ACCESS_READ, 0 },
	{ "sort", BAWN_ACCESS_READ, 0 }, { "uniq", BAWN_ACCESS_READ, 0 }, { "wc", BAWN_ACCESS_READ, 0 }, { "diff", BAWN_ACCESS_READ, 0 },
	{ "cut", BAWN_ACCESS_READ, 0 }, { "paste", BAWN_ACCESS_READ, 0 }, { "rev", BAWN_ACCESS_READ, 0 }, { "grep", BAWN_ACCESS_READ, SKIP_FIRST },
	{ "egrep", BAWN_ACCESS_READ, SKIP_FIRST }, { "fgrep", BAWN_ACCESS_READ, SKIP_FIRST }, { "rgrep", BAWN_ACCESS_READ, SKIP_FIRST }, { "awk", BAWN_ACCESS_READ, SKIP_FIRST },
	{ "sed", BAWN_ACCESS_READ, SKIP_FIRST }, { "source", BAWN_ACCESS_READ, 0 }, { ".", BAWN_ACCESS_READ, 0 }, { "scp", BAWN_ACCESS_READ, 0 },
	{ "rsync", BAWN_ACCESS_READ, 0 }, { "tar", BAWN_ACCESS_READ, 0 }, { "zip", BAWN_ACCESS_READ, 0 }, { "gzip", BAWN_ACCESS_READ, 0 },
	{ "gcc", BAWN_ACCESS_READ, 0 }, { "file", BAWN_ACCESS_LIST, 0 }, { "md5sum", BAWN_ACCESS_READ, 0 }, { "sha256sum", BAWN_ACCESS_READ, 0 }, { "vi", BAWN_ACCESS_READ, 0 },
	{ "vim", BAWN_ACCESS_READ, 0 }, { "nano", BAWN_ACCESS_READ, 0 }, { "readlink", BAWN_ACCESS_LIST, 0 }, { "stat", BAWN_ACCESS_LIST, 0 },
	{ "ls", BAWN_ACCESS_LIST, 0 }, { "find", BAWN_ACCESS_LIST, 0 }, { "du", BAWN_ACCESS_LIST, 0 }, { "tree", BAWN_ACCESS_LIST, 0 },
	{ "cp", BAWN_ACCESS_READ, LAST_WRITTEN }, { "install", BAWN_ACCESS_READ, LAST_WRITTEN }, { "ln", BAWN_ACCESS_USE, LAST_WRITTEN },
	{ "mv", BAWN_ACCESS_DELETE, LAST_WRITTEN }, { "rm", BAWN_ACCESS_DELETE, 0 }, { "rmdir", BAWN_ACCESS_DELETE, 0 }, { "unlink", BAWN_ACCESS_DELETE, 0 },
	{ "shred", BAWN_ACCESS_DELETE, 0 }, { "srm", BAWN_ACCESS_DELETE, 0 }, { "tee", BAWN_ACCESS_WRITE, 0 }, { "touch", BAWN_ACCESS_WRITE, 0 },
	{ "mkdir", BAWN_ACCESS_WRITE, 0 }, { "truncate", BAWN_ACCESS_WRITE, 0 }, { "chmod", BAWN_ACCESS_WRITE, SKIP_FIRST },
	{ "chown", BAWN_ACCESS_WRITE, SKIP_FIRST }, { "chgrp", BAWN_ACCESS_WRITE, SKIP_FIRST }, { "chattr", BAWN_ACCESS_WRITE, SKIP_FIRST },
	{ "setfacl", BAWN_ACCESS_WRITE, 0 }, { "mkfifo", BAWN_ACCESS_WRITE, 0 }, { "mknod", BAWN_ACCESS_WRITE, 0 }, { "split", BAWN_ACCESS_READ, 0 },
	{ "cpio", BAWN_ACCESS_READ, 0 }, { "7z", BAWN_ACCESS_READ, 0 }, { "openssl", BAWN_ACCESS_READ, 0 }, { "gpg", BAWN_ACCESS_READ, 0 },
	{ "setcap", BAWN_ACCESS_WRITE, SKIP_FIRST }, { "curl", BAWN_ACCESS_READ, 0 }, { "wget", BAWN_ACCESS_READ, 0 }, { "unshadow", BAWN_ACCESS_READ, 0 }, { "john", BAWN_ACCESS_READ, 0 },
};

/* Options whose value is a path written (or sent). */
static const struct { const char *command, *option; uint8_t access; } option_path[] = {
	{ "curl", "-o", BAWN_ACCESS_WRITE }, { "curl", "--output", BAWN_ACCESS_WRITE }, { "wget", "-O", BAWN_ACCESS_WRITE }, { "wget", "--output-document", BAWN_ACCESS_WRITE },
	{ "wget", "-P", BAWN_ACCESS_WRITE }, { "curl", "-T", BAWN_ACCESS_READ }, { "curl", "--upload-file", BAWN_ACCESS_READ }, { "wget", "--post-file", BAWN_ACCESS_READ },
	{ "wget", "--body-file", BAWN_ACCESS_READ }, { "curl", "-d", BAWN_ACCESS_READ }, { "curl", "--data", BAWN_ACCESS_READ }, { "curl", "--data-binary", BAWN_ACCESS_READ }, { "curl", "-F", BAWN_ACCESS_READ },
	{ "gcc", "-o", BAWN_ACCESS_WRITE }, { "tar", "-C", BAWN_ACCESS_WRITE }, { "sort", "-o", BAWN_ACCESS_WRITE }, { "unzip", "-d", BAWN_ACCESS_WRITE }, { "openssl", "-in", BAWN_ACCESS_READ },
};

static bool has_word(const char *list, struct bawn_span word)
{
	for (const char *at = list; *at != '\0'; ) {
		size_t n = strcspn(at, " ");
		if (n == word.n && memcmp(at, word.p, n) == 0)
			return true;
		at += n;
		at += *at == ' ';
	}
	return false;
}

static bool word_is(const struct value *v, const char *text) { return bawn_value_is_text(v) && bawn_span_is(v->text, text); }
static bool is_option(const struct value *v) { return bawn_value_is_text(v) && v->text.n > 1 && (v->text.p[0] == '-' || v->text.p[0] == '+'); }

/* The command's own name: without directories and versions. */
static const char *command_name(struct engine *e, const struct value *v)
{
	if (!bawn_value_is_text(v) || v->text.n == 0 || v->text.n > 200)
		return NULL;
	char *name = bawn_arena_text(scratch(e), v->text);
	if (name == NULL)
		return NULL;
	const char *slash = strrchr(name, '/');
	char *base = slash != NULL && slash[1] != '\0' ? name + (slash + 1 - name) : name;
	size_t n = strlen(base);
	if (strncmp(base, "python", 6) == 0 || strncmp(base, "pypy", 4) == 0 || strncmp(base, "lua", 3) == 0 || strncmp(base, "php", 3) == 0) {
		char *dot = strchr(base, '.');
		if (dot != NULL && dot[1] >= '0' && dot[1] <= '9')
			*dot = '\0';
		n = strlen(base);
		while (base[0] != 'p' && n > 1 && base[n - 1] >= '0' && base[n - 1] <= '9')
			base[--n] = '\0';
	}
	return n > 0 ? base : NULL;
}

static uint64_t path_word(struct engine *e, const struct value *v, enum bawn_access access, uint32_t node_)
{
	if (!bawn_value_is_text(v))
		return 0;
	struct bawn_span t = v->text;
	if (t.n > 0 && t.p[0] == '@')
		t = (struct bawn_span){ t.p + 1, t.n - 1 };
	if (t.n == 0 || memmem(t.p, t.n, "://", 3) != NULL)
		return 0;
	return bawn_engine_path(e, t, access, true, node_);
}

static uint64_t operands(struct engine *e, const char *name, struct value *const *word, uint32_t n, uint32_t node_)
{
	uint64_t tags = 0;
	size_t row = 0;
	while (row < BAWN_LEN(operand) && strcmp(operand[row].name, name) != 0)
		row++;
	for (uint32_t i = 1; i < n; i++) {
		for (size_t k = 0; k < BAWN_LEN(option_path); k++) {
			size_t len = strlen(option_path[k].option);
			if (strcmp(option_path[k].command, name) != 0 || !bawn_value_is_text(word[i]) || word[i]->text.n < len ||
			    memcmp(word[i]->text.p, option_path[k].option, len) != 0)
				continue;
			if (word[i]->text.n == len && i + 1 < n) {
				tags |= path_word(e, word[i + 1], (enum bawn_access)option_path[k].access, node_);
			} else if (word[i]->text.n > len + 1 && word[i]->text.p[len] == '=') {
				struct value v = { .text = { word[i]->text.p + len + 1, word[i]->text.n - len - 1 } };
				tags |= path_word(e, &v, (enum bawn_access)option_path[k].access, node_);
			}
		}
		if (strcmp(name, "dd") == 0 && bawn_value_is_text(word[i]) && word[i]->text.n > 3) {
			struct value v = { .text = { word[i]->text.p + 3, word[i]->text.n - 3 } };
			if (bawn_span_starts(word[i]->text, "if="))
				tags |= path_word(e, &v, BAWN_ACCESS_READ, node_);
			else if (bawn_span_starts(word[i]->text, "of="))
				tags |= path_word(e, &v, BAWN_ACCESS_WRITE, node_);
		}
	}
	if (row == BAWN_LEN(operand)) {
		for (uint32_t i = 1; i < n && strcmp(name, "echo") != 0 && strcmp(name, "printf") != 0; i++)
			if (bawn_value_is_text(word[i]) && word[i]->text.n > 1 && (word[i]->text.p[0] == '/' || word[i]->text.p[0] == '~'))
				tags |= path_word(e, word[i], BAWN_ACCESS_USE, node_);
		return tags;
	}
	enum bawn_access access = (enum bawn_access)operand[row].access;
	uint32_t last = 0, seen = 0;
	bool deletes = false;
	for (uint32_t i = 1; i < n; i++) {
		if (!is_option(word[i]))
			last = i;
		deletes = deletes || word_is(word[i], "-delete") || word_is(word[i], "rm");
	}
	for (uint32_t i = 1; i < n; i++)
		if (strcmp(name, "sed") == 0 && bawn_value_is_text(word[i]) && (bawn_span_starts(word[i]->text, "-i") || bawn_span_starts(word[i]->text, "--in-place")))
			access = BAWN_ACCESS_WRITE;
	bool choosy = false;
	for (uint32_t i = 1; i < n; i++)
		choosy = choosy || (is_option(word[i]) && !word_is(word[i], "-delete") && !word_is(word[i], "-exec") && !word_is(word[i], "-print"));
	if (strcmp(name, "find") == 0 && deletes && !choosy)
		access = BAWN_ACCESS_DELETE;
	for (uint32_t i = 1; i < n; i++) {
		if (is_option(word[i])) {
			if (strcmp(name, "find") == 0 && seen > 0)
				break;
			continue;
		}
		seen++;
		if ((operand[row].how & SKIP_FIRST) != 0 && seen == 1)
			continue;
		bool written = (operand[row].how & LAST_WRITTEN) != 0 && i == last && seen > 1;
		tags |= path_word(e, word[i], written ? BAWN_ACCESS_WRITE : access, node_);
	}
	return tags;
}

/* ---- commands ---- */

static void foreign_text(struct engine *e, const struct value *v, uint32_t node_)
{
	if (!bawn_value_is_text(v) || v->text.n > 8192)
		return;
	struct fact f = { .kind = BAWN_MATCH_STRING, .name = bawn_arena_text(scratch(e), v->text), .node = node_ };
	(void)bawn_engine_fact(e, &f);
}

static bool is_interpreter(const char *name, int *out_language)
{
	for (size_t i = 0; name != NULL && i < BAWN_LEN(interpreter); i++)
		if (strcmp(interpreter[i].name, name) == 0 && interpreter[i].language >= 0 && strcmp(name, "su") != 0 && strcmp(name, "script") != 0) {
			*out_language = interpreter[i].language;
			return true;
		}
	return false;
}

/* The short options of an interpreter may be bundled: bash -lc. */
static bool gives_program(const char *option, struct bawn_span word)
{
	size_t n = strlen(option);
	if (n == 0)
		return false;
	if (n > 2)
		return word.n >= n && memcmp(word.p, option, n) == 0;
	return word.n >= 2 && word.p[0] == '-' && word.p[1] != '-' && memchr(word.p + 1, option[1], word.n - 1) != NULL && word.n <= 6;
}

static void programs(struct engine *e, const char *name, struct value *const *word, uint32_t n, uint32_t node_)
{
	for (size_t k = 0; k < BAWN_LEN(interpreter); k++) {
		if (strcmp(interpreter[k].name, name) != 0)
			continue;
		for (uint32_t i = 1; i < n; i++) {
			if (interpreter[k].language < 0)
				foreign_text(e, word[i], node_);
			else if (i + 1 < n && bawn_value_is_text(word[i]) && gives_program(interpreter[k].option, word[i]->text)) {
				if (bawn_value_is_text(word[i + 1]))
					bawn_engine_text(e, interpreter[k].language, word[i + 1]->text, node_);
				break;
			}
		}
	}
	if (strcmp(name, "eval") == 0) {
		struct value *all = words_joined(e, word + 1, n - 1);
		if (all != NULL && (!all->partial || n > 2))
			bawn_engine_text(e, BAWN_LANG_BASH, all->text, node_);
	}
	for (uint32_t i = 1; i < n; i++) {
		static const char *const escape[] = { ".shell ", ".system ", ":!", "!" };
		if (!bawn_value_is_text(word[i]) || word[i]->text.n < 3)
			continue;
		for (size_t k = 0; k < BAWN_LEN(escape); k++)  /* how editors and clients are told to start a shell */
			if (bawn_span_starts(word[i]->text, escape[k])) {
				size_t m = strlen(escape[k]);
				bawn_engine_text(e, BAWN_LANG_BASH, (struct bawn_span){ word[i]->text.p + m, word[i]->text.n - m }, node_);
				break;
			}
		if (word[i]->text.n > 24 && memchr(word[i]->text.p, ' ', word[i]->text.n) != NULL)
			foreign_text(e, word[i], node_);
	}
	if (strcmp(name, "trap") == 0 && n > 1 && bawn_value_is_text(word[1]))
		bawn_engine_text(e, BAWN_LANG_BASH, word[1]->text, node_);
}

/* Where the wrapped command starts, or 0. */
static uint32_t unwrap(const char *name, struct value *const *word, uint32_t n)
{
	for (size_t k = 0; k < BAWN_LEN(wrapper); k++) {
		if (strcmp(wrapper[k].name, name) != 0)
			continue;
		uint32_t i = 1, skip = wrapper[k].operands;
		while (i < n) {
			const struct value *v = word[i];
			if (is_option(v)) {
				i += v->text.n == 2 && has_word(wrapper[k].valued, v->text) ? 2u : 1u;
			} else if (bawn_value_is_text(v) && strcmp(name, "script") != 0 && memchr(v->text.p, '=', v->text.n) != NULL && v->text.p[0] != '/') {
				i++;
			} else if (skip > 0) {
				skip--;
				i++;
			} else {
				return i;
			}
		}
		return 0;
	}
	for (uint32_t i = 1; strcmp(name, "find") == 0 && i + 1 < n; i++)
		if (word_is(word[i], "-exec") || word_is(word[i], "-execdir") || word_is(word[i], "-ok") || word_is(word[i], "-okdir"))
			return i + 1;
	return 0;
}

uint64_t bawn_shell_command(struct engine *e, struct value **word, uint32_t n, uint32_t node_)
{
	uint64_t tags = 0;
	for (unsigned level = 0; level < 8 && n > 0 && e->error == 0; level++) {
		const char *name = command_name(e, word[0]);
		if (name == NULL)
			return tags | bawn_engine_event(e, "unknown-command", node_, NULL);
		uint64_t taint = 0;
		for (uint32_t i = 0; i < n; i++)
			taint |= word[i] != NULL ? word[i]->taint : 0;
		struct value *all = words_joined(e, word, n < 64 ? n : 64);
		struct fact f = { .kind = BAWN_MATCH_COMMAND, .name = name, .arg = word + 1, .n_args = n - 1, .taint = taint, .node = node_,
		                  .folded = all != NULL ? bawn_arena_text(scratch(e), all->text) : NULL };
		if (e->tree->grammar != BAWN_GRAMMAR_BASH) {  /* a list of words from another language: the shell's rules hold */
			struct bawn_tree as_shell = *e->tree;
			const struct bawn_tree *outer = e->tree;
			as_shell.grammar = BAWN_GRAMMAR_BASH;
			e->tree = &as_shell;
			tags |= bawn_engine_fact(e, &f) | operands(e, name, word, n, node_);
			e->tree = outer;
		} else {
			tags |= bawn_engine_fact(e, &f) | operands(e, name, word, n, node_);
		}
		if (strpbrk(name, "?*[") != NULL && strcmp(name, "[") != 0 && strcmp(name, "[[") != 0)
			tags |= bawn_engine_event(e, "disguised-command", node_, f.folded);
		programs(e, name, word, n, node_);
		uint32_t inner = unwrap(name, word, n);
		if (inner == 0)
			return tags;
		word += inner;
		n -= inner;
	}
	return tags;
}

/* ---- the reader ---- */

/* Where a variable stands, or would; the table is never full. */
static struct variable *variable_slot(const struct shell *s, struct bawn_span name)
{
	uint32_t hash = bawn_hash_add(BAWN_HASH_START, name.p, name.n), at = bawn_hash_slot(hash, s->cap_vars);
	while (s->var[at].name != NULL && (s->var[at].hash != hash || !bawn_span_is(name, s->var[at].name)))
		at = (at + 1) & (s->cap_vars - 1);
	return &s->var[at];
}

static struct value *variable(struct shell *s, struct bawn_span name)
{
	return s->cap_vars > 0 ? variable_slot(s, name)->value : NULL;
}

static bool more_variables(struct shell *s)
{
	struct variable *old = s->var;
	uint32_t n = s->cap_vars, cap = n == 0 ? 64 : n * 2;
	struct variable *fresh = bawn_arena_array(scratch(s->e), struct variable, cap);
	if (fresh == NULL)
		return false;
	s->var = fresh;
	s->cap_vars = cap;
	for (uint32_t i = 0; i < n; i++)
		if (old[i].name != NULL)
			*variable_slot(s, bawn_span(old[i].name)) = old[i];
	return true;
}

static void assign(struct shell *s, struct bawn_span name, struct value *v)
{
	if (s->n_vars * 2 >= s->cap_vars && !more_variables(s))
		return;
	struct variable *at = variable_slot(s, name);
	if (at->name == NULL) {
		const char *own = bawn_arena_text(scratch(s->e), name);
		if (own == NULL)
			return;
		*at = (struct variable){ own, bawn_hash_add(BAWN_HASH_START, name.p, name.n), NULL };
		s->n_vars++;
	}
	at->value = v;
}

/* A bare word loses its backslashes. */
static struct value *bare_word(struct shell *s, struct bawn_span t)
{
	if (memchr(t.p, '\\', t.n) == NULL)
		return bawn_value_text(s->e, t);
	char *p = bawn_arena_get(scratch(s->e), t.n + 1);
	size_t n = 0;
	for (size_t i = 0; p != NULL && i < t.n; i++) {
		if (t.p[i] == '\\' && i + 1 < t.n)
			i++;
		if (t.p[i] != '\n')
			p[n++] = t.p[i];
	}
	return p != NULL ? bawn_value_text(s->e, (struct bawn_span){ p, n }) : NULL;
}

static struct value *read_expansion(struct shell *s, uint32_t i)
{
	static const char *const kept[] = { "HOME", "PWD", "USER", "PATH", "SHELL" };
	struct bawn_span name = { NULL, 0 };
	uint32_t last = 0;
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next) {
		if (name.p == NULL && node(s, c)->kind == BAWN_K_NAME)
			name = bawn_node_text(s->t, c);
		last = c;
	}
	struct value *v = name.p != NULL ? variable(s, name) : NULL;
	if (v == NULL && name.n == 1 && name.p[0] >= '1' && name.p[0] <= '9' && s->function != NULL) {
		const char *own = bawn_arena_fmt(scratch(s->e), "%s:%c", s->function, name.p[0]);
		v = own != NULL ? variable(s, bawn_span(own)) : NULL;
	}
	bool plain = last != 0 && node(s, last)->kind == BAWN_K_NAME;
	if (v != NULL)
		return plain || !bawn_value_is_text(v) ? v : NULL;
	if (name.p != NULL && bawn_span_is(name, "IFS"))
		return text_value(s->e, bawn_span(" "), BAWN_TAG(BUILT));
	for (size_t k = 0; name.p != NULL && k < BAWN_LEN(kept); k++)
		if (bawn_span_is(name, kept[k]))
			return bawn_value_text(s->e, bawn_span(bawn_arena_fmt(scratch(s->e), "$%s", kept[k])));
	if (name.p != NULL && (name.p[0] == '@' || name.p[0] == '*' || (name.p[0] >= '1' && name.p[0] <= '9'))) {
		v = bawn_value_new(s->e);
		if (v != NULL)
			v->taint = BAWN_TAG(INPUT);
		return v;
	}
	return name.p != NULL && name.p[0] >= 'a' ? bawn_value_new(s->e) : bawn_value_new(s->e);
}

static struct value *parts(struct shell *s, uint32_t i)
{
	struct value *v = NULL;
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next) {
		if (node(s, c)->kind == BAWN_K_OPERATOR)
			continue;
		v = concat(s->e, v, s->val[c], "");
		if (v == NULL)
			return NULL;
		if (node(s, c)->kind == BAWN_K_EXPANSION)
			v->taint |= BAWN_TAG(BUILT);
	}
	return v != NULL ? v : bawn_value_text(s->e, bawn_span(""));
}

/* Appends a word to a command line, split where the shell would split it. */
static void push_word(struct shell *s, struct value *v, bool split, struct value **word, uint32_t *n)
{
	if (*n >= WORDS_MAX)
		return;
	if (!split || !bawn_value_is_text(v) || memchr(v->text.p, ' ', v->text.n) == NULL) {
		/* {a,b} is two words. */
		if (bawn_value_is_text(v) && v->text.n > 2 && v->text.p[0] == '{' && v->text.p[v->text.n - 1] == '}' && memchr(v->text.p, ',', v->text.n) != NULL) {
			for (size_t at = 1, start = 1; at < v->text.n && *n < WORDS_MAX; at++)
				if (v->text.p[at] == ',' || at == v->text.n - 1) {
					word[(*n)++] = text_value(s->e, (struct bawn_span){ v->text.p + start, at - start }, v->taint);
					start = at + 1;
				}
			return;
		}
		word[(*n)++] = v;
		return;
	}
	for (size_t at = 0, start = 0; at <= v->text.n && *n < WORDS_MAX; at++)
		if (at == v->text.n || v->text.p[at] == ' ') {
			if (at > start)
				word[(*n)++] = text_value(s->e, (struct bawn_span){ v->text.p + start, at - start }, v->taint);
			start = at + 1;
		}
}

static bool unquoted_expansion(const struct shell *s, uint32_t i)
{
	uint8_t k = node(s, i)->kind;
	if (k == BAWN_K_COMMAND_NAME && node(s, i)->child != 0)
		k = node(s, node(s, i)->child)->kind;
	return k == BAWN_K_EXPANSION || k == BAWN_K_CONCAT || k == BAWN_K_SUBSTITUTION;
}

/* What `echo` and `printf` print. */
static struct value *printed(struct shell *s, struct value **word, uint32_t n)
{
	if (n < 2 || (!word_is(word[0], "echo") && !word_is(word[0], "printf")))
		return NULL;
	uint32_t from = 1;
	while (from + 1 < n && is_option(word[from]) && word[from]->text.n <= 3)
		from++;
	struct value *v = words_joined(s->e, word + from, n - from);
	if (v != NULL && (word_is(word[0], "printf") || from > 1))
		v = text_value(s->e, bawn_unescape(scratch(s->e), v->text), v->taint);
	return v;
}

static uint32_t enclosing_function(const struct shell *s, uint32_t i)
{
	for (unsigned k = 0; i != 0 && k < 64; k++, i = node(s, i)->parent)
		if (node(s, i)->kind == BAWN_K_FUNCTION)
			return i;
	return 0;
}

static void fork_bomb(struct shell *s, uint32_t i, const struct value *name)
{
	uint32_t f = enclosing_function(s, i), own = f != 0 ? bawn_node_child(s->t, f, BAWN_R_NAME) : 0;
	if (own == 0 || !bawn_value_is_text(name) || !bawn_span_equal(bawn_node_text(s->t, own), name->text))
		return;
	bool background = false;
	for (uint32_t c = node(s, f)->child + 1; c < s->t->n && node(s, c)->start < node(s, f)->end; c++)
		background = background || node(s, c)->kind == BAWN_K_BACKGROUND;
	if (node(s, node(s, i)->parent)->kind == BAWN_K_PIPELINE || background)
		(void)bawn_engine_event(s->e, "fork-bomb", i, NULL);
}

/* {cat,file} at the start of a command is read as a group by the grammar, as two words by the shell. */
static struct value *braced(struct shell *s, uint32_t i, struct value *v)
{
	uint32_t start = node(s, i)->start;
	if (!bawn_value_is_text(v) || start == 0 || s->t->text.p[start - 1] != '{' || v->text.n < 3 ||
	    v->text.p[v->text.n - 1] != '}' || memchr(v->text.p, ',', v->text.n) == NULL)
		return v;
	struct value *open = bawn_value_text(s->e, bawn_span("{")), *both = concat(s->e, open, v, "");
	return both != NULL ? both : v;
}

static struct value *fed(struct shell *s, struct value *argv, struct value *in, uint32_t i);

static struct value *read_command(struct shell *s, uint32_t i)
{
	struct value *word[WORDS_MAX];
	uint32_t n = 0;
	for (uint32_t c = node(s, i)->child; c != 0 && n < WORDS_MAX; c = node(s, c)->next) {
		uint8_t k = node(s, c)->kind;
		if (k == BAWN_K_ASSIGN || k == BAWN_K_REDIRECT || k == BAWN_K_HERESTRING || k == BAWN_K_HEREDOC || k == BAWN_K_OPERATOR || k == BAWN_K_COMMENT)
			continue;
		struct value *v = s->val[c] != NULL ? s->val[c] : bawn_value_new(s->e);
		push_word(s, n == 0 ? braced(s, c, v) : v, unquoted_expansion(s, c), word, &n);
	}
	if (n == 0)
		return NULL;
	fork_bomb(s, i, word[0]);
	for (uint32_t k = 1; s->known_functions && k < n && k < 10 && bawn_value_is_text(word[0]) && word[0]->text.n < 64; k++) {
		/* Only functions of the program ask for these. */
		const char *own = bawn_arena_fmt(scratch(s->e), "%.*s:%u", (int)word[0]->text.n, word[0]->text.p, k);
		if (own != NULL && s->e->quiet)
			assign(s, bawn_span(own), word[k]);
	}
	s->argv[i] = list_of(s->e, word, n);
	uint64_t tags = bawn_shell_command(s->e, word, n, i);
	struct value *v = printed(s, word, n);
	if (v == NULL)
		v = bawn_value_new(s->e);
	for (uint32_t k = 0; v != NULL && k < n; k++)
		v->taint |= word[k] != NULL ? word[k]->taint : 0;
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next)
		if (node(s, c)->kind == BAWN_K_HERESTRING)
			(void)fed(s, s->argv[i], s->val[c], i);
	if (v != NULL)
		v->taint |= tags & (BAWN_TAG(NET_RECV) | BAWN_TAG(SECRET) | BAWN_TAG(DECODE) | BAWN_TAG(READ) | BAWN_TAG(HOST_INFO));
	return v;
}

/* Text that reaches the standard input of a command. */
static struct value *fed(struct shell *s, struct value *argv, struct value *in, uint32_t i)
{
	struct engine *e = s->e;
	const char *name = argv != NULL && argv->n_items > 0 ? command_name(e, argv->item[0]) : NULL;
	int language;
	if (name == NULL || in == NULL)
		return NULL;
	uint32_t at = 0;
	for (unsigned k = 0; k < 4; k++) {  /* sudo bash, env python */
		uint32_t inner = strcmp(name, "xargs") == 0 || strcmp(name, "find") == 0 ? 0 : unwrap(name, argv->item + at, argv->n_items - at);
		if (inner == 0)
			break;
		at += inner;
		const char *next = command_name(e, argv->item[at]);
		if (next == NULL)
			break;
		name = next;
	}
	if (is_interpreter(name, &language)) {
		if ((in->taint & BAWN_TAG(DECODE)) != 0)
			(void)bawn_engine_event(e, "decoded-exec", i, NULL);
		if (bawn_value_is_text(in) && bawn_text_printable(in->text))
			bawn_engine_text(e, language, in->text, i);
		return NULL;
	}
	if (!bawn_value_is_text(in))
		return NULL;
	size_t n = 0;
	char *p = NULL;
	bool undo = false;
	for (uint32_t k = at + 1; k < argv->n_items; k++)
		undo = undo || word_is(argv->item[k], "-d") || word_is(argv->item[k], "--decode") || word_is(argv->item[k], "-D") || word_is(argv->item[k], "-r") ||
		       (bawn_value_is_text(argv->item[k]) && argv->item[k]->text.n > 2 && bawn_span_starts(argv->item[k]->text, "-d")) || word_is(argv->item[k], "-rp") || word_is(argv->item[k], "-pr");
	if (strcmp(name, "base64") == 0 && undo)
		p = bawn_decode_base64(scratch(e), in->text, &n);
	else if (strcmp(name, "xxd") == 0 && undo)
		p = bawn_decode_hex(scratch(e), in->text, &n);
	else if (strcmp(name, "tr") == 0 && argv->n_items > at + 2 && bawn_value_is_text(argv->item[at + 2]) && memmem(argv->item[at + 2]->text.p, argv->item[at + 2]->text.n, "N-ZA-M", 6) != NULL)
		p = bawn_decode_rot13(scratch(e), in->text), n = in->text.n;
	if (p != NULL)
		return text_value(e, (struct bawn_span){ p, n }, in->taint | BAWN_TAG(DECODE));
	if (strcmp(name, "rev") == 0) {
		p = bawn_arena_text(scratch(e), in->text);
		for (size_t k = 0; p != NULL && k < in->text.n; k++)
			p[k] = in->text.p[in->text.n - 1 - k];
		return p != NULL ? text_value(e, (struct bawn_span){ p, in->text.n }, in->taint | BAWN_TAG(DECODE)) : NULL;
	}
	if (strcmp(name, "cat") == 0 || strcmp(name, "tee") == 0)
		return in;
	if (strcmp(name, "xargs") == 0 && argv->n_items > 1) {
		struct value *word[64];
		uint32_t from = unwrap(name, argv->item + at, argv->n_items - at), k = 0;
		for (uint32_t w = at + from; from > 0 && w < argv->n_items && k < 60; w++)
			word[k++] = argv->item[w];
		if (from > 0 && k > 0) {
			word[k++] = in;
			(void)bawn_shell_command(e, word, k, i);
		}
	}
	return NULL;
}

static struct value *read_pipeline(struct shell *s, uint32_t i)
{
	const char *name[32];
	uint32_t n = 0;
	struct value *flow = NULL;
	uint64_t taint = 0;
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next) {
		if (node(s, c)->kind == BAWN_K_OPERATOR || node(s, c)->kind == BAWN_K_COMMENT)
			continue;
		uint32_t command = c;
		/* `a && b <f | c`: b is what the pipe reads. */
		while (node(s, command)->child != 0 && (node(s, command)->kind == BAWN_K_REDIRECTED || node(s, command)->kind == BAWN_K_LIST_OF_COMMANDS)) {
			bool list = node(s, command)->kind == BAWN_K_LIST_OF_COMMANDS;
			command = node(s, command)->child;
			while (list && node(s, command)->next != 0)
				command = node(s, command)->next;
		}
		struct value *argv = s->argv[command];
		if (flow != NULL && argv != NULL) {
			struct value *out = fed(s, argv, flow, command);
			taint |= flow->taint;
			flow = out != NULL ? out : s->val[command];
		} else {
			flow = s->val[command];
		}
		if (flow != NULL)
			flow->taint |= taint;
		if (argv != NULL && argv->n_items > 0 && n < BAWN_LEN(name)) {
			uint32_t at = 0;
			const char *own = command_name(s->e, argv->item[0]);
			for (unsigned k = 0; own != NULL && k < 4; k++) {
				uint32_t inner = unwrap(own, argv->item + at, argv->n_items - at);
				if (inner == 0)
					break;
				at += inner;
				const char *next = command_name(s->e, argv->item[at]);
				own = next != NULL ? next : own;
			}
			if (own != NULL)
				name[n++] = own;
		}
	}
	for (uint32_t from = 0; from < n; from++)
		for (uint32_t to = from + 1; to < n; to++) {
			struct fact f = { .kind = BAWN_MATCH_PIPE, .name = name[from], .to = name[to], .node = i, .taint = taint };
			(void)bawn_engine_fact(s->e, &f);
		}
	return flow;
}

static void read_redirect(struct shell *s, uint32_t i)
{
	uint32_t to = bawn_node_child(s->t, i, BAWN_R_DESTINATION);
	struct bawn_span op = { NULL, 0 };
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next)
		if (node(s, c)->kind == BAWN_K_OPERATOR && op.p == NULL)
			op = bawn_node_text(s->t, c);
	struct value *v = to != 0 ? s->val[to] : NULL;
	if (!bawn_value_is_text(v))
		return;
	bool in = op.p != NULL && op.p[0] == '<';
	const char *normal = bawn_path_normal(scratch(s->e), v->text);
	if (normal == NULL)
		return;
	struct fact f = { .kind = BAWN_MATCH_REDIRECT, .name = normal, .shell = true, .node = i, .folded = normal,
	                  .access = in ? BAWN_ACCESS_READ : BAWN_ACCESS_WRITE };
	(void)bawn_engine_fact(s->e, &f);
	(void)bawn_engine_path(s->e, v->text, in ? BAWN_ACCESS_READ : BAWN_ACCESS_WRITE, true, i);
}

/* A here-document or here-string feeds the command before it. */
static void read_here(struct shell *s, uint32_t i, uint32_t body)
{
	uint32_t p = node(s, i)->parent, command = p;
	if (node(s, p)->kind == BAWN_K_REDIRECTED)
		command = node(s, p)->child;
	if (command == 0 || body == 0)
		return;
	struct value *in = s->val[body] != NULL ? s->val[body] : bawn_value_text(s->e, bawn_node_text(s->t, body));
	(void)fed(s, s->argv[command], in, command);
}

static void read_assign(struct shell *s, uint32_t i)
{
	uint32_t name = bawn_node_child(s->t, i, BAWN_R_NAME), value = bawn_node_child(s->t, i, BAWN_R_VALUE);
	if (name == 0)
		return;
	struct value *v = value != 0 ? s->val[value] : bawn_value_text(s->e, bawn_span(""));
	struct bawn_span n = bawn_node_text(s->t, name);
	assign(s, n, v);
	const char *own = bawn_arena_text(scratch(s->e), n);
	struct fact f = { .kind = BAWN_MATCH_NAME, .name = own, .node = i, .arg = &v, .n_args = 1 };
	(void)bawn_engine_fact(s->e, &f);
}

static struct value *last_output(struct shell *s, uint32_t i)
{
	struct value *v = NULL;
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next)
		if (s->val[c] != NULL)
			v = s->val[c];
	return v;
}

static struct value *leave(struct shell *s, uint32_t i)
{
	struct bawn_span t = bawn_node_text(s->t, i);
	switch (node(s, i)->kind) {
	case BAWN_K_WORD: case BAWN_K_INTEGER: return bare_word(s, t);
	case BAWN_K_RAW: return bawn_value_text(s->e, t.n >= 2 ? (struct bawn_span){ t.p + 1, t.n - 2 } : t);
	case BAWN_K_ANSI_C: {
		struct value *v = bawn_value_text(s->e, bawn_unescape(scratch(s->e), t.n >= 3 ? (struct bawn_span){ t.p + 2, t.n - 3 } : t));
		if (v != NULL && memchr(t.p, '\\', t.n) != NULL)
			v->taint |= BAWN_TAG(BUILT);
		return v;
	}
	case BAWN_K_PART: return bawn_value_text(s->e, t);
	case BAWN_K_STRING: case BAWN_K_CONCAT: return parts(s, i);
	case BAWN_K_BRACE: return bawn_value_text(s->e, t);
	case BAWN_K_HEREDOC_BODY: return node(s, i)->child != 0 ? bawn_value_text(s->e, t) : bawn_value_text(s->e, t);
	case BAWN_K_COMMAND_NAME: return node(s, i)->child != 0 ? s->val[node(s, i)->child] : NULL;
	case BAWN_K_EXPANSION: return read_expansion(s, i);
	case BAWN_K_SUBSTITUTION: case BAWN_K_PROCESS_SUB: case BAWN_K_SUBSHELL: case BAWN_K_LIST_OF_COMMANDS: {
		struct value *v = last_output(s, i);
		struct value *out = bawn_value_new(s->e);
		if (v == NULL || out == NULL)
			return out;
		*out = *v;
		out->partial = false;
		while (out->text.n > 0 && out->text.p[out->text.n - 1] == '\n')
			out->text.n--;
		if (node(s, i)->kind == BAWN_K_PROCESS_SUB)
			out->text.p = NULL;
		out->taint |= BAWN_TAG(BUILT);
		return out;
	}
	case BAWN_K_COMMAND: return read_command(s, i);
	case BAWN_K_PIPELINE: return read_pipeline(s, i);
	case BAWN_K_REDIRECT: read_redirect(s, i); return NULL;
	case BAWN_K_HERESTRING: {
		uint32_t body = node(s, i)->child;
		while (body != 0 && s->val[body] == NULL)
			body = node(s, body)->next;
		if (node(s, node(s, i)->parent)->kind != BAWN_K_COMMAND)
			read_here(s, i, body);
		return body != 0 ? s->val[body] : NULL;
	}
	case BAWN_K_HEREDOC: {
		uint32_t body = node(s, i)->child;
		while (body != 0 && node(s, body)->kind != BAWN_K_HEREDOC_BODY)
			body = node(s, body)->next;
		read_here(s, i, body);
		return NULL;
	}
	case BAWN_K_REDIRECTED: return node(s, i)->child != 0 ? s->val[node(s, i)->child] : NULL;
	case BAWN_K_ASSIGN: read_assign(s, i); return NULL;
	case BAWN_K_FUNCTION: case BAWN_K_IF: case BAWN_K_FOR: case BAWN_K_WHILE: case BAWN_K_OTHER: return last_output(s, i);
	default: return NULL;
	}
}

/* `for x in a b`: x is the first word as far as we know, and each of them where it matters. */
static void enter(struct shell *s, uint32_t i)
{
	if (s->function != NULL && node(s, i)->start >= s->function_end)
		s->function = NULL;
	if (node(s, i)->kind == BAWN_K_FUNCTION) {
		uint32_t name = bawn_node_child(s->t, i, BAWN_R_NAME);
		struct bawn_span t = name != 0 ? bawn_node_text(s->t, name) : bawn_span("");
		s->function = t.n > 0 && t.n < 64 ? bawn_arena_text(scratch(s->e), t) : NULL;
		s->function_end = node(s, i)->end;
	}
	if (node(s, i)->kind == BAWN_K_WHILE) {
		uint32_t c = node(s, i)->child;
		struct bawn_span t = c != 0 ? bawn_node_text(s->t, c) : bawn_span("");
		if (bawn_span_is(t, "true") || bawn_span_is(t, ":") || bawn_span_is(t, "[ 1 ]") || bawn_span_is(t, "true;"))
			(void)bawn_engine_event(s->e, "endless-loop", i, NULL);
	}
}

static void walk(struct shell *s)
{
	for (uint32_t i = 0; i < s->t->n && s->e->error == 0; i++) {
		enter(s, i);
		if (node(s, i)->child != 0)
			continue;
		for (uint32_t at = i; bawn_engine_go_on(s->e); at = node(s, at)->parent) {
			s->val[at] = leave(s, at);
			uint32_t p = node(s, at)->parent;
			if (node(s, p)->kind == BAWN_K_FOR && node(s, at)->role == BAWN_R_VALUE) {
				uint32_t x = bawn_node_child(s->t, p, BAWN_R_NAME);
				for (uint32_t c = node(s, p)->child; x == 0 && c != 0; c = node(s, c)->next)
					if (node(s, c)->kind == BAWN_K_NAME)
						x = c;
				if (x != 0)
					assign(s, bawn_node_text(s->t, x), s->val[at]);
			}
			if (at == 0 || node(s, at)->next != 0)
				break;
		}
	}
}

void bawn_read_shell(struct engine *e)
{
	struct shell *s = calloc(1, sizeof *s);
	if (s != NULL) {
		*s = (struct shell){ .e = e, .t = e->tree };
		s->val = calloc(e->tree->n, sizeof *s->val);
		s->argv = calloc(e->tree->n, sizeof *s->argv);
	}
	if (s == NULL || s->val == NULL || s->argv == NULL)
		e->error = bawn_fail(e->err, -ENOMEM, "assess the code");
	else {
		for (size_t i = 0; i < e->tree->n && !s->known_functions; i++)
			s->known_functions = e->tree->node[i].kind == BAWN_K_FUNCTION;
		if (s->known_functions && !e->quiet) {  /* what functions are given is known once all calls are seen */
			e->quiet = true;
			walk(s);
			e->quiet = false;
			s->function = NULL;
		}
		walk(s);
	}
	if (s != NULL) {
		free(s->val);
		free(s->argv);
	}
	free(s);
}
