/* scope.c - which name stands for what, in Python and JavaScript.
 *
 * Names belong to the function that binds them; what is bound nowhere belongs to the world and stands
 * for itself.  What one branch assigns does not wipe out what held before it: after the branch the
 * name is either of the two (a choice), so a harmless `else` hides nothing. */
#include "assess/javascript.h"
#include "assess/script.h"
#include "base/cleanup.h"

#define SCOPES_MAX  32u

static struct arena *scratch(struct script *s) { return &s->e->scratch; }

static uint32_t hash_of(uint32_t scope, const char *p, size_t n)
{
	uint32_t h = 2166136261u ^ scope * 2654435761u;
	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)p[i]) * 16777619u;
	return h;
}

static struct binding *slot(struct script *s, uint32_t scope, const char *p, size_t n)
{
	uint32_t h = hash_of(scope, p, n);
	for (size_t i = h & (s->cap_bind - 1); ; i = (i + 1) & (s->cap_bind - 1), s->e->spent++) {  /* names may be chosen to collide */
		struct binding *b = &s->bind[i];
		if (b->name == NULL || (b->hash == h && b->scope == scope && strncmp(b->name, p, n) == 0 && b->name[n] == '\0')) {
			b->hash = b->name == NULL ? h : b->hash;
			return b;
		}
	}
}

bool bawn_scope_grow(struct script *s)
{
	struct binding *old = s->bind;
	size_t n = s->cap_bind, cap = n == 0 ? 128 : n * 2;
	struct binding *fresh = bawn_arena_array(scratch(s), struct binding, cap);
	if (fresh == NULL)
		return false;
	s->bind = fresh;
	s->cap_bind = cap;
	for (size_t i = 0; i < n; i++)
		if (old[i].name != NULL)
			*slot(s, old[i].scope, old[i].name, strlen(old[i].name)) = old[i];
	return true;
}

static void remember(struct script *s, uint32_t scope, const char *name, struct value *old)
{
	if (s->n_trail == s->cap_trail) {
		uint32_t cap = s->cap_trail == 0 ? 64 : s->cap_trail * 2;
		struct change *grown = bawn_arena_array(scratch(s), struct change, cap);
		if (grown == NULL)
			return;
		if (s->n_trail > 0)
			memcpy(grown, s->trail, s->n_trail * sizeof *grown);
		s->trail = grown;
		s->cap_trail = cap;
	}
	s->trail[s->n_trail++] = (struct change){ scope, name, old };
}

/* The part before the first dot, or before the parentheses of a call. */
static struct member_name **members_slot(struct script *s, const char *name, size_t n) { return &s->members[hash_of(0, name, n) % BAWN_LEN(s->members)]; }

static void note_member(struct script *s, const char *name)
{
	size_t n = strcspn(name, ".(");
	struct member_name *m = name[n] != '\0' ? bawn_arena_new(scratch(s), struct member_name) : NULL;
	if (m == NULL)
		return;
	struct member_name **first = members_slot(s, name, n);
	*m = (struct member_name){ name, *first };
	*first = m;
}

const struct member_name *bawn_scope_members(struct script *s, const char *owner) { return *members_slot(s, owner, strlen(owner)); }

void bawn_scope_set(struct script *s, uint32_t scope, const char *name, struct value *v)
{
	if (name == NULL || (s->n_bind * 2 >= s->cap_bind && !bawn_scope_grow(s)))
		return;
	struct binding *b = slot(s, scope, name, strlen(name));
	s->n_bind += b->name == NULL;
	if (b->name == NULL && scope == 0 && s->python)
		note_member(s, name);
	if (s->branches > 0)
		remember(s, scope, name, b->value);
	if (scope == 0 && s->scope == 0 && s->e->quiet && s->replay == 0 && v != NULL)
		b->ever = bawn_value_either(s, b->ever, v);
	b->scope = scope;
	b->name = name;
	b->value = v;
}

struct value *bawn_scope_get(struct script *s, uint32_t scope, const char *p, size_t n)
{
	if (s->cap_bind == 0)
		return NULL;
	struct binding *b = slot(s, scope, p, n);
	return b->name != NULL ? b->value : NULL;
}

/* Any function of the file whose name begins with `prefix`; NULL: there is none. */
struct value *bawn_scope_functions(struct script *s, const char *prefix)
{
	struct value *any = bawn_value_new(s->e);
	if (any == NULL || prefix == NULL || (any->item = bawn_arena_array(scratch(s), struct value *, CHOICES_MAX)) == NULL)
		return NULL;
	s->e->spent += s->cap_bind * BINDING_LOOKED_AT;
	for (size_t i = 0; i < s->cap_bind && any->n_items < CHOICES_MAX; i++) {
		const struct binding *b = &s->bind[i];
		if (b->name != NULL && b->scope == 0 && b->value != NULL && b->value->function != 0 && strncmp(b->name, prefix, strlen(prefix)) == 0)
			any->item[any->n_items++] = b->value;
	}
	any->choice = true;
	any->function = any->n_items > 0 ? any->item[0]->function : 0;
	return any->n_items > 0 ? any : NULL;
}

/* ---- branches ---- */

static bool same_value(const struct value *a, const struct value *b)
{
	if (a == b)
		return true;
	if (a == NULL || b == NULL || a->n_items > 0 || b->n_items > 0)
		return false;
	bool names = a->name == b->name || (a->name != NULL && b->name != NULL && strcmp(a->name, b->name) == 0);
	bool texts = a->text.n == b->text.n && (a->text.p == NULL) == (b->text.p == NULL) &&
	             (a->text.n == 0 || memcmp(a->text.p, b->text.p, a->text.n) == 0);
	return names && texts && a->has_number == b->has_number && a->number == b->number && a->function == b->function;
}

/* A path out of the workspace, or a function of a module: one that may not be left out unsaid. */
static bool is_telling(const struct value *v)
{
	return v->imported || (v->text.n > 0 && (v->text.p[0] == '/' || v->text.p[0] == '~' || memmem(v->text.p, v->text.n, "..", 2) != NULL));
}

/* Past the last, what tells more takes the place of what tells less. */
static void add_choice(struct value *to, struct value *v)
{
	for (uint32_t i = 0; i < to->n_items; i++)
		if (same_value(to->item[i], v))
			return;
	if (to->n_items < CHOICES_MAX) {
		to->item[to->n_items++] = v;
		return;
	}
	uint32_t at = 0;
	while (is_telling(v) && at < to->n_items && is_telling(to->item[at]))
		at++;
	if (is_telling(v) && at < to->n_items)
		to->item[at] = v;
	to->cut = is_telling(v) && at == to->n_items ? CUT_PATH : to->cut > CUT_WORD ? to->cut : CUT_WORD;
}

static bool says_something(const struct value *v)
{
	return v->name != NULL ? strcmp(v->name, "None") != 0 && strcmp(v->name, "False") != 0
	                       : v->text.p != NULL || v->has_number || v->n_items > 0 || v->function != 0;
}

/* Either of the two; the newer one is shown first where only one can be. */
struct value *bawn_value_either(struct script *s, struct value *old, struct value *new)
{
	if (old == NULL || new == NULL || same_value(old, new)) {
		struct value *one = new != NULL ? new : old;
		if (old != NULL && new != NULL)
			new->taint |= old->taint;
		return one;
	}
	struct value *v = bawn_value_new(s->e);
	uint32_t room = (new->choice ? new->n_items : 1) + (old->choice ? old->n_items : 1) + 2;
	struct value **item = v != NULL ? bawn_arena_array(scratch(s), struct value *, room < CHOICES_MAX ? room : CHOICES_MAX) : NULL;
	if (item == NULL)
		return new;
	v->item = item;
	struct value *both[] = { new, old };
	for (size_t k = 0; k < BAWN_LEN(both); k++) {
		bool several = both[k]->choice && both[k]->n_items > 0;
		for (uint32_t i = 0; several && i < both[k]->n_items; i++)
			if (both[k]->item[i] != NULL)
				add_choice(v, both[k]->item[i]);
		if (!several)
			add_choice(v, both[k]);
		v->taint |= both[k]->taint;
		v->cut = both[k]->choice && both[k]->cut > v->cut ? both[k]->cut : v->cut;
	}
	const struct value *first = says_something(new) ? new : old;
	v->name = first->name;
	v->imported = first->imported;
	v->self = first->self;
	v->function = first->function;
	v->is_path = first->is_path;
	v->choice = true;
	return v;
}

uint32_t bawn_scope_branch(struct script *s)
{
	s->branches++;
	return s->n_trail;
}

static struct binding *changed(struct script *s, const struct change *c) { return slot(s, c->scope, c->name, strlen(c->name)); }

/* The branch may have been taken or not. */
void bawn_scope_join(struct script *s, uint32_t mark)
{
	uint32_t end = s->n_trail, kept = mark;
	s->branches--;
	for (uint32_t i = end; i > mark; i--) {
		struct binding *b = changed(s, &s->trail[i - 1]);
		b->after = b->after != NULL ? b->after : b->value;
		b->value = s->trail[i - 1].old;
	}
	for (uint32_t i = mark; i < end; i++) {
		struct change c = s->trail[i];
		struct binding *b = changed(s, &c);
		if (b->after == NULL)
			continue;  /* the first change of a name stands for all of them */
		struct value *after = b->after;
		b->after = NULL;
		b->value = bawn_value_either(s, c.old, after);
		s->trail[kept++] = c;
	}
	s->n_trail = s->branches > 0 ? kept : 0;
}

/* The branch was taken for certain. */
void bawn_scope_keep(struct script *s)
{
	s->branches--;
	s->n_trail = s->branches > 0 ? s->n_trail : 0;
}

/* As if the branch had not been read: it will be read again, exactly. */
void bawn_scope_rewind(struct script *s, uint32_t mark)
{
	s->branches--;
	for (uint32_t i = s->n_trail; i > mark; i--)
		changed(s, &s->trail[i - 1])->value = s->trail[i - 1].old;
	s->n_trail = mark;
}

/* ---- names ---- */

struct value *bawn_script_named(struct script *s, const char *name, bool imported)
{
	struct value *v = bawn_value_new(s->e);
	if (v != NULL) {
		v->name = name;
		v->imported = imported;
	}
	return v;
}

static bool rule_about(const struct script *s, const char *name)
{
	const struct bawn_rule_table *t = s->e->rules;
	size_t low = 0, high = t->n_keys;
	while (low < high) {
		size_t mid = (low + high) / 2;
		int c = t->key[mid].matcher != BAWN_MATCH_CALL ? 1 : strcmp(bawn_key_text(t, mid), name);
		if (c == 0)
			return true;
		if (c < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return false;
}

/* A name of the file, seen from a function: several texts or functions that it stands for in turn. */
static struct value *at_any_time(struct script *s, const struct binding *b)
{
	const struct value *ever = b->ever;
	bool texts = ever != NULL && ever->choice && !ever->is_list && ever->n_items > 1;
	for (uint32_t i = 0; texts && i < ever->n_items; i++)
		texts = ever->item[i] != NULL && (bawn_value_is_text(ever->item[i]) || ever->item[i]->imported);
	return texts ? bawn_value_either(s, b->ever, b->value) : b->value;
}

/* A name as the program sees it: the nearest function that binds it, the file, then the world. */
struct value *bawn_script_lookup(struct script *s, const char *name, size_t n)
{
	uint32_t scope = s->scope;
	for (unsigned i = 0; i < SCOPES_MAX; i++) {
		struct value *v = bawn_scope_get(s, scope, name, n);
		if (v != NULL && scope == 0 && s->scope != 0 && s->replay == 0)
			return at_any_time(s, slot(s, 0, name, n));
		if (v != NULL)
			return v;
		if (scope == 0)
			break;
		scope = s->outer[scope];
	}
	struct value *v = bawn_scope_get(s, 0, name, n);
	if (v != NULL || n > NAME_MAX_BYTES)
		return v;
	const char *own = bawn_arena_text(scratch(s), (struct bawn_span){ name, n });
	if (own == NULL)
		return NULL;
	for (uint32_t i = 0; i < s->n_star && v == NULL; i++) {
		const char *full = bawn_arena_fmt(scratch(s), "%s.%s", s->star[i], own);
		if (full != NULL && (v = bawn_module_member(s, s->star[i], own)) == NULL && rule_about(s, full))
			v = bawn_script_named(s, full, true);
	}
	if (v == NULL)
		v = bawn_script_named(s, own, false);
	unsigned branches = s->branches;
	s->branches = 0;  /* what a name of the world means does not depend on where it was first met */
	bawn_scope_set(s, 0, own, v);
	s->branches = branches;
	return v;
}

/* Names that are the same thing. */
const char *bawn_script_canonical(struct script *s, const char *name)
{
	static const char *const prefix[] = { "builtins.", "__builtins__.", "__builtin__.", "global.", "globalThis.", "window." };
	static const struct { const char *from, *to; } same[] = {
		{ "posixpath.", "os.path." }, { "ntpath.", "os.path." }, { "fs/promises.", "fs.promises." }, { "fs.promises.", "fs." },
		{ "posix.", "os." }, { "nt.", "os." }, { "path/posix.", "path." }, { "_io.", "io." }, { "io.open", "open" },
		{ "codecs.open", "open" }, { "_socket.", "socket." }, { "_posixsubprocess.", "subprocess." }, { "cPickle.", "pickle." },
		{ "_pickle.", "pickle." }, { "__import__().", "" }, { "urllib2.", "urllib.request." }, { "fs-extra.", "fs." },
		{ "process.binding().", "child_process." }, { "pathlib.Path().resolve().", "pathlib.Path()." }, { "pathlib.Path().absolute().", "pathlib.Path()." },
		{ "pathlib.Path().with_name().", "pathlib.Path()." }, { "pathlib.Path().with_suffix().", "pathlib.Path()." }, { "pathlib.Path().joinpath().", "pathlib.Path()." },
		{ "pathlib.Path().expanduser().", "pathlib.Path()." }, { "pathlib.Path().parent.", "pathlib.Path()." }, { "pathlib.Path.cwd().", "pathlib.Path()." },
	};
	for (size_t i = 0; i < BAWN_LEN(prefix); i++)
		if (strncmp(name, prefix[i], strlen(prefix[i])) == 0 && name[strlen(prefix[i])] != '_')
			return name + strlen(prefix[i]);
	for (size_t i = 0; i < BAWN_LEN(same); i++) {
		size_t n = strlen(same[i].from);
		if (strncmp(name, same[i].from, n) == 0)
			return bawn_arena_fmt(scratch(s), "%s%s", same[i].to, name + n);
	}
	return name;
}

/* Modules that other modules carry with them: shutil.os.system is os.system. */
static bool carried(const char *property)
{
	static const char *const module[] = { "os", "sys", "subprocess", "builtins", "socket", "importlib", "shutil", "ctypes", "__builtins__" };
	for (size_t i = 0; i < BAWN_LEN(module); i++)
		if (strcmp(property, module[i]) == 0)
			return true;
	return false;
}

/* A function of the language itself: a name that nobody bound. */
static bool is_builtin(const struct value *v)
{
	static const char *const some[] = { "print", "len", "open", "abs", "all", "any", "ascii", "bin", "callable", "chr", "compile", "delattr", "dir", "divmod", "eval",
		"exec", "format", "getattr", "globals", "hasattr", "hash", "hex", "id", "input", "isinstance", "issubclass", "iter", "locals", "max", "min", "next",
		"oct", "ord", "pow", "repr", "round", "setattr", "sorted", "sum", "vars", "__import__", "__build_class__", "breakpoint" };
	for (size_t i = 0; v != NULL && v->name != NULL && !v->imported && v->function == 0 && i < BAWN_LEN(some); i++)
		if (strcmp(v->name, some[i]) == 0)
			return true;
	return false;
}

static const char *kind_name(const struct value *v)
{
	return v == NULL ? "?" : v->name != NULL ? v->name : bawn_value_is_text(v) ? "str" : v->is_list ? "list" : v->is_dict ? "dict" : "?";
}

struct value *bawn_script_attribute(struct script *s, struct value *object, const char *property)
{
	struct value *v = s->python ? NULL : bawn_js_attribute(s, object, property);
	if (v != NULL)
		return v;
	v = bawn_value_new(s->e);
	if (v == NULL || property == NULL)
		return v;
	v->self = object;
	v->taint = object != NULL ? object->taint & FLOWS : 0;
	for (uint32_t i = 0; object != NULL && object->is_dict && i < object->n_items; i++)
		if (object->key[i] != NULL && strcmp(object->key[i], property) == 0 && object->item[i] != NULL)
			return object->item[i];
	struct value *any = object != NULL && object->choice && !s->python ? bawn_fold_each_item(s, object, 0, property) : NULL;
	if (any != NULL)
		return any;
	if (s->python && (strcmp(property, "parent") == 0 || strcmp(property, "parents") == 0 || strcmp(property, "name") == 0 || strcmp(property, "stem") == 0))
		v->taint &= ~BAWN_TAG(OWN_FILE);  /* of a path: another file */
	const char *base = kind_name(object);
	if (strcmp(base, "process.env") == 0)
		v->taint &= ~BAWN_TAG(ENVIRON);  /* one variable is not the whole environment */
	if (strlen(base) + strlen(property) > NAME_MAX_BYTES)
		base = "?";
	struct value *member = object != NULL && object->imported ? bawn_module_member(s, base, property) : NULL;
	if (member != NULL)
		return member;
	if (s->python && strcmp(property, "__self__") == 0 && is_builtin(object)) {
		v->name = "__builtins__";
		return v;
	}
	v->imported = object != NULL && object->imported;
	if (v->imported && carried(property) && strcmp(base, property) != 0) {
		v->name = property;
		return v;
	}
	const char *full = bawn_arena_fmt(scratch(s), "%s.%s", base, property);
	struct value *own = full != NULL ? bawn_scope_get(s, 0, full, strlen(full)) : NULL;
	if (own != NULL)
		return own;
	v->name = full != NULL ? bawn_script_canonical(s, full) : NULL;
	if (!s->python && v->name != NULL)
		v->name = bawn_js_name(v->name);
	bawn_fold_constant(v);
	return v;
}
