#include "sandbox/observed.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"

#define NAME(n, t) t,
static const char *const kind_name[] = { BAWN_AREA_KINDS(NAME) };
const struct bawn_words bawn_area_words = { kind_name, (int)BAWN_LEN(kind_name) };
_Static_assert(sizeof(struct bawn_area_entry) == 256 && sizeof(_Atomic uint32_t) == 4, "read as plain bytes");

/* The same place without "//", "." and "..", in place; never longer. */
static size_t straighten(char *p, size_t n)
{
	size_t out = 0;
	for (size_t at = 0; at < n; ) {
		const char *slash = memchr(p + at + 1, '/', n - at - 1);
		size_t end = slash != NULL ? (size_t)(slash - p) : n, len = end - at;  /* with its slash */
		if (len == 3 && memcmp(p + at, "/..", 3) == 0) {
			while (out > 0 && p[--out] != '/')
				;
		} else if (len > 1 && !(len == 2 && p[at + 1] == '.')) {
			memmove(p + out, p + at, len);
			out += len;
		}
		at = end;
	}
	if (out == 0)
		p[out++] = '/';
	return out;
}

/* One entry; false where it is a hole or no entry at all. */
static bool take(const struct bawn_area_entry *e, char *text, struct bawn_observed_item *out)
{
	if (e->count == 0 || e->kind >= BAWN_AREA_KIND_COUNT || e->len > BAWN_AREA_TEXT)
		return false;
	memcpy(text, e->text, e->len);
	bool path = (e->kind == BAWN_AREA_READ || e->kind == BAWN_AREA_WRITE) && e->len > 0 && text[0] == '/';
	*out = (struct bawn_observed_item){ .kind = (enum bawn_area_kind)e->kind, .count = e->count, .cut = e->cut != 0,
		.text = { text, path ? straighten(text, e->len) : e->len } };
	return true;
}

void bawn_observed_free(struct bawn_observed *o)
{
	free(o);
}

int bawn_observed_parse(struct bawn_span bytes, struct bawn_observed **out, struct bawn_err *err)
{
	struct bawn_area_head head;
	*out = NULL;
	if (bytes.n < offsetof(struct bawn_area, entry))
		return 0;
	memcpy(&head, bytes.p, sizeof head);
	if (head.magic != BAWN_AREA_MAGIC || head.watching == 0)
		return 0;
	size_t there = (bytes.n - offsetof(struct bawn_area, entry)) / sizeof(struct bawn_area_entry);
	size_t n = head.used < BAWN_AREA_ENTRIES ? head.used : BAWN_AREA_ENTRIES;
	n = n < there ? n : there;
	struct bawn_observed *o = malloc(sizeof *o + n * (sizeof *o->item + BAWN_AREA_TEXT));
	if (o == NULL)
		return bawn_fail(err, -ENOMEM, "read what was observed");
	*o = (struct bawn_observed){ .item = (struct bawn_observed_item *)(o + 1), .dropped = head.dropped };
	char *text = (char *)(o->item + n);
	size_t each[BAWN_AREA_KIND_COUNT] = { 0 };
	for (size_t i = 0; i < n; i++) {
		struct bawn_area_entry e;
		memcpy(&e, bytes.p + offsetof(struct bawn_area, entry) + i * sizeof e, sizeof e);
		if (!take(&e, text + i * BAWN_AREA_TEXT, &o->item[o->n]))
			continue;
		if (each[o->item[o->n].kind]++ < BAWN_AREA_EACH)
			o->n++;
		else
			o->dropped++;
	}
	*out = o;
	return 0;
}

int bawn_observed_read(int fd, struct bawn_observed **out, struct bawn_err *err)
{
	struct bawn_area_head head;
	*out = NULL;
	ssize_t got = pread(fd, &head, sizeof head, 0);
	if (got < 0)
		return bawn_fail(err, -errno, "read what was observed");
	if ((size_t)got < sizeof head || head.watching == 0)
		return 0;
	size_t n = head.used < BAWN_AREA_ENTRIES ? head.used : BAWN_AREA_ENTRIES;
	size_t size = offsetof(struct bawn_area, entry) + n * sizeof(struct bawn_area_entry);
	bawn_auto_free char *copy = malloc(size);
	if (copy == NULL)
		return bawn_fail(err, -ENOMEM, "read what was observed");
	got = pread(fd, copy, size, 0);
	if (got < 0)
		return bawn_fail(err, -errno, "read what was observed");
	return bawn_observed_parse((struct bawn_span){ copy, (size_t)got }, out, err);
}
