#include "cli/entries.h"
#include <inttypes.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "cli/bar.h"
#include "core/api.h"

int bawn_cli_log_dir(const struct bawn_cli *c, const char *given, char *out, size_t size, struct bawn_err *err)
{
	struct bawn_dirs dirs;
	struct bawn_options o = bawn_cli_options(c);
	struct stat st;
	if (given == NULL) {
		int r = bawn_dirs_find(&o, &dirs, err);
		if (r == 0)
			(void)snprintf(out, size, "%s", dirs.audit);
		return r;
	}
	(void)snprintf(out, size, "%s/audit", given);  /* a copy of STATE, or of STATE/audit */
	if (stat(out, &st) < 0 || !S_ISDIR(st.st_mode))
		(void)snprintf(out, size, "%s", given);
	return 0;
}

/* ---- which ones ---- */

static bool of_type(const char *type, const char *want)
{
	size_t n = strlen(want);
	return strncmp(type, want, n) == 0 && (type[n] == '\0' || type[n] == '.');
}

/* "K=V", or "K" whatever its value. */
static bool has_label(const json_t *labels, const char *want)
{
	const size_t n = strcspn(want, "=");
	const json_t *value = json_object_getn(labels, want, n);
	return value != NULL && (want[n] == '\0' || (json_is_string(value) && strcmp(json_string_value(value), want + n + 1) == 0));
}

bool bawn_cli_picked(const struct bawn_cli_pick *p, const struct bawn_entry *e)
{
	if (e->ts_us < p->since || (p->until > 0 && e->ts_us > p->until))
		return false;
	const struct { const char *want, *have; } same[] = {
		{ p->severity, "severity" }, { p->session, "session" }, { p->level, "body.level" },
	};
	for (size_t i = 0; i < BAWN_LEN(same); i++)
		if (same[i].want != NULL && strcmp(bawn_cli_text(e->json, same[i].have), same[i].want) != 0)
			return false;
	for (size_t i = 0; i < p->label.n; i++)
		if (!has_label(bawn_cli_at(e->json, "body.labels"), p->label.item[i]))
			return false;
	return p->type == NULL || of_type(bawn_cli_text(e->json, "type"), p->type);
}

struct bawn_find bawn_cli_find_of(const struct bawn_cli_pick *p)
{
	if (p == NULL)
		return (struct bawn_find){ 0 };
	return (struct bawn_find){ .since_us = p->since, .until_us = p->until, .type = p->type, .severity = p->severity, .level = p->level,
		.session = p->session, .label = p->label.item, .n_labels = p->label.n };
}

int bawn_cli_find(const struct bawn_cli *c, const char *dir, const struct bawn_find *what, bawn_entry_fn *entry, void *ctx, struct bawn_err *err)
{
	struct bawn_dirs dirs;
	struct bawn_cli_bar bar = bawn_cli_bar_begin(c, "entries into the index");
	struct bawn_find find = *what;
	find.progress = (struct bawn_audit_progress){ bawn_cli_bar_tick, &bar };
	int r = bawn_audit_find(dir, bawn_dirs_find(NULL, &dirs, NULL) == 0 ? dirs.indexer : NULL, &find, entry, ctx, err);
	bawn_cli_bar_clear(&bar);
	return r;
}

/* ---- those of one execution ---- */

struct gather { const struct bawn_cli_pick *pick; const char *exec; char found[64]; bool several; json_t *list; };

static int take(void *ctx, const struct bawn_entry *e)
{
	struct gather *g = ctx;
	bool ok = true;
	if (e == NULL) {
		g->found[0] = '\0';
		g->several = false;
		(void)json_array_clear(g->list);
		return 0;
	}
	const char *exec = bawn_cli_text(e->json, "exec");
	if (*exec == '\0' || strncasecmp(exec, g->exec, strlen(g->exec)) != 0)
		return 0;
	g->several |= g->found[0] != '\0' && strncmp(exec, g->found, sizeof g->found - 1) != 0;
	(void)snprintf(g->found, sizeof g->found, "%s", exec);
	if (g->pick == NULL || bawn_cli_picked(g->pick, e))
		bawn_json_push(g->list, json_incref(e->json), &ok);
	return ok ? 0 : -ENOMEM;
}

int bawn_cli_entries_of(const struct bawn_cli *c, const char *dir, const char *exec, const struct bawn_cli_pick *pick, json_t **out, struct bawn_err *err)
{
	bawn_auto_json list = json_array();
	struct gather g = { .pick = pick, .exec = exec, .list = list };
	int r = bawn_cli_find(c, dir, &(struct bawn_find){ .exec = exec }, take, &g, err);
	if (r < 0)
		return r == -ENOMEM ? bawn_fail(err, r, "read the log") : r;
	if (g.several)
		return bawn_fail_as(err, BAWN_ERROR_NOT_FOUND, "id", "more than one execution starts with '%s'", exec);
	bawn_auto_json oldest_first = json_array();
	bool ok = oldest_first != NULL;
	for (size_t i = json_array_size(list); ok && i-- > 0; )
		bawn_json_push(oldest_first, json_incref(json_array_get(list, i)), &ok);
	if (!ok)
		return bawn_fail(err, -ENOMEM, "read the log");
	*out = bawn_steal(oldest_first);
	return 0;
}

/* ---- shown ---- */

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

void bawn_cli_put_entry(struct bawn_buf *out, const json_t *e, bool full)
{
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

void bawn_cli_put_entries(struct bawn_buf *out, const json_t *entries, bool full)
{
	size_t i;
	json_t *e;
	json_array_foreach(entries, i, e)
		bawn_cli_put_entry(out, e, full);
}
