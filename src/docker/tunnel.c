#include "docker/tunnel.h"
#include <fcntl.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/file.h"

int bawn_tunnel_init(struct bawn_tunnel *t, uint64_t room, struct bawn_err *err)
{
	*t = (struct bawn_tunnel){ .room = room, .payload = malloc(BAWN_IPC_MAX) };
	return t->payload != NULL ? 0 : bawn_fail(err, -ENOMEM, "open the tunnel");
}

static void drop_files(struct bawn_tunnel *t)
{
	for (size_t i = 0; i < t->n_fds; i++)
		bawn_close_fdp(&t->fd[i]);
	t->n_fds = 0;
}

void bawn_tunnel_done(struct bawn_tunnel *t)
{
	drop_files(t);
	free(t->payload);
	t->payload = NULL;
}

/* Up to `want` bytes in all into `to`; true when they are there. */
static bool gather(struct bawn_tunnel *t, struct bawn_span *bytes, char *to, size_t want)
{
	size_t n = bytes->n < want - t->have ? bytes->n : want - t->have;
	if (n > 0)
		memcpy(to + t->have, bytes->p, n);
	t->have += n;
	bytes->p += n;
	bytes->n -= n;
	if (t->have < want)
		return false;
	t->have = 0;
	return true;
}

static int begin(struct bawn_tunnel *t, struct bawn_err *err)
{
	struct bawn_ipc_in in = { t->head, BAWN_TUNNEL_HEAD, false };
	t->type = bawn_ipc_get_u32(&in);
	t->size = bawn_ipc_get_u32(&in);
	t->files = bawn_ipc_get_u32(&in);
	t->brought = 0;
	if (t->size > BAWN_IPC_MAX - sizeof t->type || t->files > BAWN_IPC_FDS)
		return bawn_fail(err, -EBADMSG, "read a message of %u bytes and %u files", t->size, t->files);
	t->at = BAWN_TUNNEL_IN_PAYLOAD;
	return 0;
}

/* Whether a file ends or goes on. */
static int begin_chunk(struct bawn_tunnel *t, struct bawn_err *err)
{
	struct bawn_ipc_in in = { t->head, sizeof t->chunk, false };
	t->chunk = bawn_ipc_get_u32(&in);
	if (t->chunk > BAWN_TUNNEL_CHUNK || t->chunk > t->room - t->brought)
		return bawn_fail(err, -EBADMSG, "read a file of more than %llu bytes", (unsigned long long)t->room);
	t->brought += t->chunk;
	return 0;
}

static int open_file(struct bawn_tunnel *t, struct bawn_err *err)
{
	int fd = bawn_memory_file("file", err);
	if (fd < 0)
		return bawn_wrap(err, fd, "keep a file");
	t->fd[t->n_fds++] = fd;
	return 0;
}

static int close_file(struct bawn_tunnel *t, struct bawn_err *err)
{
	int fd = t->fd[t->n_fds - 1];
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return bawn_fail(err, -errno, "keep a file");
	return 0;
}

static int finish(struct bawn_tunnel *t, struct bawn_ipc_msg *out)
{
	*out = (struct bawn_ipc_msg){ .type = t->type, .in = { t->payload, t->size, false }, .n_fds = t->n_fds };
	memcpy(out->fd, t->fd, sizeof t->fd);
	t->n_fds = 0;
	t->at = BAWN_TUNNEL_IN_HEAD;
	return 1;
}

/* After the payload or a file: the next file, or the message is whole. */
static int next_file(struct bawn_tunnel *t, struct bawn_ipc_msg *out, struct bawn_err *err)
{
	if (t->n_fds == t->files)
		return finish(t, out);
	t->at = BAWN_TUNNEL_IN_COUNT;
	return open_file(t, err);
}

static int take_chunk(struct bawn_tunnel *t, struct bawn_span *bytes, struct bawn_err *err)
{
	size_t n = bytes->n < t->chunk ? bytes->n : t->chunk;
	int r = bawn_write_all(t->fd[t->n_fds - 1], bytes->p, n, err);
	bytes->p += n;
	bytes->n -= n;
	t->chunk -= (uint32_t)n;
	if (t->chunk == 0)
		t->at = BAWN_TUNNEL_IN_COUNT;
	return r;
}

int bawn_tunnel_feed(struct bawn_tunnel *t, struct bawn_span *bytes, struct bawn_ipc_msg *out, struct bawn_err *err)
{
	for (int r = 0; ; ) {
		switch (t->at) {
		case BAWN_TUNNEL_IN_HEAD:
			if (!gather(t, bytes, t->head, BAWN_TUNNEL_HEAD))
				return 0;
			r = begin(t, err);
			break;
		case BAWN_TUNNEL_IN_PAYLOAD:
			if (!gather(t, bytes, t->payload, t->size))
				return 0;
			r = next_file(t, out, err);
			break;
		case BAWN_TUNNEL_IN_COUNT:
			if (!gather(t, bytes, t->head, sizeof t->chunk))
				return 0;
			r = begin_chunk(t, err);
			if (r == 0 && t->chunk > 0)
				t->at = BAWN_TUNNEL_IN_CHUNK;
			else if (r == 0 && (r = close_file(t, err)) == 0)
				r = next_file(t, out, err);
			break;
		case BAWN_TUNNEL_IN_CHUNK:
			if (bytes->n == 0)
				return 0;
			r = take_chunk(t, bytes, err);
			break;
		}
		if (r != 0)
			return r;
	}
}

size_t bawn_tunnel_wants(const struct bawn_tunnel *t)
{
	const size_t part[] = { [BAWN_TUNNEL_IN_HEAD] = BAWN_TUNNEL_HEAD, [BAWN_TUNNEL_IN_PAYLOAD] = t->size,
		[BAWN_TUNNEL_IN_COUNT] = sizeof t->chunk, [BAWN_TUNNEL_IN_CHUNK] = t->chunk };
	return part[t->at] - t->have;
}

void bawn_tunnel_put(struct bawn_buf *b, uint32_t type, struct bawn_span payload, size_t files)
{
	bawn_ipc_put_u32(b, type);
	bawn_ipc_put_u32(b, (uint32_t)payload.n);
	bawn_ipc_put_u32(b, (uint32_t)files);
	bawn_buf_add(b, payload.p, payload.n);
}

int bawn_tunnel_put_chunk(struct bawn_buf *b, int fd, uint64_t *at, struct bawn_err *err)
{
	char chunk[BAWN_TUNNEL_CHUNK];
	ssize_t n;
	do
		n = pread(fd, chunk, sizeof chunk, (off_t)*at);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return bawn_fail(err, -errno, "read a file");
	bawn_ipc_put_u32(b, (uint32_t)n);
	bawn_buf_add(b, chunk, (size_t)n);
	*at += (uint64_t)n;
	return n > 0;
}
