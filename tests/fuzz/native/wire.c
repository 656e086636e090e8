/* wire.c - libFuzzer target for the messages between client and launcher. */
#include "wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	wire_one((const char *)data, size);
	return 0;
}
