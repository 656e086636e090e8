/* peer.h - the other end of the helper's socket: tells it some bytes and hears what it answers. */
#pragma once
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "audit/index_wire.h"
#include "index/serve.h"

#define PEER_MAX (4u << 20)

struct peer { int its, ours; };

/* The helper's end never waits: all that is told is there before it looks, and an answer too long for the socket fails. */
static inline struct peer peer_make(void)
{
	int pair[2];
	const int room = PEER_MAX;
	assert(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) == 0);
	for (int i = 0; i < 2; i++)
		(void)setsockopt(pair[i], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
	return (struct peer){ pair[0], pair[1] };
}

/* False: it does not fit. */
static inline int peer_tell(const struct peer *p, const void *bytes, size_t n)
{
	return n == 0 || send(p->ours, bytes, n, MSG_NOSIGNAL) == (ssize_t)n;
}

/* All that was answered, owned by the caller. */
static inline uint8_t *peer_hear(const struct peer *p, size_t *out_n)
{
	size_t room = 1u << 16, n = 0;
	uint8_t *all = malloc(room);
	assert(all != NULL);
	for (ssize_t got; (got = recv(p->ours, all + n, room - n, 0)) > 0; ) {
		n += (size_t)got;
		if (n == room) {
			room *= 2;
			all = realloc(all, room);
			assert(all != NULL);
		}
	}
	*out_n = n;
	return all;
}

static inline void peer_done(const struct peer *p)
{
	(void)close(p->its);
	(void)close(p->ours);
}

static inline sqlite3 *memory_database(void)
{
	sqlite3 *db = NULL;
	assert(sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) == SQLITE_OK);
	return db;
}
