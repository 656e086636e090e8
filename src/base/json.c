#include "base/json.h"
#include <float.h>
#include <sodium.h>
#include "base/cleanup.h"
#include "base/utf8.h"

/* jansson recurses once per level; refusing deep text first keeps that bounded. */
static bool too_deep(struct bawn_span text)
{
	int depth = 0;
	bool quoted = false;
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		if (quoted) {
			if (c == '\\')
				i++;
			else if (c == '"')
				quoted = false;
		} else if (c == '"') {
			quoted = true;
		} else if (c == '{' || c == '[') {
			if (++depth > BAWN_JSON_DEPTH)
				return true;
		} else if (c == '}' || c == ']') {
			depth--;
		}
	}
	return false;
}

int bawn_json_parse(struct bawn_span text, json_t **out, struct bawn_err *err)
{
	if (too_deep(text))
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, NULL, "JSON nested deeper than %d levels", BAWN_JSON_DEPTH);
	json_error_t why;
	errno = 0;
	json_t *j = json_loadb(text.p != NULL ? text.p : "", text.n, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &why);
	if (j == NULL && errno == ENOMEM)  /* jansson itself says so only now and then */
		return bawn_fail(err, -ENOMEM, "read JSON");
	if (j == NULL)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, NULL, "JSON line %d, column %d: %s", why.line, why.column, why.text);
	*out = j;
	return 0;
}

static int append(const char *p, size_t n, void *out)
{
	bawn_buf_add(out, p, n);
	return bawn_buf_error(out) < 0 ? -1 : 0;
}

/* Does every number in it stay the same when it is written with DBL_DIG digits? */
static bool is_short(const json_t *value)
{
	if (json_is_real(value)) {
		char text[40];
		snprintf(text, sizeof text, "%.*g", DBL_DIG, json_real_value(value));
		return strtod(text, NULL) == json_real_value(value);
	}
	const char *key;
	json_t *member;
	size_t i;
	json_object_foreach((json_t *)value, key, member)
		if (!is_short(member))
			return false;
	json_array_foreach(value, i, member)
		if (!is_short(member))
			return false;
	return true;
}

int bawn_json_put(struct bawn_buf *out, const json_t *value, struct bawn_err *err)
{
	/* 0.015 is not 0.014999999999999999; a number of somebody else's may need all its digits. */
	size_t digits = is_short(value) ? JSON_REAL_PRECISION(DBL_DIG) : JSON_REAL_PRECISION(DBL_DECIMAL_DIG);
	if (json_dump_callback(value, append, out, JSON_COMPACT | JSON_ENCODE_ANY | digits) == 0)
		return 0;
	return bawn_fail(err, bawn_buf_error(out) < 0 ? bawn_buf_error(out) : -ENOMEM, "write JSON");
}

json_t *bawn_json_text(struct bawn_span bytes)
{
	if (bytes.n == 0)
		return json_string("");
	if (bawn_utf8_bad(bytes) == bytes.n)
		return json_stringn_nocheck(bytes.p, bytes.n);
	bawn_auto_buf clean = BAWN_BUF(bytes.n * 3);
	bawn_utf8_replace(&clean, bytes);
	return bawn_buf_error(&clean) < 0 ? NULL : json_stringn_nocheck(clean.p, clean.n);
}

json_t *bawn_json_text_or_null(const char *text)
{
	return text != NULL ? bawn_json_text(bawn_span(text)) : json_null();
}

json_t *bawn_json_base64(struct bawn_span bytes)
{
	size_t room = sodium_base64_encoded_len(bytes.n, sodium_base64_VARIANT_ORIGINAL);
	bawn_auto_free char *text = malloc(room);
	if (text == NULL)
		return NULL;
	(void)sodium_bin2base64(text, room, (const unsigned char *)bytes.p, bytes.n, sodium_base64_VARIANT_ORIGINAL);
	return json_string(text);
}

void bawn_json_set(json_t *object, const char *key, json_t *value_stolen, bool *ok)
{
	if (json_object_set_new(object, key, value_stolen) != 0)
		*ok = false;
}

void bawn_json_push(json_t *array, json_t *value_stolen, bool *ok)
{
	if (json_array_append_new(array, value_stolen) != 0)
		*ok = false;
}
