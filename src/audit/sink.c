/* sink.c - the local log as a sink: many threads queue, one at a time commits for all.
 *
 * Invariants:
 * (1) a record is in the queue, or in the batch of the one committing thread, or has an answer;
 * (2) an answer is given once: a record whose commit failed is never written later;
 * (3) files are touched without the mutex held, by the thread that set `committing`; records that
 *     arrive meanwhile form the next batch (group commit without a thread of our own);
 * (4) whoever sleeps is woken for his own answer, or to commit: each record has a condition of its own,
 *     and after a commit one of those still queued is woken to make the next (waking all of them cost
 *     more than the hashing and signing);
 * (5) tiles and checkpoint are made, and the witness is told, after the answers are given, by the thread
 *     that committed, while others go on; one thread at a time. */
#include <pthread.h>
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

enum state { QUEUED, UNDERWAY, WRITTEN, FAILED, TAKEN };

struct item {
	struct bawn_pending p;     /* first: the list of pendings is a list of items */
	struct item        *later; /* all items, oldest first: tickets ascend */
	uint64_t            ticket;
	enum state          state;
	bool                alone; /* nobody waits for it */
	unsigned            waiters;  /* asleep on it or about to look: it is not freed */
	pthread_cond_t      changed;
	int                 code;
	struct bawn_err     err;   /* when FAILED */
};

struct local {
	struct bawn_audit audit;
	pthread_mutex_t   mutex;
	bool              committing;
	uint64_t          tickets;
	struct item      *items, **end;  /* until somebody has waited for them; where the next one goes */
	struct item      *queued;        /* the oldest that is QUEUED; all after it are */
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
	(void)pthread_cond_destroy(&i->changed);
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
	i->p.notable = rec->type == BAWN_RECORD_LIMIT_VIOLATION ||
	               strcmp(rec->severity != NULL ? rec->severity : bawn_record_severity(rec->type), "CRITICAL") == 0;
	i->p.ends = rec->type == BAWN_RECORD_EXEC_OUTCOME || rec->type == BAWN_RECORD_EXEC_LOST;
	(void)pthread_cond_init(&i->changed, NULL);
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

/* With the mutex held, which is let go meanwhile.  A failure costs nothing but tiles: the next one makes them. */
static void derive(struct local *l, const struct bawn_head *head, const struct bawn_vkey *sealer)
{
	pthread_mutex_unlock(&l->mutex);
	bawn_store_derive(&l->store, head, sealer);
	pthread_mutex_lock(&l->mutex);
	l->deriving = false;
}

/* Somebody who waits for a record still queued makes the next commit.  Where nobody waits yet, whoever
 * comes to wait finds nobody committing. */
static void wake_next(struct local *l)
{
	for (struct item *i = l->queued; i != NULL; i = i->later)
		if (i->waiters > 0) {
			(void)pthread_cond_signal(&i->changed);
			return;
		}
}

/* What it learned of itself meanwhile. */
static void show_state(struct local *l)
{
	char *seen = l->audit.weakness;
	const char *now = l->store.weakness;
	l->audit.notable = l->store.notable;
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

static void answer(struct local *l, struct bawn_pending *first, int r, const struct bawn_err *why)
{
	for (struct bawn_pending *p = first, *next; p != NULL; p = next) {
		struct item *i = (struct item *)p;
		next = p->next;
		i->state = r == 0 ? WRITTEN : FAILED;
		i->code = r;
		i->err = *why;
		bawn_buf_done(&p->draft);
		if (i->alone) {
			take_out(l, i);
			free_item(i);
		} else if (i->waiters > 0) {
			(void)pthread_cond_broadcast(&i->changed);
		}
	}
}

/* With the mutex held, which is let go while files are written. */
static void commit(struct local *l)
{
	struct bawn_err why = { 0 }, refused = { 0 };
	struct bawn_pending *batch = &take_batch(l)->p, *begins = NULL;
	l->committing = true;
	pthread_mutex_unlock(&l->mutex);
	int r = bawn_store_commit(&l->store, batch, &why);
	if (r == -ENOSPC) {  /* the last room there is, is for what ends: it does not wait for what would begin */
		batch = part(batch, &begins);
		refused = why;
		if (begins != NULL && batch != NULL) {
			why = (struct bawn_err){ 0 };
			r = bawn_store_commit(&l->store, batch, &why);
		}
	}
	pthread_mutex_lock(&l->mutex);
	l->committing = false;
	answer(l, begins, -ENOSPC, &refused);
	answer(l, batch, r, &why);
	show_state(l);
	wake_next(l);
	if (r == 0 && !l->deriving && l->store.head.size - l->derived >= BAWN_TILE_WIDTH && bawn_monotonic_us() - l->derived_us >= DERIVE_US) {
		const struct bawn_head head = l->store.head;  /* the store is another thread's when the mutex goes */
		const struct bawn_vkey sealer = l->store.sealer;
		l->deriving = true;
		l->derived = head.size;
		l->derived_us = bawn_monotonic_us();
		derive(l, &head, &sealer);
	}
}

static int wait_for(struct bawn_audit *a, uint64_t ticket, struct bawn_receipt *out, struct bawn_err *err)
{
	struct local *l = local_of(a);
	pthread_mutex_lock(&l->mutex);
	struct item *i = *find(l, ticket);
	if (i != NULL)
		i->waiters++;
	while (i != NULL && (i->state == QUEUED || i->state == UNDERWAY)) {
		if (l->committing)
			pthread_cond_wait(&i->changed, &l->mutex);
		else
			commit(l);
	}
	const bool mine = i != NULL && i->state != TAKEN;  /* a second one who waits for it comes too late */
	int r = !mine ? bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "ticket", "no record waits under this ticket") : i->state == WRITTEN ? 0 : i->code;
	if (mine && r == 0 && out != NULL)
		*out = i->p.receipt;
	if (mine && r < 0 && err != NULL)
		*err = i->err;
	if (mine) {
		take_out(l, i);
		i->state = TAKEN;
	}
	const bool last = i != NULL && --i->waiters == 0;
	pthread_mutex_unlock(&l->mutex);
	if (last)
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
