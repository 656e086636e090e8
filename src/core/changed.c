/* changed.c - see changed.h. */
#include "core/changed.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "audit/audit.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/hash.h"

#define NOTE_MAX (1u << 20)
#define NOTES    "policy"

void bawn_notice_done(struct bawn_notice *n)
{
	json_decref(n->body);
	bawn_buf_done(&n->note);
}

/* False: there is none.  What cannot be read is an empty one. */
static bool read_note(const struct bawn_dirs *d, const char *file, struct bawn_buf *out)
{
	bawn_auto_fd state = open(d->state, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = state < 0 ? -errno : bawn_read_plain_file(state, file, out, NULL);
	if (r < 0)
		bawn_buf_reset(out);
	return r != -ENOENT;
}

void bawn_notice_keep(const struct bawn_dirs *d, const struct bawn_notice *n)
{
	bawn_auto_fd state = n->note.n > 0 ? open(d->state, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (state < 0)
		return;
	(void)mkdirat(state, NOTES, 0700);  /* or the next line fails */
	(void)!bawn_replace_file(state, n->file, bawn_buf_span(&n->note), 0600, NULL);
}

/* As a change through us is recorded: keys, values, and a hash of all before (NULL: unknown) and after. */
static json_t *change(const char *section, const json_t *before, json_t *after, const char *was, const char *is)
{
	bawn_auto_json body = json_object();
	json_t *updated = json_array(), *changes = json_array(), *y;
	const char *name;
	bool ok = body != NULL;
	bawn_json_set(body, "updated", updated, &ok);
	bawn_json_set(body, "changes", changes, &ok);
	json_object_foreach(after, name, y) {
		json_t *x = json_object_get(before, name), *none = json_null();
		char key[128];
		if (x != NULL && json_equal(x, y))
			continue;
		snprintf(key, sizeof key, "%s%s", section, name);
		bawn_json_push(updated, json_string(key), &ok);
		bawn_json_push(changes, json_pack("{s:s, s:O, s:O}", "key", key, "before", x != NULL ? x : none, "after", y), &ok);
	}
	bawn_json_set(body, "before", bawn_json_text_or_null(was), &ok);
	bawn_json_set(body, "after", json_string(is), &ok);
	bawn_json_set(body, "noticed", json_true(), &ok);
	return ok ? bawn_steal(body) : NULL;
}

int bawn_network_notice(const struct bawn_dirs *d, const json_t *now, struct bawn_notice *out, struct bawn_err *err)
{
	struct bawn_notice n = { .file = "network.json", .note = BAWN_BUF(NOTE_MAX) };
	bawn_auto_buf text = BAWN_BUF(NOTE_MAX);
	bawn_auto_json before = NULL, *after = json_deep_copy(now);
	char was[BAWN_SHA256_HEX], is[BAWN_SHA256_HEX];
	read_note(d, n.file, &text);
	const bool known = text.n > 0 && bawn_json_parse(bawn_buf_span(&text), &before, NULL) == 0;
	if (known && json_equal(before, now))
		return 0;
	if (after != NULL && bawn_json_put(&n.note, now, NULL) == 0) {
		bawn_sha256_hex(bawn_buf_span(&text), was);
		bawn_sha256_hex(bawn_buf_span(&n.note), is);
		n.body = change("sandbox.network.", before, after, known ? was : NULL, is);
	}
	*out = n;
	return n.body != NULL ? 0 : bawn_fail(err, -ENOMEM, "record the network's policy");
}

/* {KEY: VALUE} of every row, and the hash of rules.d. */
static json_t *values(const struct bawn_policy *p, struct bawn_err *err)
{
	static const char *const elsewhere[] = { "sandbox.network.whitelist", "sandbox.network.allow_private" };  /* in network.json */
	bawn_auto_json rows = NULL, *all = json_object();
	char own[BAWN_SHA256_HEX] = "";
	json_t *row;
	size_t i;
	bool ok = all != NULL;
	if (bawn_policy_show(p, &rows, err) < 0)
		return NULL;
	json_array_foreach(rows, i, row) {
		const char *key = json_string_value(json_object_get(row, "key"));
		if (strcmp(key, elsewhere[0]) != 0 && strcmp(key, elsewhere[1]) != 0)
			bawn_json_set(all, key, json_incref(json_object_get(row, "value")), &ok);
	}
	if (p->own != NULL)
		bawn_hex(p->own->sha256, sizeof p->own->sha256, own);
	bawn_json_set(all, "rules.d", bawn_json_text_or_null(own[0] != '\0' ? own : NULL), &ok);
	if (!ok)
		(void)bawn_fail(err, -ENOMEM, "look for changes of the policy");
	return ok ? bawn_steal(all) : NULL;
}

/* Policy that is read from other directories has another note. */
static void name_note(const struct bawn_dirs *d, char *out, size_t size)
{
	const char *const dir[] = { d->policy.floor, d->policy.user, d->policy.explicit_ };
	char place[BAWN_SHA256_HEX];
	struct bawn_sha256 h;
	uint8_t raw[BAWN_SHA256_LEN];
	bawn_sha256_init(&h);
	for (size_t i = 0; i < BAWN_LEN(dir); i++)
		bawn_sha256_add(&h, dir[i] != NULL ? dir[i] : "", (dir[i] != NULL ? strlen(dir[i]) : 0) + 1);
	bawn_sha256_end(&h, raw);
	bawn_hex(raw, sizeof raw, place);
	snprintf(out, size, NOTES "/%.16s", place);
}

static bool has_notes(const struct bawn_dirs *d)
{
	char path[600];
	snprintf(path, sizeof path, "%s/" NOTES, d->state);
	bawn_auto_dir all = opendir(path);
	for (const struct dirent *e; all != NULL && (e = readdir(all)) != NULL; )
		if (e->d_name[0] != '.')
			return true;
	return false;
}

static int is_intent(void *ctx, const struct bawn_entry *e)
{
	bool *found = ctx;
	const char *type = json_string_value(json_object_get(e->json, "type"));
	*found = type != NULL && strcmp(type, bawn_record_name(BAWN_RECORD_EXEC_INTENT)) == 0;
	return *found ? 1 : 0;
}

/* Something ran and all notes are gone: what they said is not known any more.  The first run of all keeps its note before
 * its intent is there, so whoever sees that looks for notes again. */
static bool are_lost(const struct bawn_dirs *d)
{
	bool ran = false;
	if (has_notes(d))
		return false;
	(void)!bawn_audit_walk(d->audit, 0, is_intent, &ran, NULL);  /* a log that cannot be read stops the run that asks */
	return ran && !has_notes(d);
}

int bawn_policy_notice(const struct bawn_dirs *d, const struct bawn_policy *p, struct bawn_notice *out, struct bawn_err *err)
{
	struct bawn_notice n = { .note = BAWN_BUF(NOTE_MAX) };
	bawn_auto_buf text = BAWN_BUF(NOTE_MAX);
	char is[BAWN_SHA256_HEX];
	const size_t behind = sizeof is;  /* the hash and its line end */
	name_note(d, n.file, sizeof n.file);
	bawn_hex(p->sha256, sizeof p->sha256, is);
	const bool there = read_note(d, n.file, &text);
	if (text.n > behind && bawn_span_starts(bawn_buf_span(&text), is))
		return 0;
	bawn_auto_json now = values(p, err), *before = NULL;
	if (now == NULL)
		return -ENOMEM;
	bawn_buf_fmt(&n.note, "%s\n", is);
	int r = bawn_json_put(&n.note, now, err);
	const bool known = text.n > behind && bawn_json_parse((struct bawn_span){ text.p + behind, text.n - behind }, &before, NULL) == 0;
	if (r == 0 && (there || are_lost(d))) {
		if (known)
			text.p[behind - 1] = '\0';
		n.body = change("", before, now, known ? text.p : NULL, is);
		r = n.body != NULL ? 0 : bawn_fail(err, -ENOMEM, "record a change of the policy");
	}
	if (r == 0 && json_array_size(json_object_get(n.body, "updated")) == 0) {  /* what changed stands in another note */
		json_decref(n.body);
		n.body = NULL;
	}
	if (r == 0 && n.body == NULL)
		bawn_notice_keep(d, &n);
	*out = n;
	return r;
}
