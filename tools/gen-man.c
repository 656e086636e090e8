/* gen-man.c - prints bawn(1) or a shell completion from the command table, at build time. */
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "cli/cli.h"

static const struct { const char *name; void (*put)(struct bawn_buf *out); } what[] = {
	{ "man", bawn_cli_manual },
	{ "bash", bawn_cli_bash_completion },
	{ "zsh", bawn_cli_zsh_completion },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < BAWN_LEN(what); i++) {
		if (strcmp(argv[1], what[i].name) != 0)
			continue;
		bawn_auto_buf out = BAWN_BUF(4u << 20);
		what[i].put(&out);
		return bawn_buf_error(&out) < 0 || bawn_write_all(STDOUT_FILENO, out.p, out.n, NULL) < 0;
	}
	fputs("usage: gen-man man|bash|zsh\n", stderr);
	return 2;
}
