/* sink.c - the local log as a sink: many threads queue, one at a time commits for all.
 *
 * Invariants:
 * (1) a record is in the queue, or in the batch of the one committing thread, or has an answer;
 * (2) an answer is given once: a record whose commit failed is never written later;
 * (3) files are touched without the mutex held, by the thread that set `committing`; records that
 *     arrive meanwhile form the next batch (group commit without a thread of our own);
 * (4) whoever sleeps is woken for his own answer, or to commit: he sleeps on the state of his record, and
 *     after a commit one of those still queued is called to make the next (waking all of them cost more
 *     than the hashing and signing).  An answer is read without the mutex: thirty who want that at once
 *     cost more than the rest of a commit;
 * (5) tiles and checkpoint are made, and the witness is told, after the answers are given, by the thread
 *     that committed, while others go on; one thread at a time. */
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include "audit/entry.h"
#include "audit/redact.h"
#include "audit/store.h"
#include "audit/tiles.h"
#include "base/cleanup.h"
#include "base/clock.h"

#define BATCH_BYTES (8u << 20)  /* BAWN_COMMIT_MAX builds on it */
/* Tiles are due when one is full, but no oftener than this: each time some files are replaced, and a file system
 * that looks for room among names just gone takes longer and longer. */
#define DERIVE_US   100000u

/* CALLED: queued, and whoever waits for it is to commit.  From WRITTEN on there is an answer. */
enum state { QUEUED, CALLED, UNDERWAY, WRITTEN, FAILED, TAKEN };

struct item {
	struct bawn_pending p;     /* first: the list of pendings is a list of items */
	struct item        *later; /* all items, oldest first: tickets ascend */
	uint64_t            ticket;
	atomic_uint         state; /* enum state; without the mutex only read, and TAKEN */
	bool                alone; /* nobody waits for it */
	atomic_uint         waiters;  /* asleep on it or about to look: the last one frees it */
	int                 code;
	struct bawn_err     err;   /* when FAILED */
};

struct local {
	struct bawn_audit audit;
	pthread_mutex_t   mutex;
	bool              committing;
	uint64_t          tickets;
	struct item      *items, **end;  /* until there is an answer and somebody waits for it; where the next one goes */
	struct item      *queued;        /* the oldest that is QUEUED or CALLED; all after it are */
	struct bawn_store store;
	bool              keep_tokens;
	bool              deriving;
	uint64_t          derived, derived_us;  /* entries that tiles were made of, and when */
};

static struct local *local_of(struct bawn_audit *a) { return (struct local *)a; }

static void free_item(struct item *i)
{
	if (i == NULL)
		return;
	bawn_buf_done(&i->p.draft);
	free(i);
}

/* Only the log itself says these. */
static bool reserved(enum bawn_record_type type)
{
	return type == BAWN_RECORD_LOG_GENESIS || type == BAWN_RECORD_LOG_SEGMENT || type == BAWN_RECORD_LOG_RECOVERED ||
	       type == BAWN_RECORD_LOG_KEY || type == BAWN_RECORD_LOG_DISK_FULL || type == BAWN_RECORD_LOG_PRUNE;
}

/* The record as it is written: before it is hashed, and never the other way round. */
static int draft(const struct local *l, struct bawn_buf *out, const struct bawn_record *rec, struct bawn_err *err)
{
	const struct bawn_redact how = { .keep_tokens = l->keep_tokens, .name = rec->redact, .n_names = rec->n_redact };
	bawn_auto_json text = json_pack("[o, O?, O?]", bawn_json_text_or_null(rec->session), rec->principal, rec->body);
	bawn_auto_json clean = text != NULL ? bawn_redact_json(&how, text) : NULL;
	if (clean == NULL)
		return bawn_fail(err, -ENOMEM, "write a record");
	struct bawn_record r = *rec;
	r.session = json_string_value(json_array_get(clean, 0));
	r.principal = rec->principal != NULL ? json_array_get(clean, 1) : NULL;
	r.body = rec->body != NULL ? json_array_get(clean, 2) : NULL;
	return bawn_line_draft(out, &r, l->store.node, err);
}

static int append(struct bawn_audit *a, const struct bawn_record *rec, uint64_t *out_ticket,
                  struct bawn_err *err)
{
	struct local *l = local_of(a);
	if (reserved(rec->type))
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "type",
		                    "a record of type %s is made by the log alone", bawn_record_name(rec->type));
	struct item *i = calloc(1, sizeof *i);
	if (i == NULL)
		return bawn_fail(err, -ENOMEM, "queue a record");
	i->p.draft = BAWN_BUF(BAWN_ENTRY_MAX);
	i->p.witnessed = rec->type == BAWN_RECORD_POLICY_CHANGED;
	i->p.begins = rec->type == BAWN_RECORD_EXEC_INTENT;
	bawn_store_note(&i->p, rec->type, rec->severity);
	i->p.ends = rec->type == BAWN_RECORD_EXEC_OUTCOME || rec->type == BAWN_RECORD_EXEC_LOST;
	int r = draft(l, &i->p.draft, rec, err);
	if (r < 0) {
		free_item(i);
		return r;
	}
	pthread_mutex_lock(&l->mutex);
	*l->end = i;
	l->end = &i->later;
	if (l->queued == NULL)
		l->queued = i;
	i->ticket = ++l->tickets;
	i->alone = out_ticket == NULL;
	if (out_ticket != NULL)
		*out_ticket = i->ticket;
	pthread_mutex_unlock(&l->mutex);
	return 0;
}

static struct item **find(struct local *l, uint64_t ticket)
{
	struct item **at = &l->items;
	while (*at != NULL && (*at)->ticket != ticket)
		at = &(*at)->later;
	return at;
}

static void take_out(struct local *l, struct item *i)
{
	struct item **at = find(l, i->ticket);
	*at = i->later;
	if (l->end == &i->later)
		l->end = at;
}

/* All that is queued, or as much of it as one batch holds. */
static struct item *take_batch(struct local *l)
{
	struct item *first = l->queued, *last = NULL;
	size_t bytes = 0;
	for (; l->queued != NULL; last = l->queued, l->queued = l->queued->later) {
		bytes += l->queued->p.draft.n + BAWN_LINE_AROUND;
		if (last != NULL && bytes > BATCH_BYTES)
			break;
		l->queued->state = UNDERWAY;
		if (last != NULL)
			last->p.next = &l->queued->p;
	}
	return first;
}

/* A failure costs nothing but tiles: the next one makes them. */
static void derive(struct local *l, const struct bawn_head *head, const struct bawn_vkey *sealer)
{
	bawn_store_derive(&l->store, head, sealer);
	pthread_mutex_lock(&l->mutex);
	l->deriving = false;
	pthread_mutex_unlock(&l->mutex);
}

static bool answered(unsigned state) { return state >= WRITTEN; }

/* Returns when the state is no longer `was`, or sooner. */
static void sleep_on(struct item *i, unsigned was) { (void)syscall(SYS_futex, &i->state, FUTEX_WAIT_PRIVATE, was, NULL, NULL, 0); }

/* An item with an answer may be gone by the time its sleepers are woken: only the address counts then. */
static void wake(atomic_uint *state) { (void)syscall(SYS_futex, state, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0); }

/* Somebody who waits for a record still queued makes the next commit.  Where nobody waits yet, whoever
 * comes to wait finds nobody committing. */
static void call_next(struct local *l)
{
	for (struct item *i = l->queued; i != NULL; i = i->later)
		if (i->waiters > 0) {
			i->state = CALLED;
			wake(&i->state);
			return;
		}
}

/* What it learned of itself meanwhile. */
static void show_state(struct local *l)
{
	char *seen = l->audit.weakness;
	const char *now = l->store.weakness;
	for (int i = 0; i < BAWN_NOTABLE_COUNT; i++)
		l->audit.notable[i] = l->store.notable[i];
	if (seen[0] != '\0' || now[0] == '\0')
		return;
	memcpy(seen + 1, now + 1, sizeof l->audit.weakness - 1);
	__atomic_store_n(seen, now[0], __ATOMIC_RELEASE);
}

/* Takes what begins something out of a list; the two lists keep their order. */
static struct bawn_pending *part(struct bawn_pending *first, struct bawn_pending **out_begins)
{
	struct bawn_pending *rest = NULL, **end = &rest, **begins = out_begins;
	for (struct bawn_pending *p = first, *next; p != NULL; p = next) {
		struct bawn_pending ***to = p->begins ? &begins : &end;
		next = p->next;
		p->next = NULL;
		**to = p;
		*to = &p->next;
	}
	return rest;
}

/* What became of a list. */
struct outcome { int r, heard; struct bawn_err why, unheard; };

/* With the mutex held.  Those that somebody waits for are taken out of the list and come back as one: nobody else can find
 * or free them until they are told. */
static struct bawn_pending *answer(struct local *l, struct bawn_pending *first, const struct outcome *o)
{
	struct bawn_pending *waited_for = NULL;
	for (struct bawn_pending *p = first, *next; p != NULL; p = next) {
		struct item *i = (struct item *)p;
		next = p->next;
		bawn_buf_done(&p->draft);
		const bool unheard = o->r == 0 && p->witnessed && o->heard < 0;
		i->code = unheard ? o->heard : o->r;
		if (i->code < 0)
			i->err = unheard ? o->unheard : o->why;
		if (i->alone || i->waiters > 0)
			take_out(l, i);
		if (i->alone) {
			free_item(i);
		} else if (i->waiters > 0) {
			p->next = waited_for;
			waited_for = p;
		} else {
			i->state = i->code == 0 ? WRITTEN : FAILED;
		}
	}
	return waited_for;
}

static void tell(struct bawn_pending *first)
{
	for (struct bawn_pending *p = first, *next; p != NULL; p = next) {
		struct item *i = (struct item *)p;
		next = p->next;
		i->state = i->code == 0 ? WRITTEN : FAILED;  /* from here on it may be freed */
		wake(&i->state);
	}
}

/* With the mutex held: whether tiles are due; then they are this thread's to make. */
static bool due(struct local *l)
{
	const uint64_t now = bawn_monotonic_us();
	if (l->deriving || l->store.head.size - l->derived < BAWN_TILE_WIDTH || now - l->derived_us < DERIVE_US)
		return false;
	l->deriving = true;
	l->derived = l->store.head.size;
	l->derived_us = now;
	return true;
}

static bool any_witnessed(const struct bawn_pending *p)
{
	while (p != NULL && !p->witnessed)
		p = p->next;
	return p != NULL;
}

/* Comes with the mutex held, and lets it go. */
static void commit(struct local *l)
{
	struct outcome o = { 0 }, refused;
	struct bawn_pending *batch = &take_batch(l)->p, *begins = NULL;
	l->committing = true;
	pthread_mutex_unlock(&l->mutex);
	o.r = bawn_store_commit(&l->store, batch, &o.why);
	refused = o;
	if (o.r == -ENOSPC) {  /* the last room there is, is for what ends: it does not wait for what would begin */
		batch = part(batch, &begins);
		if (begins != NULL && batch != NULL) {
			o = (struct outcome){ 0 };
			o.r = bawn_store_commit(&l->store, batch, &o.why);
		}
	}
	if (o.r == 0 && any_witnessed(batch))
		o.heard = bawn_store_witnessed(&l->store, &o.unheard);
	struct bawn_head head;
	struct bawn_vkey sealer;
	pthread_mutex_lock(&l->mutex);
	l->committing = false;
	begins = answer(l, begins, &refused);
	batch = answer(l, batch, &o);
	show_state(l);
	call_next(l);
	const bool mine = o.r == 0 && due(l);
	if (mine) {  /* the store is another thread's when the mutex goes */
		head = l->store.head;
		sealer = l->store.sealer;
	}
	pthread_mutex_unlock(&l->mutex);
	tell(begins);
	tell(batch);
	if (mine)
		derive(l, &head, &sealer);
}

/* Comes with the mutex held, and lets it go. */
static void until_answered(struct local *l, struct item *i)
{
	while (!answered(i->state)) {
		if (l->committing) {
			if (i->state == CALLED)  /* somebody else was faster */
				i->state = QUEUED;
			const unsigned was = i->state;
			pthread_mutex_unlock(&l->mutex);
			sleep_on(i, was);
		} else {
			commit(l);
		}
		if (answered(i->state))
			return;
		pthread_mutex_lock(&l->mutex);
	}
	pthread_mutex_unlock(&l->mutex);
}

static int no_ticket(struct bawn_err *err)
{
	return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "ticket", "no record waits under this ticket");
}

static int wait_for(struct bawn_audit *a, uint64_t ticket, struct bawn_receipt *out, struct bawn_err *err)
{
	struct local *l = local_of(a);
	pthread_mutex_lock(&l->mutex);
	struct item *i = *find(l, ticket);
	if (i == NULL) {
		pthread_mutex_unlock(&l->mutex);
		return no_ticket(err);
	}
	i->waiters++;
	if (answered(i->state))
		take_out(l, i);
	until_answered(l, i);
	/* A second one who waits for it comes too late. */
	const unsigned got = atomic_exchange(&i->state, TAKEN);
	int r = got == TAKEN ? no_ticket(err) : got == WRITTEN ? 0 : i->code;
	if (got != TAKEN && out != NULL && i->p.receipt.log_size > 0)
		*out = i->p.receipt;
	if (got == FAILED && err != NULL)
		*err = i->err;
	if (atomic_fetch_sub(&i->waiters, 1) == 1)
		free_item(i);
	return r;
}

static void close_local(struct bawn_audit *a)
{
	struct local *l = local_of(a);
	if (l == NULL)
		return;
	for (struct item *i = l->items, *later; i != NULL; i = later) {
		later = i->later;
		free_item(i);
	}
	bawn_store_done(&l->store);
	pthread_mutex_destroy(&l->mutex);
	free(l);
}

static const struct bawn_audit_ops ops = { .append = append, .wait = wait_for, .close = close_local };

int bawn_audit_open(const char *dir, const struct bawn_audit_options *o, struct bawn_audit **out,
                    struct bawn_err *err)
{
	static const struct bawn_audit_options none;
	bawn_auto_free struct local *l = calloc(1, sizeof *l);
	if (l == NULL)
		return bawn_fail(err, -ENOMEM, "open the audit log");
	int r = bawn_store_open(&l->store, dir, o != NULL ? o : &none, err);
	if (r < 0)
		return r;
	l->audit.ops = &ops;
	l->keep_tokens = o != NULL && o->keep_tokens;
	show_state(l);
	l->end = &l->items;
	l->derived = l->store.head.size;
	pthread_mutex_init(&l->mutex, NULL);
	*out = &bawn_steal(l)->audit;
	return 0;
}

int bawn_audit_rotate_key(const char *dir, const struct bawn_audit_options *o, const json_t *principal, struct bawn_receipt *out,
                          struct bawn_err *err)
{
	static const struct bawn_audit_options none;
	struct bawn_store store;
	struct bawn_receipt receipt;
	int r = bawn_store_open(&store, dir, o != NULL ? o : &none, err);
	if (r < 0)
		return r;
	r = bawn_store_rotate_key(&store, principal, &receipt, err);
	bawn_store_done(&store);
	if (r == 0 && out != NULL)
		*out = receipt;
	return r;
}
