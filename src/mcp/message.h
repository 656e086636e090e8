/* message.h - JSON-RPC 2.0: a line of bytes becomes a request, a notification or a response, or a
 * typed error that says what is wrong with it.  Pure; the bytes are the client's. */
#pragma once
#include <stdbool.h>
#include "base/json.h"

/* Error codes of JSON-RPC and of the protocol. */
enum {
	BAWN_MCP_PARSE_ERROR = -32700,
	BAWN_MCP_INVALID_REQUEST = -32600,
	BAWN_MCP_NO_METHOD = -32601,
	BAWN_MCP_INVALID_PARAMS = -32602,
	BAWN_MCP_INTERNAL = -32603,
	BAWN_MCP_NO_VERSION = -32022,
};

enum bawn_mcp_kind { BAWN_MCP_REQUEST, BAWN_MCP_NOTIFICATION, BAWN_MCP_RESPONSE };

struct bawn_mcp_message {
	enum bawn_mcp_kind kind;
	json_t     *id;       /* string or integer; NULL for a notification */
	const char *method;   /* NULL for a response */
	json_t     *params;   /* an object, or NULL */
	json_t     *result;   /* of a response; NULL: it is an error */
};

/* Takes one apart; everything in *out is borrowed from `doc`.  False: *out_why says what is wrong, and
 * out->id is set where the message has a usable one. */
bool bawn_mcp_message_read(json_t *doc, struct bawn_mcp_message *out, const char **out_why);

/* Messages of ours; NULL when out of memory.  `id` NULL becomes null: the message it answers had none. */
json_t *bawn_mcp_result(const json_t *id, json_t *result_stolen);
json_t *bawn_mcp_error(const json_t *id, int code, const char *text, json_t *data_stolen);
json_t *bawn_mcp_notification(const char *method, json_t *params_stolen);
json_t *bawn_mcp_request(const char *id, const char *method, json_t *params_stolen);
