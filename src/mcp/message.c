#include "mcp/message.h"

static bool valid_id(const json_t *id) { return json_is_string(id) || json_is_integer(id); }

static bool read_response(json_t *doc, struct bawn_mcp_message *out, const char **out_why)
{
	json_t *result = json_object_get(doc, "result"), *error = json_object_get(doc, "error");
	out->kind = BAWN_MCP_RESPONSE;
	out->result = result;
	*out_why = "neither a method nor one of result and error";
	return out->id != NULL && (result == NULL) != (error == NULL);
}

bool bawn_mcp_message_read(json_t *doc, struct bawn_mcp_message *out, const char **out_why)
{
	*out = (struct bawn_mcp_message){ .kind = BAWN_MCP_REQUEST };
	*out_why = "a message is an object";
	if (!json_is_object(doc))
		return false;
	json_t *id = json_object_get(doc, "id"), *method = json_object_get(doc, "method");
	json_t *params = json_object_get(doc, "params");
	const char *version = json_string_value(json_object_get(doc, "jsonrpc"));
	out->id = valid_id(id) ? id : NULL;
	*out_why = "jsonrpc is not \"2.0\"";
	if (version == NULL || strcmp(version, "2.0") != 0)
		return false;
	*out_why = "id is neither a string nor an integer";
	if (id != NULL && out->id == NULL)
		return false;
	if (method == NULL)
		return read_response(doc, out, out_why);
	*out_why = "method is not a string";
	if (!json_is_string(method))
		return false;
	*out_why = "params is not an object";
	if (params != NULL && !json_is_object(params))
		return false;
	out->kind = out->id != NULL ? BAWN_MCP_REQUEST : BAWN_MCP_NOTIFICATION;
	out->method = json_string_value(method);
	out->params = params;
	return true;
}

/* {"jsonrpc": "2.0", ...}; takes `body`, NULL where anything could not be had. */
static json_t *finish(json_t *body)
{
	bool ok = body != NULL;
	json_t *message = json_object();
	ok = ok && message != NULL;
	bawn_json_set(message, "jsonrpc", json_string("2.0"), &ok);
	ok = ok && json_object_update(message, body) == 0;
	json_decref(body);
	if (ok)
		return message;
	json_decref(message);
	return NULL;
}

static json_t *id_of(const json_t *id) { return id != NULL ? json_deep_copy(id) : json_null(); }

json_t *bawn_mcp_result(const json_t *id, json_t *result_stolen)
{
	return finish(json_pack("{s:o, s:o}", "id", id_of(id), "result", result_stolen));
}

json_t *bawn_mcp_error(const json_t *id, int code, const char *text, json_t *data_stolen)
{
	json_t *error = json_pack("{s:i, s:o}", "code", code, "message", bawn_json_text(bawn_span(text)));
	bool ok = error != NULL;
	if (data_stolen != NULL)
		bawn_json_set(error, "data", data_stolen, &ok);
	return finish(json_pack("{s:o, s:o}", "id", id_of(id), "error", error));
}

json_t *bawn_mcp_notification(const char *method, json_t *params_stolen)
{
	return finish(json_pack("{s:s, s:o}", "method", method, "params", params_stolen));
}

json_t *bawn_mcp_request(const char *id, const char *method, json_t *params_stolen)
{
	return finish(json_pack("{s:s, s:s, s:o}", "id", id, "method", method, "params", params_stolen));
}
