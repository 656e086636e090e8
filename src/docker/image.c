#include "docker/image.h"
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/hash.h"
#include "docker/container.h"
#include "docker/inside.h"
#include "docker/names.h"
#include "sandbox/area.h"

static const unsigned char inside_bytes[] = {
#include "inside-bytes.h"
};
static const unsigned char observe_bytes[] = {
#include "observe-so.h"
};
static const char added_sum[] =
#include "inside-sum.h"
;
_Static_assert(sizeof added_sum == BAWN_SHA256_HEX, "a hash");
static const struct { const char *name; char kind; unsigned mode; const unsigned char *bytes; size_t n; } added[] = {
	{ ".bawn/",             '5', 0755, NULL, 0 },
	{ &BAWN_INSIDE_PATH[1], '0', 0555, inside_bytes, sizeof inside_bytes },
	{ &BAWN_INSIDE_WAY[1],  '0', 0444, NULL, 0 },  /* to be bound over: a runtime that has to make it would write to the image's root */
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

static int pack(struct bawn_buf *b, struct bawn_err *err)
{
	static const char end[1024];
	for (size_t i = 0; i < BAWN_LEN(added); i++)
		put_entry(b, added[i].name, added[i].kind, added[i].mode, added[i].bytes, added[i].n);
	bawn_buf_add(b, end, sizeof end);
	return bawn_buf_error(b) < 0 ? bawn_fail(err, bawn_buf_error(b), "pack the init") : 0;
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

/* A container that is never started, the init put into it, and what it then is kept as an image.  An image has the labels of
 * what it was made of: whose that was is no business of what is made of the image. */
static int make(struct bawn_moby *e, const char *base, const char *tag, const struct bawn_maker *maker, struct bawn_err *err)
{
	bawn_auto_buf tar = BAWN_BUF(16u << 20);
	bawn_auto_json body = json_pack("{s:s, s:[s], s:[], s:b, s:{s:s, s:s, s:s, s:s, s:s, s:s, s:s}, s:{s:s}}", "Image", base, "Entrypoint", BAWN_INSIDE_PATH, "Cmd", "NetworkDisabled", 1,
		"Labels", BAWN_LABEL_BASE, base, BAWN_LABEL_INSIDE, added_sum, BAWN_LABEL_MAKING, "1", BAWN_LABEL_SLOT, maker->slot, BAWN_LABEL_SLOTS, maker->slots, BAWN_LABEL_BY, maker->by,
		BAWN_LABEL_BOOT, maker->boot, "HostConfig", "NetworkMode", "none");
	bawn_auto_json nobody = json_pack("{s:{s:s, s:s, s:s, s:s, s:s}}", "Labels", BAWN_LABEL_MAKING, "", BAWN_LABEL_SLOT, "", BAWN_LABEL_SLOTS, "", BAWN_LABEL_BY, "", BAWN_LABEL_BOOT, "");
	bawn_auto_json made = NULL;
	int r = body != NULL && nobody != NULL ? pack(&tar, err) : bawn_fail(err, -ENOMEM, "make an image");
	if (r == 0)
		r = bawn_moby_call(e, &(struct bawn_call){ .method = "POST", .body = body, .ms = BAWN_MOBY_SLOW }, NULL, &made, err, "/containers/create");
	const char *id = r == 0 ? json_string_value(json_object_get(made, "Id")) : NULL;
	if (r == 0 && !bawn_is_container_id(id))
		r = bawn_fail_as(err, BAWN_ERROR_BACKEND_UNAVAILABLE, NULL, "the engine made a container without an id");
	if (r < 0)
		return bawn_wrap(err, r, "make an image");
	r = bawn_moby_call(e, &(struct bawn_call){ .method = "PUT", .tar = bawn_buf_span(&tar), .ms = BAWN_MOBY_SLOW }, NULL, NULL, err, "/containers/%s/archive?path=/", id);
	if (r == 0)
		r = bawn_moby_call(e, &(struct bawn_call){ .method = "POST", .body = nobody, .ms = BAWN_MOBY_SLOW }, NULL, NULL, err, "/commit?container=%s&repo=" BAWN_IMAGE_REPO "&tag=%s", id, tag);
	(void)!bawn_moby_call(e, &(struct bawn_call){ .method = "DELETE", .ms = BAWN_MOBY_SLOW, .may = { 404 } }, NULL, NULL, NULL, "/containers/%s?force=1&v=1", id);
	return r < 0 ? bawn_wrap(err, r, "make an image") : 0;
}

static int find_made(struct bawn_moby *e, const char *base, const char *tag, struct bawn_image *out, struct bawn_err *err)
{
	char name[200];
	bawn_auto_json image = NULL;
	snprintf(name, sizeof name, BAWN_IMAGE_REPO ":%s", tag);
	int r = inspect(e, name, &image, err);
	if (r <= 0)
		return r;
	if (strcmp(label(image, BAWN_LABEL_BASE), base) != 0 || strcmp(label(image, BAWN_LABEL_INSIDE), added_sum) != 0)
		return bawn_fail_as(err, BAWN_ERROR_BACKEND_UNAVAILABLE, "image", "the image '%s' is not what bawn made of %s; remove it", name, base);
	snprintf(out->id, sizeof out->id, "%s", json_string_value(json_object_get(image, "Id")));
	snprintf(out->base, sizeof out->base, "%s", base);
	return 1;
}

int bawn_image_find(struct bawn_moby *e, const char *name, const struct bawn_maker *maker, struct bawn_image *out, struct bawn_err *err)
{
	char base[80], tag[64];
	bawn_auto_json image = NULL;
	if (sizeof inside_bytes < 1000)
		return bawn_fail_as(err, BAWN_ERROR_BACKEND_UNAVAILABLE, "backend", "this build has no init for containers");
	int r = inspect(e, name, &image, err);
	if (r == 0)
		return bawn_fail_as(err, BAWN_ERROR_BACKEND_UNAVAILABLE, "image", "the engine has no image '%s': 'bawn image pull %s' fetches it, tools/make-image makes one", name, name);
	if (r < 0)
		return r;
	snprintf(base, sizeof base, "%s", json_string_value(json_object_get(image, "Id")));
	snprintf(tag, sizeof tag, "%.24s-%.24s", base + strlen("sha256:"), added_sum);
	r = find_made(e, base, tag, out, err);
	if (r == 0) {
		r = make(e, base, tag, maker, err);
		if (r == 0)
			r = find_made(e, base, tag, out, err);
		if (r == 0)
			r = bawn_fail_as(err, BAWN_ERROR_BACKEND_UNAVAILABLE, "image", "the engine lost the image that was just made");
	}
	return r < 0 ? r : 0;
}

/* --- fetching ------------------------------------------------------------------------------------ */

#define LAYERS  256      /* an engine allows half as many */
#define SILENCE 120000   /* milliseconds */

struct pulling {
	struct { char id[16]; uint64_t done, of; } layer[LAYERS];
	size_t              n;
	bawn_image_tell_fn *tell;
	void               *ctx;
	bool                gone;
	char                why[300];     /* what the engine says went wrong */
};

static int tell_sum(struct pulling *p)
{
	uint64_t done = 0, of = 0;
	for (size_t i = 0; i < p->n; i++) {
		done += p->layer[i].done;
		of += p->layer[i].of;
	}
	int r = p->tell(p->ctx, done, of);
	p->gone = r < 0;
	return r;
}

static size_t layer_of(struct pulling *p, const char *id)
{
	size_t i = 0;
	while (i < p->n && strncmp(p->layer[i].id, id, sizeof p->layer[i].id - 1) != 0)
		i++;
	if (i == p->n && p->n < LAYERS)
		snprintf(p->layer[p->n++].id, sizeof p->layer[i].id, "%s", id);
	return i;
}

/* Only "Downloading" counts bytes that come; of a layer that is there all have come. */
static void note_layer(struct pulling *p, const char *id, const char *status, const json_t *detail)
{
	const json_int_t done = json_integer_value(json_object_get(detail, "current")), of = json_integer_value(json_object_get(detail, "total"));
	const size_t i = layer_of(p, id);
	if (i == LAYERS)
		return;
	if (strcmp(status, "Downloading") == 0 && done >= 0 && of >= done && of < INT64_MAX / LAYERS) {
		p->layer[i].done = (uint64_t)done;
		p->layer[i].of = (uint64_t)of;
	} else if (strcmp(status, "Download complete") == 0 || strcmp(status, "Pull complete") == 0) {
		p->layer[i].done = p->layer[i].of;
	}
}

static int on_line(void *ctx, struct bawn_span line)
{
	struct pulling *p = ctx;
	bawn_auto_json j = NULL;
	if (line.n > 0 && bawn_json_parse(line, &j, NULL) < 0)
		return snprintf(p->why, sizeof p->why, "it says something that is not JSON"), -EBADMSG;
	const char *error = json_string_value(json_object_get(j, "error")), *id = json_string_value(json_object_get(j, "id")), *status = json_string_value(json_object_get(j, "status"));
	if (error != NULL) {
		bawn_auto_buf shown = BAWN_BUF(2048);
		bawn_buf_escaped(&shown, (struct bawn_span){ error, strnlen(error, 250) });
		snprintf(p->why, sizeof p->why, "%s", bawn_buf_error(&shown) == 0 && shown.p != NULL ? shown.p : "it does not say why");
	}
	if (id != NULL && status != NULL)
		note_layer(p, id, status, json_object_get(j, "progressDetail"));
	return tell_sum(p);
}

int bawn_image_pull(struct bawn_moby *e, const char *name, bawn_image_tell_fn *tell, void *ctx, struct bawn_err *err)
{
	bawn_auto_free struct pulling *p = calloc(1, sizeof *p);
	char *escaped = bawn_moby_escape(e, name);
	const char *slash = strrchr(name, '/');
	/* Without a tag an engine would fetch all of them. */
	const bool named = strchr(name, '@') != NULL || strchr(slash != NULL ? slash : name, ':') != NULL;
	if (p == NULL || escaped == NULL) {
		curl_free(escaped);
		return bawn_fail(err, -ENOMEM, "fetch an image");
	}
	p->tell = tell;
	p->ctx = ctx;
	int r = bawn_moby_call(e, &(struct bawn_call){ .method = "POST", .ms = SILENCE, .line = on_line, .ctx = p }, NULL, NULL, err,
	                       "/images/create?fromImage=%s%s", escaped, named ? "" : "&tag=latest");
	curl_free(escaped);
	if (p->why[0] != '\0')
		return bawn_fail_as(err, BAWN_ERROR_BACKEND_UNAVAILABLE, "image", "the engine cannot fetch '%s': %s", name, p->why);
	if (p->gone || r < 0)
		return p->gone ? -ECANCELED : r;
	/* What was said may be anything; what is there counts. */
	bawn_auto_json image = NULL;
	r = inspect(e, name, &image, err);
	if (r == 0)
		return bawn_fail_as(err, BAWN_ERROR_BACKEND_UNAVAILABLE, "image", "the engine says that it has fetched '%s', and does not have it", name);
	return r < 0 ? r : 0;
}
