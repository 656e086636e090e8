/* fold_list.c - see fold.h: sequences and tables of constants. */
#include "assess/fold.h"
#include <stdlib.h>
#include "base/cleanup.h"

/* Nothing is hidden in it: only what goes through it is cut. */
static struct value *long_range(struct script *s, const struct call *c)
{
	struct value *v = bawn_value_new(s->e);
	if (v != NULL)
		v->name = "range()", v->cut = CUT_WORD, v->taint = c->taint;
	return v;
}

static struct value *range(struct script *s, const struct call *c)
{
	int64_t part[3] = { 0, 0, 1 };
	uint32_t n = c->n_args < 3 ? c->n_args : 3;
	for (uint32_t i = 0; i < n; i++)
		if (!bawn_fold_numeric(s, c->arg[i], &part[n == 1 ? 1 : i]))
			return NULL;
	int64_t step = part[2];
	if (n == 0 || step == 0)
		return NULL;
	if (step > INT32_MAX || step < -INT32_MAX || llabs(part[0]) > INT32_MAX || llabs(part[1]) > INT32_MAX)
		return long_range(s, c);
	int64_t span = step > 0 ? part[1] - part[0] : part[0] - part[1];
	int64_t by = step > 0 ? step : -step, items = span <= 0 ? 0 : (span + by - 1) / by;
	if (items > (int64_t)ITEMS_MAX)
		return long_range(s, c);
	struct value *v = bawn_fold_list(s, (uint32_t)items, c->taint);
	for (int64_t i = 0; v != NULL && i < items; i++)
		v->item[i] = bawn_fold_number(s, part[0] + i * step, c->taint);
	return v;
}

/* zip(a, b, ...): as long as the shortest; one that cycles is as long as need be. */
static struct value *zip(struct script *s, const struct call *c)
{
	struct value *list[8];
	uint32_t n = UINT32_MAX;
	if (c->n_args == 0 || c->n_args > BAWN_LEN(list))
		return NULL;
	for (uint32_t i = 0; i < c->n_args; i++) {
		list[i] = bawn_fold_items(s, c->arg[i]);
		if (list[i] == NULL)
			return NULL;
		if (!list[i]->cycles && list[i]->n_items < n)
			n = list[i]->n_items;
	}
	struct value *v = bawn_fold_list(s, n, c->taint);
	for (uint32_t i = 0; v != NULL && i < n; i++) {
		struct value *row = v->item[i] = bawn_fold_list(s, c->n_args, c->taint);
		for (uint32_t k = 0; row != NULL && k < c->n_args; k++)
			row->item[k] = list[k]->n_items > 0 ? list[k]->item[i % list[k]->n_items] : NULL;
	}
	return v;
}

static struct value *enumerated(struct script *s, const struct call *c)
{
	struct value *in = bawn_fold_items(s, fold_arg(c, 0)), *start = fold_arg(c, 1);
	int64_t from = 0;
	(void)bawn_fold_numeric(s, start != NULL ? start : bawn_fold_keyword(c, "start"), &from);  /* 0 where it is not given */
	struct value *v = in != NULL ? bawn_fold_list(s, in->n_items, in->taint) : NULL;
	for (uint32_t i = 0; v != NULL && i < v->n_items; i++)
		v->item[i] = bawn_fold_pair(s, bawn_fold_number(s, from + i, 0), in->item[i]);
	return v;
}

static struct value *reversed(struct script *s, struct value *in)
{
	bool has[3] = { false, false, true };
	return bawn_fold_slice(s, in, has, (int64_t[3]){ 0, 0, -1 });
}

#define TURNED_MIN 8u  /* letters */

/* Letters in the other order were written that way so that nobody would read them. */
static struct value *turned(struct script *s, struct value *in)
{
	struct value *v = reversed(s, in);
	bool letters = !s->python && v != NULL && v->is_list && v->n_items >= TURNED_MIN;
	for (uint32_t i = 0; letters && i < v->n_items; i++)
		letters = bawn_value_is_text(v->item[i]) && v->item[i]->text.n == 1;
	if (letters)
		v->taint |= BAWN_TAG(DECODE);
	return v;
}

/* map(f, a, b...) and its relatives; `spread`: the items are the arguments. */
static struct value *mapped(struct script *s, struct value *f, struct value *const *in, uint32_t n_in, bool spread, uint32_t node)
{
	struct value *list[4];
	uint32_t n = UINT32_MAX;
	if (f == NULL || n_in == 0 || n_in > BAWN_LEN(list))
		return NULL;
	for (uint32_t i = 0; i < n_in; i++) {
		list[i] = bawn_fold_items(s, in[i]);
		if (list[i] == NULL)
			return NULL;
		if (!list[i]->cycles && list[i]->n_items < n)
			n = list[i]->n_items;
	}
	struct value *v = bawn_fold_list(s, n, list[0]->taint);
	for (uint32_t i = 0; v != NULL && i < n && s->e->error == 0; i++) {
		struct value *arg[4];
		for (uint32_t k = 0; k < n_in; k++)
			arg[k] = list[k]->n_items > 0 ? list[k]->item[i % list[k]->n_items] : NULL;
		if (spread && arg[0] != NULL && arg[0]->is_list)
			v->item[i] = bawn_fold_apply(s, f, arg[0]->item, arg[0]->n_items, node);
		else if (!s->python && n_in == 1)  /* the index comes second */
			v->item[i] = bawn_fold_apply(s, f, (struct value *[]){ arg[0], bawn_fold_number(s, i, 0) }, 2, node);
		else
			v->item[i] = bawn_fold_apply(s, f, arg, n_in, node);
		v->taint |= taint_of(v->item[i]);
	}
	return v;
}

static struct value *filtered(struct script *s, struct value *f, struct value *list, uint32_t node)
{
	struct value *in = bawn_fold_items(s, list), *v = in != NULL ? bawn_fold_list(s, in->n_items, in->taint) : NULL;
	bool self = f == NULL || (f->name != NULL && strcmp(f->name, "None") == 0);
	uint32_t n = 0;
	for (uint32_t i = 0; v != NULL && i < in->n_items; i++) {
		struct value *yes = self ? in->item[i] : bawn_fold_apply(s, f, &in->item[i], 1, node);
		enum truth t = bawn_fold_truth(yes);
		if (t == TRUTH_UNKNOWN)
			return NULL;
		if (t == TRUTH_YES)
			v->item[n++] = in->item[i];
	}
	if (v != NULL)
		v->n_items = n;
	return v;
}

static struct value *reduced(struct script *s, struct value *f, struct value *list, struct value *first, uint32_t node)
{
	struct value *in = bawn_fold_items(s, list), *v = first;
	for (uint32_t i = 0; f != NULL && in != NULL && i < in->n_items && s->e->error == 0; i++) {
		if (i == 0 && first == NULL) {
			v = in->item[0];
			continue;
		}
		v = bawn_fold_apply(s, f, (struct value *[]){ v, in->item[i] }, 2, node);
		if (v == NULL)
			return NULL;
	}
	return in != NULL ? v : NULL;
}

static struct value *summed(struct script *s, struct value *list, struct value *start)
{
	struct value *in = bawn_fold_items(s, list), *v = start != NULL ? start : bawn_fold_number(s, 0, 0);
	for (uint32_t i = 0; in != NULL && v != NULL && i < in->n_items; i++)
		v = bawn_fold_binary(s, '+', v, in->item[i]);
	return in != NULL ? v : NULL;
}

/* ---- order ---- */

struct ranked { struct value *key, *item; uint32_t at; };

static int by_key(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;
	int c = 0;
	if (a->key->has_number)
		c = (a->key->number > b->key->number) - (a->key->number < b->key->number);
	else {
		size_t n = a->key->text.n < b->key->text.n ? a->key->text.n : b->key->text.n;
		c = memcmp(a->key->text.p, b->key->text.p, n);
		c = c != 0 ? c : (a->key->text.n > b->key->text.n) - (a->key->text.n < b->key->text.n);
	}
	return c != 0 ? c : (a->at > b->at) - (a->at < b->at);
}

/* Only what can be compared: all numbers, or all texts (or lists whose first items are). */
static struct value *sorted(struct script *s, struct value *list, struct value *key, bool back, uint32_t node)
{
	struct value *in = bawn_fold_items(s, list), *v = in != NULL ? bawn_fold_list(s, in->n_items, in->taint) : NULL;
	struct ranked *row = v != NULL && bawn_fold_charge(s, in->n_items * sizeof(struct ranked)) ? bawn_arena_array(fold_memory(s), struct ranked, in->n_items + 1) : NULL;
	if (row == NULL)
		return NULL;
	for (uint32_t i = 0; i < in->n_items; i++) {
		struct value *k = key != NULL ? bawn_fold_apply(s, key, &in->item[i], 1, node) : in->item[i];
		if (k != NULL && k->is_list && k->n_items > 0 && !k->choice)
			k = k->item[0];
		if (k == NULL || (!k->has_number && !bawn_value_is_text(k)) || (i > 0 && k->has_number != row[0].key->has_number))
			return NULL;
		row[i] = (struct ranked){ k, in->item[i], back ? in->n_items - i : i };
	}
	qsort(row, in->n_items, sizeof *row, by_key);
	for (uint32_t i = 0; i < in->n_items; i++)
		v->item[i] = row[back ? in->n_items - 1 - i : i].item;
	return v;
}

/* ---- dictionaries ---- */

static bool put(struct script *s, struct value *dict, uint32_t room, struct value *key, struct value *v)
{
	const char *k = bawn_fold_key(s, key);
	for (uint32_t i = 0; k != NULL && i < dict->n_items; i++)
		if (dict->key[i] != NULL && strcmp(dict->key[i], k) == 0) {
			dict->item[i] = v;
			return true;
		}
	if (k == NULL || dict->n_items == room)
		return false;
	dict->key[dict->n_items] = k;
	dict->item[dict->n_items++] = v;
	dict->taint |= taint_of(v);
	return true;
}

static struct value *new_dict(struct script *s, uint32_t room)
{
	struct value *v = bawn_fold_list(s, room, 0);
	if (v == NULL)
		return NULL;
	v->key = bawn_arena_array(fold_memory(s), const char *, room + 1);
	v->is_list = false, v->is_dict = true, v->n_items = 0;
	return v->key != NULL ? v : NULL;
}

struct value *bawn_fold_dict(struct script *s, const struct value *keys, const struct value *items)
{
	struct value *v = keys->n_items <= 1024 ? new_dict(s, keys->n_items) : NULL;
	for (uint32_t i = 0; v != NULL && i < keys->n_items; i++)
		if (!put(s, v, keys->n_items, keys->item[i], items->item[i]))
			return NULL;
	return v;
}

/* dict(pairs, **keywords) */
static struct value *dict_of(struct script *s, const struct call *c)
{
	struct value *a = fold_arg(c, 0), *in = a != NULL && a->is_dict ? a : a != NULL ? bawn_fold_items(s, a) : NULL;
	if (a != NULL && in == NULL)
		return NULL;
	uint32_t room = (in != NULL ? in->n_items : 0) + c->n_keywords;
	struct value *v = room <= 1024 ? new_dict(s, room) : NULL;
	for (uint32_t i = 0; v != NULL && in != NULL && i < in->n_items; i++) {
		struct value *pair = in->item[i];
		if (in->is_dict)
			v->key[v->n_items] = in->key[i], v->item[v->n_items++] = in->item[i];
		else if (pair == NULL || !pair->is_list || pair->n_items != 2 || !put(s, v, room, pair->item[0], pair->item[1]))
			return NULL;
	}
	for (uint32_t i = 0; v != NULL && i < c->n_keywords; i++)
		v->key[v->n_items] = c->keyword[i].name, v->item[v->n_items++] = c->keyword[i].value;
	return v;
}

/* str.maketrans(from, to, drop), or a table: keys are code points, as translate wants them. */
static struct value *maketrans(struct script *s, const struct call *c)
{
	struct value *a = fold_arg(c, 0), *drop = fold_arg(c, 2);
	struct letters from, to, gone = { NULL, 0 };
	if (a != NULL && a->is_dict && a->n_items <= 1024) {
		struct value *v = new_dict(s, a->n_items);
		for (uint32_t i = 0; v != NULL && i < a->n_items; i++) {
			struct letters l;
			struct value *key = a->key[i] != NULL ? bawn_value_text(s->e, bawn_span(a->key[i])) : NULL;
			bool letter = key != NULL && bawn_fold_letters(s, key, &l) && l.n == 1;
			(void)put(s, v, a->n_items, letter ? bawn_fold_number(s, l.c[0], 0) : key, a->item[i]);  /* an unknown key stays out */
		}
		return v;
	}
	if (!bawn_fold_letters(s, a, &from) || !bawn_fold_letters(s, fold_arg(c, 1), &to) || from.n != to.n || from.n > 1024)
		return NULL;
	if (bawn_value_is_text(drop) && (!bawn_fold_letters(s, drop, &gone) || gone.n > 1024))
		return NULL;
	uint32_t room = (uint32_t)(from.n + gone.n);
	struct value *v = new_dict(s, room);
	for (size_t i = 0; v != NULL && i < room; i++) {
		bool dropped = i >= from.n;
		struct value *key = bawn_fold_number(s, dropped ? gone.c[i - from.n] : from.c[i], 0);
		(void)put(s, v, room, key, dropped ? NULL : bawn_fold_number(s, to.c[i], 0));  /* there is room */
	}
	return v;
}

static struct value *entries(struct script *s, const struct value *dict, int op)
{
	struct value *v = dict != NULL && dict->is_dict ? bawn_fold_list(s, dict->n_items, dict->taint) : NULL;
	for (uint32_t i = 0; v != NULL && i < v->n_items; i++) {
		struct value *key = dict->key[i] != NULL && op != F_VALUES ? bawn_value_text(s->e, bawn_span(dict->key[i])) : NULL;
		v->item[i] = op == F_KEYS ? key : op == F_VALUES ? dict->item[i] : bawn_fold_pair(s, key, dict->item[i]);
	}
	return v;
}

/* ---- lists that change ----
 * A changed list is a new value; whoever still holds the old one sees what it was.  Appending is cheap
 * all the same: the new value shares the array of the old one while the place behind its last item is
 * free, which the first word before the items (how many are taken) tells. */

struct store { uint32_t taken, room; struct value *item[]; };

static struct value *append(struct script *s, const struct value *self, struct value *const *more, uint32_t n)
{
	struct value *v = bawn_fold_charge(s, 2 * sizeof(struct value *) * (size_t)n + FOLD_VALUE) ? bawn_value_new(s->e) : NULL;
	if (v == NULL)
		return NULL;
	*v = *self;
	if (bawn_fold_over(s, self->n_items + n, ITEMS_MAX)) {
		v->partial = true;
		v->taint |= BAWN_TAG(CUT);
		return v;
	}
	if (v->store == NULL || v->store->taken != v->n_items || v->store->room < v->n_items + n) {
		uint32_t room = 2 * (v->n_items + n) + 8;
		struct store *fresh = bawn_arena_get(fold_memory(s), sizeof *fresh + room * sizeof *fresh->item);
		if (fresh == NULL)
			return NULL;
		if (v->n_items > 0)
			memcpy(fresh->item, v->item, v->n_items * sizeof *fresh->item);
		fresh->room = room;
		v->store = fresh;
		v->item = fresh->item;
	}
	for (uint32_t i = 0; i < n; i++) {
		v->item[v->n_items++] = more[i];
		v->taint |= taint_of(more[i]);
	}
	v->store->taken = v->n_items;
	return v;
}

struct value *bawn_fold_append(struct script *s, const struct value *list, struct value *v)
{
	return list != NULL ? append(s, list, &v, 1) : NULL;
}

/* A copy with `n` items more at `at`, and `drop` fewer there. */
static struct value *spliced(struct script *s, const struct value *self, uint32_t at, uint32_t drop, struct value *const *more, uint32_t n)
{
	if (at > self->n_items || drop > self->n_items - at)
		return NULL;
	struct value *v = bawn_fold_list(s, self->n_items - drop + n, self->taint);
	if (v == NULL)
		return NULL;
	memcpy(v->item, self->item, at * sizeof *v->item);
	for (uint32_t i = 0; i < n; i++)
		v->item[at + i] = more[i];
	memcpy(v->item + at + n, self->item + at + drop, (self->n_items - at - drop) * sizeof *v->item);
	v->partial = self->partial;
	return v;
}

static int64_t popped_at(struct script *s, int op, const struct value *self, const struct value *a)
{
	int64_t at = op == F_SHIFT ? 0 : -1;
	if (op == F_POP && a != NULL && !bawn_fold_numeric(s, a, &at))
		return -1;
	return at + (at < 0 ? self->n_items : 0);
}

/* map.set(key, v) */
static struct value *with_entry(struct script *s, const struct value *self, struct value *key, struct value *v)
{
	struct value *map = self->n_items < 1024 ? new_dict(s, self->n_items + 1) : NULL;
	if (map == NULL)
		return NULL;
	if (self->n_items > 0) {
		memcpy(map->item, self->item, self->n_items * sizeof *map->item);
		memcpy(map->key, self->key, self->n_items * sizeof *map->key);
	}
	map->n_items = self->n_items;
	map->taint = self->taint;
	return put(s, map, self->n_items + 1, key, v) ? map : NULL;
}

/* What the list is after the call; NULL: the method does not change it, or nobody knows how. */
struct value *bawn_fold_changed(struct script *s, const struct call *c)
{
	struct value *self = c->function != NULL ? c->function->self : NULL, *a = fold_arg(c, 0), *in;
	const char *dot = c->name != NULL ? strrchr(c->name, '.') : NULL;
	if (!s->python && self != NULL && self->is_dict && !self->choice && dot != NULL && strcmp(dot, ".set") == 0 && c->n_args == 2)
		return with_entry(s, self, a, c->arg[1]);
	if (!s->python && self != NULL && self->is_list && !self->choice && dot != NULL && strcmp(dot, ".add") == 0)
		return append(s, self, c->arg, c->n_args);
	if (self == NULL || !self->is_list || self->choice || dot == NULL)
		return NULL;
	int op = bawn_fold_list_method(dot + 1);
	int64_t at;
	switch (op) {
	case F_APPEND:     return append(s, self, c->arg, c->n_args);
	case F_PUT_PREFIX: return spliced(s, self, 0, 0, c->arg, c->n_args);
	case F_REVERSE:    return bawn_fold_list_op(s, F_REVERSE, self, c);
	case F_SORT:       return bawn_fold_list_op(s, F_SORT, self, c);
	case F_EXTEND:
		in = bawn_fold_items(s, a);
		if (in != NULL)
			return append(s, self, in->item, in->n_items);
		in = append(s, self, &a, a != NULL);
		if (in != NULL)
			in->partial = true;
		return in;
	case F_INSERT:
		if (c->n_args != 2 || !bawn_fold_numeric(s, a, &at) || at < 0 || at > (int64_t)self->n_items)
			at = self->n_items;
		return c->n_args == 2 ? spliced(s, self, (uint32_t)at, 0, c->arg + 1, 1) : NULL;
	case F_POP: case F_SHIFT:
		at = popped_at(s, op, self, a);
		return at >= 0 && at < (int64_t)self->n_items ? spliced(s, self, (uint32_t)at, 1, NULL, 0) : NULL;
	default:           return NULL;
	}
}

static struct value *flat(struct script *s, const struct value *in)
{
	struct value *v = bawn_fold_list(s, 0, in != NULL ? in->taint : 0);
	for (uint32_t i = 0; v != NULL && in != NULL && i < in->n_items; i++) {
		struct value *part = in->item[i], *items = part != NULL && !bawn_value_is_text(part) ? bawn_fold_items(s, part) : NULL;
		v = append(s, v, items != NULL ? items->item : &part, items != NULL ? items->n_items : 1);
	}
	return v;
}

/* itertools.chain(a, b): each argument in turn. */
static struct value *chained(struct script *s, struct value *const *list, uint32_t n)
{
	struct value *v = bawn_fold_list(s, 0, 0);
	for (uint32_t i = 0; v != NULL && i < n; i++) {
		struct value *in = bawn_fold_items(s, list[i]);
		if (in == NULL)
			return NULL;
		v = append(s, v, in->item, in->n_items);
	}
	return v;
}

static struct value *extreme(struct script *s, const struct call *c, bool most)
{
	struct value *in = c->n_args == 1 ? bawn_fold_items(s, c->arg[0]) : NULL;
	struct value all = { .item = c->arg, .n_items = c->n_args, .is_list = true };
	struct value *v = sorted(s, in != NULL ? in : &all, bawn_fold_keyword(c, "key"), false, c->node);
	return v != NULL && v->n_items > 0 ? v->item[most ? v->n_items - 1 : 0] : NULL;
}

static struct value *cycle(struct script *s, struct value *list)
{
	struct value *in = bawn_fold_items(s, list), *v = in != NULL ? bawn_value_new(s->e) : NULL;
	if (v != NULL)
		*v = *in, v->cycles = in->n_items > 0;
	return v;
}

static struct value *islice(struct script *s, const struct call *c)
{
	struct value *in = bawn_fold_items(s, fold_arg(c, 0));
	int64_t part[3] = { 0, 0, 1 };
	uint32_t n = c->n_args - 1;
	for (uint32_t i = 0; in != NULL && i < n && i < 3; i++)
		if (!bawn_fold_numeric(s, c->arg[i + 1], &part[n == 1 ? 1 : i]))
			return NULL;
	if (in == NULL || c->n_args < 2 || part[2] < 1 || part[0] < 0 || part[1] > (int64_t)ITEMS_MAX)
		return NULL;
	struct value *v = bawn_fold_list(s, part[1] > 0 ? (uint32_t)part[1] : 0, in->taint);
	uint32_t k = 0;
	for (int64_t i = part[0]; v != NULL && i < part[1] && (in->cycles || i < (int64_t)in->n_items); i += part[2])
		v->item[k++] = in->item[i % in->n_items];
	if (v != NULL)
		v->n_items = k;
	return v;
}

static struct value *filled(struct script *s, const struct value *in, struct value *with)
{
	struct value *v = bawn_fold_list(s, in->n_items, in->taint);
	for (uint32_t i = 0; v != NULL && i < v->n_items; i++)
		v->item[i] = with;
	return v;
}

/* list(a), Array.from(a, b) */
static struct value *list_of(struct script *s, const struct call *c, struct value *a, struct value *b)
{
	struct value *in = c->n_args == 0 ? bawn_fold_list(s, 0, 0) : bawn_fold_items(s, a);
	struct value *v = in != NULL && b == NULL ? chained(s, &in, 1) : NULL;
	return b != NULL && !s->python ? mapped(s, b, &a, 1, false, c->node) : v != NULL ? v : a != NULL && a->is_list ? a : NULL;
}

static struct value *concatenated(struct script *s, struct value *self, const struct call *c)
{
	struct value *v = chained(s, &self, 1);
	for (uint32_t i = 0; v != NULL && i < c->n_args; i++) {
		struct value *in = bawn_value_is_text(c->arg[i]) ? NULL : bawn_fold_items(s, c->arg[i]);
		v = append(s, v, in != NULL ? in->item : &c->arg[i], in != NULL ? in->n_items : 1);
	}
	return v;
}

static struct value *joined(struct script *s, struct value *between, struct value *self)
{
	return bawn_fold_join(s, bawn_value_is_text(between) ? between : bawn_value_text(s->e, bawn_span(",")), self);
}

static struct value *sliced(struct script *s, struct value *self, struct value *a, struct value *b)
{
	bool has[3] = { a != NULL, b != NULL, false };
	int64_t part[3] = { 0, 0, 0 };
	if ((has[0] && !bawn_fold_numeric(s, a, &part[0])) || (has[1] && !bawn_fold_numeric(s, b, &part[1])))
		return NULL;
	return bawn_fold_slice(s, self, has, part);
}

/* What pop and shift give. */
static struct value *popped(struct script *s, int op, struct value *self, struct value *a)
{
	if (!self->is_list || self->choice)
		return op == F_POP && a != NULL ? bawn_fold_subscript(s, self, a) : NULL;
	if (!s->python && s->replay == 0 && s->scope != 0 && self->n_items > 1 && bawn_fold_any(s, self) != NULL)
		return bawn_fold_any(s, self);  /* another one each time the function is called */
	int64_t at = popped_at(s, op, self, a);
	return at >= 0 && at < (int64_t)self->n_items && !self->partial ? self->item[at] : NULL;
}

static int64_t place_in(struct script *s, const struct value *self, struct value *a)
{
	for (uint32_t i = 0; a != NULL && !self->choice && i < self->n_items; i++)
		if (bawn_fold_truth(bawn_fold_binary(s, 'e', a, self->item[i])) == TRUTH_YES)
			return i;
	return -1;
}

/* A bytearray as the bytes it holds. */
static struct value *bytes_in(struct script *s, int op, const struct value *self, const struct call *c)
{
	struct value *bytes = self->is_list && !self->choice ? bawn_fold_from_numbers(s, self->item, self->n_items, true, self->taint) : NULL;
	return bytes != NULL ? bawn_fold_text_method(s, op, bytes, c) : NULL;
}

/* `self` is the list of a method, NULL for functions. */
struct value *bawn_fold_list_op(struct script *s, int op, struct value *self, const struct call *c)
{
	struct value *a = fold_arg(c, 0), *b = fold_arg(c, 1), *key = bawn_fold_keyword(c, "key");
	bool back = bawn_fold_truth(bawn_fold_keyword(c, "reverse")) == TRUTH_YES;
	switch (op) {
	case F_RANGE:       return range(s, c);
	case F_ZIP:         return zip(s, c);
	case F_ENUMERATE:   return enumerated(s, c);
	case F_REVERSED:    return reversed(s, a);
	case F_REVERSE:     return turned(s, self);
	case F_SORTED: {
		struct value *v = sorted(s, a, key, back, c->node);
		return v != NULL ? v : a != NULL && a->is_list && a->partial ? a : NULL;
	}
	case F_SORT:        return sorted(s, self, s->python ? key : NULL, back, c->node);
	case F_MIN:         return extreme(s, c, false);
	case F_MAX:         return extreme(s, c, true);
	case F_SUM:         return summed(s, a, b);
	case F_DICT:        return dict_of(s, c);
	case F_MAKETRANS:   return maketrans(s, c);
	case F_CYCLE:       return cycle(s, a);
	case F_CHAIN:       return chained(s, c->arg, c->n_args);
	case F_SLICE_LIST:  return c->n_args > 0 ? islice(s, c) : NULL;
	case F_LIST: case F_SET: return list_of(s, c, a, b);
	case F_MAP:
		return self != NULL ? mapped(s, a, &self, 1, false, c->node) : c->n_args > 1 ? mapped(s, a, c->arg + 1, c->n_args - 1, false, c->node) : NULL;
	case F_STARMAP:     return mapped(s, a, &b, b != NULL, true, c->node);
	case F_FILTER:      return self != NULL ? filtered(s, a, self, c->node) : filtered(s, a, b, c->node);
	case F_REDUCE:      return self != NULL ? reduced(s, a, self, b, c->node) : reduced(s, a, b, fold_arg(c, 2), c->node);
	case F_KEYS: case F_VALUES: case F_ENTRIES: return entries(s, self != NULL ? self : a, op);
	case F_CONCAT_LIST: return a != NULL && a->is_list ? bawn_fold_join(s, bawn_value_text(s->e, bawn_span("")), a) : NULL;
	case F_CONCAT:      return concatenated(s, self, c);
	case F_JOIN:        return joined(s, a, self);
	case F_TO_STRING:   return s->python ? NULL : joined(s, NULL, self);
	case F_SLICE:       return sliced(s, self, a, b);
	case F_AT: case F_GET:
		return a != NULL ? bawn_fold_subscript(s, self, a) : NULL;
	case F_FLAT:        return flat(s, self);
	case F_FILL:        return filled(s, self, a);
	case F_POP: case F_SHIFT: return popped(s, op, self, a);
	case F_SAME:        return self;
	case F_DECODE_AS: case F_HEX: return bytes_in(s, op, self, c);
	case F_FIND:        return bawn_fold_number(s, place_in(s, self, a), 0);
	case F_CONTAINS:    return bawn_fold_bool(s, place_in(s, self, a) >= 0);
	default:            return NULL;
	}
}
