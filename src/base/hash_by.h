/* hash_by.h - who computes SHA-256: libsodium, or what hash_load.c found. */
#pragma once
#include "base/hash.h"

struct bawn_sha256_by {
	int (*start)(void *state);
	int (*add)(void *state, const void *p, size_t n);
	int (*end)(unsigned char *out, void *state);
};
void bawn_sha256_use(const struct bawn_sha256_by *by);
