/* hello.c - libFuzzer target for TLS greetings: one answer, however the bytes come. */
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include "egress/hello.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bawn_hello h = { 0 }, early = { 0 };
	struct bawn_span in = { (const char *)data, size };
	int r = bawn_hello_parse(in, &h);
	if (r == 1 && h.named && (h.name[0] == '\0' || strlen(h.name) >= sizeof h.name))
		abort();
	/* What half of it told, all of it does not take back. */
	int half = bawn_hello_parse((struct bawn_span){ in.p, size / 2 }, &early);
	if (half != 0 && (half != r || (r == 1 && (early.named != h.named || early.encrypted != h.encrypted || strcmp(early.name, h.name) != 0))))
		abort();
	return 0;
}
