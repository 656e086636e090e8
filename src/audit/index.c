/* index.c - see index.h.
 *
 * Invariants: (1) nothing here is in the way of who writes the log: it takes none of its locks, and only readers come here;
 * (2) a stamp is written after the database it speaks of is on disk, and names that very file, its length and when it was
 * last changed: whatever happens to the file afterwards, the stamp does not fit any more; (3) what was put in was read
 * from the log in order, each entry citing the one before.
 * An attacker controls: every byte under index/, unless the key of the log is kept from them. */
#include "audit/index.h"
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sodium.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "audit/entry.h"
#include "audit/keys.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/num.h"

#define STAMP     "index/stamp"
#define STAMP_MAX 512
#define SEND      (64u << 10)
#define WAIT_S    60  /* for one answer of the helper */

/* ---- the helper ---- */

static void close_pair(int pair[static 2])
{
	bawn_close_fdp(&pair[0]);
	bawn_close_fdp(&pair[1]);
}

static int spawn(const struct bawn_index *x, const char *what, int its_end, pid_t *out)
{
	char name[] = "index", word[8], *argv[] = { name, word, NULL }, *none[] = { NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	sigset_t all, no;
	snprintf(word, sizeof word, "%s", what);
	(void)sigfillset(&all);
	(void)sigemptyset(&no);
	if (posix_spawn_file_actions_init(&files) != 0)
		return -ENOMEM;
	(void)posix_spawnattr_init(&how);
	(void)posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	(void)posix_spawnattr_setsigdefault(&how, &all);
	(void)posix_spawnattr_setsigmask(&how, &no);
	int r = posix_spawn_file_actions_addfchdir_np(&files, x->fd);
	r = r != 0 ? r : posix_spawn_file_actions_adddup2(&files, its_end, 0);
	r = r != 0 ? r : posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
	r = r != 0 ? r : posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
	r = r != 0 ? r : posix_spawn(out, x->helper, &files, &how, argv, none);
	(void)posix_spawn_file_actions_destroy(&files);
	(void)posix_spawnattr_destroy(&how);
	return -r;
}

static int start(struct bawn_index *x, const char *what)
{
	int pair[2];
	const struct timeval wait = { .tv_sec = WAIT_S };
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	int r = spawn(x, what, pair[1], &x->pid);
	if (r < 0) {
		close_pair(pair);
		return r;
	}
	(void)close(pair[1]);
	(void)setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
	(void)setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
	x->talk = pair[0];
	x->pidfd = pidfd_open(x->pid, 0);
	return 0;
}

static void stop(struct bawn_index *x)
{
	if (x->talk < 0)
		return;
	bawn_close_fdp(&x->talk);
	if (x->pidfd >= 0)
		(void)pidfd_send_signal(x->pidfd, SIGKILL, NULL, 0);
	bawn_close_fdp(&x->pidfd);
	while (waitpid(x->pid, NULL, 0) < 0 && errno == EINTR)
		;
	x->talk = x->pidfd = -1;
}

static int tell(const struct bawn_index *x, const void *p, size_t n)
{
	for (size_t done = 0; done < n; ) {
		ssize_t did = send(x->talk, (const char *)p + done, n - done, MSG_NOSIGNAL);
		if (did < 0 && errno == EINTR)
			continue;
		if (did <= 0)
			return -EIO;
		done += (size_t)did;
	}
	return 0;
}

static int hear(const struct bawn_index *x, void *p, size_t n)
{
	for (size_t done = 0; done < n; ) {
		ssize_t got = recv(x->talk, (char *)p + done, n - done, MSG_WAITALL);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -EIO;
		done += (size_t)got;
	}
	return 0;
}

/* ---- terms ---- */

struct terms { uint8_t bytes[BAWN_INDEX_TERMS]; size_t n; bool full; };

static uint8_t lower(char c) { return (uint8_t)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c); }

/* The first `n` bytes of a text, and of a second behind a '='. */
static void add_term(struct terms *t, char kind, const char *text, size_t n, const char *more)
{
	uint8_t term[BAWN_INDEX_TERM] = { (uint8_t)kind };
	size_t at = 1;
	for (size_t i = 0; i < n && at < sizeof term; i++)
		term[at++] = kind == BAWN_INDEX_EXEC ? lower(text[i]) : (uint8_t)text[i];
	if (more != NULL && at < sizeof term)
		term[at++] = '=';
	for (; more != NULL && *more != '\0' && at < sizeof term; more++)
		term[at++] = (uint8_t)*more;
	t->full |= sizeof t->bytes - t->n < at + 1;
	if (t->full)
		return;
	t->bytes[t->n++] = (uint8_t)at;
	memcpy(t->bytes + t->n, term, at);
	t->n += at;
}

/* What is not there, or empty, cannot be asked for. */
static void add_text(struct terms *t, char kind, const char *text)
{
	if (text != NULL && *text != '\0')
		add_term(t, kind, text, strlen(text), NULL);
}

static const char *text_in(const json_t *o, const char *key) { return json_string_value(json_object_get(o, key)); }

/* All that find can ask this entry for (entries.c and history.c have the same questions for one at hand). */
static void terms_of(const json_t *e, struct terms *t)
{
	const json_t *body = json_object_get(e, "body");
	const char *type = text_in(e, "type"), *key;
	json_t *value;
	t->n = 0;
	t->full = false;
	add_text(t, BAWN_INDEX_TYPE, type);
	for (const char *dot = type; dot != NULL && (dot = strchr(dot, '.')) != NULL; dot++)
		add_term(t, BAWN_INDEX_TYPE, type, (size_t)(dot - type), NULL);  /* its families */
	if (type != NULL && bawn_record_ends(type))
		add_term(t, BAWN_INDEX_ENDS, "", 0, NULL);
	add_text(t, BAWN_INDEX_SEVERITY, text_in(e, "severity"));
	add_text(t, BAWN_INDEX_SESSION, text_in(e, "session"));
	add_text(t, BAWN_INDEX_EXEC, text_in(e, "exec"));
	add_text(t, BAWN_INDEX_LEVEL, text_in(body, "level"));
	add_text(t, BAWN_INDEX_STATUS, text_in(body, "status"));
	json_object_foreach(json_object_get(body, "labels"), key, value) {
		add_term(t, BAWN_INDEX_LABEL, key, strlen(key), NULL);
		if (json_is_string(value))
			add_term(t, BAWN_INDEX_LABEL, key, strlen(key), json_string_value(value));
	}
	if (t->full) {  /* then it is found by everything */
		t->n = 0;
		t->full = false;
		add_term(t, BAWN_INDEX_ANY, "", 0, NULL);
	}
}

/* Terms that do not fit are not asked for: more is found then. */
static void terms_asked(const struct bawn_find *f, struct terms *t)
{
	const struct { char kind; const char *text; } row[] = {
		{ BAWN_INDEX_TYPE, f->type }, { BAWN_INDEX_SEVERITY, f->severity }, { BAWN_INDEX_LEVEL, f->level }, { BAWN_INDEX_STATUS, f->status },
		{ BAWN_INDEX_SESSION, f->session }, { BAWN_INDEX_EXEC, f->exec },
	};
	t->n = 0;
	t->full = false;
	for (size_t i = 0; i < BAWN_LEN(row); i++)
		add_text(t, row[i].kind, row[i].text);
	for (size_t i = 0; i < f->n_labels; i++)
		add_text(t, BAWN_INDEX_LABEL, f->label[i]);
	if (f->ends)
		add_term(t, BAWN_INDEX_ENDS, "", 0, NULL);
}

bool bawn_index_helps(const struct bawn_find *f)
{
	return f->one || f->since_us > 0 || f->type != NULL || f->severity != NULL || f->level != NULL || f->status != NULL ||
	       f->session != NULL || f->exec != NULL || f->n_labels > 0;
}

/* ---- the stamp ---- */

static void stamp_text(const struct bawn_index *x, const struct stat *st, char out[static STAMP_MAX])
{
	snprintf(out, STAMP_MAX, "bawn-index/1 %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s %ju %jd %jd.%09ld\n", x->from, x->to, x->place.segment,
	         x->place.offset, x->place.hash, (uintmax_t)st->st_ino, (intmax_t)st->st_size, (intmax_t)st->st_ctim.tv_sec, st->st_ctim.tv_nsec);
}

static void stamp_mac(const struct bawn_index *x, const char *text, char out[static BAWN_SHA256_HEX])
{
	uint8_t raw[crypto_auth_hmacsha256_BYTES];
	_Static_assert(sizeof raw == BAWN_SHA256_LEN && crypto_auth_hmacsha256_KEYBYTES == sizeof x->key, "a hash");
	(void)crypto_auth_hmacsha256(raw, (const unsigned char *)text, strlen(text), x->key);
	bawn_hex(raw, sizeof raw, out);
}

static int stat_database(const struct bawn_index *x, struct stat *out)
{
	return fstatat(x->fd, BAWN_INDEX_FILE, out, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : S_ISREG(out->st_mode) ? 0 : -EBADMSG;
}

/* What it says is believed when it is what we would write now. */
static int read_stamp(struct bawn_index *x)
{
	bawn_auto_buf text = BAWN_BUF(STAMP_MAX + BAWN_SHA256_HEX);
	struct stat st;
	char again[STAMP_MAX], mac[BAWN_SHA256_HEX], hash[BAWN_SHA256_HEX];
	struct bawn_index y = *x;
	int r = bawn_read_plain_file(x->dirfd, STAMP, &text, NULL);
	if (r == 0)
		r = stat_database(x, &st);
	if (r < 0)
		return r;
	if (text.p == NULL || sscanf(text.p, "bawn-index/1 %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %64[0-9a-f]", &y.from, &y.to, &y.place.segment, &y.place.offset, hash) != 5 ||
	    strlen(hash) != 64)
		return -EBADMSG;
	memcpy(y.place.hash, hash, sizeof hash);
	y.place.seq = y.to;
	y.place.known = true;
	stamp_text(&y, &st, again);
	stamp_mac(x, again, mac);
	const size_t n = strlen(again);
	if (text.n != n + 65 || memcmp(text.p, again, n) != 0 || sodium_memcmp(text.p + n, mac, 64) != 0 || text.p[n + 64] != '\n')
		return -EBADMSG;
	*x = y;
	return 0;
}

static int write_stamp(const struct bawn_index *x)
{
	struct stat st;
	char text[STAMP_MAX], mac[BAWN_SHA256_HEX];
	bawn_auto_buf out = BAWN_BUF(STAMP_MAX + BAWN_SHA256_HEX);
	bawn_auto_fd fd = openat(x->fd, BAWN_INDEX_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 || fdatasync(fd) < 0)
		return -errno;
	int r = stat_database(x, &st);
	if (r < 0)
		return r;
	stamp_text(x, &st, text);
	stamp_mac(x, text, mac);
	bawn_buf_fmt(&out, "%s%s\n", text, mac);
	return bawn_buf_error(&out) < 0 ? bawn_buf_error(&out) : bawn_replace_file(x->dirfd, STAMP, bawn_buf_span(&out), 0600, NULL);
}

void bawn_index_discard(struct bawn_index *x)
{
	stop(x);
	(void)unlinkat(x->dirfd, STAMP, 0);
}

/* ---- adding to it ---- */

struct adding { struct bawn_index *x; struct bawn_bookmark at; uint64_t begin, stop; struct terms terms; struct bawn_buf out; };

static int send_out(struct adding *a)
{
	int r = bawn_buf_error(&a->out);
	if (r == 0)
		r = tell(a->x, a->out.p, a->out.n);
	bawn_buf_reset(&a->out);
	return r;
}

static int add_entry(void *ctx, const struct bawn_entry *e)
{
	struct adding *a = ctx;
	terms_of(e->json, &a->terms);
	struct bawn_index_entry out = { .seq = e->seq, .at = a->at.offset - e->line.n - 1, .ts = e->ts_us, .terms = (uint32_t)a->terms.n };
	bawn_unhex(a->at.hash, out.hash, sizeof out.hash);
	bawn_buf_add(&a->out, &out, sizeof out);
	bawn_buf_add(&a->out, a->terms.bytes, a->terms.n);
	const bool last = e->seq + 1 == a->stop;
	if (!last && a->out.n < SEND)
		return 0;
	if (a->x->progress.tell != NULL)
		a->x->progress.tell(a->x->progress.ctx, e->seq - a->begin, a->stop - a->begin);
	int r = send_out(a);
	return r < 0 ? r : last;
}

/* All whole blocks from x->to on. */
static int add(struct bawn_index *x, const char *dir, uint64_t size)
{
	const uint64_t stop_at = x->to + (size - x->to) / BAWN_INDEX_BLOCK * BAWN_INDEX_BLOCK;
	struct adding *a = calloc(1, sizeof *a);
	uint64_t done = 0;
	if (a == NULL)
		return -ENOMEM;
	*a = (struct adding){ .x = x, .at = x->place, .begin = x->to, .stop = stop_at, .out = BAWN_BUF(SEND + sizeof(struct bawn_index_entry) + BAWN_INDEX_TERMS + 1) };
	int r = start(x, "build");
	if (r == 0)
		r = bawn_audit_walk_on(dir, &a->at, add_entry, a, NULL);
	r = r == 1 && shutdown(x->talk, SHUT_WR) == 0 ? hear(x, &done, sizeof done) : -EIO;
	stop(x);
	if (r == 0 && done == stop_at) {
		x->to = stop_at;
		x->place = a->at;
		r = write_stamp(x);
	} else {
		r = -EIO;
	}
	bawn_buf_done(&a->out);
	free(a);
	return r;
}

static int begin_anew(struct bawn_index *x, const struct bawn_segments *all)
{
	(void)unlinkat(x->dirfd, STAMP, 0);
	if (unlinkat(x->fd, BAWN_INDEX_FILE, 0) < 0 && errno != ENOENT)
		return -errno;
	x->from = x->to = all->first[0];
	x->place = (struct bawn_bookmark){ .seq = x->from };
	return 0;
}

/* Is there an index of this log, of this much of it?  x->to 0: no. */
static bool look(struct bawn_index *x, const struct bawn_head *end)
{
	if (read_stamp(x) == 0 && x->to <= end->size && x->to > x->from)
		return true;
	x->from = x->to = 0;
	return false;
}

/* Readers share the lock; who has something to add tries to have it alone, and goes on without where that is not possible. */
int bawn_index_bring_up(struct bawn_index *x, const char *dir, const struct bawn_segments *all, const struct bawn_head *end)
{
	int r = 0;
	if (flock(x->lock, LOCK_EX | LOCK_NB) == 0) {
		if (!look(x, end) || x->place.segment < all->first[0])  /* where it ends was pruned: nothing can be added to it */
			r = begin_anew(x, all);
		if (r == 0 && end->size - x->to >= BAWN_INDEX_BLOCK)
			r = add(x, dir, end->size);
	}
	if (flock(x->lock, LOCK_SH | LOCK_NB) < 0)
		return -errno;
	return look(x, end) ? 0 : r < 0 ? r : -ENOENT;  /* another may have done it, or half of something was written: its stamp is void */
}

/* ---- opening ---- */

/* The key that signs this log, and no other, makes the key of the MAC. */
static int make_key(struct bawn_index *x, const struct bawn_head *end)
{
	struct bawn_signer s;
	int r = bawn_keys_load(x->dirfd, end->epoch, &s, NULL);
	if (r < 0)
		return r;
	if (bawn_seal_good(&end->seal, &s.key)) {
		struct bawn_sha256 h;
		bawn_sha256_init(&h);
		bawn_sha256_add(&h, "bawn audit index\n", sizeof "bawn audit index\n" - 1);
		bawn_sha256_add(&h, s.seed, sizeof s.seed);
		bawn_sha256_end(&h, x->key);
	} else {
		r = -EKEYREJECTED;
	}
	bawn_signer_wipe(&s);
	return r;
}

static int open_files(struct bawn_index *x)
{
	struct stat st;
	if (fstat(x->dirfd, &st) < 0 || st.st_uid != geteuid())
		return -EPERM;  /* root would leave files that the owner cannot change */
	if (mkdirat(x->dirfd, "index", 0700) < 0 && errno != EEXIST && errno != EROFS)
		return -errno;
	x->fd = openat(x->dirfd, "index", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (x->fd < 0)
		return -errno;
	x->lock = openat(x->fd, "LOCK", O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	return x->lock < 0 ? -errno : 0;
}

int bawn_index_open(struct bawn_index *x, const char *dir, int dirfd, const char *helper, const struct bawn_segments *all, const struct bawn_head *end,
                    uint64_t most, struct bawn_audit_progress progress)
{
	*x = (struct bawn_index){ .helper = helper, .progress = progress, .dirfd = dirfd, .fd = -1, .lock = -1, .talk = -1, .pidfd = -1 };
	if (helper == NULL || all->n == 0 || end->size - all->first[0] < 2 * BAWN_INDEX_BLOCK)  /* read in no time without */
		return -ENOENT;
	int r = make_key(x, end);
	if (r == 0)
		r = open_files(x);
	if (r == 0 && flock(x->lock, LOCK_SH | LOCK_NB) < 0)
		r = -errno;
	if (r < 0 || !look(x, end))
		return r;
	const uint64_t behind = end->size - x->to;
	return behind >= BAWN_INDEX_BLOCK && behind <= most ? bawn_index_bring_up(x, dir, all, end) : 0;
}

void bawn_index_done(struct bawn_index *x)
{
	stop(x);
	bawn_close_fdp(&x->fd);
	bawn_close_fdp(&x->lock);
	sodium_memzero(x->key, sizeof x->key);
}

/* ---- asking ---- */

int bawn_index_ask(struct bawn_index *x, const struct bawn_find *f, uint64_t high)
{
	struct terms t;
	terms_asked(f, &t);
	const struct bawn_index_ask ask = {
		.since = f->since_us, .until = f->until_us > 0 ? f->until_us : UINT64_MAX, .low = f->one ? f->seq : 0, .high = f->one ? f->seq + 1 : high,
		.terms = (uint32_t)t.n,
	};
	int r = start(x, "find");
	if (r == 0)
		r = tell(x, &ask, sizeof ask);
	return r == 0 ? tell(x, t.bytes, t.n) : r;
}

int bawn_index_next(struct bawn_index *x, struct bawn_index_hit *out)
{
	int r = hear(x, out, sizeof *out);
	return r < 0 ? r : out->seq != BAWN_INDEX_END;
}
