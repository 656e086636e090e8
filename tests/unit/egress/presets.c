/* presets.c - whose pip and npm: the files and variables they document, in their order, as the user who asks. */
#include "egress/presets.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "tap.h"
#include "tmpdir.h"

struct file { const char *path, *text; mode_t mode; };
#define FILES 4
#define VARS  4
static const struct row {
	const char *name;
	enum bawn_preset preset;
	struct file file[FILES];
	const char *var[VARS];
	const char *rules, *env;   /* joined by blanks, by lines; NULL rules: refused */
	bool stripped;
} row[] = {
	{ "pip: nothing is written", BAWN_PRESET_PIP, .rules = NULL },
	{ "pip: for everybody", BAWN_PRESET_PIP, { { "etc/pip.conf", "[global]\nindex-url = https://index.test/simple\n" } }, .rules = "index.test", .env = "PIP_INDEX_URL=https://index.test/simple" },
	{ "pip: another section says nothing", BAWN_PRESET_PIP, { { "etc/pip.conf", "[freeze]\nindex-url = https://index.test/simple\n" } }, .rules = NULL },
	{ "pip: the user goes before everybody", BAWN_PRESET_PIP, { { "etc/pip.conf", "[global]\nindex-url=https://a.test/s\n" }, { "home/.config/pip/pip.conf", "[global]\nindex_url: https://b.test:8443/s/\n" } },
	  .rules = "b.test:8443", .env = "PIP_INDEX_URL=https://b.test:8443/s/" },
	{ "pip: the old place of the user", BAWN_PRESET_PIP, { { "home/.pip/pip.conf", "[global]\nindex-url=https://a.test/s\n" } }, .rules = "a.test", .env = "PIP_INDEX_URL=https://a.test/s" },
	{ "pip: XDG_CONFIG_HOME", BAWN_PRESET_PIP, { { "home/.config/pip/pip.conf", "[global]\nindex-url=https://a.test/s\n" }, { "x/pip/pip.conf", "[global]\nindex-url=https://b.test/s\n" } },
	  { "XDG_CONFIG_HOME=/x" }, "b.test", "PIP_INDEX_URL=https://b.test/s" },
	{ "pip: the interpreter's prefix goes before the user", BAWN_PRESET_PIP, { { "usr/pip.conf", "[global]\nindex-url=https://a.test/s\n" }, { "home/.pip/pip.conf", "[global]\nindex-url=https://b.test/s\n" } },
	  .rules = "a.test", .env = "PIP_INDEX_URL=https://a.test/s" },
	{ "pip: a variable goes before all", BAWN_PRESET_PIP, { { "etc/pip.conf", "[global]\nindex-url=https://a.test/s\n" } }, { "PIP_INDEX_URL=https://v.test/s" }, "v.test", "PIP_INDEX_URL=https://v.test/s" },
	{ "pip: an empty variable says nothing", BAWN_PRESET_PIP, { { "etc/pip.conf", "[global]\nindex-url=https://a.test/s\n" } }, { "PIP_INDEX_URL=" }, "a.test", "PIP_INDEX_URL=https://a.test/s" },
	{ "pip: nor does an empty value", BAWN_PRESET_PIP, { { "etc/pip.conf", "[install]\nindex-url=\n[global]\nindex-url=https://a.test/s\n" } }, .rules = "a.test", .env = "PIP_INDEX_URL=https://a.test/s" },
	{ "npm: nor to npm", BAWN_PRESET_NPM, { { "home/.npmrc", "registry=https://r.test/\n" } }, { "npm_config_registry=" }, "r.test", "npm_config_registry=https://r.test/" },
	{ "pip: PIP_CONFIG_FILE is read in place of the user's", BAWN_PRESET_PIP, { { "home/.config/pip/pip.conf", "[global]\nindex-url=https://a.test/s\nextra-index-url=https://x.test/s\n" },
	  { "named.conf", "[global]\nindex-url=https://n.test/s\n" } }, { "PIP_CONFIG_FILE=/named.conf" }, "n.test", "PIP_INDEX_URL=https://n.test/s" },
	{ "pip: no files where PIP_CONFIG_FILE is /dev/null", BAWN_PRESET_PIP, { { "etc/pip.conf", "[global]\nindex-url=https://a.test/s\n" } }, { "PIP_CONFIG_FILE=/dev/null" }, .rules = NULL },
	{ "pip: [install] goes before [global]", BAWN_PRESET_PIP, { { "etc/pip.conf", "[install]\nindex-url=https://i.test/s\n[global]\nindex-url=https://a.test/s\n" } }, .rules = "i.test", .env = "PIP_INDEX_URL=https://i.test/s" },
	{ "pip: more indexes on several lines, comments between", BAWN_PRESET_PIP,
	  { { "etc/pip.conf", "# mine\n[global]\nindex-url = https://a.test/s\nextra-index-url =\n    https://b.test/s\n    # not this\n    http://c.test/s\ntimeout = 60\n" } },
	  .rules = "a.test b.test http://c.test:80", .env = "PIP_INDEX_URL=https://a.test/s\nPIP_EXTRA_INDEX_URL=https://b.test/s http://c.test/s" },
	{ "pip: plain HTTP and whom to believe", BAWN_PRESET_PIP, { { "etc/pip.conf", "[global]\nindex-url = http://m.test:8080/s\ntrusted-host = m.test:8080\n" } }, .rules = "http://m.test:8080",
	  .env = "PIP_INDEX_URL=http://m.test:8080/s\nPIP_TRUSTED_HOST=m.test:8080" },
	{ "pip: a password is not handed on", BAWN_PRESET_PIP, { { "etc/pip.conf", "[global]\nindex-url = https://me:p%40ss@a.test/s\n" } }, .rules = "a.test", .env = "PIP_INDEX_URL=https://a.test/s", .stripped = true },
	{ "pip: a file of the host is no index", BAWN_PRESET_PIP, { { "etc/pip.conf", "[global]\nindex-url = file:///srv/simple\n" } }, .rules = NULL },
	{ "pip: no host", BAWN_PRESET_PIP, { { "etc/pip.conf", "[global]\nindex-url = https:///s\n" } }, .rules = NULL },
	{ "pip: a line that is none", BAWN_PRESET_PIP, { { "etc/pip.conf", "[global]\nindex-url = https://a.test/s\nwhat is this\n" } }, .rules = NULL },
	{ "pip: a value before any section", BAWN_PRESET_PIP, { { "etc/pip.conf", "index-url = https://a.test/s\n" } }, .rules = NULL },
	{ "pip: as root not a file that others can write", BAWN_PRESET_PIP, { { "etc/pip.conf", "[global]\nindex-url = https://a.test/s\n", 0666 } }, .rules = NULL },
	{ "npm: nothing is written", BAWN_PRESET_NPM, .rules = NULL },
	{ "npm: the user's", BAWN_PRESET_NPM, { { "home/.npmrc", "; mine\nregistry=https://r.test/\n//r.test/:_authToken=secret\nfund=false\nbare\n" } }, .rules = "r.test", .env = "npm_config_registry=https://r.test/" },
	{ "npm: the user goes before everybody", BAWN_PRESET_NPM, { { "usr/etc/npmrc", "registry=https://e.test/\n" }, { "home/.npmrc", "registry = \"https://u.test:4873/\"\n" } }, .rules = "u.test:4873",
	  .env = "npm_config_registry=https://u.test:4873/" },
	{ "npm: for everybody, in node's prefix", BAWN_PRESET_NPM, { { "usr/etc/npmrc", "registry=https://e.test/\n" }, { "etc/npmrc", "registry=https://other.test/\n" } }, .rules = "e.test", .env = "npm_config_registry=https://e.test/" },
	{ "npm: Debian's, in /etc", BAWN_PRESET_NPM, { { "usr/share/nodejs/npm/package.json", "{}" }, { "etc/npmrc", "registry=https://e.test/\n" } }, .rules = "e.test", .env = "npm_config_registry=https://e.test/" },
	{ "npm: a variable in capitals", BAWN_PRESET_NPM, { { "home/.npmrc", "registry=https://u.test/\n" } }, { "NPM_CONFIG_REGISTRY=https://v.test/" }, "v.test", "npm_config_registry=https://v.test/" },
	{ "npm: scopes have registries of their own", BAWN_PRESET_NPM, { { "home/.npmrc", "registry=https://r.test/\n@mine:registry=https://m.test/npm/\n" } }, .rules = "r.test m.test",
	  .env = "npm_config_registry=https://r.test/\nnpm_config_@mine:registry=https://m.test/npm/" },
	{ "npm: a section is not looked into", BAWN_PRESET_NPM, { { "home/.npmrc", "[x]\nregistry=https://r.test/\n" } }, .rules = NULL },
	{ "npm: a variable in the address is not guessed", BAWN_PRESET_NPM, { { "home/.npmrc", "registry=https://${REGISTRY}/\n" } }, .rules = NULL },
	{ "another's home is not ours", BAWN_PRESET_NPM, { { "theirs/.npmrc", "registry=https://r.test/\n" } }, { "HOME=/theirs" }, .rules = NULL },
};

static const char *const *vars;
static const char *variable(const char *name)
{
	size_t n = strlen(name);
	for (size_t i = 0; i < VARS && vars[i] != NULL; i++)
		if (strncmp(vars[i], name, n) == 0 && vars[i][n] == '=')
			return vars[i] + n + 1;
	return strcmp(name, "HOME") == 0 ? "/home" : NULL;
}

static char *joined(const struct bawn_strings *s, char by)
{
	struct bawn_buf b = BAWN_BUF(8192);
	for (size_t i = 0; i < s->n; i++) {
		if (i > 0)
			bawn_buf_char(&b, by);
		bawn_buf_str(&b, s->item[i]);
	}
	return b.p != NULL ? b.p : strdup("");
}

static bool tried(const struct row *r)
{
	auto_tmpdir dir = tmpdir_make();
	char path[600];
	static const char *const make[] = { "home", "theirs" };
	for (size_t i = 0; i < sizeof make / sizeof *make; i++) {
		snprintf(path, sizeof path, "%s/%s", dir.path, make[i]);
		(void)!bawn_make_dirs(path, 0755, NULL);
	}
	if (chown(path, 12345, (gid_t)-1) < 0 && geteuid() == 0)
		return false;
	for (size_t i = 0; i < FILES && r->file[i].path != NULL; i++) {
		snprintf(path, sizeof path, "%s/%s", dir.path, r->file[i].path);
		char *slash = strrchr(path, '/');
		*slash = '\0';
		(void)!bawn_make_dirs(path, 0755, NULL);
		*slash = '/';
		if (bawn_replace_file(AT_FDCWD, path, bawn_span(r->file[i].text), 0644, NULL) < 0 || chmod(path, r->file[i].mode != 0 ? r->file[i].mode : 0644) < 0)
			return false;
	}
	vars = r->var;
	struct bawn_preset_host host = { .root = dir.path, .uid = geteuid(), .python = "/usr/bin/python3", .node = "/usr/bin/node", .variable = variable };
	struct bawn_preset_found found = { 0 };
	struct bawn_err err = { 0 };
	int got = bawn_preset_resolve(r->preset, &host, &found, &err);
	bawn_auto_free char *rules = joined(&found.rule, ' '), *env = joined(&found.env, '\n');
	bool good = r->rules == NULL ? got < 0 && err.type == BAWN_ERROR_NETWORK_UNAVAILABLE &&
	                               (strstr(r->name, "another's") == NULL || strstr(err.msg, "names no index") != NULL)  /* not looked at, rather than refused */
	                             : got == 0 && strcmp(rules, r->rules) == 0 && strcmp(env, r->env) == 0 && found.stripped == r->stripped;
	if (!good)
		diag("%d %s | %s | %s", got, err.msg, rules, env);
	bawn_strings_done(&found.rule);
	bawn_strings_done(&found.env);
	return good;
}

int main(void)
{
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		bool root_only = strstr(row[i].name, "as root") != NULL || strstr(row[i].name, "another's") != NULL;
		if (root_only && geteuid() != 0)
			skip(row[i].name, "needs root");
		else
			ok(tried(&row[i]), "%s", row[i].name);
	}
	ok(bawn_preset_named("pip") == BAWN_PRESET_PIP && bawn_preset_named("npm") == BAWN_PRESET_NPM && bawn_preset_named("pip.test") < 0, "presets by name");
	return done_testing();
}
