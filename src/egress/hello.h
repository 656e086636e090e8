/* hello.h - the first message of a TLS client, as far as it tells whom it is for.
 *
 *	record:     type (22)  version (3.x)  length  fragment           RFC 8446, section 5.1
 *	handshake:  type (1)   length  ClientHello                       over one or more fragments
 *
 * Invariant: what is not a whole and regular greeting with at most one name is none: a server that reads it another
 * way has nothing to read, since nothing was sent.
 * Pure.  An attacker controls every byte. */
#pragma once
#include "base/span.h"

#define BAWN_HELLO_MAX 16384u  /* of the greeting, and about as much of the stream */

struct bawn_hello { bool named, encrypted; char name[256]; };  /* encrypted: it carries an encrypted greeting (ECH) */

/* 1: *out is filled; 0: there is more to come; -1: this is no TLS greeting. */
int bawn_hello_parse(struct bawn_span in, struct bawn_hello *out);
