/* call.c - a call: its arguments, what it comes to, what it does to the world and whom it hands data on to. */
#include "assess/call.h"
#include "assess/bind.h"
#include "assess/javascript.h"
#include "assess/parameter.h"
#include "assess/reader.h"
#include "assess/replay.h"
#include "assess/special.h"
#include "assess/world.h"
#include "base/cleanup.h"

#define SMALL_BODY     40u
#define SPREAD_CHOICE  4u   /* arguments that ...x may become where x is one of several lists */

static void add_argument(struct script *s, struct call *c, uint32_t i, uint32_t room)
{
	const struct bawn_node *n = node(s, i);
	struct value *v = s->val[i];
	if (n->kind == BAWN_K_COMMENT)
		return;
	if (n->kind == BAWN_K_KEYWORD) {
		uint32_t name = child(s, i, BAWN_R_NAME), at = child(s, i, BAWN_R_VALUE);
		v = at != 0 ? s->val[at] : NULL;
		c->keyword[c->n_keywords++] = (struct keyword){ name != 0 ? bawn_script_dotted(s, name) : NULL, v };
	} else if (n->kind == BAWN_K_SPLAT && v != NULL && v->is_list) {
		for (uint32_t k = 0; k < v->n_items && c->n_args < room; k++)
			c->arg[c->n_args++] = v->item[k];
	} else if (n->kind == BAWN_K_SPLAT && v != NULL && v->is_dict && s->python) {
		for (uint32_t k = 0; k < v->n_items && c->n_keywords < room; k++)
			c->keyword[c->n_keywords++] = (struct keyword){ v->key[k], v->item[k] };
	} else if (n->kind == BAWN_K_SPLAT && v != NULL && v->choice && !s->python) {
		struct value *part = bawn_fold_each_item(s, v, 0, NULL);
		for (uint32_t k = 1; part != NULL && c->n_args < room; part = bawn_fold_each_item(s, v, k++, NULL))
			c->arg[c->n_args++] = part;
	} else if (c->n_args < room) {
		c->arg[c->n_args++] = v;
	}
	c->taint |= v != NULL ? v->taint : 0;
}

static bool gather(struct script *s, uint32_t i, struct call *c)
{
	uint32_t args = child(s, i, BAWN_R_ARGUMENTS), n = 0;
	for (uint32_t k = args != 0 ? node(s, args)->child : 0; k != 0; k = node(s, k)->next)
		n += 1 + (node(s, k)->kind == BAWN_K_SPLAT && s->val[k] != NULL ? s->val[k]->n_items + SPREAD_CHOICE : 0);
	s->e->cut = s->e->cut || n > ITEMS_MAX;
	n = n < ITEMS_MAX ? n : ITEMS_MAX;
	c->arg = bawn_arena_array(scratch(s), struct value *, n + 2);
	c->keyword = bawn_arena_array(scratch(s), struct keyword, n + 2);
	if (c->arg == NULL || c->keyword == NULL)
		return false;
	if (args != 0 && node(s, args)->kind != BAWN_K_ARGUMENTS)  /* f(x for x in y), or a tagged template */
		add_argument(s, c, args, n + 1);
	else
		for (uint32_t k = args != 0 ? node(s, args)->child : 0; k != 0; k = node(s, k)->next)
			if (c->n_keywords < n + 1)
				add_argument(s, c, k, n + 1);
	/* An options object counts as keywords too. */
	const struct value *last = NULL;
	for (uint32_t k = c->n_args; k > 0 && last == NULL; k--)
		last = c->arg[k - 1] != NULL && c->arg[k - 1]->is_dict ? c->arg[k - 1] : NULL;
	if (!s->python && last != NULL && last->n_items > 0) {
		struct keyword *kw = bawn_arena_array(scratch(s), struct keyword, last->n_items);
		for (uint32_t k = 0; kw != NULL && k < last->n_items; k++)
			kw[k] = (struct keyword){ last->key[k], last->item[k] };
		if (kw != NULL)
			c->keyword = kw, c->n_keywords = last->n_items;
	}
	return true;
}

/* Functions that put texts together are read again for each call whose arguments are known. */
static bool worth_replaying(const struct script *s, const struct call *c)
{
	bool known = false;
	for (uint32_t i = 0; i < c->n_args; i++)
		known = known || (c->arg[i] != NULL && ((bawn_value_is_text(c->arg[i]) && !c->arg[i]->partial) || c->arg[i]->n_items > 0 || c->arg[i]->has_number));
	uint32_t f = c->function->function, body = child(s, f, BAWN_R_BODY);
	bool small = body != 0 && subtree_end(s, body) - body <= SMALL_BODY;
	return (s->builds[f] || small) && (known || c->n_args == 0);
}

/* What a function of the program itself gives back. */
static struct value *local_call(struct script *s, struct call *c)
{
	struct value *exact = worth_replaying(s, c) ? bawn_script_replay(s, c->function->function, c) : NULL;
	s->builds[s->scope] = s->builds[s->scope] || s->builds[c->function->function];
	bawn_bind_parameters(s, c->function->function, c, false);
	struct value *result = exact != NULL ? exact : bawn_scope_get(s, c->function->function, "()", 2);
	struct value *v = result != NULL ? bawn_value_new(s->e) : NULL;
	if (v != NULL)
		*v = *result;
	return v;
}

/* What some call gave, or nobody knows what; or a member of objects put together. */
static bool is_result(const struct value *f)
{
	size_t n = f != NULL && f->name != NULL ? strlen(f->name) : 0;
	const char *of = f != NULL && f->self != NULL ? f->self->name : NULL;
	return f != NULL && (n == 0 || f->name[n - 1] == ')' || f->name[n - 1] == ']' || (of != NULL && strcmp(of, "Object.assign()") == 0));
}

static bool loads(const char *name)
{
	static const char *const loader[] = { "importlib.import_module", "__import__", "require", "import" };
	for (size_t i = 0; name != NULL && i < BAWN_LEN(loader); i++)
		if (strcmp(name, loader[i]) == 0)
			return true;
	return false;
}

uint64_t bawn_call_tell(struct script *s, const struct call *c)
{
	uint32_t f = child(s, c->node, BAWN_R_FUNCTION);
	struct fact fact = { .kind = BAWN_MATCH_CALL, .name = c->name, .arg = c->arg, .n_args = c->n_args, .keyword = c->keyword,
	                     .n_keywords = c->n_keywords, .taint = c->taint, .node = c->node };
	if (c->name != NULL && !bawn_span_is(f != 0 ? text_of(s, f) : bawn_span(""), c->name))
		fact.folded = c->name;
	uint64_t tags = c->name != NULL ? bawn_engine_fact(s->e, &fact) : 0;
	if (c->name == NULL && c->function != NULL && (c->function->taint & (BAWN_TAG(DECODE) | BAWN_TAG(OBFUSCATED))) != 0)
		(void)bawn_engine_event(s->e, "unknown-call", c->node, NULL);
	if (is_result(c->function) || (f != 0 && node(s, f)->kind == BAWN_K_SUBSCRIPT))
		bawn_engine_reach(s->e, c->function, c->node);
	if (c->n_args > 0 && loads(c->name))
		bawn_engine_reach(s->e, c->arg[0], c->node);
	bool told = c->name != NULL && s->e->held > 0;
	s->told[c->node] = s->told[c->node] || told;
	return (tags | bawn_call_effects(s, c, told)) & FLOWS;
}

/* Whatever the function may be: each possibility counts. */
static void tell_alternatives(struct script *s, const struct call *c)
{
	const struct value *f = c->function;
	for (uint32_t i = 0; f != NULL && f->choice && i < f->n_items; i++) {
		struct value *one = f->item[i];
		if (one != NULL && one->function != 0 && one->function != f->function)
			bawn_bind_parameters(s, one->function, c, false);
		if (one == NULL || one->name == NULL || one->function != 0 || (c->name != NULL && strcmp(one->name, c->name) == 0))
			continue;
		struct call other = *c;
		other.function = one;
		other.name = one->name;
		(void)bawn_call_tell(s, &other);
	}
}

/* setattr(x, 'f', v), object.__setattr__(x, 'f', v), x.__setattr__('f', v) */
static void set_attribute(struct script *s, const struct call *c)
{
	const char *dot = c->name != NULL ? strrchr(c->name, '.') : NULL;
	bool method = dot != NULL && strcmp(dot, ".__setattr__") == 0, own = method && c->n_args == 2;
	if (!s->python || c->name == NULL || !(method || strcmp(c->name, "setattr") == 0) || c->n_args < 2)
		return;
	uint32_t f = child(s, c->node, BAWN_R_FUNCTION), args = child(s, c->node, BAWN_R_ARGUMENTS);
	uint32_t object = own ? child(s, f, BAWN_R_OBJECT) : args != 0 ? node(s, args)->child : 0;
	const struct value *key = c->arg[own ? 0 : 1];
	if (object != 0 && bawn_value_is_text(key) && c->n_args > (own ? 1u : 2u))
		bawn_bind_attribute(s, object, bawn_arena_text(scratch(s), key->text), c->arg[own ? 1 : 2]);
}

/* Calls by which a function puts a text together. */
static void note_builder(struct script *s, const char *name)
{
	static const char *const builds[] = { "chr", "bytes", "bytearray", "join", "decode", "translate", "fromCharCode", "fromCodePoint", "to_bytes",
	                                      "charCodeAt", "reversed", "reverse", "replace", "b64decode", "fromhex", "unhexlify", "atob", "from" };
	const char *dot = name != NULL ? strrchr(name, '.') : NULL;
	for (size_t i = 0; name != NULL && s->scope != 0 && i < BAWN_LEN(builds); i++)
		if (strcmp(dot != NULL ? dot + 1 : name, builds[i]) == 0)
			s->builds[s->scope] = true;
}

static struct value *result_of(struct script *s, const struct call *c)
{
	struct value *v = unknown(s, 0);
	if (v == NULL)
		return NULL;
	if (c->function != NULL && c->function->result != NULL)
		*v = *c->function->result;
	else if (c->name != NULL && strlen(c->name) < NAME_MAX_BYTES)
		v->name = bawn_arena_fmt(scratch(s), "%s()", c->name);
	v->self = bawn_call_wraps(c);
	return v;
}

/* Making an object of a class of the program runs its constructor. */
static void construct(struct script *s, const struct call *c)
{
	const char *init = c->name != NULL ? bawn_arena_fmt(scratch(s), "%s.%s", c->name, s->python ? "__init__" : "constructor") : NULL;
	const struct value *v = init != NULL ? bawn_scope_get(s, 0, init, strlen(init)) : NULL;
	const struct value *maker = s->specials ? bawn_special(s, c->function, "__new__") : NULL;
	if (v != NULL && v->function != 0)
		bawn_bind_parameters(s, v->function, c, false);
	if (maker != NULL && maker->function != 0)
		bawn_bind_parameters(s, maker->function, c, false);
}

/* Thread(target=f, args=(x,)), submit(f, x), Timer(5, f, [x]): somebody else will call f with x. */
static void tell_later(struct script *s, const struct call *c, struct value *f, struct value **arg, uint32_t n)
{
	static const char *const builtin[] = { "exec", "eval", "compile", "open", "__import__" };
	bool known = f != NULL && f->name != NULL && f->function == 0 && !bawn_value_is_text(f) && f->imported;
	for (size_t i = 0; !known && f != NULL && f->name != NULL && f->function == 0 && i < BAWN_LEN(builtin); i++)
		known = strcmp(f->name, builtin[i]) == 0;
	for (uint32_t i = 0; n == 0 && i < c->n_keywords; i++)
		if (c->keyword[i].name != NULL && (strcmp(c->keyword[i].name, "args") == 0 || strcmp(c->keyword[i].name, "argument") == 0))
			arg = &c->keyword[i].value, n = 1;
	if (!known || n == 0)
		return;
	struct call later = { .node = c->node, .function = f, .name = f->name, .arg = arg, .n_args = n };
	if (n == 1 && arg[0] != NULL && arg[0]->is_list && !arg[0]->choice)
		later.arg = arg[0]->item, later.n_args = arg[0]->n_items;
	for (uint32_t i = 0; i < later.n_args; i++)
		later.taint |= later.arg[i] != NULL ? later.arg[i]->taint : 0;
	(void)bawn_call_tell(s, &later);
}

static void tell_handed(struct script *s, const struct call *c)
{
	for (uint32_t i = 0; i < c->n_args && i < 5; i++)
		tell_later(s, c, c->arg[i], c->arg + i + 1, c->n_args - i - 1);
	for (uint32_t i = 0; i < c->n_keywords; i++)
		if (c->keyword[i].name != NULL && (strcmp(c->keyword[i].name, "target") == 0 || strcmp(c->keyword[i].name, "func") == 0 ||
		    strcmp(c->keyword[i].name, "function") == 0 || strcmp(c->keyword[i].name, "action") == 0))
			tell_later(s, c, c->keyword[i].value, NULL, 0);
}

/* Another file than the one it was made of. */
static bool other_file(const char *name)
{
	static const char *const part[] = { "dirname", "basename", "splitext", "relpath", "with_name", "with_suffix", "with_stem", "joinpath" };
	const char *dot = name != NULL ? strrchr(name, '.') : NULL;
	for (size_t i = 0; dot != NULL && i < BAWN_LEN(part); i++)
		if (strcmp(dot + 1, part[i]) == 0)
			return true;
	return false;
}

/* What listens for keys or messages hands them to the functions it was given. */
static void hand_on(struct script *s, const struct call *c, uint64_t tags)
{
	tags &= BAWN_TAG(KEYS) | BAWN_TAG(NET_RECV);
	struct value *got = tags != 0 ? unknown(s, tags) : NULL, *given_[] = { got, got, got };
	if (got == NULL)
		return;
	for (uint32_t i = 0; i < c->n_args; i++)
		if (c->arg[i] != NULL && c->arg[i]->function != 0)
			bawn_script_hand(s, c->arg[i]->function, given_, BAWN_LEN(given_));
	for (uint32_t i = 0; i < c->n_keywords; i++)
		if (c->keyword[i].value != NULL && c->keyword[i].value->function != 0)
			bawn_script_hand(s, c->keyword[i].value->function, given_, BAWN_LEN(given_));
}

/* A text that grows, other than an object with many members. */
static bool is_stream(const char *name) { return strncmp(name, "io.", 3) == 0; }

struct value *bawn_read_call(struct script *s, uint32_t i)
{
	uint32_t f = child(s, i, BAWN_R_FUNCTION);
	struct call c = { .node = i, .function = f != 0 ? s->val[f] : NULL };
	if (!gather(s, i, &c))
		return NULL;
	struct value *method = s->python && c.function != NULL && c.function->function == 0 ? bawn_special_called(s, c.function) : NULL;
	c.function = method != NULL ? method : c.function;
	c.name = c.function != NULL ? c.function->name : NULL;
	if (!s->python && f != 0 && c.n_args > 0 && c.arg[0] != NULL && c.arg[0]->imported && bawn_js_is_wrapper(text_of(s, f)))
		return c.arg[0];
	struct value *bound = s->python ? NULL : bawn_js_bound(s, &c);
	if (bound != NULL)
		return bound;
	if (!s->python)
		bawn_js_apply(s, &c);
	bawn_fold_redirect(s, &c);
	note_builder(s, c.name);
	struct value *self = c.function != NULL ? c.function->self : NULL;
	uint64_t own = c.taint, tags = 0;
	c.taint |= self != NULL ? self->taint : c.function != NULL ? c.function->taint : 0;
	bool local = c.function != NULL && c.function->function != 0;
	struct value *v = local ? local_call(s, &c) : bawn_fold_call(s, &c);
	if (v == NULL && !local && !s->python)
		v = bawn_js_call(s, &c);
	if (!local)
		tags = bawn_call_tell(s, &c);
	tell_alternatives(s, &c);
	bawn_bind_method(s, &c);
	bawn_world_call(s, &c);
	set_attribute(s, &c);
	construct(s, &c);
	if (self != NULL && self->name != NULL && !self->imported && (s->python || strchr(self->name, '(') != NULL) && (own & FLOWS) != 0)
		self->taint |= own & FLOWS & ~(is_stream(self->name) ? 0 : BAWN_TAG(CUT));  /* what is put into an object stays in it */
	if (v == NULL)
		v = result_of(s, &c);
	bool one_variable = v != NULL && v->name != NULL && strcmp(v->name, "os.getenv()") == 0;
	if (v != NULL && !one_variable)
		v->taint |= (c.taint & FLOWS) | tags;
	if (v != NULL && s->python && other_file(c.name))
		v->taint &= ~BAWN_TAG(OWN_FILE);
	if (s->python && !local) {
		tell_handed(s, &c);
		hand_on(s, &c, tags);
	}
	if (!s->python)
		bawn_js_after(s, &c, v, tags);
	return v;
}
