/* hash.h - SHA-256, the one hash of this code base. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/span.h"

#define BAWN_SHA256_LEN 32
#define BAWN_SHA256_HEX 65  /* 64 letters and the NUL */

struct bawn_sha256 { _Alignas(8) unsigned char opaque[112]; };

void bawn_sha256_init(struct bawn_sha256 *h);
void bawn_sha256_add(struct bawn_sha256 *h, const void *p, size_t n);
void bawn_sha256_end(struct bawn_sha256 *h, uint8_t out[static BAWN_SHA256_LEN]);
void bawn_sha256(struct bawn_span bytes, uint8_t out[static BAWN_SHA256_LEN]);

void bawn_hex(const uint8_t *bytes, size_t n, char *out);  /* 2n letters and a NUL */
void bawn_unhex(const char *hex, uint8_t *out, size_t n);  /* 2n small letters, checked by the caller */
void bawn_sha256_hex(struct bawn_span bytes, char out[static BAWN_SHA256_HEX]);
