#include "egress/rules.h"
#include <errno.h>
#include <idn2.h>
#include <string.h>
#include "base/cleanup.h"

static bool is_ascii(struct bawn_span s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] >= 0x80)
			return false;
	return true;
}

static void free_idn(uint8_t **p) { idn2_free(*p); }

/* The host and port of a row; a name in another script first becomes what is asked of DNS. */
static bool read_authority(struct bawn_span text, struct bawn_host *host, uint16_t *port)
{
	char name[1024];
	uint8_t *ascii __attribute__((cleanup(free_idn))) = NULL;
	if (is_ascii(text))
		return bawn_authority_parse(text, host, port) == BAWN_SPELLING_GOOD;
	const char *colon = memrchr(text.p, ':', text.n);
	size_t n = colon != NULL ? (size_t)(colon - text.p) : text.n, rest = text.n - n;
	if (n >= sizeof name || rest > 6 || memchr(text.p, '\0', text.n) != NULL)
		return false;
	memcpy(name, text.p, n);
	name[n] = '\0';
	if (idn2_lookup_u8((const uint8_t *)name, &ascii, IDN2_NONTRANSITIONAL | IDN2_NFC_INPUT | IDN2_USE_STD3_ASCII_RULES) != IDN2_OK)
		return false;
	bawn_auto_buf b = BAWN_BUF(512);
	bawn_buf_str(&b, (const char *)ascii);
	bawn_buf_add(&b, text.p + n, rest);
	return bawn_buf_error(&b) == 0 && bawn_authority_parse(bawn_buf_span(&b), host, port) == BAWN_SPELLING_GOOD;
}

static struct bawn_span behind(struct bawn_span text, const char *prefix)
{
	size_t n = strlen(prefix);
	return (struct bawn_span){ text.p + n, text.n - n };
}

int bawn_rules_add(struct bawn_rules *r, struct bawn_span row, struct bawn_err *err)
{
	struct bawn_rule rule = { .plain = bawn_span_starts(row, "http://") };
	struct bawn_span rest = rule.plain ? behind(row, "http://") : bawn_span_starts(row, "https://") ? behind(row, "https://") : row;
	if (!read_authority(rest, &rule.host, &rule.port))
		return bawn_fail_as(err, BAWN_ERROR_NETWORK_UNAVAILABLE, "network.whitelist", "'%.*s' in the whitelist is no host",
		                    (int)(row.n < 200 ? row.n : 200), row.p);
	if (rule.port == 0)
		rule.port = rule.plain ? 80 : 443;
	if (bawn_rules_find(r, &rule.host, rule.port, rule.plain) >= 0)
		return 0;
	if (r->n == BAWN_RULES_MAX)
		return bawn_fail_as(err, BAWN_ERROR_NETWORK_UNAVAILABLE, "network.whitelist", "the whitelist has more than %u rows", BAWN_RULES_MAX);
	r->rule[r->n++] = rule;
	return 0;
}

int bawn_rules_find(const struct bawn_rules *r, const struct bawn_host *host, uint16_t port, bool plain)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->rule[i].port == port && r->rule[i].plain == plain && bawn_host_equal(&r->rule[i].host, host))
			return (int)i;
	return -1;
}
