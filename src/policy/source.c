/* source.c - the files a policy is made of, found, checked and parsed.
 *
 * Fail closed: a file that is there but cannot be read, belongs to somebody else who is not root, may
 * be written by everybody, is no regular file or does not parse is a problem, never "no file"; so is
 * such a directory.  What an attacker controls: with a directory others may write to, everything. */
#include "policy/schema.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "policy/journal.h"

void bawn_sources_done(struct bawn_sources *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->s[i].name);
		bawn_yaml_free(s->s[i].yaml);
	}
	s->n = 0;
	bawn_own_unref(s->own);
	s->own = NULL;
}

int bawn_sources_add(struct bawn_sources *s, size_t at, struct bawn_source taken, struct bawn_err *err)
{
	if (s->n == BAWN_SOURCES_MAX || taken.name == NULL) {
		free(taken.name);
		bawn_yaml_free(taken.yaml);
		return bawn_fail(err, -ENOMEM, "gather the configuration");
	}
	memmove(&s->s[at + 1], &s->s[at], (s->n - at) * sizeof *s->s);
	s->s[at] = taken;
	s->n++;
	return 0;
}

/* NULL where the thing may be trusted with policy, else why not. */
static const char *distrust(const struct stat *st, bool directory)
{
	if (directory ? !S_ISDIR(st->st_mode) : !S_ISREG(st->st_mode))
		return directory ? "is not a directory" : "is not a regular file";
	if (st->st_uid != 0 && st->st_uid != geteuid())
		return "belongs to another user";
	if ((st->st_mode & S_IWOTH) != 0 && !(directory && (st->st_mode & S_ISVTX) != 0))
		return "can be written by everybody; chmod o-w";
	return NULL;
}

static int parse_source(struct bawn_sources *s, struct bawn_source src, struct bawn_span text,
                        struct bawn_policy_reader *r, struct bawn_err *err)
{
	bawn_auto_buf problems = BAWN_BUF(BAWN_YAML_PROBLEMS_MAX);
	struct bawn_err why = { 0 };
	int failed = bawn_yaml_parse(src.name, text, &src.yaml, &problems, &why);
	if (failed == 0) {
		src.root = bawn_yaml_root(src.yaml);
		return bawn_sources_add(s, s->n, src, err);
	}
	free(src.name);
	if (why.type == BAWN_ERROR_OUT_OF_MEMORY)
		return bawn_fail(err, -ENOMEM, "read the configuration");
	for (size_t i = 0; i < problems.n; i++)
		r->errors->n += problems.p[i] == '\n';
	r->n++;
	bawn_buf_add(&r->errors->text, problems.p, problems.n);
	return 0;
}

/* The bytes of one file, -ENOENT where there is none; problems go to r (-EINVAL). */
static int read_text(int dirfd, const char *file, struct bawn_policy_reader *r, struct bawn_buf *out, struct bawn_err *err)
{
	bawn_auto_fd fd = openat(dirfd, file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0 && errno == ENOENT)
		return -ENOENT;
	struct stat st;
	if (fd < 0 || fstat(fd, &st) < 0) {
		bawn_policy_problem(r, 0, 0, "", "cannot be read: %s", strerrordesc_np(errno));
		return -EINVAL;
	}
	const char *why = distrust(&st, false);
	if (why != NULL) {
		bawn_policy_problem(r, 0, 0, "", "%s", why);
		return -EINVAL;
	}
	struct bawn_err local = { 0 };
	int failed = bawn_read_fd(fd, file, out, &local);
	if (failed == -ENOMEM)
		return bawn_fail(err, -ENOMEM, "read '%s'", r->name);
	if (failed < 0) {
		bawn_policy_problem(r, 1, 1, "", "%s", failed == -EFBIG ? "more than 256 KiB" : local.msg);
		return -EINVAL;
	}
	return 0;
}

static int read_one(struct bawn_sources *s, int dirfd, struct bawn_source src, const json_t *journal,
                    struct bawn_policy_reader *r, struct bawn_err *err)
{
	const char *file = bawn_policy_file[src.file];
	bawn_auto_buf name = BAWN_BUF(8192), text = BAWN_BUF(BAWN_YAML_SIZE_MAX);
	bawn_buf_fmt(&name, "%s/%s", src.dir, file);
	if (bawn_buf_error(&name) < 0)
		return bawn_fail(err, bawn_buf_error(&name), "read '%s'", file);
	struct bawn_policy_reader here = *r;
	here.name = name.p;
	const json_t *newer = json_object_get(journal, file);
	int failed = 0;
	if (newer != NULL)
		bawn_buf_add(&text, json_string_value(newer), json_string_length(newer));
	else
		failed = read_text(dirfd, file, &here, &text, err);
	if (failed == 0 && bawn_buf_error(&text) < 0)
		failed = bawn_fail(err, bawn_buf_error(&text), "read '%s'", file);
	if (failed == 0) {
		src.name = bawn_buf_steal(&name);
		failed = parse_source(s, src, bawn_buf_span(&text), &here, err);
	}
	r->n = here.n;
	return failed == -ENOENT || failed == -EINVAL ? 0 : failed;
}

/* ---- rules.d ---- */

#define RULES_D     "rules.d"
#define RULES_FILES 256  /* in one directory */

static bool ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);
	return n > m && strcmp(name + n - m, end) == 0;
}

static int is_rules(const struct dirent *d) { return d->d_name[0] != '.' && (ends_in(d->d_name, ".yaml") || ends_in(d->d_name, ".yml")); }
static int by_bytes(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static int read_rules(struct bawn_sources *s, int dirfd, const char *file, struct bawn_policy_reader *r, struct bawn_err *err)
{
	bawn_auto_buf text = BAWN_BUF(BAWN_YAML_SIZE_MAX), problems = BAWN_BUF(BAWN_YAML_PROBLEMS_MAX);
	bawn_auto_yaml yaml = NULL;
	struct bawn_err why = { 0 };
	if (!ends_in(file, ".yaml")) {
		bawn_policy_problem(r, 0, 0, "", "is not read; did you mean .yaml?");
		return 0;
	}
	int failed = read_text(dirfd, file, r, &text, err);
	if (failed < 0)
		return failed == -EINVAL ? 0 : failed == -ENOENT ? bawn_fail(err, failed, "read '%s'", r->name) : failed;
	failed = bawn_yaml_parse(r->name, bawn_buf_span(&text), &yaml, &problems, &why);
	if (failed < 0 && why.type == BAWN_ERROR_OUT_OF_MEMORY)
		return bawn_fail(err, -ENOMEM, "read '%s'", r->name);
	if (failed < 0) {
		for (size_t i = 0; i < problems.n; i++)
			r->errors->n += problems.p[i] == '\n';
		r->n++;
		bawn_buf_add(&r->errors->text, problems.p, problems.n);
		return 0;
	}
	bawn_own_read(r, bawn_yaml_root(yaml), &s->own);
	return 0;
}

/* Every file of DIR/rules.d, by name.  A rule can only add findings, so it does not matter how far above
 * the floor its directory stands. */
static int read_rules_d(struct bawn_sources *s, int dirfd, const char *dir, struct bawn_policy_reader *r, struct bawn_err *err)
{
	bawn_auto_buf name = BAWN_BUF(8192);
	struct dirent **list = NULL;
	struct stat st;
	bawn_auto_fd fd = openat(dirfd, RULES_D, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return 0;
	bawn_buf_fmt(&name, "%s/" RULES_D, dir);
	struct bawn_policy_reader here = *r;
	here.name = name.p != NULL ? name.p : RULES_D;
	const char *why = fd < 0 || fstat(fd, &st) < 0 ? strerrordesc_np(errno) : distrust(&st, true);
	int n = why == NULL ? scandirat(fd, ".", &list, is_rules, by_bytes) : 0;
	if (n < 0 && errno == ENOMEM)
		here.oom = -ENOMEM;
	else if (why != NULL || n < 0 || n > RULES_FILES)
		bawn_policy_problem(&here, 0, 0, "", "%s", why != NULL ? why : n < 0 ? "cannot be listed" : "holds more than 256 files");
	int failed = 0;
	for (int i = 0; i < n; i++) {
		bawn_auto_buf file = BAWN_BUF(8192);
		bawn_buf_fmt(&file, "%s/" RULES_D "/%s", dir, list[i]->d_name);
		here.name = file.p != NULL ? file.p : RULES_D;
		if (failed == 0 && n <= RULES_FILES)
			failed = read_rules(s, fd, list[i]->d_name, &here, err);
		free(list[i]);
	}
	free(list);
	r->n = here.n;
	r->oom = here.oom;
	return failed;
}

static int read_dir(struct bawn_sources *s, const char *dir, enum bawn_layer_rank rank, bool must,
                    struct bawn_policy_reader *r, struct bawn_err *err)
{
	struct bawn_policy_reader here = *r;
	here.name = dir;
	bawn_auto_fd fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;
	const char *why = NULL;
	if (fd < 0 && errno == ENOENT && !must)
		return 0;
	if (fd < 0 || fstat(fd, &st) < 0)
		why = strerrordesc_np(errno);
	else
		why = distrust(&st, true);
	bawn_auto_json journal = NULL;
	if (why == NULL && bawn_journal_read(fd, &journal) < 0)
		why = "an unfinished 'policy set' (" BAWN_JOURNAL ") cannot be read";
	if (why != NULL) {
		bawn_policy_problem(&here, 0, 0, "", "%s", why);
		r->n = here.n;
		return 0;
	}
	if (rank == BAWN_RANK_FLOOR)
		s->floor_root_owned = st.st_uid == 0;
	for (int f = 0; f < BAWN_FILE_COUNT; f++) {
		struct bawn_source src = { .rank = rank, .file = (enum bawn_policy_file)f, .dir = dir };
		int failed = read_one(s, fd, src, journal, r, err);
		if (failed < 0)
			return failed;
	}
	return read_rules_d(s, fd, dir, r, err);
}

int bawn_sources_read(struct bawn_sources *s, const struct bawn_policy_dirs *dirs, const char *target,
                      struct bawn_policy_reader *r, struct bawn_err *err)
{
	const struct { const char *dir; enum bawn_layer_rank rank; bool must; } row[] = {
		{ dirs->floor,     BAWN_RANK_FLOOR, false },
		{ dirs->user,      BAWN_RANK_ABOVE, false },
		{ dirs->explicit_, BAWN_RANK_ABOVE, true },
		{ target,          BAWN_RANK_ABOVE, false },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		bool again = false;
		for (size_t j = 0; j < i && row[i].dir != NULL; j++)
			again = again || (row[j].dir != NULL && strcmp(row[i].dir, row[j].dir) == 0);
		if (row[i].dir == NULL || again)
			continue;
		int failed = read_dir(s, row[i].dir, row[i].rank, row[i].must, r, err);
		if (failed < 0)
			return failed;
	}
	if (s->own != NULL)
		bawn_own_seal(r, s->own);
	return 0;
}
