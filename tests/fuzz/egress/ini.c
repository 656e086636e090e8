/* ini.c - libFuzzer target for the configuration files of pip and npm. */
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include "egress/presets.h"

static void each(void *ctx, struct bawn_span section, struct bawn_span key, struct bawn_span value)
{
	size_t *n = ctx;
	if (key.n == 0 || memchr(key.p, '\n', key.n) != NULL || (section.n > 0 && memchr(section.p, '\n', section.n) != NULL) || (value.n > 0 && memchr(value.p, '\0', value.n) != NULL))
		abort();
	(*n)++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (int flat = 0; flat < 2; flat++) {
		size_t n = 0, lines = 1;
		unsigned bad = bawn_ini_read((struct bawn_span){ (const char *)data, size }, flat, each, &n);
		for (size_t i = 0; i < size; i++)
			lines += data[i] == '\n';
		if (bad > lines || n > lines)
			abort();
	}
	return 0;
}
