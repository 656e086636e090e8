/* versions.c - bawn audit show --diff: which code came before this one, and what changed.
 *
 * Two executions are of the same script when they have the same label `name`; where the later one has none, the same
 * session; where it has none, the same path. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "cli/diff.h"
#include "cli/entries.h"

/* In the order in which they are asked for. */
static const struct { const char *by, *path; } identity[] = {
	{ "name", "body.labels.name" }, { "session", "session" }, { "path", "body.path" },
};

struct version { char exec[64], sha256[BAWN_SHA256_HEX]; uint64_t seq, ts_us; };

static void note_version(struct version *v, const json_t *e)
{
	(void)snprintf(v->exec, sizeof v->exec, "%s", bawn_cli_text(e, "exec"));
	(void)snprintf(v->sha256, sizeof v->sha256, "%s", bawn_cli_text(e, "body.code_sha256"));
	v->seq = bawn_cli_number(e, "seq");
	v->ts_us = bawn_cli_number(e, "ts");
}

struct search { struct version now, before; const json_t *entry; size_t row; bool found; };

static int look(void *ctx, const struct bawn_entry *e)
{
	struct search *s = ctx;
	const char *path = identity[s->row].path, *sha256 = bawn_cli_text(e->json, "body.code_sha256");
	if (e->seq >= s->now.seq || *sha256 == '\0' || strcmp(sha256, s->now.sha256) == 0 ||
	    strcmp(bawn_cli_text(e->json, path), bawn_cli_text(s->entry, path)) != 0)
		return 0;
	note_version(&s->before, e->json);
	s->found = true;
	return 1;
}

/* An entry that says which code it is about: of the given ones, or else (they may be chosen) of their execution. */
static int find_now(const struct bawn_cli *c, struct search *s, const char *dir, const json_t *entries, json_t **out_all, struct bawn_err *err)
{
	const char *exec = bawn_cli_text(json_array_get(entries, 0), "exec");
	size_t i;
	json_t *e;
	int r = *exec != '\0' ? bawn_cli_entries_of(c, dir, exec, NULL, out_all, err) : 0;
	json_array_foreach(*out_all, i, e)
		if (s->entry == NULL && *bawn_cli_text(e, "body.code_sha256") != '\0' && bawn_cli_at(e, "body.labels") != NULL)
			s->entry = e;
	if (r == 0 && s->entry == NULL)
		r = bawn_fail_as(err, BAWN_ERROR_NOT_FOUND, NULL, "this entry is not about code that was to be run");
	if (r == 0)
		note_version(&s->now, s->entry);
	while (r == 0 && s->row < BAWN_LEN(identity) && *bawn_cli_text(s->entry, identity[s->row].path) == '\0')
		s->row++;
	return r;
}

static void put_head(struct bawn_buf *out, const char *sign, const struct version *v)
{
	char at[BAWN_RFC3339_LEN];
	bawn_rfc3339(v->ts_us, at);
	bawn_buf_fmt(out, "%s ", sign);
	bawn_buf_escaped(out, bawn_span(v->exec));
	bawn_buf_fmt(out, "\t%s\t%s\n", at, v->sha256);
}

/* Escaped, but for the tabs and newlines that code is made of. */
static void put_shown(struct bawn_buf *out, struct bawn_span text)
{
	while (text.n > 0) {
		size_t n = 0;
		while (n < text.n && text.p[n] != '\n' && text.p[n] != '\t')
			n++;
		bawn_buf_escaped(out, (struct bawn_span){ text.p, n });
		if (n < text.n)
			bawn_buf_char(out, text.p[n++]);
		text.p += n;
		text.n -= n;
	}
}

static json_t *version_json(const struct version *v, const char *by)
{
	return json_pack("{s:s, s:I, s:s, s:s}", "exec", v->exec, "seq", (json_int_t)v->seq, "code_sha256", v->sha256, "by", by);
}

static int make_diff(const struct search *s, const char *dir, struct bawn_buf *out, struct bawn_err *err)
{
	bawn_auto_buf a = BAWN_BUF(64u << 20), b = BAWN_BUF(64u << 20);
	int r = bawn_audit_blob_get(dir, s->before.sha256, &a, err);
	if (r == 0)
		r = bawn_audit_blob_get(dir, s->now.sha256, &b, err);
	if (r == 0)
		bawn_cli_diff(out, bawn_buf_span(&a), bawn_buf_span(&b));
	return r == 0 && bawn_buf_error(out) < 0 ? bawn_fail(err, bawn_buf_error(out), "compare two versions") : r;
}

int bawn_cli_show_diff(const struct bawn_cli *c, const char *dir, const json_t *entries)
{
	struct bawn_err err = { 0 };
	struct search s = { 0 };
	bawn_auto_json all = NULL;
	bawn_auto_buf diff = BAWN_BUF(256u << 20), out = BAWN_BUF(512u << 20);
	int r = find_now(c, &s, dir, entries, &all, &err);
	if (r == 0 && s.row < BAWN_LEN(identity))
		r = bawn_audit_walk_back(dir, look, &s, &err);
	if (r >= 0 && s.found)
		r = make_diff(&s, dir, &diff, &err);
	if (r < 0)
		return bawn_cli_fail(c, &err);
	if (c->common.json) {
		bawn_auto_json doc = json_pack("{s:s, s:s, s:o, s:o}", "exec", s.now.exec, "code_sha256", s.now.sha256,
			"previous", s.found ? version_json(&s.before, identity[s.row].by) : json_null(),
			"diff", s.found ? bawn_json_text(bawn_buf_span(&diff)) : json_null());
		return bawn_cli_print_json(doc, BAWN_EXIT_OK);
	}
	if (!s.found) {
		bawn_cli_say("no earlier version of it in the log");
		return BAWN_EXIT_OK;
	}
	put_head(&out, "---", &s.before);
	put_head(&out, "+++", &s.now);
	put_shown(&out, bawn_buf_span(&diff));
	return bawn_cli_print(&out, BAWN_EXIT_OK);
}
