/* redact.c - see redact.h.  A shape is a row; the scan stays as it is.
 *
 * Invariants: (1) linear time, whatever the text: a row either looks at a bounded number of bytes, or matches and is
 * done with them, or must begin where no word goes on and looks only as far as the word does; (2) what is replaced is a
 * secret's own bytes and, where `lead` says so, not the words before it; (3) hashes, ids and words of ours have none of
 * these shapes: hexadecimal and Crockford's letters never begin a row.
 * An attacker controls: the text.  Somebody who wants a secret in the log can always spell it otherwise: this guards
 * against accidents. */
#include "audit/redact.h"
#include <stdint.h>
#include "base/cleanup.h"

enum set { ALNUM, UPPER, WORD, DASHED, BASE64, TOKEN68, SETS };

static bool in_set(enum set set, unsigned char c)
{
	static const char *const more[SETS] = { [ALNUM] = "", [UPPER] = "", [WORD] = "_", [DASHED] = "_-", [BASE64] = "+/=", [TOKEN68] = "-._~+/=" };
	const bool lower = c >= 'a' && c <= 'z', other = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
	return other || (lower && set != UPPER) || (c != '\0' && strchr(more[set], c) != NULL);
}

struct shape {
	const char *name, *prefix;
	/* Bytes of the secret that follow the prefix, or SIZE_MAX: it is none. */
	size_t    (*rest)(const struct shape *s, const char *p, const char *end);
	enum set    set;
	uint16_t    min, max;  /* of these many letters; max 0: any number */
	bool        alone;     /* no letter, digit or _ stands before it; where any number of letters may follow, no - either */
	bool        lead;      /* the prefix is no secret and stays */
};

static size_t run(enum set set, const char *p, const char *end, size_t most)
{
	size_t n = 0;
	while (p + n < end && n < most && in_set(set, (unsigned char)p[n]))
		n++;
	return n;
}

static size_t letters(const struct shape *s, const char *p, const char *end)
{
	const size_t n = run(s->set, p, end, s->max > 0 ? s->max + 1u : SIZE_MAX);
	return n < s->min || (s->max > 0 && n > s->max) ? SIZE_MAX : n;
}

/* The same with a digit in it: a word of prose is none. */
static size_t not_prose(const struct shape *s, const char *p, const char *end)
{
	const size_t n = letters(s, p, end);
	for (size_t i = 0; n != SIZE_MAX && i < n; i++)
		if (p[i] >= '0' && p[i] <= '9')
			return n;
	return SIZE_MAX;
}

/* Three parts: header.payload.signature, of which the prefix began the first. */
static size_t three_parts(const struct shape *s, const char *p, const char *end)
{
	const char *at = p;
	for (int part = 0; part < 3; part++) {
		const size_t n = run(s->set, at, end, SIZE_MAX);
		at += n;
		if (n < s->min)
			return SIZE_MAX;
		if (part < 2 && (at == end || *at++ != '.'))
			return SIZE_MAX;
	}
	return (size_t)(at - p);
}

/* "-----BEGIN " has been seen.  A block that is cut off goes to the end. */
static size_t key_block(const struct shape *s, const char *p, const char *end)
{
	static const char private[] = "PRIVATE KEY", stop[] = "-----END ", dashes[] = "-----";
	(void)s;
	const size_t title = (size_t)(end - p) < 64 ? (size_t)(end - p) : 64;
	const char *nl = memchr(p, '\n', title), *at = memmem(p, nl != NULL ? (size_t)(nl - p) : title, private, sizeof private - 1);
	if (at == NULL)
		return SIZE_MAX;
	at = memmem(at, (size_t)(end - at), stop, sizeof stop - 1);
	if (at != NULL)
		at = memmem(at + sizeof stop - 1, (size_t)(end - at) - (sizeof stop - 1), dashes, sizeof dashes - 1);
	return at != NULL ? (size_t)(at + sizeof dashes - 1 - p) : (size_t)(end - p);
}

/* "://" has been seen: user:password@ */
static size_t password(const struct shape *s, const char *p, const char *end)
{
	const char *at = p;
	bool colon = false;
	(void)s;
	for (; at < end && (unsigned char)*at > ' ' && strchr("/?#@\"'<>\\", *at) == NULL; at++)
		colon |= *at == ':' && at + 1 < end && at[1] != '@';
	return at < end && *at == '@' && colon ? (size_t)(at - p) : SIZE_MAX;
}

static const struct shape shape[] = {
	{ "aws-access-key",  "AKIA",                      letters, UPPER, 16, 16, .alone = true },
	{ "aws-access-key",  "ASIA",                      letters, UPPER, 16, 16, .alone = true },
	{ "azure-key",       "AccountKey=",               letters, BASE64, 80, 100, .lead = true },
	{ "google-key",      "AIza",                      letters, DASHED, 35, 35 },
	{ "google-token",    "ya29.",                     letters, DASHED, 20, 0 },
	{ "google-secret",   "GOCSPX-",                   letters, DASHED, 28, 28 },
	{ "digitalocean-token", "dop_v1_",                letters, ALNUM, 64, 64 },
	{ "github-token",    "ghp_",                      letters, ALNUM, 36, 0 },
	{ "github-token",    "gho_",                      letters, ALNUM, 36, 0 },
	{ "github-token",    "ghu_",                      letters, ALNUM, 36, 0 },
	{ "github-token",    "ghs_",                      letters, ALNUM, 36, 0 },
	{ "github-token",    "ghr_",                      letters, ALNUM, 36, 0 },
	{ "github-token",    "github_pat_",               letters, WORD, 22, 0 },
	{ "gitlab-token",    "glpat-",                    letters, DASHED, 20, 0 },
	{ "gitlab-token",    "gldt-",                     letters, DASHED, 20, 0 },
	{ "gitlab-token",    "glrt-",                     letters, DASHED, 20, 0 },
	{ "gitlab-token",    "glptt-",                    letters, DASHED, 20, 0 },
	{ "slack-token",     "xoxb-",                     letters, DASHED, 10, 0 },
	{ "slack-token",     "xoxp-",                     letters, DASHED, 10, 0 },
	{ "slack-token",     "xoxa-",                     letters, DASHED, 10, 0 },
	{ "slack-token",     "xoxs-",                     letters, DASHED, 10, 0 },
	{ "slack-token",     "xoxe-",                     letters, DASHED, 10, 0 },
	{ "slack-token",     "xapp-",                     letters, DASHED, 10, 0 },
	{ "slack-webhook",   "hooks.slack.com/services/", letters, BASE64, 20, 0, .lead = true },
	{ "discord-webhook", "discord.com/api/webhooks/", letters, TOKEN68, 40, 0, .lead = true },
	{ "npm-token",       "npm_",                      letters, ALNUM, 36, 36 },
	{ "pypi-token",      "pypi-",                     letters, DASHED, 50, 0 },
	{ "docker-token",    "dckr_pat_",                 letters, DASHED, 27, 0 },
	{ "huggingface-token", "hf_",                     letters, ALNUM, 34, 34, .alone = true },
	{ "stripe-key",      "sk_live_",                  letters, ALNUM, 16, 0 },
	{ "stripe-key",      "rk_live_",                  letters, ALNUM, 16, 0 },
	{ "anthropic-key",   "sk-ant-",                   letters, DASHED, 20, 0 },
	{ "openai-key",      "sk-",                       not_prose, DASHED, 32, 0, .alone = true },
	{ "vault-token",     "hvs.",                      letters, DASHED, 24, 0, .alone = true },
	{ "jwt",             "eyJ",                       three_parts, DASHED, 4, 0, .alone = true },
	{ "private-key",     "-----BEGIN ",               key_block },
	{ "bearer",          "Bearer ",                   not_prose, TOKEN68, 16, 0, .alone = true, .lead = true },
	{ "bearer",          "bearer ",                   not_prose, TOKEN68, 16, 0, .alone = true, .lead = true },
	{ "basic",           "Authorization: Basic ",     letters, BASE64, 8, 0, .lead = true },
	{ "basic",           "authorization: Basic ",     letters, BASE64, 8, 0, .lead = true },
	{ "url-password",    "://",                       password, .lead = true },
};
#define SHAPES (sizeof shape / sizeof *shape)
_Static_assert(SHAPES < 255, "an index fits a byte");

const char *bawn_redact_name(size_t i) { return i < SHAPES ? shape[i].name : NULL; }

/* The rows that begin with a byte: the first of them, and after each the next; SHAPES ends the list. */
struct index { uint8_t first[256], next[SHAPES]; };

static void index_shapes(struct index *x)
{
	memset(x->first, (int)SHAPES, sizeof x->first);
	for (size_t i = SHAPES; i-- > 0; ) {
		uint8_t *at = &x->first[(unsigned char)shape[i].prefix[0]];
		x->next[i] = *at;
		*at = (uint8_t)i;
	}
}

struct hit { size_t from, to; const char *name; };  /* bytes to be replaced */

static bool hit_at(const struct shape *s, struct bawn_span text, size_t at, struct hit *out)
{
	const size_t lead = strlen(s->prefix);
	if (text.n - at < lead || memcmp(text.p + at, s->prefix, lead) != 0 ||
	    (s->alone && at > 0 && in_set(s->max > 0 ? WORD : DASHED, (unsigned char)text.p[at - 1])))
		return false;
	const size_t n = s->rest(s, text.p + at + lead, text.p + text.n);
	if (n == SIZE_MAX)
		return false;
	*out = (struct hit){ s->lead ? at + lead : at, at + lead + n, s->name };
	return true;
}

static bool next_token(const struct index *x, struct bawn_span text, size_t from, struct hit *out)
{
	for (size_t at = from; at + 1 < text.n; at++)  /* no prefix is shorter than two bytes */
		for (size_t i = x->first[(unsigned char)text.p[at]]; i < SHAPES; i = x->next[i])
			if (shape[i].prefix[1] == text.p[at + 1] && hit_at(&shape[i], text, at, out))
				return true;
	return false;
}

/* NAME=value, NAME: value, "NAME": "value" */
static bool next_named(const char *name, struct bawn_span text, size_t from, struct hit *out)
{
	const size_t n = strlen(name);
	const char *const end = text.p + text.n;
	for (const char *p; from < text.n && (p = memmem(text.p + from, text.n - from, name, n)) != NULL; from = (size_t)(p - text.p) + 1) {
		const char *at = p + n;
		if (p > text.p && in_set(WORD, (unsigned char)p[-1]))
			continue;
		at += at < end && (*at == '"' || *at == '\'');
		if (at == end || (*at != '=' && *at != ':'))
			continue;
		at++;
		at += at < end && *at == ' ';
		const char quote = at < end && (*at == '"' || *at == '\'') ? *at++ : '\0';
		const char *stop = at;
		while (stop < end && (quote != '\0' ? *stop != quote && *stop != '\n' : (unsigned char)*stop > ' ' && strchr(",;&\"'", *stop) == NULL))
			stop++;
		if (stop == at)
			continue;
		*out = (struct hit){ (size_t)(at - text.p), (size_t)(stop - text.p), NULL };
		return true;
	}
	return false;
}

static bool next_hit(const struct index *x, const char *name, struct bawn_span text, size_t from, struct hit *out)
{
	return name != NULL ? next_named(name, text, from, out) : next_token(x, text, from, out);
}

/* One name, or (NULL) all shapes. */
static bool replace(const struct index *x, const char *name, struct bawn_span text, struct bawn_buf *out)
{
	struct hit h;
	size_t from = 0;
	bool any = false;
	for (; next_hit(x, name, text, from, &h); from = h.to, any = true) {
		bawn_buf_add(out, text.p + from, h.from - from);
		if (h.name != NULL)
			bawn_buf_fmt(out, "[redacted:%s]", h.name);
		else
			bawn_buf_str(out, "[redacted]");
	}
	if (any)
		bawn_buf_add(out, text.p + from, text.n - from);
	return any;
}

static bool redact(const struct bawn_redact *how, const struct index *x, struct bawn_span text, struct bawn_buf *out)
{
	bawn_auto_buf now = BAWN_BUF(out->max);
	bool any = false;
	for (size_t i = 0; i < how->n_names + !how->keep_tokens; i++) {
		const char *name = i < how->n_names ? how->name[i] : NULL;
		bawn_auto_buf next = BAWN_BUF(out->max);
		if ((name != NULL && *name == '\0') || !replace(x, name, any ? bawn_buf_span(&now) : text, &next))
			continue;
		any = true;
		bawn_buf_done(&now);
		now = next;
		next = (struct bawn_buf){ 0 };
		if (bawn_buf_error(&now) < 0)
			break;
	}
	if (any && bawn_buf_error(&now) < 0)
		out->error = bawn_buf_error(&now);
	else if (any)
		bawn_buf_add(out, now.p, now.n);
	return any;
}

bool bawn_redact_text(const struct bawn_redact *how, struct bawn_span text, struct bawn_buf *out)
{
	struct index x;
	index_shapes(&x);
	return redact(how, &x, text, out);
}

/* ---- JSON ---- */

static bool has_hit(const struct bawn_redact *how, const struct index *x, struct bawn_span text)
{
	struct hit h;
	for (size_t i = 0; i < how->n_names; i++)
		if (how->name[i][0] != '\0' && next_named(how->name[i], text, 0, &h))
			return true;
	return !how->keep_tokens && next_token(x, text, 0, &h);
}

static struct bawn_span span_of(const json_t *text) { return (struct bawn_span){ json_string_value(text), json_string_length(text) }; }

/* Without allocating: most records have nothing. */
static bool any_hit(const struct bawn_redact *how, const struct index *x, const json_t *v)
{
	size_t i;
	const char *key;
	json_t *item;
	if (json_is_string(v))
		return has_hit(how, x, span_of(v));
	json_array_foreach(v, i, item)
		if (any_hit(how, x, item))
			return true;
	json_object_foreach((json_t *)v, key, item)
		if (has_hit(how, x, bawn_span(key)) || any_hit(how, x, item))
			return true;
	return false;
}

static json_t *redacted(const struct bawn_redact *how, const struct index *x, const json_t *v);

static json_t *redacted_text(const struct bawn_redact *how, const struct index *x, struct bawn_span text)
{
	bawn_auto_buf out = BAWN_BUF(64u << 20);
	if (!redact(how, x, text, &out))
		return bawn_json_text(text);
	return bawn_buf_error(&out) < 0 ? NULL : bawn_json_text(bawn_buf_span(&out));
}

/* Two keys that become the same stay two: the second gets a number. */
static void set_redacted(const struct bawn_redact *how, const struct index *x, json_t *to, const char *key, const json_t *v, bool *ok)
{
	bawn_auto_json clean = redacted_text(how, x, bawn_span(key));
	bawn_auto_buf name = BAWN_BUF(64u << 20);
	bawn_buf_str(&name, clean != NULL ? json_string_value(clean) : "");
	for (int n = 2; bawn_buf_error(&name) == 0 && clean != NULL && json_object_get(to, name.p) != NULL; n++) {
		bawn_buf_reset(&name);
		bawn_buf_fmt(&name, "%s%d", json_string_value(clean), n);
	}
	*ok = *ok && clean != NULL && bawn_buf_error(&name) == 0;
	if (*ok)
		bawn_json_set(to, name.p, redacted(how, x, v), ok);
}

static json_t *redacted(const struct bawn_redact *how, const struct index *x, const json_t *v)
{
	size_t i;
	const char *key;
	json_t *item, *out;
	bool ok = true;
	if (json_is_string(v))
		return redacted_text(how, x, span_of(v));
	if (!json_is_array(v) && !json_is_object(v))
		return json_deep_copy(v);
	out = json_is_array(v) ? json_array() : json_object();
	json_array_foreach(v, i, item)
		bawn_json_push(out, redacted(how, x, item), &ok);
	json_object_foreach((json_t *)v, key, item)
		set_redacted(how, x, out, key, item, &ok);
	if (ok)
		return out;
	json_decref(out);
	return NULL;
}

json_t *bawn_redact_json(const struct bawn_redact *how, const json_t *value)
{
	struct index x;
	index_shapes(&x);
	return any_hit(how, &x, value) ? redacted(how, &x, value) : json_incref((json_t *)value);
}
