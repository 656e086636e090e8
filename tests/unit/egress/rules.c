/* rules.c - the whitelist: exact hosts, exact ports, plain HTTP only where it is written. */
#include "egress/rules.h"
#include <string.h>
#include "tap.h"

static struct bawn_rules rules;

static int find(const char *authority, bool plain)
{
	struct bawn_host h;
	uint16_t port;
	if (bawn_authority_parse(bawn_span(authority), &h, &port) != BAWN_SPELLING_GOOD)
		return -2;
	return bawn_rules_find(&rules, &h, port, plain);
}

int main(void)
{
	static const char *const good[] = { "index.test", "Files.Test.:8443", "http://plain.test:8080", "https://both.test:443", "http://both.test", "11.0.0.1", "[2001:470::1]:443",
		("b\xc3\xbc" "cher.test"), ("stra\xc3\x9f" "e.test:444"), "\xe4\xbe\x8b\xe3\x80\x82test" };
	static const char *const bad[] = { "", "*.index.test", "a b", "127.1", "index.test:0", "index.test/path", "http://", "ftp://a", "user@a", "a:65536", "::1",
		"a\xff.test", "\xe2\x80\xaestest", ("b\xc3\xbc" "cher.test:999999") };
	static const struct { const char *name, *authority; bool plain; bool want; } row[] = {
		{ "a listed host", "index.test:443", false, true },
		{ "in another spelling", "INDEX.TEST.:443", false, true },
		{ "at another port", "index.test:444", false, false },
		{ "by plain HTTP", "index.test:80", true, false },
		{ "by plain HTTP at its port", "index.test:443", true, false },
		{ "with something in front", "evilindex.test:443", false, false },
		{ "with something behind", "index.test.evil.test:443", false, false },
		{ "a name below it", "a.index.test:443", false, false },
		{ "the name above it", "test:443", false, false },
		{ "a port that is written", "files.test:8443", false, true },
		{ "not also 443", "files.test:443", false, false },
		{ "plain where written", "plain.test:8080", true, true },
		{ "no tunnel there", "plain.test:8080", false, false },
		{ "https is TLS", "both.test:443", false, true },
		{ "plain at port 80 without a port", "both.test:80", true, true },
		{ "an address that is listed", "11.0.0.1:443", false, true },
		{ "its neighbour", "11.0.0.2:443", false, false },
		{ "an address of IPv6", "[2001:470::1]:443", false, true },
		{ "a name in another script", "xn--bcher-kva.test:443", false, true },
		{ "sharp s is itself (IDNA 2008)", "xn--strae-oqa.test:444", false, true },
		{ "and not two", "strasse.test:444", false, false },
		{ "an ideographic full stop is a dot", "xn--fsq.test:443", false, true },
	};
	struct bawn_err err = { 0 };
	ok(find("index.test:443", false) < 0, "an empty list allows nothing");
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		ok(bawn_rules_add(&rules, (struct bawn_span){ good[i], strlen(good[i]) }, &err) == 0, "'%s' is a row", good[i]);
	size_t n = rules.n;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		ok(bawn_rules_add(&rules, (struct bawn_span){ bad[i], strlen(bad[i]) }, &err) < 0 && err.type == BAWN_ERROR_NETWORK_UNAVAILABLE && rules.n == n, "'%s' is none", bad[i]);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		ok((find(row[i].authority, row[i].plain) >= 0) == row[i].want, "%s: %s", row[i].name, row[i].want ? "allowed" : "not allowed");
	ok(bawn_rules_add(&rules, bawn_span("INDEX.test:443"), &err) == 0 && rules.n == n, "the same row twice is one");
	for (char name[32]; rules.n < BAWN_RULES_MAX; ) {
		snprintf(name, sizeof name, "h%zu.test", rules.n);
		if (bawn_rules_add(&rules, bawn_span(name), &err) < 0)
			break;
	}
	ok(rules.n == BAWN_RULES_MAX && bawn_rules_add(&rules, bawn_span("one-more.test"), &err) < 0, "the list has an end");
	return done_testing();
}
