/* javascript.c - what only JavaScript has: modules known by several names, and the ways from any value
 * to the functions of the runtime.  Functions handed on to be called with data later: handed.c. */
#include "assess/javascript.h"
#include "assess/bind.h"
#include "assess/fold.h"
#include "assess/handed.h"
#include "assess/import.h"
#include "assess/names.h"
#include "assess/parameter.h"
#include "assess/reader.h"
#include "assess/text.h"
#include "base/cleanup.h"
#include "base/json.h"

#define GIVEN_MAX 4u

static struct value *arg(const struct call *c, uint32_t i) { return i < c->n_args ? c->arg[i] : NULL; }
static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

/* ---- names ---- */

/* Packages that do what another does, under the same names. */
static const struct { const char *name, *is; } module[] = {
	{ "fs/promises", "fs" }, { "fs-extra", "fs" }, { "graceful-fs", "fs" }, { "original-fs", "fs" }, { "mz/fs", "fs" },
	{ "@npmcli/fs", "fs" }, { "fs-jetpack", "fs" }, { "mz/child_process", "child_process" }, { "child-process-promise", "child_process" },
	{ "promisify-child-process", "child_process" }, { "node-fetch", "fetch" }, { "cross-fetch", "fetch" }, { "isomorphic-fetch", "fetch" },
	{ "make-fetch-happen", "fetch" }, { "minipass-fetch", "fetch" }, { "node-fetch-native", "fetch" }, { "whatwg-fetch", "fetch" },
	{ "request-promise", "request" }, { "request-promise-native", "request" }, { "sync-request", "request" }, { "then-request", "request" },
	{ "postman-request", "request" }, { "isomorphic-ws", "ws" }, { "faye-websocket", "ws" }, { "stream/promises", "stream" },
	{ "dns/promises", "dns" }, { "dns2", "dns" }, { "native-dns", "dns" }, { "path/posix", "path" }, { "path/win32", "path" },
	{ "upath", "path" }, { "puppeteer-core", "puppeteer" }, { "puppeteer-extra", "puppeteer" }, { "playwright-core", "playwright" },
	{ "@playwright/test", "playwright" }, { "redaxios", "axios" }, { "gaxios", "axios" }, { "safe-buffer", "buffer" }, { "iohook-raub", "iohook" },
	{ "xmlhttprequest", "xhr" }, { "xhr2", "XMLHttpRequest" }, { "cross-spawn-promise", "cross-spawn" }, { "node-pty-prebuilt", "node-pty" },
	{ "@homebridge/node-pty-prebuilt-multiarch", "node-pty" }, { "@lydell/node-pty", "node-pty" }, { "uiohook-napi", "iohook" },
};
NAMES(modules, module);

const char *bawn_js_module(const char *name)
{
	if (name == NULL)
		return NULL;
	if (begins(name, "node:"))
		name += 5;
	size_t row = bawn_names_find(&modules, name, strlen(name));
	return row < BAWN_LEN(module) ? module[row].is : name;
}

static const struct { const char *name, *is; } same[] = {
	{ "ws.WebSocket", "ws" }, { "undici.fetch", "fetch" }, { "buffer.Buffer", "Buffer" }, { "follow-redirects.http", "http" },
	{ "follow-redirects.https", "https" }, { "xhr.XMLHttpRequest", "XMLHttpRequest" }, { "timers.setTimeout", "setTimeout" },
	{ "module._load().request", "https.request" }, { "module._load().get", "https.get" }, { "Module._load", "module._load" }, { "module.Module._load", "module._load" },
	{ "require.main.require", "module.require" }, { "process.mainModule.require", "module.require" },
	{ "module.parent.require", "module.require" }, { "self.eval", "eval" }, { "self.fetch", "fetch" }, { "top.eval", "eval" },
	{ "parent.eval", "eval" }, { "self.Function", "Function" }, { "process.env.constructor.constructor", "Function" },
	{ "jQuery.ajax", "$.ajax" }, { "jQuery.get", "$.get" }, { "jQuery.post", "$.post" }, { "jQuery.getScript", "$.getScript" },
	{ "jQuery.globalEval", "$.globalEval" }, { "document.defaultView.eval", "eval" }, { "frames.eval", "eval" },
	{ "global.process", "process" }, { "Bun.fetch", "fetch" }, { "http.createServer().on", "http.createServer().on" },
};
NAMES(sames, same);

const char *bawn_js_name(const char *name)
{
	size_t row = bawn_names_find(&sames, name, strlen(name));
	return row < BAWN_LEN(same) ? same[row].is : name;
}

/* Variables that name a place. */
static const struct { const char *name, *path; } place[] = {
	{ "process.env.HOME", "~" }, { "process.env.USERPROFILE", "~" }, { "process.env.HOMEPATH", "~" },
	{ "process.env.APPDATA", "~/AppData/Roaming" }, { "process.env.LOCALAPPDATA", "~/AppData/Local" },
	{ "process.env.XDG_CONFIG_HOME", "~/.config" }, { "process.env.TMPDIR", "/tmp" }, { "process.env.TEMP", "/tmp" }, { "process.env.TMP", "/tmp" },
};
NAMES(places, place);

static const char *place_named(const char *object, const char *property)
{
	char name[64];
	if (object == NULL || strcmp(object, "process.env") != 0)
		return NULL;
	int n = snprintf(name, sizeof name, "process.env.%s", property);
	size_t row = n > 0 && (size_t)n < sizeof name ? bawn_names_find(&places, name, (size_t)n) : BAWN_LEN(place);
	return row < BAWN_LEN(place) ? place[row].path : NULL;
}

/* Is it a method of a literal, [].map or ''.at? */
static bool of_literal(const struct value *method)
{
	static const char *const known[] = { "at", "concat", "every", "fill", "filter", "find", "findIndex", "flat", "flatMap", "forEach", "includes", "indexOf", "join",
	                                     "keys", "map", "pop", "push", "reduce", "reverse", "shift", "slice", "some", "sort", "splice", "values", "entries", "anchor",
	                                     "big", "bold", "charAt", "charCodeAt", "fontcolor", "italics", "link", "match", "replace", "search", "split", "strike", "sub",
	                                     "substr", "substring", "sup", "toString", "toLowerCase", "toUpperCase", "trim", "valueOf", "hasOwnProperty", "isPrototypeOf" };
	const struct value *v = method->self;
	bool is_method = false;
	for (size_t i = 0; method->name != NULL && !is_method && i < BAWN_LEN(known); i++)
		is_method = strcmp(method_of(method->name), known[i]) == 0;
	return is_method && v != NULL && v->name == NULL && (v->is_list || v->is_dict || bawn_value_is_text(v));
}

/* Properties that give what belongs to whoever uses the page.  To look at it is everyday work, so it
 * is no tag of the file; it matters where the value goes. */
static const struct { const char *object, *property; uint64_t taint; } personal[] = {
	{ "KeyboardEvent()", "key", BAWN_TAG(KEYS) }, { "KeyboardEvent()", "code", BAWN_TAG(KEYS) }, { "KeyboardEvent()", "keyCode", BAWN_TAG(KEYS) },
	{ "KeyboardEvent()", "which", BAWN_TAG(KEYS) }, { "KeyboardEvent()", "charCode", BAWN_TAG(KEYS) }, { "document", "cookie", BAWN_TAG(BROWSER) },
	{ "window.document", "cookie", BAWN_TAG(BROWSER) }, { "WebRequest()", "uploadData", BAWN_TAG(KEYS) }, { "WebRequest()", "requestBody", BAWN_TAG(KEYS) },
	{ "WebRequest()", "requestHeaders", BAWN_TAG(BROWSER) },
};

static uint64_t personal_taint(const char *object, const char *property)
{
	for (size_t i = 0; object != NULL && i < BAWN_LEN(personal); i++)
		if (strcmp(object, personal[i].object) == 0 && strcmp(property, personal[i].property) == 0)
			return personal[i].taint;
	return 0;
}

/* One of several modules: what each of them has by that name. */
static struct value *of_each_module(struct script *s, const struct value *object, const char *property)
{
	struct value *v = NULL;
	for (uint32_t i = object->n_items; i > 0; i--) {
		struct value *one = object->item[i - 1];
		if (one != NULL && one->imported && !one->choice)
			v = bawn_value_either(s, v, bawn_script_attribute(s, one, property));
	}
	return v;
}

struct value *bawn_js_attribute(struct script *s, struct value *object, const char *property)
{
	if (object == NULL || property == NULL)
		return NULL;
	if (object->choice && object->imported && object->n_items > 1)
		return of_each_module(s, object, property);
	uint64_t taint = personal_taint(object->name, property);
	if (taint != 0)
		return tainted(s, bawn_arena_fmt(scratch(s), "%s.%s", object->name, property), taint);
	if (object->imported && (strcmp(property, "default") == 0 || strcmp(property, "promises") == 0))
		return object;
	if (strcmp(property, "constructor") == 0 && object->function != 0)
		return bawn_script_named(s, "Function", false);
	if (strcmp(property, "constructor") == 0 && of_literal(object))
		return bawn_script_named(s, "list.method.constructor", false);
	const char *path = place_named(object->name, property);
	return path != NULL ? bawn_value_text(s->e, bawn_span(path)) : NULL;
}

/* ---- calls ---- */

static void spread(struct call *c, const struct value *list)
{
	if (list == NULL || !list->is_list || list->choice)
		return;
	c->arg = list->item;
	c->n_args = list->n_items;
}

static void run_instead(struct call *c, struct value *f, uint32_t skip)
{
	c->function = f;
	c->name = f->name;
	skip = skip < c->n_args ? skip : c->n_args;
	c->arg += skip;
	c->n_args -= skip;
}

/* Names that lead to Function itself. */
static bool is_function_constructor(const char *name)
{
	static const char *const whole[] = { "list.method.constructor", "Object.getPrototypeOf().constructor", "Function.prototype.constructor",
	                                     "Reflect.getPrototypeOf().constructor", "Function.constructor" };
	static const char *const maker[] = { "setTimeout", "setInterval", "setImmediate", "parseInt", "parseFloat", "isNaN", "fetch", "atob", "btoa", "Object",
	                                     "Array", "String", "Number", "Boolean", "Date", "RegExp", "Error", "Promise", "Map", "Set", "require", "eval", "alert", "console.log" };
	static const char once[] = ".constructor", twice[] = ".constructor.constructor";
	size_t n = strlen(name);
	for (size_t i = 0; i < BAWN_LEN(maker); i++)
		if (begins(name, maker[i]) && strcmp(name + strlen(maker[i]), once) == 0)
			return true;
	for (size_t i = 0; i < BAWN_LEN(whole); i++)
		if (strcmp(name, whole[i]) == 0)
			return true;
	return n > sizeof twice - 1 && strcmp(name + n - (sizeof twice - 1), twice) == 0;
}

/* What compilers put around require() gives the module itself. */
bool bawn_js_is_wrapper(struct bawn_span name)
{
	static const char *const wrapper[] = { "__importDefault", "__importStar", "_interopRequireDefault", "_interopRequireWildcard", "__toESM", "_interop_require_default",
	                                       "_interop_require_wildcard", "_interopNamespace", "_interopDefault", "__toModule", "_interopDefaultLegacy" };
	for (size_t i = 0; i < BAWN_LEN(wrapper); i++)
		if (bawn_span_is(name, wrapper[i]))
			return true;
	return false;
}

/* f.bind(x) is f, and so is call.bind(f, x). */
struct value *bawn_js_bound(struct script *s, const struct call *c)
{
	const char *method = method_of(c->name);
	struct value *f = c->function != NULL && method != NULL && strcmp(method, "bind") == 0 ? c->function->self : NULL;
	bool call = f != NULL && f->name != NULL && strcmp(f->name, "Function.prototype.call") == 0;
	f = call && c->n_args > 1 ? c->arg[0] : !call && c->n_args <= 1 ? f : NULL;
	if (f == NULL || (f->function == 0 && f->name == NULL))
		return NULL;
	struct fact told = { .kind = BAWN_MATCH_CALL, .name = f->name, .node = c->node };
	if (f->function == 0)  /* somebody will call it */
		(void)bawn_engine_fact(s->e, &told);
	return f;
}

/* [].forEach.call(list, f): the method of a literal, used on something else. */
static struct value *borrowed(struct script *s, struct value *method, struct value *by)
{
	bool free = of_literal(method) || (method->name != NULL && begins(method->name, "Array.prototype."));
	struct value *v = free && by != NULL ? bawn_value_new(s->e) : NULL;
	if (v == NULL)
		return method;
	*v = *method;
	v->self = by;
	v->taint |= by->taint & FLOWS;
	return v;
}

void bawn_js_apply(struct script *s, struct call *c)
{
	struct value *self = c->function != NULL ? c->function->self : NULL;
	const char *method = method_of(c->name);
	if (c->name == NULL)
		return;
	if (begins(c->name, "Reflect.") && arg(c, 0) != NULL && (strcmp(method, "apply") == 0 || strcmp(method, "construct") == 0)) {
		const struct value *list = c->arg[c->n_args - 1];
		run_instead(c, c->arg[0], c->n_args);
		spread(c, list);
	} else if (self != NULL && (self->name != NULL || self->function != 0) && method != c->name) {
		if (strcmp(method, "call") == 0 || strcmp(method, "bind") == 0) {
			run_instead(c, borrowed(s, self, arg(c, 0)), 1);
		} else if (strcmp(method, "apply") == 0) {
			run_instead(c, self, 1);
			spread(c, arg(c, 0));
		}
	}
	if (c->name != NULL && is_function_constructor(c->name))
		c->name = "Function";
	if (c->name != NULL && strcmp(c->name, "Function") == 0 && c->n_args > 1) {  /* the last one is the body */
		c->arg += c->n_args - 1;
		c->n_args = 1;
	}
}

enum op { SAME, IMPORT, CODE, TMP, STREAM, PROGRAM, VARIABLE, DATA, MERGE, MEMBERS, COOKIES, ACCESSORS, ELEMENT };
static const struct { const char *name; enum op op; } function[] = {
	{ "util.promisify", SAME }, { "util.callbackify", SAME }, { "pify", SAME }, { "thenify", SAME }, { "bluebird.promisify", SAME },
	{ "Promise.resolve", SAME }, { "Promise.all", SAME }, { "Promise.allSettled", SAME }, { "Promise.race", SAME }, { "Promise.any", SAME },
	{ "Object.freeze", SAME }, { "Object.seal", SAME }, { "Object", SAME }, { "String", SAME }, { "String.raw", SAME }, { "Proxy", ACCESSORS }, { "Object.defineProperty", ACCESSORS }, { "Reflect.defineProperty", ACCESSORS },
	{ "structuredClone", SAME }, { "Array.from", SAME }, { "URL", SAME }, { "util.toUSVString", SAME }, { "$", SAME }, { "WeakRef", SAME }, { "Object.create", ACCESSORS }, { "Object.defineProperties", ACCESSORS },
	{ "Object.assign", MERGE }, { "Object.entries", MEMBERS }, { "Object.values", MEMBERS },
	{ "require", IMPORT }, { "import", IMPORT }, { "module.require", IMPORT }, { "module._load", IMPORT }, { "process.getBuiltinModule", IMPORT },
	{ "module.createRequire()", IMPORT }, { "createRequire()", IMPORT }, { "require.call", IMPORT }, { "importSync", IMPORT }, { "import-fresh", IMPORT },
	{ "__non_webpack_require__", IMPORT }, { "__webpack_require__", IMPORT },
	{ "process.mainModule.constructor._load", IMPORT }, { "module.constructor._load", IMPORT }, { "require.main.constructor._load", IMPORT },
	{ "JSON.parse", DATA }, { "json5.parse", DATA }, { "Function", CODE }, { "os.tmpdir", TMP }, { "fs.createWriteStream", STREAM },
	{ "stream.Writable", STREAM }, { "stream.Transform", STREAM }, { "stream.Duplex", STREAM },
	{ "chrome.cookies.getAll", COOKIES }, { "browser.cookies.getAll", COOKIES },
	{ "Deno.env.get", VARIABLE }, { "document.createElement", ELEMENT }, { "window.document.createElement", ELEMENT },
	{ "child_process.spawn", PROGRAM }, { "child_process.exec", PROGRAM }, { "child_process.execFile", PROGRAM }, { "cross-spawn", PROGRAM },
	{ "execa", PROGRAM }, { "Bun.spawn", PROGRAM }, { "Deno.Command", PROGRAM }, { "Deno.run", PROGRAM },
};
NAMES(functions, function);

static struct value *imported_as(struct script *s, const struct value *v, uint32_t at)
{
	if (!bawn_value_is_text(v) || v->partial || v->text.n > NAME_MAX_BYTES)
		return NULL;
	const char *name = bawn_js_module(bawn_arena_text(scratch(s), v->text));
	if (name == NULL)
		return NULL;
	bawn_script_import(s, name, at);
	return bawn_script_named(s, name, true);
}

static struct value *imported(struct script *s, const struct call *c)
{
	const struct value *v = arg(c, 0);
	struct value *any = imported_as(s, v, c->node);
	for (uint32_t i = v != NULL && v->choice ? v->n_items : 0; i > 0; i--) {
		struct value *one = imported_as(s, v->item[i - 1], c->node);
		any = one != NULL ? bawn_value_either(s, any, one) : any;
	}
	return any;
}

#define MERGED_MAX 1024u  /* members; where there are more, nobody follows them */

static uint32_t merged_items(const struct call *c)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < c->n_args; i++) {
		const struct value *from = c->arg[i];
		for (uint32_t k = 0; from != NULL && from->choice && k < from->n_items; k++)
			n += from->item[k] != NULL && from->item[k]->is_dict ? from->item[k]->n_items : 0;
		n += from != NULL && from->is_dict ? from->n_items : 0;
	}
	return n;
}

static void merge(struct script *s, struct value *to, const struct value *from, uint32_t room)
{
	for (uint32_t i = 0; from->is_dict && i < from->n_items && to->n_items < room; i++) {
		uint32_t at = 0;
		while (at < to->n_items && (from->key[i] == NULL || to->key[at] == NULL || strcmp(from->key[i], to->key[at]) != 0))
			at++;
		to->item[at] = at < to->n_items ? bawn_value_either(s, to->item[at], from->item[i]) : from->item[i];
		to->key[at] = from->key[i];
		to->n_items += at == to->n_items;
	}
	if (from->imported)
		to->name = from->name, to->imported = true;
}

/* Object.assign(to, x, y): `to` has what they have; a copy of a module is as good as the module. */
static struct value *merged(struct script *s, const struct call *c)
{
	struct value *v = tainted(s, NULL, c->taint & FLOWS);
	uint32_t list = child(s, c->node, BAWN_R_ARGUMENTS), first = list != 0 ? node(s, list)->child : 0;
	uint32_t room = merged_items(c);
	s->e->spent += room <= MERGED_MAX ? (uint64_t)room * room : 0;
	if (v == NULL || first == 0 || bawn_fold_over(s, room, MERGED_MAX) || (v->item = bawn_arena_array(scratch(s), struct value *, room + 1)) == NULL ||
	    (v->key = bawn_arena_array(scratch(s), const char *, room + 1)) == NULL)
		return NULL;
	for (uint32_t i = 0; i < c->n_args; i++) {
		const struct value *from = c->arg[i];
		for (uint32_t k = 0; from != NULL && from->choice && k < from->n_items; k++)
			if (from->item[k] != NULL)
				merge(s, v, from->item[k], room);
		if (from != NULL)
			merge(s, v, from, room);
	}
	if (v->n_items == 0 && v->name == NULL)
		return NULL;
	v->is_dict = true;
	if (!bawn_span_is(text_of(s, first), "this")) {
		bawn_bind_again(s, first, v);
		return v;
	}
	for (uint32_t i = 0; i < v->n_items; i++)
		if (v->key[i] != NULL && strlen(v->key[i]) < NAME_MAX_BYTES)
			bawn_scope_set(s, 0, bawn_arena_fmt(scratch(s), "this.%s", v->key[i]), v->item[i]);
	return v;
}

/* Object.entries(module), Object.values(module): some of what is in it. */
static struct value *members(struct script *s, const struct call *c)
{
	const struct value *of = arg(c, 0);
	if (of == NULL || !of->imported || of->name == NULL || strlen(of->name) > NAME_MAX_BYTES)
		return NULL;
	struct value *one = bawn_script_named(s, bawn_arena_fmt(scratch(s), "%s[]", of->name), true), *v = bawn_fold_list(s, 1, of->taint);
	if (v == NULL)
		return NULL;
	v->item[0] = strcmp(method_of(c->name), "entries") == 0 ? bawn_fold_pair(s, NULL, one) : one;
	v->partial = true;
	return v;
}

#define ACCESSORS_MAX 16u

static uint64_t given_by_members(struct script *s, const struct value *of)
{
	uint64_t taint = 0;
	for (uint32_t i = 0; of != NULL && of->is_dict && i < of->n_items && i < ACCESSORS_MAX; i++) {
		uint32_t f = of->item[i] != NULL ? of->item[i]->function : 0;
		const struct value *given = f != 0 ? bawn_scope_get(s, f, "()", 2) : of->item[i];
		taint |= given != NULL ? given->taint & FLOWS & ~BAWN_TAG(INPUT) : 0;
	}
	return taint;
}

/* new Proxy(x, {get: f}), Object.defineProperty(x, 'y', {get: f}): x, and what f gives. */
static struct value *with_accessors(struct script *s, const struct call *c)
{
	struct value *of = arg(c, 0), *v = of == NULL || of->function == 0 ? tainted(s, NULL, 0) : NULL;
	const struct value *options = c->n_args > 1 ? c->arg[c->n_args - 1] : NULL;
	if (v == NULL)
		return NULL;
	if (of != NULL)
		*v = *of;
	v->taint |= given_by_members(s, options);
	for (uint32_t i = 0; options != NULL && options->is_dict && i < options->n_items && i < ACCESSORS_MAX; i++)  /* {x: {get: f}} */
		v->taint |= given_by_members(s, options->item[i]);
	if (of != NULL && !of->imported && of->name == NULL)
		of->taint |= v->taint;
	return v;
}

/* new Function('return process')() is process. */
static struct value *made_code(struct script *s, const struct call *c)
{
	const struct value *v = arg(c, c->n_args - 1);
	if (!bawn_value_is_text(v) || v->partial)
		return NULL;
	struct bawn_span t = v->text;
	while (t.n > 0 && (t.p[t.n - 1] == ';' || t.p[t.n - 1] == ' ' || t.p[t.n - 1] == '\n'))
		t.n--;
	while (t.n > 0 && t.p[0] == ' ')
		t.p++, t.n--;
	if (t.n < 8 || t.n > 40 || memcmp(t.p, "return ", 7) != 0)
		return NULL;
	const char *name = bawn_arena_text(scratch(s), (struct bawn_span){ t.p + 7, t.n - 7 });
	if (name == NULL || name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.")] != '\0')
		return NULL;
	struct value *made = tainted(s, "Function()", 0);
	if (made != NULL)
		made->result = bawn_script_named(s, strcmp(name, "this") == 0 ? "globalThis" : bawn_js_name(name), false);
	return made;
}

/* A shell is a program like others until its input is a connection. */
static struct value *started(struct script *s, const struct call *c)
{
	static const char *const waits[] = { "node", "node.exe", "python", "python3", "perl", "ruby", "php" };  /* for a program, where it is given none */
	static const char *const shell[] = { "sh", "bash", "zsh", "dash", "ksh", "cmd", "cmd.exe", "powershell", "powershell.exe", "pwsh",
	                                     "sh -i", "bash -i", "process.env.SHELL", "process.env.ComSpec", "process.env.COMSPEC" };
	const struct value *program = arg(c, 0);
	if (program != NULL && program->choice && program->n_items > 0 && program->text.p == NULL)
		program = program->item[0];
	struct bawn_span name = bawn_value_is_text(program) ? program->text : bawn_span(program != NULL && program->name != NULL ? program->name : "");
	for (size_t i = name.n; i > 0; i--)
		if (name.p[i - 1] == '/' || name.p[i - 1] == '\\') {
			name = (struct bawn_span){ name.p + i, name.n - i };
			break;
		}
	for (size_t i = 0; i < BAWN_LEN(shell); i++)
		if (bawn_span_is(name, shell[i]))
			return tainted(s, "child_process.shell()", 0);
	const struct value *words = arg(c, 1);
	bool none = words == NULL || words->is_dict || (words->is_list && (words->n_items == 0 || (bawn_value_is_text(words->item[0]) && bawn_span_is(words->item[0]->text, "-"))));
	for (size_t i = 0; none && i < BAWN_LEN(waits); i++)
		if (bawn_span_is(name, waits[i]))
			return tainted(s, "child_process.shell()", 0);
	return NULL;
}

/* Values of a text in JSON, read breadth first: `to` is where the value of `from` belongs. */
#define DATA_MAX 256u
struct data { const json_t *from; struct value **to; };

static struct value *plain_data(struct script *s, const json_t *from, uint64_t taint)
{
	struct value *v = tainted(s, NULL, taint);
	if (v == NULL)
		return NULL;
	struct bawn_span text = { json_string_value(from), json_string_length(from) };
	if (text.p != NULL && (text.p = bawn_arena_text(scratch(s), text)) != NULL)
		v->text = text;
	else if (json_is_integer(from))
		v->number = json_integer_value(from), v->has_number = true;
	else if (json_is_boolean(from))
		v->name = json_is_true(from) ? "True" : "False";
	return v;
}

static bool open_data(struct script *s, struct value *v, const json_t *from, struct data *todo, uint32_t *n)
{
	size_t items = json_is_array(from) ? json_array_size(from) : json_object_size(from);
	if (bawn_fold_over(s, items, DATA_MAX - *n))
		return false;
	v->item = bawn_arena_array(scratch(s), struct value *, items + 1);
	v->key = json_is_object(from) ? bawn_arena_array(scratch(s), const char *, items + 1) : NULL;
	if (v->item == NULL || (json_is_object(from) && v->key == NULL))
		return false;
	v->is_list = json_is_array(from), v->is_dict = json_is_object(from);
	const char *key;
	json_t *one;
	size_t i;
	json_array_foreach(from, i, one)
		todo[(*n)++] = (struct data){ one, &v->item[v->n_items++] };
	json_object_foreach((json_t *)from, key, one) {
		v->key[v->n_items] = bawn_arena_text(scratch(s), bawn_span(key));
		todo[(*n)++] = (struct data){ one, &v->item[v->n_items++] };
	}
	return true;
}

/* JSON.parse of a text that is known. */
static struct value *parsed(struct script *s, const struct call *c)
{
	const struct value *text = arg(c, 0);
	bawn_auto_json root = NULL;
	struct bawn_err ignored = { 0 };
	struct value *whole = NULL;
	struct data todo[DATA_MAX + 1] = { 0 };
	uint32_t n = 1;
	if (!bawn_value_is_text(text) || text->partial || text->choice || bawn_json_parse(text->text, &root, &ignored) < 0)
		return NULL;
	todo[0] = (struct data){ root, &whole };
	for (uint32_t i = 0; i < n; i++) {
		struct value *v = *todo[i].to = plain_data(s, todo[i].from, text->taint & FLOWS);
		if (v == NULL || ((json_is_array(todo[i].from) || json_is_object(todo[i].from)) && !open_data(s, v, todo[i].from, todo, &n)))
			return NULL;
	}
	return whole;
}

/* Methods that give their object, or load a module whatever they are a method of. */
static struct value *by_method(struct script *s, const struct call *c)
{
	static const char *const keeps[] = { "filter", "sort", "toSorted", "flat", "values" };
	struct value *self = c->function != NULL ? c->function->self : NULL;
	const char *method = method_of(c->name);
	if (self != NULL && (strcmp(method, "require") == 0 || strcmp(method, "_load") == 0))
		return imported(s, c);
	if (self != NULL && strcmp(method, "deref") == 0)
		return self;
	if (self != NULL && self->is_list && !self->choice && (strcmp(method, "find") == 0 || strcmp(method, "findLast") == 0))
		return bawn_fold_any(s, self);
	for (size_t i = 0; self != NULL && self->is_list && i < BAWN_LEN(keeps); i++)
		if (strcmp(method, keeps[i]) == 0)
			return self;
	return NULL;
}

struct value *bawn_js_call(struct script *s, const struct call *c)
{
	if (c->name == NULL)
		return NULL;
	size_t row = bawn_names_find(&functions, c->name, strlen(c->name));
	if (row == BAWN_LEN(function))
		return by_method(s, c);
	switch (function[row].op) {
	case SAME:   return c->n_args > 0 && c->arg[0] != NULL && c->arg[0]->function == 0 ? c->arg[0] : NULL;
	case IMPORT: return imported(s, c);
	case CODE:   return c->n_args > 0 ? made_code(s, c) : NULL;
	case TMP:    return bawn_value_text(s->e, bawn_span("/tmp"));
	case PROGRAM: return started(s, c);
	case DATA:   return parsed(s, c);
	case MERGE:  return merged(s, c);
	case MEMBERS: return members(s, c);
	case ELEMENT: return bawn_value_is_text(arg(c, 0)) && bawn_span_is(c->arg[0]->text, "script") ? tainted(s, "HTMLScriptElement()", 0) : NULL;
	case ACCESSORS: return with_accessors(s, c);
	case COOKIES: return tainted(s, NULL, BAWN_TAG(BROWSER));
	case VARIABLE: {
		const char *name = bawn_value_is_text(arg(c, 0)) ? bawn_arena_text(scratch(s), c->arg[0]->text) : NULL;
		const char *path = name != NULL ? place_named("process.env", name) : NULL;
		return path != NULL ? bawn_value_text(s->e, bawn_span(path)) : NULL;
	}
	case STREAM: {
		struct value *v = tainted(s, bawn_arena_fmt(scratch(s), "%s()", c->name), 0);
		if (v != NULL)
			v->self = arg(c, 0);
		return v;
	}
	}
	return NULL;
}

/* ---- files that hold what came over the network ---- */

static bool is_stream(const struct value *v) { return v != NULL && v->name != NULL && strcmp(v->name, "fs.createWriteStream()") == 0; }

/* new Writable({write(chunk) {...}}): what is piped into it, its functions get. */
static void feed_stream(struct script *s, const struct value *stream, uint64_t taint)
{
	const struct value *options = stream != NULL && stream->name != NULL && begins(stream->name, "stream.") ? stream->self : NULL;
	for (uint32_t i = 0; options != NULL && options->is_dict && i < options->n_items; i++)
		if (options->item[i] != NULL && options->item[i]->function != 0)
			bawn_script_hand(s, options->item[i]->function, (struct value *[]){ tainted(s, NULL, taint & FLOWS) }, 1);
}

static void keep_piped(struct script *s, const struct call *c)
{
	if (c->name != NULL && strcmp(method_of(c->name), "pipe") == 0)
		feed_stream(s, arg(c, 0), c->taint);
	struct value *self = c->function != NULL ? c->function->self : NULL;
	for (uint32_t i = 0; i < c->n_args && i < GIVEN_MAX; i++)
		if (is_stream(c->arg[i]))
			bawn_script_keep(s, c->arg[i]->self, c->taint);
	if (is_stream(self))
		bawn_script_keep(s, self->self, c->taint);
}

/* eval((function (p, a, c, k) {...})(...)): the text is worked out on the spot. */
static void notice_packed(struct script *s, const struct call *c)
{
	uint32_t list = child(s, c->node, BAWN_R_ARGUMENTS), a = list != 0 ? node(s, list)->child : 0;
	if (c->name == NULL || (strcmp(c->name, "eval") != 0 && strcmp(c->name, "Function") != 0) || a == 0 || node(s, a)->kind != BAWN_K_CALL)
		return;
	uint32_t f = child(s, a, BAWN_R_FUNCTION);
	while (f != 0 && node(s, f)->kind == BAWN_K_PAREN)
		f = node(s, f)->child;
	if (f != 0 && node(s, f)->kind == BAWN_K_LAMBDA)
		(void)bawn_engine_event(s->e, "packed-code", c->node, NULL);
}

/* new Promise((resolve) => resolve(x)) comes to x. */
static void settle(struct script *s, const struct call *c, struct value *result)
{
	if (c->name == NULL)
		return;
	if (strcmp(c->name, "Promise.settle") == 0 && c->function != NULL)
		c->function->taint |= c->taint & FLOWS;
	const struct value *f = strcmp(c->name, "Promise") == 0 ? arg(c, 0) : NULL;
	uint32_t list = f != NULL && f->function != 0 ? child(s, f->function, BAWN_R_PARAMETERS) : 0;
	uint32_t first = list != 0 && node(s, list)->kind != BAWN_K_NAME ? node(s, list)->child : list;
	struct bawn_span name = first != 0 ? bawn_node_text(s->t, first) : bawn_span("");
	const struct value *resolve = name.n > 0 ? bawn_scope_get(s, f->function, name.p, name.n) : NULL;
	if (resolve != NULL && result != NULL)
		result->taint |= resolve->taint & FLOWS & ~BAWN_TAG(INPUT);
}

/* x.map(f) of a list nobody knows: one of what f gives, and more of the kind. */
static void gather_list(struct script *s, const struct value *given, bool flat, struct value *result)
{
	struct value *list = bawn_fold_list(s, 0, given->taint), *one = (struct value *)given;
	bool lists = given->is_list && !given->choice;
	for (uint32_t i = 0; flat && (lists || given->choice) && i < given->n_items && list != NULL; i++) {
		struct value *in = given->item[i];
		bool inner = !lists && in != NULL && in->is_list && !in->choice;
		for (uint32_t k = 0; inner && k < in->n_items && list != NULL; k++)
			list = bawn_fold_append(s, list, in->item[k]);
		if (!inner && list != NULL)
			list = bawn_fold_append(s, list, in);
	}
	if (list != NULL && !(flat && (lists || given->choice)))
		list = bawn_fold_append(s, list, one);
	if (list == NULL)
		return;
	uint64_t taint = result->taint;
	const char *name = result->name;
	*result = *list;
	result->taint |= taint;
	result->name = name;
	result->partial = true;
}

/* x.map(f), p.then(f), t.replace(/./g, f): what f gives is in the result. */
static void gather_results(struct script *s, const struct call *c, struct value *result)
{
	static const char *const gives_back[] = { "map", "flatMap", "then", "reduce", "reduceRight", "replace", "replaceAll", "from", "switchMap", "mergeMap", "concatMap", "exhaustMap" };
	const char *method = method_of(c->name);
	size_t way = 0;
	while (way < BAWN_LEN(gives_back) && (method == NULL || strcmp(method, gives_back[way]) != 0))
		way++;
	for (uint32_t i = 0; way < BAWN_LEN(gives_back) && i < c->n_args && i < 3; i++) {
		uint32_t f = c->arg[i] != NULL ? c->arg[i]->function : 0;
		const struct value *given = f != 0 ? bawn_scope_get(s, f, "()", 2) : NULL;
		if (given == NULL)
			continue;
		result->taint |= given->taint & FLOWS & ~BAWN_TAG(INPUT);
		if (way < 2 && i == 0 && !result->is_list && !bawn_value_is_text(result))
			gather_list(s, given, way == 1, result);
		if (way == 2 && (given->imported || given->is_list || given->is_dict || bawn_value_is_text(given))) {
			uint64_t taint = result->taint;
			*result = *given;
			result->taint |= taint;
		}
	}
}

/* What is read from a file says nothing about how its name was found. */
static bool reads_by_name(const char *name)
{
	static const char *const reader[] = { "fs.read", "fs.createReadStream", "fs.stat", "fs.lstat", "fs.exists", "fs.access", "require", "import", "Deno.read", "Bun.file", "path.relative", "path.basename" };
	for (size_t i = 0; name != NULL && i < BAWN_LEN(reader); i++)
		if (begins(name, reader[i]))
			return true;
	return false;
}

/* Options that name a file: {socketPath: '/run/x.sock'}. */
static void option_paths(struct script *s, const struct call *c)
{
	static const char *const name[] = { "socketPath", "privateKeyPath", "keyFilename", "keyFile" };
	for (uint32_t i = 0; i < c->n_keywords && i < 64; i++)
		for (size_t k = 0; c->keyword[i].name != NULL && k < BAWN_LEN(name); k++)
			if (strcmp(c->keyword[i].name, name[k]) == 0 && bawn_value_is_text(c->keyword[i].value))
				(void)bawn_engine_path(s->e, c->keyword[i].value->text, BAWN_ACCESS_USE, false, c->node);
}

/* Options that name a program: setupPrimary({exec: 'x.js'}) is fork('x.js'). */
static void option_programs(struct script *s, const struct call *c)
{
	static const struct { const char *name, *option; } runs[] = {
		{ "cluster.setupPrimary", "exec" }, { "cluster.setupMaster", "exec" }, { "piscina", "filename" }, { "pm2.start", "script" }, { "nodemon", "script" },
	};
	for (size_t k = 0; c->n_keywords > 0 && k < BAWN_LEN(runs); k++)
		for (uint32_t i = 0; strcmp(c->name, runs[k].name) == 0 && i < c->n_keywords; i++)
			if (c->keyword[i].name != NULL && strcmp(c->keyword[i].name, runs[k].option) == 0)
				(void)bawn_call_effects(s, &(struct call){ .node = c->node, .name = "child_process.fork", .arg = &c->keyword[i].value, .n_args = 1 }, false);
}

/* u.searchParams.set('q', x), box.list.push(x): it is in u, and in box. */
static void put_in_part(const struct call *c)
{
	static const char *const puts[] = { "set", "append", "push", "add", "unshift" };
	struct value *part = c->function != NULL ? c->function->self : NULL, *whole = part != NULL ? part->self : NULL;
	uint64_t own = 0;
	for (uint32_t i = 0; whole != NULL && i < c->n_args; i++)
		own |= c->arg[i] != NULL ? c->arg[i]->taint & FLOWS & ~BAWN_TAG(INPUT) : 0;
	for (size_t i = 0; own != 0 && !whole->imported && i < BAWN_LEN(puts); i++)
		if (strcmp(method_of(c->name), puts[i]) == 0)
			whole->taint |= own;
}

/* /qemu|vmware/.test(os.hostname()): what the machine said is compared with it, so it is more than mentioned. */
static void compared(struct script *s, const struct call *c)
{
	static const char *const looks[] = { "test", "exec", "match", "search", "includes", "indexOf", "startsWith" };
	const struct value *self = c->function != NULL ? c->function->self : NULL, *with = arg(c, 0);
	bool asked = (c->taint & (BAWN_TAG(HOST_INFO) | BAWN_TAG(IDENTITY) | BAWN_TAG(CMD_OUTPUT))) != 0, looked = false;
	for (size_t i = 0; asked && self != NULL && !looked && i < BAWN_LEN(looks); i++)
		looked = strcmp(method_of(c->name), looks[i]) == 0;
	const struct value *text = with;
	for (int i = 0; looked && i < 2; i++, with = self)
		if (with != NULL && with->name != NULL && strcmp(with->name, "RegExp()") == 0)
			text = with->self;
	uint32_t n = looked && text != NULL && text->choice ? text->n_items : looked;
	for (uint32_t i = 0; i < n && i < 64; i++) {
		const struct value *one = text != NULL && text->choice ? text->item[i] : text;
		struct fact f = { .kind = BAWN_MATCH_STRING, .node = c->node };
		f.name = bawn_value_is_text(one) && one->text.n > 3 ? bawn_arena_text(scratch(s), one->text) : NULL;
		if (f.name != NULL)
			(void)bawn_engine_fact(s->e, &f);
	}
}

/* sendMail({attachments: [{path: '...'}]}) */
static void attached_paths(struct script *s, const struct call *c, struct value *result)
{
	for (uint32_t i = 0; i < c->n_keywords && i < 64; i++) {
		const struct value *list = c->keyword[i].name != NULL && strcmp(c->keyword[i].name, "attachments") == 0 ? c->keyword[i].value : NULL;
		for (uint32_t k = 0; list != NULL && list->is_list && k < list->n_items && k < 16; k++) {
			const struct value *one = list->item[k];
			for (uint32_t m = 0; one != NULL && one->is_dict && m < one->n_items; m++)
				if (one->key[m] != NULL && strcmp(one->key[m], "path") == 0 && bawn_value_is_text(one->item[m]) && result != NULL)
					result->taint |= bawn_engine_path(s->e, one->item[m]->text, BAWN_ACCESS_READ, false, c->node) & FLOWS;
		}
	}
}

/* What a program is started in and with is not what it prints. */
static struct call without_surroundings(const struct call *c, struct value *result, uint64_t tags)
{
	struct call own = *c;
	uint64_t said = tags, around = BAWN_TAG(ENVIRON) | BAWN_TAG(IDENTITY) | BAWN_TAG(HOST_INFO);
	for (uint32_t i = 0; i < c->n_args && i < 2; i++)
		said |= c->arg[i] != NULL && !c->arg[i]->is_dict ? c->arg[i]->taint : 0;
	own.taint &= ~(around & ~said);
	if (result != NULL)
		result->taint &= ~(around & ~said);
	return own;
}

/* Functions that are given a key or a password, as argument `at`.  What they make of it is no secret, but for its own key. */
static const struct { const char *name; uint8_t at; } takes_key[] = {
	{ "*.fromSecretKey", 0 }, { "*.fromMnemonic", 0 }, { "*.fromPhrase", 0 }, { "*.mnemonicToSeed", 0 }, { "*.mnemonicToSeedSync", 0 }, { "*.mnemonicToAccount", 0 },
	{ "*.privateKeyToAccount", 0 }, { "*.fromWIF", 0 }, { "*.importPrivateKey", 0 }, { "*.Wallet", 0 }, { "*.mnemonicToEntropy", 0 }, { "*.validateMnemonic", 0 },
	{ "jsonwebtoken.sign", 1 }, { "jsonwebtoken.verify", 1 }, { "bcrypt.compare", 0 }, { "bcrypt.compareSync", 0 }, { "bcrypt.hash", 0 }, { "bcrypt.hashSync", 0 },
	{ "bcryptjs.compare", 0 }, { "bcryptjs.compareSync", 0 }, { "bcryptjs.hash", 0 }, { "bcryptjs.hashSync", 0 }, { "argon2.hash", 0 }, { "argon2.verify", 1 },
	{ "crypto.createHmac", 1 }, { "crypto.createSecretKey", 0 }, { "crypto.createPrivateKey", 0 }, { "crypto.createCipheriv", 1 }, { "crypto.createDecipheriv", 1 },
	{ "crypto.scrypt", 0 }, { "crypto.scryptSync", 0 }, { "crypto.pbkdf2", 0 }, { "crypto.pbkdf2Sync", 0 },
};
NAMES(key_takers, takes_key);

/* decode(secret): whatever the key was worked out of is as good as the key. */
static void mark_key(struct script *s, uint32_t from)
{
	for (uint32_t i = from, end = subtree_end(s, from); i < end; i++) {
		struct value *v = s->val[i];
		uint32_t parent = node(s, i)->parent;
		bool named = node(s, i)->kind == BAWN_K_NAME || node(s, i)->kind == BAWN_K_ATTRIBUTE;
		bool whole = i == from || node(s, parent)->kind == BAWN_K_ARGUMENTS;
		if (named && whole && v != NULL && !v->imported && v->function == 0 && !bawn_value_is_text(v))
			v->taint |= BAWN_TAG(SECRET);
	}
}

static void note_key(struct script *s, const struct call *c, struct value *result)
{
	size_t row = c->name != NULL ? bawn_names_match(&key_takers, c->name) : BAWN_LEN(takes_key);
	struct value *key = row < BAWN_LEN(takes_key) ? arg(c, takes_key[row].at) : NULL;
	if (key == NULL)
		return;
	key->taint |= BAWN_TAG(SECRET);
	uint32_t list = child(s, c->node, BAWN_R_ARGUMENTS), at = list != 0 ? node(s, list)->child : 0;
	for (uint8_t i = 0; at != 0 && i < takes_key[row].at; i++)
		at = node(s, at)->next;
	if (at != 0)
		mark_key(s, at);
	if (result != NULL)
		result->taint &= ~BAWN_TAG(SECRET);
}

void bawn_js_after(struct script *s, const struct call *call, struct value *result, uint64_t tags)
{
	bool local = call->function != NULL && call->function->function != 0, program = call->name != NULL && begins(call->name, "child_process.");
	struct call own = program && !local ? without_surroundings(call, result, tags) : *call;
	const struct call *c = &own;
	if (result != NULL && !local && reads_by_name(c->name))
		result->taint &= ~(BAWN_TAG(IDENTITY) | BAWN_TAG(HOST_INFO));
	if (!local)
		bawn_js_hand(s, c, result, tags);
	for (uint32_t i = 0; result != NULL && result->is_list && i < result->n_items; i++)
		result->taint |= result->item[i] != NULL ? result->item[i]->taint & FLOWS : 0;
	if (result != NULL && !local)
		gather_results(s, c, result);
	keep_piped(s, c);
	notice_packed(s, c);
	settle(s, c, result);
	option_paths(s, c);
	if (c->name != NULL && !local) {
		option_programs(s, c);
		put_in_part(c);
		compared(s, c);
	}
	attached_paths(s, c, result);
	note_key(s, c, result);
}

/* ---- what the text looks like ---- */

#define HEX_NAMES     8u     /* names like _0x3fa2 */
#define LETTERS_LEAST 200u   /* bytes of code from which its letters are counted */
#define ESCAPED       12u    /* plain letters written as escapes */
#define LOOPS_MAX     256u   /* looked at for shuffled texts */
#define SELECTORS     6u     /* variation selectors in a row: no picture has so many */

#define SIGNS_RUN     24u    /* brackets and signs in a row that spell a letter: (![]+[])[+!+[]] */

struct shape { uint32_t names, hex, escaped, bytes, letters; bool signs; };

static bool is_hex_name(struct bawn_span t)
{
	size_t at = 3;
	if (t.n < 6 || memcmp(t.p, "_0x", 3) != 0)
		return false;
	while (at < t.n && strchr("0123456789abcdefABCDEF", t.p[at]) != NULL)
		at++;
	return at == t.n;
}

/* \x65, \u0065: a letter that could have been written. */
static bool is_escaped_letter(struct bawn_span t)
{
	unsigned c = 0;
	if (t.n < 4 || t.n > 8 || (t.p[1] != 'x' && t.p[1] != 'u'))
		return false;
	for (size_t i = 2; i < t.n; i++) {
		const char *digits = "0123456789abcdef", *d = strchr(digits, t.p[i] | 0x20);
		c = d != NULL && *d != '\0' ? c * 16 + (unsigned)(d - digits) : c;
	}
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* (![]+[])[+[]] is 'f': letters made of nothing. */
static bool spells_with_signs(struct bawn_span code)
{
	size_t run = 0;
	for (size_t i = 0; i <= code.n; i++) {
		if (i < code.n && strchr("[]()!+", code.p[i]) != NULL && code.p[i] != '\0') {
			run++;
			continue;
		}
		const char *at = run >= SIGNS_RUN ? code.p + (i - run) : NULL;
		if (at != NULL && memmem(at, run, "![]", 3) != NULL && memmem(at, run, "+[]", 3) != NULL)
			return true;
		run = 0;
	}
	return false;
}

/* Code between two texts or comments. */
static void look_at(struct bawn_span code, struct shape *look)
{
	look->signs = look->signs || spells_with_signs(code);
	for (size_t i = 0; i < code.n; i++) {
		char c = code.p[i];
		look->bytes += c != ' ' && c != '\t' && c != '\n' && c != '\r';
		look->letters += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
	}
}

/* Runs of variation selectors carry bytes that no editor shows. */
static bool hides_bytes(struct bawn_span t)
{
	unsigned run = 0;
	for (size_t i = 0; i + 3 < t.n; ) {
		const unsigned char *p = (const unsigned char *)t.p + i;
		bool low = p[0] == 0xef && p[1] == 0xb8 && p[2] < 0x90, high = p[0] == 0xf3 && p[1] == 0xa0 && p[2] >= 0x84 && p[2] <= 0x87;
		run = low || high ? run + 1 : 0;
		if (run >= SELECTORS)
			return true;
		i += high ? 4 : low ? 3 : 1;
	}
	return false;
}

/* while (true) { try { if (sum of parseInt(...) === n) break; else a.push(a.shift()) } ... } */
static bool turns_strings(struct bawn_span loop)
{
	size_t numbers = 0;
	for (const char *at = loop.p; (at = memmem(at, loop.n - (size_t)(at - loop.p), "parseInt", 8)) != NULL; at += 8)
		numbers++;
	return numbers >= 3 && memmem(loop.p, loop.n, "shift", 5) != NULL && memmem(loop.p, loop.n, "push", 4) != NULL;
}

/* (function (a, n) { while (n--) a.push(a.shift()) })(texts, 7): the table of an obfuscator is put in order. */
static bool turns_table(const struct script *s, uint32_t loop)
{
	struct bawn_span t = text_of(s, loop);
	const char *push = memmem(t.p, t.n, "push", 4);
	if (push == NULL || memmem(push, t.n - (size_t)(push - t.p), "shift", 5) == NULL)
		return false;
	for (uint32_t p = loop; p != 0; p = node(s, p)->parent) {
		uint32_t list = node(s, p)->kind == BAWN_K_CALL ? child(s, p, BAWN_R_ARGUMENTS) : 0, f = list != 0 ? child(s, p, BAWN_R_FUNCTION) : 0;
		uint32_t table = list != 0 ? node(s, list)->child : 0, times = table != 0 ? node(s, table)->next : 0;
		if (times != 0 && f != 0 && loop > f && loop < subtree_end(s, f) && node(s, table)->kind == BAWN_K_NAME && node(s, times)->kind == BAWN_K_INTEGER)
			return true;
	}
	return false;
}

void bawn_js_shapes(struct script *s)
{
	struct shape look = { 0 };
	uint32_t done = 0, turned = 0, loops = 0;
	for (uint32_t i = 0; i < s->t->n; i++) {
		const struct bawn_node *n = node(s, i);
		switch (n->kind) {
		case BAWN_K_NAME:
			look.names++;
			look.hex += is_hex_name(bawn_node_text(s->t, i));
			break;
		case BAWN_K_ESCAPE:
			look.escaped += is_escaped_letter(bawn_node_text(s->t, i));
			break;
		case BAWN_K_WHILE: case BAWN_K_FOR:
			if (turned == 0 && loops++ < LOOPS_MAX && n->end - n->start < 8192 && (turns_strings(bawn_node_text(s->t, i)) || turns_table(s, i)))
				turned = i;
			break;
		case BAWN_K_STRING: case BAWN_K_TEMPLATE: case BAWN_K_COMMENT: case BAWN_K_REGEX:
			if (n->start >= done)
				look_at((struct bawn_span){ s->t->text.p + done, n->start - done }, &look);
			done = n->end > done ? n->end : done;
			break;
		default:
			break;
		}
	}
	look_at((struct bawn_span){ s->t->text.p + done, s->t->text.n - done }, &look);
	if ((look.hex >= HEX_NAMES && look.hex * 5 >= look.names) || turned != 0)
		(void)bawn_engine_event(s->e, "machine-made-names", turned, NULL);
	if (look.signs || (look.bytes >= LETTERS_LEAST && look.letters * 8 < look.bytes && look.bytes * 2 > s->t->text.n))
		(void)bawn_engine_event(s->e, "code-without-letters", 0, NULL);
	if (look.escaped >= ESCAPED)
		(void)bawn_engine_event(s->e, "letters-as-escapes", 0, NULL);
	if (hides_bytes(s->t->text))
		(void)bawn_engine_event(s->e, "hidden-bytes", 0, NULL);
}
