/* request.c - what may enter: each row is one promise of core/request.h. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "core/request.h"
#include "tap.h"

static struct bawn_policy *policy;

static struct bawn_request good(void)
{
	return (struct bawn_request){ .size = sizeof(struct bawn_request), .code = "print(1)", .code_size = 8, .language = "python" };
}

static enum bawn_error verdict(const struct bawn_request *r, const char *field)
{
	struct bawn_checked *c = NULL;
	struct bawn_err err = { 0 };
	if (bawn_request_check(r, policy, &(struct bawn_asker){ .via = "test" }, &c, &err) == 0) {
		bawn_checked_free(c);
		return BAWN_ERROR_NONE;
	}
	if (field != NULL && strcmp(field, err.field) != 0) {
		diag("field is '%s', message '%s'", err.field, err.msg);
		return BAWN_ERROR_COUNT;
	}
	return err.type;
}

static void code_rows(void)
{
	static const struct { const char *name, *code; size_t n; enum bawn_error want; } row[] = {
		{ "plain code is taken",                 "print(1)", 8, BAWN_ERROR_NONE },
		{ "no code is refused",                  "", 0, BAWN_ERROR_EMPTY_CODE },
		{ "blank code is refused",               " \n\t\r\n", 5, BAWN_ERROR_EMPTY_CODE },
		{ "a NUL byte is refused",               "a\0b", 3, BAWN_ERROR_NUL_BYTE },
		{ "bytes that are not UTF-8 are refused", "a\xff", 2, BAWN_ERROR_BAD_UTF8 },
		{ "an overlong form is refused",         "\xc0\xaf", 2, BAWN_ERROR_BAD_UTF8 },
		{ "UTF-8 is taken",                      "\xc3\xa9=1", 4, BAWN_ERROR_NONE },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		struct bawn_request r = good();
		r.code = row[i].code;
		r.code_size = row[i].n;
		ok(verdict(&r, row[i].want != BAWN_ERROR_NONE ? "code" : NULL) == row[i].want, "%s", row[i].name);
	}
	struct bawn_request r = good();
	r.code = NULL;
	ok(verdict(&r, "code") == BAWN_ERROR_EMPTY_CODE, "no pointer is no code");
	size_t n = policy->max_code_bytes + 1;
	bawn_auto_free char *big = malloc(n);
	memset(big, 'a', n);
	r.code = big;
	r.code_size = n;
	ok(verdict(&r, "code") == BAWN_ERROR_CODE_TOO_LARGE, "one byte over the cap is refused");
	r.code_size = n - 1;
	ok(verdict(&r, NULL) == BAWN_ERROR_NONE, "exactly the cap is taken");
}

static void language_rows(void)
{
	static const struct { const char *name, *language, *path, *code; enum bawn_error want; int lang; } row[] = {
		{ "by name",                  "python", NULL, "x", BAWN_ERROR_NONE, BAWN_LANG_PYTHON },
		{ "by alias",                 "js", NULL, "x", BAWN_ERROR_NONE, BAWN_LANG_JAVASCRIPT },
		{ "by extension",             NULL, "dir.py/a.sh", "x", BAWN_ERROR_NONE, BAWN_LANG_BASH },
		{ "by first line",            NULL, "tool", "#!/usr/bin/env -S python3.11 -u\nx", BAWN_ERROR_NONE, BAWN_LANG_PYTHON },
		{ "by plain first line",      NULL, "tool", "#!/bin/sh\nx", BAWN_ERROR_NONE, BAWN_LANG_BASH },
		{ "extension wins",           NULL, "a.js", "#!/bin/sh\nx", BAWN_ERROR_NONE, BAWN_LANG_JAVASCRIPT },
		{ "an unknown name is refused", "perl", NULL, "x", BAWN_ERROR_UNKNOWN_LANGUAGE, 0 },
		{ "nothing to go by is refused", NULL, "notes.txt", "x", BAWN_ERROR_UNKNOWN_LANGUAGE, 0 },
		{ "another interpreter's line is refused", NULL, "tool", "#!/usr/bin/perl\nx", BAWN_ERROR_UNKNOWN_LANGUAGE, 0 },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		struct bawn_request r = good();
		r.language = row[i].language;
		r.path = row[i].path;
		r.code = row[i].code;
		r.code_size = strlen(row[i].code);
		struct bawn_checked *c = NULL;
		struct bawn_err err = { 0 };
		int rc = bawn_request_check(&r, policy, &(struct bawn_asker){ .via = "test" }, &c, &err);
		ok(row[i].want == BAWN_ERROR_NONE ? rc == 0 && (int)c->language == row[i].lang : err.type == row[i].want,
		   "language %s", row[i].name);
		bawn_checked_free(c);
	}
}

static void env_rows(void)
{
	static const struct { const char *env; enum bawn_error want; } row[] = {
		{ "A=1", BAWN_ERROR_NONE }, { "_x9=", BAWN_ERROR_NONE }, { "LANG=de_DE.UTF-8", BAWN_ERROR_NONE }, { "NODE_ENV=test", BAWN_ERROR_NONE },
		{ "A", BAWN_ERROR_INVALID_REQUEST }, { "=1", BAWN_ERROR_INVALID_REQUEST }, { "9A=1", BAWN_ERROR_INVALID_REQUEST },
		{ "A-B=1", BAWN_ERROR_INVALID_REQUEST }, { "A=\xff", BAWN_ERROR_BAD_UTF8 },
		{ "LD_PRELOAD=/x.so", BAWN_ERROR_ENV_REFUSED }, { "LD_AUDIT=x", BAWN_ERROR_ENV_REFUSED }, { "PYTHONPATH=/x", BAWN_ERROR_ENV_REFUSED },
		{ "PYTHONSTARTUP=/x", BAWN_ERROR_ENV_REFUSED }, { "BASH_ENV=/x", BAWN_ERROR_ENV_REFUSED }, { "ENV=/x", BAWN_ERROR_ENV_REFUSED },
		{ "NODE_OPTIONS=-r x", BAWN_ERROR_ENV_REFUSED }, { "GLIBC_TUNABLES=x", BAWN_ERROR_ENV_REFUSED }, { "PATH=/x", BAWN_ERROR_ENV_REFUSED },
		{ "SHELLOPTS=xtrace", BAWN_ERROR_ENV_REFUSED }, { "BASH_FUNC_ls%%=() { x; }", BAWN_ERROR_INVALID_REQUEST },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		struct bawn_request r = good();
		r.env = &row[i].env;
		r.n_env = 1;
		ok(verdict(&r, row[i].want != BAWN_ERROR_NONE ? "env" : NULL) == row[i].want, "variable %.20s is %s", row[i].env,
		   row[i].want == BAWN_ERROR_NONE ? "taken" : "refused");
	}
	const char *twice[] = { "A=1", "A=2" };
	struct bawn_request r = good();
	r.env = twice;
	r.n_env = 2;
	ok(verdict(&r, "env") == BAWN_ERROR_INVALID_REQUEST, "a variable given twice is refused");
}

static void input_rows(void)
{
	static const struct { const char *name; bool good; } row[] = {
		{ "a.csv", true }, { "dir/sub/a.csv", true }, { "..hidden", true }, { "-rf", true }, { "\xc3\xa9.txt", true },
		{ "", false }, { "/etc/passwd", false }, { "../a", false }, { "a/../b", false }, { "a//b", false }, { "./a", false },
		{ "a/", false }, { "a\nb", false }, { "a\x1b[2Jb", false }, { "a\xff", false }, { "a/.", false }, { "..", false },
		{ "1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17", false },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		struct bawn_input in = { row[i].name, "x", 1, 0644 };
		struct bawn_request r = good();
		r.inputs = &in;
		r.n_inputs = 1;
		ok(verdict(&r, row[i].good ? NULL : "inputs") == (row[i].good ? BAWN_ERROR_NONE : BAWN_ERROR_INPUT_INVALID),
		   "input name %zu is %s", i, row[i].good ? "taken" : "refused");
	}
	struct bawn_input clash[] = { { "a", "x", 1, 0 }, { "a-b", "x", 1, 0 }, { "a/b", "x", 1, 0 } }, twice[] = { { "a", "x", 1, 0 }, { "a", "y", 1, 0 } };
	struct bawn_request r = good();
	r.inputs = clash;
	r.n_inputs = 3;
	ok(verdict(&r, "inputs") == BAWN_ERROR_INPUT_INVALID, "a file that is also a directory is refused");
	r.inputs = twice;
	r.n_inputs = 2;
	ok(verdict(&r, "inputs") == BAWN_ERROR_INPUT_INVALID, "an input given twice is refused");
}

static void choice_rows(void)
{
	struct bawn_request r = good();
	r.network = "dependencies";
	ok(verdict(&r, "network") == BAWN_ERROR_NETWORK_UNAVAILABLE, "a network that does not exist is refused, not replaced");
	r = good();
	r.network = "open";
	ok(verdict(&r, "network") == BAWN_ERROR_INVALID_REQUEST, "an unknown network is refused");
	const char *pkg = "numpy";
	r = good();
	r.packages = &pkg;
	r.n_packages = 1;
	ok(verdict(&r, NULL) == BAWN_ERROR_NONE, "packages are taken");
	r.language = "bash";
	ok(verdict(&r, "packages") == BAWN_ERROR_INVALID_REQUEST, "but for what nothing installs them for");
	r.language = "python";
	r.backend = "docker";
	r.image = "x";
	ok(verdict(&r, "packages") == BAWN_ERROR_INVALID_REQUEST, "nor into somebody's image");
	r.backend = r.image = NULL;
	r.environment = "mine";
	ok(verdict(&r, "environment") == BAWN_ERROR_INVALID_REQUEST, "nor into an environment that is there");
	r.environment = NULL;
	r.build = "../x";
	ok(verdict(&r, "build") == BAWN_ERROR_INVALID_REQUEST, "an environment's name is no path");
	r.build = "mine";
	ok(verdict(&r, NULL) == BAWN_ERROR_NONE, "it is a word");
	r.n_packages = 0;
	ok(verdict(&r, "packages") == BAWN_ERROR_INVALID_REQUEST, "and it is made of something");
	r = good();
	r.requirements = "numpy == 1.0\n", r.requirements_size = strlen(r.requirements);
	ok(verdict(&r, NULL) == BAWN_ERROR_NONE, "a file that names packages is taken");
	r.requirements = "scikit learn\n", r.requirements_size = strlen(r.requirements);
	ok(verdict(&r, "packages") == BAWN_ERROR_INVALID_REQUEST, "one that names none is not");
	r.requirements = NULL;
	ok(verdict(&r, "packages") == BAWN_ERROR_INVALID_REQUEST, "nor one that is not there");
	r = good();
	r.requirements = "", r.build = "mine";
	ok(verdict(&r, "packages") == BAWN_ERROR_INVALID_REQUEST, "of an empty one no environment is built");
	r = good();
	pkg = "-r/etc/passwd";
	r.packages = &pkg;
	r.n_packages = 1;
	ok(verdict(&r, "packages") == BAWN_ERROR_INVALID_REQUEST, "an option is no package");
	r = good();
	r.backend = "docker";
	ok(verdict(&r, "image") == BAWN_ERROR_INVALID_REQUEST, "containers are made of an image");
	static const char *const image[] = { "../x", "/x", "a//b", "a b", "-x", "", "a\nb" };
	for (size_t i = 0; i < sizeof image / sizeof *image; i++) {
		r.image = image[i];
		ok(verdict(&r, "image") == BAWN_ERROR_INVALID_REQUEST, "'%s' is no image's name", i == 6 ? "a, new line, b" : image[i]);
	}
	r.image = "python:3.11-slim";
	ok(verdict(&r, NULL) == BAWN_ERROR_NONE, "control: with one they are taken");
	r.backend = NULL;
	ok(verdict(&r, "image") == BAWN_ERROR_INVALID_REQUEST, "and only they are");
	r.backend = "podman";
	ok(verdict(&r, "backend") == BAWN_ERROR_INVALID_REQUEST, "an unknown backend is refused");
	r = good();
	r.trust = "root";
	ok(verdict(&r, "trust") == BAWN_ERROR_INVALID_REQUEST, "an unknown trust level is refused");
	r = good();
	r.override_ = 1;
	ok(verdict(&r, "reason") == BAWN_ERROR_REASON_MISSING, "an override without a reason is refused");
	r.reason = "   ";
	ok(verdict(&r, "reason") == BAWN_ERROR_REASON_MISSING, "a blank reason is none");
	char longer[1100];
	memset(longer, 'x', sizeof longer);
	longer[501] = '\0';
	r.reason = longer;
	ok(verdict(&r, "reason") == BAWN_ERROR_REASON_TOO_LONG, "501 characters are too long a reason");
	longer[500] = '\0';
	ok(verdict(&r, NULL) == BAWN_ERROR_NONE, "500 characters are not");
	for (int i = 0; i < 500; i++)
		memcpy(longer + 2 * i, "\xc3\xa9", 2);
	longer[1000] = '\0';
	ok(verdict(&r, NULL) == BAWN_ERROR_NONE, "characters are counted, not bytes");
	r = good();
	r.session = "a b";
	ok(verdict(&r, "session") == BAWN_ERROR_INVALID_REQUEST, "a session's name is plain");
	const char *label = "nolabel";
	r = good();
	r.labels = &label;
	r.n_labels = 1;
	ok(verdict(&r, "labels") == BAWN_ERROR_INVALID_REQUEST, "a label is NAME=VALUE");
}

/* Hosts that policy lists are dropped from the list of those that are asked for; the request is judged as a whole. */
static void host_rows(void)
{
	char *listed[] = { "index.test", "files.test" };
	struct bawn_policy with = *policy;
	with.network_mode = BAWN_NETWORK_DEPENDENCIES;
	with.whitelist = (struct bawn_list){ listed, BAWN_LEN(listed) };
	static const struct { const char *host[3]; size_t n, want; } row[] = {  /* want: how many are asked for; 9: refused */
		{ { "index.test" }, 1, 0 }, { { "other.test" }, 1, 1 }, { { "other.test", "index.test", "another.test" }, 3, 2 },
		{ { "index.test", "*.test" }, 2, 9 }, { { "other.test", "files.test", "a b" }, 3, 9 }, { { "index.test", "other.test", "pip" }, 3, 9 },
		{ { "*.test", "index.test" }, 2, 9 },
	};
	const char *numpy = "numpy", *other = "other.test";
	struct bawn_request p = good();
	p.hosts = &other, p.n_hosts = 1;
	ok(verdict(&p, "hosts") == BAWN_ERROR_INVALID_REQUEST, "a host is for who goes out");
	p.packages = &numpy, p.n_packages = 1;
	ok(verdict(&p, NULL) == BAWN_ERROR_NONE, "or for whose packages do");
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		struct bawn_request r = good();
		struct bawn_checked *c = NULL;
		struct bawn_err err = { 0 };
		r.network = "dependencies";
		r.hosts = row[i].host;
		r.n_hosts = row[i].n;
		int got = bawn_request_check(&r, &with, &(struct bawn_asker){ .via = "test" }, &c, &err);
		ok(row[i].want == 9 ? got < 0 && strcmp(err.field, "hosts") == 0 : got == 0 && c->n_hosts == row[i].want, "hosts, row %zu: %zu of %zu", i, row[i].want, row[i].n);
		bawn_checked_free(c);
	}
}

static void digest_of(const struct bawn_request *r, char out[static BAWN_SHA256_HEX])
{
	struct bawn_checked *c = NULL;
	struct bawn_err err = { 0 };
	if (bawn_request_check(r, policy, &(struct bawn_asker){ .via = "test" }, &c, &err) < 0) {
		diag("%s", err.msg);
		out[0] = '\0';
		return;
	}
	memcpy(out, c->request_sha256, BAWN_SHA256_HEX);
	bawn_checked_free(c);
}

/* Every field that changes what the run does changes the digest. */
static void digest_rows(void)
{
	char base[BAWN_SHA256_HEX], other[BAWN_SHA256_HEX];
	static const char *const ab[] = { "a", "b" }, *const joined[] = { "ab" }, *const env[] = { "A=1" }, *const label[] = { "k=v" };
	static const struct bawn_input in = { "f", "x", 1, 0644 }, in2 = { "f", "y", 1, 0644 }, in3 = { "f", "x", 1, 0755 };
	struct bawn_request r = good();
	digest_of(&r, base);
	digest_of(&r, other);
	ok(base[0] != '\0' && strcmp(base, other) == 0, "the same request has the same digest");
	struct { const char *name; struct bawn_request r; } row[] = {
		{ "code", good() }, { "language", good() }, { "args", good() }, { "args joined", good() }, { "env", good() }, { "stdin", good() },
		{ "inputs", good() }, { "input bytes", good() }, { "input mode", good() }, { "timeout", good() }, { "memory", good() },
		{ "cpus", good() }, { "pids", good() }, { "disk", good() }, { "trust", good() }, { "labels", good() }, { "session", good() },
		{ "packages", good() }, { "packages joined", good() }, { "build", good() }, { "requirements", good() }, { "hosts", good() },
	};
	row[0].r.code = "print(2)";
	row[1].r.language = "bash";
	row[2].r.args = ab, row[2].r.n_args = 2;
	row[3].r.args = joined, row[3].r.n_args = 1;
	row[4].r.env = env, row[4].r.n_env = 1;
	row[5].r.stdin_data = "x", row[5].r.stdin_size = 1;
	row[6].r.inputs = &in, row[6].r.n_inputs = 1;
	row[7].r.inputs = &in2, row[7].r.n_inputs = 1;
	row[8].r.inputs = &in3, row[8].r.n_inputs = 1;
	row[9].r.timeout_ms = 7;
	row[10].r.memory_bytes = 7;
	row[11].r.cpus_milli = 7;
	row[12].r.pids = 7;
	row[13].r.disk_bytes = 7;
	row[14].r.trust = "untrusted";
	row[15].r.labels = label, row[15].r.n_labels = 1;
	row[16].r.session = "s";
	row[17].r.packages = ab, row[17].r.n_packages = 2;
	row[18].r.packages = joined, row[18].r.n_packages = 1;
	row[19].r.packages = joined, row[19].r.n_packages = 1, row[19].r.build = "s";
	row[20].r.requirements = "c", row[20].r.requirements_size = 1;
	row[21].r.packages = joined, row[21].r.n_packages = 1, row[21].r.hosts = joined, row[21].r.n_hosts = 1;
	char seen[BAWN_LEN(row)][BAWN_SHA256_HEX];
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		digest_of(&row[i].r, seen[i]);
		bool fresh = seen[i][0] != '\0' && strcmp(seen[i], base) != 0;
		for (size_t j = 0; j < i; j++)
			fresh = fresh && strcmp(seen[i], seen[j]) != 0;
		ok(fresh, "another %s is another request", row[i].name);
	}
}

static void sealed(void)
{
	struct bawn_request r = good();
	char code[] = "print(1)";
	r.code = code;
	struct bawn_checked *c = NULL;
	ok(bawn_request_check(&r, policy, &(struct bawn_asker){ .via = "test" }, &c, NULL) == 0, "a request is sealed");
	code[6] = '2';
	ok(memcmp(c->code.bytes.p, "print(1)", 8) == 0, "what the caller changes later is not what runs");
	ok(write(c->code.fd, "x", 1) < 0 && ftruncate(c->code.fd, 0) < 0, "nobody can change the sealed copy");
	bawn_checked_free(c);
}

int main(void)
{
	struct bawn_policy_dirs none = { 0 };
	struct bawn_err err = { 0 };
	if (bawn_policy_load(&none, &policy, NULL, &err) < 0) {
		ok(false, "the defaults load: %s", err.msg);
		return done_testing();
	}
	code_rows();
	language_rows();
	env_rows();
	input_rows();
	choice_rows();
	host_rows();
	digest_rows();
	sealed();
	bawn_policy_free(policy);
	return done_testing();
}
