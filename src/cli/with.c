/* with.c - packages for the code: as named, and as files name them.
 *
 * A file is read because somebody said so with --with-file; one that only lies among the inputs is data.  What counts of
 * it is core's to say (core/packages.h). */
#include "cli/cli.h"
#include <fcntl.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "core/packages.h"

#define FILE_BYTES (1u << 20)

static int add_file(struct bawn_strings *w, const char *file, struct bawn_err *err)
{
	bawn_auto_buf text = BAWN_BUF(FILE_BYTES);
	size_t n = strlen(file);
	int r = bawn_read_file(AT_FDCWD, file, &text, err);
	if (r < 0)
		return bawn_fail_as(err, BAWN_ERROR_INPUT_INVALID, "packages", "--with-file %s: %s", file, strerrordesc_np(-r));
	return bawn_packages_read(bawn_buf_span(&text), n > 5 && strcmp(file + n - 5, ".json") == 0, file, w, err);
}

int bawn_cli_with(struct bawn_strings *w, const struct bawn_opt_list *name, const struct bawn_opt_list *file, struct bawn_err *err)
{
	int r = 0;
	for (size_t i = 0; r == 0 && i < name->n; i++)
		r = bawn_strings_add(w, "%s", name->item[i]) < 0 ? bawn_fail(err, -ENOMEM, "--with") : 0;
	for (size_t i = 0; r == 0 && i < file->n; i++)
		r = add_file(w, file->item[i], err);
	return r;
}
