/* javascript.h - the part of the reader that only JavaScript needs: see javascript.c. */
#pragma once
#include <string.h>
#include "assess/script.h"

/* The last part of a dotted name. */
static inline const char *method_of(const char *name)
{
	const char *dot = name != NULL ? strrchr(name, '.') : NULL;
	return dot != NULL ? dot + 1 : name;
}

static inline struct value *tainted(struct script *s, const char *name, uint64_t taint)
{
	struct value *v = bawn_value_new(s->e);
	if (v != NULL)
		v->name = name, v->taint = taint;
	return v;
}

/* The name rules know a module by: "node:fs/promises" and "graceful-fs" are "fs". */
const char *bawn_js_module(const char *name);
/* What a dotted name is called in the rules. */
const char *bawn_js_name(const char *name);
/* A property that is more than a name; NULL: nothing special. */
struct value *bawn_js_attribute(struct script *s, struct value *object, const char *property);

/* f.call(x), Reflect.apply(f, ...), [].at.constructor(...): what really runs. */
bool bawn_js_is_wrapper(struct bawn_span name);
struct value *bawn_js_bound(struct script *s, const struct call *c);
void bawn_js_apply(struct script *s, struct call *c);
/* What a call comes to, where JavaScript knows; NULL where not. */
struct value *bawn_js_call(struct script *s, const struct call *c);
/* After a call: functions it was given get its data, files it wrote hold it. */
void bawn_js_after(struct script *s, const struct call *c, struct value *result, uint64_t tags);

/* What the text looks like as a whole: machine-made names, code without letters, letters as escapes. */
void bawn_js_shapes(struct script *s);
