/* content.c - what a model is given.  An attacker controls the names and bytes of the files and all output: it leaves
 * as JSON strings and base64, never as anything else. */
#include "mcp/content.h"
#include <fcntl.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/file.h"

#define TEXT_MAX        (256u << 20)
#define FILES_LOOKED_AT 1000
#define IMAGES_MAX      8
#define IMAGE_BYTES_MAX (4u << 20)  /* together; chosen, not measured */

json_t *bawn_mcp_content(json_t *doc_stolen, bool is_error)
{
	bawn_auto_json doc = doc_stolen;
	bawn_auto_buf text = BAWN_BUF(TEXT_MAX);
	if (doc == NULL || bawn_json_put(&text, doc, NULL) < 0)
		return NULL;
	return json_pack("{s:[{s:s, s:o}], s:O, s:b}", "content", "type", "text", "text", bawn_json_text(bawn_buf_span(&text)),
	                 "structuredContent", doc, "isError", is_error);
}

void bawn_mcp_content_say(json_t *result, const char *text, bool *ok)
{
	bawn_json_push(json_object_get(result, "content"), json_pack("{s:s, s:o}", "type", "text", "text", bawn_json_text(bawn_span(text))), ok);
}

/* By their first bytes: a name proves nothing.  SVG is left out: it is a program. */
static const char *picture_type(struct bawn_span b)
{
	if (bawn_span_starts(b, "\x89PNG\r\n\x1a\n"))
		return "image/png";
	if (bawn_span_starts(b, "\xff\xd8\xff"))
		return "image/jpeg";
	if (bawn_span_starts(b, "GIF87a") || bawn_span_starts(b, "GIF89a"))
		return "image/gif";
	if (b.n >= 12 && bawn_span_starts(b, "RIFF") && memcmp(b.p + 8, "WEBP", 4) == 0)
		return "image/webp";
	return NULL;
}

/* The type of a picture, or NULL; its bytes go to `out` where there is room for them. */
static const char *look(int dir, const char *path, struct bawn_buf *out, bool *out_whole)
{
	char head[12];
	struct stat st;
	bawn_auto_fd fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	ssize_t n = pread(fd, head, sizeof head, 0);
	const char *type = n > 0 ? picture_type((struct bawn_span){ head, (size_t)n }) : NULL;
	*out_whole = type != NULL && (uint64_t)st.st_size <= out->max && bawn_read_fd(fd, path, out, NULL) == 0;
	return type;
}

void bawn_mcp_images(json_t *doc, const char *dir, json_t *blocks, bool *ok)
{
	json_t *images = json_array(), *file;
	bawn_auto_fd at = dir != NULL ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	size_t i, left = IMAGE_BYTES_MAX, n = 0;
	json_array_foreach(json_object_get(doc, "files"), i, file) {
		const char *path = json_string_value(json_object_get(file, "path"));
		bawn_auto_buf bytes = BAWN_BUF(n < IMAGES_MAX ? left : 0);
		bool whole = false;
		if (at < 0 || path == NULL || i >= FILES_LOOKED_AT)
			break;
		const char *type = look(at, path, &bytes, &whole);
		if (type == NULL)
			continue;
		bawn_json_push(images, json_pack("{s:s, s:s, s:b}", "path", path, "mime_type", type, "attached", whole), ok);
		if (!whole)
			continue;
		bawn_json_push(blocks, json_pack("{s:s, s:o, s:s}", "type", "image", "data", bawn_json_base64(bawn_buf_span(&bytes)), "mimeType", type), ok);
		left -= bytes.n;
		n++;
	}
	bawn_json_set(doc, "images", images, ok);
}
