#include "cli/entries.h"
#include <inttypes.h>
#include "audit/audit.h"
#include "base/cleanup.h"
#include "base/clock.h"

struct gather { const char *exec; const char *found; bool several; json_t *list; };

static int take(void *ctx, const struct bawn_entry *e)
{
	struct gather *g = ctx;
	bool ok = true;
	const char *exec = bawn_cli_text(e->json, "exec");
	if (*exec == '\0' || strncasecmp(exec, g->exec, strlen(g->exec)) != 0)
		return 0;
	g->several |= g->found != NULL && strcmp(exec, g->found) != 0;
	bawn_json_push(g->list, json_incref(e->json), &ok);
	if (ok && g->found == NULL)
		g->found = bawn_cli_text(json_array_get(g->list, 0), "exec");
	return ok ? 0 : -ENOMEM;
}

int bawn_cli_entries_of(const char *dir, const char *exec, json_t **out, struct bawn_err *err)
{
	bawn_auto_json list = json_array();
	struct gather g = { .exec = exec, .list = list };
	int r = bawn_audit_walk(dir, 0, take, &g, err);
	if (r < 0)
		return r == -ENOMEM ? bawn_fail(err, r, "read the log") : r;
	if (g.several)
		return bawn_fail_as(err, BAWN_ERROR_NOT_FOUND, "id", "more than one execution starts with '%s'", exec);
	*out = bawn_steal(list);
	return 0;
}

static void put_members(struct bawn_buf *out, const json_t *body)
{
	const char *key;
	json_t *value;
	json_object_foreach((json_t *)body, key, value) {
		bawn_buf_str(out, "        ");
		bawn_buf_escaped(out, bawn_span(key));
		bawn_buf_str(out, ": ");
		bawn_cli_cell(out, value, BAWN_CLI_TEXT);
		bawn_buf_char(out, '\n');
	}
}

void bawn_cli_put_entries(struct bawn_buf *out, const json_t *entries, bool full)
{
	size_t i;
	json_t *e;
	json_array_foreach(entries, i, e) {
		char at[BAWN_RFC3339_LEN];
		bawn_rfc3339(bawn_cli_number(e, "ts"), at);
		bawn_buf_fmt(out, "%6" PRIu64 "  %.19sZ  %-18s  %-8s  ", bawn_cli_number(e, "seq"), at,
		             bawn_cli_text(e, "type"), bawn_cli_text(e, "severity"));
		bawn_cli_cell(out, bawn_cli_at(e, "exec"), BAWN_CLI_TEXT);
		if (*bawn_cli_text(e, "body.status") != '\0') {
			bawn_buf_str(out, "  ");
			bawn_cli_cell(out, bawn_cli_at(e, "body.status"), BAWN_CLI_TEXT);
		}
		bawn_buf_char(out, '\n');
		if (full)
			put_members(out, bawn_cli_at(e, "body"));
	}
}
