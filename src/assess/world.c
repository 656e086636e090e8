/* world.c - what a program sets for itself and for whatever it starts: variables of the environment, modules
 * under another name, the directory it works in.
 *
 * Variables and modules are kept among the names of the file, under names that no program can have, so that
 * branches treat them as they treat any other name. */
#include "assess/world.h"
#include "assess/fold.h"
#include "assess/reader.h"
#include "assess/text.h"
#include "base/cleanup.h"

#define LINE_BYTES (FOLDED_MAX / 4)
#define VARIABLE "environ "
#define MODULE   "module "

static const char *key_name(struct script *s, const char *kind, struct bawn_span name)
{
	return name.n > 0 && name.n < NAME_MAX_BYTES && memchr(name.p, '\0', name.n) == NULL
	     ? bawn_arena_fmt(scratch(s), "%s%.*s", kind, (int)name.n, name.p) : NULL;
}

static struct value *kept(struct script *s, const char *kind, const char *name)
{
	const char *key = key_name(s, kind, bawn_span(name));
	return key != NULL ? bawn_scope_get(s, 0, key, strlen(key)) : NULL;
}

struct value *bawn_world_variable(struct script *s, const char *name) { return s->n_environs > 0 ? kept(s, VARIABLE, name) : NULL; }
struct value *bawn_world_module(struct script *s, const char *name) { return s->swaps ? kept(s, MODULE, name) : NULL; }

static bool is_environment(const char *name) { return name != NULL && (strcmp(name, "os.environ") == 0 || strcmp(name, "os.environb") == 0); }
static bool is_modules(const char *name) { return name != NULL && strcmp(name, "sys.modules") == 0; }

/* K='v', as the shell reads it. */
static void put_export(struct bawn_buf *b, struct bawn_span name, struct bawn_span text)
{
	bawn_buf_fmt(b, "export %.*s='", (int)name.n, name.p);
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] == '\'')
			bawn_buf_add(b, "'\\''", 4);
		else
			bawn_buf_char(b, text.p[i]);
	bawn_buf_add(b, "'\n", 2);
}

static bool is_variable(struct bawn_span t)
{
	bool good = t.n > 0 && t.n < NAME_MAX_BYTES && !(t.p[0] >= '0' && t.p[0] <= '9');
	for (size_t i = 0; good && i < t.n; i++)
		good = t.p[i] == '_' || ((t.p[i] | 0x20) >= 'a' && (t.p[i] | 0x20) <= 'z') || (t.p[i] >= '0' && t.p[i] <= '9');
	return good;
}

static bool is_line(const struct value *v) { return bawn_value_is_text(v) && !v->partial && v->text.n < LINE_BYTES && memchr(v->text.p, '\0', v->text.n) == NULL; }

/* What the variable means to those who find it, the shell's rules say. */
static void set_variable(struct script *s, struct bawn_span name, struct value *v, uint32_t at)
{
	bawn_auto_buf b = BAWN_BUF(FOLDED_MAX);
	const char *key = is_variable(name) ? key_name(s, VARIABLE, name) : NULL;
	if (key == NULL)
		return;
	bool known = bawn_scope_get(s, 0, key, strlen(key)) != NULL;
	s->more_environs = s->more_environs || (!known && s->n_environs == BAWN_LEN(s->environ)) || (bawn_value_is_text(v) && v->text.n >= LINE_BYTES);
	if (!known && s->n_environs < BAWN_LEN(s->environ))
		s->environ[s->n_environs++] = key + sizeof VARIABLE - 1;
	bawn_scope_set(s, 0, key, v);
	put_export(&b, name, is_line(v) ? v->text : bawn_span(""));
	if (bawn_engine_whole(s->e, &b))
		bawn_engine_text(s->e, BAWN_LANG_BASH, bawn_buf_span(&b), at);
}

static void set_module(struct script *s, struct bawn_span name, struct value *v)
{
	const char *key = v != NULL && v->imported ? key_name(s, MODULE, name) : NULL;
	if (key == NULL)
		return;
	s->swaps = true;
	bawn_scope_set(s, 0, key, v);
}

void bawn_world_item(struct script *s, const struct value *object, const struct value *key, struct value *v, uint32_t at)
{
	if (!s->python || object == NULL || object->name == NULL || !bawn_value_is_text(key))
		return;
	if (is_environment(object->name))
		set_variable(s, key->text, v, at);
	else if (is_modules(object->name))
		set_module(s, key->text, v);
}

static void change_directory(struct script *s, const struct value *to)
{
	for (unsigned i = 0; to != NULL && !bawn_value_is_text(to) && i < 3; i++)
		to = to->self;  /* a descriptor that was opened */
	struct bawn_span path = bawn_value_is_text(to) && !to->partial ? bawn_world_path(s, to->text) : bawn_span("");
	const char *normal = path.n > 0 ? bawn_path_normal(scratch(s), path) : NULL;
	s->cwd = normal != NULL && bawn_path_outside(normal) ? normal : NULL;
}

void bawn_world_call(struct script *s, const struct call *c)
{
	const char *dot = c->name != NULL ? strrchr(c->name, '.') : NULL;
	const struct value *self = c->function != NULL ? c->function->self : NULL, *a = c->n_args > 0 ? c->arg[0] : NULL;
	if (dot == NULL || dot[1] == '\0' || strchr("cfpsu_", dot[1]) == NULL)  /* most calls */
		return;
	if (strcmp(c->name, "os.chdir") == 0 || strcmp(c->name, "os.fchdir") == 0 || strcmp(c->name, "contextlib.chdir") == 0 ||
	    strcmp(c->name, "process.chdir") == 0 || strcmp(c->name, "Deno.chdir") == 0)
		change_directory(s, a);
	else if (strcmp(c->name, "os.putenv") == 0 && c->n_args > 1 && bawn_value_is_text(a))
		set_variable(s, a->text, c->arg[1], c->node);
	if (self == NULL || !s->python || !(is_environment(self->name) || is_modules(self->name)))
		return;
	if ((strcmp(dot, ".setdefault") == 0 || strcmp(dot, ".__setitem__") == 0) && c->n_args > 1)
		bawn_world_item(s, self, a, c->arg[1], c->node);
	bool update = strcmp(dot, ".update") == 0 || strcmp(dot, ".__ior__") == 0;
	for (uint32_t i = 0; update && a != NULL && a->is_dict && !a->choice && i < a->n_items; i++)
		if (a->key[i] != NULL)
			bawn_world_item(s, self, &(struct value){ .text = bawn_span(a->key[i]) }, a->item[i], c->node);
	for (uint32_t i = 0; update && i < c->n_keywords; i++)
		if (c->keyword[i].name != NULL)
			bawn_world_item(s, self, &(struct value){ .text = bawn_span(c->keyword[i].name) }, c->keyword[i].value, c->node);
}

struct bawn_span bawn_world_line(struct script *s, struct bawn_span line)
{
	bawn_auto_buf b = BAWN_BUF(FOLDED_MAX);
	for (uint32_t i = 0; i < s->n_environs; i++) {
		const struct value *v = bawn_world_variable(s, s->environ[i]);
		if (is_line(v))
			put_export(&b, bawn_span(s->environ[i]), v->text);
	}
	const struct value *more = s->handed != NULL && s->handed->is_dict && !s->handed->choice ? s->handed : NULL;
	for (uint32_t i = 0; more != NULL && i < more->n_items; i++)
		s->more_environs = s->more_environs || (bawn_value_is_text(more->item[i]) && more->item[i]->text.n >= LINE_BYTES);
	for (uint32_t i = 0; more != NULL && i < more->n_items; i++)
		if (more->key[i] != NULL && is_variable(bawn_span(more->key[i])) && is_line(more->item[i]))
			put_export(&b, bawn_span(more->key[i]), more->item[i]->text);
	bool given = b.n > 0;
	bawn_buf_add(&b, line.p, line.n);
	s->more_environs = s->more_environs || (given && bawn_buf_error(&b) != 0);
	char *own = given && bawn_engine_whole(s->e, &b) ? bawn_arena_text(scratch(s), bawn_buf_span(&b)) : NULL;
	return own != NULL ? (struct bawn_span){ own, b.n } : line;
}

static struct bawn_span joined(struct script *s, struct bawn_span directory, struct bawn_span path)
{
	bool whole = path.n == 0 || strchr("/~$\\", path.p[0]) != NULL || (path.n > 1 && path.p[1] == ':') || memmem(path.p, path.n, "://", 3) != NULL;
	char *own = whole ? NULL : bawn_arena_fmt(scratch(s), "%.*s/%.*s", (int)directory.n, directory.p, (int)path.n, path.p);
	return own != NULL ? bawn_span(own) : path;
}

struct bawn_span bawn_world_path(struct script *s, struct bawn_span path)
{
	return s->cwd != NULL ? joined(s, bawn_span(s->cwd), path) : path;
}

struct bawn_span bawn_world_from(struct script *s, const struct call *c, struct bawn_span path)
{
	for (uint32_t i = 0; i < c->n_keywords; i++) {
		const char *name = c->keyword[i].name, *end = name != NULL ? strstr(name, "dir_fd") : NULL;
		const struct value *v = end != NULL ? c->keyword[i].value : NULL;
		for (unsigned k = 0; v != NULL && !bawn_value_is_text(v) && k < 3; k++)
			v = v->self;
		if (bawn_value_is_text(v))
			return joined(s, v->text, path);
	}
	return bawn_world_path(s, path);
}
