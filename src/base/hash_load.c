/* hash_load.c - libcrypto for those who hash much.
 *
 * It is loaded when it is needed, not linked: what starts often must not pay for it.  Linked statically it
 * would ask the processor for its features before main, which takes some 50 us under a hypervisor.  Where it is
 * not there, everything works as before, more slowly.
 * Its own file: a program that does not call it, like the launcher, has no dlopen in it. */
#include <dlfcn.h>
#include <string.h>
#include "base/hash_by.h"

/* SHA256_CTX of libcrypto 3: 112 bytes, and part of its ABI. */
_Static_assert(sizeof((struct bawn_sha256 *)0)->opaque >= 112, "the state fits");

/* Does it hash as it should?  "abc" of FIPS 180-2, in two pieces. */
static bool works(const struct bawn_sha256_by *by)
{
	static const char want[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
	struct bawn_sha256 h = { .by = by };
	uint8_t raw[BAWN_SHA256_LEN];
	char hex[BAWN_SHA256_HEX];
	(void)by->start(h.opaque);
	(void)by->add(h.opaque, "a", 1);
	(void)by->add(h.opaque, "bc", 2);
	(void)by->end(raw, h.opaque);
	bawn_hex(raw, sizeof raw, hex);
	return strcmp(hex, want) == 0;
}

bool bawn_sha256_load(void)
{
	static struct bawn_sha256_by crypto;
	void *lib = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
	if (lib == NULL || crypto.start != NULL)
		return lib != NULL;
	struct bawn_sha256_by by = {
		(int (*)(void *))dlsym(lib, "SHA256_Init"),
		(int (*)(void *, const void *, size_t))dlsym(lib, "SHA256_Update"),
		(int (*)(unsigned char *, void *))dlsym(lib, "SHA256_Final"),
	};
	if (by.start == NULL || by.add == NULL || by.end == NULL || !works(&by))
		return false;
	crypto = by;
	bawn_sha256_use(&crypto);
	return true;
}
