/* trail.c - see trail.h.
 *
 * Invariants: (1) an entry that does not fit leaves the trail where it was; (2) each epoch has one key,
 * named by an entry that the key before it signed, and epochs have no gaps; (3) a root on a line is the
 * root of the tree over the chain hashes up to that line, also where its signature is skimmed.
 * An attacker controls: every line. */
#include "audit/trail.h"
#include <inttypes.h>
#include <stdio.h>
#include "base/num.h"

void bawn_trail_init(struct bawn_trail *t) { *t = (struct bawn_trail){ .chain = { .hash = BAWN_NO_HASH } }; }

void bawn_trail_from(struct bawn_trail *t, const struct bawn_head *h, const struct bawn_vkey *key)
{
	*t = (struct bawn_trail){ .chain = { .seq = h->size }, .before = h->before, .key = *key, .epoch = h->epoch,
	                          .sealed = h->size, .seal = h->seal };
	memcpy(t->chain.hash, h->hash, sizeof t->chain.hash);
	bawn_head_tree(h, &t->tree);
}

/* The text between `lead` and the next quote; moves on behind it. */
static bool take_text(struct bawn_span *s, const char *lead, struct bawn_span *out)
{
	const size_t n = strlen(lead);
	const char *end = bawn_span_starts(*s, lead) && s->n > n ? memchr(s->p + n, '"', s->n - n) : NULL;
	if (end == NULL)
		return false;
	*out = (struct bawn_span){ s->p + n, (size_t)(end - s->p) - n };
	s->n -= (size_t)(end + 1 - s->p);
	s->p = end + 1;
	return true;
}

/* {"instance":"…","format":1,"origin":"…","vkey":"…"…} */
const char *bawn_key_first(struct bawn_span body, struct bawn_vkey *out)
{
	struct bawn_span instance, origin, vkey;
	if (!take_text(&body, "{\"instance\":\"", &instance) || !take_text(&body, ",\"format\":1,\"origin\":\"", &origin))
		return "a log.genesis of another format";
	if (!take_text(&body, ",\"vkey\":\"", &vkey) || !bawn_vkey_read(vkey, out) || !bawn_span_is(origin, out->origin))
		return "it names no verifier key of its origin";
	return NULL;
}

/* {"epoch":N,"vkey":"…"…} */
const char *bawn_key_next(struct bawn_span body, uint64_t epoch, const struct bawn_vkey *before, struct bawn_vkey *out)
{
	char lead[64];
	struct bawn_span vkey;
	snprintf(lead, sizeof lead, "{\"epoch\":%" PRIu64 ",\"vkey\":\"", epoch + 1);
	if (!take_text(&body, lead, &vkey))
		return "its epoch is not the next one";
	if (!bawn_vkey_read(vkey, out) || strcmp(out->origin, before->origin) != 0 || bawn_vkey_equal(out, before))
		return "it names no new verifier key of this log";
	return NULL;
}

/* ---- log.prune ---- */

static bool take_number(struct bawn_span *s, const char *lead, uint64_t *out)
{
	const size_t n = strlen(lead);
	size_t digits = 0;
	if (!bawn_span_starts(*s, lead))
		return false;
	while (n + digits < s->n && s->p[n + digits] >= '0' && s->p[n + digits] <= '9')
		digits++;
	if (bawn_parse_u64((struct bawn_span){ s->p + n, digits }, 0, BAWN_SEGMENT_LAST, out, NULL) < 0)
		return false;
	s->p += n + digits;
	s->n -= n + digits;
	return true;
}

/* {"cut":N,"hash":"…","epoch":N,"key":"…","genesis":"…","tree":"…"…} */
bool bawn_cut_read(struct bawn_span body, struct bawn_cut *out)
{
	struct bawn_cut c = { 0 };
	struct bawn_span hash, key, genesis, tree;
	if (!take_number(&body, "{\"cut\":", &c.cut) || !take_text(&body, ",\"hash\":\"", &hash) || !take_number(&body, ",\"epoch\":", &c.epoch) ||
	    !take_text(&body, ",\"key\":\"", &key) || !take_text(&body, ",\"genesis\":\"", &genesis) || !take_text(&body, ",\"tree\":\"", &tree))
		return false;
	if (c.cut == 0 || hash.n != 64 || !bawn_is_hex(hash.p, 64) || !bawn_vkey_read(key, &c.key) || !bawn_vkey_read(genesis, &c.genesis) ||
	    strcmp(c.key.origin, c.genesis.origin) != 0 || tree.n != 64u * bawn_tree_nodes(c.cut) || !bawn_is_hex(tree.p, tree.n))
		return false;
	memcpy(c.hash, hash.p, 64);
	c.tree.size = c.cut;
	for (unsigned i = 0; i < bawn_tree_nodes(c.cut); i++)
		bawn_unhex(tree.p + 64u * i, c.tree.node[i], sizeof c.tree.node[i]);
	*out = c;
	return true;
}

json_t *bawn_cut_json(const struct bawn_cut *c)
{
	char key[BAWN_VKEY_MAX], genesis[BAWN_VKEY_MAX], tree[64 * BAWN_TREE_BITS + 1] = "";
	bawn_vkey_text(&c->key, key);
	bawn_vkey_text(&c->genesis, genesis);
	for (unsigned i = 0; i < bawn_tree_nodes(c->cut); i++)
		bawn_hex(c->tree.node[i], sizeof c->tree.node[i], tree + 64u * i);
	return json_pack("{s:I,s:s,s:I,s:s,s:s,s:s}", "cut", (json_int_t)c->cut, "hash", c->hash, "epoch", (json_int_t)c->epoch,
	                 "key", key, "genesis", genesis, "tree", tree);
}

void bawn_trail_cut(struct bawn_trail *t, const struct bawn_cut *c)
{
	*t = (struct bawn_trail){ .chain = { .seq = c->cut }, .tree = c->tree, .before = c->tree, .key = c->key, .epoch = c->epoch, .sealed = c->cut };
	memcpy(t->chain.hash, c->hash, sizeof t->chain.hash);
}

static bool same_root(const struct bawn_tree *t, const struct bawn_line *l)
{
	bawn_node root;
	bawn_tree_root(t, root);
	return memcmp(root, l->seal.root, sizeof root) == 0;
}

void bawn_check_line(struct bawn_span line, bool whole, const struct bawn_vkey *by, struct bawn_checked *out)
{
	out->line = line;
	out->whole = whole;
	out->problem = "not a whole line";
	out->r = whole ? bawn_line_check(line, &out->l, &out->problem) : -EBADMSG;
	out->by = NULL;
	if (out->r < 0)
		return;
	bawn_line_leaf(&out->l, out->leaf);
	if (out->l.sealed && by != NULL) {
		out->by = by;
		out->signed_by = bawn_seal_good(&out->l.seal, by);
	}
}

static bool signed_by(const struct bawn_checked *c, const struct bawn_vkey *key)
{
	return c->by != NULL && bawn_vkey_equal(c->by, key) ? c->signed_by : bawn_seal_good(&c->l.seal, key);
}

int bawn_trail_take(struct bawn_trail *t, const struct bawn_checked *c, const char **out_problem)
{
	struct bawn_chain chain = t->chain;
	struct bawn_vkey next;
	const char *problem = NULL;
	const struct bawn_line *l = &c->l;
	*out_problem = c->problem;
	int r = c->r < 0 ? c->r : bawn_chain_take(&chain, l, out_problem);
	if (r < 0)
		return r;
	const bool first = l->seq == 0, turn = first || bawn_span_is(l->type, "log.key"), skim = t->skim && !turn;
	if (turn)
		problem = first ? bawn_key_first(l->body, &next) : bawn_key_next(l->body, t->epoch, &t->key, &next);
	if (problem == NULL && turn && !l->sealed)
		problem = "an entry that names a key and is not signed";
	if (problem == NULL && !l->sealed && bawn_span_is(l->type, "log.prune"))
		problem = "a log.prune that is not signed";
	if (problem == NULL && l->sealed && !skim && !signed_by(c, first ? &next : &t->key))
		problem = "its signature is not by the key of its epoch";
	if (problem == NULL) {
		if (l->sealed)
			t->before = t->tree;
		bawn_tree_add(&t->tree, c->leaf);
		if (l->sealed && !same_root(&t->tree, l)) {
			t->tree = t->before;
			problem = "its root is not that of the entries up to it";
		}
	}
	if (problem != NULL) {
		*out_problem = problem;
		return -EBADMSG;
	}
	t->chain = chain;
	t->epoch += turn && !first;
	if (turn)
		t->key = next;
	if (l->sealed) {
		t->sealed = chain.seq;
		t->seal = l->seal;
		t->skimmed = skim;
	}
	return 0;
}

int bawn_trail_next(struct bawn_trail *t, struct bawn_span line, struct bawn_line *out, const char **out_problem)
{
	struct bawn_checked c;
	bawn_check_line(line, true, NULL, &c);
	int r = bawn_trail_take(t, &c, out_problem);
	if (c.r == 0)
		*out = c.l;
	return r;
}

bool bawn_trail_finish(struct bawn_trail *t)
{
	if (t->skimmed && !bawn_seal_good(&t->seal, &t->key))
		return false;
	t->skimmed = false;
	return true;
}
