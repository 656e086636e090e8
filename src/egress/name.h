/* name.h - a host as it is matched and dialled: brought into its one spelling once, at the edge.
 *
 * A name is made of letters, digits, hyphens and dots, in lower case, without the dot at its end.  An address is
 * one only in the spelling the kernel prints; every other spelling that some library would take for an address
 * (127.1, 0x7f.1, 017700000001, 2130706433) is told apart from names, and refused.
 * Pure.  An attacker controls every byte. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/span.h"

#define BAWN_NAME_MAX 253u
enum bawn_host_kind { BAWN_HOST_NAME, BAWN_HOST_IPV4, BAWN_HOST_IPV6 };
struct bawn_host { enum bawn_host_kind kind; char text[BAWN_NAME_MAX + 1]; };  /* an IPv6 address without its brackets */

enum bawn_spelling {
	BAWN_SPELLING_GOOD,
	BAWN_SPELLING_BAD,      /* no name of a host */
	BAWN_SPELLING_ADDRESS,  /* an address, in another spelling than its own */
};
enum bawn_spelling bawn_host_parse(struct bawn_span text, struct bawn_host *out);

/* HOST, HOST:PORT, [IPV6]:PORT.  *out_port is 0 where none is written. */
enum bawn_spelling bawn_authority_parse(struct bawn_span text, struct bawn_host *out, uint16_t *out_port);

bool bawn_host_equal(const struct bawn_host *a, const struct bawn_host *b);
/* host:port, with brackets where they are needed. */
void bawn_authority_put(struct bawn_buf *out, const struct bawn_host *host, uint16_t port);
