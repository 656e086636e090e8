#include "egress/presets.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/file.h"

#define FILE_MAX   (256u << 10)
#define VALUE_MAX  8192u
#define UNAVAILABLE(...) bawn_fail_as(err, BAWN_ERROR_NETWORK_UNAVAILABLE, "network.whitelist", __VA_ARGS__)

int bawn_strings_add(struct bawn_strings *s, const char *fmt, ...)
{
	va_list ap;
	char *text = NULL;
	char **more = realloc(s->item, (s->n + 1) * sizeof *more);
	if (more == NULL)
		return -ENOMEM;
	s->item = more;
	va_start(ap, fmt);
	int n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return -ENOMEM;
	s->item[s->n++] = text;
	return 0;
}

void bawn_strings_done(struct bawn_strings *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->item[i]);
	free(s->item);
	*s = (struct bawn_strings){ 0 };
}

int bawn_preset_named(const char *row)
{
	static const char *const name[] = {
#define NAME(n, t) t,
		BAWN_PRESETS(NAME)
	};
	for (int i = 0; i < BAWN_PRESET_COUNT; i++)
		if (strcmp(row, name[i]) == 0)
			return i;
	return -1;
}

/* --- files of the INI kind --------------------------------------------------------------------- */

static struct bawn_span trimmed(struct bawn_span s)
{
	while (s.n > 0 && strchr(" \t\r\n", s.p[0]) != NULL && s.p[0] != '\0')
		s.p++, s.n--;
	while (s.n > 0 && strchr(" \t\r\n", s.p[s.n - 1]) != NULL && s.p[s.n - 1] != '\0')
		s.n--;
	return s;
}

static struct bawn_span unquoted(struct bawn_span s)
{
	bool quoted = s.n >= 2 && (s.p[0] == '"' || s.p[0] == '\'') && s.p[s.n - 1] == s.p[0];
	return quoted ? (struct bawn_span){ s.p + 1, s.n - 2 } : s;
}

/* Where a key ends: at the first '=', for pip also ':'. */
static size_t key_length(struct bawn_span line, bool flat)
{
	size_t n = 0;
	while (n < line.n && line.p[n] != '=' && (flat || line.p[n] != ':'))
		n++;
	return n;
}

struct reading { bawn_ini_each *each; void *ctx; bool flat, open; struct bawn_span section, key; struct bawn_buf value; };

static void flush(struct reading *r)
{
	if (r->open && bawn_buf_error(&r->value) == 0)
		r->each(r->ctx, r->section, r->key, r->flat ? unquoted(trimmed(bawn_buf_span(&r->value))) : trimmed(bawn_buf_span(&r->value)));
	bawn_buf_reset(&r->value);
	r->open = false;
}

static bool take(struct reading *r, struct bawn_span line)
{
	struct bawn_span text = trimmed(line);
	if (text.n == 0 || text.p[0] == '#' || text.p[0] == ';')
		return true;
	if (!r->flat && r->open && (line.p[0] == ' ' || line.p[0] == '\t')) {  /* it goes on */
		bawn_buf_char(&r->value, '\n');
		bawn_buf_add(&r->value, text.p, text.n);
		return bawn_buf_error(&r->value) == 0;
	}
	flush(r);
	if (text.p[0] == '[') {
		r->section = (struct bawn_span){ text.p + 1, text.n - 2 };
		return text.n >= 2 && text.p[text.n - 1] == ']';
	}
	size_t n = key_length(text, r->flat);
	if (n == text.n)
		return r->flat;  /* npm takes a bare key for a true one */
	r->key = trimmed((struct bawn_span){ text.p, n });
	struct bawn_span value = trimmed((struct bawn_span){ text.p + n + 1, text.n - n - 1 });
	bawn_buf_add(&r->value, value.p, value.n);
	r->open = true;
	return r->key.n > 0 && (r->flat || r->section.p != NULL) && bawn_buf_error(&r->value) == 0;
}

unsigned bawn_ini_read(struct bawn_span text, bool flat, bawn_ini_each *each, void *ctx)
{
	struct reading r = { .each = each, .ctx = ctx, .flat = flat, .value = BAWN_BUF(VALUE_MAX) };
	struct bawn_span rest = text, line;
	unsigned n = 0, bad = 0;
	while (bad == 0 && rest.n > 0) {
		n++;
		if (!bawn_span_take(&rest, '\n', &line)) {
			line = rest;
			rest.n = 0;
		}
		if (memchr(line.p, '\0', line.n) != NULL || !take(&r, line))
			bad = n;
	}
	if (bad == 0)
		flush(&r);
	bawn_buf_done(&r.value);
	return bad;
}

/* --- what is looked for ------------------------------------------------------------------------ */

/* X(NAME): values, each the last that was written. */
enum wanted { PIP_INDEX, PIP_EXTRA, PIP_TRUSTED, NPM_REGISTRY, WANTED_COUNT };
static const struct { enum bawn_preset preset; const char *key, *variable; } wanted[] = {
	[PIP_INDEX]    = { BAWN_PRESET_PIP, "index-url", "PIP_INDEX_URL" },
	[PIP_EXTRA]    = { BAWN_PRESET_PIP, "extra-index-url", "PIP_EXTRA_INDEX_URL" },
	[PIP_TRUSTED]  = { BAWN_PRESET_PIP, "trusted-host", "PIP_TRUSTED_HOST" },
	[NPM_REGISTRY] = { BAWN_PRESET_NPM, "registry", "npm_config_registry" },
};
_Static_assert(BAWN_LEN(wanted) == WANTED_COUNT, "one row each");

#define SCOPES_MAX 32u
struct values {
	enum bawn_preset preset;
	char *value[WANTED_COUNT];      /* [0]: of all commands; an [install] section goes before */
	char *install[WANTED_COUNT];
	struct { char *key, *value; } scope[SCOPES_MAX]; size_t n_scopes;  /* "@scope:registry" */
	bool  oom;
};

static void keep(struct values *v, char **at, struct bawn_span text)
{
	char *copy = strndup(text.p != NULL ? text.p : "", text.n);
	v->oom = v->oom || copy == NULL;
	free(*at);
	*at = copy;
}

static bool is_key(struct bawn_span key, const char *wanted_key, bool pip)
{
	if (pip && bawn_span_starts(key, "--"))
		key = (struct bawn_span){ key.p + 2, key.n - 2 };
	for (size_t i = 0; i < key.n; i++) {
		char c = key.p[i];
		if (pip)
			c = c == '_' ? '-' : c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
		if (wanted_key[i] == '\0' || wanted_key[i] != c)
			return false;
	}
	return wanted_key[key.n] == '\0';
}

static void keep_scope(struct values *v, struct bawn_span key, struct bawn_span value)
{
	size_t i = 0;
	if (key.n < 11 || key.p[0] != '@' || memcmp(key.p + key.n - 9, ":registry", 9) != 0)
		return;
	while (i < v->n_scopes && !bawn_span_is(key, v->scope[i].key))
		i++;
	if (i == SCOPES_MAX)
		return;  /* its registry stays out of reach */
	v->n_scopes += i == v->n_scopes;
	keep(v, &v->scope[i].key, key);
	keep(v, &v->scope[i].value, value);
}

static void on_value(void *ctx, struct bawn_span section, struct bawn_span key, struct bawn_span value)
{
	struct values *v = ctx;
	bool pip = v->preset == BAWN_PRESET_PIP, install = bawn_span_is(section, "install");
	if (pip ? !install && !bawn_span_is(section, "global") : section.p != NULL)
		return;
	for (int i = 0; i < WANTED_COUNT; i++)
		if (wanted[i].preset == v->preset && is_key(key, wanted[i].key, pip))
			keep(v, install ? &v->install[i] : &v->value[i], value);
	if (!pip)
		keep_scope(v, key, value);
}

static void done(struct values *v)
{
	for (int i = 0; i < WANTED_COUNT; i++) {
		free(v->value[i]);
		free(v->install[i]);
	}
	for (size_t i = 0; i < v->n_scopes; i++) {
		free(v->scope[i].key);
		free(v->scope[i].value);
	}
}

/* --- where it is looked for -------------------------------------------------------------------- */

static int read_one(struct values *v, const struct bawn_preset_host *host, const char *path, struct bawn_err *err)
{
	char full[1024];
	struct stat st;
	bawn_auto_buf text = BAWN_BUF(FILE_MAX);
	int n = snprintf(full, sizeof full, "%s%s", host->root, path);
	if (n < 0 || (size_t)n >= sizeof full)
		return UNAVAILABLE("'%.200s' is too long a path", path);
	bawn_auto_fd fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return UNAVAILABLE("'%.200s' cannot be read", full);
	if (host->uid == 0 && (st.st_uid != 0 || (st.st_mode & 022) != 0))
		return UNAVAILABLE("'%.200s' is not root's alone: as root bawn does not take its word", full);
	if (bawn_read_fd(fd, full, &text, NULL) < 0)
		return UNAVAILABLE("'%.200s' cannot be read, or has more than %u bytes", full, FILE_MAX);
	unsigned line = bawn_ini_read(bawn_buf_span(&text), v->preset == BAWN_PRESET_NPM, on_value, v);
	return line == 0 ? 0 : UNAVAILABLE("%.200s:%u: this line is not understood", full, line);
}

static int read_below(struct values *v, const struct bawn_preset_host *host, const char *dir, const char *name, struct bawn_err *err)
{
	char path[1024];
	int n = dir != NULL && dir[0] == '/' ? snprintf(path, sizeof path, "%s/%s", dir, name) : -1;
	return n > 0 && (size_t)n < sizeof path ? read_one(v, host, path, err) : 0;
}

/* The home of whom we run as, or NULL: another's is no configuration of ours. */
static const char *home_of(const struct bawn_preset_host *host)
{
	const char *home = host->variable("HOME");
	char full[1024];
	struct stat st;
	if (home == NULL || home[0] != '/' || snprintf(full, sizeof full, "%s%s", host->root, home) >= (int)sizeof full)
		return NULL;
	return stat(full, &st) == 0 && st.st_uid == host->uid ? home : NULL;
}

/* "/usr/bin/python3" -> "/usr" */
static void prefix_of(const char *interpreter, char out[static 512])
{
	snprintf(out, 512, "%s", interpreter);
	for (int i = 0; i < 2; i++) {
		char *slash = strrchr(out, '/');
		if (slash != NULL)
			*slash = '\0';
	}
}

static int read_xdg(struct values *v, const struct bawn_preset_host *host, struct bawn_err *err)
{
	const char *dirs = host->variable("XDG_CONFIG_DIRS");
	struct bawn_span rest = bawn_span(dirs != NULL && dirs[0] != '\0' ? dirs : "/etc/xdg"), one;
	int r = 0;
	for (bool more = true; r == 0 && more; ) {
		char dir[512];
		more = bawn_span_take(&rest, ':', &one);
		if (!more)
			one = rest;
		if (one.n > 0 && one.n < sizeof dir) {
			snprintf(dir, sizeof dir, "%.*s", (int)one.n, one.p);
			r = read_below(v, host, dir, "pip/pip.conf", err);
		}
	}
	return r;
}

/* Each overrides what comes before: everybody's, the user's, the interpreter's, the file that PIP_CONFIG_FILE names. */
static int read_pip(struct values *v, const struct bawn_preset_host *host, struct bawn_err *err)
{
	const char *named = host->variable("PIP_CONFIG_FILE"), *home = home_of(host), *xdg = host->variable("XDG_CONFIG_HOME");
	char prefix[512], path[PATH_MAX];
	if (named != NULL && strcmp(named, "/dev/null") == 0)
		return 0;
	snprintf(path, sizeof path, "%s%s", host->root, named != NULL ? named : "");
	bool instead = named != NULL && access(path, F_OK) == 0;
	int r = read_xdg(v, host, err);
	if (r == 0)
		r = read_one(v, host, "/etc/pip.conf", err);
	if (r == 0 && !instead)
		r = read_below(v, host, home, ".pip/pip.conf", err);
	if (r == 0 && !instead && home != NULL)
		r = xdg != NULL && xdg[0] == '/' ? read_below(v, host, xdg, "pip/pip.conf", err) : read_below(v, host, home, ".config/pip/pip.conf", err);
	prefix_of(host->python, prefix);
	if (r == 0)
		r = read_below(v, host, prefix, "pip.conf", err);
	return r == 0 && named != NULL ? read_one(v, host, named, err) : r;
}

/* npm's own variables, in either spelling. */
static const char *npm_variable(const struct bawn_preset_host *host, const char *lower, const char *upper)
{
	const char *value = host->variable(lower);
	return value != NULL ? value : host->variable(upper);
}

/* Debian's npm has its file for everybody in /etc, others in the prefix of node. */
static int read_npm(struct values *v, const struct bawn_preset_host *host, struct bawn_err *err)
{
	const char *everybody = npm_variable(host, "npm_config_globalconfig", "NPM_CONFIG_GLOBALCONFIG");
	const char *user = npm_variable(host, "npm_config_userconfig", "NPM_CONFIG_USERCONFIG"), *home = home_of(host);
	char debian[512], prefix[512];
	snprintf(debian, sizeof debian, "%s/usr/share/nodejs/npm", host->root);
	prefix_of(host->node, prefix);
	int r = everybody != NULL ? read_one(v, host, everybody, err) : access(debian, F_OK) == 0 ? read_one(v, host, "/etc/npmrc", err)
	        : read_below(v, host, prefix, "etc/npmrc", err);
	if (r == 0)
		r = user != NULL ? read_one(v, host, user, err) : read_below(v, host, home, ".npmrc", err);
	return r;
}

/* --- what comes of it -------------------------------------------------------------------------- */

/* Splits "scheme://user@host:port/path"; the row and the address without the user. */
static bool read_url(struct bawn_span url, struct bawn_buf *row, struct bawn_buf *clean, bool *stripped)
{
	bool plain = bawn_span_starts(url, "http://");
	if (!plain && !bawn_span_starts(url, "https://"))
		return false;
	for (size_t i = 0; i < url.n; i++)
		if (url.p[i] <= ' ' || url.p[i] >= 0x7f || strchr("\"'\\`$", url.p[i]) != NULL)
			return false;
	size_t scheme = plain ? 7 : 8, n = scheme;
	while (n < url.n && strchr("/?#", url.p[n]) == NULL)
		n++;
	struct bawn_span authority = { url.p + scheme, n - scheme };
	const char *at = memrchr(authority.p, '@', authority.n);
	if (at != NULL) {
		authority.n -= (size_t)(at - authority.p) + 1;
		authority.p = at + 1;
		*stripped = true;
	}
	if (authority.n == 0)
		return false;
	bool port = memchr(authority.p, ':', authority.n) != NULL;
	bawn_buf_fmt(row, "%s%.*s%s", plain ? "http://" : "", (int)authority.n, authority.p, plain && !port ? ":80" : "");
	bawn_buf_fmt(clean, "%s%.*s%.*s", plain ? "http://" : "https://", (int)authority.n, authority.p, (int)(url.n - n), url.p + n);
	return bawn_buf_error(row) == 0 && bawn_buf_error(clean) == 0;
}

/* One or more addresses in white space: a row each, and all of them in one variable. */
static int add_urls(const char *name, const char *value, struct bawn_preset_found *out, struct bawn_err *err)
{
	bawn_auto_buf all = BAWN_BUF(VALUE_MAX);
	struct bawn_span rest = trimmed(bawn_span(value));
	while (rest.n > 0) {
		size_t n = 0;
		while (n < rest.n && strchr(" \t\r\n", rest.p[n]) == NULL)
			n++;
		bawn_auto_buf row = BAWN_BUF(300), clean = BAWN_BUF(2048);
		if (!read_url((struct bawn_span){ rest.p, n }, &row, &clean, &out->stripped))
			return UNAVAILABLE("%s of this host is no http:// or https:// address", name);
		if (bawn_strings_add(&out->rule, "%s", row.p) < 0)
			return bawn_fail(err, -ENOMEM, "resolve a preset");
		bawn_buf_fmt(&all, "%s%s", all.n > 0 ? " " : "", clean.p);
		rest = trimmed((struct bawn_span){ rest.p + n, rest.n - n });
	}
	if (bawn_buf_error(&all) < 0 || (all.n > 0 && bawn_strings_add(&out->env, "%s=%s", name, all.p) < 0))
		return bawn_fail(err, -ENOMEM, "resolve a preset");
	return 0;
}

/* Hosts that pip is told to believe without a certificate: handed on as they are. */
static int add_trusted(const char *value, struct bawn_preset_found *out, struct bawn_err *err)
{
	bawn_auto_buf all = BAWN_BUF(VALUE_MAX);
	for (; *value != '\0'; value++) {
		bool blank = strchr(" \t\r\n", *value) != NULL;
		if (!blank && (*value < ' ' || *value >= 0x7f || strchr("\"'\\`$", *value) != NULL))
			return UNAVAILABLE("trusted-host of this host's pip is no list of hosts");
		bawn_buf_char(&all, blank ? ' ' : *value);
	}
	if (bawn_buf_error(&all) < 0 || (all.n > 0 && bawn_strings_add(&out->env, "PIP_TRUSTED_HOST=%s", all.p) < 0))
		return bawn_fail(err, -ENOMEM, "resolve a preset");
	return 0;
}

static const char *value_of(const struct values *v, const struct bawn_preset_host *host, enum wanted i)
{
	const char *variable = i == NPM_REGISTRY ? npm_variable(host, "npm_config_registry", "NPM_CONFIG_REGISTRY") : host->variable(wanted[i].variable);
	const char *const said[] = { variable, v->install[i], v->value[i] };
	for (size_t k = 0; k < BAWN_LEN(said); k++)
		if (said[k] != NULL && said[k][0] != '\0')  /* what is empty says nothing, to pip and npm, too */
			return said[k];
	return NULL;
}

static int add_all(const struct values *v, const struct bawn_preset_host *host, struct bawn_preset_found *out, struct bawn_err *err)
{
	bool pip = v->preset == BAWN_PRESET_PIP;
	enum wanted main = pip ? PIP_INDEX : NPM_REGISTRY;
	const char *value = value_of(v, host, main);
	if (value == NULL)
		return UNAVAILABLE("%s of this host names no index: write '%s' into its configuration, or the host itself into network.whitelist",
		                   pip ? "pip" : "npm", wanted[main].key);
	int r = add_urls(wanted[main].variable, value, out, err);
	if (r == 0 && pip && (value = value_of(v, host, PIP_EXTRA)) != NULL)
		r = add_urls(wanted[PIP_EXTRA].variable, value, out, err);
	if (r == 0 && pip && (value = value_of(v, host, PIP_TRUSTED)) != NULL)
		r = add_trusted(value, out, err);
	for (size_t i = 0; r == 0 && i < v->n_scopes; i++) {
		char name[256];
		snprintf(name, sizeof name, "npm_config_%s", v->scope[i].key);
		r = add_urls(name, v->scope[i].value, out, err);
	}
	return r;
}

int bawn_preset_resolve(enum bawn_preset which, const struct bawn_preset_host *host, struct bawn_preset_found *out, struct bawn_err *err)
{
	struct values v = { .preset = which };
	int r = which == BAWN_PRESET_PIP ? read_pip(&v, host, err) : read_npm(&v, host, err);
	if (r == 0 && v.oom)
		r = bawn_fail(err, -ENOMEM, "resolve a preset");
	if (r == 0)
		r = add_all(&v, host, out, err);
	done(&v);
	return r;
}
