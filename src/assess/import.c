/* import.c - the modules a program names, and the names it takes from them. */
#include "assess/import.h"
#include "assess/javascript.h"
#include "assess/modules.h"
#include "assess/reader.h"
#include "assess/world.h"
#include "base/cleanup.h"

void bawn_script_import(struct script *s, const char *name, uint32_t i)
{
	struct fact f = { .kind = BAWN_MATCH_IMPORT, .name = name, .node = i };
	bawn_modules_use(s->e, name);
	(void)bawn_engine_fact(s->e, &f);
}

static const char *module_name(struct script *s, uint32_t i)
{
	struct value *v = s->val[i];
	const char *name = bawn_value_is_text(v) ? bawn_arena_text(scratch(s), v->text) : bawn_script_dotted(s, i);
	return s->python ? name : bawn_js_module(name);
}

static void import_name(struct script *s, uint32_t i, const char *from)
{
	uint32_t name = node(s, i)->kind == BAWN_K_ALIASED ? child(s, i, BAWN_R_NAME) : i;
	uint32_t alias = node(s, i)->kind == BAWN_K_ALIASED ? child(s, i, BAWN_R_ALIAS) : 0;
	const char *written = name != 0 ? bawn_script_dotted(s, name) : NULL;
	if (written == NULL)
		return;
	const char *full = from != NULL ? bawn_arena_fmt(scratch(s), "%s.%s", from, written) : written;
	if (full == NULL)
		return;
	bawn_script_import(s, full, i);
	const char *bound = alias != 0 ? bawn_script_dotted(s, alias) : written;
	if (from == NULL && alias == 0) {  /* import a.b binds a */
		size_t n = strcspn(written, ".");
		bound = full = bawn_arena_text(scratch(s), (struct bawn_span){ written, n });
	}
	struct value *other = bawn_world_module(s, from != NULL ? from : full);
	struct value *v = other != NULL ? from != NULL ? bawn_script_attribute(s, other, written) : other : from != NULL ? bawn_module_member(s, from, written) : NULL;
	if (v == NULL && full != NULL)
		v = bawn_script_named(s, bawn_script_canonical(s, full), true);
	if (v != NULL)
		bawn_fold_constant(v);
	bawn_scope_set(s, s->scope, bound, v);
}

void bawn_import_star(struct script *s, const char *from, uint32_t i)
{
	for (uint32_t k = 0; k < s->n_star; k++)
		if (strcmp(s->star[k], from) == 0)
			return;
	if (s->n_star == BAWN_LEN(s->star))
		(void)bawn_engine_event(s->e, "cut-short", i, NULL);
	else
		s->star[s->n_star++] = from;
}

void bawn_read_import(struct script *s, uint32_t i)
{
	uint32_t module = child(s, i, BAWN_R_MODULE);
	const char *from = module != 0 ? module_name(s, module) : NULL;
	if (from != NULL)
		bawn_script_import(s, from, i);
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next) {
		if (c == module)
			continue;
		if (node(s, c)->kind == BAWN_K_WILDCARD && from != NULL)
			bawn_import_star(s, from, i);
		else if (s->python && (node(s, c)->kind == BAWN_K_DOTTED || node(s, c)->kind == BAWN_K_ALIASED))
			import_name(s, c, from);
	}
}

void bawn_read_js_import(struct script *s, uint32_t i)
{
	uint32_t module = child(s, i, BAWN_R_MODULE);
	const char *from = module != 0 ? module_name(s, module) : NULL;
	if (from == NULL)
		return;
	bawn_script_import(s, from, i);
	for (uint32_t c = i + 1; c < s->t->n && node(s, c)->start < node(s, i)->end; c++) {
		uint32_t p = node(s, c)->parent;
		if (node(s, c)->kind == BAWN_K_ALIASED)
			import_name(s, c, from);
		else if (node(s, c)->kind == BAWN_K_NAME && (node(s, p)->kind == BAWN_K_OTHER || node(s, p)->kind == BAWN_K_NAMESPACE) && c != module)
			bawn_scope_set(s, s->scope, bawn_script_dotted(s, c), bawn_script_named(s, from, true));
	}
}
