/* session.c - any bytes as what a client sends: what comes back are whole messages, one line each, at most one for
 * a line that is no array, and no call is answered twice.  Calls with an integer for an id are answered at once, others
 * when they are cancelled or at the end, so that both ways are gone.  Files of a call that conforms are taken: each is the
 * text it came as, or what its base64 stands for and nothing else. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include "base/b64.h"
#include "base/cleanup.h"
#include "mcp/files.h"
#include "mcp/schema.h"
#include "mcp/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define OPEN_MAX 16
struct fake { struct bawn_mcp_session *s; struct bawn_mcp_call *open[OPEN_MAX]; size_t sent; };

static void check_one(const json_t *m)
{
	const char *version = json_string_value(json_object_get(m, "jsonrpc"));
	bool result = json_object_get(m, "result") != NULL, error = json_object_get(m, "error") != NULL, method = json_object_get(m, "method") != NULL;
	assert(version != NULL && result + error + method == 1);
	assert(!error || json_is_integer(json_object_get(json_object_get(m, "error"), "code")));
	assert(!result || json_is_object(json_object_get(m, "result")));
}

static void on_send(void *ctx, const json_t *m)
{
	struct fake *f = ctx;
	bawn_auto_buf text = BAWN_BUF(256u << 20);
	bawn_auto_json again = NULL;
	assert(bawn_json_put(&text, m, NULL) == 0 && memchr(text.p, '\n', text.n) == NULL);
	assert(bawn_json_parse(bawn_buf_span(&text), &again, NULL) == 0 && json_equal(again, m));
	f->sent++;
	if (!json_is_array(m))
		check_one(m);
	for (size_t i = 0; i < json_array_size(m); i++)
		check_one(json_array_get(m, i));
}

static void take_files(const json_t *args)
{
	struct bawn_mcp_files files = { 0 };
	struct bawn_err err = { 0 };
	int r = bawn_mcp_files_take(args, &files, &err);
	assert(r == 0 || err.msg[0] != '\0');
	for (size_t i = 0; r == 0 && i < files.n; i++) {
		const struct bawn_input *f = &files.input[i];
		const json_t *value = json_object_get(json_object_get(args, "files"), f->name), *text = json_object_get(value, "base64");
		bawn_auto_buf again = BAWN_BUF(64u << 20);
		if (text != NULL)
			bawn_b64_put(&again, f->data, f->size);
		else
			bawn_buf_add(&again, f->data, f->size);
		text = text != NULL ? text : value;
		assert(bawn_buf_error(&again) == 0 && again.n == json_string_length(text) && (again.n == 0 || memcmp(again.p, json_string_value(text), again.n) == 0));
	}
	bawn_mcp_files_done(&files);
}

static void answer(struct fake *f, struct bawn_mcp_call *c)
{
	struct bawn_err err = { 0 };
	int r = bawn_mcp_conforms(c->schema, c->args, "arguments", &err);
	assert(r == 0 || (r < 0 && err.msg[0] != '\0'));
	if (r == 0 && strcmp(c->tool, "execute_code") == 0)
		take_files(c->args);
	bawn_mcp_progress(f->s, c, 1, "on its way");
	f->sent -= c->token != NULL;
	if (c->state != NULL)
		bawn_mcp_ask_back(f->s, c, json_object(), json_string_value(c->state));
	else
		bawn_mcp_answer(f->s, c, json_pack("{s:[], s:b, s:s}", "content", "isError", r < 0, "client", c->client));
}

static void on_call(void *ctx, struct bawn_mcp_call *c)
{
	struct fake *f = ctx;
	size_t i = 0;
	while (i < OPEN_MAX && f->open[i] != NULL)
		i++;
	if (json_is_integer(c->id) || i == OPEN_MAX)
		answer(f, c);
	else
		f->open[i] = c;
}

static bool on_busy(void *ctx, const json_t *id)
{
	const struct fake *f = ctx;
	for (size_t i = 0; i < OPEN_MAX; i++)
		if (f->open[i] != NULL && json_equal(f->open[i]->id, id))
			return true;
	return false;
}

static void on_cancel(void *ctx, const json_t *id)
{
	struct fake *f = ctx;
	for (size_t i = 0; i < OPEN_MAX; i++)
		if (f->open[i] != NULL && json_equal(f->open[i]->id, id))
			bawn_mcp_drop(f->s, bawn_steal(f->open[i]));
}

static void on_response(void *ctx, const char *id, const json_t *result)
{
	(void)ctx;
	assert(id != NULL && (result == NULL || json_typeof(result) <= JSON_NULL));
}

static bool on_packages(void *ctx) { return ((const struct fake *)ctx)->sent % 2 == 0; }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fake f = { 0 };
	const struct bawn_mcp_host host = { &f, on_send, on_call, on_busy, on_cancel, on_response, on_packages };
	struct bawn_span rest = { (const char *)data, size }, line;
	if (bawn_mcp_session_new(&host, &f.s, NULL) < 0)
		return 0;
	while (bawn_span_take(&rest, '\n', &line)) {
		f.sent = 0;
		bawn_mcp_session_line(f.s, line);
		assert(f.sent <= 1 || memchr(line.p, '[', line.n) != NULL);
	}
	bawn_mcp_session_line(f.s, rest);
	for (size_t i = 0; i < OPEN_MAX; i++)
		if (f.open[i] != NULL)
			answer(&f, bawn_steal(f.open[i]));
	bawn_mcp_session_free(f.s);
	return 0;
}
