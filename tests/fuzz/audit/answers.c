/* answers.c - libFuzzer target: what a helper of the index answers (src/audit/index.c, find.c), whoever it is.
 *
 * A log and its index are made once; in the helper's place this file answers (posix_spawn and socketpair are linked to
 * what is below).  The input is steps, a kind and two bytes each: the hit of that entry as it should be, one at a place or with
 * a number or hash that is a little wrong, the end, or bytes as they are.  Whatever is answered: what is shown are entries
 * of the log, each once, newest first, all of those that are newer than the index; and a lie that was noticed is taken back. */
#include <assert.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "audit/audit.h"
#include "audit/index_wire.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/num.h"

#define INDEXED (2 * BAWN_INDEX_BLOCK)
#define ENTRIES (INDEXED + 10)
#define STAMP   "index/stamp"

static char dir[64];
static int dirfd_ = -1;
static struct bawn_index_hit truth[ENTRIES];
static char *stamp;                /* as it was when the index was made: a lie removes it */
static size_t stamp_n;

/* ---- in the helper's place ---- */

static int its_end = -1;           /* of the socket that the next helper would get */
static struct bawn_buf answer = { .max = 4u << 20 };

int __real_socketpair(int domain, int type, int protocol, int pair[2]);
int __wrap_socketpair(int domain, int type, int protocol, int pair[2]);
int __wrap_socketpair(int domain, int type, int protocol, int pair[2])
{
	const int room = 4 << 20;
	int r = __real_socketpair(domain, type, protocol, pair);
	its_end = r == 0 ? dup(pair[1]) : -1;
	(void)setsockopt(its_end, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
	return r;
}

/* Takes all entries and says that they are in the database, which is empty. */
static void *build(void *arg)
{
	static char bytes[65536];
	const int fd = *(int *)arg;
	const uint64_t done = INDEXED;
	(void)close(openat(dirfd_, "index/" BAWN_INDEX_FILE, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	while (read(fd, bytes, sizeof bytes) > 0)
		;
	assert(write(fd, &done, sizeof done) == sizeof done);
	(void)close(fd);
	return NULL;
}

static pthread_t builder;
static int builder_fd;
int __wrap_posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *files, const posix_spawnattr_t *how, char *const argv[], char *const env[]);
int __wrap_posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *files, const posix_spawnattr_t *how, char *const argv[], char *const env[])
{
	(void)path, (void)files, (void)how, (void)env;
	*pid = -1;  /* nobody to wait for */
	builder_fd = its_end;
	if (strcmp(argv[1], "build") == 0)
		return pthread_create(&builder, NULL, build, &builder_fd);
	(void)!send(its_end, answer.p, answer.n, MSG_NOSIGNAL | MSG_DONTWAIT);
	(void)close(its_end);
	return 0;
}

/* ---- the log ---- */

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	return remove(path);
}
static void clean(void) { (void)nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS); }

static int note_truth(void *ctx, const struct bawn_entry *e)
{
	uint64_t *at = ctx;
	const char *hash = json_string_value(json_object_get(e->json, "hash"));
	truth[e->seq] = (struct bawn_index_hit){ .seq = e->seq, .at = *at };
	bawn_unhex(hash, truth[e->seq].hash, sizeof truth[e->seq].hash);
	*at += e->line.n + 1;
	return 0;
}

static int ignore(void *ctx, const struct bawn_entry *e)
{
	(void)ctx, (void)e;
	return 0;
}

static void make_log(void)
{
	struct bawn_audit *a = NULL;
	uint64_t ticket = 0, at = 0;
	snprintf(dir, sizeof dir, "/dev/shm/bawn-fuzz-XXXXXX");
	if (mkdtemp(dir) == NULL) {
		snprintf(dir, sizeof dir, "/tmp/bawn-fuzz-XXXXXX");
		assert(mkdtemp(dir) != NULL);
	}
	(void)atexit(clean);
	assert(bawn_audit_open(dir, &(struct bawn_audit_options){ .node = "n" }, &a, NULL) == 0);
	for (unsigned i = 1; i < ENTRIES; i++)
		assert(a->ops->append(a, &(struct bawn_record){ .type = BAWN_RECORD_ASSESS_DONE, .exec = "E" }, &ticket, NULL) == 0);
	assert(a->ops->wait(a, ticket, NULL, NULL) == 0);
	a->ops->close(a);
	assert(bawn_audit_walk(dir, 0, note_truth, &at, NULL) == 0);
	dirfd_ = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* The first question that the newest entries do not answer begins one. */
static void make_index(void)
{
	bawn_auto_buf text = BAWN_BUF(4096);
	const struct bawn_find ask = { .exec = "E", .look = 1 };
	(void)!bawn_audit_find(dir, "helper", &ask, ignore, NULL, NULL);
	(void)pthread_join(builder, NULL);
	assert(bawn_read_file(dirfd_, STAMP, &text, NULL) == 0);
	stamp_n = text.n;
	stamp = strndup(text.p, text.n);
	assert(stamp != NULL);
}

/* ---- the answers ---- */

enum { GOOD, ELSEWHERE, RENUMBERED, REHASHED, END, RAW, KINDS };
static void make_answer(const uint8_t *p, size_t n)
{
	bawn_buf_reset(&answer);
	for (; n >= 3; p += 3, n -= 3) {
		const unsigned x = p[1] | (unsigned)p[2] << 8;
		struct bawn_index_hit hit = truth[x % ENTRIES];
		switch (p[0] % KINDS) {
		case ELSEWHERE:  hit.at = (uint64_t)p[2] << (p[1] % 64); break;
		case RENUMBERED: hit.seq += x >> 12 | 1u; break;
		case REHASHED:   hit.hash[p[2] % 32] ^= 1; break;
		case END:        hit.seq = BAWN_INDEX_END; break;
		case RAW:        bawn_buf_add(&answer, p + 1, 2); continue;
		default:         break;
		}
		bawn_buf_add(&answer, &hit, sizeof hit);
	}
}

struct shown { uint64_t last; uint64_t n; bool anew, go_on; };
static int show(void *ctx, const struct bawn_entry *e)
{
	struct shown *s = ctx;
	if (e == NULL) {
		*s = (struct shown){ .last = UINT64_MAX, .anew = true, .go_on = s->go_on };
		return s->go_on ? 0 : 1;
	}
	const char *hash = json_string_value(json_object_get(e->json, "hash"));
	uint8_t raw[BAWN_SHA256_LEN];
	assert(hash != NULL && e->seq < ENTRIES && e->seq < s->last && (s->anew || s->n >= ENTRIES - INDEXED || e->seq >= INDEXED));
	bawn_unhex(hash, raw, sizeof raw);
	assert(memcmp(raw, truth[e->seq].hash, sizeof raw) == 0);
	s->last = e->seq;
	s->n++;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct shown s = { .last = UINT64_MAX, .go_on = size % 32 == 31 };  /* reading the whole log takes long */
	const struct bawn_find ask = { .exec = "E", .look = 1 };
	if (dir[0] == '\0') {
		make_log();
		make_index();
	}
	assert(bawn_replace_file(dirfd_, STAMP, (struct bawn_span){ stamp, stamp_n }, 0600, NULL) == 0);
	make_answer(data, size);
	const int r = bawn_audit_find(dir, "helper", &ask, show, &s, NULL);
	const bool there = faccessat(dirfd_, STAMP, F_OK, 0) == 0;
	assert(r == (s.anew && !s.go_on ? 1 : 0) && there == !s.anew);
	assert(!s.anew || !s.go_on || s.n == ENTRIES);
	return 0;
}
