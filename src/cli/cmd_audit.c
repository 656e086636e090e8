/* cmd_audit.c - bawn audit: the log itself. */
#include "cli/commands.h"
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>
#include "audit/audit.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/num.h"
#include "cli/bar.h"
#include "cli/entries.h"
#include "cli/log.h"
#include "cli/pool.h"
#include "core/api.h"
#include "core/request.h"

/* ---- verify ---- */

/* Who vouches that the log was not rewritten from its first entry on. */
static const struct { const char *anchor, *sentence; bool independent; } anchors[] = {
	{ "none", "nothing outside the log vouches for it: whoever has its key or an older copy could have put another in its place", false },
	{ "same-uid", "its anchor belongs, for all that can be told, to the user who writes it: that user could have rewritten both", false },
	{ "other-uid", "its anchor belongs to another user of this host", true },
	{ "remote", "its anchor is kept elsewhere", true },
};

static size_t anchor_row(const char *anchor)
{
	for (size_t i = 0; i < BAWN_LEN(anchors); i++)
		if (strcmp(anchors[i].anchor, anchor) == 0)
			return i;
	return 0;
}

static json_t *when(uint64_t us)
{
	char text[BAWN_RFC3339_LEN];
	if (us == 0)
		return json_null();
	bawn_rfc3339(us, text);
	return json_string(text);
}

static json_t *verify_json(const struct bawn_audit_report *r, const char *dir)
{
	bool ok = true;
	json_t *doc = json_object();
	const char *anchor = r->anchor[0] != '\0' ? r->anchor : "none";
#define NUMBER(key) bawn_json_set(doc, #key, json_integer((json_int_t)r->key), &ok)
	bawn_json_set(doc, "ok", json_boolean(r->ok), &ok);
	NUMBER(entries);
	NUMBER(bytes);
	NUMBER(segments);
	NUMBER(verified_from);
	NUMBER(verified_to);
	bawn_json_set(doc, "first_bad_seq", r->ok ? json_null() : json_integer((json_int_t)r->first_bad_seq), &ok);
	bawn_json_set(doc, "problem", r->ok ? json_null() : bawn_json_text(bawn_span(r->problem)), &ok);
	bawn_json_set(doc, "head_hash", json_string(r->head_hash), &ok);
	bawn_json_set(doc, "first", when(r->first_us), &ok);
	bawn_json_set(doc, "last", when(r->last_us), &ok);
	NUMBER(torn_bytes);
	NUMBER(previous);
	NUMBER(signatures);
	NUMBER(epoch);
	NUMBER(bodies);
	NUMBER(stray_bodies);
	NUMBER(missing_bodies);
#undef NUMBER
	bawn_json_set(doc, "origin", bawn_json_text_or_null(r->origin[0] != '\0' ? r->origin : NULL), &ok);
	bawn_json_set(doc, "vkey", bawn_json_text_or_null(r->vkey[0] != '\0' ? r->vkey : NULL), &ok);
	bawn_json_set(doc, "pin", bawn_json_text_or_null(r->pin[0] != '\0' ? r->pin : NULL), &ok);
	bawn_json_set(doc, "root", json_string(r->root), &ok);
	bawn_json_set(doc, "tiles", bawn_json_text_or_null(r->tiles[0] != '\0' ? r->tiles : NULL), &ok);
	bawn_json_set(doc, "anchor", json_string(anchor), &ok);
	bawn_json_set(doc, "witnessed", json_integer((json_int_t)r->witnessed), &ok);
	bawn_json_set(doc, "anchor_says", json_string(anchors[anchor_row(anchor)].sentence), &ok);
	bawn_json_set(doc, "dir", bawn_json_text(bawn_span(dir)), &ok);
	if (ok)
		return doc;
	json_decref(doc);
	return NULL;
}

static void put_verdict(struct bawn_buf *out, const struct bawn_audit_report *r)
{
	size_t row = anchor_row(r->anchor);
	if (!r->ok) {
		bawn_buf_str(out, "NOT GOOD: ");
		bawn_buf_escaped(out, bawn_span(r->problem));
		bawn_buf_fmt(out, "\nfirst bad entry: %" PRIu64 "; %" PRIu64 " entries %s\n", r->first_bad_seq, r->verified_to,
		             r->missing_bodies > 0 ? "verify" : "before it verify");
		if (r->missing_bodies > 1)
			bawn_buf_fmt(out, "%" PRIu64 " bodies are missing in all\n", r->missing_bodies);
		return;
	}
	bawn_buf_fmt(out, "good: %" PRIu64 " entries in %" PRIu64 " segments verify, head %s\n", r->entries - r->verified_from, r->segments, r->head_hash);
	if (r->verified_from > 0)
		bawn_buf_fmt(out, "those before entry %" PRIu64 " were pruned; verified from there\n", r->verified_from);
	bawn_buf_fmt(out, "%" PRIu64 " signatures, key epoch %" PRIu64 "; pin this key elsewhere: %s\n", r->signatures, r->epoch, r->pin);
	if (r->tiles[0] != '\0' && strcmp(r->tiles, "good") != 0)
		bawn_buf_fmt(out, "tiles: %s; remove tile and checkpoint, and they are made anew\n", r->tiles);
	if (r->bodies > 0)
		bawn_buf_fmt(out, "%" PRIu64 " bodies of code and output are what their names say\n", r->bodies);
	if (r->stray_bodies > 0)
		bawn_buf_fmt(out, "%" PRIu64 " files in blob are not what their names say; no entry cites them\n", r->stray_bodies);
	bawn_buf_fmt(out, "anchor %s: %s\n", anchors[row].anchor, anchors[row].sentence);
	if (r->witnessed > 0)
		bawn_buf_fmt(out, "its witness has seen %" PRIu64 " of the entries\n", r->witnessed);
	if (r->previous > 0)
		bawn_buf_fmt(out, "it was begun anew: its witness remembered another log, of %" PRIu64 " entries, in its place\n", r->previous);
	if (r->torn_bytes > 0)
		bawn_buf_fmt(out, "%" PRIu64 " bytes after the last entry were never acknowledged\n", r->torn_bytes);
}

struct verify_opts { const char *key, *bundle, *witness, *jobs; };

static const struct bawn_opt verify_rows[] = {
	BAWN_CLI_OPT(struct verify_opts, 0, "key", TEXT, key, "VKEY", NULL, "a verifier key known from elsewhere, or a file with it: the log must be signed by it"),
	BAWN_CLI_OPT(struct verify_opts, 0, "bundle", TEXT, bundle, "FILE", NULL, "check what 'audit export --bundle' wrote instead of a log"),
	BAWN_CLI_OPT(struct verify_opts, 0, "witness", TEXT, witness, "F", NULL, "a witness's directory or file, or a checkpoint kept elsewhere: the log must hold what it has seen"),
	BAWN_CLI_OPT(struct verify_opts, 'j', "jobs", TEXT, jobs, "N", NULL, "share the work between N threads, at most 64; else as many as there are CPUs"),
};

/* A key as it is written, or the file that holds it. */
static int read_key(const char *given, struct bawn_buf *out, struct bawn_err *err)
{
	if (given == NULL)
		return 0;
	if (strchr(given, '+') != NULL && access(given, F_OK) < 0)
		bawn_buf_str(out, given);
	else if (bawn_read_file(AT_FDCWD, given, out, err) < 0)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "key", "'%s' is no verifier key and no file", given);
	while (out->n > 0 && out->p[out->n - 1] == '\n')
		out->p[--out->n] = '\0';
	return bawn_buf_error(out);
}

static json_t *bundle_json(const struct bawn_bundle_report *r, const char *file)
{
	bool ok = true;
	json_t *doc = json_object();
	bawn_json_set(doc, "ok", json_boolean(r->ok), &ok);
	bawn_json_set(doc, "problem", r->ok ? json_null() : bawn_json_text(bawn_span(r->problem)), &ok);
	bawn_json_set(doc, "exec", bawn_json_text(bawn_span(r->exec)), &ok);
	bawn_json_set(doc, "entries", json_integer((json_int_t)r->entries), &ok);
	bawn_json_set(doc, "code_sha256", bawn_json_text_or_null(r->code_sha256[0] != '\0' ? r->code_sha256 : NULL), &ok);
	bawn_json_set(doc, "code", json_boolean(r->code), &ok);
	bawn_json_set(doc, "output", json_integer((json_int_t)r->output), &ok);
	bawn_json_set(doc, "log_size", json_integer((json_int_t)r->size), &ok);
	bawn_json_set(doc, "origin", bawn_json_text_or_null(r->origin[0] != '\0' ? r->origin : NULL), &ok);
	bawn_json_set(doc, "vkey", bawn_json_text_or_null(r->vkey[0] != '\0' ? r->vkey : NULL), &ok);
	bawn_json_set(doc, "key_known", json_boolean(r->known), &ok);
	bawn_json_set(doc, "file", bawn_json_text(bawn_span(file)), &ok);
	if (ok)
		return doc;
	json_decref(doc);
	return NULL;
}

static void put_bundle(struct bawn_buf *out, const struct bawn_bundle_report *r)
{
	if (!r->ok) {
		bawn_buf_str(out, "NOT GOOD: ");
		bawn_buf_escaped(out, bawn_span(r->problem));
		bawn_buf_char(out, '\n');
		return;
	}
	bawn_buf_fmt(out, "good: %" PRIu64 " entries of execution ", r->entries);
	bawn_buf_escaped(out, bawn_span(r->exec));
	bawn_buf_fmt(out, " are in the log %s when it had %" PRIu64 "\n", r->origin, r->size);
	bawn_buf_fmt(out, "code %s: %s\n", r->code_sha256[0] != '\0' ? r->code_sha256 : "unknown", r->code ? "in the bundle, and it is that" : "not in the bundle");
	if (r->output > 0)
		bawn_buf_fmt(out, "%" PRIu64 " bodies of output are in the bundle, and are those\n", r->output);
	bawn_buf_fmt(out, r->known ? "signed by the key you gave, or by one it vouches for\n"
	                           : "signed by the key it brings along, which anybody could have made; compare it with the log's own: %s\n", r->vkey);
}

static int verify_bundle(struct bawn_cli *c, const char *file, const char *key)
{
	struct bawn_err err = { 0 };
	struct bawn_bundle_report r = { 0 };
	bawn_auto_buf text = BAWN_BUF(512u << 20);
	if (bawn_cli_read_file(file, &text, &err) < 0 || bawn_audit_bundle_verify(bawn_buf_span(&text), key, &r, &err) < 0)
		return bawn_cli_fail(c, &err) == BAWN_EXIT_USAGE ? BAWN_EXIT_USAGE : BAWN_EXIT_CANNOT;
	int code = !r.ok ? BAWN_EXIT_FOUND : r.known ? BAWN_EXIT_OK : BAWN_EXIT_INTEGRITY;
	if (c->common.json) {
		bawn_auto_json doc = bundle_json(&r, file);
		return bawn_cli_print_json(doc, code);
	}
	bawn_auto_buf out = BAWN_BUF(4096);
	put_bundle(&out, &r);
	return bawn_cli_print(&out, code);
}

/* Of the log of this state directory; a copy somewhere else has none of its own. */
static bool own_witness(const struct bawn_cli *c, char *out, size_t size, bool *out_own)
{
	struct bawn_dirs dirs;
	struct bawn_options o = bawn_cli_options(c);
	if (bawn_dirs_find(&o, &dirs, NULL) < 0)
		return false;
	(void)bawn_log_witness(&dirs, out, size);
	*out_own = strcmp(out, dirs.witness) == 0;
	return true;
}

static void tell_alert(struct bawn_cli *c, const struct bawn_audit_report *r)
{
	char said[200] = "";
	if (bawn_cli_open(c, NULL) == 0)
		bawn_alert_integrity(c->bawn, r, said, sizeof said);
	if (said[0] != '\0')
		bawn_cli_say("%s", said);
}

static int run_verify(struct bawn_cli *c, const void *opts, int n, char **word)
{
	const struct verify_opts *o = opts;
	if (o->bundle != NULL && n > 0)
		return bawn_cli_usage(c, "'%s' is one word too many: --bundle needs no log", word[0]);
	struct bawn_err err = { 0 };
	size_t jobs;
	if (bawn_cli_jobs(o->jobs, &jobs, &err) < 0)
		return bawn_cli_usage(c, "option -j: %s", err.msg);
	struct bawn_audit_report r = { 0 };
	bawn_auto_buf key = BAWN_BUF(1024);
	char dir[1024];
	int failed = read_key(o->key, &key, &err);
	if (failed == 0 && o->bundle != NULL)
		return verify_bundle(c, o->bundle, o->key != NULL ? key.p : NULL);
	struct bawn_cli_bar bar = bawn_cli_bar_begin(c, "entries verified");
	struct bawn_audit_verify_options v = { .key = o->key != NULL ? key.p : NULL, .witness = o->witness, .copy = n > 0, .jobs = (unsigned)jobs,
		.progress = { bawn_cli_bar_tick, &bar } };
	char witness[544];
	if (failed == 0 && n == 0 && o->witness == NULL && own_witness(c, witness, sizeof witness, &v.witness_own)) {
		v.witness = witness;
		v.witness_may = true;
	}
	if (failed == 0)
		failed = bawn_cli_log_dir(c, n > 0 ? word[0] : NULL, dir, sizeof dir, &err);
	if (failed == 0)
		failed = bawn_audit_verify(dir, &v, &r, &err);
	bawn_cli_bar_clear(&bar);
	if (failed < 0)
		return bawn_cli_fail(c, &err) == BAWN_EXIT_USAGE ? BAWN_EXIT_USAGE : BAWN_EXIT_CANNOT;
	if (n == 0 && !r.absent)  /* an alert is a record: it would begin another log in its place */
		tell_alert(c, &r);
	int code = !r.ok ? BAWN_EXIT_FOUND : anchors[anchor_row(r.anchor)].independent ? BAWN_EXIT_OK : BAWN_EXIT_INTEGRITY;
	if (c->common.json) {
		bawn_auto_json doc = verify_json(&r, dir);
		return bawn_cli_print_json(doc, code);
	}
	bawn_auto_buf out = BAWN_BUF(4096);
	put_verdict(&out, &r);
	return bawn_cli_print(&out, code);
}

/* ---- proof, rotate-key ---- */

static int run_proof(struct bawn_cli *c, const void *opts, int n, char **word)
{
	struct bawn_err err = { 0 };
	bawn_auto_buf proof = BAWN_BUF(1u << 16);
	uint64_t seq = 0;
	char dir[1024];
	(void)opts;
	if (bawn_parse_u64(bawn_span(word[0]), 0, INT64_MAX, &seq, NULL) < 0)
		(void)bawn_fail_as(&err, BAWN_ERROR_INVALID_REQUEST, "SEQ", "'%s' is not the number of an entry", word[0]);
	if (err.code < 0 || bawn_cli_log_dir(c, n > 1 ? word[1] : NULL, dir, sizeof dir, &err) < 0 || bawn_audit_proof(dir, seq, &proof, &err) < 0)
		return bawn_cli_fail(c, &err);
	if (!c->common.json)
		return bawn_cli_print(&proof, BAWN_EXIT_OK);
	bawn_auto_json doc = json_pack("{s:I, s:s}", "seq", (json_int_t)seq, "proof", proof.p);
	return bawn_cli_print_json(doc, BAWN_EXIT_OK);
}

static int run_rotate(struct bawn_cli *c, const void *opts, int n, char **word)
{
	struct bawn_err err = { 0 };
	struct bawn_receipt receipt = { 0 };
	struct bawn_cli_log at = { 0 };
	(void)opts, (void)n, (void)word;
	bawn_auto_json who = bawn_principal_json("cli");
	if (who == NULL)
		(void)bawn_fail(&err, -ENOMEM, "rotate the key");
	int r = who == NULL ? err.code : bawn_cli_find_log(c, &at, &err);
	if (r == 0)
		r = bawn_audit_rotate_key(at.dirs.audit, &at.options, who, &receipt, &err);
	bawn_cli_log_done(&at);
	if (r < 0)
		return bawn_cli_fail(c, &err);
	if (c->common.json) {
		bawn_auto_json doc = json_pack("{s:I, s:s}", "seq", (json_int_t)receipt.seq, "hash", receipt.hash);
		return bawn_cli_print_json(doc, BAWN_EXIT_OK);
	}
	bawn_auto_buf out = BAWN_BUF(4096);
	bawn_buf_fmt(&out, "entry %" PRIu64 " names the new key; the old private key is gone\n", receipt.seq);
	return bawn_cli_print(&out, BAWN_EXIT_OK);
}

/* ---- list ---- */

struct list_opts { struct bawn_cli_pick pick; uint64_t limit; };

static const struct bawn_opt list_rows[] = {
	BAWN_CLI_PICK_ROWS(struct list_opts, pick),
	BAWN_CLI_OPT(struct list_opts, 'n', "limit", NUMBER, limit, "N", NULL, "at most N (50)"),
};

struct listing { const struct list_opts *o; json_t *list; uint64_t limit; };

static int list_entry(void *ctx, const struct bawn_entry *e)
{
	struct listing *l = ctx;
	bool ok = true;
	if (e == NULL) {
		(void)json_array_clear(l->list);
		return 0;
	}
	if (!bawn_cli_picked(&l->o->pick, e))
		return 0;
	bawn_json_push(l->list, json_incref(e->json), &ok);
	return !ok ? -ENOMEM : json_array_size(l->list) >= l->limit;
}

static int answer(const struct bawn_cli *c, const json_t *list, bool full)
{
	if (c->common.json)
		return bawn_cli_print_json(list, BAWN_EXIT_OK);
	bawn_auto_buf out = BAWN_BUF(64u << 20);
	bawn_cli_put_entries(&out, list, full);
	return bawn_cli_print(&out, BAWN_EXIT_OK);
}

static int run_list(struct bawn_cli *c, const void *opts, int n, char **word)
{
	const struct list_opts *o = opts;
	struct bawn_err err = { 0 };
	char dir[1024];
	bawn_auto_json list = json_array();
	struct listing l = { .o = o, .list = list, .limit = o->limit > 0 ? o->limit : 50 };
	(void)n, (void)word;
	if (bawn_cli_log_dir(c, NULL, dir, sizeof dir, &err) < 0)
		return bawn_cli_fail(c, &err);
	const struct bawn_find find = bawn_cli_find_of(&o->pick);
	int r = bawn_cli_find(c, dir, &find, list_entry, &l, &err);
	if (r < 0 && r != -ENOENT)
		return bawn_cli_fail(c, &err);
	if (json_array_size(list) == 0 && !c->common.json)
		bawn_cli_say("there is no entry yet, or none that matches");
	return answer(c, list, c->common.verbose);
}

/* ---- show ---- */

struct show_opts { struct bawn_cli_pick pick; bool diff; };

static const struct bawn_opt show_rows[] = {
	BAWN_CLI_OPT(struct show_opts, 0, "diff", FLAG, diff, NULL, NULL, "what changed in the code since the version before it"),
	BAWN_CLI_PICK_ROWS(struct show_opts, pick),
};

struct finding { const struct bawn_cli_pick *pick; uint64_t seq; json_t *list; };

static int that_one(void *ctx, const struct bawn_entry *e)
{
	struct finding *f = ctx;
	bool ok = true;
	if (e == NULL) {
		(void)json_array_clear(f->list);
		return 0;
	}
	if (e->seq == f->seq && bawn_cli_picked(f->pick, e))
		bawn_json_push(f->list, json_incref(e->json), &ok);
	return ok ? 1 : -ENOMEM;
}

static int run_show(struct bawn_cli *c, const void *opts, int n, char **word)
{
	const struct show_opts *o = opts;
	struct bawn_err err = { 0 };
	char dir[1024];
	uint64_t seq = 0;
	bawn_auto_json list = NULL;
	(void)n;
	int r = bawn_cli_log_dir(c, NULL, dir, sizeof dir, &err);
	bool number = bawn_parse_u64(bawn_span(word[0]), 0, UINT64_MAX, &seq, NULL) == 0;
	if (r == 0 && number) {
		list = json_array();
		struct finding f = { .pick = &o->pick, .seq = seq, .list = list };
		r = bawn_cli_find(c, dir, &(struct bawn_find){ .one = true, .seq = seq }, that_one, &f, &err);
	} else if (r == 0) {
		r = bawn_cli_entries_of(c, dir, word[0], &o->pick, &list, &err);
	}
	if (r >= 0 && json_array_size(list) == 0)
		r = bawn_fail_as(&err, BAWN_ERROR_NOT_FOUND, NULL, "no entry '%s' in the log, or none that matches", word[0]);
	if (r < 0)
		return bawn_cli_fail(c, &err);
	if (o->diff)
		return bawn_cli_show_diff(c, dir, list);
	if (c->common.json && number)
		return bawn_cli_print_json(json_array_get(list, 0), BAWN_EXIT_OK);
	return answer(c, list, true);
}

/* ---- report ---- */

struct report_opts { uint64_t since, until; };

static const struct bawn_opt report_rows[] = {
	BAWN_CLI_OPT(struct report_opts, 0, "since", WHEN, since, "WHEN", NULL, "a date, a time (UTC), or how long ago: 2h, 7d"),
	BAWN_CLI_OPT(struct report_opts, 0, "until", WHEN, until, "WHEN", NULL, "likewise"),
};

static void put_report(struct bawn_buf *out, const json_t *doc, bool colour)
{
	static const struct bawn_cli_field field[] = {
		{ "from", "from", BAWN_CLI_TEXT }, { "to", "to", BAWN_CLI_TEXT }, { "generated", "generated_at", BAWN_CLI_TEXT },
		{ "entries", "total", BAWN_CLI_TEXT }, { "by type", "by_type", BAWN_CLI_COUNTS }, { "by level", "by_level", BAWN_CLI_COUNTS },
		{ "by status", "by_status", BAWN_CLI_COUNTS }, { "violations", "violations", BAWN_CLI_TEXT },
		{ "integrity", "integrity", BAWN_CLI_COUNTS },
	};
	static const struct bawn_cli_field rule[] = { { "COUNT", "count", BAWN_CLI_TEXT }, { "RULE", "rule", BAWN_CLI_TEXT } };
	bawn_cli_fields(out, doc, field, BAWN_LEN(field), colour);
	if (json_array_size(bawn_cli_at(doc, "top_rules")) > 0) {
		bawn_buf_str(out, "\nrules most often met:\n");
		bawn_cli_table(out, bawn_cli_at(doc, "top_rules"), rule, BAWN_LEN(rule), colour);
	}
	size_t i;
	json_t *o;
	json_array_foreach(bawn_cli_at(doc, "overrides"), i, o) {
		bawn_buf_str(out, i == 0 ? "\noverrides:\n  " : "  ");
		bawn_cli_cell(out, o, BAWN_CLI_COUNTS);
		bawn_buf_char(out, '\n');
	}
}

static int run_report(struct bawn_cli *c, const void *opts, int n, char **word)
{
	const struct report_opts *o = opts;
	struct bawn_err err = { 0 };
	struct bawn_result *result = NULL;
	bawn_auto_json doc = NULL;
	(void)n, (void)word;
	if (bawn_cli_open(c, &err) < 0 || bawn_get_audit_report(c->bawn, o->since, o->until, &result, &err) < 0 ||
	    bawn_cli_take(result, &doc, &err) < 0)
		return bawn_cli_fail(c, &err);
	if (c->common.json)
		return bawn_cli_print_json(doc, BAWN_EXIT_OK);
	bawn_auto_buf out = BAWN_BUF(16u << 20);
	put_report(&out, doc, c->colour_out);
	return bawn_cli_print(&out, BAWN_EXIT_OK);
}

const struct bawn_cli_command bawn_cmd_audit_verify = {
	.group = "audit", .name = "verify", .synopsis = "[--key VKEY] [--witness F] [DIR | --bundle FILE]",
	.summary = "check every byte of the log, here or in a copy",
	.about = "Reads the whole log and checks each entry, its place in chain and tree, every signature, the head\n"
	         "and the bodies of code and output that are kept.  DIR is a copy of the state directory or of its audit directory; nothing is written.  Without\n"
	         "--key the log is believed when it names its own first key; with a key that was written down\n"
	         "elsewhere (the file vkey), a log made by somebody else is noticed too.  With --bundle: checks what\n"
	         "'bawn audit export --bundle' wrote, alone; only with --key is it known whose log it is from.\n"
	         "\n"
	         "A witness remembers how far the log was, so that one cut, put back to an older copy or grown from\n"
	         "another past is noticed.  The log of this state directory is held against its own witness; with DIR\n"
	         "only --witness is: the witness's directory, a file of it, or a copy of the log's file 'checkpoint'.\n"
	         "\n"
	         "Exit status: 0 whole, and something independent vouches for it; 1 changed, cut or damaged; 3 whole,\n"
	         "but nothing independent vouches for it; 125 the log cannot be read.  Of a bundle: 0 good and by the\n"
	         "key given, 3 good but no key was given.",
	.example = "bawn audit verify\nbawn audit verify --key vkey.txt --witness checkpoint.txt /mnt/evidence/bawn\nbawn audit verify --key vkey.txt --bundle evidence.json",
	.opts = BAWN_CLI_OPTS(verify_rows), .opts_size = sizeof(struct verify_opts), .least = 0, .most = 1, .run = run_verify,
};
const struct bawn_cli_command bawn_cmd_audit_proof = {
	.group = "audit", .name = "proof", .synopsis = "SEQ [DIR]",
	.summary = "a proof that an entry is in the signed log",
	.about = "Prints a C2SP tlog-proof: whoever has the log's verifier key and the entry's hash can check with it,\n"
	         "without the log and without bawn, that the entry is part of what was signed.",
	.example = "bawn audit proof 17 > entry-17.tlog-proof",
	.least = 1, .most = 2, .run = run_proof,
};
const struct bawn_cli_command bawn_cmd_audit_rotate = {
	.group = "audit", .name = "rotate-key", .synopsis = "",
	.summary = "sign with a new key from here on",
	.about = "Makes a new signing key, records it in the log under the old one's signature, and destroys the old\n"
	         "private key: who takes the new one can still not change what was signed before.",
	.example = "bawn audit rotate-key",
	.run = run_rotate,
};
const struct bawn_cli_command bawn_cmd_audit_list = {
	.group = "audit", .name = "list", .synopsis = "[options]",
	.summary = "entries of the log, newest first",
	.about = "Lists entries, newest first; -v shows their members.  What is asked for must all be met; level and\n"
	         "labels are those that an entry itself carries.",
	.example = "bawn audit list --type exec --since 2h\nbawn audit list --label name=report --level HIGH",
	.opts = BAWN_CLI_OPTS(list_rows), .opts_size = sizeof(struct list_opts), .run = run_list,
};
const struct bawn_cli_command bawn_cmd_audit_show = {
	.group = "audit", .name = "show", .synopsis = "[options] SEQ | ID",
	.summary = "one entry, or all entries of one execution",
	.about = "Shows the entry with this number, or every entry of the execution with this id (or of those, the\n"
	         "ones that the options choose).  With --diff: what changed in its code since the version before it,\n"
	         "as a unified diff.  That is the newest code before it that is not the same, of a script with the same\n"
	         "label 'name'; where it has none, of the same session; where it has none, of the same path.",
	.example = "bawn audit show 17\nbawn audit show 01KXQ --type limit\nbawn audit show --diff 01KXQ",
	.opts = BAWN_CLI_OPTS(show_rows), .opts_size = sizeof(struct show_opts),
	.least = 1, .most = 1, .run = run_show,
};
const struct bawn_cli_command bawn_cmd_audit_report = {
	.group = "audit", .name = "report", .synopsis = "[options]",
	.summary = "what happened in a time: counts, violations, overrides",
	.about = "Sums up the log over a time, with the overrides in full and whether the log verifies.",
	.example = "bawn audit report --since 30d",
	.opts = BAWN_CLI_OPTS(report_rows), .opts_size = sizeof(struct report_opts), .run = run_report,
};
