/* cmd_image.c - bawn image pull: has the container engine fetch an image. */
#include "cli/bar.h"
#include "cli/commands.h"
#include "core/api.h"

static int run_pull(struct bawn_cli *c, const void *opts, int n, char **word)
{
	struct bawn_err err = { 0 };
	struct bawn_options o = bawn_cli_options(c);
	struct bawn_cli_bar bar = bawn_cli_bar_begin(c, "bytes");
	char name[256];
	(void)opts;
	int r = bawn_pull_image(&o, n > 0 ? word[0] : NULL, bawn_cli_bar_tick, &bar, name, &err);
	bawn_cli_bar_clear(&bar);
	if (r < 0)
		return bawn_cli_fail(c, &err);
	if (c->common.json) {
		bawn_auto_json doc = json_pack("{s:s}", "image", name);
		return bawn_cli_print_json(doc, BAWN_EXIT_OK);
	}
	bawn_cli_say("the engine has '%s'", name);
	return BAWN_EXIT_OK;
}

const struct bawn_cli_command bawn_cmd_image_pull = {
	.group = "image", .name = "pull", .synopsis = "[NAME]",
	.summary = "have the container engine fetch an image",
	.about = "The engine fetches NAME, or the 'image' of sandbox.yaml, from where it fetches images; a bar shows how far\n"
	         "it is.  Without a tag or digest that is NAME:latest.  'bawn run --backend docker' never fetches anything: it\n"
	         "takes the image that is there, by its id, and says so where there is none.",
	.example = "bawn image pull python:3.11-slim",
	.least = 0, .most = 1, .run = run_pull,
};
