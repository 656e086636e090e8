/* changed.c - see changed.h. */
#include "core/changed.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "base/hash.h"

#define NOTE_MAX (1u << 20)

void bawn_notice_done(struct bawn_notice *n)
{
	json_decref(n->body);
	bawn_buf_done(&n->note);
}

static void read_note(const struct bawn_dirs *d, const char *file, struct bawn_buf *out)
{
	bawn_auto_fd state = open(d->state, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (state < 0 || bawn_read_file(state, file, out, NULL) < 0)
		bawn_buf_reset(out);
}

void bawn_notice_keep(const struct bawn_dirs *d, const struct bawn_notice *n)
{
	bawn_auto_fd state = n->note.n > 0 ? open(d->state, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (state >= 0)
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

/* "HASH PLACE\n": of all values, and of the directories they are read from. */
#define LINE (2 * BAWN_SHA256_HEX)
static void first_line(const struct bawn_dirs *d, const struct bawn_policy *p, char out[static LINE + 1])
{
	const char *const dir[] = { d->policy.floor, d->policy.user, d->policy.explicit_ };
	char hash[BAWN_SHA256_HEX], place[BAWN_SHA256_HEX];
	struct bawn_sha256 h;
	uint8_t raw[BAWN_SHA256_LEN];
	bawn_sha256_init(&h);
	for (size_t i = 0; i < BAWN_LEN(dir); i++)
		bawn_sha256_add(&h, dir[i] != NULL ? dir[i] : "", (dir[i] != NULL ? strlen(dir[i]) : 0) + 1);
	bawn_sha256_end(&h, raw);
	bawn_hex(raw, sizeof raw, place);
	bawn_hex(p->sha256, sizeof p->sha256, hash);
	snprintf(out, LINE + 1, "%s %s\n", hash, place);
}

int bawn_policy_notice(const struct bawn_dirs *d, const struct bawn_policy *p, struct bawn_notice *out, struct bawn_err *err)
{
	struct bawn_notice n = { .file = d->config[0] != '\0' ? "policy-named" : "policy", .note = BAWN_BUF(NOTE_MAX) };
	bawn_auto_buf text = BAWN_BUF(NOTE_MAX);
	char line[LINE + 1];
	read_note(d, n.file, &text);
	first_line(d, p, line);
	if (bawn_span_starts(bawn_buf_span(&text), line))
		return 0;
	bawn_auto_json now = values(p, err), *before = NULL;
	if (now == NULL)
		return -ENOMEM;
	bawn_buf_str(&n.note, line);
	int r = bawn_json_put(&n.note, now, err);
	const size_t place = BAWN_SHA256_HEX;
	if (r == 0 && text.n > LINE && memcmp(text.p + place, line + place, LINE - place) == 0 &&
	    bawn_json_parse((struct bawn_span){ text.p + LINE, text.n - LINE }, &before, NULL) == 0) {
		text.p[BAWN_SHA256_HEX - 1] = line[BAWN_SHA256_HEX - 1] = '\0';  /* behind the hashes */
		n.body = change("", before, now, text.p, line);
		r = n.body != NULL ? 0 : bawn_fail(err, -ENOMEM, "record a change of the policy");
	}
	if (r == 0 && json_array_size(json_object_get(n.body, "updated")) == 0) {  /* what changed stands in another note */
		json_decref(n.body);
		n.body = NULL;
	}
	*out = n;
	return r;
}
