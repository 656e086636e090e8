/* with.c - packages for the code: as named, and as files name them.
 *
 * A file is read because somebody said so with --with-file; one that only lies among the inputs is data.  Of it the
 * names and versions count, and nothing else: a line that would be an option, an address or a path is an error. */
#include "cli/cli.h"
#include <fcntl.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "base/file.h"

#define FILE_BYTES (1u << 20)

void bawn_cli_with_done(struct bawn_cli_with *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->item[i]);
	free(w->item);
}

static int add(struct bawn_cli_with *w, struct bawn_span text, struct bawn_err *err)
{
	char **more = reallocarray(w->item, w->n + 1, sizeof *more);
	if (more == NULL)
		return bawn_fail(err, -ENOMEM, "--with");
	w->item = more;
	w->item[w->n] = strndup(text.p, text.n);
	if (w->item[w->n] == NULL)
		return bawn_fail(err, -ENOMEM, "--with");
	w->n++;
	return 0;
}

/* "numpy >= 1.2  # why": without the comment and the spaces. */
static void squeeze(struct bawn_span line, struct bawn_buf *out)
{
	for (size_t i = 0; i < line.n; i++) {
		bool space = line.p[i] == ' ' || line.p[i] == '\t' || line.p[i] == '\r';
		if (line.p[i] == '#' && (i == 0 || line.p[i - 1] == ' ' || line.p[i - 1] == '\t'))
			return;
		if (!space)
			bawn_buf_char(out, line.p[i]);
	}
}

static int add_lines(struct bawn_cli_with *w, const char *file, struct bawn_span text, struct bawn_err *err)
{
	for (unsigned number = 1; text.n > 0; number++) {
		const char *nl = memchr(text.p, '\n', text.n);
		struct bawn_span line = { text.p, nl != NULL ? (size_t)(nl - text.p) : text.n };
		bawn_auto_buf b = BAWN_BUF(4096);
		squeeze(line, &b);
		if (bawn_buf_error(&b) < 0 || (b.n > 0 && (b.p[0] == '-' || memchr(b.p, ';', b.n) != NULL || memchr(b.p, '\\', b.n) != NULL)))
			return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "packages", "%s:%u: only NAME and NAME==VERSION are taken, no options and no conditions", file, number);
		int r = b.n > 0 ? add(w, bawn_buf_span(&b), err) : 0;
		if (r < 0)
			return r;
		text.p += line.n + (nl != NULL);
		text.n -= line.n + (nl != NULL);
	}
	return 0;
}

static int add_json(struct bawn_cli_with *w, const char *file, struct bawn_span text, struct bawn_err *err)
{
	bawn_auto_json doc = NULL;
	const char *name;
	json_t *range;
	int r = bawn_json_parse(text, &doc, err);
	if (r < 0 || !json_is_object(json_object_get(doc, "dependencies")))
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "packages", "%s: no JSON object with `dependencies`", file);
	json_object_foreach(json_object_get(doc, "dependencies"), name, range) {
		bawn_auto_buf b = BAWN_BUF(1024);
		bawn_buf_fmt(&b, "%s@%s", name, json_is_string(range) && json_string_length(range) > 0 ? json_string_value(range) : "*");
		r = bawn_buf_error(&b) < 0 ? bawn_fail(err, bawn_buf_error(&b), "%s", file) : add(w, bawn_buf_span(&b), err);
		if (r < 0)
			return r;
	}
	return 0;
}

static int add_file(struct bawn_cli_with *w, const char *file, struct bawn_err *err)
{
	bawn_auto_buf text = BAWN_BUF(FILE_BYTES);
	size_t n = strlen(file);
	int r = bawn_read_file(AT_FDCWD, file, &text, err);
	if (r < 0)
		return bawn_fail_as(err, BAWN_ERROR_INPUT_INVALID, "packages", "--with-file %s: %s", file, strerrordesc_np(-r));
	if (text.n > 0 && memchr(text.p, '\0', text.n) != NULL)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "packages", "%s has a NUL byte", file);
	bool json = n > 5 && strcmp(file + n - 5, ".json") == 0;
	return json ? add_json(w, file, bawn_buf_span(&text), err) : add_lines(w, file, bawn_buf_span(&text), err);
}

int bawn_cli_with(struct bawn_cli_with *w, const struct bawn_opt_list *name, const struct bawn_opt_list *file, struct bawn_err *err)
{
	int r = 0;
	for (size_t i = 0; r == 0 && i < name->n; i++)
		r = add(w, bawn_span(name->item[i]), err);
	for (size_t i = 0; r == 0 && i < file->n; i++)
		r = add_file(w, file->item[i], err);
	return r;
}
