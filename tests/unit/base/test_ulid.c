/* test_ulid.c - identifiers sort by time, do not repeat, and only their own letters are valid. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/ulid.h"
#include "tap.h"

#define MANY 20000
static char id[MANY][BAWN_ULID_LEN];

static int by_text(const void *a, const void *b) { return strcmp(a, b); }

static void making(void)
{
	bool good = true;
	for (int i = 0; i < MANY; i++)
		good &= bawn_ulid_new(id[i], NULL) == 0 && strlen(id[i]) == 26 && bawn_ulid_valid(bawn_span(id[i]));
	ok(good, "each one made is valid");
	bool sorted = true;
	for (int i = 1; i < MANY; i++)
		sorted &= memcmp(id[i - 1], id[i], 10) <= 0;
	ok(sorted, "the ten letters of time do not go back");
	qsort(id, MANY, sizeof *id, by_text);
	bool unique = true;
	for (int i = 1; i < MANY; i++)
		unique &= strcmp(id[i - 1], id[i]) != 0;
	ok(unique, "no two of %d are the same", MANY);

	char first[BAWN_ULID_LEN], second[BAWN_ULID_LEN];
	bool later = bawn_ulid_new(first, NULL) == 0;
	(void)nanosleep(&(struct timespec){ .tv_nsec = 3000000 }, NULL);
	later = later && bawn_ulid_new(second, NULL) == 0 && strcmp(first, second) < 0;
	ok(later, "one made later sorts later");
}

static void time_inside(void)
{
	static const char letter[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
	char text[BAWN_ULID_LEN];
	uint64_t before = bawn_wall_us() / 1000;
	int r = bawn_ulid_new(text, NULL);
	uint64_t after = bawn_wall_us() / 1000, ms = 0;
	for (int i = 0; i < 10; i++)
		ms = ms << 5 | (uint64_t)(strchr(letter, text[i]) - letter);
	ok(r == 0 && ms >= before && ms <= after, "the first ten letters are the milliseconds");
}

static void validity(void)
{
	static const struct { const char *name, *text; bool want; } row[] = {
		{ "the smallest",               "00000000000000000000000000", true },
		{ "the largest",                "7ZZZZZZZZZZZZZZZZZZZZZZZZZ", true },
		{ "more than 128 bits",         "80000000000000000000000000", false },
		{ "too short",                  "0000000000000000000000000",  false },
		{ "too long",                   "000000000000000000000000000", false },
		{ "empty",                      "",                           false },
		{ "lower case",                 "01arz3ndektsv4rrffq69g5fav", false },
		{ "upper case",                 "01ARZ3NDEKTSV4RRFFQ69G5FAV", true },
		{ "the letter I",               "0000000000000000000000000I", false },
		{ "the letter L",               "0000000000000000000000000L", false },
		{ "the letter O",               "0000000000000000000000000O", false },
		{ "the letter U",               "0000000000000000000000000U", false },
		{ "a path",                     "../../../../../etc/passwd0", false },
		{ "a byte above ASCII",         "0000000000000000000000000\xff", false },
		{ "a byte above ASCII, first",  "\xff" "0000000000000000000000000", false },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++)
		ok(bawn_ulid_valid(bawn_span(row[i].text)) == row[i].want, "%s: %s", row[i].name, row[i].want ? "valid" : "refused");
	ok(!bawn_ulid_valid((struct bawn_span){ "0000000000000000000000000\0", 26 }), "a NUL inside is refused");
}

int main(void)
{
	making();
	time_inside();
	validity();
	return done_testing();
}
