/* num.c - fuzz target: numbers, sizes, durations and times; what is read can be written and read back. */
#include "base/num.h"
#include "base/clock.h"
#include "base/ulid.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define UNTOUCHED 0x5a5a5a5a5a5a5a5aull
#define NOW       1767323045678901ull
#define YEAR_10000 253402300800000000ull

static void must(bool good)
{
	if (!good)
		abort();
}

/* Refused with the output untouched, or at most INT64_MAX. */
static bool taken(int r, uint64_t v)
{
	must(r == 0 ? v <= INT64_MAX : v == UNTOUCHED);
	return r == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bawn_span text = { (const char *)data, size };
	struct bawn_err err = { 0 };
	bawn_auto_buf b = BAWN_BUF(64);
	uint64_t v = UNTOUCHED, again = 0;
	if (taken(bawn_parse_size(text, &v, &err), v)) {
		bawn_put_size(&b, v);
		must(bawn_parse_size(bawn_buf_span(&b), &again, NULL) == 0 && again == v);
	}
	bawn_buf_reset(&b);
	v = UNTOUCHED;
	if (taken(bawn_parse_duration(text, &v, &err), v)) {
		bawn_put_duration(&b, v);
		must(bawn_parse_duration(bawn_buf_span(&b), &again, NULL) == 0 && again == v);
	}
	v = UNTOUCHED;
	(void)taken(bawn_parse_milli(text, &v, &err), v);
	v = UNTOUCHED;
	if (taken(bawn_parse_u64(text, 3, 300, &v, &err), v))
		must(v >= 3 && v <= 300);
	v = UNTOUCHED;
	if (taken(bawn_parse_when(text, NOW, &v, &err), v)) {
		char stamp[BAWN_RFC3339_LEN];
		must(v < YEAR_10000);
		bawn_rfc3339(v, stamp);
		must(bawn_parse_when(bawn_span(stamp), NOW, &again, NULL) == 0 && again == v);
	}
	must(!bawn_ulid_valid(text) || size == 26);
	return 0;
}
