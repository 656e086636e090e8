/* help.c - `bawn --help` and `bawn COMMAND --help`, from the table. */
#include "cli/cli.h"

static void put_name(struct bawn_buf *out, const struct bawn_cli_command *cmd)
{
	if (cmd->group != NULL)
		bawn_buf_fmt(out, "%s ", cmd->group);
	bawn_buf_str(out, cmd->name);
}

static void put_row(struct bawn_buf *out, const struct bawn_cli_command *cmd)
{
	size_t start = out->n;
	bawn_buf_str(out, "  ");
	put_name(out, cmd);
	size_t width = out->n - start;
	bawn_buf_fmt(out, "%*s%s\n", (int)(width < 18 ? 18 - width : 1), "", cmd->summary);
}

void bawn_cli_help(struct bawn_buf *out)
{
	bawn_buf_str(out,
		"bawn runs code nobody has read yet: assessed before, contained during, provable after.\n"
		"\n"
		"usage: bawn COMMAND [options]\n"
		"\n"
		"commands:\n");
	for (size_t i = 0; bawn_cli_command[i] != NULL; i++)
		put_row(out, bawn_cli_command[i]);
	bawn_buf_str(out, "\nevery command takes:\n");
	bawn_opt_help(out, &bawn_cli_common_opts);
	bawn_buf_str(out,
		"\n'bawn COMMAND --help' shows the options of a command and an example.\n"
		"\nExample:\n  bawn run -c 'print(6*7)'\n");
}

static void put_lines(struct bawn_buf *out, const char *text)
{
	while (*text != '\0') {
		size_t n = strcspn(text, "\n");
		bawn_buf_str(out, n > 0 ? "  " : "");
		bawn_buf_add(out, text, n);
		bawn_buf_char(out, '\n');
		text += n;
		text += *text == '\n';
	}
}

void bawn_cli_help_command(struct bawn_buf *out, const struct bawn_cli_command *cmd)
{
	bawn_buf_str(out, "usage: bawn ");
	put_name(out, cmd);
	bawn_buf_fmt(out, "%s%s\n\n%s\n", *cmd->synopsis != '\0' ? " " : "", cmd->synopsis, cmd->about);
	if (cmd->opts.n > 0) {
		bawn_buf_str(out, "\noptions:\n");
		bawn_opt_help(out, &cmd->opts);
	}
	bawn_buf_str(out, "\nlike every command:\n");
	bawn_opt_help(out, &bawn_cli_common_opts);
	bawn_buf_str(out, "\nExample:\n");
	put_lines(out, cmd->example);
}

void bawn_cli_help_group(struct bawn_buf *out, const char *group)
{
	const struct bawn_cli_command *first = NULL;
	bawn_buf_fmt(out, "usage: bawn %s COMMAND [options]\n\ncommands:\n", group);
	for (size_t i = 0; bawn_cli_command[i] != NULL; i++)
		if (bawn_cli_command[i]->group != NULL && strcmp(bawn_cli_command[i]->group, group) == 0) {
			first = first != NULL ? first : bawn_cli_command[i];
			put_row(out, bawn_cli_command[i]);
		}
	bawn_buf_str(out, "\nlike every command:\n");
	bawn_opt_help(out, &bawn_cli_common_opts);
	bawn_buf_str(out, "\nExample:\n");
	put_lines(out, first != NULL ? first->example : "");
}
