#include "mcp/files.h"
#include <stdlib.h>
#include "base/b64.h"

/* Bytes of a text, or of {"base64": ...}, which are kept in *out_decoded. */
static int take_file(const char *name, const json_t *value, struct bawn_input *out, void **out_decoded, struct bawn_err *err)
{
	const json_t *text = json_is_object(value) ? json_object_get(value, "base64") : value;
	struct bawn_span s = { json_string_value(text), json_string_length(text) };
	*out = (struct bawn_input){ .name = name, .data = s.p, .size = s.n, .mode = 0644 };
	if (text == value)
		return 0;
	size_t pad = s.n >= 4 ? (s.p[s.n - 1] == '=') + (size_t)(s.p[s.n - 2] == '=') : 0, n = s.n / 4 * 3 - pad;
	*out_decoded = malloc(n + 1);
	if (*out_decoded == NULL)
		return bawn_fail(err, -ENOMEM, "take the files");
	if (!bawn_b64_read(s, *out_decoded, n))
		return bawn_fail_as(err, BAWN_ERROR_INPUT_INVALID, "files", "'%.100s' is not base64", name);
	out->data = *out_decoded;
	out->size = n;
	return 0;
}

int bawn_mcp_files_take(const json_t *args, struct bawn_mcp_files *out, struct bawn_err *err)
{
	json_t *files = json_object_get(args, "files"), *value;
	const char *name;
	size_t n = json_object_size(files), i = 0;
	*out = (struct bawn_mcp_files){ .input = calloc(n + 1, sizeof *out->input), .decoded = calloc(n + 1, sizeof *out->decoded), .n = n };
	if (out->input == NULL || out->decoded == NULL)
		return bawn_fail(err, -ENOMEM, "take the files");
	int r = 0;
	json_object_foreach(files, name, value) {
		if (r == 0)
			r = take_file(name, value, &out->input[i], &out->decoded[i], err);
		i++;
	}
	return r;
}

void bawn_mcp_files_done(struct bawn_mcp_files *f)
{
	for (size_t i = 0; f->decoded != NULL && i < f->n; i++)
		free(f->decoded[i]);
	free(f->decoded);
	free(f->input);
	*f = (struct bawn_mcp_files){ 0 };
}
