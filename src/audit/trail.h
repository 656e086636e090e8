/* trail.h - reading a log in order and knowing, at each entry, whether it is the next one and who
 * vouches for it: chain, tree and signatures in one place, for the verifier and for recovery.
 *
 *	log.genesis   names the origin and the key of epoch 0, and is signed with it
 *	log.key       names the key of the next epoch, and is signed with the one before
 *	log.prune     says what the state was at an entry, from which on the log may be read without those before
 *	a signature   is that of its epoch, over the tree of all entries up to its line */
#pragma once
#include "audit/head.h"
#include "audit/segment.h"

/* The key that the body of a log.genesis names; NULL, or what is wrong with it. */
const char *bawn_key_first(struct bawn_span body, struct bawn_vkey *out);
/* The key that the body of a log.key in `epoch`, whose key is `before`, names for the next one. */
const char *bawn_key_next(struct bawn_span body, uint64_t epoch, const struct bawn_vkey *before, struct bawn_vkey *out);

struct bawn_trail {
	struct bawn_chain chain;
	struct bawn_tree  tree;      /* of all entries so far */
	struct bawn_tree  before;    /* of all before the last one that carried a signature */
	struct bawn_vkey  key;       /* of `epoch`; empty before the first entry */
	uint64_t          epoch;     /* whose key signs what comes next */
	uint64_t          sealed;    /* entries that a signature covers */
	struct bawn_seal  seal;      /* the last one */
	bool              skim;      /* of the signatures of an epoch only the last is checked: it covers
	                              * what the others do.  Roots are compared all the same. */
	bool              skimmed;   /* `seal` is not checked yet */
};

/* Before the first entry. */
void bawn_trail_init(struct bawn_trail *t);
/* After the entries of this head, whose seal the caller has checked; `key` is that of h->epoch. */
void bawn_trail_from(struct bawn_trail *t, const struct bawn_head *h, const struct bawn_vkey *key);

/* What a log.prune says of the place where the log was cut: the first entry kept, the hash before it, the
 * tree of all entries before it, and whose key signs there. */
struct bawn_cut {
	uint64_t         cut;
	char             hash[BAWN_SHA256_HEX];
	uint64_t         epoch;
	struct bawn_vkey key, genesis;  /* of that epoch, of epoch 0 */
	struct bawn_tree tree;
	uint64_t         seq;           /* of the log.prune itself */
	char             own[64];       /* and its hash */
	uint64_t         segment, at;   /* where it stands */
};
bool bawn_cut_read(struct bawn_span body, struct bawn_cut *out);
/* Its body, to which whoever records it adds what was taken away.  NULL: no memory. */
json_t *bawn_cut_json(const struct bawn_cut *c);
/* Before the first entry that was kept.  Whether all of it is true the entries show: the first must cite
 * this hash, and the first signature must be by this key, over a root that follows from this tree. */
void bawn_trail_cut(struct bawn_trail *t, const struct bawn_cut *c);

/* A line and all that can be said of it without knowing what stands before it. */
struct bawn_checked {
	struct bawn_span        line;
	bool                    whole;    /* it ends in a newline; else nothing of the following is known */
	int                     r;        /* of bawn_line_check */
	const char             *problem;
	struct bawn_line        l;
	bawn_node               leaf;
	const struct bawn_vkey *by;       /* whose signature was looked for, or NULL: nobody's */
	bool                    signed_by;  /* it is there and good */
};
/* `by` may be NULL: then no signature is looked at. */
void bawn_check_line(struct bawn_span line, bool whole, const struct bawn_vkey *by, struct bawn_checked *out);
/* Is it the next entry?  Moves on if so.  0, -EBADMSG or -ENOMEM. */
BAWN_MUST_CHECK int bawn_trail_take(struct bawn_trail *t, const struct bawn_checked *c, const char **out_problem);

/* Is the line the next entry?  Moves on if so; *out is written in any case.  0, -EBADMSG or -ENOMEM. */
BAWN_MUST_CHECK int bawn_trail_next(struct bawn_trail *t, struct bawn_span line, struct bawn_line *out, const char **out_problem);
/* Checks the last signature where it was skimmed. */
BAWN_MUST_CHECK bool bawn_trail_finish(struct bawn_trail *t);
