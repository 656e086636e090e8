#include "egress/address.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/num.h"

/* `never`: no network that policy lists lifts it. */
static const struct { const char *cidr, *what; bool never; } range[] = {
	{ "0.0.0.0/8",          "this host (unspecified)", true },
	{ "10.0.0.0/8",         "a private network" },
	{ "100.64.0.0/10",      "a carrier's own network" },
	{ "127.0.0.0/8",        "loopback" },
	{ "169.254.0.0/16",     "link-local" },
	{ "172.16.0.0/12",      "a private network" },
	{ "192.0.0.0/24",       "reserved for protocols" },
	{ "192.0.2.0/24",       "reserved for documentation" },
	{ "192.31.196.0/24",    "reserved (AS112)" },
	{ "192.52.193.0/24",    "reserved (AMT)" },
	{ "192.88.99.0/24",     "6to4 relays" },
	{ "192.168.0.0/16",     "a private network" },
	{ "192.175.48.0/24",    "reserved (AS112)" },
	{ "198.18.0.0/15",      "reserved for benchmarks" },
	{ "198.51.100.0/24",    "reserved for documentation" },
	{ "203.0.113.0/24",     "reserved for documentation" },
	{ "224.0.0.0/4",        "multicast", true },
	{ "240.0.0.0/4",        "reserved", true },
	/* Services that tell a machine in a cloud its secrets; some have an address of the public internet. */
	{ "169.254.169.254/32", "a metadata service" },
	{ "169.254.170.2/32",   "a metadata service" },
	{ "100.100.100.200/32", "a metadata service" },
	{ "168.63.129.16/32",   "a metadata service" },
	{ "192.0.0.192/32",     "a metadata service" },
	{ "fd00:ec2::254/128",  "a metadata service" },
	{ "fd20:ce::254/128",   "a metadata service" },
	/* Of IPv6 only 2000::/3 is the public internet: the other seven eighths, then what is special in it. */
	{ "::/128",             "this host (unspecified)", true },
	{ "::1/128",            "loopback" },
	{ "::/96",              "an IPv4 address in disguise", true },
	{ "::ffff:0:0/96",      "an IPv4 address in disguise", true },
	{ "64:ff9b::/96",       "an IPv4 address behind NAT64" },
	{ "64:ff9b:1::/48",     "an IPv4 address behind NAT64" },
	{ "::/3",               "reserved" },
	{ "4000::/2",           "reserved" },
	{ "8000::/2",           "reserved" },
	{ "c000::/3",           "reserved" },
	{ "e000::/4",           "reserved" },
	{ "f000::/5",           "reserved" },
	{ "f800::/6",           "reserved" },
	{ "fc00::/7",           "a private network" },
	{ "fe00::/9",           "reserved" },
	{ "fe80::/10",          "link-local" },
	{ "fec0::/10",          "a private network" },
	{ "ff00::/8",           "multicast", true },
	{ "2001::/23",          "reserved for protocols" },
	{ "2001:db8::/32",      "reserved for documentation" },
	{ "2002::/16",          "an IPv4 address in 6to4" },
	{ "2620:4f:8000::/48",  "reserved (AS112)" },
	{ "3fff::/20",          "reserved for documentation" },
};

static bool read_network(struct bawn_span text, struct bawn_network *out)
{
	struct bawn_network n = { .size = 4 };
	char address[INET6_ADDRSTRLEN];
	const char *slash = text.n > 0 ? memchr(text.p, '/', text.n) : NULL;
	size_t len = slash != NULL ? (size_t)(slash - text.p) : 0;
	uint64_t bits;
	if (slash == NULL || len >= sizeof address)
		return false;
	memcpy(address, text.p, len);
	address[len] = '\0';
	if (inet_pton(AF_INET, address, n.bytes) != 1) {
		n.size = 16;
		if (inet_pton(AF_INET6, address, n.bytes) != 1)
			return false;
	}
	if (bawn_parse_u64((struct bawn_span){ slash + 1, text.n - len - 1 }, 0, n.size * 8, &bits, NULL) < 0)
		return false;
	n.bits = (unsigned)bits;
	*out = n;
	return true;
}

int bawn_networks_add(struct bawn_networks *n, struct bawn_span cidr, struct bawn_err *err)
{
	if (n->n == BAWN_NETWORKS_MAX || !read_network(cidr, &n->net[n->n]) || n->net[n->n].bits == 0)
		return bawn_fail_as(err, BAWN_ERROR_NETWORK_UNAVAILABLE, "network.allow_private", "'%.*s' is no network, or one too many",
		                    (int)(cidr.n < 60 ? cidr.n : 60), cidr.p);
	n->n++;
	return 0;
}

static bool in_network(const struct bawn_network *n, const unsigned char *bytes, unsigned size)
{
	unsigned whole = n->bits / 8, rest = n->bits % 8;
	if (n->size != size || memcmp(n->bytes, bytes, whole) != 0)
		return false;
	return rest == 0 || ((n->bytes[whole] ^ bytes[whole]) & (0xff << (8 - rest) & 0xff)) == 0;
}

static bool is_lifted(const struct bawn_networks *except, unsigned bits, const unsigned char *bytes, unsigned size)
{
	for (size_t i = 0; i < except->n; i++)
		if (except->net[i].bits >= bits && in_network(&except->net[i], bytes, size))
			return true;
	return false;
}

const char *bawn_address_refused(const struct sockaddr *address, const struct bawn_networks *except)
{
	const unsigned char *bytes;
	unsigned size;
	if (address->sa_family == AF_INET) {
		bytes = (const unsigned char *)&((const struct sockaddr_in *)(const void *)address)->sin_addr;
		size = 4;
	} else if (address->sa_family == AF_INET6) {
		bytes = (const unsigned char *)&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
		size = 16;
	} else {
		return "no internet address";
	}
	for (size_t i = 0; i < BAWN_LEN(range); i++) {
		struct bawn_network n;
		if (!read_network(bawn_span(range[i].cidr), &n))
			return "unknown";  /* a row nobody can read refuses all */
		if (in_network(&n, bytes, size) && (range[i].never || !is_lifted(except, n.bits, bytes, size)))
			return range[i].what;
	}
	return NULL;
}
