/* decode.c - any bytes through any codec (the first byte says which): bounded, and nothing foreign touched. */
#include <stdint.h>
#include <stdlib.h>
#include "assess/decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	struct arena a = ARENA(8u << 20);
	struct bawn_span in = { (const char *)data + 1, size - 1 };
	struct bawn_span out = bawn_decode(&a, (enum bawn_codec)(data[0] % BAWN_CODEC_COUNT), in);
	if (out.p != NULL && out.n > (out.p == in.p ? in.n : BAWN_DECODED_MAX))
		abort();
	(void)bawn_codec_named(in);
	(void)bawn_encode_latin1(&a, in);
	bawn_arena_done(&a);
	return 0;
}
