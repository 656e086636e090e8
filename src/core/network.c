#include "core/network.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>
#include "base/b64.h"
#include "base/cleanup.h"

#define UNAVAILABLE(field, ...) bawn_fail_as(err, BAWN_ERROR_NETWORK_UNAVAILABLE, field, __VA_ARGS__)
#define USER "bawn"  /* of the proxy; the secret is what counts */

void bawn_plan_free(struct bawn_plan *plan)
{
	if (plan == NULL)
		return;
	bawn_strings_done(&plan->rule);
	bawn_strings_done(&plan->env);
	for (int i = 0; i < BAWN_NET_FILE_COUNT; i++)
		free(plan->file[i]);
	explicit_bzero(plan->credential, sizeof plan->credential);
	free(plan);
}

/* Whom the system's own programs believe, by the places distributions have for it. */
static void find_authorities(const struct bawn_policy *p, struct bawn_plan *plan)
{
	static const char *const place[] = { BAWN_CA_FILE, "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem" };
	if (p->ca_file != NULL) {
		snprintf(plan->ca_file, sizeof plan->ca_file, "%s", p->ca_file);
		return;
	}
	for (size_t i = 0; plan->ca_file[0] == '\0' && i < BAWN_LEN(place); i++)
		if (access(place[i], R_OK) == 0)
			snprintf(plan->ca_file, sizeof plan->ca_file, "%s", place[i]);
}

/* How curl, pip, npm and everybody else who goes by the environment find the proxy, and whom they believe. */
static void tell_programs(struct bawn_plan *plan, const char *secret, const char *ca_inside, bool *ok)
{
	static const char *const proxy[] = { "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy", "PIP_PROXY",
		"npm_config_proxy", "npm_config_https_proxy" };
	static const char *const ca[] = { "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "NODE_EXTRA_CA_CERTS", "npm_config_cafile" };
	static const char *const plain[] = { "NO_PROXY=localhost,127.0.0.1,::1", "no_proxy=localhost,127.0.0.1,::1", "npm_config_noproxy=localhost,127.0.0.1,::1",
		"NODE_USE_ENV_PROXY=1", "PIP_NO_INPUT=1", "PIP_DISABLE_PIP_VERSION_CHECK=1", "npm_config_update_notifier=false", "npm_config_audit=false",
		"npm_config_fund=false" };
	for (size_t i = 0; i < BAWN_LEN(proxy); i++)
		*ok = *ok && 0 == bawn_strings_add(&plan->env, "%s=http://" USER ":%s@127.0.0.1:%d", proxy[i], secret, BAWN_PORT);
	for (size_t i = 0; plan->ca_file[0] != '\0' && i < BAWN_LEN(ca); i++)
		*ok = *ok && 0 == bawn_strings_add(&plan->env, "%s=%s", ca[i], ca_inside);
	for (size_t i = 0; i < BAWN_LEN(plain); i++)
		*ok = *ok && 0 == bawn_strings_add(&plan->env, "%s", plain[i]);
}

/* "PIP_INDEX_URL=X" as "index-url = X".  What a file could not hold as it is stays a variable. */
static void put_setting(struct bawn_buf *b, const char *entry, const char *prefix, const char *special)
{
	size_t n = strlen(prefix);
	const char *eq = strchr(entry, '=');
	if (strncmp(entry, prefix, n) != 0 || eq == NULL || strpbrk(eq, special) != NULL)
		return;
	for (const char *at = entry + n; at < eq; at++)  /* a scope's name is its own */
		bawn_buf_char(b, entry[n] == '@' ? *at : *at == '_' ? '-' : *at >= 'A' && *at <= 'Z' ? (char)(*at - 'A' + 'a') : *at);
	bawn_buf_fmt(b, " = %s\n", eq + 1);
}

/* The same in files, for programs that are started without these variables. */
static void tell_files(struct bawn_plan *plan, const char *secret, const char *ca_inside, bool *ok)
{
	struct bawn_buf file[] = { [BAWN_NET_FILE_PIP] = BAWN_BUF(BAWN_NET_FILE_BYTES), [BAWN_NET_FILE_NPM] = BAWN_BUF(BAWN_NET_FILE_BYTES),
		[BAWN_NET_FILE_CURL] = BAWN_BUF(BAWN_NET_FILE_BYTES) };
	_Static_assert(BAWN_LEN(file) == BAWN_NET_FILE_COUNT, "one row per file");
	bawn_buf_str(&file[BAWN_NET_FILE_PIP], "[global]\n");
	for (size_t i = 0; i < plan->env.n; i++) {
		put_setting(&file[BAWN_NET_FILE_PIP], plan->env.item[i], "PIP_", "\r\n");
		put_setting(&file[BAWN_NET_FILE_NPM], plan->env.item[i], "npm_config_", "\r\n;#$\"'\\");
	}
	bawn_buf_fmt(&file[BAWN_NET_FILE_CURL], "proxy = \"http://" USER ":%s@127.0.0.1:%d\"\nnoproxy = \"localhost,127.0.0.1,::1\"\n", secret, BAWN_PORT);
	if (plan->ca_file[0] != '\0')
		bawn_buf_fmt(&file[BAWN_NET_FILE_CURL], "cacert = \"%s\"\n", ca_inside);
	for (size_t i = 0; i < BAWN_LEN(file); i++) {
		plan->file[i] = bawn_buf_error(&file[i]) == 0 ? strdup(file[i].p) : NULL;
		*ok = *ok && plan->file[i] != NULL;
		bawn_buf_done(&file[i]);
	}
}

static int make_secret(struct bawn_plan *plan, char secret[static 33], struct bawn_err *err)
{
	uint8_t raw[16];
	char pair[64];
	if (getrandom(raw, sizeof raw, 0) != (ssize_t)sizeof raw)
		return bawn_fail(err, -EIO, "make a secret");
	bawn_hex(raw, sizeof raw, secret);
	int n = snprintf(pair, sizeof pair, USER ":%s", secret);
	_Static_assert(BAWN_B64_LEN(sizeof USER + 32) <= BAWN_EGRESS_CREDENTIAL, "it fits");
	bawn_b64((const uint8_t *)pair, (size_t)n, plan->credential);
	return 0;
}

static int move(struct bawn_strings *to, const struct bawn_strings *from)
{
	int r = 0;
	for (size_t i = 0; r == 0 && i < from->n; i++)
		r = bawn_strings_add(to, "%s", from->item[i]);
	return r;
}

static const char *variable(const char *name) { return secure_getenv(name); }

static int add_preset(const struct bawn_policy *p, enum bawn_preset which, struct bawn_plan *plan, struct bawn_err *err)
{
	struct bawn_preset_host host = { .root = "", .uid = geteuid(), .variable = variable,
		.python = p->interpreter[BAWN_LANG_PYTHON], .node = p->interpreter[BAWN_LANG_JAVASCRIPT] };
	struct bawn_preset_found found = { 0 };
	int r = bawn_preset_resolve(which, &host, &found, err);
	if (r == 0 && (move(&plan->rule, &found.rule) < 0 || move(&plan->env, &found.env) < 0))
		r = bawn_fail(err, -ENOMEM, "plan the network");
	plan->stripped = plan->stripped || found.stripped;
	bawn_strings_done(&found.rule);
	bawn_strings_done(&found.env);
	return r;
}

/* What policy lists, the indexes of presets, and what this one request was granted. */
static int add_rows(const struct bawn_policy *p, const struct bawn_checked *c, struct bawn_plan *plan, struct bawn_err *err)
{
	int r = 0;
	for (size_t i = 0; r == 0 && i < p->whitelist.n; i++) {
		int preset = bawn_preset_named(p->whitelist.item[i]);
		r = preset >= 0 ? add_preset(p, (enum bawn_preset)preset, plan, err) : bawn_strings_add(&plan->rule, "%s", p->whitelist.item[i]);
	}
	for (size_t i = 0; r == 0 && i < c->n_hosts; i++)
		r = bawn_strings_add(&plan->rule, "%s", c->hosts[i]);
	return r == -ENOMEM ? bawn_fail(err, -ENOMEM, "plan the network") : r;
}

static int fill(const struct bawn_policy *p, const struct bawn_checked *c, const char *ca_inside, struct bawn_plan *plan, struct bawn_err *err)
{
	char secret[33];
	bool ok = true;
	int r = add_rows(p, c, plan, err);
	if (r == 0 && plan->rule.n == 0)
		r = UNAVAILABLE("network.whitelist", "network.whitelist names no host");
	if (r == 0)
		r = make_secret(plan, secret, err);
	if (r < 0)
		return r;
	plan->n_index = plan->env.n;
	find_authorities(p, plan);
	tell_programs(plan, secret, ca_inside, &ok);
	tell_files(plan, secret, ca_inside, &ok);
	explicit_bzero(secret, sizeof secret);
	return ok ? 0 : bawn_fail(err, -ENOMEM, "plan the network");
}

int bawn_plan_make(const struct bawn_policy *p, const struct bawn_checked *c, const char *ca_inside, struct bawn_plan **out, struct bawn_err *err)
{
	struct bawn_plan *plan = calloc(1, sizeof *plan);
	if (plan == NULL)
		return bawn_fail(err, -ENOMEM, "plan the network");
	int r = fill(p, c, ca_inside, plan, err);
	if (r < 0) {
		bawn_plan_free(plan);
		return r;
	}
	*out = plan;
	return 0;
}

struct bawn_net_limits bawn_plan_limits(const struct bawn_policy *p, bool installs)
{
	struct bawn_net_limits l = p->net;
	if (installs) {
		l.sent_bytes = p->install_sent_bytes;
		l.received_bytes = p->install_received_bytes;
		l.connections = p->install_connections;
	}
	return l;
}

static json_t *list_json(char *const *item, size_t n)
{
	json_t *list = json_array();
	bool ok = list != NULL;
	for (size_t i = 0; ok && i < n; i++)
		bawn_json_push(list, bawn_json_text(bawn_span(item[i])), &ok);
	if (ok)
		return list;
	json_decref(list);
	return NULL;
}

json_t *bawn_plan_json(const struct bawn_plan *plan, const struct bawn_checked *c, const struct bawn_net_limits *l)
{
	if (plan == NULL)  /* its packages alone may come from there */
		return c->n_hosts > 0 ? json_pack("{s:o}", "asked", list_json(c->hosts, c->n_hosts)) : json_null();
	return json_pack("{s:o, s:o, s:I, s:I, s:I}", "hosts", list_json(plan->rule.item, plan->rule.n), "asked", list_json(c->hosts, c->n_hosts),
		"sent_bytes", (json_int_t)l->sent_bytes, "received_bytes", (json_int_t)l->received_bytes, "connections", (json_int_t)l->connections);
}

json_t *bawn_plan_policy_json(const struct bawn_plan *plan, const struct bawn_checked *c, const struct bawn_policy *p)
{
	/* What this request alone was granted stands behind the rest. */
	size_t n = plan->rule.n - (c->n_hosts < plan->rule.n ? c->n_hosts : plan->rule.n);
	return json_pack("{s:o, s:o}", "whitelist", list_json(plan->rule.item, n), "allow_private", list_json(p->allow_private.item, p->allow_private.n));
}

json_t *bawn_account_json(const struct bawn_egress_account *a)
{
	json_t *list = json_array();
	bool ok = list != NULL;
	for (size_t i = 0; ok && i < a->n_hosts; i++) {
		const struct bawn_egress_host *h = &a->host[i];
		bawn_json_push(list, json_pack("{s:o, s:s, s:I, s:I, s:I, s:I}", "host", bawn_json_text(bawn_span(h->host)), "scheme", h->plain ? "http" : "tls",
			"connections", (json_int_t)h->connections, "failed", (json_int_t)h->failed, "sent_bytes", (json_int_t)h->sent_bytes,
			"received_bytes", (json_int_t)h->received_bytes), &ok);
	}
	if (ok)
		return list;
	json_decref(list);
	return NULL;
}
