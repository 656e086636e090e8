/* address.h - which addresses a whitelisted name may turn out to have: those of the public internet, and networks
 * that policy lists.  One table of everything else, with the name of each range. */
#pragma once
#include <sys/socket.h>
#include "base/err.h"
#include "base/span.h"

/* A network, as bits of an address of 4 or 16 bytes. */
struct bawn_network { unsigned char bytes[16]; unsigned size, bits; };
#define BAWN_NETWORKS_MAX 64u
struct bawn_networks { struct bawn_network net[BAWN_NETWORKS_MAX]; size_t n; };
BAWN_MUST_CHECK int bawn_networks_add(struct bawn_networks *n, struct bawn_span cidr, struct bawn_err *err);

/* NULL: may be dialled.  Otherwise what the address is.  A listed network lifts only what is at least as wide as
 * itself: 169.254.0.0/16 is not leave for the metadata service in it. */
const char *bawn_address_refused(const struct sockaddr *address, const struct bawn_networks *except);
