/* run.c - what a program sees, and what comes back: through the backend table. */
#include "harness.h"

int main(void)
{
	auto_got g = run(&(struct job){ .code = "print(6*7)" });
	ok(out_is(&g, "42\n") && g.end.outcome.end == BAWN_END_EXIT && g.end.outcome.exit_code == 0, "a program's output and exit code come back");
	for (int i = 0; i < BAWN_LAYER_COUNT; i++)
		diag("%s %s", bawn_word(&bawn_layer_words, i), g.walls.layers & 1u << i ? "yes" : "NO");
	return done_testing();
}
