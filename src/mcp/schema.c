#include "mcp/schema.h"
#include <regex.h>
#include "base/cleanup.h"

#define NO(...) bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, name, __VA_ARGS__)

static bool is_type(const char *type, const json_t *v)
{
	static const struct { const char *name; json_type type; } row[] = {
		{ "object", JSON_OBJECT }, { "array", JSON_ARRAY }, { "string", JSON_STRING }, { "integer", JSON_INTEGER },
		{ "number", JSON_INTEGER }, { "number", JSON_REAL }, { "boolean", JSON_TRUE }, { "boolean", JSON_FALSE }, { "null", JSON_NULL },
	};
	for (size_t i = 0; type != NULL && i < BAWN_LEN(row); i++)
		if (strcmp(type, row[i].name) == 0 && json_typeof(v) == row[i].type)
			return true;
	return false;
}

static int check_type(const json_t *type, const json_t *v, const char *name, struct bawn_err *err)
{
	size_t i;
	json_t *one;
	if (json_is_string(type) && !is_type(json_string_value(type), v))
		return NO("%.100s is not of type %s", name, json_string_value(type));
	if (!json_is_array(type))
		return 0;
	json_array_foreach(type, i, one)
		if (is_type(json_string_value(one), v))
			return 0;
	return NO("%.100s is of none of its types", name);
}

static int check_enum(const json_t *list, const json_t *v, const char *name, struct bawn_err *err)
{
	size_t i;
	json_t *one;
	bawn_auto_buf words = BAWN_BUF(300);
	if (list == NULL)
		return 0;
	json_array_foreach(list, i, one) {
		if (json_equal(one, v))
			return 0;
		bawn_buf_fmt(&words, "%s%s", i > 0 ? ", " : "", json_is_string(one) ? json_string_value(one) : "?");
	}
	return NO("%.100s is none of: %s", name, words.p != NULL ? words.p : "");
}

static int check_range(const json_t *schema, const json_t *v, const char *name, struct bawn_err *err)
{
	const json_t *least = json_object_get(schema, "minimum"), *above = json_object_get(schema, "exclusiveMinimum");
	const json_t *most = json_object_get(schema, "maximum");
	double x = json_number_value(v);
	if (!json_is_number(v))
		return 0;
	if ((least != NULL && !(x >= json_number_value(least))) || (above != NULL && !(x > json_number_value(above))))
		return NO("%.100s is too small", name);
	if (most != NULL && !(x <= json_number_value(most)))
		return NO("%.100s is too large", name);
	return 0;
}

static int check_size(const json_t *schema, const json_t *v, const char *name, struct bawn_err *err)
{
	const json_t *shortest = json_object_get(schema, "minLength"), *longest = json_object_get(schema, "maxLength");
	const json_t *most = json_object_get(schema, "maxProperties"), *items = json_object_get(schema, "maxItems");
	if (json_is_string(v) && shortest != NULL && (json_int_t)json_string_length(v) < json_integer_value(shortest))
		return NO("%.100s is too short", name);
	if (json_is_string(v) && longest != NULL && (json_int_t)json_string_length(v) > json_integer_value(longest))
		return NO("%.100s is too long", name);
	if (json_is_object(v) && most != NULL && (json_int_t)json_object_size(v) > json_integer_value(most))
		return NO("%.100s has too many members", name);
	if (json_is_array(v) && items != NULL && (json_int_t)json_array_size(v) > json_integer_value(items))
		return NO("%.100s has more than %d items", name, (int)json_integer_value(items));
	return 0;
}

/* After its size: what is matched is not longer than our own schema lets it be. */
static int check_pattern(const json_t *pattern, const json_t *v, const char *name, struct bawn_err *err)
{
	regex_t re;
	if (pattern == NULL || !json_is_string(v))
		return 0;
	if (regcomp(&re, json_string_value(pattern), REG_EXTENDED | REG_NOSUB) != 0)
		return bawn_fail(err, -ENOMEM, "check %.100s", name);
	bool matches = regexec(&re, json_string_value(v), 0, NULL, 0) == 0;
	regfree(&re);
	return matches ? 0 : NO("%.100s does not match %.200s", name, json_string_value(pattern));
}

static int check_members(const json_t *schema, const json_t *v, struct bawn_err *err)
{
	const json_t *properties = json_object_get(schema, "properties"), *others = json_object_get(schema, "additionalProperties");
	const char *key;
	json_t *member, *need;
	size_t i;
	json_array_foreach(json_object_get(schema, "required"), i, need)
		if (json_object_get(v, json_string_value(need)) == NULL)
			return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, json_string_value(need), "'%.100s' is missing", json_string_value(need));
	json_object_foreach((json_t *)(uintptr_t)v, key, member) {
		const json_t *rule = json_object_get(properties, key);
		if (rule == NULL && json_is_false(others))
			return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, NULL, "there is no argument '%.100s'", key);
		rule = rule != NULL ? rule : others;
		int r = rule != NULL ? bawn_mcp_conforms(rule, member, key, err) : 0;
		if (r < 0)
			return r;
	}
	return 0;
}

static int check_any(const json_t *list, const json_t *v, const char *name, struct bawn_err *err)
{
	size_t i;
	json_t *one;
	if (list == NULL)
		return 0;
	json_array_foreach(list, i, one)
		if (bawn_mcp_conforms(one, v, name, NULL) == 0)
			return 0;
	return NO("%.100s has none of its forms", name);
}

static int check_items(const json_t *rule, const json_t *v, const char *name, struct bawn_err *err)
{
	size_t i;
	json_t *one;
	int r = 0;
	if (rule == NULL || !json_is_array(v))
		return 0;
	json_array_foreach(v, i, one)
		if ((r = bawn_mcp_conforms(rule, one, name, err)) < 0)
			return r;
	return 0;
}

int bawn_mcp_conforms(const json_t *schema, const json_t *value, const char *name, struct bawn_err *err)
{
	int r = check_type(json_object_get(schema, "type"), value, name, err);
	if (r == 0)
		r = check_enum(json_object_get(schema, "enum"), value, name, err);
	if (r == 0)
		r = check_range(schema, value, name, err);
	if (r == 0)
		r = check_size(schema, value, name, err);
	if (r == 0)
		r = check_pattern(json_object_get(schema, "pattern"), value, name, err);
	if (r == 0)
		r = check_any(json_object_get(schema, "anyOf"), value, name, err);
	if (r == 0)
		r = check_items(json_object_get(schema, "items"), value, name, err);
	return r < 0 || !json_is_object(value) ? r : check_members(schema, value, err);
}
