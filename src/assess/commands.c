/* commands.c - see commands.h. */
#include "assess/commands.h"
#include <strings.h>
#include "assess/modules.h"
#include "assess/sql.h"
#include "assess/text.h"
#include "base/cleanup.h"

#define N BAWN_ACCESS_COUNT
#define NAME_BYTES_MAX 400u
#define WRAPPED_MAX    64u

static bool is_a(const char *name, unsigned kind)
{
	const struct command *c = bawn_command_find(name);
	return c != NULL && (c->kind & kind) != 0;
}

bool bawn_sh_is_shell(const char *name) { return name != NULL && is_a(name, SHELL) && strcmp(name, ".") != 0 && strcmp(name, "source") != 0; }

/* ---- names ---- */

/* Programs that carry a version in their name. */
static bool versioned(const char *base)
{
	static const char *const name[] = { "python", "pypy", "lua", "php", "ruby", "perl", "node", "gcc", "clang", "tclsh", "ncat", "nc.", "bash", "guile" };
	for (size_t i = 0; i < BAWN_LEN(name); i++)
		if (strncmp(base, name[i], strlen(name[i])) == 0)
			return true;
	return false;
}

const char *bawn_sh_name(struct engine *e, const struct value *v)
{
	if (!bawn_value_is_text(v) || v->text.n == 0)
		return NULL;
	struct bawn_span t = v->text;
	const char *last = memrchr(t.p, '/', t.n - 1);  /* a directory may be as long as it likes */
	if (last != NULL && t.p[t.n - 1] != '/')
		t = (struct bawn_span){ last, t.n - (size_t)(last - t.p) };
	char *name = t.n <= NAME_BYTES_MAX ? bawn_arena_text(bawn_sh_arena(e), t) : NULL;
	if (name == NULL || bawn_span_is(v->text, "{}"))
		return NULL;
	const char *slash = strrchr(name, '/');
	char *base = slash != NULL && slash[1] != '\0' ? name + (slash + 1 - name) : name;
	if (base[0] == '!' && base[1] != '\0')
		base++;
	if (!versioned(base))
		return base;
	if (strncmp(base, "nc.", 3) == 0) {
		base[2] = '\0';
		return base;
	}
	size_t n = strcspn(base, ".-");
	bool number = base[n] != '\0' && base[n + 1] >= '0' && base[n + 1] <= '9';
	if (number)
		base[n] = '\0';
	n = strlen(base);
	while (n > 1 && base[n - 1] >= '0' && base[n - 1] <= '9' && strncmp(base, "py", 2) != 0)
		base[--n] = '\0';
	return base;
}

/* ---- wrappers ---- */

bool bawn_sh_takes_value(const struct command *c, struct bawn_span option_)
{
	return option_.n == 2 && option_.p[0] == '-' && c->valued != NULL && strchr(c->valued, option_.p[1]) != NULL && option_.p[1] != '\0';
}

static uint32_t after_word(struct value *const *word, uint32_t n, const char *text)
{
	for (uint32_t i = 1; i + 1 < n; i++)
		if (bawn_sh_is(word[i], text))
			return i + 1;
	return 0;
}

/* Does an option of docker run take the next word? */
static bool container_option_valued(struct bawn_span w)
{
	static const char *const alone[] = { "--rm", "--privileged", "--interactive", "--tty", "--detach", "--init", "--read-only", "--no-healthcheck" };
	if (w.n == 2)
		return strchr("veuwplamh", w.p[1]) != NULL;
	for (size_t i = 0; i < BAWN_LEN(alone); i++)
		if (bawn_span_is(w, alone[i]))
			return false;
	return w.p[1] == '-' && memchr(w.p, '=', w.n) == NULL;
}

/* find -exec, kubectl exec -- , docker run image, ip netns exec ns. */
static uint32_t inner_of(const char *name, struct value *const *word, uint32_t n)
{
	static const char *const exec[] = { "-exec", "-execdir", "-ok", "-okdir" };
	if (strcmp(name, "find") == 0) {
		for (size_t k = 0; k < BAWN_LEN(exec); k++)
			if (after_word(word, n, exec[k]) > 0)
				return after_word(word, n, exec[k]);
		return 0;
	}
	if (strcmp(name, "ip") == 0 || strcmp(name, "kubectl") == 0 || strcmp(name, "oc") == 0) {
		uint32_t at = after_word(word, n, "exec");
		uint32_t dashes = after_word(word, n, "--");
		return dashes > 0 ? dashes : at > 0 && at + 1 < n && strcmp(name, "ip") == 0 ? at + 1 : 0;
	}
	const struct command *c = name[0] == 'p' ? bawn_command_find(name) : NULL;
	if (c != NULL && (c->kind & SCRIPT) != 0) {  /* python -m pip install x */
		uint32_t at = after_word(word, n, "-m");
		return at > 0 && bawn_sh_in(word[at], "pip pip3 pipx uv conda easy_install ensurepip") ? at : 0;
	}
	static const char *const runtime[] = { "docker", "podman", "nerdctl", "ctr", "crictl" };
	for (size_t k = 0; k < BAWN_LEN(runtime); k++) {
		if (strcmp(name, runtime[k]) != 0)
			continue;
		uint32_t at = after_word(word, n, "run") > 0 ? after_word(word, n, "run") : after_word(word, n, "exec");
		while (at > 0 && at < n && bawn_sh_option(word[at]))
			at += container_option_valued(word[at]->text) ? 2 : 1;
		return at > 0 && at + 1 < n ? at + 1 : 0;
	}
	return 0;
}

/* env X=1 command, sudo X=1 command */
static bool is_setting_taker(const char *name) { return strcmp(name, "env") == 0 || strcmp(name, "sudo") == 0 || strcmp(name, "doas") == 0; }

static bool is_setting(const struct value *v) { return bawn_value_is_text(v) && v->text.n > 0 && v->text.p[0] != '/' && memchr(v->text.p, '=', v->text.n) != NULL; }

static void take_settings(struct shell *s, const char *name, struct value *const *word, uint32_t inner, uint32_t node)
{
	for (uint32_t i = 1; s != NULL && is_setting_taker(name) && i < inner; i++) {
		if (!is_setting(word[i]) || bawn_sh_option(word[i]))
			continue;
		struct bawn_span t = word[i]->text;
		size_t n = (size_t)((const char *)memchr(t.p, '=', t.n) - t.p);
		struct value *v = bawn_sh_text(s->e, (struct bawn_span){ t.p + n + 1, t.n - n - 1 }, word[i]->taint);
		if (v == NULL)
			return;
		v->partial = word[i]->partial;
		bawn_sh_perhaps(s, (struct bawn_span){ t.p, n }, v);
		bawn_sh_setting(s, (struct bawn_span){ t.p, n }, v, true, node);
	}
}

/* Where the wrapped command starts, or 0. */
uint32_t bawn_sh_inner(const char *name, struct value *const *word, uint32_t n)
{
	const struct command *c = bawn_command_find(name);
	if (c == NULL || (c->kind & WRAPS) == 0)
		return inner_of(name, word, n);
	uint32_t i = 1, skip = c->skip;
	if (strcmp(name, "command") == 0 && n > 1 && bawn_sh_in(word[1], "-v -V"))
		return 0;  /* only asks where it is */
	while (i < n) {
		const struct value *v = word[i];
		if (bawn_sh_option(v))
			i += bawn_sh_takes_value(c, v->text) ? 2u : 1u;
		else if (is_setting_taker(name) && is_setting(v))
			i++;
		else if (bawn_sh_is(v, "{") || (skip > 0 && skip--))
			i++;
		else
			return i;
	}
	return 0;
}

uint32_t bawn_sh_unwrap(struct engine *e, struct value *const *word, uint32_t n)
{
	uint32_t at = 0;
	for (unsigned k = 0; k < WRAPPED_MAX && at < n; k++) {
		const char *name = bawn_sh_name(e, word[at]);
		uint32_t inner = name != NULL ? bawn_sh_inner(name, word + at, n - at) : 0;
		if (inner == 0 || strcmp(name, "find") == 0 || strcmp(name, "xargs") == 0 || strcmp(name, "parallel") == 0)
			break;  /* what these read is not the input of what they run */
		at += inner;
	}
	return at;
}

/* ---- files ---- */

struct bawn_span bawn_sh_path(const struct shell *s, struct bawn_span t)
{
	if (s == NULL || s->cwd == NULL || t.n == 0 || strchr("/~$-{", t.p[0]) != NULL)
		return t;
	size_t n = strlen(s->cwd);
	char *p = bawn_arena_get(bawn_sh_arena(s->e), n + t.n + 2);
	if (p == NULL)
		return t;
	memcpy(p, s->cwd, n);
	p[n] = '/';
	memcpy(p + n + 1, t.p, t.n);
	return (struct bawn_span){ p, n + 1 + t.n };
}

uint64_t bawn_sh_file(const struct shell *s, struct engine *e, struct bawn_span t, enum bawn_access access, uint32_t node)
{
	const char *at = t.n > 0 ? memchr(t.p, '@', t.n) : NULL;
	if (at != NULL && (at == t.p || at[-1] == '=') && at + 1 < t.p + t.n) {  /* curl's @file and name=@file */
		t.n -= (size_t)(at + 1 - t.p);
		t.p = at + 1;
		size_t semi = 0;
		while (semi < t.n && t.p[semi] != ';')
			semi++;
		t.n = semi;
	}
	bool own = t.n > 5 && strncasecmp(t.p, "file:", 5) == 0;  /* curl file:///x */
	if (t.n == 0 || (!own && memmem(t.p, t.n, "://", 3) != NULL))
		return 0;
	if (access == BAWN_ACCESS_READ)
		(void)bawn_modules_open(e, t);
	if (t.p[0] == '$' && memchr(t.p, '\n', t.n) != NULL)
		return 0;  /* a program in another language */
	return bawn_engine_path(e, bawn_sh_path(s, t), access, true, node);
}
/* Options of any program whose name says that their value is a command line. */
static bool names_command(struct bawn_span name)
{
	static const char *const part[] = { "command", "exec", "rsh", "shell", "-program", "pager", "editor", "hook", "askpass", "-cmd" };
	if (name.n < 4 || name.p[0] != '-' || name.p[1] != '-')
		return false;
	for (size_t i = 0; i < BAWN_LEN(part); i++)
		if (memmem(name.p, name.n, part[i], strlen(part[i])) != NULL)
			return true;
	return false;
}

/* Settings handed over as name=value: ssh -o ProxyCommand=x, git -c core.pager=x, tar exec=x. */
static void setting(struct engine *e, struct bawn_span w, uint32_t node)
{
	static const char *const name[] = { "ProxyCommand", "LocalCommand", "KnownHostsCommand", "core.pager", "core.editor", "core.sshCommand", "core.fsmonitor", "sequence.editor",
	                                    "exec", "diff.external", "textconv", "smudge", "clean", ".driver", ".cmd", "gpg.program", "core.askPass", "core.gitProxy", "credential.helper", "packObjectsHook", "Pre-Invoke::", "Post-Invoke::", "pager", "editor" };
	const char *bang = memmem(w.p, w.n, "=!", 2);
	if (bang != NULL) {  /* git -c alias.x='!command' */
		bawn_sh_run(e, (struct bawn_span){ bang + 2, w.n - (size_t)(bang + 2 - w.p) }, node);
		return;
	}
	for (size_t i = 0; i < BAWN_LEN(name); i++) {
		const char *at = memmem(w.p, w.n, name[i], strlen(name[i]));
		size_t end = at != NULL ? (size_t)(at - w.p) + strlen(name[i]) : 0;
		if (at == NULL || end >= w.n || (w.p[end] != '=' && w.p[end] != ' ' && name[i][0] != 'P') || (at > w.p && (at[-1] | 0x20) >= 'a' && (at[-1] | 0x20) <= 'z'))
			continue;
		if (w.p[end] == ' ' && name[i][0] >= 'a')
			continue;
		while (end < w.n && (w.p[end] == '=' || w.p[end] == ' ' || w.p[end] == ':'))
			end++;
		bawn_sh_run(e, (struct bawn_span){ w.p + end, w.n - end }, node);
		return;
	}
}

/* git config alias.x '!command', git config core.pager command: name and value are two words. */
static void git_setting(struct engine *e, struct value *const *word, uint32_t n, uint32_t node)
{
	const struct value *key = n > 2 ? word[n - 2] : NULL, *v = n > 2 ? word[n - 1] : NULL;
	if (!bawn_sh_any(word, n, "config") || !bawn_value_is_text(key) || !bawn_value_is_text(v) || memchr(key->text.p, '.', key->text.n) == NULL)
		return;
	const char *both = bawn_arena_fmt(bawn_sh_arena(e), "%.*s=%.*s", (int)key->text.n, key->text.p, (int)v->text.n, v->text.p);
	if (both != NULL)
		setting(e, bawn_span(both), node);
}

static uint64_t option_value(struct shell *s, struct engine *e, uint8_t what, struct bawn_span v, uint32_t node)
{
	const char *colon = what == KEY ? memmem(v.p, v.n, ":", 1) : NULL;
	if (what == EXPANDED && s != NULL)
		bawn_sh_expands(s, v, node);
	else if (colon != NULL)  /* "\C-x": command */
		bawn_sh_run(e, (struct bawn_span){ colon + 1, v.n - (size_t)(colon + 1 - v.p) }, node);
	else if (what >= EXPANDED)
		return 0;
	else if (what == RUN)
		bawn_sh_run(e, v, node);
	else if (what == CODE)
		bawn_foreign_program(e, v, true, node);
	else if (what != SKIP)
		return bawn_sh_file(s, e, v, (enum bawn_access)what, node);
	return 0;
}

/* Looks at word i as an option; how many words it took, and what it gave. */
static uint32_t one_option(struct shell *s, struct engine *e, const char *name, struct value *const *word, uint32_t n, uint32_t i, uint32_t node, uint64_t *tags)
{
	struct bawn_span w = word[i]->text, next = i + 1 < n && bawn_value_is_text(word[i + 1]) ? word[i + 1]->text : (struct bawn_span){ NULL, 0 };
	for (const struct option *o = bawn_command_option(name, NULL); o != NULL; o = bawn_command_option(name, o)) {
		size_t m = strlen(o->name);
		if (!bawn_span_starts(w, o->name))
			continue;
		bool shorter = m == 2 && o->name[1] != '-';
		if (w.n == m && next.p != NULL)
			return *tags |= option_value(s, e, o->what, next, node), 2;
		if (w.n > m + 1 && w.p[m] == '=')
			return *tags |= option_value(s, e, o->what, (struct bawn_span){ w.p + m + 1, w.n - m - 1 }, node), 1;
		if (shorter && w.n > m && (o->what != RUN || strcmp(name, "env") == 0))
			return *tags |= option_value(s, e, o->what, (struct bawn_span){ w.p + m, w.n - m }, node), 1;
	}
	const char *equals = memchr(w.p, '=', w.n);
	struct bawn_span own = { w.p, equals != NULL ? (size_t)(equals - w.p) : w.n };
	if (names_command(own) && memmem(own.p, own.n, "eval", 4) != NULL)
		bawn_foreign_program(e, equals != NULL ? (struct bawn_span){ equals + 1, w.n - own.n - 1 } : next, true, node);
	else if (names_command(own))
		bawn_sh_run(e, equals != NULL ? (struct bawn_span){ equals + 1, w.n - own.n - 1 } : next, node);
	else if (equals != NULL && memchr(equals + 1, '=', w.n - own.n - 1) != NULL)  /* --checkpoint-action=exec=x */
		setting(e, (struct bawn_span){ equals + 1, w.n - own.n - 1 }, node);
	else if (equals != NULL && w.n > own.n + 2 && (equals[1] == '/' || equals[1] == '~'))
		*tags |= bawn_sh_file(s, e, (struct bawn_span){ equals + 1, w.n - own.n - 1 }, BAWN_ACCESS_USE, node);
	return 1;
}

bool bawn_sh_any(struct value *const *word, uint32_t n, const char *text)
{
	for (uint32_t i = 1; i < n; i++)
		if (bawn_sh_is(word[i], text))
			return true;
	return false;
}

/* sqlite3 x "attach '/y' as z", psql -c "copy t from program 'x'" */
static uint64_t statements(const struct shell *s, struct engine *e, const char *name, struct value *const *word, uint32_t n, uint32_t node)
{
	static const char *const client[] = { "sqlite3", "mysql", "mariadb", "psql", "duckdb" };
	size_t k = 0;
	uint64_t tags = 0;
	while (k < BAWN_LEN(client) && strcmp(name, client[k]) != 0)
		k++;
	for (uint32_t i = 1; k < BAWN_LEN(client) && i < n; i++) {
		struct bawn_sql_use use;
		size_t at = 0;
		for (unsigned uses = 0; bawn_value_is_text(word[i]) && uses < 16 && bawn_sql_next(word[i]->text, &at, &use); uses++)
			if (use.text.p != NULL && use.what == BAWN_SQL_RUN)
				bawn_sh_run(e, use.text, node);
			else if (use.text.p != NULL)
				tags |= bawn_sh_file(s, e, use.text, (enum bawn_access)use.what, node);
	}
	return tags;
}

/* How this command line uses its operands: options can turn reading into writing. */
static enum bawn_access access_of(const char *name, const struct command *c, struct value *const *word, uint32_t n)
{
	if (strcmp(name, "sed") == 0)
		for (uint32_t i = 1; i < n; i++)
			if (bawn_value_is_text(word[i]) && (bawn_span_starts(word[i]->text, "-i") || bawn_span_starts(word[i]->text, "--in-place")))
				return BAWN_ACCESS_WRITE;
	if (strcmp(name, "find") == 0 && (bawn_sh_any(word, n, "-delete") || bawn_sh_any(word, n, "rm") || bawn_sh_any(word, n, "shred") || bawn_sh_any(word, n, "/bin/rm")))
		return BAWN_ACCESS_DELETE;
	return (enum bawn_access)c->access;
}

/* find with a test deletes some files below a directory, not the directory. */
static uint64_t found_path(const struct shell *s, struct engine *e, struct bawn_span t, struct value *const *word, uint32_t n, enum bawn_access access, uint32_t node)
{
	static const char *const vital[] = { "/etc", "/usr/lib", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/bin", "/sbin", "/lib", "/lib64", "/boot", "/var/lib", "/var/log", "/root" };
	bool some = false, needed = false;
	for (uint32_t i = 1; i < n && access == BAWN_ACCESS_DELETE && !some; i++) {
		if (bawn_sh_in(word[i], "-exec -execdir -ok -okdir"))
			break;
		some = bawn_sh_option(word[i]) && !bawn_sh_in(word[i], "-delete -print -print0 -depth -xdev -mount -L -H -P -follow");
	}
	if (!some)
		return bawn_sh_file(s, e, t, access, node);
	const char *normal = bawn_path_normal(bawn_sh_arena(e), t);
	for (size_t k = 0; normal != NULL && k < BAWN_LEN(vital); k++)
		needed = needed || bawn_path_under(vital[k], normal, true);
	if (!needed)
		return bawn_sh_file(s, e, t, BAWN_ACCESS_LIST, node);
	char *below = bawn_arena_get(bawn_sh_arena(e), t.n + 8);
	if (below == NULL)
		return 0;
	memcpy(below, t.p, t.n);
	memcpy(below + t.n, "/found", 7);
	(void)bawn_sh_file(s, e, t, BAWN_ACCESS_LIST, node);
	return bawn_sh_file(s, e, (struct bawn_span){ below, t.n + 6 }, access, node);
}

/* ln TARGET NAME; ln TARGET names it as it is called, here. */
static void other_name(struct shell *s, struct engine *e, struct value *const *word, uint32_t n, uint32_t node)
{
	struct bawn_span of[2] = { { NULL, 0 }, { NULL, 0 } };
	uint32_t seen = 0;
	for (uint32_t i = 1; i < n; i++)
		if (bawn_value_is_text(word[i]) && !bawn_sh_option(word[i]) && seen++ < 2)
			of[seen - 1] = word[i]->text;
	const char *slash = of[0].p != NULL && of[0].n > 0 ? memrchr(of[0].p, '/', of[0].n) : NULL;
	if (seen == 1 && slash != NULL)
		of[1] = (struct bawn_span){ slash + 1, of[0].n - (size_t)(slash + 1 - of[0].p) };
	if (of[0].n > 0 && of[1].n > 0 && seen <= 2)
		bawn_engine_link(e, of[0], bawn_sh_path(s, of[1]), node);
}

static uint64_t operands(struct shell *s, struct engine *e, const char *name, struct value *const *word, uint32_t n, uint32_t node)
{
	const struct command *c = bawn_command_find(name);
	static const struct command unknown = { .access = BAWN_ACCESS_USE, .valued = "" };
	uint64_t tags = 0;
	uint32_t last = 0, seen = 0;
	bool echo = c != NULL && c->access == N, finds = strcmp(name, "find") == 0;
	c = c != NULL ? c : &unknown;
	enum bawn_access access = access_of(name, c, word, n);
	if (strcmp(name, "git") == 0)
		git_setting(e, word, n, node);
	if ((c->kind & EDITS) != 0 || c == &unknown)
		tags |= statements(s, e, name, word, n, node);
	for (uint32_t i = 1; i < n; i++)
		if (!bawn_sh_option(word[i]))
			last = i;
	for (uint32_t i = 1; i < n; i++) {
		if (!echo && c != &unknown)
			bawn_engine_reach(e, word[i], node);
		if (!bawn_value_is_text(word[i]))
			continue;
		struct bawn_span w = word[i]->text;
		if (w.n > 2 && w.p[0] != '-' && memchr(w.p, '=', w.n) != NULL && !echo)
			setting(e, w, node);
		if (strcmp(name, "dd") == 0 && w.n > 3 && (bawn_span_starts(w, "if=") || bawn_span_starts(w, "of="))) {
			tags |= bawn_sh_file(s, e, (struct bawn_span){ w.p + 3, w.n - 3 }, w.p[0] == 'i' ? BAWN_ACCESS_READ : BAWN_ACCESS_WRITE, node);
			continue;
		}
		if (bawn_sh_option(word[i])) {
			uint32_t took = one_option(s, e, name, word, n, i, node, &tags);
			if (finds && seen > 0)
				break;
			bool value = took == 1 && bawn_sh_takes_value(c, w) && (c->kind & WRAPS) == 0;
			if (value && i + 1 < n && bawn_value_is_text(word[i + 1]))
				setting(e, word[i + 1]->text, node);
			i += took > 1 || value ? 1 : 0;
			seen += (c->kind & FIRST) != 0 && (bawn_span_is(w, "-e") || bawn_span_is(w, "-f") || bawn_span_starts(w, "--regexp") || bawn_span_starts(w, "--reference"));
			continue;
		}
		seen++;
		if (echo || ((c->kind & FIRST) != 0 && seen == 1))
			continue;
		bool written = (c->kind & LAST) != 0 && i == last && seen > 1;
		if (access == BAWN_ACCESS_USE && !written && (w.n < 2 || (w.p[0] != '/' && w.p[0] != '~' && w.p[0] != '$')))
			continue;
		if ((c->kind & WRAPS) != 0)
			break;
		tags |= finds ? found_path(s, e, w, word, n, access, node) : bawn_sh_file(s, e, w, written ? BAWN_ACCESS_WRITE : access, node);
	}
	if (strcmp(name, "ln") == 0)
		other_name(s, e, word, n, node);
	return tags;
}

/* What find puts in the place of {}: the directory with the name it looks for, NULL where it is our own. */
static struct value *found_file(const struct shell *s, struct engine *e, struct value *const *word, uint32_t n)
{
	struct bawn_span dir = { NULL, 0 }, name = bawn_span("found");
	for (uint32_t i = 1; i < n && !bawn_sh_in(word[i], "-exec -execdir -ok -okdir"); i++) {
		if (!bawn_value_is_text(word[i]))
			continue;
		if (dir.p == NULL && !bawn_sh_option(word[i]))
			dir = bawn_sh_path(s, word[i]->text);
		if (i + 1 < n && bawn_value_is_text(word[i + 1]) && bawn_sh_in(word[i], "-name -iname"))
			name = word[i + 1]->text;
		if (i + 1 < n && bawn_value_is_text(word[i + 1]) && bawn_sh_in(word[i], "-path -wholename"))
			return word[i + 1];
	}
	if (dir.n == 0 || (dir.p[0] != '/' && dir.p[0] != '~' && dir.p[0] != '$'))
		return NULL;
	const char *full = bawn_arena_fmt(bawn_sh_arena(e), "%.*s/%.*s", (int)dir.n, dir.p, (int)name.n, name.p);
	return full != NULL ? bawn_value_text(e, bawn_span(full)) : NULL;
}

struct value *bawn_sh_marked(struct engine *e, struct value *word, const char *mark, const struct value *with)
{
	const char *at = bawn_value_is_text(word) ? memmem(word->text.p, word->text.n, mark, strlen(mark)) : NULL;
	if (at == NULL || !bawn_value_is_text(with))
		return word;
	struct value before = { .text = { word->text.p, (size_t)(at - word->text.p) }, .taint = word->taint };
	struct value after = { .text = { at + strlen(mark), word->text.n - before.text.n - strlen(mark) } };
	struct value *v = bawn_sh_concat(e, &before, with, "");
	return v != NULL ? bawn_sh_concat(e, v, &after, "") : word;
}

/* The commands that find runs, with what it finds; what they only delete, found_path has judged. */
static void put_found(const struct shell *s, struct engine *e, struct value **word, uint32_t inner, uint32_t n)
{
	struct value *found = found_file(s, e, word, n);
	bool deletes = false;
	for (uint32_t i = inner; found != NULL && i < n; i++) {
		if (i == inner || bawn_sh_in(word[i - 1], "-exec -execdir -ok -okdir")) {
			const struct command *c = bawn_command_find(bawn_sh_name(e, word[i]));
			deletes = c != NULL && c->access == BAWN_ACCESS_DELETE && (c->kind & LAST) == 0;
		}
		if (!deletes)
			word[i] = bawn_sh_marked(e, word[i], "{}", found);
		else if (bawn_sh_is(word[i], "{}"))
			word[i] = bawn_sh_text(e, word[i]->text, BAWN_TAG(INPUT));  /* names that come from elsewhere */
	}
}

/* Where the command of an -exec ends. */
static uint32_t exec_end(struct value *const *word, uint32_t from, uint32_t n)
{
	while (from < n && !bawn_sh_in(word[from], "; + \\;"))
		from++;
	return from;
}

static uint64_t one_command(struct shell *s, struct engine *e, struct value **word, uint32_t n, uint32_t node);

/* find -exec a {} ; -exec b {} ; runs all of them; what follows the first.  One cannot hold another: each
 * ends at the next mark. */
static void more_execs(struct shell *s, struct engine *e, struct value **word, uint32_t from, uint32_t n, uint32_t node)
{
	while (from + 1 < n) {
		bool exec = bawn_sh_in(word[from], "-exec -execdir -ok -okdir");
		uint32_t end = exec ? exec_end(word, from + 1, n) : from + 1;
		if (exec && end > from + 1)
			(void)one_command(s, e, word + from + 1, end - from - 1, node);
		from = end;
	}
}

/* ---- one command ---- */

/* su, gosu and the like: root where nobody else is named. */
static void become(struct engine *e, const char *name, struct value *const *word, uint32_t n, uint32_t node)
{
	static const char *const other[] = { "su", "gosu", "su-exec", "runuser", "setuidgid", "chpst" };
	size_t k = 0;
	while (k < BAWN_LEN(other) && strcmp(name, other[k]) != 0)
		k++;
	if (k == BAWN_LEN(other))
		return;
	const struct value *user = NULL;
	for (uint32_t i = 1; i < n && user == NULL; i++) {
		bool names_user = bawn_sh_is(word[i], "-u") || bawn_sh_is(word[i], "--user");
		if (names_user && i + 1 < n)
			user = word[i + 1];
		else if (bawn_sh_option(word[i]))
			i += bawn_sh_in(word[i], "-c -s -g -G -w --command");
		else if (!bawn_sh_is(word[i], "-"))
			user = word[i];
	}
	bool root = user == NULL || bawn_sh_in(user, "root 0 root:root");
	(void)bawn_engine_event(e, root ? "becomes-root" : "becomes-user", node, NULL);
}

/* /b?n/c?t, and not a colour, a sentence or [. */
static bool spelled_with_wildcards(const char *name)
{
	const char *first = strpbrk(name, "?*[");
	if (first == NULL || strcmp(name, "[") == 0 || strcmp(name, "[[") == 0 || (*first == '[' && strchr(first, ']') == NULL && strpbrk(name, "?*") == NULL))
		return false;
	for (; *name != '\0'; name++)
		if ((unsigned char)*name <= ' ' || *name == 127)
			return false;
	return true;
}

static uint64_t one_command(struct shell *s, struct engine *e, struct value **word, uint32_t n, uint32_t node)
{
	uint64_t tags = 0;
	for (unsigned level = 0; level < 8 && n > 0 && e->error == 0; level++) {
		const char *name = bawn_sh_name(e, word[0]);
		uint64_t taint = 0;
		for (uint32_t i = 0; i < n; i++)
			taint |= word[i] != NULL ? word[i]->taint : 0;
		if (name == NULL) {
			bool fed = word[0] != NULL && (word[0]->taint & (BAWN_TAG(INPUT) | BAWN_TAG(NET_RECV))) != 0;
			bawn_engine_reach(e, word[0], node);
			tags |= operands(s, e, "", word, n, node);  /* whatever it is, it is given these files */
			return tags | bawn_engine_event(e, fed ? "runs-input" : "unknown-command", node, NULL);
		}
		struct value *all = bawn_sh_join(e, word, n < 64 ? n : 64);
		uint64_t own = operands(s, e, name, word, n, node);
		struct fact f = { .kind = BAWN_MATCH_COMMAND, .name = name, .arg = word + 1, .n_args = n - 1, .node = node,
		                  .taint = taint | (own & (BAWN_TAG(READ) | BAWN_TAG(SECRET))), .folded = all != NULL ? all->text.p : NULL };
		own |= bawn_engine_fact(e, &f);
		tags |= own;
		if ((word[0]->taint & BAWN_TAG(DECODE)) != 0)
			tags |= bawn_engine_event(e, "decoded-name", node, f.folded);
		become(e, name, word, n, node);
		if (spelled_with_wildcards(name))
			tags |= bawn_engine_event(e, "disguised-command", node, f.folded);
		uint32_t inner = bawn_sh_inner(name, word, n);
		take_settings(s, name, word, inner, node);
		bawn_sh_programs(s, e, name, word, n, node);
		bawn_sh_keep_files(s, e, name, word, n, own, node);
		if (inner == 0)
			return tags;
		if (strcmp(name, "find") == 0) {
			uint32_t end = exec_end(word, inner, n);
			put_found(s, e, word, inner, n);
			more_execs(s, e, word, end, n, node);
			n = end;
		}
		word += inner;
		n -= inner;
	}
	return n > 0 && e->error == 0 ? tags | bawn_engine_event(e, "nested-too-deep", node, NULL) : tags;
}

/* Words from another language: the shell's rules hold. */
uint64_t bawn_sh_command(struct shell *s, struct engine *e, struct value **word, uint32_t n, uint32_t node)
{
	if (e->tree->grammar == BAWN_GRAMMAR_BASH)
		return one_command(s, e, word, n, node);
	struct bawn_tree as_shell = *e->tree;
	const struct bawn_tree *outer = e->tree;
	as_shell.grammar = BAWN_GRAMMAR_BASH;
	e->tree = &as_shell;
	uint64_t tags = one_command(s, e, word, n, node);
	e->tree = outer;
	return tags;
}

uint64_t bawn_shell_command(struct engine *e, struct value **word, uint32_t n, uint32_t node)
{
	return bawn_sh_command(NULL, e, word, n, node);
}
