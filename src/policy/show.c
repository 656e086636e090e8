/* show.c - the policy as people and hashes see it: every row of the schema with its value. */
#include "policy/schema.h"
#include "base/cleanup.h"

static json_t *default_json(const struct bawn_key *k)
{
	struct bawn_policy_errors ignored = { .text = BAWN_BUF(0) };
	struct bawn_policy_reader r = { .name = "", .errors = &ignored, .mute = true };
	union bawn_value v;
	if (!bawn_value_default(&r, k, &v))
		return NULL;
	json_t *j = bawn_value_json(k, v, false);
	bawn_value_done(k, &v);
	return j;
}

static json_t *show_row(const struct bawn_policy *p, const struct bawn_key *k)
{
	const struct bawn_policy_origin *o = &p->origin[k - bawn_key];
	bawn_auto_buf key = BAWN_BUF(256), origin = BAWN_BUF(8192);
	bawn_buf_fmt(&key, "%s.%s", bawn_policy_section[k->file], k->key);
	if (o->path != NULL)
		bawn_buf_fmt(&origin, "%s:%u", o->path, o->line);
	else
		bawn_buf_str(&origin, "default");
	bawn_auto_json row = json_object();
	bool good = row != NULL && bawn_buf_error(&key) == 0 && bawn_buf_error(&origin) == 0;
	if (good) {
		bawn_json_set(row, "key", json_string(key.p), &good);
		bawn_json_set(row, "value", bawn_value_json(k, bawn_value_get(k, p), false), &good);
		bawn_json_set(row, "origin", bawn_json_text(bawn_buf_span(&origin)), &good);
		bawn_json_set(row, "default", default_json(k), &good);
		bawn_json_set(row, "help", json_string(k->help), &good);
	}
	return good ? bawn_steal(row) : NULL;
}

int bawn_policy_show(const struct bawn_policy *p, json_t **out, struct bawn_err *err)
{
	bawn_auto_json rows = json_array();
	bool good = rows != NULL;
	for (size_t i = 0; good && i < bawn_key_count; i++)
		bawn_json_push(rows, show_row(p, &bawn_key[i]), &good);
	if (!good)
		return bawn_fail(err, -ENOMEM, "show the policy");
	*out = bawn_steal(rows);
	return 0;
}

/* Over "section.key=JSON" lines in the order of the schema: spelling and place do not matter. */
int bawn_policy_hash(struct bawn_policy *p, struct bawn_err *err)
{
	struct bawn_sha256 h;
	bawn_sha256_init(&h);
	bawn_auto_buf line = BAWN_BUF(8u << 20);
	for (size_t i = 0; i < bawn_key_count; i++) {
		const struct bawn_key *k = &bawn_key[i];
		bawn_auto_json v = bawn_value_json(k, bawn_value_get(k, p), true);
		if (v == NULL)
			return bawn_fail(err, -ENOMEM, "hash the policy");
		bawn_buf_reset(&line);
		bawn_buf_str(&line, bawn_policy_section[k->file]);
		bawn_buf_char(&line, '.');
		bawn_buf_str(&line, k->key);
		bawn_buf_char(&line, '=');
		int failed = bawn_json_put(&line, v, err);
		if (failed < 0)
			return failed;
		bawn_buf_char(&line, '\n');
		if (bawn_buf_error(&line) < 0)
			return bawn_fail(err, bawn_buf_error(&line), "hash the policy");
		bawn_sha256_add(&h, line.p, line.n);
	}
	if (p->own != NULL)
		bawn_sha256_add(&h, p->own->sha256, sizeof p->own->sha256);
	bawn_sha256_end(&h, p->sha256);
	return 0;
}

void bawn_policy_manual(struct bawn_buf *out)
{
	for (size_t i = 0; i < bawn_key_count; i++) {
		const struct bawn_key *k = &bawn_key[i];
		bawn_auto_json def = default_json(k);
		bawn_buf_fmt(out, "%s\t%s\t", bawn_policy_file[k->file], k->key);
		bawn_value_allowed(k, out);
		bawn_buf_char(out, '\t');
		if (def == NULL || bawn_json_put(out, def, NULL) < 0)
			bawn_buf_str(out, "?");
		bawn_buf_fmt(out, "\t%s\t%s\n", bawn_stricter_name(k), k->help);
	}
}
