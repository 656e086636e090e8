#include "docker/image.h"
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/hash.h"
#include "docker/inside.h"
#include "docker/names.h"
#include "sandbox/area.h"

static const unsigned char inside_bytes[] = {
#include "inside-bytes.h"
};
static const unsigned char observe_bytes[] = {
#include "observe-so.h"
};
static const struct { const char *name; char kind; unsigned mode; const unsigned char *bytes; size_t n; } added[] = {
	{ ".bawn/",             '5', 0755, NULL, 0 },
	{ &BAWN_INSIDE_PATH[1], '0', 0555, inside_bytes, sizeof inside_bytes },
	{ "run/",               '5', 0755, NULL, 0 },
	{ "run/bawn/",          '5', 0755, NULL, 0 },
	{ &BAWN_AREA_HOOK[1],   '0', 0444, observe_bytes, sizeof observe_bytes },
	{ "code/",              '5', 0755, NULL, 0 },
	{ "workspace/",         '5', 0755, NULL, 0 },
};

/* A ustar archive of these few: names and sizes that always fit, one owner, no time. */
static void put_entry(struct bawn_buf *b, const char *name, char kind, unsigned mode, const unsigned char *bytes, size_t n)
{
	static const char zeros[512];
	char head[512] = { 0 };
	unsigned sum = 0;
	snprintf(head, 100, "%s", name);
	snprintf(head + 100, 8, "%07o", mode);
	snprintf(head + 108, 8, "%07o", 0u);
	snprintf(head + 116, 8, "%07o", 0u);
	snprintf(head + 124, 12, "%011zo", n);
	snprintf(head + 136, 12, "%011o", 0u);
	memset(head + 148, ' ', 8);
	head[156] = kind;
	memcpy(head + 257, "ustar\00000", 8);
	for (size_t i = 0; i < sizeof head; i++)
		sum += (unsigned char)head[i];
	snprintf(head + 148, 8, "%06o", sum);
	bawn_buf_add(b, head, sizeof head);
	bawn_buf_add(b, bytes, n);
	bawn_buf_add(b, zeros, (512 - n % 512) % 512);
}

static int pack(struct bawn_buf *b, char out_sum[static BAWN_SHA256_HEX], struct bawn_err *err)
{
	static const char end[1024];
	for (size_t i = 0; i < BAWN_LEN(added); i++)
		put_entry(b, added[i].name, added[i].kind, added[i].mode, added[i].bytes, added[i].n);
	bawn_buf_add(b, end, sizeof end);
	if (bawn_buf_error(b) < 0)
		return bawn_fail(err, bawn_buf_error(b), "pack the init");
	bawn_sha256_hex(bawn_buf_span(b), out_sum);
	return 0;
}

static bool is_id(const char *text)
{
	return text != NULL && strncmp(text, "sha256:", 7) == 0 && strlen(text) == 71 && strspn(text + 7, "0123456789abcdef") == 64;
}

/* 1: found; 0: there is none of that name. */
static int inspect(struct bawn_moby *e, const char *name, json_t **out, struct bawn_err *err)
{
	long status = 0;
	json_t *j = NULL;
	int r = bawn_moby_call(e, &(struct bawn_call){ .method = "GET", .ms = BAWN_MOBY_QUICK, .may = { 404 } }, &status, &j, err, "/images/%s/json", name);
	if (r < 0)
		return r;
	if (status == 404) {
		json_decref(j);
		return 0;
	}
	if (!is_id(json_string_value(json_object_get(j, "Id")))) {
		json_decref(j);
		return bawn_fail_as(err, BAWN_ERROR_BACKEND_UNAVAILABLE, "image", "the engine says nothing useful about the image");
	}
	*out = j;
	return 1;
}

static const char *label(const json_t *image, const char *name)
{
	const char *v = json_string_value(json_object_get(json_object_get(json_object_get(image, "Config"), "Labels"), name));
	return v != NULL ? v : "";
}

/* A container that is never started, the init put into it, and what it then is kept as an image. */
static int make(struct bawn_moby *e, const char *base, struct bawn_span tar, const char *sum, const char *tag, struct bawn_err *err)
{
	bawn_auto_json body = json_pack("{s:s, s:[s], s:[], s:b, s:{s:s, s:s, s:s}, s:{s:s}}", "Image", base, "Entrypoint", BAWN_INSIDE_PATH, "Cmd", "NetworkDisabled", 1,
		"Labels", BAWN_LABEL_BASE, base, BAWN_LABEL_INSIDE, sum, BAWN_LABEL_MAKING, "1", "HostConfig", "NetworkMode", "none");
	bawn_auto_json made = NULL;
	if (body == NULL)
		return bawn_fail(err, -ENOMEM, "make an image");
	int r = bawn_moby_call(e, &(struct bawn_call){ .method = "POST", .body = body, .ms = BAWN_MOBY_SLOW }, NULL, &made, err, "/containers/create");
	const char *id = r == 0 ? json_string_value(json_object_get(made, "Id")) : NULL;
	if (r == 0 && !bawn_is_container_id(id))
		r = bawn_fail_as(err, BAWN_ERROR_BACKEND_UNAVAILABLE, NULL, "the engine made a container without an id");
	if (r < 0)
		return bawn_wrap(err, r, "make an image");
	r = bawn_moby_call(e, &(struct bawn_call){ .method = "PUT", .tar = tar, .ms = BAWN_MOBY_SLOW }, NULL, NULL, err, "/containers/%s/archive?path=/", id);
	if (r == 0)
		r = bawn_moby_call(e, &(struct bawn_call){ .method = "POST", .ms = BAWN_MOBY_SLOW }, NULL, NULL, err, "/commit?container=%s&repo=" BAWN_IMAGE_REPO "&tag=%s", id, tag);
	(void)!bawn_moby_call(e, &(struct bawn_call){ .method = "DELETE", .ms = BAWN_MOBY_SLOW, .may = { 404 } }, NULL, NULL, NULL, "/containers/%s?force=1&v=1", id);
	return r < 0 ? bawn_wrap(err, r, "make an image") : 0;
}

static int find_made(struct bawn_moby *e, const char *base, const char *sum, const char *tag, struct bawn_image *out, struct bawn_err *err)
{
	char name[200];
	bawn_auto_json image = NULL;
	snprintf(name, sizeof name, BAWN_IMAGE_REPO ":%s", tag);
	int r = inspect(e, name, &image, err);
	if (r <= 0)
		return r;
	if (strcmp(label(image, BAWN_LABEL_BASE), base) != 0 || strcmp(label(image, BAWN_LABEL_INSIDE), sum) != 0)
		return bawn_fail_as(err, BAWN_ERROR_BACKEND_UNAVAILABLE, "image", "the image '%s' is not what bawn made of %s; remove it", name, base);
	snprintf(out->id, sizeof out->id, "%s", json_string_value(json_object_get(image, "Id")));
	snprintf(out->base, sizeof out->base, "%s", base);
	return 1;
}

int bawn_image_find(struct bawn_moby *e, const char *name, struct bawn_image *out, struct bawn_err *err)
{
	char sum[BAWN_SHA256_HEX], base[80], tag[64];
	bawn_auto_json image = NULL;
	bawn_auto_buf tar = BAWN_BUF(16u << 20);
	if (sizeof inside_bytes < 1000)
		return bawn_fail_as(err, BAWN_ERROR_BACKEND_UNAVAILABLE, "backend", "this build has no init for containers");
	int r = inspect(e, name, &image, err);
	if (r == 0)
		return bawn_fail_as(err, BAWN_ERROR_BACKEND_UNAVAILABLE, "image", "the engine has no image '%s': 'docker pull %s', or make one with tools/make-image", name, name);
	if (r < 0)
		return r;
	snprintf(base, sizeof base, "%s", json_string_value(json_object_get(image, "Id")));
	r = pack(&tar, sum, err);
	if (r < 0)
		return r;
	snprintf(tag, sizeof tag, "%.24s-%.24s", base + strlen("sha256:"), sum);
	r = find_made(e, base, sum, tag, out, err);
	if (r == 0) {
		r = make(e, base, bawn_buf_span(&tar), sum, tag, err);
		if (r == 0)
			r = find_made(e, base, sum, tag, out, err);
		if (r == 0)
			r = bawn_fail_as(err, BAWN_ERROR_BACKEND_UNAVAILABLE, "image", "the engine lost the image that was just made");
	}
	return r < 0 ? r : 0;
}
