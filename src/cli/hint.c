/* hint.c - "the file lies beside the script": the most useful line after a run that found nothing.
 *
 * The code sees an empty workspace.  When its stderr complains of a missing relative file and that
 * file lies beside the script on the host, we say how to pass it.  An attacker writes the stderr:
 * all it can cause is a look whether a name exists beside the script, and a hint a person reads;
 * hidden files and names that leave the directory are never suggested. */
#include "cli/cli.h"
#include <fcntl.h>
#include <sys/stat.h>
#include "base/cleanup.h"

#define MAX_HINTS 8
#define NAME_MAX_ 255

/* How a complaint looks: `before` precedes a quoted name, or `after` follows a bare one. */
static const struct complaint { const char *before, *after, *extension; } complaint[] = {
	{ "No such file or directory: ", NULL, "" },              /* Python */
	{ "no such file or directory, open ", NULL, "" },         /* Node */
	{ "no such file or directory, scandir ", NULL, "" },
	{ "no such file or directory, stat ", NULL, "" },
	{ "No module named ", NULL, ".py" },
	{ "No module named ", NULL, "" },
	{ NULL, ": No such file or directory", "" },              /* the shell and its tools */
};

/* "cannot access 'name'" -> name */
static struct bawn_span unquoted(struct bawn_span s)
{
	if (s.n < 2 || (s.p[s.n - 1] != '\'' && s.p[s.n - 1] != '"'))
		return s;
	const char *open = memrchr(s.p, s.p[s.n - 1], s.n - 1);
	return open != NULL ? (struct bawn_span){ open + 1, (size_t)(s.p + s.n - 1 - open - 1) } : s;
}

/* The name a line complains of, or an empty span. */
static struct bawn_span named(struct bawn_span line, const struct complaint *c)
{
	const char *mark = c->before != NULL ? c->before : c->after;
	const char *hit = memmem(line.p, line.n, mark, strlen(mark));
	if (hit == NULL)
		return (struct bawn_span){ NULL, 0 };
	if (c->before == NULL) {
		const char *from = hit;
		while (from > line.p && !(from[-1] == ' ' && from - 1 > line.p && from[-2] == ':'))
			from--;
		return unquoted((struct bawn_span){ from, (size_t)(hit - from) });
	}
	const char *from = hit + strlen(mark), *end = line.p + line.n;
	if (from >= end || (*from != '\'' && *from != '"'))
		return (struct bawn_span){ NULL, 0 };
	const char *close = memchr(from + 1, *from, (size_t)(end - from - 1));
	if (close == NULL)
		return (struct bawn_span){ NULL, 0 };
	return (struct bawn_span){ from + 1, (size_t)(close - from - 1) };
}

/* What to pass: the first part of a relative name; false for names that are none of ours. */
static bool top_part(struct bawn_span name, const char *extension, char out[static NAME_MAX_ + 1])
{
	if (bawn_span_starts(name, "/workspace/"))
		name = (struct bawn_span){ name.p + 11, name.n - 11 };
	while (bawn_span_starts(name, "./"))
		name = (struct bawn_span){ name.p + 2, name.n - 2 };
	const char *slash = name.n > 0 ? memchr(name.p, '/', name.n) : NULL;
	size_t n = slash != NULL ? (size_t)(slash - name.p) : name.n;
	if (n == 0 || n + strlen(extension) > NAME_MAX_ || name.p[0] == '.' || name.p[0] == '-' ||
	    memchr(name.p, '\0', n) != NULL || memmem(name.p, name.n, "..", 2) != NULL)
		return false;
	(void)snprintf(out, NAME_MAX_ + 1, "%.*s%s", (int)n, name.p, extension);
	return true;
}

static bool lies_beside(const char *script, const char *name)
{
	struct stat st;
	const char *slash = strrchr(script, '/');
	if (strcmp(slash != NULL ? slash + 1 : script, name) == 0)
		return false;  /* the script itself */
	bawn_auto_free char *path = NULL;
	int n = slash != NULL ? asprintf(&path, "%.*s/%s", (int)(slash - script), script, name) : asprintf(&path, "%s", name);
	return n >= 0 && stat(path, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

static bool mentioned(const json_t *denials, const char *name)
{
	size_t i;
	json_t *d;
	json_array_foreach(denials, i, d)
		if (strcmp(bawn_cli_text(d, "kind"), "path") == 0 && strcmp(bawn_cli_text(d, "what"), name) == 0)
			return true;
	return false;
}

static json_t *denial(const char *name)
{
	bool ok = true;
	json_t *d = json_object();
	bawn_auto_buf hint = BAWN_BUF(2048);
	bawn_buf_str(&hint, "--in ");
	bawn_cli_put_quoted(&hint, name);
	bawn_json_set(d, "kind", json_string("path"), &ok);
	bawn_json_set(d, "what", bawn_json_text(bawn_span(name)), &ok);
	bawn_json_set(d, "count", json_integer(1), &ok);
	bawn_json_set(d, "source", json_string("hook"), &ok);
	bawn_json_set(d, "hint", bawn_json_text(bawn_buf_span(&hint)), &ok);
	if (ok)
		return d;
	json_decref(d);
	return NULL;
}

static int look_at(struct bawn_span line, const char *script, json_t *denials)
{
	char name[NAME_MAX_ + 1];
	for (size_t i = 0; i < BAWN_LEN(complaint); i++) {
		if (!top_part(named(line, &complaint[i]), complaint[i].extension, name))
			continue;
		if (mentioned(denials, name) || !lies_beside(script, name))
			continue;
		bool ok = true;
		bawn_json_push(denials, denial(name), &ok);
		return ok ? 1 : 0;
	}
	return 0;
}

int bawn_cli_missing_file_hint(json_t *result, const char *script, struct bawn_span tail)
{
	json_t *denials = json_object_get(result, "denials");
	if (!json_is_array(denials)) {
		denials = json_array();
		if (json_object_set_new(result, "denials", denials) < 0)
			return 0;
	}
	int n = 0;
	while (tail.n > 0 && n < MAX_HINTS) {
		const char *nl = memchr(tail.p, '\n', tail.n);
		size_t len = nl != NULL ? (size_t)(nl - tail.p) : tail.n;
		n += look_at((struct bawn_span){ tail.p, len }, script, denials);
		len += nl != NULL;
		tail = (struct bawn_span){ tail.p + len, tail.n - len };
	}
	return n;
}
