/* proxy.h - the proxy of one run: what comes in at the sandbox's port, and may go out.
 *
 *	HEAD --CONNECT--> DIAL --> HELLO --> RELAY         HEAD: the request, its credential, the whitelist
 *	  |       GET ---> DIAL -----------> RELAY         DIAL: the dialler connects (dial.h)
 *	  +--no--> LAST <--no--+       +--no--> cut        HELLO: 200 was said, the TLS greeting must name the host
 *	                                                   LAST: the answer goes out, then the end
 *
 * Invariants: (1) no byte goes upstream before request and greeting were judged; (2) what one run may use up is
 * counted here, over all its connections, and beyond it everything is cut; (3) nobody is waited for without a
 * deadline; (4) every refusal is counted with its rule, and so is every byte.
 * An attacker controls all that comes from the sandbox and from upstream. */
#pragma once
#include "egress/dial.h"
#include "egress/wire.h"

struct bawn_proxy_spec {
	const struct bawn_rules *rules;
	struct bawn_net_limits   limits;
	const char              *credential;
	int                      core, port, dialler;  /* sockets */
};
/* Until core says stop, and gets its account, or is gone; the exit status. */
int bawn_proxy_run(const struct bawn_proxy_spec *spec);
