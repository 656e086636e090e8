/* rules.h - the whitelist: exact hosts with ports, and nothing else.
 *
 *	host                TLS to port 443             host:port           TLS to that port
 *	http://host:port    plain HTTP, only so written https://host:port   the same as host:port
 *
 * Invariants: (1) a list with one row that cannot be understood is no list; (2) no row means no host; (3) once made it
 * never changes: a run keeps the rules it began with. */
#pragma once
#include "base/err.h"
#include "egress/name.h"

#define BAWN_RULES_MAX 256u
struct bawn_rule { struct bawn_host host; uint16_t port; bool plain; };
struct bawn_rules { struct bawn_rule rule[BAWN_RULES_MAX]; size_t n; };

/* NETWORK_UNAVAILABLE, with the row, where it is none.  Names in other scripts are brought into ASCII (IDNA 2008). */
BAWN_MUST_CHECK int bawn_rules_add(struct bawn_rules *r, struct bawn_span row, struct bawn_err *err);
/* The row's number, or -1. */
int bawn_rules_find(const struct bawn_rules *r, const struct bawn_host *host, uint16_t port, bool plain);
