/* complexity.c - see complexity.h. */
#include "assess/complexity.h"
#include <stdlib.h>

#define LOOP_DEPTH_MAX 6u
#define HALF_WAY       2500u  /* the work at which milli is 500 */

static uint64_t weight(uint8_t kind)
{
	switch (kind) {
	case BAWN_K_IF: case BAWN_K_CASE: case BAWN_K_CONDITIONAL: case BAWN_K_BOOLEAN: case BAWN_K_TRY: return 20;
	case BAWN_K_CALL: case BAWN_K_NEW: case BAWN_K_COMMAND: return 5;
	case BAWN_K_IMPORT: case BAWN_K_IMPORT_FROM: return 20;
	case BAWN_K_BINARY: case BAWN_K_INSERT: case BAWN_K_CONCAT: return 3;
	case BAWN_K_FUNCTION: case BAWN_K_CLASS: case BAWN_K_PIPELINE: return 10;
	default: return 0;
	}
}

static bool is_loop(uint8_t kind)
{
	return kind == BAWN_K_FOR || kind == BAWN_K_WHILE || kind == BAWN_K_COMPREHENSION;
}

uint32_t bawn_count_lines(struct bawn_span text)
{
	uint32_t n = 0;
	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == '\n';
	return n + (text.n > 0 && text.p[text.n - 1] != '\n');
}

uint64_t bawn_complexity_work(const struct bawn_tree *t)
{
	uint64_t work = (uint64_t)bawn_count_lines(t->text) * 10;
	uint8_t *depth = calloc(t->n, 1);
	for (size_t i = 0; i < t->n; i++) {
		const struct bawn_node *n = &t->node[i];
		uint8_t around = depth != NULL ? depth[n->parent] : 0;
		bool loop = is_loop(n->kind);
		if (depth != NULL)
			depth[i] = (uint8_t)(around + (loop && around < LOOP_DEPTH_MAX));
		work += loop ? 40 * ((uint64_t)around + 1) : weight(n->kind);
	}
	free(depth);
	return work;
}

uint32_t bawn_complexity_milli(uint64_t work)
{
	return (uint32_t)(work * 1000 / (work + HALF_WAY));
}
