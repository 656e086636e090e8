/* javascript.c - what only JavaScript has: modules known by several names, functions handed on to be
 * called with data later, and the ways from any value to the functions of the runtime.
 *
 * Data mostly reaches JavaScript through parameters of functions that somebody else calls.  When such
 * a function is entered, the call it is an argument of is known up to there; so its parameters are
 * bound before its body is read, and `get(u, r => r.on('data', d => eval(d)))` needs one walk. */
#include "assess/javascript.h"
#include "assess/import.h"
#include "assess/names.h"
#include "assess/parameter.h"
#include "assess/text.h"
#include "base/cleanup.h"
#include "base/json.h"

#define GIVEN_MAX 4u

static struct arena *scratch(struct script *s) { return &s->e->scratch; }
static const struct bawn_node *node(const struct script *s, uint32_t i) { return &s->t->node[i]; }
static uint32_t child(const struct script *s, uint32_t i, enum bawn_role role) { return bawn_node_child(s->t, i, role); }
static struct value *arg(const struct call *c, uint32_t i) { return i < c->n_args ? c->arg[i] : NULL; }
static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

static const char *method_of(const char *name)
{
	const char *dot = name != NULL ? strrchr(name, '.') : NULL;
	return dot != NULL ? dot + 1 : name;
}

static struct value *tainted(struct script *s, const char *name, uint64_t taint)
{
	struct value *v = bawn_value_new(s->e);
	if (v != NULL)
		v->name = name, v->taint = taint;
	return v;
}

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
	{ "Module._load", "module._load" }, { "module.Module._load", "module._load" },
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

struct value *bawn_js_attribute(struct script *s, struct value *object, const char *property)
{
	if (object == NULL || property == NULL)
		return NULL;
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

/* f.bind(x) of a function of the program is that function. */
struct value *bawn_js_bound(const struct call *c)
{
	const char *method = method_of(c->name);
	struct value *self = c->function != NULL ? c->function->self : NULL;
	return method != NULL && strcmp(method, "bind") == 0 && c->n_args <= 1 && self != NULL && self->function != 0 ? self : NULL;
}

void bawn_js_apply(struct call *c)
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
			run_instead(c, self, 1);
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

enum op { SAME, IMPORT, CODE, TMP, STREAM, PROGRAM, VARIABLE, DATA };
static const struct { const char *name; enum op op; } function[] = {
	{ "util.promisify", SAME }, { "util.callbackify", SAME }, { "pify", SAME }, { "thenify", SAME }, { "bluebird.promisify", SAME },
	{ "Promise.resolve", SAME }, { "Promise.all", SAME }, { "Promise.allSettled", SAME }, { "Promise.race", SAME }, { "Promise.any", SAME },
	{ "Object.freeze", SAME }, { "Object.seal", SAME }, { "Object", SAME }, { "String", SAME }, { "String.raw", SAME }, { "Proxy", SAME },
	{ "structuredClone", SAME }, { "Array.from", SAME }, { "URL", SAME }, { "util.toUSVString", SAME }, { "$", SAME },
	{ "require", IMPORT }, { "import", IMPORT }, { "module.require", IMPORT }, { "module._load", IMPORT }, { "process.getBuiltinModule", IMPORT },
	{ "module.createRequire()", IMPORT }, { "createRequire()", IMPORT }, { "require.call", IMPORT }, { "importSync", IMPORT }, { "import-fresh", IMPORT },
	{ "__non_webpack_require__", IMPORT }, { "__webpack_require__", IMPORT },
	{ "process.mainModule.constructor._load", IMPORT }, { "module.constructor._load", IMPORT }, { "require.main.constructor._load", IMPORT },
	{ "JSON.parse", DATA }, { "json5.parse", DATA }, { "Function", CODE }, { "os.tmpdir", TMP }, { "fs.createWriteStream", STREAM },
	{ "Deno.env.get", VARIABLE },
	{ "child_process.spawn", PROGRAM }, { "child_process.exec", PROGRAM }, { "child_process.execFile", PROGRAM }, { "cross-spawn", PROGRAM },
	{ "execa", PROGRAM }, { "Bun.spawn", PROGRAM }, { "Deno.Command", PROGRAM }, { "Deno.run", PROGRAM },
};
NAMES(functions, function);

static struct value *imported(struct script *s, const struct call *c)
{
	const struct value *v = arg(c, 0);
	if (!bawn_value_is_text(v) || v->partial || v->text.n > NAME_MAX_BYTES)
		return NULL;
	const char *name = bawn_js_module(bawn_arena_text(scratch(s), v->text));
	if (name == NULL)
		return NULL;
	bawn_script_import(s, name, c->node);
	return bawn_script_named(s, name, true);
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
	if (items > DATA_MAX - *n)
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

static struct value *same_list(const struct call *c)
{
	static const char *const keeps[] = { "filter", "sort", "toSorted", "flat", "values" };
	struct value *self = c->function != NULL ? c->function->self : NULL;
	const char *method = method_of(c->name);
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
		return same_list(c);
	switch (function[row].op) {
	case SAME:   return c->n_args > 0 && c->arg[0] != NULL && c->arg[0]->function == 0 ? c->arg[0] : NULL;
	case IMPORT: return imported(s, c);
	case CODE:   return c->n_args > 0 ? made_code(s, c) : NULL;
	case TMP:    return bawn_value_text(s->e, bawn_span("/tmp"));
	case PROGRAM: return started(s, c);
	case DATA:   return parsed(s, c);
	case VARIABLE: {
		const char *name = bawn_value_is_text(arg(c, 0)) ? bawn_arena_text(scratch(s), c->arg[0]->text) : NULL;
		const char *path = name != NULL ? place_named("process.env", name) : NULL;
		return path != NULL ? bawn_value_text(s->e, bawn_span(path)) : NULL;
	}
	case STREAM: {
		struct value *v = tainted(s, "fs.createWriteStream()", 0);
		if (v != NULL)
			v->self = arg(c, 0);
		return v;
	}
	}
	return NULL;
}

/* ---- functions that are handed on ---- */

/* What a function calls the function it is given with; `from_outside`: the parameters (bits) that come over the network. */
static const struct { const char *name, *given[2]; unsigned from_outside; } gives[] = {
	{ "Promise", { "Promise.settle" }, 0 }, { "net.createServer", { "net.Socket()" }, 1 }, { "net.Server", { "net.Socket()" }, 1 }, { "tls.createServer", { "net.Socket()" }, 1 },
	{ "http.createServer", { "http.IncomingMessage()", "http.ServerResponse()" }, 1 },
	{ "https.createServer", { "http.IncomingMessage()", "http.ServerResponse()" }, 1 },
	{ "http2.createServer", { "http.IncomingMessage()", "http.ServerResponse()" }, 1 },
	{ "http2.createSecureServer", { "http.IncomingMessage()", "http.ServerResponse()" }, 1 },
	{ "express().*", { "http.IncomingMessage()", "http.ServerResponse()" }, 1 },
	{ "express.Router().*", { "http.IncomingMessage()", "http.ServerResponse()" }, 1 },
	{ "fastify().*", { "http.IncomingMessage()", "http.ServerResponse()" }, 1 }, { "polka().*", { "http.IncomingMessage()", "http.ServerResponse()" }, 1 },
	{ "koa().*", { "http.IncomingMessage()" }, 1 }, { "Deno.serve", { "http.IncomingMessage()" }, 1 },
	{ "http.get", { "http.IncomingMessage()" }, 1 }, { "https.get", { "http.IncomingMessage()" }, 1 },
	{ "http.request", { "http.IncomingMessage()" }, 1 }, { "https.request", { "http.IncomingMessage()" }, 1 },
	{ "request", { NULL, "http.IncomingMessage()" }, 6 }, { "request.get", { NULL, "http.IncomingMessage()" }, 6 },
	{ "request.post", { NULL, "http.IncomingMessage()" }, 6 }, { "needle.get", { NULL, "http.IncomingMessage()" }, 6 },
	{ "needle", { NULL, "http.IncomingMessage()" }, 6 }, { "$.get", { NULL }, 1 }, { "$.post", { NULL }, 1 }, { "$.getJSON", { NULL }, 1 },
	{ "*.onBeforeRequest", { "WebRequest()" }, 0 }, { "*.onCompleted", { "WebRequest()" }, 0 }, { "*.onBeforeSendHeaders", { "WebRequest()" }, 0 },
	{ "*.onSendHeaders", { "WebRequest()" }, 0 },
	{ "dns.resolveTxt", { NULL }, 2 }, { "dns.resolve", { NULL }, 2 },
};
NAMES(givers, gives);

/* Methods that call a function for each item, or with what the object comes to. */
enum way { NO_WAY, ITEM, SECOND_ITEM, ITSELF, EVENT };
static const struct { const char *name; enum way way; } calls_back[] = {
	{ "forEach", ITEM }, { "map", ITEM }, { "filter", ITEM }, { "find", ITEM }, { "findIndex", ITEM }, { "some", ITEM }, { "every", ITEM },
	{ "flatMap", ITEM }, { "findLast", ITEM }, { "reduce", SECOND_ITEM }, { "reduceRight", SECOND_ITEM }, { "then", ITSELF }, { "catch", ITSELF }, { "on", EVENT }, { "once", EVENT },
	{ "addListener", EVENT }, { "addEventListener", EVENT }, { "prependListener", EVENT }, { "subscribe", EVENT }, { "onText", EVENT },
};
NAMES(call_backs, calls_back);

/* What an event hands over, where its name says so. */
static const struct { const char *name, *given; uint64_t taint; } event[] = {
	{ "connection", "net.Socket()", BAWN_TAG(NET_RECV) }, { "secureConnection", "net.Socket()", BAWN_TAG(NET_RECV) },
	{ "request", "http.IncomingMessage()", BAWN_TAG(NET_RECV) }, { "response", "http.IncomingMessage()", BAWN_TAG(NET_RECV) },
	{ "keydown", "KeyboardEvent()", 0 }, { "keypress", "KeyboardEvent()", 0 }, { "keyup", "KeyboardEvent()", 0 },
};
NAMES(events, event);

static struct value *item_of(struct script *s, struct value *list)
{
	if (list == NULL || !list->is_list || list->n_items == 0)
		return tainted(s, NULL, list != NULL ? list->taint & FLOWS : 0);
	struct value *one = bawn_value_new(s->e);
	if (one == NULL)
		return NULL;
	*one = *list;
	one->choice = true;
	one->name = list->item[0] != NULL ? list->item[0]->name : NULL;
	for (uint32_t i = 0; i < list->n_items; i++)
		one->taint |= list->item[i] != NULL ? list->item[i]->taint & FLOWS : 0;
	return one;
}

/* What x.emit('name', v) hands to x.on('name', f), whoever x is. */
static const char *emitted_name(struct script *s, const struct value *what)
{
	return bawn_value_is_text(what) && what->text.n < NAME_MAX_BYTES ? bawn_arena_fmt(scratch(s), "%.*s!", (int)what->text.n, what->text.p) : NULL;
}

static void note_emitted(struct script *s, const struct call *c)
{
	const char *method = method_of(c->name), *name = method != NULL && strcmp(method, "emit") == 0 && c->n_args > 1 ? emitted_name(s, c->arg[0]) : NULL;
	uint64_t taint = 0;
	for (uint32_t i = 1; name != NULL && i < c->n_args; i++)
		taint |= c->arg[i] != NULL ? c->arg[i]->taint & FLOWS & ~BAWN_TAG(INPUT) : 0;
	const struct value *before = taint != 0 ? bawn_scope_get(s, 0, name, strlen(name)) : NULL;
	if (taint != 0)
		bawn_scope_set(s, 0, name, tainted(s, NULL, taint | (before != NULL ? before->taint : 0)));
}

static uint32_t given_by_event(struct script *s, const struct call *c, uint64_t taint, struct value **given)
{
	const struct value *what = arg(c, 0);
	const char *name = emitted_name(s, what);
	const struct value *emitted = name != NULL ? bawn_scope_get(s, 0, name, strlen(name)) : NULL;
	taint |= emitted != NULL ? emitted->taint : 0;
	size_t row = bawn_value_is_text(what) ? bawn_names_find(&events, what->text.p, what->text.n) : BAWN_LEN(event);
	if (row < BAWN_LEN(event)) {
		given[0] = tainted(s, event[row].given, taint | event[row].taint);
		return 1;
	}
	given[0] = tainted(s, NULL, taint);
	given[1] = tainted(s, NULL, taint);
	return 2;
}

static uint32_t given_by_name(struct script *s, size_t row, uint64_t taint, struct value **given)
{
	for (uint32_t i = 0; i < 3; i++) {
		uint64_t outside = gives[row].from_outside >> i & 1 ? BAWN_TAG(NET_RECV) : 0;
		given[i] = tainted(s, i < BAWN_LEN(gives[row].given) ? gives[row].given[i] : NULL, taint | outside);
	}
	return 3;
}

/* The values a function given to this call will be called with; `tags` of what the call gives back. */
static uint32_t what_is_given(struct script *s, const struct call *c, uint64_t tags, struct value **given)
{
	struct value *self = c->function != NULL ? c->function->self : NULL;
	const char *method = method_of(c->name);
	size_t row = c->name != NULL ? bawn_names_match(&givers, c->name) : BAWN_LEN(gives);
	if (row < BAWN_LEN(gives))
		return given_by_name(s, row, tags & FLOWS, given);
	size_t way = method != NULL ? bawn_names_find(&call_backs, method, strlen(method)) : BAWN_LEN(calls_back);
	uint64_t own = self != NULL ? self->taint & FLOWS : 0;
	switch (way < BAWN_LEN(calls_back) && self != NULL ? calls_back[way].way : NO_WAY) {
	case ITEM:
		given[0] = item_of(s, self);
		return 1;
	case SECOND_ITEM:
		given[0] = tainted(s, NULL, own);
		given[1] = item_of(s, self);
		return 2;
	case ITSELF:
		given[0] = self;
		return 1;
	case EVENT:
		return given_by_event(s, c, own, given);
	case NO_WAY:
		break;
	}
	uint64_t taint = (c->taint | tags) & FLOWS & ~BAWN_TAG(INPUT);
	for (uint32_t i = 0; taint != 0 && i < 3; i++)
		given[i] = tainted(s, NULL, taint);
	return taint != 0 ? 3 : 0;
}

static void hand_over(struct script *s, const struct call *c, uint32_t to, uint64_t tags)
{
	struct value *given[GIVEN_MAX] = { NULL };
	uint32_t n = what_is_given(s, c, tags, given);
	if (n > 0)
		bawn_script_hand(s, to, given, n);
}

/* x.onmessage = e => ...: as if it had been given to x.on('message', ...). */
static void enter_handler(struct script *s, uint32_t entered)
{
	uint32_t left = child(s, node(s, entered)->parent, BAWN_R_LEFT), property = left != 0 ? child(s, left, BAWN_R_PROPERTY) : 0;
	uint32_t object = left != 0 ? child(s, left, BAWN_R_OBJECT) : 0;
	struct bawn_span name = property != 0 ? bawn_node_text(s->t, property) : bawn_span("");
	const struct value *self = object != 0 ? s->val[object] : NULL;
	if (!bawn_span_starts(name, "on") || self == NULL)
		return;
	struct value *what = bawn_value_text(s->e, (struct bawn_span){ name.p + 2, name.n - 2 }), *given[GIVEN_MAX] = { NULL };
	struct call c = { .arg = &what, .n_args = 1 };
	uint32_t n = given_by_event(s, &c, self->taint & FLOWS, given);
	bawn_script_hand(s, entered, given, n);
}

/* (req, res) => ...: by custom these are a request and the answer to it, whoever calls. */
static void enter_request(struct script *s, uint32_t entered)
{
	uint32_t list = child(s, entered, BAWN_R_PARAMETERS), first = list != 0 && node(s, list)->kind != BAWN_K_NAME ? node(s, list)->child : 0;
	uint32_t second = first != 0 ? node(s, first)->next : 0;
	struct bawn_span a = first != 0 ? bawn_node_text(s->t, first) : bawn_span(""), b = second != 0 ? bawn_node_text(s->t, second) : bawn_span("");
	bool request = bawn_span_is(a, "req") || bawn_span_is(a, "request"), answer = bawn_span_is(b, "res") || bawn_span_is(b, "response") || bawn_span_is(b, "reply");
	if (!request || !answer)
		return;
	struct value *given[2] = { tainted(s, "http.IncomingMessage()", BAWN_TAG(NET_RECV)), tainted(s, "http.ServerResponse()", 0) };
	bawn_script_hand(s, entered, given, 2);
}

void bawn_js_enter(struct script *s, uint32_t entered)
{
	enter_request(s, entered);
	uint32_t list = node(s, entered)->parent, at = node(s, list)->parent;
	if (node(s, list)->kind == BAWN_K_ASSIGN)
		enter_handler(s, entered);
	if (node(s, list)->kind != BAWN_K_ARGUMENTS || (node(s, at)->kind != BAWN_K_CALL && node(s, at)->kind != BAWN_K_NEW))
		return;
	uint32_t f = child(s, at, BAWN_R_FUNCTION), first = node(s, list)->child;
	struct value *before[1] = { first != entered ? s->val[first] : NULL };
	struct call c = { .node = at, .function = f != 0 ? s->val[f] : NULL, .arg = before, .n_args = first != entered };
	c.name = c.function != NULL ? c.function->name : NULL;
	if (c.function == NULL || c.function->function != 0)
		return;
	c.taint = c.function->self != NULL ? c.function->self->taint : 0;
	hand_over(s, &c, entered, 0);
}

/* ---- files that hold what came over the network ---- */

static bool is_stream(const struct value *v) { return v != NULL && v->name != NULL && strcmp(v->name, "fs.createWriteStream()") == 0; }

static void keep_piped(struct script *s, const struct call *c)
{
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

/* x.map(f), p.then(f), t.replace(/./g, f): what f gives is in the result. */
static void gather_results(struct script *s, const struct call *c, struct value *result)
{
	static const char *const gives_back[] = { "map", "flatMap", "reduce", "reduceRight", "then", "replace", "replaceAll", "from" };
	const char *method = method_of(c->name);
	bool known = false;
	for (size_t i = 0; method != NULL && !known && i < BAWN_LEN(gives_back); i++)
		known = strcmp(method, gives_back[i]) == 0;
	for (uint32_t i = 0; known && i < c->n_args && i < 3; i++) {
		uint32_t f = c->arg[i] != NULL ? c->arg[i]->function : 0;
		const struct value *given = f != 0 ? bawn_scope_get(s, f, "()", 2) : NULL;
		if (given != NULL)
			result->taint |= given->taint & FLOWS & ~BAWN_TAG(INPUT);
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

void bawn_js_after(struct script *s, const struct call *c, struct value *result, uint64_t tags)
{
	bool local = c->function != NULL && c->function->function != 0;
	if (result != NULL && !local && reads_by_name(c->name))
		result->taint &= ~(BAWN_TAG(IDENTITY) | BAWN_TAG(HOST_INFO));
	for (uint32_t i = 0; !local && i < c->n_args && i < 8; i++)
		if (c->arg[i] != NULL && c->arg[i]->function != 0)
			hand_over(s, c, c->arg[i]->function, tags | (result != NULL ? result->taint & FLOWS : 0));
	for (uint32_t i = 0; result != NULL && result->is_list && i < result->n_items; i++)
		result->taint |= result->item[i] != NULL ? result->item[i]->taint & FLOWS : 0;
	if (result != NULL && !local)
		gather_results(s, c, result);
	keep_piped(s, c);
	note_emitted(s, c);
	notice_packed(s, c);
	settle(s, c, result);
	option_paths(s, c);
	attached_paths(s, c, result);
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
		const char *at = code.p + i - run;
		if (run >= SIGNS_RUN && memmem(at, run, "![]", 3) != NULL && memmem(at, run, "+[]", 3) != NULL)
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
			if (turned == 0 && loops++ < LOOPS_MAX && n->end - n->start < 8192 && turns_strings(bawn_node_text(s->t, i)))
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
