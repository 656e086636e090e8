/* decode.h - encodings undone: bytes in, bytes out, never more than BAWN_DECODED_MAX of them.
 *
 * Pure but for the memory it takes; an attacker controls every byte.  What is not of the form, or
 * comes to too much, gives nothing: the caller then knows only that something was to be decoded. */
#pragma once
#include "assess/arena.h"
#include "base/span.h"

#define BAWN_DECODED_MAX (256u << 10)

/* NONE: no such codec.  SAME: the bytes stay as they are (UTF-8, ASCII). */
enum bawn_codec {
	BAWN_CODEC_NONE, BAWN_CODEC_SAME, BAWN_CODEC_BASE64, BAWN_CODEC_BASE64URL, BAWN_CODEC_BASE64ANY, BAWN_CODEC_HEX,
	BAWN_CODEC_BASE32, BAWN_CODEC_BASE32HEX, BAWN_CODEC_BASE85, BAWN_CODEC_ASCII85, BAWN_CODEC_Z85, BAWN_CODEC_UU,
	BAWN_CODEC_QUOTED, BAWN_CODEC_PERCENT, BAWN_CODEC_PLUS, BAWN_CODEC_UNESCAPE, BAWN_CODEC_ENTITIES, BAWN_CODEC_ESCAPES,
	BAWN_CODEC_ROT13, BAWN_CODEC_LATIN1, BAWN_CODEC_UTF16, BAWN_CODEC_UTF16LE, BAWN_CODEC_UTF16BE, BAWN_CODEC_UTF32,
	BAWN_CODEC_UTF7, BAWN_CODEC_EBCDIC, BAWN_CODEC_EBCDIC500, BAWN_CODEC_MAIL, BAWN_CODEC_ADDRESS, BAWN_CODEC_INFLATE, BAWN_CODEC_BZIP2, BAWN_CODEC_LZMA,
	BAWN_CODEC_COUNT
};

/* By any of the names Python, Node and the tools give it; case, '-', '_' and spaces do not count. */
enum bawn_codec bawn_codec_named(struct bawn_span name);

/* Does it hide a text from the reader, rather than only change how letters are stored? */
bool bawn_codec_hides(enum bawn_codec codec);

/* What one use counts for, beyond the bytes it reads and makes. */
size_t bawn_codec_cost(enum bawn_codec codec);

/* .p is NULL where there is nothing to give; otherwise the bytes are in `a` and end in NUL. */
struct bawn_span bawn_decode(struct arena *a, enum bawn_codec codec, struct bawn_span in);

/* The other way: UTF-8 as one byte for each character; .p is NULL where a character needs more. */
struct bawn_span bawn_encode_latin1(struct arena *a, struct bawn_span in);
/* The same as UTF-16, without a mark: a text in letters that nobody can read may be another one. */
struct bawn_span bawn_encode_utf16(struct arena *a, struct bawn_span in, bool big);

/* Backslash escapes undone, as each language writes them; of BYTES \xff is one byte. */
enum bawn_escapes { BAWN_ESCAPES_PYTHON, BAWN_ESCAPES_BYTES, BAWN_ESCAPES_JAVASCRIPT };
struct bawn_span bawn_unescape(struct arena *a, struct bawn_span text, enum bawn_escapes how);

/* Any kind of base64; NULL where the text is not of that form. */
char *bawn_decode_base64(struct arena *a, struct bawn_span text, size_t *out_n);
