/* observed.c - what is read from memory that the program could write into: each row one promise. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "sandbox/sandbox.h"
#include "tap.h"

struct had { uint32_t count; uint8_t kind, cut; uint16_t len; const char *text; };
static const struct { const char *name; struct had had; const char *want; } row[] = {
	{ "a path", { 1, BAWN_AREA_READ, 0, 11, "/etc/passwd" }, "/etc/passwd" },
	{ "a path is straightened", { 1, BAWN_AREA_WRITE, 0, 22, "//a/./b/x/../c/../../d" }, "/a/d" },
	{ "no way above the root", { 1, BAWN_AREA_WRITE, 0, 12, "/../../etc/x" }, "/etc/x" },
	{ "nothing left is the root", { 1, BAWN_AREA_READ, 0, 5, "/a/.." }, "/" },
	{ "a name with dots is a name", { 1, BAWN_AREA_READ, 0, 8, "/..a/b.." }, "/..a/b.." },
	{ "a command is left alone", { 1, BAWN_AREA_EXEC, 0, 9, "/bin//a x" }, "/bin//a x" },
	{ "any bytes are text", { 1, BAWN_AREA_CONNECT, 0, 3, "\xff\x1b\n" }, "\xff\x1b\n" },
	{ "a hole is left out", { 0, BAWN_AREA_READ, 0, 1, "x" }, NULL },
	{ "an unknown kind is left out", { 1, BAWN_AREA_KIND_COUNT, 0, 1, "x" }, NULL },
	{ "a text longer than its entry is left out", { 1, BAWN_AREA_READ, 0, BAWN_AREA_TEXT + 1, "x" }, NULL },
};

static void fill(struct bawn_area_entry *e, const struct had *h)
{
	e->count = h->count;
	e->kind = h->kind;
	e->cut = h->cut;
	e->len = h->len;
	memcpy(e->text, h->text, h->len <= strlen(h->text) ? h->len : strlen(h->text));
}

int main(void)
{
	bawn_auto_free struct bawn_area *a = calloc(1, sizeof *a);
	struct bawn_observed *o = NULL;
	if (a == NULL)
		return 1;
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		memset(a, 0, sizeof *a);
		a->head.magic = BAWN_AREA_MAGIC;
		a->head.watching = a->head.used = 1;
		fill(&a->entry[0], &row[i].had);
		bool got = bawn_observed_parse((struct bawn_span){ (const char *)a, sizeof *a }, &o, NULL) == 0 && o != NULL;
		ok(got && (row[i].want == NULL ? o->n == 0 : o->n == 1 && bawn_span_is(o->item[0].text, row[i].want)), "%s", row[i].name);
		bawn_observed_free(o);
	}

	for (uint32_t i = 0; i < BAWN_AREA_ENTRIES; i++)
		fill(&a->entry[i], &(struct had){ 1, BAWN_AREA_READ, 0, 1, "x" });
	a->head.used = UINT32_MAX;
	a->head.dropped = 7;
	struct bawn_span all = { (const char *)a, sizeof *a };
	ok(bawn_observed_parse(all, &o, NULL) == 0 && o->n == BAWN_AREA_EACH && o->dropped == 7 + BAWN_AREA_ENTRIES - BAWN_AREA_EACH,
	   "of one kind no more than there may be, whatever the head says; the rest is counted");
	bawn_observed_free(o);
	all.n = offsetof(struct bawn_area, entry) + 3 * sizeof(struct bawn_area_entry) + 100;
	ok(bawn_observed_parse(all, &o, NULL) == 0 && o->n == 3, "no more than there is");
	bawn_observed_free(o);
	all.n = 10;
	ok(bawn_observed_parse(all, &o, NULL) == 0 && o == NULL, "less than a head is nothing");

	bawn_auto_fd fd = memfd_create("area", MFD_CLOEXEC);
	ok(fd >= 0 && write(fd, a, sizeof *a) == (ssize_t)sizeof *a && bawn_observed_read(fd, &o, NULL) == 0 && o != NULL && o->n == BAWN_AREA_EACH,
	   "the same from a memory file");
	bawn_observed_free(o);
	a->head.watching = 0;
	ok(pwrite(fd, a, sizeof a->head, 0) == (ssize_t)sizeof a->head && bawn_observed_read(fd, &o, NULL) == 0 && o == NULL,
	   "where no hook was, nothing was observed");

	ok(bawn_is_writable(bawn_span("/tmp")) && bawn_is_writable(bawn_span("/workspace/a/b")) && bawn_is_writable(bawn_span("/dev/null")) &&
	   !bawn_is_writable(bawn_span("/tmpfile")) && !bawn_is_writable(bawn_span("/dev/null/x")) && !bawn_is_writable(bawn_span("/")),
	   "what can be written, and what only looks like it");
	return done_testing();
}
