/* tiles.c - see tiles.h.
 *
 * Invariants: (1) a tile at its name is whole: written beside it and renamed; (2) the checkpoint is
 * replaced after the tiles of its tree, and only where these lead to the root it signs; (3) nothing
 * here is synced, and no error here reaches a caller who waits for a record.
 * NOTE: after a power cut a tile may be empty.  What the present edge needs is noticed and made anew
 * (invariant 2); an older one is named by `audit verify`.  Removing tile/ and checkpoint mends it.
 * An attacker controls: the files, if he may write the directory; they prove nothing without the root. */
#include "audit/tiles.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include "audit/segment.h"
#include "base/cleanup.h"
#include "base/file.h"

#define WIDTH      BAWN_TILE_WIDTH
#define LEVELS     BAWN_TILE_LEVELS
#define ENTRY      (2 + BAWN_SHA256_LEN)
#define BUNDLE_MAX (WIDTH * ENTRY)
#define ENTRIES    (-1)  /* the level of entry bundles in a path */
#define PATH_SIZE  64
#define LAG_ENTRIES 32u
#define LAG_SECONDS 5
#define BACK_MAX   (1u << 20)  /* entries read backwards at once; more than that is made anew from the first */

struct bawn_tiles {
	int       dirfd;
	uint64_t  size;
	bawn_node hash[LEVELS][WIDTH];   /* of each level: the tile not yet full */
	uint8_t   bundle[BUNDLE_MAX];
	int       error;                 /* of the first write that failed */
	bool      durable;               /* what is written is all that is left of entries that were pruned: it is synced */
	bool      compare;               /* with what is there, instead of writing */
	uint64_t  stop;                  /* compare: the size of the checkpoint */
	char     *problem;
};

static uint64_t at_level(uint64_t size, int level) { return level >= 8 ? 0 : size >> (8 * level); }
static unsigned width_at(uint64_t size, int level) { return (unsigned)(at_level(size, level) % WIDTH); }

/* ---- names and files ---- */

static void tile_path(int level, uint64_t n, unsigned width, char out[static PATH_SIZE])
{
	uint64_t group = 1;
	int used = level == ENTRIES ? snprintf(out, PATH_SIZE, "tile/entries/") : snprintf(out, PATH_SIZE, "tile/%d/", level);
	while (n / group >= 1000)
		group *= 1000;
	for (; group > 1; group /= 1000)
		used += snprintf(out + used, PATH_SIZE - (size_t)used, "x%03u/", (unsigned)(n / group % 1000));
	used += snprintf(out + used, PATH_SIZE - (size_t)used, "%03u", (unsigned)(n % 1000));
	if (width < WIDTH)
		snprintf(out + used, PATH_SIZE - (size_t)used, ".p/%u", width);
}

static void make_parents(int dirfd, const char *path)
{
	char dir[PATH_SIZE];
	snprintf(dir, sizeof dir, "%s", path);
	for (char *slash = strchr(dir, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdirat(dirfd, dir, 0700);  /* what matters fails at the file */
		*slash = '/';
	}
}

/* The directory of this path and all above it. */
static int sync_parents(int dirfd, const char *path)
{
	char dir[PATH_SIZE];
	snprintf(dir, sizeof dir, "%s", path);
	for (char *slash; (slash = strrchr(dir, '/')) != NULL; ) {
		*slash = '\0';
		bawn_auto_fd fd = openat(dirfd, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		if (fd < 0 || fsync(fd) < 0)
			return -errno;
	}
	return 0;
}

/* Whole at its name or not there, for a reader; for a power cut only if it is to be durable. */
static int put_file(int dirfd, const char *path, const void *p, size_t n, bool durable)
{
	char tmp[PATH_SIZE + 8];
	snprintf(tmp, sizeof tmp, "%s.tmp", path);
	bawn_auto_fd fd = openat(dirfd, tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (fd < 0 && errno == ENOENT) {
		make_parents(dirfd, path);
		fd = openat(dirfd, tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	}
	if (fd < 0)
		return -errno;
	int r = bawn_write_all(fd, p, n, NULL);
	if (r == 0 && ((durable && fsync(fd) < 0) || renameat(dirfd, tmp, dirfd, path) < 0))
		r = -errno;
	if (r < 0)
		(void)unlinkat(dirfd, tmp, 0);
	return r == 0 && durable ? sync_parents(dirfd, path) : r;
}

/* Exactly n bytes, or false. */
static bool get_file(int dirfd, const char *path, void *out, size_t n)
{
	bawn_auto_fd fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size == n && pread(fd, out, n, 0) == (ssize_t)n;
}

/* A tile that is full needs its beginnings no more. */
static void drop_partials(int dirfd, const char *path)
{
	char dir[PATH_SIZE + 4];
	snprintf(dir, sizeof dir, "%s.p", path);
	bawn_auto_fd fd = openat(dirfd, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	bawn_auto_dir d = fd >= 0 ? fdopendir(fd) : NULL;
	if (d == NULL)
		return;
	int dfd = bawn_take_fd(&fd);
	for (const struct dirent *e; (e = readdir(d)) != NULL; )
		if (e->d_name[0] != '.')
			(void)unlinkat(dfd, e->d_name, 0);
	(void)unlinkat(dirfd, dir, AT_REMOVEDIR);
}

/* The size of the checkpoint, 0 where there is none. */
static uint64_t published(int dirfd)
{
	uint64_t size = 0;
	bawn_auto_buf text = BAWN_BUF(4096);
	return bawn_read_plain_file(dirfd, "checkpoint", &text, NULL) == 0 && bawn_note_size(bawn_buf_span(&text), &size) ? size : 0;
}

/* ---- the growing tiles ---- */

static void emit(struct bawn_tiles *t, int level, uint64_t n, unsigned width)
{
	char path[PATH_SIZE];
	uint8_t have[BUNDLE_MAX];
	const void *bytes = level == ENTRIES ? (const void *)t->bundle : (const void *)t->hash[level];
	const size_t size = width * (level == ENTRIES ? ENTRY : BAWN_SHA256_LEN);
	tile_path(level, n, width, path);
	if (!t->compare) {
		int r = put_file(t->dirfd, path, bytes, size, t->durable);
		if (r < 0 && t->error == 0)
			t->error = r;
		if (r == 0 && width == WIDTH)
			drop_partials(t->dirfd, path);
	} else if (t->problem[0] == '\0' && (!get_file(t->dirfd, path, have, size) || memcmp(have, bytes, size) != 0) &&
	           (width == WIDTH || published(t->dirfd) == t->stop)) {  /* a writer at work puts longer ones in their place */
		snprintf(t->problem, BAWN_TILES_PROBLEM, "%s is missing or does not follow from the entries", path);
	}
}

/* The root of a full tile stands in the one above it. */
static void lift(struct bawn_tiles *t, int level)
{
	struct bawn_tree whole = { 0 };
	for (unsigned i = 0; i < WIDTH; i++)
		bawn_tree_add(&whole, t->hash[level][i]);
	bawn_tree_root(&whole, t->hash[level + 1][(at_level(t->size, level + 1) - 1) % WIDTH]);
}

static void add(struct bawn_tiles *t, const uint8_t data[static BAWN_SHA256_LEN], const uint8_t leaf[static BAWN_SHA256_LEN])
{
	const unsigned at = width_at(t->size, 0);
	uint8_t *entry = t->bundle + at * ENTRY;
	entry[0] = 0;
	entry[1] = BAWN_SHA256_LEN;
	memcpy(entry + 2, data, BAWN_SHA256_LEN);
	memcpy(t->hash[0][at], leaf, BAWN_SHA256_LEN);
	t->size++;
	if (width_at(t->size, 0) != 0)
		return;
	emit(t, ENTRIES, at_level(t->size, 1) - 1, WIDTH);
	for (int level = 0; level < LEVELS - 1 && width_at(t->size, level) == 0; level++) {
		emit(t, level, at_level(t->size, level + 1) - 1, WIDTH);
		lift(t, level);
	}
}

static void add_data(struct bawn_tiles *t, const uint8_t data[static BAWN_SHA256_LEN])
{
	bawn_node leaf;
	bawn_tree_leaf(data, leaf);
	add(t, data, leaf);
}

/* The tiles that are not full, where they changed since the tree had `old` entries. */
static void put_edge(struct bawn_tiles *t, uint64_t old)
{
	for (int level = 0; level < LEVELS; level++) {
		const unsigned width = width_at(t->size, level), was = width_at(old, level);
		const uint64_t n = at_level(t->size, level + 1);
		if (width == 0 || at_level(old, level) == at_level(t->size, level))
			continue;
		emit(t, level, n, width);
		if (level == 0)
			emit(t, ENTRIES, n, width);
		if (was == 0 || at_level(old, level + 1) != n || t->compare || t->error < 0)
			continue;
		char path[PATH_SIZE];
		tile_path(level, n, was, path);
		(void)unlinkat(t->dirfd, path, 0);
		tile_path(ENTRIES, n, was, path);
		if (level == 0)
			(void)unlinkat(t->dirfd, path, 0);
	}
}

static bool load_edge(struct bawn_tiles *t, uint64_t size)
{
	bool good = true;
	t->size = size;
	for (int level = 0; good && level < LEVELS; level++) {
		char path[PATH_SIZE];
		const unsigned width = width_at(size, level);
		tile_path(level, at_level(size, level + 1), width, path);
		good = width == 0 || get_file(t->dirfd, path, t->hash[level], width * BAWN_SHA256_LEN);
		tile_path(ENTRIES, at_level(size, 1), width, path);
		if (good && level == 0 && width > 0)
			good = get_file(t->dirfd, path, t->bundle, width * ENTRY);
	}
	return good;
}

/* The beginning of a tile, from the file of a longer one if need be: those of the past are full. */
static bool get_part(int dirfd, int level, uint64_t n, unsigned width, void *out)
{
	uint8_t whole[BUNDLE_MAX];
	const size_t each = level == ENTRIES ? ENTRY : BAWN_SHA256_LEN;
	for (unsigned w = WIDTH; w >= width; w--) {
		char path[PATH_SIZE];
		tile_path(level, n, w, path);
		if (get_file(dirfd, path, whole, w * each)) {
			memcpy(out, whole, width * each);
			return true;
		}
	}
	return false;
}

/* Entries and leaves are two files: of what was pruned nothing else tells whether the first is whole. */
static bool same_entries(const uint8_t *bundle, const bawn_node *hash, unsigned width)
{
	bool good = true;
	for (unsigned i = 0; i < width; i++) {
		bawn_node leaf;
		bawn_tree_leaf(bundle + i * ENTRY + 2, leaf);
		good = good && bundle[i * ENTRY] == 0 && bundle[i * ENTRY + 1] == BAWN_SHA256_LEN && memcmp(leaf, hash[i], sizeof leaf) == 0;
	}
	return good;
}

/* The edge as it was when there were `size` entries. */
static bool load_past(struct bawn_tiles *t, uint64_t size)
{
	bool good = true;
	t->size = size;
	for (int level = 0; good && level < LEVELS; level++) {
		const unsigned width = width_at(size, level);
		good = width == 0 || get_part(t->dirfd, level, at_level(size, level + 1), width, t->hash[level]);
		if (good && level == 0 && width > 0)
			good = get_part(t->dirfd, ENTRIES, at_level(size, 1), width, t->bundle) && same_entries(t->bundle, t->hash[0], width);
	}
	return good;
}

/* Only the right edge is needed for it. */
static void edge_root(const struct bawn_tiles *t, uint8_t out[static BAWN_SHA256_LEN])
{
	struct bawn_tree all = { .size = t->size };
	unsigned n = 0;
	for (int level = LEVELS; level-- > 0; ) {
		struct bawn_tree part = { 0 };
		for (unsigned i = 0; i < width_at(t->size, level); i++)
			bawn_tree_add(&part, t->hash[level][i]);
		for (unsigned i = 0; i < bawn_tree_nodes(part.size); i++)
			memcpy(all.node[n++], part.node[i], sizeof part.node[i]);
	}
	bawn_tree_root(&all, out);
}

/* ---- entries ---- */

struct newest { bawn_node *data; uint64_t from, left; };

static int note_hash(void *ctx, const struct bawn_line *l, struct bawn_span line, struct bawn_err *err)
{
	struct newest *n = ctx;
	(void)line, (void)err;
	bawn_unhex(l->hash, n->data[--n->left], BAWN_SHA256_LEN);
	return n->left == 0;
}

static int add_newest(struct bawn_tiles *t, const struct bawn_head *h, struct bawn_err *err)
{
	const uint64_t count = h->size - t->size;
	bawn_auto_free bawn_node *data = calloc(count, sizeof *data);
	struct newest n = { .data = data, .left = count };
	if (data == NULL)
		return bawn_fail(err, -ENOMEM, "make tiles");
	int r = bawn_lines_back(t->dirfd, h, note_hash, &n, err);
	if (r < 0 || n.left != 0)
		return r < 0 ? r : bawn_fail(err, -EBADMSG, "make tiles");
	for (uint64_t i = 0; i < count; i++)
		add_data(t, data[i]);
	return 0;
}

static int add_segment(struct bawn_tiles *t, uint64_t first, uint64_t size, struct bawn_err *err)
{
	bawn_auto_fd fd = -1;
	bawn_auto_lines lines = { 0 };
	int r = bawn_segment_open(t->dirfd, first, &fd, err);
	if (r == 0)
		r = bawn_lines_init(&lines, fd, 0, err);
	while (r == 0 && t->size < size) {
		struct bawn_span line;
		struct bawn_line l;
		bool whole;
		const char *problem;
		bawn_node data;
		r = bawn_lines_next(&lines, &line, &whole, err);
		if (r < 0 || line.p == NULL)
			return r;
		r = whole ? bawn_line_shape(line, &l, &problem) : -EBADMSG;
		if (r < 0 || l.seq != t->size)
			return bawn_fail(err, r < 0 ? r : -EBADMSG, "make tiles");
		bawn_unhex(l.hash, data, sizeof data);
		add_data(t, data);
	}
	return r;
}

static int add_all(struct bawn_tiles *t, const struct bawn_head *h, struct bawn_err *err)
{
	bawn_auto_segments all = { 0 };
	int r = bawn_segments_list(t->dirfd, &all, err);
	t->size = 0;
	if (r == 0 && all.n > 0 && all.first[0] > 0 && !load_past(t, all.first[0]))
		r = bawn_fail(err, -EBADMSG, "make tiles");
	for (size_t i = 0; r == 0 && i < all.n && t->size < h->size; i++)
		r = add_segment(t, all.first[i], h->size, err);
	return r == 0 && t->size != h->size ? bawn_fail(err, -EBADMSG, "make tiles") : r;
}

/* ---- publishing ---- */

static bool leads_to(const struct bawn_tiles *t, const struct bawn_head *h)
{
	bawn_node root;
	edge_root(t, root);
	return t->size == h->size && memcmp(root, h->seal.root, sizeof root) == 0;
}

static int put_checkpoint(int dirfd, const struct bawn_head *h, const struct bawn_vkey *sealer)
{
	bawn_auto_buf note = BAWN_BUF(1024);
	bawn_note_put(&note, &h->seal, sealer);
	return bawn_buf_error(&note) < 0 ? bawn_buf_error(&note) : put_file(dirfd, "checkpoint", note.p, note.n, false);
}

static int publish(struct bawn_tiles *t, const struct bawn_head *h, const struct bawn_vkey *sealer, struct bawn_err *err)
{
	uint64_t old = published(t->dirfd);
	if (old >= h->size)
		return 0;
	int r = -EBADMSG;
	if (old > 0 && h->size - old <= BACK_MAX && load_edge(t, old))
		r = add_newest(t, h, err);
	if (r < 0 || !leads_to(t, h)) {
		t->error = 0;
		old = 0;
		r = add_all(t, h, err);
	}
	if (r == 0 && !leads_to(t, h))
		r = bawn_fail(err, -EBADMSG, "make tiles: the entries do not lead to the signed root");
	if (r < 0)
		return r;
	put_edge(t, old);
	if (t->error == 0)
		t->error = put_checkpoint(t->dirfd, h, sealer);
	return t->error < 0 ? bawn_fail(err, t->error, "write tiles") : 0;
}

int bawn_tiles_publish(int dirfd, const struct bawn_head *h, const struct bawn_vkey *sealer, struct bawn_err *err)
{
	if (h->size == 0 || !bawn_fits_rlimit(BUNDLE_MAX))
		return 0;
	(void)mkdirat(dirfd, "tile", 0700);
	bawn_auto_fd lock = openat(dirfd, "tile", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (lock < 0)
		return bawn_fail(err, -errno, "open tile");
	if (flock(lock, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? 0 : bawn_fail(err, -errno, "lock tile");
	bawn_auto_free struct bawn_tiles *t = calloc(1, sizeof *t);
	if (t == NULL)
		return bawn_fail(err, -ENOMEM, "make tiles");
	t->dirfd = dirfd;
	bawn_auto_segments all = { 0 };
	int r = bawn_segments_list(dirfd, &all, err);
	t->durable = all.n > 0 && all.first[0] > 0;
	return r == 0 ? publish(t, h, sealer, err) : r;
}

bool bawn_tiles_due(int dirfd, const struct bawn_head *h)
{
	struct stat st;
	time_t now = time(NULL);
	return fstatat(dirfd, "checkpoint", &st, AT_SYMLINK_NOFOLLOW) < 0 || now < st.st_mtime || now - st.st_mtime >= LAG_SECONDS ||
	       h->size >= published(dirfd) + LAG_ENTRIES;
}

/* ---- comparing ---- */

struct bawn_tiles *bawn_tiles_check_new(int dirfd, uint64_t size, char *out_problem)
{
	struct bawn_tiles *t = calloc(1, sizeof *t);
	if (t == NULL)
		return NULL;
	t->dirfd = dirfd;
	t->compare = true;
	t->stop = size;
	t->problem = out_problem;
	out_problem[0] = '\0';
	return t;
}

void bawn_tiles_check_add(struct bawn_tiles *t, const uint8_t data[static BAWN_SHA256_LEN], const uint8_t leaf[static BAWN_SHA256_LEN])
{
	if (t == NULL || t->size >= t->stop)
		return;
	add(t, data, leaf);
	if (t->size == t->stop)
		put_edge(t, 0);
}

/* A full tile of the past: its root stands in the one above it, its entries are those of its bundle. */
static bool past_tile(int dirfd, int level, uint64_t n)
{
	bawn_node hash[WIDTH], above[WIDTH], root;
	uint8_t bundle[BUNDLE_MAX];
	struct bawn_tree t = { 0 };
	if (!get_part(dirfd, level, n, WIDTH, hash) || !get_part(dirfd, level + 1, n / WIDTH, (unsigned)(n % WIDTH) + 1, above) ||
	    (level == 0 && !(get_part(dirfd, ENTRIES, n, WIDTH, bundle) && same_entries(bundle, hash, WIDTH))))
		return false;
	for (unsigned i = 0; i < WIDTH; i++)
		bawn_tree_add(&t, hash[i]);
	bawn_tree_root(&t, root);
	return memcmp(root, above[n % WIDTH], sizeof root) == 0;
}

static bool past_tiles(int dirfd, uint64_t size)
{
	bool good = true;
	for (int level = 0; level < LEVELS - 1; level++)
		for (uint64_t n = 0; good && n < at_level(size, level + 1); n++)
			good = past_tile(dirfd, level, n);
	return good;
}

void bawn_tiles_check_from(struct bawn_tiles *t, const struct bawn_tree *tree)
{
	bawn_node want, root;
	if (t == NULL || t->stop < tree->size)
		return;
	bawn_tree_root(tree, want);
	const bool loaded = load_past(t, tree->size) && past_tiles(t->dirfd, tree->size);
	if (loaded)
		edge_root(t, root);
	if (!loaded || memcmp(root, want, sizeof root) != 0) {
		snprintf(t->problem, BAWN_TILES_PROBLEM, "tiles of the entries that were pruned are missing or damaged");
		t->size = t->stop;
	} else if (t->size == t->stop) {
		put_edge(t, 0);
	}
}

int bawn_tiles_leaves(int dirfd, uint64_t n, bawn_node *out, struct bawn_err *err)
{
	for (uint64_t i = 0; i < n; i += WIDTH) {
		const unsigned width = n - i < WIDTH ? (unsigned)(n - i) : WIDTH;
		if (!get_part(dirfd, 0, i / WIDTH, width, out + i))
			return bawn_fail_as(err, BAWN_ERROR_AUDIT_FAILED, NULL, "the tiles of entries that were pruned are missing or damaged");
	}
	return 0;
}

/* Of a perfect subtree: 2^bits entries from `start` on, which is a multiple of that. */
static bool subtree(int dirfd, uint64_t start, unsigned bits, uint8_t *out)
{
	const int level = (int)(bits / 8);
	const uint64_t at = start >> (8 * level);
	const unsigned from = (unsigned)(at % WIDTH), count = 1u << bits % 8;
	bawn_node hash[WIDTH];
	struct bawn_tree t = { 0 };
	if (level >= LEVELS || !get_part(dirfd, level, at / WIDTH, from + count, hash))
		return false;
	for (unsigned i = 0; i < count; i++)
		bawn_tree_add(&t, hash[from + i]);
	bawn_tree_root(&t, out);
	return true;
}

/* Of the entries from `start` on, and of those of them before m (if any are). */
static bool range(int dirfd, uint64_t start, uint64_t size, uint64_t m, uint8_t *all, uint8_t *part)
{
	bawn_node left_all, left_part, right_all, right_part;
	unsigned bits = 0;
	while ((size - 1) >> bits > 1)
		bits++;  /* 2^bits is the largest power of two below size */
	const uint64_t half = size > 1 ? (uint64_t)1 << bits : 0;
	if ((size & (size - 1)) == 0 && (start + size <= m || start >= m)) {
		bool good = subtree(dirfd, start, size > 1 ? bits + 1 : 0, all);
		memcpy(part, all, BAWN_SHA256_LEN);
		return good;
	}
	if (!range(dirfd, start, half, m, left_all, left_part) || !range(dirfd, start + half, size - half, m, right_all, right_part))
		return false;
	bawn_tree_node(left_all, right_all, all);
	if (start + half < m)
		bawn_tree_node(left_part, right_part, part);
	else
		memcpy(part, left_part, BAWN_SHA256_LEN);
	return true;
}

/* As bawn_tree_path, of the `size` entries from `start` on. */
static int path_in(int dirfd, uint64_t start, uint64_t size, uint64_t index, uint8_t *leaf, bawn_node *out)
{
	bawn_node unused;
	if (size == 1)
		return subtree(dirfd, start, 0, leaf) ? 0 : -1;
	unsigned bits = 0;
	while ((size - 1) >> bits > 1)
		bits++;
	const uint64_t half = UINT64_C(1) << bits;
	const bool left = index < start + half;
	int n = left ? path_in(dirfd, start, half, index, leaf, out) : path_in(dirfd, start + half, size - half, index, leaf, out);
	if (n < 0 || !(left ? range(dirfd, start + half, size - half, 0, out[n], unused) : range(dirfd, start, half, 0, out[n], unused)))
		return -1;
	return n + 1;
}

int bawn_tiles_path(int dirfd, uint64_t n, uint64_t index, uint8_t leaf[static BAWN_SHA256_LEN], bawn_node path[static BAWN_PATH_MAX])
{
	return index < n && n >> BAWN_TREE_BITS == 0 ? path_in(dirfd, 0, n, index, leaf, path) : -1;
}

bool bawn_tiles_roots(int dirfd, uint64_t n, uint64_t m, uint8_t root_n[static BAWN_SHA256_LEN], uint8_t root_m[static BAWN_SHA256_LEN])
{
	return m > 0 && m <= n && range(dirfd, 0, n, m, root_n, root_m);
}

void bawn_tiles_check_free(struct bawn_tiles *t) { free(t); }
