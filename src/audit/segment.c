/* segment.c - see segment.h.
 * An attacker controls: names and bytes of the files (a copy of a log to be verified). */
#include "audit/segment.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/num.h"

#define READ_SIZE (2 * BAWN_ENTRY_MAX)

void bawn_segment_name(uint64_t first_seq, char out[static BAWN_SEGMENT_NAME])
{
	snprintf(out, BAWN_SEGMENT_NAME, "%012" PRIu64 ".jsonl", first_seq % (BAWN_SEGMENT_LAST + 1u));
}

static bool parse_name(const char *name, uint64_t *out)
{
	return strlen(name) == BAWN_SEGMENT_NAME - 1 && strcmp(name + 12, ".jsonl") == 0 &&
	       bawn_parse_u64((struct bawn_span){ name, 12 }, 0, BAWN_SEGMENT_LAST, out, NULL) == 0;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

void bawn_segments_done(struct bawn_segments *s)
{
	free(s->first);
	*s = (struct bawn_segments){ 0 };
}

static int add(struct bawn_segments *s, uint64_t first, struct bawn_err *err)
{
	if ((s->n & (s->n - 1)) == 0) {  /* room is 1, 2, 4, 8, … */
		uint64_t *more = realloc(s->first, (s->n == 0 ? 1 : 2 * s->n) * sizeof *more);
		if (more == NULL)
			return bawn_fail(err, -ENOMEM, "list the segments of the log");
		s->first = more;
	}
	s->first[s->n++] = first;
	return 0;
}

static int read_names(DIR *d, struct bawn_segments *s, struct bawn_err *err)
{
	for (;;) {
		uint64_t first;
		errno = 0;
		const struct dirent *e = readdir(d);
		if (e == NULL)
			return errno != 0 ? bawn_fail(err, -errno, "list the segments of the log") : 0;
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (!parse_name(e->d_name, &first)) {
			snprintf(s->stranger, sizeof s->stranger, "%.31s", e->d_name);
			continue;
		}
		int r = add(s, first, err);
		if (r < 0)
			return r;
	}
}

int bawn_segments_list(int dirfd, struct bawn_segments *out, struct bawn_err *err)
{
	bawn_auto_segments s = { 0 };
	bawn_auto_fd fd = openat(dirfd, "seg", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return bawn_fail(err, -errno, "open the segments of the log");
	bawn_auto_dir d = fdopendir(fd);
	if (d == NULL)
		return bawn_fail(err, -errno, "open the segments of the log");
	(void)bawn_take_fd(&fd);
	int r = read_names(d, &s, err);
	if (r < 0)
		return r;
	if (s.n > 1)
		qsort(s.first, s.n, sizeof *s.first, by_number);
	*out = s;
	s = (struct bawn_segments){ 0 };
	return 0;
}

int bawn_segment_open(int dirfd, uint64_t first_seq, int *out_fd, struct bawn_err *err)
{
	char name[BAWN_SEGMENT_NAME], path[sizeof "seg/" + sizeof name];
	bawn_segment_name(first_seq, name);
	snprintf(path, sizeof path, "seg/%s", name);
	bawn_auto_fd fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	if (fd < 0 || fstat(fd, &st) < 0)
		return bawn_fail(err, -errno, "open segment '%s'", name);
	if (!S_ISREG(st.st_mode))
		return bawn_fail_as(err, BAWN_ERROR_AUDIT_TAMPERED, NULL, "segment '%s' is not a plain file", name);
	*out_fd = bawn_take_fd(&fd);
	return 0;
}

int bawn_lines_init(struct bawn_lines *l, int fd, uint64_t offset, struct bawn_err *err)
{
	char *buf = malloc(READ_SIZE);
	if (buf == NULL)
		return bawn_fail(err, -ENOMEM, "read the log");
	*l = (struct bawn_lines){ .fd = fd, .buf = buf, .offset = offset, .end = UINT64_MAX };
	return 0;
}

void bawn_lines_done(struct bawn_lines *l)
{
	free(l->buf);
	l->buf = NULL;
}

static int fill(struct bawn_lines *l, struct bawn_err *err)
{
	size_t kept = l->to - l->from;
	memmove(l->buf, l->buf + l->from, kept);
	l->from = 0;
	l->to = kept;
	uint64_t at = l->offset + kept;
	size_t want = READ_SIZE - kept;
	if (at >= l->end || want > l->end - at)
		want = at >= l->end ? 0 : (size_t)(l->end - at);
	ssize_t n = want > 0 ? pread(l->fd, l->buf + kept, want, (off_t)at) : 0;
	if (n < 0 && errno == EINTR)
		return 0;
	if (n < 0)
		return bawn_fail(err, -errno, "read the log");
	l->to += (size_t)n;
	l->eof = n == 0;
	return 0;
}

static void hand_out(struct bawn_lines *l, size_t n, size_t with_newline, struct bawn_span *out)
{
	*out = (struct bawn_span){ n + with_newline > 0 ? l->buf + l->from : NULL, n };
	l->from += n + with_newline;
	l->offset += n + with_newline;
}

int bawn_lines_next(struct bawn_lines *l, struct bawn_span *out, bool *out_whole, struct bawn_err *err)
{
	size_t looked = 0;
	for (;;) {
		size_t have = l->to - l->from;
		size_t limit = have < BAWN_ENTRY_MAX ? have : BAWN_ENTRY_MAX;
		const char *nl = limit > looked ? memchr(l->buf + l->from + looked, '\n', limit - looked) : NULL;
		if (nl != NULL) {
			*out_whole = true;
			hand_out(l, (size_t)(nl - (l->buf + l->from)), 1, out);
			return 0;
		}
		if (limit == BAWN_ENTRY_MAX || l->eof) {
			*out_whole = false;
			hand_out(l, limit, 0, out);
			return 0;
		}
		looked = limit;
		int r = fill(l, err);
		if (r < 0)
			return r;
	}
}

int bawn_chain_take(struct bawn_chain *c, const struct bawn_line *l, const char **out_problem)
{
	if (l->seq != c->seq)
		*out_problem = "its seq does not follow the one before";
	else if (memcmp(l->prev_hash, c->hash, 64) != 0)
		*out_problem = "its prev_hash is not the hash of the entry before";
	else if (l->seq == 0 && !bawn_span_is(l->type, "log.genesis"))
		*out_problem = "the first entry is no log.genesis";
	else {
		c->seq++;
		memcpy(c->hash, l->hash, 64);
		c->hash[64] = '\0';
		return 0;
	}
	return -EBADMSG;
}

int bawn_chain_next(struct bawn_chain *c, struct bawn_span line, struct bawn_line *out,
                    const char **out_problem)
{
	struct bawn_line l;
	int r = bawn_line_check(line, &l, out_problem);
	if (r == 0)
		r = bawn_chain_take(c, &l, out_problem);
	if (r == 0)
		*out = l;
	return r;
}

bool bawn_segment_signs_each(int fd)
{
	static const char mark[] = BAWN_SIGN_EACH;
	char first[4096];  /* the log's own entry: it is shorter */
	struct bawn_line l;
	const char *problem;
	const ssize_t n = pread(fd, first, sizeof first, 0);
	const char *end = n > 0 ? memchr(first, '\n', (size_t)n) : NULL;
	if (end == NULL || bawn_line_check((struct bawn_span){ first, (size_t)(end - first) }, &l, &problem) < 0)
		return false;
	return (bawn_span_is(l.type, "log.genesis") || bawn_span_is(l.type, "log.segment")) && l.body.n >= sizeof mark &&
	       memcmp(l.body.p + l.body.n - (sizeof mark - 1), mark, sizeof mark - 1) == 0;
}

struct commits {
	uint64_t                sealed;  /* no entry before this one can be there */
	const struct bawn_vkey *key;
	bool                    one;     /* a commit has ended */
	bool                    each;    /* signatures stand on each line */
	uint64_t                room;    /* bytes that may still be of one commit */
};

/* 1: no crash left it.  The line may hold an entry somewhere after its beginning. */
static int count_commits(struct commits *c, struct bawn_span line)
{
	static const char start[] = "{\"v\":1,\"seq\":";
	struct bawn_line l;
	const char *problem;
	for (const char *at = line.p, *end = line.p + line.n; at < end; at++) {
		at = memmem(at, (size_t)(end - at), start, sizeof start - 1);
		if (at == NULL)
			break;
		int r = bawn_line_check((struct bawn_span){ at, (size_t)(end - at) }, &l, &problem);
		if (r == -EBADMSG)
			continue;
		if (r < 0 || (c->one && !c->each) || c->key == NULL || l.seq < c->sealed)
			return r < 0 ? r : 1;
		const bool good = l.sealed && bawn_seal_good(&l.seal, c->key);
		if (c->each && good && c->room == 0)
			return 1;
		c->one = c->one || good;
		if (good)
			c->sealed = l.seq + 1;
		return 0;
	}
	return 0;
}

int bawn_segment_not_torn(int fd, uint64_t from, uint64_t end, uint64_t sealed, const struct bawn_vkey *key, struct bawn_err *err)
{
	/* A segment that lost its first entry: that is written alone where each is signed. */
	struct commits c = { .sealed = sealed, .key = key, .each = from > 0 && bawn_segment_signs_each(fd) };
	bawn_auto_lines lines = { 0 };
	struct stat st;
	if (fstat(fd, &st) < 0)
		return bawn_fail(err, -errno, "look at the log");
	end = (uint64_t)st.st_size < end ? (uint64_t)st.st_size : end;
	if (end > from && end - from > BAWN_COMMIT_MAX)  /* no crash leaves more than one commit */
		return 1;
	int r = bawn_lines_init(&lines, fd, from, err);
	lines.end = end;
	while (r == 0) {
		struct bawn_span line;
		bool whole;
		r = bawn_lines_next(&lines, &line, &whole, err);
		if (r < 0 || line.p == NULL)
			return r;
		c.room = lines.offset - from < BAWN_COMMIT_MAX ? BAWN_COMMIT_MAX - (lines.offset - from) : 0;
		r = whole ? count_commits(&c, line) : 0;
		if (r == -ENOMEM)
			return bawn_fail(err, r, "read the log");
	}
	return r;
}

/* Any of it makes it a log, if perhaps one that lost the rest. */
static bool holds_log(int dirfd)
{
	static const char *const part[] = { "head", "seg", "vkey", "keys", "checkpoint" };
	bool any = false;
	for (size_t i = 0; !any && i < BAWN_LEN(part); i++)
		any = faccessat(dirfd, part[i], F_OK, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT;
	return any;
}

int bawn_audit_dir_open(const char *dir, int *out_fd, struct bawn_err *err)
{
	bawn_auto_fd fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if ((fd < 0 && errno == ENOENT) || (fd >= 0 && !holds_log(fd)))
		return bawn_fail_as(err, BAWN_ERROR_NOT_FOUND, NULL, "there is no audit log at '%s'", dir);
	if (fd < 0)
		return bawn_fail(err, -errno, "open the audit log '%s'", dir);
	*out_fd = bawn_take_fd(&fd);
	return 0;
}
