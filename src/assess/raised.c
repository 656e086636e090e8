/* raised.c - see raised.h. */
#include "assess/raised.h"
#include "assess/text.h"

static bool name_under(const char *pattern, const char *name)
{
	size_t n = strlen(pattern);
	return n > 0 && strncmp(pattern, name, n) == 0 && (name[n] == '\0' || name[n] == '.' || name[n] == '(');
}

/* The host of a URL, or the text itself: without user, port, path and final dot. */
static struct bawn_span host_of(struct bawn_span text)
{
	const char *scheme = memmem(text.p, text.n, "://", 3);
	size_t from = scheme != NULL ? (size_t)(scheme - text.p) + 3 : 0, n = from;
	while (n < text.n && strchr("/?#", text.p[n]) == NULL)
		n++;
	struct bawn_span host = { text.p + from, n - from };
	const char *user = memchr(host.p, '@', host.n);
	if (user != NULL)
		host = (struct bawn_span){ user + 1, (size_t)(host.p + host.n - user) - 1 };
	const char *port = memchr(host.p, ':', host.n);
	host.n = port != NULL ? (size_t)(port - host.p) : host.n;
	host.n -= host.n > 0 && host.p[host.n - 1] == '.';
	return host;
}

static bool host_under(const char *pattern, struct bawn_span host)
{
	size_t n = strlen(pattern);
	return n > 0 && host.n >= n && strncasecmp(host.p + host.n - n, pattern, n) == 0 &&
	       (host.n == n || host.p[host.n - n - 1] == '.');
}

static bool in_patterns(const struct bawn_list *list, const struct fact *f)
{
	for (size_t i = 0; i < list->n; i++) {
		const char *p = list->item[i];
		switch ((enum bawn_matcher)f->kind) {
		case BAWN_MATCH_PATH: case BAWN_MATCH_REDIRECT:
			if (bawn_path_under(p, f->name, f->shell))
				return true;
			break;
		case BAWN_MATCH_STRING:
			if (strcmp(p, f->name) == 0 || host_under(p, host_of(bawn_span(f->name))))
				return true;
			break;
		case BAWN_MATCH_CALL: case BAWN_MATCH_NAME: case BAWN_MATCH_IMPORT: case BAWN_MATCH_COMMAND:
			if (name_under(p, f->name))
				return true;
			break;
		case BAWN_MATCH_PIPE: case BAWN_MATCH_EVENT: case BAWN_MATCH_ALL: case BAWN_MATCH_COUNT:
			break;
		}
	}
	return false;
}

/* Hosts among the words of a command.  One is enough to raise; to trust a command it would not be. */
static bool hosts_in_words(const struct bawn_list *list, const struct fact *f)
{
	for (uint32_t k = 0; f->kind == BAWN_MATCH_COMMAND && k < f->n_args; k++)
		for (size_t i = 0; bawn_value_is_text(f->arg[k]) && i < list->n; i++)
			if (host_under(list->item[i], host_of(f->arg[k]->text)))
				return true;
	return false;
}

static bool raised_by(const struct bawn_list *list, const struct fact *f) { return in_patterns(list, f) || hosts_in_words(list, f); }

bool bawn_is_trusted(const struct engine *e, const struct fact *f)
{
	return e->policy != NULL && in_patterns(&e->policy->trusted_patterns, f);
}

/* Patterns of the policy are findings of their own, raised as events. */
void bawn_raise_patterns(struct engine *e, const struct fact *f)
{
	if (e->policy == NULL || e->quiet)
		return;
	const char *event = raised_by(&e->policy->blocked_patterns, f) ? "blocked-pattern"
	                  : raised_by(&e->policy->high_triggers, f) ? "high-trigger" : NULL;
	if (event != NULL)
		(void)bawn_engine_event(e, event, f->node, f->name);
}

/* ---- rules.d ---- */

static void own_hits(struct engine *e, const struct fact *f, enum bawn_own_kind kind, struct bawn_span text)
{
	const struct bawn_own *own = e->policy->own;
	size_t n;
	const struct bawn_own_key *key = bawn_own_find(own, kind, text, &n);
	for (size_t i = 0; i < n; i++) {
		const struct bawn_own_rule *r = &own->rule[key[i].rule];
		int mode = bawn_policy_rule_mode(e->policy, r->id, r->level);
		if (mode != BAWN_RULE_OFF && (r->language < 0 || r->language == (int)e->tree->grammar))
			bawn_engine_report(e, (uint16_t)(e->rules->n + key[i].rule), (uint8_t)mode, f->node, f->name);
	}
}

/* A host and every domain it lies in. */
static void own_hosts(struct engine *e, const struct fact *f, struct bawn_span text)
{
	char host[256];
	struct bawn_span h = host_of(text);
	if (h.n == 0 || h.n >= sizeof host)
		return;
	for (size_t i = 0; i < h.n; i++)
		host[i] = (char)(h.p[i] >= 'A' && h.p[i] <= 'Z' ? h.p[i] | 0x20 : h.p[i]);
	for (size_t i = 0; i < h.n; i++)
		if (i == 0 || host[i - 1] == '.')
			own_hits(e, f, BAWN_OWN_HOST, (struct bawn_span){ host + i, h.n - i });
}

/* A name and everything it is part of: a.b.c, a.b, a. */
static void own_names(struct engine *e, const struct fact *f)
{
	size_t n = strlen(f->name);
	for (size_t i = 1; i <= n; i++)
		if (i == n || f->name[i] == '.' || f->name[i] == '(')
			own_hits(e, f, BAWN_OWN_NAME, (struct bawn_span){ f->name, i });
}

/* Paths are patterns: each is tried. */
static void own_paths(struct engine *e, const struct fact *f)
{
	const struct bawn_own *own = e->policy->own;
	for (size_t i = 0; i < own->n_keys; i++)
		if (own->key[i].kind == BAWN_OWN_PATH && bawn_path_under(own->key[i].text, f->name, f->shell))
			own_hits(e, f, BAWN_OWN_PATH, bawn_span(own->key[i].text));
}

void bawn_raise_own(struct engine *e, const struct fact *f)
{
	if (e->policy == NULL || e->policy->own == NULL || e->quiet)
		return;
	if (f->kind == BAWN_MATCH_PATH || f->kind == BAWN_MATCH_REDIRECT)
		own_paths(e, f);
	else if (f->kind == BAWN_MATCH_STRING)
		own_hosts(e, f, bawn_span(f->name));
	else if (f->kind == BAWN_MATCH_CALL || f->kind == BAWN_MATCH_NAME || f->kind == BAWN_MATCH_IMPORT || f->kind == BAWN_MATCH_COMMAND)
		own_names(e, f);
	for (uint32_t i = 0; f->kind == BAWN_MATCH_COMMAND && i < f->n_args; i++)
		if (bawn_value_is_text(f->arg[i]))
			own_hosts(e, f, f->arg[i]->text);
}
