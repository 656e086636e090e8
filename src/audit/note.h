/* note.h - who signs a log, and what: C2SP verifier keys, checkpoints and signed notes (Ed25519).
 *
 *	checkpoint   origin "\n" size "\n" base64(root) "\n"                 these bytes are signed
 *	note         checkpoint "\n" "— " origin " " base64(id signature) "\n"
 *	vkey         origin "+" id in 8 hexadecimal digits "+" base64(01 public key)
 *	             id: the first 4 bytes of SHA-256(origin "\n" 01 public key)
 *
 * Pure: bytes in, bytes out. */
#pragma once
#include <stdbool.h>
#include "audit/tree.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#define BAWN_ORIGIN_MAX 200
#define BAWN_VKEY_MAX   (BAWN_ORIGIN_MAX + 1 + 8 + 1 + 44 + 1)
#define BAWN_PUBLIC_LEN 32
#define BAWN_SIGNATURE_LEN 64
#define BAWN_SECRET_LEN 64
#define BAWN_SEED_LEN   32

struct bawn_vkey { char origin[BAWN_ORIGIN_MAX]; uint8_t public[BAWN_PUBLIC_LEN]; };

/* What can be signed: a tree, by its size and root, and the signature. */
struct bawn_seal { uint64_t size; bawn_node root; uint8_t signature[BAWN_SIGNATURE_LEN]; };

bool bawn_vkey_read(struct bawn_span text, struct bawn_vkey *out);
void bawn_vkey_text(const struct bawn_vkey *k, char out[static BAWN_VKEY_MAX]);
bool bawn_vkey_equal(const struct bawn_vkey *a, const struct bawn_vkey *b);

/* The private key as Go's note.NewSigner reads it: "PRIVATE+KEY+" origin "+" id "+" base64(01 seed). */
struct bawn_signer { struct bawn_vkey key; uint8_t seed[BAWN_SEED_LEN], secret[BAWN_SECRET_LEN]; };
/* From key.origin and seed: the rest. */
void bawn_signer_expand(struct bawn_signer *s);
void bawn_signer_put(struct bawn_buf *out, const struct bawn_signer *s);
bool bawn_signer_read(struct bawn_span text, struct bawn_signer *out);
void bawn_signer_wipe(struct bawn_signer *s);

/* Fills seal->signature. */
void bawn_seal_sign(struct bawn_seal *seal, const struct bawn_signer *by);
bool bawn_seal_good(const struct bawn_seal *seal, const struct bawn_vkey *by);

void bawn_note_put(struct bawn_buf *out, const struct bawn_seal *seal, const struct bawn_vkey *by);
/* A note of this origin, with a signature under this key's id; says nothing about its validity. */
bool bawn_note_read(struct bawn_span text, const struct bawn_vkey *by, struct bawn_seal *out);
/* The size that a note claims. */
bool bawn_note_size(struct bawn_span text, uint64_t *out);
/* Size and root that a note claims; its signature is not looked at. */
bool bawn_note_claim(struct bawn_span text, struct bawn_seal *out);
