/* javascript.h - the part of the reader that only JavaScript needs: see javascript.c. */
#pragma once
#include "assess/script.h"

/* The name rules know a module by: "node:fs/promises" and "graceful-fs" are "fs". */
const char *bawn_js_module(const char *name);
/* What a dotted name is called in the rules. */
const char *bawn_js_name(const char *name);
/* A property that is more than a name; NULL: nothing special. */
struct value *bawn_js_attribute(struct script *s, struct value *object, const char *property);

/* f.call(x), Reflect.apply(f, ...), [].at.constructor(...): what really runs. */
bool bawn_js_is_wrapper(struct bawn_span name);
struct value *bawn_js_bound(const struct call *c);
void bawn_js_apply(struct call *c);
/* What a call comes to, where JavaScript knows; NULL where not. */
struct value *bawn_js_call(struct script *s, const struct call *c);
/* A function that is an argument is being entered: its parameters are what it will be called with. */
void bawn_js_enter(struct script *s, uint32_t function);
/* After a call: functions it was given get its data, files it wrote hold it. */
void bawn_js_after(struct script *s, const struct call *c, struct value *result, uint64_t tags);

/* What the text looks like as a whole: machine-made names, code without letters, letters as escapes. */
void bawn_js_shapes(struct script *s);
