#include "core/request.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "base/utf8.h"
#include "core/envs.h"
#include "core/packages.h"
#include "egress/presets.h"

#define INVALID(field, ...) bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, field, __VA_ARGS__)

static int seal(const char *name, struct bawn_span bytes, struct bawn_sealed *out, struct bawn_err *err)
{
	bawn_auto_fd fd = -1;
	int r = bawn_sealed_copy(name, bytes, &fd, err);
	if (r < 0)
		return r;
	struct bawn_span copy = { "", 0 };
	if (bytes.n > 0) {
		void *p = mmap(NULL, bytes.n, PROT_READ, MAP_PRIVATE, fd, 0);
		if (p == MAP_FAILED)
			return bawn_fail(err, -errno, "map the sealed copy");
		copy = (struct bawn_span){ p, bytes.n };
	}
	out->bytes = copy;
	bawn_sha256_hex(copy, out->sha256);
	out->fd = bawn_take_fd(&fd);
	return 0;
}

static void unseal(struct bawn_sealed *s)
{
	if (s->bytes.n > 0)
		(void)munmap((void *)(uintptr_t)s->bytes.p, s->bytes.n);
	bawn_close_fdp(&s->fd);
	*s = (struct bawn_sealed){ .fd = -1 };
}

static void free_list(char **list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(list[i]);
	free(list);
}

void bawn_checked_free(struct bawn_checked *c)
{
	if (c == NULL)
		return;
	unseal(&c->code);
	unseal(&c->stdin_);
	for (size_t i = 0; i < c->n_inputs; i++) {
		free(c->input[i].name);
		unseal(&c->input[i].file);
	}
	free(c->input);
	free_list(c->args, c->n_args);
	free_list(c->env, c->n_env);
	free_list(c->labels, c->n_labels);
	free_list(c->packages, c->n_packages);
	free_list(c->hosts, c->n_hosts);
	free(c->session);
	free(c->image);
	free(c->environment);
	free(c->build);
	free(c->path);
	free(c->reason);
	json_decref(c->principal);
	json_decref(c->labels_json);
	free(c);
}

static uint32_t line_of(struct bawn_span code, size_t at)
{
	uint32_t line = 1;
	for (size_t i = 0; i < at; i++)
		line += code.p[i] == '\n';
	return line;
}

static bool blank(struct bawn_span s)
{
	for (size_t i = 0; i < s.n; i++)
		if (strchr(" \t\r\n\f\v", s.p[i]) == NULL || s.p[i] == '\0')
			return false;
	return true;
}

static int check_code(struct bawn_span code, const struct bawn_policy *p, struct bawn_err *err)
{
	if (code.p == NULL || blank(code))
		return bawn_fail_as(err, BAWN_ERROR_EMPTY_CODE, "code", "there is no code to run");
	if (code.n > p->max_code_bytes)
		return bawn_fail_as(err, BAWN_ERROR_CODE_TOO_LARGE, "code", "the code has %zu bytes, at most %" PRIu64 " are read",
		                    code.n, p->max_code_bytes);
	if (bawn_span_starts(code, "\xff\xfe") || bawn_span_starts(code, "\xfe\xff"))
		return bawn_fail_as(err, BAWN_ERROR_BAD_UTF8, "code", "the code is UTF-16, not UTF-8");
	const char *nul = memchr(code.p, '\0', code.n);
	if (nul != NULL)
		return bawn_fail_as(err, BAWN_ERROR_NUL_BYTE, "code", "the code has a NUL byte in line %" PRIu32,
		                    line_of(code, (size_t)(nul - code.p)));
	size_t bad = bawn_utf8_bad(code);
	if (bad < code.n)
		return bawn_fail_as(err, BAWN_ERROR_BAD_UTF8, "code", "the code is not UTF-8 in line %" PRIu32 ", byte 0x%02x",
		                    line_of(code, bad), (unsigned)(unsigned char)code.p[bad]);
	return 0;
}

static int check_language(const struct bawn_request *req, struct bawn_span code, enum bawn_language *out, struct bawn_err *err)
{
	int lang = req->language != NULL ? bawn_language_named(bawn_span(req->language))
	                                 : bawn_language_guess(req->path, code);
	if (lang < 0 && req->language != NULL)
		return bawn_fail_as(err, BAWN_ERROR_UNKNOWN_LANGUAGE, "language", "'%.60s' is no language bawn runs", req->language);
	if (lang < 0)
		return bawn_fail_as(err, BAWN_ERROR_UNKNOWN_LANGUAGE, "language", "cannot tell the language from the name or the first line");
	*out = (enum bawn_language)lang;
	return 0;
}

/* Text that will stand in argv, the environment or a record: UTF-8 without NUL (it is a C string). */
static int check_text(const char *field, const char *text, size_t max, struct bawn_err *err)
{
	if (text == NULL)
		return INVALID(field, "%s: a value is missing", field);
	struct bawn_span s = bawn_span(text);
	if (s.n > max)
		return INVALID(field, "%s: a value has %zu bytes, at most %zu are taken", field, s.n, max);
	if (bawn_utf8_bad(s) < s.n)
		return bawn_fail_as(err, BAWN_ERROR_BAD_UTF8, field, "%s: a value is not UTF-8", field);
	return 0;
}

static int copy_list(const char *field, const char *const *list, size_t n, size_t max_n, size_t max_bytes,
                     char ***out, size_t *out_n, struct bawn_err *err)
{
	if (n > max_n)
		return INVALID(field, "%s: %zu values, at most %zu are taken", field, n, max_n);
	if (n > 0 && list == NULL)
		return INVALID(field, "%s: the list is missing", field);
	*out = calloc(n + 1, sizeof **out);
	if (*out == NULL)
		return bawn_fail(err, -ENOMEM, "copy the request");
	size_t total = 0;
	for (size_t i = 0; i < n; i++) {
		int r = check_text(field, list[i], max_bytes, err);
		if (r < 0)
			return r;
		total += strlen(list[i]) + 1;
		if (total > BAWN_MAX_ARG_BYTES)
			return INVALID(field, "%s: more than %u bytes together", field, BAWN_MAX_ARG_BYTES);
		(*out)[i] = strdup(list[i]);
		if ((*out)[i] == NULL)
			return bawn_fail(err, -ENOMEM, "copy the request");
		*out_n = i + 1;
	}
	return 0;
}

static int compare_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static struct bawn_span key_of(const char *pair)
{
	const char *eq = strchr(pair, '=');
	return (struct bawn_span){ pair, eq != NULL ? (size_t)(eq - pair) : 0 };
}

/* Sorted, so that the order in which they were given does not change the request; no name twice. */
static int check_pairs(const char *field, char **list, size_t n, struct bawn_err *err)
{
	if (n > 1)
		qsort(list, n, sizeof *list, compare_text);
	for (size_t i = 0; i < n; i++) {
		struct bawn_span key = key_of(list[i]);
		if (strchr(list[i], '=') == NULL || key.n == 0)
			return INVALID(field, "%s: '%.60s' is not NAME=VALUE", field, list[i]);
		for (size_t j = 0; j < i; j++)
			if (bawn_span_equal(key, key_of(list[j])))
				return INVALID(field, "%s: '%.*s' is given twice", field, (int)key.n, key.p);
	}
	return 0;
}

static int check_env(struct bawn_checked *c, struct bawn_err *err)
{
	int r = check_pairs("env", c->env, c->n_env, err);
	for (size_t i = 0; r == 0 && i < c->n_env; i++) {
		struct bawn_span key = key_of(c->env[i]);
		if (!bawn_env_name_valid(key))
			return INVALID("env", "'%.*s' is no name of a variable", (int)(key.n > 60 ? 60 : key.n), key.p);
		if (bawn_env_refused(key))
			return bawn_fail_as(err, BAWN_ERROR_ENV_REFUSED, "env", "the variable '%.*s' is refused", (int)key.n, key.p);
	}
	return r;
}

static int check_labels(struct bawn_checked *c, struct bawn_err *err)
{
	int r = check_pairs("labels", c->labels, c->n_labels, err);
	if (r < 0)
		return r;
	c->labels_json = json_object();
	bool ok = c->labels_json != NULL;
	for (size_t i = 0; ok && i < c->n_labels; i++) {
		char *eq = strchr(c->labels[i], '=');
		*eq = '\0';
		bawn_json_set(c->labels_json, c->labels[i], bawn_json_text(bawn_span(eq + 1)), &ok);
		*eq = '=';
	}
	return ok ? 0 : bawn_fail(err, -ENOMEM, "copy the labels");
}

/* Relative, no "." or "..", no control characters: a name that can neither leave the workspace nor
 * confuse whoever reads it. */
int bawn_file_name_check(const char *name, struct bawn_err *err)
{
#define BAD_INPUT(...) bawn_fail_as(err, BAWN_ERROR_INPUT_INVALID, "inputs", __VA_ARGS__)
	if (name == NULL || name[0] == '\0' || strlen(name) > 1024)
		return BAD_INPUT("an input needs a name of 1 to 1024 bytes");
	struct bawn_span s = bawn_span(name);
	if (bawn_utf8_bad(s) < s.n)
		return BAD_INPUT("the name of an input is not UTF-8: '%.100s'", name);
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f)
			return BAD_INPUT("the name of an input has a control character: '%.100s'", name);
	if (name[0] == '/')
		return BAD_INPUT("'%.100s' is not a relative name", name);
	int depth = 0;
	for (const char *at = name; ; ) {
		size_t n = strcspn(at, "/");
		if (n == 0 || n > 255 || (n == 1 && at[0] == '.') || (n == 2 && at[0] == '.' && at[1] == '.'))
			return BAD_INPUT("'%.100s' has an empty, too long, '.' or '..' part", name);
		if (++depth > BAWN_MAX_INPUT_DEPTH)
			return BAD_INPUT("'%.100s' is deeper than %d directories", name, BAWN_MAX_INPUT_DEPTH);
		if (at[n] == '\0')
			return 0;
		at += n + 1;
	}
}

static int compare_input(const void *a, const void *b)
{
	return strcmp(((const struct bawn_sealed_input *)a)->name, ((const struct bawn_sealed_input *)b)->name);
}

static int take_inputs(const struct bawn_request *req, struct bawn_checked *c, struct bawn_err *err)
{
	if (req->n_inputs > BAWN_MAX_INPUTS)
		return BAD_INPUT("%zu input files, at most %d are taken", req->n_inputs, BAWN_MAX_INPUTS);
	if (req->n_inputs > 0 && req->inputs == NULL)
		return BAD_INPUT("the list of inputs is missing");
	c->input = calloc(req->n_inputs + 1, sizeof *c->input);
	if (c->input == NULL)
		return bawn_fail(err, -ENOMEM, "copy the inputs");
	uint64_t total = 0;
	for (size_t i = 0; i < req->n_inputs; i++) {
		const struct bawn_input *in = &req->inputs[i];
		int r = bawn_file_name_check(in->name, err);
		if (r < 0)
			return r;
		if (in->data == NULL && in->size > 0)
			return BAD_INPUT("'%.100s' has no data", in->name);
		total += in->size;
		if (total > BAWN_MAX_INPUT_BYTES)
			return BAD_INPUT("the inputs have more than %u bytes together", BAWN_MAX_INPUT_BYTES);
		struct bawn_sealed_input *to = &c->input[c->n_inputs++];
		to->file.fd = -1;
		to->name = strdup(in->name);
		to->mode = (in->mode & 0111u) != 0 ? 0755u : 0644u;
		r = to->name == NULL ? bawn_fail(err, -ENOMEM, "copy the inputs")
		    : seal("input", (struct bawn_span){ in->size > 0 ? in->data : "", in->size }, &to->file, err);
		if (r < 0)
			return r;
	}
	if (c->n_inputs > 1)
		qsort(c->input, c->n_inputs, sizeof *c->input, compare_input);
	for (size_t i = 0; i < c->n_inputs; i++)  /* all pairs: "a-b" sorts between "a" and "a/c" */
		for (size_t j = i + 1; j < c->n_inputs; j++) {
			const char *a = c->input[i].name, *b = c->input[j].name;
			size_t n = strlen(a);
			if (strncmp(a, b, n) == 0 && (b[n] == '\0' || b[n] == '/'))
				return BAD_INPUT("'%.100s' is given twice or is both a file and a directory", a);
		}
	return 0;
}

static int take_text(const char *field, const char *from, size_t max, char **out, struct bawn_err *err)
{
	if (from == NULL)
		return 0;
	int r = check_text(field, from, max, err);
	if (r < 0)
		return r;
	if (from[0] == '\0')
		return INVALID(field, "%s is empty", field);
	*out = strdup(from);
	return *out != NULL ? 0 : bawn_fail(err, -ENOMEM, "copy the request");
}

static int check_session(const char *name, struct bawn_err *err)
{
	for (const char *at = name; at != NULL && *at != '\0'; at++)
		if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", *at) == NULL)
			return INVALID("session", "a session's name has letters, digits, '.', '_' and '-' only");
	return 0;
}

static int word(const char *field, const struct bawn_words *words, const char *text, int none, int *out, struct bawn_err *err)
{
	*out = text != NULL ? bawn_word_find(words, bawn_span(text)) : none;
	return text == NULL || *out >= 0 ? 0 : INVALID(field, "'%.60s' is none of the %s bawn knows", text, field);
}

/* A container is made of an image; nothing else is. */
static int check_image(const char *asked, int backend, const struct bawn_policy *p, struct bawn_checked *c, struct bawn_err *err)
{
	const char *image = asked != NULL ? asked : p->image;
	if (backend != BAWN_BACKEND_DOCKER)
		return asked == NULL ? 0 : INVALID("image", "an image is for the docker backend: --backend docker");
	if (image == NULL)
		return INVALID("image", "the docker backend needs an image: --image NAME, or 'image' in sandbox.yaml");
	if (!bawn_image_name_valid(bawn_span(image)))
		return INVALID("image", "'%.60s' is no image's name", image);
	c->image = strdup(image);
	return c->image != NULL ? 0 : bawn_fail(err, -ENOMEM, "check the request");
}

/* Policy's ceiling; what there is to reach is looked up later (core/network.c). */
static int check_network(int network, const struct bawn_policy *p, struct bawn_err *err)
{
	if (network == BAWN_NETWORK_NONE)
		return 0;
	if (network > p->network_mode)
		return bawn_fail_as(err, BAWN_ERROR_NETWORK_UNAVAILABLE, "network", "policy gives no run a network: network.network_mode is '%s'",
		                    bawn_word(&bawn_network_words, p->network_mode));
	return 0;
}

static bool is_listed(const struct bawn_policy *p, const char *row)
{
	for (size_t i = 0; i < p->whitelist.n; i++)
		if (strcmp(p->whitelist.item[i], row) == 0)
			return true;
	return false;
}

/* Those that policy lists anyway are not asked for.  All are judged before the first is let go: who frees the list after a
 * refusal must find in it what was copied. */
static int take_hosts(const struct bawn_request *req, const struct bawn_policy *p, struct bawn_checked *c, struct bawn_err *err)
{
	if (req->n_hosts > 0 && c->network == BAWN_NETWORK_NONE && c->n_packages == 0)
		return INVALID("hosts", "a host is for a run that has a network, or packages: --network dependencies, --with PKG");
	int r = copy_list("hosts", req->hosts, req->n_hosts, BAWN_MAX_HOSTS, 256, &c->hosts, &c->n_hosts, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < c->n_hosts; i++)
		if (!bawn_host_row_valid(bawn_span(c->hosts[i])) || bawn_preset_named(c->hosts[i]) >= 0)
			return INVALID("hosts", "'%.60s' is no host, host:port or http://host:port", c->hosts[i]);
	size_t kept = 0;
	for (size_t i = 0; i < c->n_hosts; i++) {
		if (is_listed(p, c->hosts[i]))
			free(c->hosts[i]);
		else
			c->hosts[kept++] = c->hosts[i];
	}
	c->n_hosts = kept;
	if (kept > 1)
		qsort(c->hosts, kept, sizeof *c->hosts, compare_text);
	return 0;
}

/* Those that are named, and those that a file names. */
static int copy_packages(const struct bawn_request *req, struct bawn_checked *c, struct bawn_err *err)
{
	__attribute__((cleanup(bawn_strings_done))) struct bawn_strings all = { 0 };
	if (req->requirements_size > BAWN_MAX_REQUIREMENTS || (req->requirements == NULL && req->requirements_size > 0))
		return INVALID("packages", "a file of packages has at most %u bytes", BAWN_MAX_REQUIREMENTS);
	if (req->n_packages > 0 && req->packages == NULL)
		return INVALID("packages", "the list is missing");
	int r = 0;
	for (size_t i = 0; r == 0 && i < req->n_packages && i <= BAWN_MAX_PACKAGES; i++)
		r = req->packages[i] == NULL ? INVALID("packages", "a package is missing")
		    : bawn_strings_add(&all, "%s", req->packages[i]) < 0 ? bawn_fail(err, -ENOMEM, "copy the request") : 0;
	if (r == 0 && req->requirements != NULL)
		r = bawn_packages_read((struct bawn_span){ req->requirements, req->requirements_size }, c->language == BAWN_LANG_JAVASCRIPT, "requirements", &all, err);
	return r < 0 ? r : copy_list("packages", (const char *const *)all.item, all.n, BAWN_MAX_PACKAGES, BAWN_PACKAGE_SPEC - 1, &c->packages, &c->n_packages, err);
}

/* Packages, or an environment that has them already; for whom there is something to install with. */
static int take_packages(const struct bawn_request *req, int backend, const struct bawn_asker *by, struct bawn_checked *c, struct bawn_err *err)
{
	bool named = req->n_packages > 0 || req->requirements != NULL || req->requirements_size > 0;
	const char *field = named ? "packages" : "environment";
	if (!named && req->environment == NULL)
		return req->build == NULL ? 0 : INVALID("packages", "an environment is built of packages: --with PKG");
	if (named && req->environment != NULL)
		return INVALID("environment", "packages are installed into an environment of their own, not into one that is there");
	if (bawn_installer(c->language) == NULL)
		return INVALID(field, "packages are for python and javascript, not for %s", bawn_language[c->language].name);
	int r = bawn_packages_backend(backend, field, err);
	if (r < 0)
		return r;
	if (req->build != NULL && (req->environment != NULL || !bawn_env_may_be_called(req->build)))
		return INVALID("build", "an environment's name has up to 64 letters, digits, '.', '_' and '-'");
	r = copy_packages(req, c, err);
	for (size_t i = 0; r == 0 && i < c->n_packages; i++) {
		char name[BAWN_PACKAGE_NAME];
		r = bawn_package_name(c->language, c->packages[i], name, err);
	}
	if (r == 0 && c->n_packages > 1)
		qsort(c->packages, c->n_packages, sizeof *c->packages, compare_text);
	size_t kept = 0;
	for (size_t i = 0; r == 0 && i < c->n_packages; i++) {
		if (kept > 0 && strcmp(c->packages[kept - 1], c->packages[i]) == 0)
			free(c->packages[i]);
		else
			c->packages[kept++] = c->packages[i];
	}
	if (r == 0)
		c->n_packages = kept;
	if (r == 0 && req->build != NULL && kept == 0)
		r = INVALID("packages", "an environment is built of packages: the file names none");
	if (r == 0)
		r = take_text("environment", by->environment, BAWN_SHA256_HEX, &c->environment, err);
	return r == 0 ? take_text("build", req->build, BAWN_ENV_NAME, &c->build, err) : r;
}

static int check_choices(const struct bawn_request *req, const struct bawn_policy *p, const struct bawn_asker *by, struct bawn_checked *c, struct bawn_err *err)
{
	int backend = -1, network = -1;
	int r = word("backend", &bawn_backend_words, req->backend, p->backend, &backend, err);
	if (r == 0)
		r = word("network", &bawn_network_words, req->network, BAWN_NETWORK_NONE, &network, err);
	if (r == 0)
		r = word("trust", &bawn_trust_words, req->trust, -1, &c->trust_asked, err);
	if (r < 0)
		return r;
	r = take_packages(req, backend, by, c, err);
	if (r < 0)
		return r;
	if (by->installs)
		network = BAWN_NETWORK_DEPENDENCIES;
	r = by->installs ? 0 : check_network(network, p, err);
	if (r < 0)
		return r;
	r = check_image(req->image, backend, p, c, err);
	if (r < 0)
		return r;
	c->backend = (enum bawn_backend_id)backend;
	c->network = (enum bawn_network)network;
	c->asked = (struct bawn_limits){ .timeout_ms = req->timeout_ms, .memory_bytes = req->memory_bytes,
		.cpus_milli = req->cpus_milli, .pids = req->pids, .disk_bytes = req->disk_bytes };
	return take_hosts(req, p, c, err);
}

int bawn_reason_check(const char *reason, uint64_t max, struct bawn_err *err)
{
	struct bawn_span s = bawn_span(reason);
	if (s.n == 0 || blank(s))
		return bawn_fail_as(err, BAWN_ERROR_REASON_MISSING, "reason", "lifting a verdict needs a reason of 1 to %" PRIu64 " characters", max);
	if (bawn_utf8_bad(s) < s.n)
		return bawn_fail_as(err, BAWN_ERROR_BAD_UTF8, "reason", "the reason is not UTF-8");
	uint64_t chars = 0;
	for (size_t i = 0; i < s.n; i++)
		chars += ((unsigned char)s.p[i] & 0xc0) != 0x80;
	if (chars > max)
		return bawn_fail_as(err, BAWN_ERROR_REASON_TOO_LONG, "reason", "the reason has %" PRIu64 " characters, at most %" PRIu64 " are taken", chars, max);
	return 0;
}

json_t *bawn_principal_json(const char *via)
{
	char id[24];
	snprintf(id, sizeof id, "%u", geteuid());
	return json_pack("{s:s, s:s, s:s, s:s}", "kind", "uid", "id", id, "role", "owner", "via", via != NULL ? via : "c");
}

/* The encoding that request_sha256 covers: each item is its length (8 bytes, big endian) and its
 * bytes; each list is preceded by its count.  A change of layout changes the version string. */
static void enc(struct bawn_sha256 *h, const void *p, size_t n)
{
	uint8_t len[8];
	for (int i = 0; i < 8; i++)
		len[i] = (uint8_t)((uint64_t)n >> (56 - 8 * i));
	bawn_sha256_add(h, len, sizeof len);
	if (n > 0)
		bawn_sha256_add(h, p, n);
}
static void enc_text(struct bawn_sha256 *h, const char *name, const char *text)
{
	enc(h, name, strlen(name));
	enc(h, text != NULL ? text : "", text != NULL ? strlen(text) : 0);
}
static void enc_number(struct bawn_sha256 *h, const char *name, uint64_t v)
{
	char text[24];
	snprintf(text, sizeof text, "%" PRIu64, v);
	enc_text(h, name, text);
}
static void enc_list(struct bawn_sha256 *h, const char *name, char *const *list, size_t n)
{
	enc_number(h, name, n);
	for (size_t i = 0; i < n; i++)
		enc(h, list[i], strlen(list[i]));
}

static void digest(struct bawn_checked *c)
{
	struct bawn_sha256 h;
	uint8_t raw[BAWN_SHA256_LEN];
	bawn_sha256_init(&h);
	enc_text(&h, "bawn-request", "3");
	enc(&h, c->code.bytes.p, c->code.bytes.n);
	enc_text(&h, "language", bawn_language[c->language].name);
	enc_list(&h, "args", c->args, c->n_args);
	enc_list(&h, "env", c->env, c->n_env);
	enc_text(&h, "stdin_sha256", c->stdin_.fd >= 0 ? c->stdin_.sha256 : "");
	enc_number(&h, "inputs", c->n_inputs);
	for (size_t i = 0; i < c->n_inputs; i++) {
		enc_text(&h, c->input[i].name, c->input[i].file.sha256);
		enc_number(&h, "mode", c->input[i].mode);
	}
	enc_list(&h, "packages", c->packages, c->n_packages);
	enc_text(&h, "backend", bawn_word(&bawn_backend_words, (int)c->backend));
	enc_text(&h, "image", c->image);
	enc_text(&h, "environment", c->environment);
	enc_text(&h, "build", c->build);
	enc_number(&h, "timeout_ms", c->asked.timeout_ms);
	enc_number(&h, "memory_bytes", c->asked.memory_bytes);
	enc_number(&h, "cpus_milli", c->asked.cpus_milli);
	enc_number(&h, "pids", c->asked.pids);
	enc_number(&h, "disk_bytes", c->asked.disk_bytes);
	enc_text(&h, "trust_asked", c->trust_asked >= 0 ? bawn_word(&bawn_trust_words, c->trust_asked) : "");
	enc_text(&h, "network", bawn_word(&bawn_network_words, (int)c->network));
	enc_list(&h, "hosts", c->hosts, c->n_hosts);
	enc_list(&h, "labels", c->labels, c->n_labels);
	enc_text(&h, "session", c->session);
	enc_text(&h, "policy_sha256", c->policy_sha256);
	static const char *const member[] = { "kind", "id", "role", "via" };
	for (size_t i = 0; i < BAWN_LEN(member); i++)
		enc_text(&h, member[i], json_string_value(json_object_get(c->principal, member[i])));
	bawn_sha256_end(&h, raw);
	bawn_hex(raw, sizeof raw, c->request_sha256);
}

/* What a file is called has no say in what runs: a name of any bytes will do, and is replaced where it is written down. */
static int take_path(const char *path, struct bawn_checked *c, struct bawn_err *err)
{
	if (path == NULL)
		return 0;
	if (path[0] == '\0' || strlen(path) > 4096)
		return INVALID("path", "a path has 1 to 4096 bytes");
	c->path = strdup(path);
	return c->path != NULL ? 0 : bawn_fail(err, -ENOMEM, "copy the request");
}

static int take_lists(const struct bawn_request *req, struct bawn_checked *c, struct bawn_err *err)
{
	int r = copy_list("args", req->args, req->n_args, BAWN_MAX_ARGS, BAWN_MAX_ARG_BYTES, &c->args, &c->n_args, err);
	if (r == 0)
		r = copy_list("env", req->env, req->n_env, BAWN_MAX_ARGS, BAWN_MAX_ARG_BYTES, &c->env, &c->n_env, err);
	if (r == 0)
		r = check_env(c, err);
	if (r == 0)
		r = copy_list("labels", req->labels, req->n_labels, BAWN_MAX_LABELS, BAWN_MAX_LABEL_BYTES, &c->labels, &c->n_labels, err);
	if (r == 0)
		r = check_labels(c, err);
	if (r == 0)
		r = take_text("session", req->session, 64, &c->session, err);
	if (r == 0)
		r = check_session(c->session, err);
	return r < 0 ? r : take_path(req->path, c, err);
}

static int take_override(const struct bawn_request *req, const struct bawn_policy *p, struct bawn_checked *c, struct bawn_err *err)
{
	c->override_ = req->override_ != 0;
	if (!c->override_ && req->reason == NULL)
		return 0;
	int r = bawn_reason_check(req->reason, p->max_reason, err);
	if (r < 0)
		return r;
	c->reason = strdup(req->reason);
	return c->reason != NULL ? 0 : bawn_fail(err, -ENOMEM, "copy the reason");
}

static int take_stdin(const struct bawn_request *req, struct bawn_checked *c, struct bawn_err *err)
{
	if (req->stdin_size == 0)
		return 0;
	if (req->stdin_data == NULL || req->stdin_size > BAWN_MAX_STDIN)
		return INVALID("stdin", "standard input has %zu bytes, at most %u are taken", req->stdin_size, BAWN_MAX_STDIN);
	return seal("stdin", (struct bawn_span){ req->stdin_data, req->stdin_size }, &c->stdin_, err);
}

/* A claim is written down and weighs nothing: the digest does not cover it, so an approval outlives a client's update. */
static int take_principal(const struct bawn_request *req, const char *via, struct bawn_checked *c, struct bawn_err *err)
{
	int r = req->client != NULL ? check_text("client", req->client, BAWN_MAX_LABEL_BYTES, err) : 0;
	if (r < 0)
		return r;
	c->principal = bawn_principal_json(via);
	bool ok = c->principal != NULL;
	if (req->client != NULL)
		bawn_json_set(c->principal, "claimed", bawn_json_text(bawn_span(req->client)), &ok);
	return ok ? 0 : bawn_fail(err, -ENOMEM, "check the request");
}

int bawn_request_check(const struct bawn_request *req, const struct bawn_policy *policy, const struct bawn_asker *by,
                       struct bawn_checked **out, struct bawn_err *err)
{
	struct bawn_checked *c = calloc(1, sizeof *c);
	if (c == NULL)
		return bawn_fail(err, -ENOMEM, "check the request");
	c->code.fd = c->stdin_.fd = -1;
	bawn_hex(policy->sha256, sizeof policy->sha256, c->policy_sha256);
	struct bawn_span code = { req->code, req->code_size };
	int r = check_code(code, policy, err);
	if (r == 0)
		r = check_language(req, code, &c->language, err);
	if (r == 0)
		r = take_lists(req, c, err);
	if (r == 0)
		r = take_override(req, policy, c, err);
	if (r == 0)
		r = check_choices(req, policy, by, c, err);
	if (r == 0)
		r = seal("code", code, &c->code, err);
	if (r == 0)
		r = check_code(c->code.bytes, policy, err);  /* again, on the copy nobody can change */
	if (r == 0)
		r = take_stdin(req, c, err);
	if (r == 0)
		r = take_inputs(req, c, err);
	if (r == 0)
		r = take_principal(req, by->via, c, err);
	if (r < 0) {
		bawn_checked_free(c);
		return r;
	}
	digest(c);
	*out = c;
	return 0;
}
