/* address.c - what may be dialled: the public internet, and what policy lists. */
#include "egress/address.h"
#include <arpa/inet.h>
#include <string.h>
#include "tap.h"

static const char *refused(const char *text, const struct bawn_networks *except)
{
	struct sockaddr_in four = { .sin_family = AF_INET };
	struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
	if (inet_pton(AF_INET, text, &four.sin_addr) == 1)
		return bawn_address_refused((const struct sockaddr *)&four, except);
	if (inet_pton(AF_INET6, text, &six.sin6_addr) == 1)
		return bawn_address_refused((const struct sockaddr *)&six, except);
	return "no address in the test";
}

int main(void)
{
	static const char *const public[] = { "1.1.1.1", "11.0.0.10", "9.255.255.255", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.1", "172.15.0.1", "172.32.0.1",
		"192.167.0.1", "198.17.0.1", "198.20.0.1", "223.255.255.255", "168.63.129.17", "2606:4700::1", "2a00:1450::1", "2001:470::1", "2400::1", "3ffe::1" };
	static const struct { const char *address, *what; } row[] = {
		{ "0.0.0.0", "unspecified" }, { "0.1.2.3", "unspecified" }, { "10.0.0.1", "private" }, { "10.255.255.255", "private" }, { "100.64.0.1", "carrier" }, { "100.127.255.255", "carrier" },
		{ "127.0.0.1", "loopback" }, { "127.255.0.1", "loopback" }, { "169.254.1.1", "link-local" }, { "169.254.169.254", "link-local" }, { "172.16.0.1", "private" }, { "172.31.255.255", "private" },
		{ "192.168.1.1", "private" }, { "192.0.0.1", "protocols" }, { "192.0.2.1", "documentation" }, { "198.18.0.1", "benchmarks" }, { "198.19.255.255", "benchmarks" }, { "198.51.100.1", "documentation" },
		{ "203.0.113.1", "documentation" }, { "192.88.99.1", "6to4" }, { "224.0.0.1", "multicast" }, { "239.255.255.255", "multicast" }, { "240.0.0.1", "reserved" }, { "255.255.255.255", "reserved" },
		{ "168.63.129.16", "metadata" }, { "100.100.100.200", "carrier" },
		{ "::", "unspecified" }, { "::1", "loopback" }, { "::ffff:1.1.1.1", "disguise" }, { "::ffff:10.0.0.1", "disguise" }, { "::1.2.3.4", "disguise" }, { "64:ff9b::1.1.1.1", "NAT64" },
		{ "64:ff9b:1::1", "NAT64" }, { "100::1", "reserved" }, { "1fff::1", "reserved" }, { "4000::1", "reserved" }, { "8000::1", "reserved" }, { "c000::1", "reserved" }, { "f000::1", "reserved" },
		{ "f800::1", "reserved" }, { "fc00::1", "private" }, { "fd00:ec2::254", "metadata" }, { "fe00::1", "reserved" }, { "fe80::1", "link-local" }, { "febf::1", "link-local" }, { "fec0::1", "private" },
		{ "ff02::1", "multicast" }, { "2001::1", "protocols" }, { "2001:1ff::1", "protocols" }, { "2001:db8::1", "documentation" }, { "2002:a00:1::1", "6to4" }, { "3fff:fff::1", "documentation" },
	};
	static const struct { const char *network, *address; bool lifted; } lift[] = {
		{ "10.9.0.0/24", "10.9.0.2", true }, { "10.9.0.0/24", "10.9.1.2", false }, { "10.0.0.0/8", "10.1.2.3", true }, { "8.0.0.0/5", "10.1.2.3", false },
		{ "127.0.0.1/32", "127.0.0.1", true }, { "127.0.0.1/32", "127.0.0.2", false },
		{ "169.254.0.0/16", "169.254.3.4", true }, { "169.254.0.0/16", "169.254.169.254", false }, { "169.254.169.254/32", "169.254.169.254", true },
		{ "128.0.0.0/1", "169.254.169.254", false }, { "224.0.0.0/4", "224.0.0.1", false }, { "0.0.0.0/8", "0.0.0.0", false },
		{ "fd00::/8", "fd12::1", true }, { "fd00::/8", "fd00:ec2::254", false }, { "fd00:ec2::254/128", "fd00:ec2::254", true }, { "fd00::/64", "fd00:0:0:1::1", false },
		{ "::ffff:0:0/96", "::ffff:10.0.0.1", false }, { "fe80::/10", "fe80::1", true }, { "10.0.0.0/8", "fd00::1", false }, { "64:ff9b::/96", "64:ff9b::a00:1", true },
	};
	struct bawn_networks none = { .n = 0 };
	struct bawn_err err = { 0 };
	for (size_t i = 0; i < sizeof public / sizeof *public; i++)
		ok(refused(public[i], &none) == NULL, "%s may be dialled", public[i]);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const char *why = refused(row[i].address, &none);
		ok(why != NULL && (strstr(why, row[i].what) != NULL), "%s is refused as %s", row[i].address, row[i].what);
	}
	for (size_t i = 0; i < sizeof lift / sizeof *lift; i++) {
		struct bawn_networks one = { .n = 0 };
		ok(bawn_networks_add(&one, bawn_span(lift[i].network), &err) == 0 && (refused(lift[i].address, &one) == NULL) == lift[i].lifted, "%s %s %s",
		   lift[i].network, lift[i].lifted ? "lifts" : "does not lift", lift[i].address);
	}
	static const char *const bad[] = { "", "10.0.0.0", "10.0.0.0/33", "10.0.0/8", "x/8", "fd00::/129", "0.0.0.0/0", "10.0.0.0/", "10.0.0.0/8x" };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		ok(bawn_networks_add(&none, bawn_span(bad[i]), &err) < 0 && none.n == 0, "'%s' is no network", bad[i]);
	struct sockaddr unix_ = { .sa_family = AF_UNIX };
	ok(bawn_address_refused(&unix_, &none) != NULL, "nor is a Unix socket an address");
	return done_testing();
}
