#include "mcp/session.h"
#include <bawn/bawn.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "mcp/message.h"

#define META(name) "io.modelcontextprotocol/" name
#define LIST_TTL_MS   3600000  /* the tools change with the program only */
#define POLICY_TTL_MS 60000    /* unless policy has a word in it */

static const char *const legacy_version[] = { "2025-11-25", "2025-06-18", "2025-03-26" };  /* newest first */
static const char modern_version[] = "2026-07-28";
static const char with_batches[] = "2025-03-26";   /* the one version whose messages may come in arrays */

static const char instructions[] =
	"bawn runs code that nobody has read yet: assessed before, contained during, provable after. execute_code has no network "
	"and none of the user's files. Where it answers needs_approval, show the user the findings and the approval command, wait for "
	"them, then make exactly the same call again.";

static const unsigned char tools_text[] = {
#include "mcp-tools.h"
};

struct bawn_mcp_session {
	struct bawn_mcp_host host;
	json_t     *tools;           /* tools.json */
	json_t     *closed;          /* the same, for whom no call may name packages */
	const char *version;         /* legacy: what was agreed; NULL before initialize */
	bool        elicits;
	char        client[160];
};

/* Answers to an array of messages go out together, when the last is known. */
struct bawn_mcp_batch { json_t *answers; size_t open; };

/* One request while its first answer is found. */
struct request {
	const struct bawn_mcp_message *m;
	struct bawn_mcp_batch *batch;
	bool modern;
};

static void send_message(struct bawn_mcp_session *s, json_t *message_stolen)
{
	bawn_auto_json message = message_stolen;
	bawn_auto_json poor = message == NULL ? bawn_mcp_error(NULL, BAWN_MCP_INTERNAL, "out of memory", NULL) : NULL;
	if (message != NULL || poor != NULL)
		s->host.send(s->host.ctx, message != NULL ? message : poor);
}

static void batch_close(struct bawn_mcp_session *s, struct bawn_mcp_batch *b)
{
	if (b == NULL || --b->open > 0)
		return;
	if (json_array_size(b->answers) > 0)
		send_message(s, bawn_steal(b->answers));
	json_decref(b->answers);
	free(b);
}

/* An answer on its way out: alone, or into the array it belongs to. */
static void reply(struct bawn_mcp_session *s, struct bawn_mcp_batch *b, json_t *message_stolen)
{
	if (b == NULL || message_stolen == NULL || json_array_append(b->answers, message_stolen) != 0)
		send_message(s, message_stolen);
	else
		json_decref(message_stolen);
}

static void refuse(struct bawn_mcp_session *s, const struct request *r, int code, const char *text)
{
	reply(s, r->batch, bawn_mcp_error(r->m->id, code, text, NULL));
}

static json_t *server_info(void)
{
	return json_pack("{s:s, s:s, s:s}", "name", "bawn", "title", "bawn", "version", BAWN_VERSION);
}

/* What every result of the modern era carries besides itself. */
static json_t *stamped(json_t *result_stolen, bool modern, const char *type)
{
	bool ok = result_stolen != NULL;
	if (ok && modern) {
		bawn_json_set(result_stolen, "resultType", json_string(type), &ok);
		bawn_json_set(result_stolen, "_meta", json_pack("{s:o}", META("serverInfo"), server_info()), &ok);
	}
	if (ok)
		return result_stolen;
	json_decref(result_stolen);
	return NULL;
}

static void succeed(struct bawn_mcp_session *s, const struct request *r, json_t *result_stolen)
{
	json_t *result = stamped(result_stolen, r->modern, "complete");
	reply(s, r->batch, result != NULL ? bawn_mcp_result(r->m->id, result) : bawn_mcp_error(r->m->id, BAWN_MCP_INTERNAL, "out of memory", NULL));
}

/* --- who the client is ------------------------------------------------------------------------ */

/* "name version", cut to what fits; whole characters only, without controls. */
static void take_client(const json_t *info, char *out, size_t size)
{
	const char *name = json_string_value(json_object_get(info, "name")), *version = json_string_value(json_object_get(info, "version"));
	bawn_auto_buf b = BAWN_BUF(64u << 10);
	out[0] = '\0';
	if (name == NULL)
		return;
	bawn_buf_escaped(&b, (struct bawn_span){ name, strnlen(name, 4096) });
	if (version != NULL) {
		bawn_buf_char(&b, ' ');
		bawn_buf_escaped(&b, (struct bawn_span){ version, strnlen(version, 4096) });
	}
	if (bawn_buf_error(&b) < 0)
		return;
	size_t n = b.n < size ? b.n : size - 1;
	while (n > 0 && n < b.n && ((unsigned char)b.p[n] & 0xc0) == 0x80)
		n--;
	memcpy(out, b.p, n);
	out[n] = '\0';
}

/* A form can be shown: `elicitation` is there, and names `form` or nothing in particular. */
static bool can_elicit(const json_t *capabilities)
{
	const json_t *e = json_object_get(capabilities, "elicitation");
	return json_is_object(e) && (json_object_size(e) == 0 || json_is_object(json_object_get(e, "form")));
}

/* --- methods ----------------------------------------------------------------------------------- */

static const char *agreed(const char *asked)
{
	for (size_t i = 0; asked != NULL && i < BAWN_LEN(legacy_version); i++)
		if (strcmp(asked, legacy_version[i]) == 0)
			return legacy_version[i];
	return legacy_version[0];
}

static json_t *capabilities(void) { return json_pack("{s:{}}", "tools"); }

static void initialize(struct bawn_mcp_session *s, const struct request *r)
{
	const json_t *p = r->m->params, *version = json_object_get(p, "protocolVersion"), *can = json_object_get(p, "capabilities");
	if (!json_is_string(version) || !json_is_object(can) || !json_is_object(json_object_get(p, "clientInfo"))) {
		refuse(s, r, BAWN_MCP_INVALID_PARAMS, "initialize needs protocolVersion, capabilities and clientInfo");
		return;
	}
	if (s->version != NULL) {
		refuse(s, r, BAWN_MCP_INVALID_REQUEST, "this session is initialized already");
		return;
	}
	s->version = agreed(json_string_value(version));
	/* The form came with 2025-06-18. */
	s->elicits = can_elicit(can) && strcmp(s->version, with_batches) != 0;
	take_client(json_object_get(p, "clientInfo"), s->client, sizeof s->client);
	succeed(s, r, json_pack("{s:s, s:o, s:o, s:s}", "protocolVersion", s->version, "capabilities", capabilities(),
		"serverInfo", server_info(), "instructions", instructions));
}

static json_t *all_versions(void)
{
	json_t *list = json_array();
	bool ok = list != NULL;
	bawn_json_push(list, json_string(modern_version), &ok);
	for (size_t i = 0; i < BAWN_LEN(legacy_version); i++)
		bawn_json_push(list, json_string(legacy_version[i]), &ok);
	if (ok)
		return list;
	json_decref(list);
	return NULL;
}

static void discover(struct bawn_mcp_session *s, const struct request *r)
{
	succeed(s, r, json_pack("{s:o, s:o, s:s, s:i, s:s}", "supportedVersions", all_versions(), "capabilities", capabilities(),
		"instructions", instructions, "ttlMs", LIST_TTL_MS, "cacheScope", "public"));
}

static void ping(struct bawn_mcp_session *s, const struct request *r) { succeed(s, r, json_object()); }

static void list_tools(struct bawn_mcp_session *s, const struct request *r)
{
	bool asks = s->host.packages != NULL;
	if (json_object_get(r->m->params, "cursor") != NULL) {
		refuse(s, r, BAWN_MCP_INVALID_PARAMS, "there is one page only: no such cursor");
		return;
	}
	json_t *tools = asks && s->host.packages(s->host.ctx) ? s->tools : s->closed;
	succeed(s, r, r->modern ? json_pack("{s:O, s:i, s:s}", "tools", tools, "ttlMs", asks ? POLICY_TTL_MS : LIST_TTL_MS, "cacheScope", "public")
	                        : json_pack("{s:O}", "tools", tools));
}

static json_t *tool_named(const struct bawn_mcp_session *s, const char *name)
{
	size_t i;
	json_t *tool;
	json_array_foreach(s->tools, i, tool)
		if (name != NULL && strcmp(json_string_value(json_object_get(tool, "name")), name) == 0)
			return tool;
	return NULL;
}

/* What a tools/call may not get wrong without being no call at all; NULL: it is one. */
static const char *call_wrong(const json_t *params, const json_t *meta)
{
	const json_t *args = json_object_get(params, "arguments"), *token = json_object_get(meta, "progressToken");
	const json_t *responses = json_object_get(params, "inputResponses"), *state = json_object_get(params, "requestState");
	if (!json_is_string(json_object_get(params, "name")))
		return "tools/call needs the name of a tool";
	if (args != NULL && !json_is_object(args))
		return "arguments is not an object";
	if (token != NULL && !json_is_string(token) && !json_is_integer(token))
		return "progressToken is neither a string nor an integer";
	if (responses != NULL && !json_is_object(responses))
		return "inputResponses is not an object";
	return state != NULL && !json_is_string(state) ? "requestState is not a string" : NULL;
}

static json_t *kept(json_t *value) { return value != NULL ? json_incref(value) : NULL; }

static void call_tool(struct bawn_mcp_session *s, const struct request *r)
{
	json_t *p = r->m->params, *meta = json_object_get(p, "_meta");
	const char *wrong = call_wrong(p, meta);
	json_t *tool = tool_named(s, json_string_value(json_object_get(p, "name")));
	if (wrong != NULL || tool == NULL) {
		refuse(s, r, BAWN_MCP_INVALID_PARAMS, wrong != NULL ? wrong : "there is no such tool");
		return;
	}
	json_t *args = json_object_get(p, "arguments");
	struct bawn_mcp_call *c = calloc(1, sizeof *c);
	if (c != NULL)
		c->args = args != NULL ? json_incref(args) : json_object();
	if (c == NULL || c->args == NULL) {
		bawn_mcp_call_free(c);
		refuse(s, r, BAWN_MCP_INTERNAL, "out of memory");
		return;
	}
	c->id = json_incref(r->m->id);
	c->tool = json_string_value(json_object_get(tool, "name"));
	c->schema = json_object_get(tool, "inputSchema");
	c->token = kept(json_object_get(meta, "progressToken"));
	c->modern = r->modern;
	c->elicits = s->elicits;
	snprintf(c->client, sizeof c->client, "%s", s->client);
	if (r->modern) {
		c->responses = kept(json_object_get(p, "inputResponses"));
		c->state = kept(json_object_get(p, "requestState"));
		c->elicits = can_elicit(json_object_get(meta, META("clientCapabilities")));
		take_client(json_object_get(meta, META("clientInfo")), c->client, sizeof c->client);
	}
	c->batch = r->batch;
	if (c->batch != NULL)
		c->batch->open++;
	s->host.call(s->host.ctx, c);
}

enum { LEGACY = 1, MODERN = 2, FIRST = 4 };  /* FIRST: before initialize too */
static const struct method {
	const char *name;
	unsigned eras;
	void (*run)(struct bawn_mcp_session *, const struct request *);
} method[] = {
	{ "initialize",      LEGACY | FIRST, initialize },
	{ "ping",            LEGACY | FIRST, ping },
	{ "server/discover", MODERN,         discover },
	{ "tools/list",      LEGACY | MODERN, list_tools },
	{ "tools/call",      LEGACY | MODERN, call_tool },
};

/* --- messages ---------------------------------------------------------------------------------- */

/* 1: a request of the modern era, 0: of the legacy one; negative: refused. */
static int era_of(struct bawn_mcp_session *s, struct request *r)
{
	const json_t *meta = json_object_get(r->m->params, "_meta"), *version = json_object_get(meta, META("protocolVersion"));
	if (meta != NULL && !json_is_object(meta)) {
		refuse(s, r, BAWN_MCP_INVALID_PARAMS, "_meta is not an object");
		return -1;
	}
	if (version == NULL)
		return 0;
	r->modern = true;
	if (!json_is_string(version) || !json_is_object(json_object_get(meta, META("clientCapabilities")))) {
		refuse(s, r, BAWN_MCP_INVALID_PARAMS, "_meta needs " META("protocolVersion") " and " META("clientCapabilities"));
		return -1;
	}
	if (strcmp(json_string_value(version), modern_version) == 0)
		return 1;
	reply(s, r->batch, bawn_mcp_error(r->m->id, BAWN_MCP_NO_VERSION, "this version of the protocol is not spoken here",
		json_pack("{s:o, s:O}", "supported", all_versions(), "requested", version)));
	return -1;
}

static void on_request(struct bawn_mcp_session *s, const struct bawn_mcp_message *m, struct bawn_mcp_batch *batch)
{
	struct request r = { .m = m, .batch = batch };
	int era = era_of(s, &r);
	if (era < 0)
		return;
	if (s->host.busy(s->host.ctx, m->id)) {
		refuse(s, &r, BAWN_MCP_INVALID_REQUEST, "a call with this id is still on its way");
		return;
	}
	for (size_t i = 0; i < BAWN_LEN(method); i++) {
		if (strcmp(method[i].name, m->method) != 0 || ((method[i].eras & (era == 1 ? MODERN : LEGACY)) == 0))
			continue;
		if (era == 0 && s->version == NULL && (method[i].eras & FIRST) == 0)
			refuse(s, &r, BAWN_MCP_INVALID_REQUEST, "initialize comes first, or name a protocol version in _meta");
		else
			method[i].run(s, &r);
		return;
	}
	refuse(s, &r, BAWN_MCP_NO_METHOD, "there is no such method");
}

static void on_notification(struct bawn_mcp_session *s, const struct bawn_mcp_message *m)
{
	const json_t *id = json_object_get(m->params, "requestId");
	if (strcmp(m->method, "notifications/cancelled") == 0 && (json_is_string(id) || json_is_integer(id)))
		s->host.cancel(s->host.ctx, id);  /* all others need no deed, and notifications get no answer */
}

static void on_message(struct bawn_mcp_session *s, json_t *doc, struct bawn_mcp_batch *batch)
{
	struct bawn_mcp_message m;
	const char *why;
	if (!bawn_mcp_message_read(doc, &m, &why))
		reply(s, batch, bawn_mcp_error(m.id, BAWN_MCP_INVALID_REQUEST, why, NULL));
	else if (m.kind == BAWN_MCP_REQUEST)
		on_request(s, &m, batch);
	else if (m.kind == BAWN_MCP_NOTIFICATION)
		on_notification(s, &m);
	else if (json_is_string(m.id))  /* ours are strings */
		s->host.response(s->host.ctx, json_string_value(m.id), m.result);
}

static void on_array(struct bawn_mcp_session *s, json_t *list)
{
	size_t i;
	json_t *doc;
	struct bawn_mcp_batch *b = NULL;
	if (s->version == NULL || strcmp(s->version, with_batches) != 0 || json_array_size(list) == 0) {
		send_message(s, bawn_mcp_error(NULL, BAWN_MCP_INVALID_REQUEST, "arrays of messages are not taken in this version", NULL));
		return;
	}
	b = calloc(1, sizeof *b);
	if (b == NULL || (b->answers = json_array()) == NULL) {
		free(b);
		send_message(s, NULL);
		return;
	}
	b->open = 1;  /* ours, until the last has been looked at */
	json_array_foreach(list, i, doc)
		on_message(s, doc, b);
	batch_close(s, b);
}

static bool blank(struct bawn_span line)
{
	for (size_t i = 0; i < line.n; i++)
		if (line.p[i] != ' ' && line.p[i] != '\t' && line.p[i] != '\r')
			return false;
	return true;
}

void bawn_mcp_session_line(struct bawn_mcp_session *s, struct bawn_span line)
{
	bawn_auto_json doc = NULL;
	struct bawn_err err = { 0 };
	if (blank(line))
		return;
	if (bawn_json_parse(line, &doc, &err) < 0)
		send_message(s, bawn_mcp_error(NULL, BAWN_MCP_PARSE_ERROR, err.msg, NULL));
	else if (json_is_array(doc))
		on_array(s, doc);
	else
		on_message(s, doc, NULL);
}

void bawn_mcp_session_too_long(struct bawn_mcp_session *s)
{
	char text[80];
	snprintf(text, sizeof text, "a message has at most %um bytes", BAWN_MCP_LINE_MAX >> 20);
	send_message(s, bawn_mcp_error(NULL, BAWN_MCP_PARSE_ERROR, text, NULL));
}

/* --- answers ----------------------------------------------------------------------------------- */

void bawn_mcp_call_free(struct bawn_mcp_call *c)
{
	if (c == NULL)
		return;
	json_t *held[] = { c->id, c->token, c->args, c->responses, c->state };
	for (size_t i = 0; i < BAWN_LEN(held); i++)
		json_decref(held[i]);
	free(c);
}

static void answer_as(struct bawn_mcp_session *s, struct bawn_mcp_call *c, json_t *result_stolen, const char *type)
{
	json_t *result = stamped(result_stolen, c->modern, type);
	reply(s, c->batch, result != NULL ? bawn_mcp_result(c->id, result) : bawn_mcp_error(c->id, BAWN_MCP_INTERNAL, "out of memory", NULL));
	bawn_mcp_drop(s, c);
}

void bawn_mcp_answer(struct bawn_mcp_session *s, struct bawn_mcp_call *call_stolen, json_t *result_stolen)
{
	answer_as(s, call_stolen, result_stolen, "complete");
}

void bawn_mcp_ask_back(struct bawn_mcp_session *s, struct bawn_mcp_call *call_stolen, json_t *requests_stolen, const char *state)
{
	answer_as(s, call_stolen, json_pack("{s:o, s:s}", "inputRequests", requests_stolen, "requestState", state), "input_required");
}

void bawn_mcp_drop(struct bawn_mcp_session *s, struct bawn_mcp_call *call_stolen)
{
	batch_close(s, call_stolen->batch);
	bawn_mcp_call_free(call_stolen);
}

void bawn_mcp_progress(struct bawn_mcp_session *s, const struct bawn_mcp_call *call, uint64_t n, const char *message)
{
	if (call->token != NULL)
		send_message(s, bawn_mcp_notification("notifications/progress", json_pack("{s:O, s:I, s:s}", "progressToken", call->token,
			"progress", (json_int_t)n, "message", message)));
}

void bawn_mcp_ask(struct bawn_mcp_session *s, const char *id, const char *method_name, json_t *params_stolen)
{
	send_message(s, bawn_mcp_request(id, method_name, params_stolen));
}

void bawn_mcp_unask(struct bawn_mcp_session *s, const char *id)
{
	send_message(s, bawn_mcp_notification("notifications/cancelled", json_pack("{s:s, s:s}", "requestId", id, "reason", "nobody answered in time")));
}

/* Takes the argument for packages out of a list, and with it what the tool had to do with the world. */
static int close_tools(json_t *tools, struct bawn_err *err)
{
	size_t i;
	json_t *tool;
	json_array_foreach(tools, i, tool) {
		json_t *properties = json_object_get(json_object_get(tool, "inputSchema"), "properties");
		if (json_object_del(properties, "packages") == 0 && json_object_set_new(json_object_get(tool, "annotations"), "openWorldHint", json_false()) < 0)
			return bawn_fail(err, -ENOMEM, "begin a session");
	}
	return 0;
}

int bawn_mcp_session_new(const struct bawn_mcp_host *host, struct bawn_mcp_session **out, struct bawn_err *err)
{
	struct bawn_mcp_session *s = calloc(1, sizeof *s);
	if (s == NULL)
		return bawn_fail(err, -ENOMEM, "begin a session");
	s->host = *host;
	struct bawn_span text = { (const char *)tools_text, sizeof tools_text };
	int r = bawn_json_parse(text, &s->tools, err);
	if (r == 0)
		r = bawn_json_parse(text, &s->closed, err);
	if (r == 0)
		r = close_tools(s->closed, err);
	if (r < 0) {
		bawn_mcp_session_free(s);
		return r;
	}
	*out = s;
	return 0;
}

void bawn_mcp_session_free(struct bawn_mcp_session *s)
{
	if (s == NULL)
		return;
	json_decref(s->tools);
	json_decref(s->closed);
	free(s);
}
