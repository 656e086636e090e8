/* span.h - bytes that belong to somebody else; never NUL-terminated by promise. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct bawn_span { const char *p; size_t n; };

static inline struct bawn_span bawn_span(const char *text)
{
	return (struct bawn_span){ text, text != NULL ? strlen(text) : 0 };
}
static inline bool bawn_span_is(struct bawn_span s, const char *text)
{
	return s.n == strlen(text) && (s.n == 0 || memcmp(s.p, text, s.n) == 0);
}
static inline bool bawn_span_equal(struct bawn_span a, struct bawn_span b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}
static inline bool bawn_span_starts(struct bawn_span s, const char *prefix)
{
	size_t n = strlen(prefix);
	return s.n >= n && memcmp(s.p, prefix, n) == 0;
}
/* Takes what stands before the next `end`, which goes with it; false, and nothing taken, where there is none. */
static inline bool bawn_span_take(struct bawn_span *rest, char end, struct bawn_span *out)
{
	const char *at = rest->n > 0 ? memchr(rest->p, end, rest->n) : NULL;
	if (at == NULL)
		return false;
	*out = (struct bawn_span){ rest->p, (size_t)(at - rest->p) };
	rest->n -= out->n + 1;
	rest->p = at + 1;
	return true;
}
