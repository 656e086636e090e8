/* set.c - `policy set`: a document merged over the files of one directory, all or nothing.
 *
 * Invariants: (1) nothing is written before the document, laid over everything else, and then the
 * files exactly as they will stand, have both been found good; (2) keys the document does not name
 * keep their values; (3) journal.c sees to it that several files change as one.
 * What an attacker controls: the document. */
#include "policy/schema.h"
#include <fcntl.h>
#include <sys/file.h>
#include <time.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "policy/journal.h"

#define DOCUMENT   "document"
#define ERRORS_MAX (256u << 10)

static void policy_freep(struct bawn_policy **p) { bawn_policy_free(*p); }
#define auto_policy __attribute__((cleanup(policy_freep))) struct bawn_policy *

/* ---- a tree as YAML text ---- */

static void put_text(struct bawn_buf *out, struct bawn_span text, bool plain)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./";
	if (plain && text.n > 0 && strspn(text.p, safe) == text.n) {
		bawn_buf_add(out, text.p, text.n);
		return;
	}
	bawn_auto_json j = bawn_json_text(text);  /* a JSON string is a YAML string */
	if (j == NULL || bawn_json_put(out, j, NULL) < 0)
		out->error = out->error != 0 ? out->error : -ENOMEM;
}

static void put_scalar(struct bawn_buf *out, const struct bawn_yaml_node *n)
{
	if (bawn_yaml_null(n))
		bawn_buf_str(out, "null");
	else
		put_text(out, n->text, n->plain);
}

static void put_key(struct bawn_buf *out, const struct bawn_yaml_node *key, int indent)
{
	bawn_buf_fmt(out, "%*s", indent, "");
	put_text(out, key->text, true);
	bawn_buf_char(out, ':');
}

static void put_node(struct bawn_buf *out, const struct bawn_yaml_node *n, int indent);

static void put_child(struct bawn_buf *out, const struct bawn_yaml_node *n, int indent)
{
	bool empty = n->kind != BAWN_YAML_SCALAR && n->first == NULL;
	if (n->kind == BAWN_YAML_SCALAR || empty) {
		bawn_buf_char(out, ' ');
		if (empty)
			bawn_buf_str(out, n->kind == BAWN_YAML_MAPPING ? "{}" : "[]");
		else
			put_scalar(out, n);
		bawn_buf_char(out, '\n');
		return;
	}
	bawn_buf_char(out, '\n');
	put_node(out, n, indent + 2);
}

static void put_node(struct bawn_buf *out, const struct bawn_yaml_node *n, int indent)
{
	for (const struct bawn_yaml_node *c = n->first; c != NULL; c = c->next) {
		if (c->key != NULL)
			put_key(out, c->key, indent);
		else
			bawn_buf_fmt(out, "%*s-", indent, "");
		put_child(out, c, indent);
	}
}

/* `above` laid over `below`: mappings are merged, everything else is replaced. */
static void put_merged(struct bawn_buf *out, const struct bawn_yaml_node *below, const struct bawn_yaml_node *above, int indent)
{
	for (const struct bawn_yaml_node *b = bawn_yaml_first(below); b != NULL; b = b->next) {
		const struct bawn_yaml_node *a = bawn_yaml_get(above, b->key->text.p);
		const struct bawn_yaml_node *n = a != NULL ? a : b;
		put_key(out, b->key, indent);
		if (a != NULL && a->kind == BAWN_YAML_MAPPING && b->kind == BAWN_YAML_MAPPING && a->n + b->n > 0) {
			bawn_buf_char(out, '\n');
			put_merged(out, b, a, indent + 2);
		} else {
			put_child(out, n, indent);
		}
	}
	for (const struct bawn_yaml_node *a = bawn_yaml_first(above); a != NULL; a = a->next) {
		if (bawn_yaml_get(below, a->key->text.p) != NULL)
			continue;
		put_key(out, a->key, indent);
		put_child(out, a, indent);
	}
}

/* ---- the document as sources ---- */

struct set {
	const char               *target;
	enum bawn_layer_rank      rank;
	struct bawn_sources       sources;
	struct bawn_policy_reader r;
	struct bawn_policy_errors errors;
	struct bawn_yaml         *document;
};

static const struct bawn_source *target_source(const struct set *s, int file)
{
	for (size_t i = 0; i < s->sources.n; i++)
		if (s->sources.s[i].dir != NULL && strcmp(s->sources.s[i].dir, s->target) == 0 && (int)s->sources.s[i].file == file)
			return &s->sources.s[i];
	return NULL;
}

/* Behind everything of the target directory and of directories read before it. */
static size_t target_end(const struct set *s, const struct bawn_policy_dirs *dirs)
{
	const char *order[] = { dirs->floor, dirs->user, dirs->explicit_, s->target };
	size_t at = 0;
	for (size_t d = 0; d < BAWN_LEN(order); d++) {
		for (size_t i = 0; i < s->sources.n; i++)
			if (order[d] != NULL && s->sources.s[i].dir != NULL && strcmp(s->sources.s[i].dir, order[d]) == 0 && i + 1 > at)
				at = i + 1;
		if (order[d] != NULL && strcmp(order[d], s->target) == 0)
			break;
	}
	return at;
}

static int section_named(struct bawn_span name)
{
	for (int f = 0; f < BAWN_FILE_COUNT; f++)
		if (bawn_span_is(name, bawn_policy_section[f]))
			return f;
	return -1;
}

static int add_document(struct set *s, const struct bawn_policy_dirs *dirs, struct bawn_err *err)
{
	const struct bawn_yaml_node *root = bawn_yaml_root(s->document);
	size_t at = target_end(s, dirs);
	s->r.name = DOCUMENT;
	if (root->kind != BAWN_YAML_MAPPING || root->first == NULL)
		bawn_policy_problem(&s->r, root->line, root->column, "", "is not a mapping; allowed: security, sandbox, audit, server at top level");
	for (const struct bawn_yaml_node *n = bawn_yaml_first(root); root->kind == BAWN_YAML_MAPPING && n != NULL; n = n->next) {
		int file = section_named(n->key->text);
		if (file < 0) {
			bawn_policy_problem(&s->r, n->key->line, n->key->column, "", "%s: unknown key; allowed: security, sandbox, audit, server", bawn_shown(n->key->text).text);
			continue;
		}
		if (n->kind != BAWN_YAML_MAPPING) {
			bawn_policy_problem(&s->r, n->line, n->column, bawn_policy_section[file], "is not a mapping");
			continue;
		}
		struct bawn_source src = { s->rank, (enum bawn_policy_file)file, NULL, strdup(DOCUMENT), NULL, n };
		int failed = bawn_sources_add(&s->sources, at++, src, err);
		if (failed < 0)
			return failed;
	}
	return 0;
}

static int parse_document(struct set *s, struct bawn_span document, struct bawn_err *err)
{
	bawn_auto_buf problems = BAWN_BUF(BAWN_YAML_PROBLEMS_MAX);
	struct bawn_err why = { 0 };
	if (bawn_yaml_parse(DOCUMENT, document, &s->document, &problems, &why) == 0)
		return 0;
	if (why.type == BAWN_ERROR_OUT_OF_MEMORY)
		return bawn_fail(err, -ENOMEM, "read the document");
	for (size_t i = 0; i < problems.n; i++)
		s->errors.n += problems.p[i] == '\n';
	s->r.n++;
	bawn_buf_add(&s->errors.text, problems.p, problems.n);
	return bawn_policy_refuse(&s->r, err);
}

/* ---- what will be written ---- */

#define HEADER "# Written by 'bawn policy set'; comments are not kept.\n"

/* {file: text} for every section of the document. */
static json_t *merged_files(const struct set *s)
{
	bawn_auto_json files = json_object();
	bool good = files != NULL;
	for (const struct bawn_yaml_node *n = bawn_yaml_first(bawn_yaml_root(s->document)); good && n != NULL; n = n->next) {
		int file = section_named(n->key->text);
		const struct bawn_source *old = file >= 0 ? target_source(s, file) : NULL;
		bawn_auto_buf text = BAWN_BUF(BAWN_YAML_SIZE_MAX);
		bawn_buf_str(&text, HEADER);
		put_merged(&text, old != NULL ? old->root : NULL, n, 0);
		good = file >= 0 && bawn_buf_error(&text) == 0;
		if (good)
			bawn_json_set(files, bawn_policy_file[file], json_stringn(text.p, text.n), &good);
	}
	return good ? bawn_steal(files) : NULL;
}

static void drop_source(struct bawn_sources *s, size_t at)
{
	free(s->s[at].name);
	bawn_yaml_free(s->s[at].yaml);
	memmove(&s->s[at], &s->s[at + 1], (s->n - at - 1) * sizeof *s->s);
	s->n--;
}

/* The texts take the place of the document and of the files they will replace. */
static int use_files(struct set *s, const struct bawn_policy_dirs *dirs, const json_t *files, struct bawn_err *err)
{
	for (size_t i = s->sources.n; i-- > 0; ) {
		const struct bawn_source *o = &s->sources.s[i];
		bool replaced = o->dir != NULL && strcmp(o->dir, s->target) == 0 && json_object_get(files, bawn_policy_file[o->file]) != NULL;
		if (o->dir == NULL || replaced)
			drop_source(&s->sources, i);
	}
	for (int f = 0; f < BAWN_FILE_COUNT; f++) {
		const json_t *text = json_object_get(files, bawn_policy_file[f]);
		if (text == NULL)
			continue;
		bawn_auto_buf name = BAWN_BUF(8192);
		bawn_buf_fmt(&name, "%s/%s", s->target, bawn_policy_file[f]);
		struct bawn_source src = { s->rank, (enum bawn_policy_file)f, s->target, bawn_buf_steal(&name), NULL, NULL };
		if (src.name == NULL)
			return bawn_fail(err, -ENOMEM, "merge the document");
		int failed = bawn_yaml_parse(src.name, (struct bawn_span){ json_string_value(text), json_string_length(text) }, &src.yaml, NULL, err);
		if (failed < 0) {
			free(src.name);
			return failed;
		}
		src.root = bawn_yaml_root(src.yaml);
		failed = bawn_sources_add(&s->sources, target_end(s, dirs), src, err);
		if (failed < 0)
			return failed;
	}
	return 0;
}

/* ---- the reply ---- */

static void add_change(const struct bawn_key *k, const struct bawn_policy *before, const struct bawn_policy *after,
                       json_t *updated, json_t *changes, bool *good)
{
	json_t *was = bawn_value_json(k, bawn_value_get(k, before), true), *is = bawn_value_json(k, bawn_value_get(k, after), true);
	bool differs = was != NULL && is != NULL && !json_equal(was, is);
	*good = *good && was != NULL && is != NULL;
	json_decref(was);
	json_decref(is);
	if (!*good || !differs)
		return;
	bawn_auto_buf key = BAWN_BUF(256);
	bawn_buf_fmt(&key, "%s.%s", bawn_policy_section[k->file], k->key);
	json_t *row = json_object();
	*good = row != NULL && bawn_buf_error(&key) == 0;
	if (*good) {
		bawn_json_push(updated, json_string(key.p), good);
		bawn_json_set(row, "key", json_string(key.p), good);
		bawn_json_set(row, "before", bawn_value_json(k, bawn_value_get(k, before), false), good);
		bawn_json_set(row, "after", bawn_value_json(k, bawn_value_get(k, after), false), good);
	}
	bawn_json_push(changes, row, good);
}

static json_t *error_lines(const struct bawn_policy_errors *e, bool *good)
{
	json_t *list = json_array();
	*good = *good && list != NULL;
	for (const char *at = e->text.p; *good && at != NULL && *at != '\0'; ) {
		size_t n = strcspn(at, "\n");
		bawn_json_push(list, bawn_json_text((struct bawn_span){ at, n }), good);
		at += n + (at[n] == '\n');
	}
	return list;
}

static json_t *hash_json(const struct bawn_policy *p)
{
	char hex[BAWN_SHA256_HEX];
	if (p == NULL)
		return json_null();
	bawn_hex(p->sha256, sizeof p->sha256, hex);
	return json_string(hex);
}

/* `after` NULL: refused, nothing changed. */
static json_t *make_reply(const struct set *s, const struct bawn_policy *before, const struct bawn_policy *after)
{
	bawn_auto_json reply = json_object();
	bawn_auto_json updated = json_array();
	bawn_auto_json changes = json_array();
	bool good = reply != NULL && updated != NULL && changes != NULL;
	for (size_t i = 0; good && after != NULL && i < bawn_key_count; i++)
		add_change(&bawn_key[i], before, after, updated, changes, &good);
	if (!good)
		return NULL;
	bawn_json_set(reply, "updated", bawn_steal(updated), &good);
	bawn_json_set(reply, "changes", bawn_steal(changes), &good);
	bawn_json_set(reply, "errors", error_lines(&s->errors, &good), &good);
	bawn_json_set(reply, "before", hash_json(before), &good);
	bawn_json_set(reply, "after", hash_json(after != NULL ? after : before), &good);
	return good ? bawn_steal(reply) : NULL;
}

/* ---- the steps ---- */

/* One `set` at a time; -1 where the directory is not there yet. */
static int lock_target(const char *target, int *out_fd, struct bawn_err *err)
{
	bawn_auto_fd fd = open(target, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT) {
		*out_fd = -1;
		return 0;
	}
	if (fd < 0)
		return bawn_fail(err, -errno, "open '%s'", target);
	for (int tries = 0; flock(fd, LOCK_EX | LOCK_NB) < 0; tries++) {
		if ((errno != EWOULDBLOCK && errno != EINTR) || tries == 500)
			return bawn_fail(err, -errno, "lock '%s'", target);
		const struct timespec pause = { .tv_nsec = 10000000 };
		(void)nanosleep(&pause, NULL);  /* cut short: the next try is only earlier */
	}
	*out_fd = bawn_take_fd(&fd);
	return 0;
}

static int write_files(const char *target, int fd, const json_t *files, struct bawn_err *err)
{
	bawn_auto_fd made = -1;
	if (fd < 0) {
		int failed = bawn_make_dirs(target, 0755, err);
		if (failed == 0)
			failed = lock_target(target, &made, err);
		if (failed < 0)
			return failed;
		fd = made;
	}
	return bawn_journal_commit(fd, files, err);
}

static int validate(struct set *s, const struct bawn_policy_dirs *dirs, struct bawn_span document,
                    struct bawn_policy **out_before, struct bawn_policy **out_after, json_t **out_files, struct bawn_err *err)
{
	auto_policy layered = NULL;
	int failed = bawn_sources_read(&s->sources, dirs, s->target, &s->r, err);
	if (failed == 0)
		failed = bawn_policy_build(&s->sources, &s->r, out_before, err);
	if (failed == 0)
		failed = parse_document(s, document, err);
	if (failed == 0)
		failed = add_document(s, dirs, err);
	if (failed == 0)
		failed = bawn_policy_build(&s->sources, &s->r, &layered, err);
	if (failed < 0)
		return failed;
	*out_files = merged_files(s);
	if (*out_files == NULL)
		return bawn_fail(err, -ENOMEM, "merge the document");
	failed = use_files(s, dirs, *out_files, err);
	return failed < 0 ? failed : bawn_policy_build(&s->sources, &s->r, out_after, err);
}

static int reply_refused(const struct set *s, const struct bawn_policy *before, int failed, json_t **out, struct bawn_err *err)
{
	json_t *reply = make_reply(s, before, NULL);
	if (reply == NULL)
		return bawn_fail(err, -ENOMEM, "set the policy");
	*out = reply;
	return failed;
}

int bawn_policy_set(const struct bawn_policy_dirs *dirs, const char *target_dir, struct bawn_span document,
                    json_t **out, struct bawn_err *err)
{
	return bawn_policy_set_recorded(dirs, target_dir, document, NULL, NULL, out, err);
}

int bawn_policy_set_recorded(const struct bawn_policy_dirs *dirs, const char *target_dir, struct bawn_span document,
                             bawn_policy_record_fn *record, void *ctx, json_t **out, struct bawn_err *err)
{
	struct set s = { .target = target_dir, .errors = { .text = BAWN_BUF(ERRORS_MAX) } };
	s.rank = dirs->floor != NULL && strcmp(dirs->floor, target_dir) == 0 ? BAWN_RANK_FLOOR : BAWN_RANK_ABOVE;
	s.r = (struct bawn_policy_reader){ .name = DOCUMENT, .errors = &s.errors };
	auto_policy before = NULL;
	auto_policy after = NULL;
	bawn_auto_json files = NULL;
	bawn_auto_json reply = NULL;
	bawn_auto_fd fd = -1;
	int failed = lock_target(target_dir, &fd, err);
	if (failed == 0) {
		failed = validate(&s, dirs, document, &before, &after, &files, err);
		if (failed < 0 && s.errors.n > 0)
			failed = reply_refused(&s, before, failed, out, err);
	}
	if (failed == 0 && (reply = make_reply(&s, before, after)) == NULL)
		failed = bawn_fail(err, -ENOMEM, "set the policy");
	if (failed == 0 && record != NULL)
		failed = record(ctx, reply, err);
	if (failed == 0)
		failed = write_files(target_dir, fd, files, err);
	if (failed == 0)
		*out = bawn_steal(reply);
	bawn_sources_done(&s.sources);
	bawn_yaml_free(s.document);
	bawn_policy_errors_done(&s.errors);
	return failed;
}
