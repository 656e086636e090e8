/* yaml.c - any bytes: a tree that keeps its promises, or problems with positions. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/utf8.h"
#include "parse/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t check(const struct bawn_yaml_node *n, unsigned depth)
{
	size_t count = 1, children = 0;
	assert(depth <= BAWN_YAML_DEPTH_MAX && n->line >= 1 && n->column >= 1 && n->kind < BAWN_YAML_KIND_COUNT);
	assert(strlen(n->text.p) == n->text.n && bawn_utf8_bad(n->text) == n->text.n);
	assert(n->kind == BAWN_YAML_SCALAR ? n->first == NULL : n->text.n == 0);
	for (const struct bawn_yaml_node *c = n->first; c != NULL; c = c->next) {
		assert((c->key != NULL) == (n->kind == BAWN_YAML_MAPPING));
		if (c->key != NULL) {
			assert(c->key->text.n > 0 && bawn_yaml_get(n, c->key->text.p) == c);
			count++;
		}
		count += check(c, depth + 1);
		children++;
	}
	assert(children == n->n);
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bawn_yaml *y = NULL;
	struct bawn_err err = { 0 };
	bawn_auto_buf problems = BAWN_BUF(BAWN_YAML_PROBLEMS_MAX);
	int r = bawn_yaml_parse("f", (struct bawn_span){ (const char *)data, size }, &y, &problems, &err);
	if (r < 0) {
		assert(y == NULL && err.type == BAWN_ERROR_CONFIG_INVALID && err.code < 0);
		assert(strncmp(err.msg, "f:", 2) == 0 && problems.n > 0 && strncmp(problems.p, "f:", 2) == 0);
		return 0;
	}
	assert(problems.n == 0 && check(bawn_yaml_root(y), 0) <= BAWN_YAML_NODES_MAX);
	bawn_yaml_free(y);
	return 0;
}
