/* moby.h - a container engine's HTTP API on its Unix socket.
 *
 * Invariants: (1) every call ends: each has its own time; (2) an answer is bounded, and what is not JSON, or not of the
 * kind that was asked for, is an error of type backend_unavailable with the engine's words escaped; (3) nothing the
 * engine says is believed further than that: who calls checks what it means.
 * An attacker who is the engine owns the host anyway; one who only answers at its socket gets no code run. */
#pragma once
#include <curl/curl.h>
#include "base/json.h"

#define BAWN_MOBY_SOCKET "/var/run/docker.sock"
#define BAWN_MOBY_QUICK  10000  /* milliseconds for what an engine answers from memory */
#define BAWN_MOBY_SLOW   60000  /* for what touches disks and processes */

struct bawn_moby { char socket[108]; char api[16]; CURL *curl; };

BAWN_MUST_CHECK int bawn_moby_init(struct bawn_moby *e, const char *socket, struct bawn_err *err);
void bawn_moby_done(struct bawn_moby *e);

/* Asks which version is spoken, and settles on one both know. */
BAWN_MUST_CHECK int bawn_moby_meet(struct bawn_moby *e, struct bawn_err *err);

struct bawn_call {
	const char      *method;     /* "GET", "POST", "PUT", "DELETE" */
	const json_t    *body;       /* or NULL */
	struct bawn_span tar;        /* instead of a body */
	long             ms;
	long             may[2];     /* further statuses that are no failure, such as 404; 0: none */
	/* An answer in lines that takes as long as it takes: each is handed over (and an empty one now and then while
	 * nothing comes), `ms` is the longest silence.  A negative return ends the call. */
	int            (*line)(void *ctx, struct bawn_span line);
	void            *ctx;
};
/* The path is below /vX.Y.  *out_status and *out (NULL where there was no body) may be NULL. */
BAWN_MUST_CHECK int bawn_moby_call(struct bawn_moby *e, const struct bawn_call *c, long *out_status, json_t **out, struct bawn_err *err,
                                     const char *path, ...) BAWN_PRINTF(6, 7);
/* As part of a query; NULL when out of memory.  Freed by the caller with curl_free. */
char *bawn_moby_escape(struct bawn_moby *e, const char *text);

/* A container's standard streams: after this they are all that is on the socket. */
BAWN_MUST_CHECK int bawn_moby_attach(const struct bawn_moby *e, const char *id, int *out_fd, struct bawn_err *err);
