/* bundle.c - one execution as evidence: a bundle as it was exported is accepted, and refused when any byte of it, or
 * what stands in it, was changed. */
#include "world.h"
#include "audit/keys.h"
#include "audit/proof.h"

static const char code[] = "print(6 * 7)  # \xc3\xa9\n";

static bool put_exec(struct bawn_audit *a, const char *exec, enum bawn_record_type type, const char *sha256)
{
	bawn_auto_json body = json_pack("{s:s, s:s, s:s}", "code_sha256", sha256, "text", "\"}\n,\"hash\":\" \\ \xc3\xa9", "note", "E2 is mentioned");
	return bawn_audit_put(a, &(struct bawn_record){ .type = type, .exec = exec, .body = body }, NULL, NULL) == 0;
}

/* A log with executions E1 and E2, side by side; the key changes `turns` times between their entries. */
static bool make_log(struct world *w, int turns, bool sign_every)
{
	char sha[BAWN_SHA256_HEX], other[BAWN_SHA256_HEX];
	bool good = true;
	for (int i = 0; good && i <= turns; i++) {
		struct bawn_audit_options o = { .node = "n1", .sign_every = sign_every };
		struct bawn_audit *a = NULL;
		good = bawn_audit_open(w->dir, &o, &a, NULL) == 0 && bawn_audit_blob_put(w->dir, bawn_span(code), sha, NULL) == 0 &&
		       bawn_audit_blob_put(w->dir, bawn_span("other"), other, NULL) == 0 &&
		       put_exec(a, "E1", BAWN_RECORD_EXEC_INTENT, sha) && put_exec(a, "E2", BAWN_RECORD_EXEC_INTENT, other) &&
		       put_exec(a, "E1", BAWN_RECORD_EXEC_OUTCOME, sha) && put_exec(a, "E2", BAWN_RECORD_EXEC_OUTCOME, other);
		close_log(a);
		if (good && i < turns)
			good = bawn_audit_rotate_key(w->dir, NULL, NULL, NULL, NULL) == 0;
	}
	return good;
}

static struct bawn_buf bundle(struct world *w, const char *exec)
{
	struct bawn_buf b = BAWN_BUF(4u << 20);
	struct bawn_err err = { 0 };
	if (bawn_audit_bundle(w->dir, exec, &b, &err) < 0)
		diag("bundle: %s", err.msg);
	return b;
}

static struct bawn_bundle_report check(struct bawn_span text, const char *key)
{
	struct bawn_bundle_report r = { .problem = "could not be read" };
	struct bawn_err err = { 0 };
	if (bawn_audit_bundle_verify(text, key, &r, &err) < 0)
		snprintf(r.problem, sizeof r.problem, "error: %.150s", err.msg);
	return r;
}

static void key_of(struct world *w, const char *path, char out[static BAWN_VKEY_MAX])
{
	bawn_auto_buf b = get(w, path);
	snprintf(out, BAWN_VKEY_MAX, "%.*s", b.n > 0 ? (int)b.n - 1 : 0, b.p);
}

static void accepted(void)
{
	for (int turns = 0; turns <= 2; turns++) {
		for (int every = 0; every <= 1; every++) {
			auto_world w = world_make(), other = world_make();
			char first[BAWN_VKEY_MAX], last[BAWN_VKEY_MAX], foreign[BAWN_VKEY_MAX], name[40], sha[BAWN_SHA256_HEX];
			ok(make_log(&w, turns, every) && make_log(&other, 0, false), "two logs, the first with %d changes of key", turns);
			snprintf(name, sizeof name, "a/keys/epoch-%d.vkey", turns);
			key_of(&w, "a/vkey", first);
			key_of(&w, name, last);
			key_of(&other, "a/vkey", foreign);
			bawn_auto_buf b = bundle(&w, "E1");
			struct bawn_bundle_report r = check(bawn_buf_span(&b), NULL);
			bawn_sha256_hex(bawn_span(code), sha);
			ok(r.ok && r.entries == 2u * (unsigned)(turns + 1) && r.code && !r.known && strcmp(r.exec, "E1") == 0 && strcmp(r.vkey, first) == 0 &&
			   strcmp(r.code_sha256, sha) == 0, "a bundle is good: %s", r.problem);
			ok(check(bawn_buf_span(&b), first).ok && check(bawn_buf_span(&b), first).known, "with the key of epoch 0: known");
			ok(check(bawn_buf_span(&b), last).ok && check(bawn_buf_span(&b), last).known, "with the last key too");
			ok(!check(bawn_buf_span(&b), foreign).ok, "with the key of another log: refused");
			struct bawn_err err = { 0 };
			ok(bawn_audit_bundle_verify(bawn_buf_span(&b), "no key", &r, &err) < 0 && err.type == BAWN_ERROR_INVALID_REQUEST, "what is no key is an error");
			bawn_auto_buf none = BAWN_BUF(1u << 20);
			ok(bawn_audit_bundle(w.dir, "E", &none, &err) < 0 && err.type == BAWN_ERROR_NOT_FOUND, "there is no bundle of an execution that is not there");
		}
	}
	/* The last entry names a key that has signed nothing yet. */
	auto_world w = world_make();
	ok(make_log(&w, 1, false) && bawn_audit_rotate_key(w.dir, NULL, NULL, NULL, NULL) == 0, "a log that ends with a change of key");
	bawn_auto_buf b = bundle(&w, "E2");
	ok(check(bawn_buf_span(&b), NULL).ok, "its bundle is good");
}

/* A log whose beginning was taken away, with and without a change of keys before the cut and after it. */
static void pruned(void)
{
	for (int before = 0; before <= 2; before++)
		for (int after = 0; after <= 1; after++) {
			auto_world w = world_make();
			char export[120], first[BAWN_VKEY_MAX], at_cut[BAWN_VKEY_MAX], last[BAWN_VKEY_MAX], name[40];
			snprintf(export, sizeof export, "%s/export", w.tmp.path);
			const struct bawn_audit_options o = { .node = "n1", .max_segment_bytes = 1 };
			struct bawn_pruned p = { 0 };
			struct bawn_err err = { 0 };
			bool good = make_log(&w, before, false) && fill_log(w.dir, 4, 1) && bawn_audit_prune(w.dir, &o,
				&(struct bawn_prune){ .before_us = UINT64_MAX, .export_path = export }, &p, &err) == 0 && p.cut > 0;
			ok(good, "a log pruned in epoch %d: %s", before, err.msg);
			bawn_auto_buf gone = BAWN_BUF(4u << 20);
			ok(bawn_audit_bundle(w.dir, "E1", &gone, &err) < 0 && err.type == BAWN_ERROR_NOT_FOUND, "of what was pruned there is no bundle: %s", err.msg);
			good = after == 0 || bawn_audit_rotate_key(w.dir, NULL, NULL, NULL, NULL) == 0;
			ok(good && make_log(&w, 0, false), "it goes on%s", after ? " with another key" : "");
			bawn_auto_buf b = bundle(&w, "E1");
			struct bawn_bundle_report r = check(bawn_buf_span(&b), NULL);
			snprintf(name, sizeof name, "a/keys/epoch-%d.vkey", before);
			key_of(&w, name, at_cut);
			snprintf(name, sizeof name, "a/keys/epoch-%d.vkey", before + after);
			key_of(&w, name, last);
			key_of(&w, "a/vkey", first);
			ok(r.ok && r.entries == 2 && r.code && strcmp(r.vkey, at_cut) == 0, "its bundle is good: %s", r.problem);
			ok(check(bawn_buf_span(&b), at_cut).known && check(bawn_buf_span(&b), last).known, "with the key at the cut, or the last one: known");
			ok(check(bawn_buf_span(&b), first).ok == (before == 0), "with that of epoch 0 only where it leads on from it");
			size_t missed = 0;
			for (size_t i = 0; i < b.n; i += before == 1 ? 1 : 17) {
				b.p[i] ^= 0x01;
				missed += check(bawn_buf_span(&b), NULL).ok;
				b.p[i] ^= 0x01;
			}
			ok(missed == 0 && b.n > 1000, "%s of its %zu bytes counts (%zu missed)", before == 1 ? "each" : "every 17th", b.n, missed);
		}
}

static void without_code(void)
{
	auto_world w = world_make();
	char sha[BAWN_SHA256_HEX], path[100];
	ok(make_log(&w, 0, false), "a log");
	bawn_sha256_hex(bawn_span(code), sha);
	snprintf(path, sizeof path, "a/blob/%.2s/%s", sha, sha);
	ok(unlinkat(w.tmp.fd, path, 0) == 0, "the code is not kept");
	bawn_auto_buf b = bundle(&w, "E1");
	struct bawn_bundle_report r = check(bawn_buf_span(&b), NULL);
	ok(r.ok && !r.code && strcmp(r.code_sha256, sha) == 0, "the bundle is good, has no code, and says which it was");
	set(&w, path, "other", 5);
	bawn_auto_buf none = BAWN_BUF(1u << 20);
	struct bawn_err err = { 0 };
	ok(bawn_audit_bundle(w.dir, "E1", &none, &err) < 0 && err.type == BAWN_ERROR_AUDIT_TAMPERED, "code that was changed is not exported");
}

/* Where an entry says that the code is kept, a bundle without it is not whole, and none is made. */
static void with_kept_code(void)
{
	auto_world w = world_make();
	char sha[BAWN_SHA256_HEX] = "", path[100];
	struct bawn_err err = { 0 };
	struct bawn_audit *a = open_log(w.dir, 0, NULL);
	bool good = a != NULL && bawn_audit_blob_put(w.dir, bawn_span(code), sha, NULL) == 0;
	bawn_auto_json body = json_pack("{s:s, s:s, s:b}", "request_sha256", sha, "code_sha256", sha, "code_kept", 1);
	good = good && bawn_audit_put(a, &(struct bawn_record){ .type = BAWN_RECORD_EXEC_INTENT, .exec = "E1", .body = body }, NULL, NULL) == 0 &&
	       put_exec(a, "E1", BAWN_RECORD_EXEC_OUTCOME, sha);
	close_log(a);
	bawn_auto_buf b = bundle(&w, "E1"), cut = BAWN_BUF(4u << 20), none = BAWN_BUF(1u << 20);
	struct bawn_bundle_report r = check(bawn_buf_span(&b), NULL);
	ok(good && r.ok && r.code, "a bundle of an execution whose code is kept has it %s", r.problem);
	const char *at = memmem(b.p, b.n, ",\"code\":{", 9);
	bawn_buf_add(&cut, b.p, at != NULL ? (size_t)(at - b.p) : 0);
	bawn_buf_add(&cut, ",\"code\":null}\n", 14);
	r = check(bawn_buf_span(&cut), NULL);
	ok(at != NULL && !r.ok && strstr(r.problem, "left out") != NULL, "and is refused without it: %s", r.problem);
	snprintf(path, sizeof path, "a/blob/%.2s/%s", sha, sha);
	good = unlinkat(w.tmp.fd, path, 0) == 0;
	ok(good && bawn_audit_bundle(w.dir, "E1", &none, &err) < 0 && err.type == BAWN_ERROR_AUDIT_TAMPERED && strstr(err.msg, "missing") != NULL,
	   "where it is missing none is made: %s", err.msg);
}

/* The document with what stands from `from` on replaced by `by`. */
static bool refused_with(const struct bawn_buf *b, const char *from, const char *by, const char *why)
{
	const char *at = memmem(b->p, b->n, from, strlen(from));
	bawn_auto_buf other = BAWN_BUF(4u << 20);
	bawn_buf_add(&other, b->p, at != NULL ? (size_t)(at - b->p) : 0);
	bawn_buf_str(&other, by);
	struct bawn_bundle_report r = check(bawn_buf_span(&other), NULL);
	return at != NULL && !r.ok && strstr(r.problem, why) != NULL;
}

/* So it is with output: all that its entries say is kept is in it, in their order, each body once. */
static void with_kept_output(void)
{
	auto_world w = world_make();
	char sha[3][BAWN_SHA256_HEX] = { "", "", "" }, path[100];
	struct bawn_err err = { 0 };
	struct bawn_audit *a = open_log(w.dir, 0, NULL);
	bool good = a != NULL && bawn_audit_blob_put(w.dir, bawn_span("xx"), sha[0], NULL) == 0 && bawn_audit_blob_put(w.dir, bawn_span(""), sha[1], NULL) == 0 &&
	            bawn_audit_blob_put(w.dir, bawn_span(code), sha[2], NULL) == 0;
	for (int i = 0; good && i < 2; i++) {
		bawn_auto_json body = json_pack("{s:s, s:s, s:[s, s]}", "request_sha256", sha[2], "code_sha256", sha[2], "output_kept", sha[0], sha[1]);
		good = bawn_audit_put(a, &(struct bawn_record){ .type = BAWN_RECORD_EXEC_OUTCOME, .exec = "E1", .body = body }, NULL, NULL) == 0;
	}
	close_log(a);
	bawn_auto_buf b = bundle(&w, "E1"), none = BAWN_BUF(1u << 20);
	struct bawn_bundle_report r = check(bawn_buf_span(&b), NULL);
	ok(good && r.ok && r.code && r.output == 2, "a bundle of an execution whose output is kept has it %s", r.problem);
	char one[200], two[200], text[700];
	snprintf(one, sizeof one, "{\"sha256\":\"%s\",\"base64\":\"eHg=\"}", sha[0]);
	snprintf(two, sizeof two, "{\"sha256\":\"%s\",\"base64\":\"\"}", sha[1]);
	snprintf(text, sizeof text, ",\"output\":[%s,%s]}\n", one, two);
	const char *tail = b.n > strlen(text) ? b.p + b.n - strlen(text) : "";
	ok(strcmp(tail, text) == 0, "of each stream, once, behind the code: %s", tail);
	ok(refused_with(&b, ",\"output\":", "}\n", "left out"), "it is refused without");
	snprintf(text, sizeof text, ",\"output\":[%s]}\n", one);
	ok(refused_with(&b, ",\"output\":", text, "left out"), "with one of them");
	snprintf(text, sizeof text, ",\"output\":[%s,%s]}\n", two, one);
	ok(refused_with(&b, ",\"output\":", text, "not the output"), "in another order");
	snprintf(text, sizeof text, ",\"output\":[%s,%s,%s]}\n", one, two, two);
	ok(refused_with(&b, ",\"output\":", text, "left out"), "with one too many");
	size_t passed = 0;
	for (size_t i = 0; i < b.n; i++) {
		b.p[i] ^= 1;
		passed += check(bawn_buf_span(&b), NULL).ok;
		b.p[i] ^= 1;
	}
	ok(passed == 0 && check(bawn_buf_span(&b), NULL).ok, "none of its %zu bytes can be changed", b.n);
	snprintf(path, sizeof path, "a/blob/%.2s/%s", sha[0], sha[0]);
	(void)!fchmodat(w.tmp.fd, path, 0600, 0);
	set(&w, path, "xy", 2);
	ok(bawn_audit_bundle(w.dir, "E1", &none, &err) < 0 && err.type == BAWN_ERROR_AUDIT_TAMPERED, "where one was changed none is made: %s", err.msg);
	good = unlinkat(w.tmp.fd, path, 0) == 0;
	ok(good && bawn_audit_bundle(w.dir, "E1", &none, &err) < 0 && err.type == BAWN_ERROR_AUDIT_TAMPERED && strstr(err.msg, "missing") != NULL,
	   "nor where one is missing: %s", err.msg);

	auto_world old = world_make();
	ok(make_log(&old, 0, false), "a log whose entries say nothing of output");
	bawn_auto_buf plain = bundle(&old, "E1");
	plain.p[plain.n - 2] = '\0';
	snprintf(text, sizeof text, ",\"output\":[%s]}\n", one);
	bawn_auto_buf more = BAWN_BUF(1u << 20);
	bawn_buf_fmt(&more, "%s%s", plain.p, text);
	r = check(bawn_buf_span(&more), NULL);
	ok(!r.ok, "none can be added to its bundle: %s", r.problem);
}

/* Every byte with its lowest bit changed, every fourth also replaced by a letter that base64, hexadecimal and text all have. */
static void each_byte(void)
{
	auto_world w = world_make();
	char vkey[BAWN_VKEY_MAX];
	ok(make_log(&w, 1, false), "a log with a change of key");
	key_of(&w, "a/vkey", vkey);
	bawn_auto_buf b = bundle(&w, "E1");
	ok(check(bawn_buf_span(&b), NULL).ok && check(bawn_buf_span(&b), vkey).ok, "its bundle is good");
	size_t passed = 0;
	for (size_t i = 0; i < b.n; i++) {
		const char was = b.p[i];
		for (int how = 0; how < (i % 4 == 0 ? 2 : 1); how++) {
			b.p[i] = how == 0 ? (char)(was ^ 1) : was == 'a' ? 'b' : 'a';
			if (check(bawn_buf_span(&b), NULL).ok) {
				diag("byte %zu of %zu changed and not noticed: %.20s", i, b.n, b.p + (i > 10 ? i - 10 : 0));
				passed++;
			}
		}
		b.p[i] = was;
	}
	ok(passed == 0, "none of its %zu bytes can be changed", b.n);
	passed = 0;
	for (size_t i = 0; i < b.n; i++)
		passed += check((struct bawn_span){ b.p, i }, NULL).ok;
	ok(passed == 0, "nor can it be cut");
	ok(check(bawn_buf_span(&b), NULL).ok, "as it was it is good");
	bawn_buf_char(&b, '\n');
	ok(!check(bawn_buf_span(&b), NULL).ok, "nor can it be made longer");
}

/* ---- what a forger would do: parts exchanged, all of them well formed ---- */

static json_t *at(json_t *doc, const char *list, size_t i) { return json_array_get(json_object_get(doc, list), i); }
static void copy(json_t *to, const char *member, const json_t *from) { (void)json_object_set(to, member, json_object_get(from, member)); }

static void swap_entries(json_t *d, json_t *other)
{
	(void)other;
	bawn_auto_json first = json_incref(at(d, "entries", 0));
	(void)json_array_remove(json_object_get(d, "entries"), 0);
	(void)json_array_insert(json_object_get(d, "entries"), 1, first);
}
static void repeat_entry(json_t *d, json_t *other) { (void)other; (void)json_array_insert(json_object_get(d, "entries"), 0, at(d, "entries", 0)); }
static void no_entries(json_t *d, json_t *other) { (void)other; (void)json_array_clear(json_object_get(d, "entries")); }
static void no_turn(json_t *d, json_t *other) { (void)other; (void)json_array_remove(json_object_get(d, "keys"), 0); }
static void turn_twice(json_t *d, json_t *other) { (void)other; (void)json_array_append(json_object_get(d, "keys"), at(d, "keys", 0)); }
static void entry_of_other(json_t *d, json_t *other) { (void)json_array_append(json_object_get(d, "entries"), at(other, "entries", 3)); }
static void other_proof(json_t *d, json_t *other) { (void)other; copy(at(d, "entries", 0), "proof", at(d, "entries", 1)); }
static void other_line(json_t *d, json_t *other) { copy(at(d, "entries", 0), "line", at(other, "entries", 0)); }
static void other_exec(json_t *d, json_t *other) { copy(d, "exec", other); }
static void other_code(json_t *d, json_t *other) { copy(d, "code", other); }
static void last_key_only(json_t *d, json_t *other)
{
	(void)other;
	(void)json_array_clear(json_object_get(d, "keys"));
	(void)json_object_set_new(d, "vkey", json_string("x"));
}
static void one_more(json_t *d, json_t *other) { (void)other; (void)json_object_set_new(d, "comment", json_string("signed, honestly")); }
static void another_version(json_t *d, json_t *other) { (void)other; (void)json_object_set_new(d, "v", json_integer(2)); }
static void line_no_text(json_t *d, json_t *other) { (void)other; (void)json_object_set_new(at(d, "entries", 0), "line", json_integer(1)); }
static void entry_no_object(json_t *d, json_t *other) { (void)other; (void)json_array_set_new(json_object_get(d, "entries"), 0, json_null()); }
static void code_no_object(json_t *d, json_t *other) { (void)other; (void)json_object_set_new(d, "code", json_string("x")); }
static void nothing(json_t *d, json_t *other) { (void)d, (void)other; }

static void forged(void)
{
	static const struct { const char *name; void (*change)(json_t *d, json_t *other); bool good; } row[] = {
		{ "read and written again", nothing, true },
		{ "two entries exchanged", swap_entries, false }, { "an entry twice", repeat_entry, false }, { "no entry", no_entries, false },
		{ "a change of key left out", no_turn, false }, { "a change of key twice", turn_twice, false },
		{ "an entry of another execution, well proved", entry_of_other, false },
		{ "the proof of another entry", other_proof, false }, { "the line of another entry", other_line, false },
		{ "the id of another execution", other_exec, false }, { "the code of another execution", other_code, false },
		{ "keys cut short", last_key_only, false }, { "a member more", one_more, false }, { "another version", another_version, false },
		{ "a line that is a number", line_no_text, false }, { "an entry that is null", entry_no_object, false }, { "code that is text", code_no_object, false },
	};
	auto_world w = world_make();
	ok(make_log(&w, 1, false), "a log with a change of key");
	bawn_auto_buf one = bundle(&w, "E1"), two = bundle(&w, "E2");
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		bawn_auto_json d = json_loadb(one.p, one.n, 0, NULL), *other = json_loadb(two.p, two.n, 0, NULL);
		bawn_auto_buf text = BAWN_BUF(4u << 20);
		row[i].change(d, other);
		if (bawn_json_put(&text, d, NULL) < 0)
			diag("cannot write it");
		bawn_buf_char(&text, '\n');
		struct bawn_bundle_report r = check(bawn_buf_span(&text), NULL);
		ok(r.ok == row[i].good, "%s: %s", row[i].name, r.ok ? "good" : r.problem);
	}
	static const char *const not_one[] = { "", "{}", "[]", "null", "{\"v\":1}", "{\"keys\":[1,2,3]}", "\xff" };
	for (size_t i = 0; i < BAWN_LEN(not_one); i++)
		ok(!check(bawn_span(not_one[i]), NULL).ok, "no bundle: %s", not_one[i]);
	/* Made by somebody who has no key of the log: all of it fits, but for the key that is known. */
	auto_world thief = world_make();
	char vkey[BAWN_VKEY_MAX];
	ok(make_log(&thief, 0, false), "a log of somebody else");
	key_of(&w, "a/vkey", vkey);
	bawn_auto_buf theirs = bundle(&thief, "E1");
	ok(check(bawn_buf_span(&theirs), NULL).ok && !check(bawn_buf_span(&theirs), vkey).ok, "its bundle is good in itself, and refused with the known key");
}

/* A proof of the same entry by the same key, from a time when the log was shorter: good, but not of this bundle. */
static void older_proof(void)
{
	auto_world w = world_make();
	ok(make_log(&w, 0, false), "a log");
	bawn_auto_buf then = bundle(&w, "E1");
	ok(make_log(&w, 0, false), "goes on");
	bawn_auto_buf now = bundle(&w, "E1"), text = BAWN_BUF(4u << 20);
	bawn_auto_json d = json_loadb(now.p, now.n, 0, NULL), *other = json_loadb(then.p, then.n, 0, NULL);
	ok(check(bawn_buf_span(&then), NULL).ok && check(bawn_buf_span(&now), NULL).ok, "both bundles are good");
	copy(at(d, "entries", 0), "proof", at(other, "entries", 0));
	ok(bawn_json_put(&text, d, NULL) == 0, "a proof of the older in the newer");
	bawn_buf_char(&text, '\n');
	ok(!check(bawn_buf_span(&text), NULL).ok, "is refused: %s", check(bawn_buf_span(&text), NULL).problem);
}

/* One proof alone, each byte of it. */
static void proofs(void)
{
	static bawn_node leaf[11];
	struct bawn_signer by = { .key.origin = "log", .seed = "seed" }, thief = { .key.origin = "log", .seed = "another" };
	struct bawn_seal seal = { .size = BAWN_LEN(leaf) }, got;
	struct bawn_tree t = { 0 };
	bawn_auto_buf text = BAWN_BUF(1u << 16);
	size_t passed = 0;
	bawn_signer_expand(&by);
	bawn_signer_expand(&thief);
	for (size_t i = 0; i < BAWN_LEN(leaf); i++) {
		leaf[i][0] = (uint8_t)i;
		bawn_tree_add(&t, leaf[i]);
	}
	bawn_tree_root(&t, seal.root);
	bawn_seal_sign(&seal, &by);
	bawn_proof_put(&text, leaf, 6, &seal, &by.key);
	ok(bawn_proof_check(bawn_buf_span(&text), leaf[6], 6, &by.key, &got) == NULL && memcmp(&got, &seal, sizeof got) == 0, "a proof is good");
	ok(bawn_proof_check(bawn_buf_span(&text), leaf[5], 6, &by.key, &got) != NULL, "not for another leaf");
	ok(bawn_proof_check(bawn_buf_span(&text), leaf[6], 5, &by.key, &got) != NULL, "nor another place");
	ok(bawn_proof_check(bawn_buf_span(&text), leaf[6], 6, &thief.key, &got) != NULL, "nor another key");
	for (size_t i = 0; i < text.n; i++)
		for (int bit = 0; bit < 8; bit++) {
			text.p[i] ^= (char)(1 << bit);
			passed += bawn_proof_check(bawn_buf_span(&text), leaf[6], 6, &by.key, &got) == NULL;
			text.p[i] ^= (char)(1 << bit);
		}
	ok(passed == 0, "none of its %zu bits can be changed", 8 * text.n);
	for (size_t n = 0; n < text.n; n++)
		passed += bawn_proof_check((struct bawn_span){ text.p, n }, leaf[6], 6, &by.key, &got) == NULL;
	ok(passed == 0, "nor can it be cut");
}

/* A path is checked as strictly as it is made. */
static void paths(void)
{
	static bawn_node leaf[40];
	size_t wrong = 0, n_checks = 0;
	for (size_t i = 0; i < BAWN_LEN(leaf); i++)
		memset(leaf[i], (int)i + 1, sizeof leaf[i]);
	for (uint64_t n = 1; n <= BAWN_LEN(leaf); n++) {
		struct bawn_tree t = { 0 };
		bawn_node root, path[BAWN_PATH_MAX];
		for (uint64_t i = 0; i < n; i++)
			bawn_tree_add(&t, leaf[i]);
		bawn_tree_root(&t, root);
		for (uint64_t i = 0; i < n; i++, n_checks++) {
			const size_t count = bawn_tree_path(leaf, n, i, path);
			wrong += !bawn_tree_path_good(leaf[i], i, n, path, count, root);
			for (uint64_t j = 0; j <= n; j++)
				wrong += j != i && bawn_tree_path_good(leaf[i], j, n, path, count, root);
			wrong += bawn_tree_path_good(leaf[i], i, n, path, count + 1, root);
			wrong += count > 0 && bawn_tree_path_good(leaf[i], i, n, path, count - 1, root);
			wrong += bawn_tree_path_good(leaf[(i + 1) % BAWN_LEN(leaf)], i, n, path, count, root);
			for (size_t k = 0; k < count; k++) {
				path[k][31] ^= 1;
				wrong += bawn_tree_path_good(leaf[i], i, n, path, count, root);
				path[k][31] ^= 1;
			}
		}
	}
	ok(wrong == 0 && n_checks == 820, "%zu paths lead to their root from their leaf and place alone", n_checks);
}

int main(void)
{
	paths();
	proofs();
	older_proof();
	accepted();
	pruned();
	without_code();
	with_kept_code();
	with_kept_output();
	each_byte();
	forged();
	return done_testing();
}
