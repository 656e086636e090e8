/* bodies.c - see bodies.h.
 * An attacker controls: every name and byte under blob/.  However many files are wrong, the log is read
 * once to find who cites them. */
#include "audit/bodies.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include "audit/blob.h"
#include "base/cleanup.h"

/* ---- the files ---- */

struct wrong { char (*name)[BAWN_SHA256_HEX]; size_t n, room; };
static void wrong_done(struct wrong *w) { free(w->name); }

static int note_wrong(struct wrong *w, const char *file, struct bawn_err *err)
{
	if (w->n == w->room) {
		const size_t room = w->room == 0 ? 16 : 2 * w->room;
		void *more = reallocarray(w->name, room, sizeof *w->name);
		if (more == NULL)
			return bawn_fail(err, -ENOMEM, "check the bodies");
		w->name = more;
		w->room = room;
	}
	snprintf(w->name[w->n++], BAWN_SHA256_HEX, "%.64s", file);
	return 0;
}

static int check_file(int dirfd, const char *sub, const char *file, struct wrong *wrong, struct bawn_bodies *out, struct bawn_err *err)
{
	if (!bawn_blob_name(file) || strncmp(file, sub, 2) != 0)
		return 0;  /* left by a writer that was interrupted: nobody would look for a body there */
	int r = bawn_blob_check(dirfd, file);
	if (r == -EBADMSG)
		return note_wrong(wrong, file, err);
	if (r < 0)
		return r == -ENOENT ? 0 : bawn_fail(err, r, "read body %.64s", file);  /* gone since: replaced or removed */
	out->good++;
	return 0;
}

static int check_dir(int dirfd, const char *sub, struct wrong *wrong, struct bawn_bodies *out, struct bawn_err *err)
{
	char path[sizeof "blob/ab"];
	int r = 0;
	snprintf(path, sizeof path, "blob/%s", sub);
	bawn_auto_fd fd = openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? 0 : bawn_fail(err, -errno, "list the bodies");
	bawn_auto_dir d = fdopendir(fd);
	if (d == NULL)
		return bawn_fail(err, -errno, "list the bodies");
	(void)bawn_take_fd(&fd);
	for (const struct dirent *e; r == 0 && (e = readdir(d)) != NULL; )
		r = check_file(dirfd, sub, e->d_name, wrong, out, err);
	return r;
}

/* ---- who cites them ---- */

static int by_name(const void *a, const void *b) { return memcmp(a, b, 64); }

/* A hash is cited as a string of its own: :"64 digits" */
static bool cites(struct bawn_span line, const struct wrong *w, struct bawn_bodies *out)
{
	for (const char *p = line.p, *end = line.p + line.n; end - p > 66; p++) {
		p = memmem(p, (size_t)(end - p), ":\"", 2);
		if (p == NULL || end - p < 67)
			return false;
		const char *found = p[66] == '"' && bawn_is_hex(p + 2, 64) ? bsearch(p + 2, w->name, w->n, sizeof *w->name, by_name) : NULL;
		if (found != NULL) {
			memcpy(out->sha256, found, sizeof out->sha256);
			return true;
		}
	}
	return false;
}

static int cited_in(int dirfd, uint64_t segment, const struct wrong *w, struct bawn_bodies *out, struct bawn_err *err)
{
	bawn_auto_fd fd = -1;
	bawn_auto_lines lines = { 0 };
	int r = bawn_segment_open(dirfd, segment, &fd, err);
	if (r == 0)
		r = bawn_lines_init(&lines, fd, 0, err);
	for (uint64_t seq = segment; r == 0 && !out->cited; seq++) {
		struct bawn_span line;
		bool whole;
		r = bawn_lines_next(&lines, &line, &whole, err);
		if (r < 0 || line.p == NULL || !whole)
			return r;
		out->cited = cites(line, w, out);
		out->seq = seq;
	}
	return r;
}

int bawn_bodies_check(int dirfd, const struct bawn_segments *all, struct bawn_bodies *out, struct bawn_err *err)
{
	__attribute__((cleanup(wrong_done))) struct wrong wrong = { 0 };
	struct bawn_bodies b = { 0 };
	int r = 0;
	for (unsigned i = 0; r == 0 && i < 256; i++) {
		char sub[sizeof "ab"];
		snprintf(sub, sizeof sub, "%02x", i & 255u);
		r = check_dir(dirfd, sub, &wrong, &b, err);
	}
	b.wrong = wrong.n;
	if (r == 0 && wrong.n > 0)
		qsort(wrong.name, wrong.n, sizeof *wrong.name, by_name);
	for (size_t i = 0; r == 0 && wrong.n > 0 && !b.cited && i < all->n; i++)
		r = cited_in(dirfd, all->first[i], &wrong, &b, err);
	if (r == 0)
		*out = b;
	return r;
}
