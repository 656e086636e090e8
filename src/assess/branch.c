/* branch.c - parts of a program that may run or not. */
#include "assess/branch.h"
#include "assess/reader.h"
#include "base/cleanup.h"

/* if __name__ == "__main__": what a program does is in there. */
static bool is_main_part(const struct script *s, uint32_t condition)
{
	struct bawn_span t = condition != 0 ? text_of(s, condition) : bawn_span("");
	static const char *const form[] = { "__name__=='__main__'", "__name__==\"__main__\"", "'__main__'==__name__", "\"__main__\"==__name__" };
	char plain[32];
	size_t n = 0;
	for (size_t i = 0; i < t.n && n < sizeof plain; i++)
		if (strchr(" ()", t.p[i]) == NULL)
			plain[n++] = t.p[i];
	for (size_t i = 0; i < BAWN_LEN(form); i++)
		if (bawn_span_is((struct bawn_span){ plain, n }, form[i]))
			return true;
	return false;
}

/* What may be set in passing: a && (b = c), x ? (b = c) : d */
static bool is_aside(const struct script *s, uint32_t i)
{
	uint8_t parent = node(s, node(s, i)->parent)->kind;
	return node(s, i)->kind == BAWN_K_PAREN && node(s, i)->role != BAWN_R_LEFT &&
	       (parent == BAWN_K_BINARY || parent == BAWN_K_BOOLEAN || parent == BAWN_K_CONDITIONAL);
}

bool bawn_is_branch(const struct script *s, uint32_t i)
{
	uint32_t p = node(s, i)->parent;
	const struct bawn_node *n = node(s, p);
	uint8_t kind = node(s, i)->kind;
	bool loop = (n->kind == BAWN_K_FOR || n->kind == BAWN_K_WHILE) && node(s, i)->role == BAWN_R_BODY && node(s, i)->child != 0;
	if (is_aside(s, i) || (kind == BAWN_K_CASE && !s->python))
		return true;
	if (kind != BAWN_K_BLOCK && kind != BAWN_K_STATEMENT && !loop)
		return false;
	switch (n->kind) {
	case BAWN_K_FOR: case BAWN_K_WHILE: case BAWN_K_CASE: return kind == BAWN_K_BLOCK || loop;
	case BAWN_K_IF:    return !is_main_part(s, child(s, p, BAWN_R_CONDITION));
	case BAWN_K_TRY:   return s->replay == 0 || node(s, n->parent)->kind == BAWN_K_TRY;  /* read again, a `try` is taken to work */
	case BAWN_K_CLASS: return kind == BAWN_K_BLOCK;
	case BAWN_K_ROOT: case BAWN_K_BLOCK: return kind == BAWN_K_BLOCK && !s->python;
	case BAWN_K_OTHER: return node(s, n->parent)->kind == BAWN_K_IF || node(s, n->parent)->kind == BAWN_K_FOR;  /* else */
	default:           return false;
	}
}

enum truth bawn_is_taken(const struct script *s, uint32_t i)
{
	uint32_t p = node(s, i)->parent;
	if (s->replay == 0)
		return TRUTH_UNKNOWN;
	if (node(s, p)->kind == BAWN_K_OTHER && node(s, p)->role == BAWN_R_ALTERNATIVE)  /* the block of an else */
		i = p, p = node(s, p)->parent;
	if (node(s, p)->kind != BAWN_K_IF || node(s, i)->role == BAWN_R_CONDITION || node(s, i)->kind == BAWN_K_COMMENT)
		return TRUTH_UNKNOWN;
	uint32_t c = child(s, p, BAWN_R_CONDITION);
	enum truth t = bawn_fold_truth(c != 0 ? s->val[c] : NULL);
	if (node(s, i)->role != BAWN_R_ALTERNATIVE)
		return t;
	for (uint32_t k = node(s, p)->child; k != i && t == TRUTH_NO; k = node(s, k)->next)
		if (node(s, k)->kind == BAWN_K_IF && node(s, k)->role == BAWN_R_ALTERNATIVE) {  /* elif */
			c = child(s, k, BAWN_R_CONDITION);
			t = bawn_fold_truth(c != 0 ? s->val[c] : NULL);
		}
	return t == TRUTH_UNKNOWN ? t : t == TRUTH_YES ? TRUTH_NO : TRUTH_YES;
}
