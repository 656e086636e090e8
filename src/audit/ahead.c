/* ahead.c - see ahead.h.
 *
 *	taken            claimed              filled            (numbers of blocks; a ring)
 *	  |  done or busy   |   nobody has begun  |
 *
 * Invariants: (1) blocks are claimed in order, each by one thread, which alone touches it until it is done; (2) only the
 * thread that opened it fills and takes blocks; (3) between calls of open nobody else reads the file: a block is in
 * memory before it is claimed.
 * An attacker controls: every byte of the file. */
#include "audit/ahead.h"
#include <pthread.h>
#include <stdlib.h>
#include "base/cleanup.h"

#define CHUNK     (256u << 10)
#define RING      8  /* blocks for each thread: one that has to wait for the processor does not hold up the others at once */
#define BLOCK_MAX (BAWN_ENTRY_MAX + 2 * CHUNK)  /* a piece of a line that another block began, and a line of its own */

struct block {
	char                *buf;
	size_t               n, filled;  /* lines in it; all bytes read: what follows n belongs to the next block */
	bool                 last;       /* nothing comes after it */
	struct bawn_checked *line;
	size_t               lines, room;
	struct bawn_vkey     key;        /* the guess */
	bool                 keyed, done;
	int                  error;
};

struct bawn_ahead {
	pthread_mutex_t mutex;           /* over claimed, filled as others see it, done and quit */
	pthread_cond_t  work, done;
	struct block   *ring;
	size_t          size;            /* of the ring */
	uint64_t        taken, claimed, filled;
	bool            quit, signatures;
	pthread_t       thread[BAWN_AHEAD_JOBS];
	unsigned        threads, jobs;
	int             fd;
	uint64_t        offset, end;     /* of the file: read so far, and not beyond */
	bool            eof;
	size_t          at;              /* lines handed out of the block `taken` */
};

/* ---- a block ---- */

static bool add_line(struct block *b, struct bawn_span line, bool whole, bool signatures)
{
	if (b->lines == b->room) {
		const size_t room = b->room == 0 ? 256 : 2 * b->room;
		struct bawn_checked *more = reallocarray(b->line, room, sizeof *more);
		if (more == NULL)
			return false;
		b->line = more;
		b->room = room;
	}
	bawn_check_line(line, whole, signatures && b->keyed ? &b->key : NULL, &b->line[b->lines++]);
	return true;
}

/* As bawn_lines_next splits them. */
static void check_block(struct block *b, bool signatures)
{
	bool whole = true;
	for (size_t at = 0; b->error == 0 && whole && at < b->n; ) {
		const size_t have = b->n - at, limit = have < BAWN_ENTRY_MAX ? have : BAWN_ENTRY_MAX;
		const char *nl = memchr(b->buf + at, '\n', limit);
		whole = nl != NULL;
		const size_t n = whole ? (size_t)(nl - (b->buf + at)) : limit;
		if (!add_line(b, (struct bawn_span){ b->buf + at, n }, whole, signatures))
			b->error = -ENOMEM;
		else if (whole && b->line[b->lines - 1].r < 0)
			break;  /* nobody asks for what follows it */
		at += n + 1;
	}
}

/* ---- the others ---- */

static struct block *block(const struct bawn_ahead *a, uint64_t n) { return &a->ring[n % a->size]; }

/* With the mutex held, which is let go meanwhile. */
static void check_next(struct bawn_ahead *a)
{
	struct block *b = block(a, a->claimed++);
	(void)pthread_mutex_unlock(&a->mutex);
	check_block(b, a->signatures);
	(void)pthread_mutex_lock(&a->mutex);
	b->done = true;
	(void)pthread_cond_signal(&a->done);
}

static void *help(void *arg)
{
	struct bawn_ahead *a = arg;
	(void)pthread_mutex_lock(&a->mutex);
	while (!a->quit)
		if (a->claimed < a->filled)
			check_next(a);
		else
			(void)pthread_cond_wait(&a->work, &a->mutex);
	(void)pthread_mutex_unlock(&a->mutex);
	return NULL;
}

/* Not before there is more than one block: most logs are short. */
static void call_helpers(struct bawn_ahead *a)
{
	while (a->threads + 1 < a->jobs && pthread_create(&a->thread[a->threads], NULL, help, a) == 0)
		a->threads++;
	a->jobs = a->threads + 1;  /* that no more can be had is no error: this one does the work */
}

struct bawn_ahead *bawn_ahead_new(unsigned jobs, bool signatures)
{
	struct bawn_ahead *a = calloc(1, sizeof *a);
	if (a == NULL)
		return NULL;
	a->jobs = jobs < 1 ? 1 : jobs > BAWN_AHEAD_JOBS ? BAWN_AHEAD_JOBS : jobs;
	a->signatures = signatures;
	a->size = a->jobs == 1 ? 2 : RING * (size_t)a->jobs;
	a->ring = calloc(a->size, sizeof *a->ring);
	if (a->ring == NULL) {
		free(a);
		return NULL;
	}
	(void)pthread_mutex_init(&a->mutex, NULL);
	(void)pthread_cond_init(&a->work, NULL);
	(void)pthread_cond_init(&a->done, NULL);
	return a;
}

void bawn_ahead_free(struct bawn_ahead *a)
{
	if (a == NULL)
		return;
	(void)pthread_mutex_lock(&a->mutex);
	a->quit = true;
	(void)pthread_cond_broadcast(&a->work);
	(void)pthread_mutex_unlock(&a->mutex);
	for (unsigned i = 0; i < a->threads; i++)
		(void)pthread_join(a->thread[i], NULL);
	for (size_t i = 0; i < a->size; i++) {
		free(a->ring[i].buf);
		free(a->ring[i].line);
	}
	(void)pthread_mutex_destroy(&a->mutex);
	(void)pthread_cond_destroy(&a->work);
	(void)pthread_cond_destroy(&a->done);
	free(a->ring);
	free(a);
}

/* ---- filling ---- */

/* One read; 0 where there was nothing more. */
static int read_more(struct bawn_ahead *a, struct block *b, struct bawn_err *err)
{
	const uint64_t left = a->end > a->offset ? a->end - a->offset : 0;
	const size_t want = left < CHUNK ? (size_t)left : CHUNK;
	ssize_t n = want > 0 ? pread(a->fd, b->buf + b->filled, want, (off_t)a->offset) : 0;
	if (n < 0)
		return errno == EINTR ? 0 : bawn_fail(err, -errno, "read the log");
	b->filled += (size_t)n;
	a->offset += (uint64_t)n;
	a->eof = n == 0;
	return 0;
}

/* Whole lines, at least one; or the rest of the file; or as much of a line as no entry has. */
static int fill(struct bawn_ahead *a, struct block *b, const struct block *before, struct bawn_err *err)
{
	const char *nl = NULL;
	int r = 0;
	if (b->buf == NULL && (b->buf = malloc(BLOCK_MAX)) == NULL)
		return bawn_fail(err, -ENOMEM, "read the log");
	b->filled = b->n = b->lines = 0;
	b->done = b->last = false;
	b->error = 0;
	if (before != NULL) {
		b->filled = before->filled - before->n;
		memcpy(b->buf, before->buf + before->n, b->filled);
	}
	while (r == 0 && nl == NULL && !a->eof && b->filled < BAWN_ENTRY_MAX) {
		const size_t had = b->filled;
		r = read_more(a, b, err);
		nl = memrchr(b->buf + had, '\n', b->filled - had);
	}
	b->n = nl != NULL ? (size_t)(nl + 1 - b->buf) : b->filled;
	b->last = nl == NULL;
	return r;
}

static int fill_ring(struct bawn_ahead *a, const struct bawn_vkey *key, struct bawn_err *err)
{
	int r = 0;
	while (r == 0 && a->filled - a->taken < a->size - 1) {  /* one less: the next takes what this one leaves over */
		const struct block *before = a->filled > 0 ? block(a, a->filled - 1) : NULL;
		struct block *b = block(a, a->filled);
		if (before != NULL && before->last)
			break;
		r = fill(a, b, before, err);
		if (r < 0)
			break;
		b->keyed = key != NULL;
		if (b->keyed)
			b->key = *key;
		(void)pthread_mutex_lock(&a->mutex);
		a->filled++;
		(void)pthread_cond_signal(&a->work);
		(void)pthread_mutex_unlock(&a->mutex);
		if (a->filled == 2)
			call_helpers(a);
	}
	return r;
}

/* Until the block `taken` is done: with work of our own where nobody has begun. */
static void wait_for_block(struct bawn_ahead *a)
{
	(void)pthread_mutex_lock(&a->mutex);
	while (!block(a, a->taken)->done)
		if (a->claimed < a->filled)
			check_next(a);
		else
			(void)pthread_cond_wait(&a->done, &a->mutex);
	(void)pthread_mutex_unlock(&a->mutex);
}

void bawn_ahead_open(struct bawn_ahead *a, int fd, uint64_t end)
{
	for (; a->taken < a->filled; a->taken++)  /* what is left of the file before */
		wait_for_block(a);
	(void)pthread_mutex_lock(&a->mutex);
	a->taken = a->claimed = a->filled = 0;
	(void)pthread_mutex_unlock(&a->mutex);
	a->fd = fd;
	a->offset = 0;
	a->end = end;
	a->eof = false;
	a->at = 0;
}

int bawn_ahead_next(struct bawn_ahead *a, const struct bawn_vkey *key, const struct bawn_checked **out, struct bawn_err *err)
{
	if (a->taken < a->filled && a->at < block(a, a->taken)->lines) {
		*out = &block(a, a->taken)->line[a->at++];
		return 0;
	}
	if (a->taken < a->filled) {
		if (block(a, a->taken)->last) {
			*out = NULL;
			return 0;
		}
		a->taken++;
	}
	int r = fill_ring(a, key, err);
	if (r < 0)
		return r;
	wait_for_block(a);
	const struct block *b = block(a, a->taken);
	if (b->error < 0)
		return bawn_fail(err, b->error, "read the log");
	*out = b->lines > 0 ? &b->line[0] : NULL;
	a->at = b->lines > 0;
	return 0;
}
