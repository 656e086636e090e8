/* replay.c - runs a fuzz target over its corpus (directory CORPUS) as an ordinary TAP test, so that a
 * finding once fixed stays fixed in every build, without clang and without fuzzing. */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "tap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(void)
{
	struct dirent **entry = NULL;
	int n = scandir(CORPUS, &entry, NULL, alphasort), files = 0;
	bawn_auto_fd dir = open(CORPUS, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; i < n; i++) {
		bawn_auto_free struct dirent *e = entry[i];
		bawn_auto_buf b = BAWN_BUF(1 << 24);
		if (e->d_name[0] == '.')
			continue;
		files++;
		if (!ok(bawn_read_file(dir, e->d_name, &b, NULL) == 0, "%s is read", e->d_name))
			continue;
		/* Exactly its bytes, so that ASan sees a read past the end. */
		bawn_auto_free uint8_t *exact = malloc(b.n > 0 ? b.n : 1);
		if (exact == NULL)
			return 1;
		memcpy(exact, b.p, b.n);
		ok(LLVMFuzzerTestOneInput(exact, b.n) == 0, "%s passes", e->d_name);
	}
	free(entry);
	ok(files > 0, "the corpus has files");
	return done_testing();
}
