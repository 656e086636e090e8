#include "base/opt.h"
#include "base/clock.h"
#include "base/cleanup.h"
#include "base/num.h"

#define NEAR_MAX 48

/* Levenshtein with adjacent swaps, on words short enough for two stack rows. */
static size_t distance(struct bawn_span a, const char *b)
{
	size_t m = strlen(b), d[3][NEAR_MAX + 1];
	if (a.n > NEAR_MAX || m > NEAR_MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= m; j++)
		d[0][j] = j;
	for (size_t i = 1; i <= a.n; i++) {
		size_t *now = d[i % 3], *was = d[(i + 2) % 3], *before = d[(i + 1) % 3];
		now[0] = i;
		for (size_t j = 1; j <= m; j++) {
			size_t best = was[j - 1] + (a.p[i - 1] != b[j - 1]);
			best = was[j] + 1 < best ? was[j] + 1 : best;
			best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
			if (i > 1 && j > 1 && a.p[i - 1] == b[j - 2] && a.p[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			now[j] = best;
		}
	}
	return d[a.n % 3][m];
}

const char *bawn_nearest(struct bawn_span word, const char *(*candidate)(size_t i, const void *ctx), const void *ctx)
{
	const char *best = NULL, *name;
	size_t least = 3;
	for (size_t i = 0; (name = candidate(i, ctx)) != NULL; i++) {
		size_t d = distance(word, name);
		if (d < least && d * 2 < word.n + 1) {
			least = d;
			best = name;
		}
	}
	return best;
}

struct where { const struct bawn_opts *tables; size_t n; };

static const struct bawn_opt *find(const struct where *w, struct bawn_span name, char letter, size_t *out_table)
{
	for (size_t t = 0; t < w->n; t++)
		for (size_t i = 0; i < w->tables[t].n; i++) {
			const struct bawn_opt *o = &w->tables[t].row[i];
			if (letter != 0 ? o->letter == letter : o->name != NULL && bawn_span_is(name, o->name)) {
				*out_table = t;
				return o;
			}
		}
	return NULL;
}

static const char *nth_name(size_t i, const void *ctx)
{
	const struct where *w = ctx;
	for (size_t t = 0; t < w->n; t++) {
		if (i < w->tables[t].n)
			return w->tables[t].row[i].name != NULL ? w->tables[t].row[i].name : "";
		i -= w->tables[t].n;
	}
	return NULL;
}

static bool among(const char *choices, const char *value)
{
	size_t n = strcspn(value, "|");
	if (value[n] != '\0')
		return false;  /* "a|b" is a part of the list, but not a choice */
	for (const char *at = choices; at != NULL; at = strchr(at, '|'), at = at != NULL ? at + 1 : NULL)
		if (strncmp(at, value, n) == 0 && (at[n] == '|' || at[n] == '\0'))
			return true;
	return false;
}

static int store_list(struct bawn_opt_list *list, const char *value, struct bawn_err *err)
{
	if (list->n == BAWN_OPT_LIST_MAX)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, NULL, "more than %d values", BAWN_OPT_LIST_MAX);
	list->item[list->n++] = value;
	return 0;
}

static int store(const struct bawn_opt *o, void *target, const char *value, struct bawn_err *err)
{
	void *field = (char *)target + o->offset;
	uint64_t v = 0;
	int r = -EINVAL;
	struct bawn_span text = bawn_span(value);
	if (o->choices != NULL && !among(o->choices, value))
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, o->name, "'%s' is none of %s", value, o->choices);
	switch (o->kind) {
	case BAWN_OPT_FLAG:
		*(bool *)field = true;
		return 0;
	case BAWN_OPT_TEXT:
	case BAWN_OPT_REST:
		*(const char **)field = value;
		return 0;
	case BAWN_OPT_LIST:
		return store_list(field, value, err);
	case BAWN_OPT_SIZE:
		r = bawn_parse_size(text, &v, err);
		break;
	case BAWN_OPT_DURATION:
		r = bawn_parse_duration(text, &v, err);
		break;
	case BAWN_OPT_MILLI:
		r = bawn_parse_milli(text, &v, err);
		break;
	case BAWN_OPT_NUMBER:
		return bawn_parse_u64(text, 1, UINT32_MAX, field, err);
	case BAWN_OPT_WHEN:
		return bawn_parse_when(text, bawn_wall_us(), field, err);
	}
	if (r < 0)
		return r;
	/* Nothing that can be asked for makes sense as zero, and zero in a target means "not given". */
	if (v == 0)
		return bawn_fail_as(err, BAWN_ERROR_LIMIT_INVALID, NULL, "it must be more than zero");
	*(uint64_t *)field = v;
	return 0;
}

static int unknown(const struct where *w, const char *word, struct bawn_err *err)
{
	struct bawn_span name = bawn_span(word[1] == '-' ? word + 2 : word + 1);
	const char *eq = memchr(name.p, '=', name.n);
	if (eq != NULL)
		name.n = (size_t)(eq - name.p);
	const char *near = word[1] == '-' ? bawn_nearest(name, nth_name, w) : NULL;
	return near != NULL
	       ? bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, NULL, "unknown option '%s'; did you mean '--%s'?", word, near)
	       : bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, NULL, "unknown option '%s'", word);
}

int bawn_opt_parse(const struct bawn_opts *tables, size_t n_tables, int argc, char **argv,
                   void *const *targets, bool stop_early, struct bawn_opt_list *words,
                   int *out_rest, struct bawn_err *err)
{
	struct where w = { tables, n_tables };
	int i = 1;
	for (; i < argc; i++) {
		const char *word = argv[i];
		if (strcmp(word, "--") == 0) {
			i++;
			break;
		}
		if (word[0] != '-' || word[1] == '\0') {
			if (stop_early)
				break;
			int r = store_list(words, word, err);
			if (r < 0)
				return r;
			continue;
		}
		bool longer = word[1] == '-';
		struct bawn_span name = bawn_span(longer ? word + 2 : word + 1);
		const char *value = longer ? memchr(name.p, '=', name.n) : NULL;
		if (value != NULL)
			name.n = (size_t)(value++ - name.p);
		size_t t;
		const struct bawn_opt *o = find(&w, name, longer ? 0 : word[1], &t);
		if (o == NULL)
			return unknown(&w, word, err);
		if (!longer && name.n > 1)
			value = word + 2;  /* -t30 */
		if (o->kind == BAWN_OPT_FLAG && value != NULL)
			return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, o->name, "'%s' takes no value", word);
		if (o->kind != BAWN_OPT_FLAG && value == NULL) {
			if (i + 1 >= argc)
				return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, o->name, "'%s' needs %s", word, o->arg);
			value = argv[++i];
		}
		int r = store(o, targets[t], value != NULL ? value : "", err);
		if (r < 0)
			return bawn_wrap(err, r, "option %s%.*s", longer ? "--" : "-", longer ? (int)name.n : 1, name.p);
		if (o->kind == BAWN_OPT_REST) {
			i++;
			break;
		}
	}
	for (; !stop_early && i < argc; i++) {
		int r = store_list(words, argv[i], err);
		if (r < 0)
			return r;
	}
	*out_rest = i;
	return 0;
}

#define CHOICES_SHOWN 70u  /* more would run off the line; a wrong word is told them all */

void bawn_opt_help(struct bawn_buf *out, const struct bawn_opts *table)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct bawn_opt *o = &table->row[i];
		size_t start = out->n;
		if (o->letter != 0)
			bawn_buf_fmt(out, "  -%c%s", o->letter, o->name != NULL ? ", " : " ");
		else
			bawn_buf_str(out, "      ");
		if (o->name != NULL)
			bawn_buf_fmt(out, "--%s%s", o->name, o->arg != NULL ? " " : "");
		if (o->arg != NULL)
			bawn_buf_str(out, o->choices != NULL && strlen(o->choices) <= CHOICES_SHOWN ? o->choices : o->arg);
		size_t width = out->n - start;
		if (width < 30)
			bawn_buf_fmt(out, "%*s", (int)(30 - width), "");
		else
			bawn_buf_fmt(out, "\n%30s", "");
		bawn_buf_fmt(out, "%s\n", o->help);
	}
}
