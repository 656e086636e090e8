/* bundle.c - one execution as evidence: its entries, its code and output, proofs and keys in one JSON document, and the check of
 * such a document by somebody who has nothing else but, at best, the log's verifier key.
 *
 *	{"v":1,"bundle":"bawn-audit","exec":"…","vkey":"…"[,"from":P],"keys":[P…],"checkpoint":"…","entries":[P…],"code":C[,"output":[B…]]}⏎
 *	P = {"line":"…","proof":"…"}     C = B or null     B = {"sha256":"…","base64":"…"}
 *
 * vkey is the key of epoch 0 or, where the entries that lead on from it were pruned, the one that the log.prune in
 * `from` names for the place of the cut; each of `keys` is a log.key, proved by the key before it, up to the one that signed
 * `checkpoint`; each of `entries` is proved by `checkpoint`.
 *
 * Invariants: (1) what is exported was re-hashed a moment ago and leads to the signed root; (2) a document has one
 * spelling, and every byte of it is bound to a signature: one changed byte anywhere, and it is refused.
 * NOTE: it proves what is in it, not that nothing was left out.
 * An attacker controls: every byte of a document to be checked. */
#include <inttypes.h>
#include <stdio.h>
#include "audit/audit.h"
#include "audit/bodies.h"
#include "audit/entry.h"
#include "audit/proof.h"
#include "audit/prune.h"
#include "audit/trail.h"
#include "base/b64.h"
#include "base/cleanup.h"

#define BUNDLE_MAX (256u << 20)

struct parts { const char *exec, *vkey, *checkpoint; json_t *from, *keys, *entries, *code, *output; };  /* from, output: or NULL */

/* The one spelling. */
static int render(struct bawn_buf *out, const struct parts *p, struct bawn_err *err)
{
	bawn_auto_json doc = json_pack("{s:i, s:s, s:s, s:s, s:O*, s:O, s:s, s:O, s:O, s:O*}", "v", 1, "bundle", "bawn-audit", "exec", p->exec, "vkey", p->vkey,
		"from", p->from, "keys", p->keys, "checkpoint", p->checkpoint, "entries", p->entries,
		"code", p->code, "output", p->output);
	if (doc == NULL)
		return bawn_fail(err, -ENOMEM, "make a bundle");
	int r = bawn_json_put(out, doc, err);
	bawn_buf_char(out, '\n');
	return r == 0 && bawn_buf_error(out) < 0 ? bawn_fail(err, bawn_buf_error(out), "make a bundle") : r;
}

static json_t *proved(struct bawn_span line, struct bawn_span proof)
{
	return json_pack("{s:o, s:o}", "line", bawn_json_text(line), "proof", bawn_json_text(proof));
}

static json_t *body_json(const char *sha256, struct bawn_span bytes)
{
	return json_pack("{s:s, s:o}", "sha256", sha256, "base64", bawn_json_base64(bytes));
}

static const char *text_of(const json_t *j, const char *a, const char *b)
{
	const json_t *v = json_object_get(j, a);
	return json_string_value(b != NULL ? json_object_get(v, b) : v);
}

static struct bawn_span span_of(const json_t *text)
{
	return (struct bawn_span){ json_string_value(text), json_string_length(text) };
}

/* Adds the bodies of output that an entry says are kept, each once, as members of `hashes`. */
static void note_output(json_t *hashes, struct bawn_span body, bool *ok)
{
	const char *hex;
	for (size_t i = 0; *ok && bawn_output_kept(body, i, &hex); i++) {
		char sha256[BAWN_SHA256_HEX];
		(void)snprintf(sha256, sizeof sha256, "%.64s", hex);
		bawn_json_set(hashes, sha256, json_null(), ok);
	}
}

/* ---- making ---- */

struct gather { const char *exec; json_t *turns, *prunes, *lines; char code[BAWN_SHA256_HEX]; bool cut, kept; };  /* newest first; cut: not from the first entry on */

static int take(void *ctx, const struct bawn_line *l, struct bawn_span line, struct bawn_err *err)
{
	struct gather *g = ctx;
	bool ok = true;
	g->cut = l->seq > 0;
	if (l->seq == 0 || bawn_span_is(l->type, "log.key"))
		bawn_json_push(g->turns, bawn_json_text(line), &ok);
	if (bawn_span_is(l->type, "log.prune"))
		bawn_json_push(g->prunes, bawn_json_text(line), &ok);
	if (memmem(line.p, line.n, g->exec, strlen(g->exec)) != NULL) {
		bawn_auto_json j = json_loadb(line.p, line.n, JSON_ALLOW_NUL, NULL);
		const char *exec = text_of(j, "exec", NULL), *code = text_of(j, "body", "code_sha256");
		ok = ok && j != NULL;
		if (exec != NULL && strcmp(exec, g->exec) == 0) {
			bawn_json_push(g->lines, bawn_json_text(line), &ok);
			g->kept = g->kept || bawn_code_kept(l->body) != NULL;
			if (code != NULL)
				(void)snprintf(g->code, sizeof g->code, "%s", code);
		}
	}
	return ok ? 0 : bawn_fail(err, -ENOMEM, "make a bundle");
}

static int prove(json_t *list, const bawn_node *leaf, struct bawn_span line, const struct bawn_seal *seal, const struct bawn_vkey *by,
                 struct bawn_err *err)
{
	struct bawn_line l;
	const char *problem = "";
	bawn_auto_buf proof = BAWN_BUF(1u << 16);
	bool ok = true;
	int r = bawn_line_shape(line, &l, &problem);
	if (r < 0)
		return bawn_fail(err, r, "make a bundle: %s", problem);
	bawn_proof_put(&proof, leaf, l.seq, seal != NULL ? seal : &l.seal, by);
	ok = bawn_buf_error(&proof) == 0;
	bawn_json_push(list, ok ? proved(line, bawn_buf_span(&proof)) : NULL, &ok);
	return ok ? 0 : bawn_fail(err, -ENOMEM, "make a bundle");
}

/* The key of the place where the log was cut, and the log.prune that says so where it is not of epoch 0. */
static int key_at_cut(const struct gather *g, int dirfd, struct bawn_vkey *out, uint64_t *out_epoch, struct bawn_span *out_from, struct bawn_err *err)
{
	bawn_auto_segments segments = { 0 };
	struct bawn_cut cut;
	int r = bawn_segments_list(dirfd, &segments, err);
	if (r == 0)
		r = bawn_cut_find(dirfd, &segments, &cut, err);
	if (r < 0)
		return r;
	*out = cut.key;
	*out_epoch = cut.epoch;
	for (size_t i = 0; cut.epoch > 0 && i < json_array_size(g->prunes); i++) {
		struct bawn_line l;
		const char *problem;
		struct bawn_span line = span_of(json_array_get(g->prunes, i));
		if (bawn_line_shape(line, &l, &problem) == 0 && l.seq == cut.seq)
			*out_from = line;
	}
	return cut.epoch > 0 && out_from->p == NULL ? bawn_fail(err, -EBADMSG, "make a bundle: its log.prune is not acknowledged") : 0;
}

/* The first key of the log. */
static int first_key(const struct gather *g, struct bawn_vkey *out, struct bawn_err *err)
{
	const size_t n = json_array_size(g->turns);
	struct bawn_line l;
	const char *problem = "it is missing";
	int r = n > 0 ? bawn_line_shape(span_of(json_array_get(g->turns, n - 1)), &l, &problem) : -EBADMSG;
	if (r < 0 || (problem = bawn_key_first(l.body, out)) != NULL)
		return bawn_fail_as(err, BAWN_ERROR_AUDIT_TAMPERED, NULL, "entry 0 of the audit log: %s", problem);
	return 0;
}

/* From there over each log.key to the key that signed the head. */
static int prove_keys(const struct gather *g, const struct bawn_leaves *all, struct bawn_vkey key, uint64_t epoch, json_t *keys, struct bawn_err *err)
{
	for (size_t i = json_array_size(g->turns) - !g->cut; !bawn_vkey_equal(&key, &all->sealer) && i-- > 0; epoch++) {
		struct bawn_span line = span_of(json_array_get(g->turns, i));
		struct bawn_vkey next;
		struct bawn_line l;
		const char *problem = "";
		int r = bawn_line_shape(line, &l, &problem);
		if (r == 0 && (problem = bawn_key_next(l.body, epoch, &key, &next)) != NULL)
			r = bawn_fail_as(err, BAWN_ERROR_AUDIT_TAMPERED, NULL, "entry %" PRIu64 " of the audit log: %s", l.seq, problem);
		if (r == 0)
			r = prove(keys, all->leaf, line, NULL, &key, err);
		if (r < 0)
			return r;
		key = next;
	}
	return bawn_vkey_equal(&key, &all->sealer) ? 0 : bawn_fail_as(err, BAWN_ERROR_AUDIT_TAMPERED, NULL, "the log does not name the key that signed its head");
}

/* A body of the log; null where it is not there and nobody said that it is kept. */
static int add_body(const char *dir, const char *sha256, bool kept, json_t **out, struct bawn_err *err)
{
	bawn_auto_buf bytes = BAWN_BUF(BUNDLE_MAX / 2);
	struct bawn_err why = { 0 };
	int r = *sha256 != '\0' ? bawn_audit_blob_get(dir, sha256, &bytes, &why) : 0;
	if (r < 0 && why.type == BAWN_ERROR_NOT_FOUND && kept)
		return bawn_fail_as(err, BAWN_ERROR_AUDIT_TAMPERED, NULL, "body %s, which the log says is kept, is missing", sha256);
	if (r < 0 && why.type != BAWN_ERROR_NOT_FOUND) {
		if (err != NULL)
			*err = why;
		return r;
	}
	*out = *sha256 != '\0' && r == 0 ? body_json(sha256, bawn_buf_span(&bytes)) : json_null();
	return *out != NULL ? 0 : bawn_fail(err, -ENOMEM, "make a bundle");
}

/* Of the entries' lines, newest first; *out stays NULL where they say nothing. */
static int add_output(const char *dir, const json_t *lines, json_t **out, struct bawn_err *err)
{
	bawn_auto_json hashes = json_object(), *list = json_array();
	bool ok = hashes != NULL && list != NULL;
	const char *sha256;
	json_t *unused;
	for (size_t i = json_array_size(lines); i-- > 0; ) {
		struct bawn_line l;
		const char *problem = "";
		int r = bawn_line_shape(span_of(json_array_get(lines, i)), &l, &problem);
		if (r < 0)
			return bawn_fail(err, r, "make a bundle: %s", problem);
		note_output(hashes, l.body, &ok);
	}
	json_object_foreach(hashes, sha256, unused) {
		json_t *body = NULL;
		int r = add_body(dir, sha256, true, &body, err);
		if (r < 0)
			return r;
		bawn_json_push(list, body, &ok);
	}
	if (json_array_size(list) > 0)
		*out = bawn_steal(list);
	return ok ? 0 : bawn_fail(err, -ENOMEM, "make a bundle");
}

int bawn_audit_bundle(const char *dir, const char *exec, struct bawn_buf *out, struct bawn_err *err)
{
	bawn_auto_json turns = json_array(), *prunes = json_array(), *lines = json_array(), *from = json_array(), *keys = json_array(),
		*entries = json_array(), *code = NULL, *output = NULL;
	bawn_auto_leaves all = { 0 };
	bawn_auto_fd dirfd = -1;
	struct gather g = { .exec = exec, .turns = turns, .prunes = prunes, .lines = lines };
	struct bawn_span cut = { 0 };
	struct bawn_vkey first = { 0 };
	uint64_t epoch = 0;
	char vkey[BAWN_VKEY_MAX];
	int r = bawn_audit_dir_open(dir, &dirfd, err);
	if (r == 0)
		r = bawn_leaves_read(dirfd, take, &g, &all, err);
	if (r == 0 && json_array_size(lines) == 0)
		r = bawn_fail_as(err, BAWN_ERROR_NOT_FOUND, "exec", "no entry of an execution '%s' in the log", exec);
	if (r == 0)
		r = g.cut ? key_at_cut(&g, dirfd, &first, &epoch, &cut, err) : first_key(&g, &first, err);
	if (r == 0 && cut.p != NULL)
		r = prove(from, all.leaf, cut, &all.head.seal, &all.sealer, err);
	if (r == 0)
		r = prove_keys(&g, &all, first, epoch, keys, err);
	for (size_t i = json_array_size(lines); r == 0 && i-- > 0; )
		r = prove(entries, all.leaf, span_of(json_array_get(lines, i)), &all.head.seal, &all.sealer, err);
	if (r == 0)
		r = add_body(dir, g.code, g.kept, &code, err);
	if (r == 0)
		r = add_output(dir, lines, &output, err);
	if (r < 0)
		return r;
	bawn_auto_buf note = BAWN_BUF(4096);
	bawn_note_put(&note, &all.head.seal, &all.sealer);
	bawn_vkey_text(&first, vkey);
	if (bawn_buf_error(&note) < 0)
		return bawn_fail(err, bawn_buf_error(&note), "make a bundle");
	return render(out, &(struct parts){ .exec = exec, .vkey = vkey, .checkpoint = note.p, .from = json_array_get(from, 0), .keys = keys, .entries = entries, .code = code,
		.output = output }, err);
}

/* ---- checking ---- */

struct check {
	struct bawn_bundle_report *r;
	struct bawn_vkey *key;    /* of each epoch, from the first in the document up to the one that signed the checkpoint */
	size_t n_keys;
	uint64_t epoch;           /* of the first of them */
	struct bawn_seal seal;    /* the checkpoint */
	struct bawn_span note;    /* as it is written */
	uint64_t next;            /* entries ascend: the least seq that may come */
	struct parts again;       /* what was checked, to be compared with the document */
	bool kept;                /* an entry says that the code is kept */
	json_t *output;           /* the hashes of output that entries say is kept, as members */
	bool ok;                  /* no allocation failed */
};

static bool bad(struct check *c, const char *problem)
{
	if (c->r->problem[0] == '\0')
		(void)snprintf(c->r->problem, sizeof c->r->problem, "%s", problem);
	return false;
}

static bool bad_entry(struct check *c, uint64_t seq, const char *problem)
{
	char text[sizeof c->r->problem];
	(void)snprintf(text, sizeof text, "entry %" PRIu64 ": %s", seq, problem);
	return bad(c, text);
}

/* Takes a {"line", "proof"} apart and adds the same to `again`. */
static bool take_pair(struct check *c, const json_t *pair, json_t *again, struct bawn_span *proof, struct bawn_span *line, struct bawn_line *l)
{
	const char *problem = "";
	*line = span_of(json_object_get(pair, "line"));
	*proof = span_of(json_object_get(pair, "proof"));
	if (line->p == NULL || proof->p == NULL)
		return bad(c, "an entry without its line or its proof");
	int r = bawn_line_check(*line, l, &problem);
	c->ok = c->ok && r != -ENOMEM;
	if (r < 0)
		return bad(c, problem);
	bawn_json_push(again, proved(*line, *proof), &c->ok);
	return true;
}

static bool check_turn(struct check *c, const json_t *pair)
{
	struct bawn_span line, proof;
	struct bawn_line l;
	struct bawn_seal seal;
	bawn_node leaf;
	const struct bawn_vkey *key = &c->key[c->n_keys - 1];
	if (!take_pair(c, pair, c->again.keys, &proof, &line, &l))
		return false;
	const char *problem = !bawn_span_is(l.type, "log.key") || !l.sealed ? "no signed log.key" :
	                      bawn_key_next(l.body, c->epoch + c->n_keys - 1, key, &c->key[c->n_keys]);
	bawn_line_leaf(&l, leaf);
	if (problem == NULL)
		problem = bawn_proof_check(proof, leaf, l.seq, key, &seal);
	if (problem == NULL && (seal.size != l.seal.size || memcmp(seal.root, l.seal.root, sizeof seal.root) != 0 ||
	                        memcmp(seal.signature, l.seal.signature, sizeof seal.signature) != 0))
		problem = "proved by another signature than its own";
	c->n_keys++;
	return problem == NULL || bad_entry(c, l.seq, problem);
}

/* What follows the hash of a line is not covered by it: it must be signed on its own. */
static bool seal_known(const struct check *c, const struct bawn_line *l)
{
	bool good = !l->sealed;
	for (size_t i = c->n_keys; !good && i-- > 0; )
		good = bawn_seal_good(&l->seal, &c->key[i]);
	return good;
}

/* NULL, or why the checkpoint does not vouch for the line. */
static const char *vouched(const struct check *c, const struct bawn_line *l, struct bawn_span proof)
{
	struct bawn_seal seal;
	bawn_node leaf;
	bawn_line_leaf(l, leaf);
	const char *problem = bawn_proof_check(proof, leaf, l->seq, &c->key[c->n_keys - 1], &seal);
	if (problem == NULL && (proof.n < c->note.n || memcmp(proof.p + proof.n - c->note.n, c->note.p, c->note.n) != 0))
		problem = "proved by another checkpoint than the bundle's";
	return problem == NULL && !seal_known(c, l) ? "its own signature is not by a key of the log" : problem;
}

/* A log.prune: the key that it names for the place of the cut is the first one here.  Whether the log says so can be
 * seen only when the keys are known: `again`. */
static bool check_from(struct check *c, const json_t *pair, bool again)
{
	struct bawn_span line, proof;
	struct bawn_line l;
	struct bawn_cut cut;
	bawn_auto_json list = json_array();
	char key[BAWN_VKEY_MAX];
	if (pair == NULL)
		return true;
	c->ok = c->ok && list != NULL;
	if (!take_pair(c, pair, list, &proof, &line, &l))
		return false;
	if (!bawn_span_is(l.type, "log.prune") || !bawn_cut_read(l.body, &cut) || cut.epoch == 0)
		return bad(c, "it does not begin at a place where the log was cut");
	bawn_vkey_text(&cut.key, key);
	if (strcmp(key, c->again.vkey) != 0)
		return bad(c, "its vkey is not the one of the place where the log was cut");
	c->epoch = cut.epoch;
	const char *problem = again ? vouched(c, &l, proof) : NULL;
	if (again)
		c->again.from = json_incref(json_array_get(list, 0));
	return problem == NULL || bad_entry(c, l.seq, problem);
}

static bool check_entry(struct check *c, const json_t *pair)
{
	struct bawn_span line, proof;
	struct bawn_line l;
	if (!take_pair(c, pair, c->again.entries, &proof, &line, &l))
		return false;
	const char *problem = vouched(c, &l, proof);
	if (problem == NULL && l.seq < c->next)
		problem = "out of order";
	bawn_auto_json j = json_loadb(line.p, line.n, JSON_ALLOW_NUL, NULL);
	c->ok = c->ok && j != NULL;
	const char *exec = text_of(j, "exec", NULL), *code = text_of(j, "body", "code_sha256");
	if (problem == NULL && (exec == NULL || strcmp(exec, c->again.exec) != 0))
		problem = "of another execution";
	if (problem == NULL && code != NULL && c->r->code_sha256[0] != '\0' && strcmp(code, c->r->code_sha256) != 0)
		problem = "about other code than the entries before";
	if (problem == NULL && code != NULL)
		(void)snprintf(c->r->code_sha256, sizeof c->r->code_sha256, "%s", code);
	c->kept = c->kept || bawn_code_kept(l.body) != NULL;
	note_output(c->output, l.body, &c->ok);
	c->next = l.seq + 1;
	c->r->entries++;
	return problem == NULL || bad_entry(c, l.seq, problem);
}

/* A body as it must be, with the hash that is wanted, for the document written anew; NULL: it is not, and that was said. */
static json_t *check_body(struct check *c, const json_t *body, const char *want, const char *problem)
{
	char sha256[BAWN_SHA256_HEX];
	const struct bawn_span text = span_of(json_object_get(body, "base64"));
	const size_t pad = text.n >= 2 ? (size_t)(text.p[text.n - 1] == '=') + (text.p[text.n - 2] == '=') : 0;
	const size_t n = text.n / 4 * 3 - (text.n >= 4 ? pad : 0);
	bawn_auto_free uint8_t *bytes = malloc(n + 1);
	c->ok = c->ok && bytes != NULL;
	const struct bawn_span plain = { (const char *)bytes, n };
	if (bytes == NULL || text.p == NULL || !bawn_b64_read(text, bytes, n)) {
		(void)bad(c, "a body of it is not base64");
		return NULL;
	}
	bawn_sha256_hex(plain, sha256);
	if (strcmp(sha256, want) != 0) {
		(void)bad(c, problem);
		return NULL;
	}
	json_t *again = body_json(sha256, plain);
	c->ok = c->ok && again != NULL;
	return again;
}

static bool check_code(struct check *c, const json_t *code)
{
	if (json_is_null(code) && c->kept)
		return bad(c, "its code was left out: the log says that it is kept");
	c->again.code = json_is_null(code) ? json_null() : check_body(c, code, c->r->code_sha256, "its code is not the code its entries are about");
	c->r->code = c->again.code != NULL && !json_is_null(code);
	return c->again.code != NULL;
}

/* The bodies of output in the order in which the entries name them. */
static bool check_output(struct check *c, const json_t *output)
{
	const char *sha256;
	json_t *unused;
	size_t i = 0;
	if (json_object_size(c->output) == 0)
		return true;
	c->again.output = json_array();
	c->ok = c->ok && c->again.output != NULL;
	if (json_array_size(output) != json_object_size(c->output))
		return bad(c, "output was left out: the log says that it is kept");
	json_object_foreach(c->output, sha256, unused) {
		json_t *again = check_body(c, json_array_get(output, i++), sha256, "its output is not the output its entries are about");
		if (again == NULL)
			return false;
		bawn_json_push(c->again.output, again, &c->ok);
		c->r->output++;
	}
	return true;
}

/* The keys from the first to the one that signed the checkpoint; one of them is the one that is known. */
static bool check_keys(struct check *c, const json_t *keys, const struct bawn_vkey *known)
{
	size_t i;
	json_t *pair;
	if (!bawn_vkey_read(bawn_span(c->again.vkey), &c->key[0]))
		return bad(c, "its vkey is no verifier key");
	c->n_keys = 1;
	json_array_foreach(keys, i, pair)
		if (!check_turn(c, pair))
			return false;
	for (i = 0; known != NULL && i < c->n_keys; i++)
		c->r->known = c->r->known || bawn_vkey_equal(known, &c->key[i]);
	if (known != NULL && !c->r->known)
		return bad(c, "the given key did not sign it");
	if (!bawn_note_read(c->note, &c->key[c->n_keys - 1], &c->seal) || !bawn_seal_good(&c->seal, &c->key[c->n_keys - 1]))
		return bad(c, "its checkpoint is not signed by the last of its keys");
	return true;
}

static bool check_parts(struct check *c, const json_t *doc, struct bawn_span text, const struct bawn_vkey *known)
{
	const json_t *keys = json_object_get(doc, "keys"), *entries = json_object_get(doc, "entries");
	size_t i;
	json_t *pair;
	if (c->again.exec == NULL || c->again.vkey == NULL || c->again.checkpoint == NULL || !json_is_array(keys) || !json_is_array(entries) ||
	    json_object_get(doc, "code") == NULL)
		return bad(c, "not a bundle of an audit log");
	const json_t *from = json_object_get(doc, "from");
	if (!check_from(c, from, false) || !check_keys(c, keys, known) || !check_from(c, from, true))
		return false;
	json_array_foreach(entries, i, pair)
		if (!check_entry(c, pair))
			return false;
	if (c->r->entries == 0)
		return bad(c, "no entry in it");
	if (!check_code(c, json_object_get(doc, "code")) || !check_output(c, json_object_get(doc, "output")))
		return false;
	bawn_auto_buf again = BAWN_BUF(BUNDLE_MAX);
	c->ok = c->ok && render(&again, &c->again, NULL) == 0;
	return !c->ok || bawn_span_equal(bawn_buf_span(&again), text) || bad(c, "not written as a bundle is written");
}

int bawn_audit_bundle_verify(struct bawn_span text, const char *key, struct bawn_bundle_report *out, struct bawn_err *err)
{
	struct bawn_bundle_report r = { 0 };
	struct bawn_vkey known;
	struct bawn_err why = { 0 };
	bawn_auto_json doc = NULL, *keys = json_array(), *entries = json_array(), *output = json_object();
	if (key != NULL && !bawn_vkey_read(bawn_span(key), &known))
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "key", "'%s' is not a verifier key", key);
	if (bawn_json_parse(text, &doc, &why) == -ENOMEM)
		return bawn_fail(err, -ENOMEM, "read a bundle");
	const size_t most = 1 + json_array_size(json_object_get(doc, "keys"));
	bawn_auto_free struct bawn_vkey *all = calloc(most, sizeof *all);
	struct check c = { .r = &r, .key = all, .ok = all != NULL && keys != NULL && entries != NULL && output != NULL, .output = output,
		.again = { .exec = text_of(doc, "exec", NULL), .vkey = text_of(doc, "vkey", NULL), .checkpoint = text_of(doc, "checkpoint", NULL),
		           .keys = keys, .entries = entries } };
	c.note = bawn_span(c.again.checkpoint);
	r.ok = c.ok && check_parts(&c, doc, text, key != NULL ? &known : NULL);
	json_decref(c.again.code);
	json_decref(c.again.output);
	json_decref(c.again.from);
	if (!c.ok)
		return bawn_fail(err, -ENOMEM, "read a bundle");
	if (c.n_keys > 0) {
		(void)snprintf(r.origin, sizeof r.origin, "%s", all[0].origin);
		bawn_vkey_text(&all[0], r.vkey);
	}
	(void)snprintf(r.exec, sizeof r.exec, "%s", c.again.exec != NULL ? c.again.exec : "");
	r.size = c.seal.size;
	*out = r;
	return 0;
}
