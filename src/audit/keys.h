/* keys.h - the key files of a log.
 *
 *	vkey                   the verifier key of epoch 0: what a reader pins
 *	keys/epoch-N.vkey      the verifier key of each epoch
 *	private/epoch-N.key    the private key of the present epoch (0600); never part of a copy */
#pragma once
#include "audit/note.h"
#include "base/err.h"

/* A new key pair, durable on return. */
BAWN_MUST_CHECK int bawn_keys_make(int dirfd, const char *origin, uint64_t epoch, struct bawn_signer *out, struct bawn_err *err);
/* AUDIT_FAILED where it is missing, damaged, or readable by others. */
BAWN_MUST_CHECK int bawn_keys_load(int dirfd, uint64_t epoch, struct bawn_signer *out, struct bawn_err *err);
/* From a file of one verifier key: 0, -ENOENT, -EBADMSG where it holds anything else, or another error. */
BAWN_MUST_CHECK int bawn_keys_read(int dirfd, const char *path, struct bawn_vkey *out);
BAWN_MUST_CHECK int bawn_keys_public(int dirfd, uint64_t epoch, struct bawn_vkey *out);
bool bawn_keys_private_there(int dirfd, uint64_t epoch);
/* Overwrites, as far as the disk lets us, and removes a private key; one that is not there is no error. */
BAWN_MUST_CHECK int bawn_keys_destroy(int dirfd, uint64_t epoch, struct bawn_err *err);
