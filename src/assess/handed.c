/* handed.c - functions of JavaScript that are handed on: what somebody else will call them with.
 *
 * Data mostly reaches JavaScript through parameters of functions that somebody else calls.  When such
 * a function is entered, the call it is an argument of is known up to there; so its parameters are
 * bound before its body is read, and `get(u, r => r.on('data', d => eval(d)))` needs one walk.  A
 * function of the world that is handed on by its name, as in `.then(eval)`, is told as the call it
 * will be. */
#include "assess/handed.h"
#include "assess/call.h"
#include "assess/fold.h"
#include "assess/names.h"
#include "assess/parameter.h"
#include "assess/reader.h"
#include "assess/text.h"
#include "base/cleanup.h"

#define GIVEN_MAX 4u
#define HANDED_MAX 8u  /* functions given to one call */
#define SEARCH_BYTES 16u  /* of the file looked through for one unit of work */

static struct value *first_of(const struct call *c) { return c->n_args > 0 ? c->arg[0] : NULL; }

/* What a function calls the function it is given with; `from_outside`: the parameters (bits) that come over the network. */
static const struct { const char *name, *given[2]; unsigned from_outside; } gives[] = {
	{ "Promise", { "Promise.settle" }, 0 }, { "jQuery", { "$" }, 0 }, { "net.createServer", { "net.Socket()" }, 1 }, { "net.Server", { "net.Socket()" }, 1 }, { "tls.createServer", { "net.Socket()" }, 1 },
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
	{ "*.onSendHeaders", { "WebRequest()" }, 0 }, { "chrome.webRequest.onBeforeRequest.addListener", { "WebRequest()" }, 0 },
	{ "chrome.webRequest.onCompleted.addListener", { "WebRequest()" }, 0 }, { "chrome.webRequest.onBeforeSendHeaders.addListener", { "WebRequest()" }, 0 },
	{ "chrome.webRequest.onSendHeaders.addListener", { "WebRequest()" }, 0 },
	{ "dns.resolveTxt", { NULL }, 2 }, { "dns.resolve", { NULL }, 2 },
};
NAMES(givers, gives);

/* Methods that call a function for each item, or with what the object comes to. */
enum way { NO_WAY, ITEM, SECOND_ITEM, ITSELF, EVENT, LATER };
static const struct { const char *name; enum way way; } calls_back[] = {
	{ "forEach", ITEM }, { "map", ITEM }, { "filter", ITEM }, { "find", ITEM }, { "findIndex", ITEM }, { "some", ITEM }, { "every", ITEM },
	{ "flatMap", ITEM }, { "findLast", ITEM }, { "reduce", SECOND_ITEM }, { "reduceRight", SECOND_ITEM }, { "then", ITSELF }, { "catch", ITSELF }, { "on", EVENT }, { "once", EVENT },
	{ "addListener", EVENT }, { "addEventListener", EVENT }, { "prependListener", EVENT }, { "subscribe", EVENT }, { "onText", EVENT },
	{ "setTimeout", LATER }, { "setInterval", LATER }, { "setImmediate", LATER }, { "nextTick", LATER },
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
	const struct value *before = name != NULL ? bawn_scope_get(s, 0, name, strlen(name)) : NULL;
	bool more = name != NULL && before == NULL;
	for (uint32_t i = 1; name != NULL && i < c->n_args && i <= GIVEN_MAX; i++)  /* what was said before needs no room */
		more = more || (c->arg[i] != NULL && (c->arg[i]->imported || (c->arg[i]->taint & FLOWS & ~BAWN_TAG(INPUT) & ~before->taint) != 0));
	struct value *v = more ? bawn_fold_list(s, GIVEN_MAX, before != NULL ? before->taint : 0) : NULL;
	for (uint32_t i = 0; v != NULL && i < GIVEN_MAX; i++) {
		struct value *now = i + 1 < c->n_args ? c->arg[i + 1] : NULL;
		v->taint |= now != NULL ? now->taint & FLOWS & ~BAWN_TAG(INPUT) : 0;
		v->item[i] = before != NULL ? bawn_value_either(s, before->item[i], now) : now;
	}
	if (v != NULL)
		bawn_scope_set(s, 0, name, v);
}

/* document.addEventListener('input', f): whatever the visitor fills in, wherever on the page. */
static bool watches_page(const struct call *c, const struct value *what)
{
	static const char *const whole[] = { "document", "window", "document.body", "document.documentElement", "window.document" };
	static const char *const filled[] = { "input", "change", "paste", "submit", "blur", "focusout", "copy" };
	const struct value *self = c->function != NULL ? c->function->self : NULL;
	bool page = false, fill = false;
	for (size_t i = 0; self != NULL && self->name != NULL && i < BAWN_LEN(whole); i++)
		page = page || strcmp(self->name, whole[i]) == 0;
	for (size_t i = 0; page && bawn_value_is_text(what) && i < BAWN_LEN(filled); i++)
		fill = fill || bawn_span_is(what->text, filled[i]);
	return fill;
}

static uint32_t given_by_event(struct script *s, const struct call *c, uint64_t taint, struct value **given)
{
	const struct value *what = first_of(c);
	taint |= watches_page(c, what) ? BAWN_TAG(VISITOR) : 0;
	const char *name = emitted_name(s, what);
	const struct value *emitted = name != NULL ? bawn_scope_get(s, 0, name, strlen(name)) : NULL;
	taint |= emitted != NULL ? emitted->taint : 0;
	size_t row = bawn_value_is_text(what) ? bawn_names_find(&events, what->text.p, what->text.n) : BAWN_LEN(event);
	if (row < BAWN_LEN(event)) {
		given[0] = tainted(s, event[row].given, taint | event[row].taint);
		return 1;
	}
	for (uint32_t i = 0; i < GIVEN_MAX; i++) {
		given[i] = tainted(s, NULL, taint);
		if (emitted != NULL && emitted->item[i] != NULL)
			given[i] = bawn_value_either(s, given[i], emitted->item[i]);
	}
	return GIVEN_MAX;
}

static uint32_t given_by_name(struct script *s, size_t row, uint64_t taint, struct value **given)
{
	for (uint32_t i = 0; i < 3; i++) {
		uint64_t outside = gives[row].from_outside >> i & 1 ? BAWN_TAG(NET_RECV) : 0;
		given[i] = tainted(s, i < BAWN_LEN(gives[row].given) ? gives[row].given[i] : NULL, taint | outside);
	}
	return 3;
}

/* setTimeout(f, 10, x), setImmediate(f, x) */
static uint32_t given_later(const struct call *c, struct value **given)
{
	const char *name = method_of(c->name);
	uint32_t from = strcmp(name, "setTimeout") == 0 || strcmp(name, "setInterval") == 0 ? 2 : 1, n = 0;
	for (uint32_t i = from; i < c->n_args && n < GIVEN_MAX; i++)
		given[n++] = c->arg[i];
	return n;
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
	enum way how = way < BAWN_LEN(calls_back) && (self != NULL || calls_back[way].way == LATER) ? calls_back[way].way : NO_WAY;
	switch (how) {
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
	case LATER:
		return given_later(c, given);
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

/* Does the call hand on what it is known to have, or may it do anything with the function? */
static bool calls_it(const struct call *c)
{
	const char *method = method_of(c->name);
	return c->name != NULL && (bawn_names_match(&givers, c->name) < BAWN_LEN(gives) || bawn_names_find(&call_backs, method, strlen(method)) < BAWN_LEN(calls_back));
}

/* .then(eval), .on('data', exec): a function of the world, told as the call it will be. */
static void tell_handed(struct script *s, const struct call *c, struct value *f, struct value *result, uint64_t tags)
{
	struct value *given[GIVEN_MAX] = { NULL };
	uint32_t n = what_is_given(s, c, tags, given);
	struct call later = { .node = c->node, .function = f, .name = f->name, .arg = given, .n_args = n };
	for (uint32_t i = 0; i < n; i++)
		later.taint |= given[i] != NULL ? given[i]->taint : 0;
	bawn_js_apply(s, &later);
	if (n == 0 || later.name == NULL || result == NULL)
		return;
	struct value *v = strcmp(method_of(c->name), "then") == 0 ? bawn_js_call(s, &later) : NULL;
	uint64_t taint = result->taint | bawn_call_tell(s, &later);
	if (v != NULL)
		*result = *v;
	result->taint |= taint;
}

void bawn_js_hand(struct script *s, const struct call *c, struct value *result, uint64_t tags)
{
	tags |= result != NULL ? result->taint & FLOWS : 0;
	for (uint32_t i = 0; i < c->n_args && i < HANDED_MAX; i++) {
		struct value *f = c->arg[i];
		if (f != NULL && f->function != 0)
			hand_over(s, c, f->function, tags);
		else if (f != NULL && f->name != NULL && !f->is_list && !f->is_dict && !bawn_value_is_text(f) && calls_it(c))
			tell_handed(s, c, f, result, tags);
	}
	note_emitted(s, c);
}

/* What is set there, where it is a property; its object. */
static struct bawn_span property_of(const struct script *s, uint32_t target, const struct value **object)
{
	uint32_t property = child(s, target, BAWN_R_PROPERTY), of = child(s, target, BAWN_R_OBJECT);
	*object = of != 0 ? s->val[of] : NULL;
	return property != 0 ? text_of(s, property) : bawn_span("");
}

/* x.onmessage = e => ...: as if it had been given to x.on('message', ...). */
void bawn_js_handler(struct script *s, uint32_t target, uint32_t f)
{
	const struct value *self;
	struct bawn_span name = property_of(s, target, &self);
	if (!bawn_span_starts(name, "on") || self == NULL)
		return;
	struct value *what = bawn_value_text(s->e, (struct bawn_span){ name.p + 2, name.n - 2 }), *given[GIVEN_MAX] = { NULL };
	struct call c = { .arg = &what, .n_args = 1 };
	uint32_t n = given_by_event(s, &c, self->taint & FLOWS, given);
	bawn_script_hand(s, f, given, n);
	if (self->name != NULL && bawn_span_starts(text_of(s, f), "function"))  /* no arrow */
		bawn_scope_set(s, f, "this", (struct value *)self);
}

/* Functions that send what they are given anyway. */
static bool is_sender(const char *object, struct bawn_span property)
{
	static const char *const module[] = { "http", "https", "http2", "net", "tls", "axios", "got", "request", "undici", "ws", "XMLHttpRequest", "WebSocket", "window", "globalThis", "global", "self", "navigator", "console" };
	static const char *const sends[] = { "request", "get", "fetch", "send", "open", "write", "end", "connect", "sendBeacon", "log", "error", "warn", "info", "debug" };
	bool network = false;
	for (size_t i = 0; i < BAWN_LEN(module) && !network; i++) {
		size_t n = strlen(module[i]);
		network = strncmp(object, module[i], n) == 0 && (object[n] == '\0' || object[n] == '.' || object[n] == '(');
	}
	for (size_t i = 0; network && i < BAWN_LEN(sends); i++)
		if (bawn_span_is(property, sends[i]))
			return true;
	return false;
}

/* Is it somebody else's: of a module, of what a loader gave, or of what is built in? */
static bool is_foreign(const struct value *object)
{
	static const char *const loaded[] = { "module._load()", "module.require()", "module.prototype.require()", "Module.prototype.require()", "require()", "process.stdin", "process.stdout", "process.stderr" };
	const char *last = method_of(object->name);
	for (size_t i = 0; object->name != NULL && i < BAWN_LEN(loaded); i++)
		if (strcmp(object->name, loaded[i]) == 0)
			return true;
	return object->name != NULL && (object->imported || (strcmp(last, "prototype") == 0 && object->name[0] != '?'));
}

/* b.compare = function (password) {...}, where b.compare was something before: whatever others give to
 * that function, the new one gets.  What is sent anyway may be sent on, but not aside. */
static void enter_replacement(struct script *s, uint32_t target, uint32_t entered)
{
	const struct value *object;
	struct bawn_span name = property_of(s, target, &object), whole = text_of(s, target), all = s->t->text;
	bool sender = object != NULL && object->name != NULL && name.n > 0 && is_sender(object->name, name);
	if (object == NULL || name.n == 0 || (!is_foreign(object) && !sender))
		return;
	s->e->spent += all.n / SEARCH_BYTES;
	const char *first = memmem(all.p, all.n, whole.p, whole.n);
	if (first == NULL || memmem(first + 1, all.n - (size_t)(first + 1 - all.p), whole.p, whole.n) == NULL)
		return;
	struct value *given[GIVEN_MAX];
	bool address = sender && !bawn_span_is(name, "send") && !bawn_span_is(name, "write") && !bawn_span_is(name, "end");  /* first: no secret */
	for (uint32_t i = 0; i < GIVEN_MAX; i++)
		given[i] = tainted(s, NULL, !sender ? BAWN_TAG(INTERCEPTS) : i > 0 || !address ? BAWN_TAG(VISITOR) : 0);
	bawn_script_hand(s, entered, given, GIVEN_MAX);
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

/* In a function that is no arrow `this` is the object it was given to. */
static void enter_method(struct script *s, const struct call *c, uint32_t entered)
{
	struct value *self = c->function->self;
	size_t way = c->name != NULL ? bawn_names_find(&call_backs, method_of(c->name), strlen(method_of(c->name))) : BAWN_LEN(calls_back);
	bool arrow = child(s, entered, BAWN_R_NAME) == 0 && !bawn_span_starts(text_of(s, entered), "function");
	if (self != NULL && self->name != NULL && way < BAWN_LEN(calls_back) && calls_back[way].way == EVENT && !arrow)
		bawn_scope_set(s, entered, "this", self);
}

void bawn_js_enter(struct script *s, uint32_t entered)
{
	enter_request(s, entered);
	uint32_t list = node(s, entered)->parent, at = node(s, list)->parent, left = node(s, list)->kind == BAWN_K_ASSIGN ? child(s, list, BAWN_R_LEFT) : 0;
	if (left != 0) {
		bawn_js_handler(s, left, entered);
		enter_replacement(s, left, entered);
	}
	if (node(s, list)->kind != BAWN_K_ARGUMENTS || (node(s, at)->kind != BAWN_K_CALL && node(s, at)->kind != BAWN_K_NEW))
		return;
	uint32_t f = child(s, at, BAWN_R_FUNCTION), first = node(s, list)->child;
	struct value *before[1] = { first != entered ? s->val[first] : NULL };
	struct call c = { .node = at, .function = f != 0 ? s->val[f] : NULL, .arg = before, .n_args = first != entered };
	c.name = c.function != NULL ? c.function->name : NULL;
	if (c.function == NULL || c.function->function != 0)
		return;
	bawn_js_apply(s, &c);
	if (c.function == NULL || c.function->function != 0)
		return;
	c.taint = c.function->self != NULL ? c.function->self->taint : 0;
	enter_method(s, &c, entered);
	hand_over(s, &c, entered, 0);
}
