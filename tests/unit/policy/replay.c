/* replay.c - the corpus of a fuzz target, file by file, in the ordinary tests. */
#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "tap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(void)
{
	size_t n = 0;
	bawn_auto_dir dir = opendir(CORPUS);
	for (const struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL; ) {
		bawn_auto_buf bytes = BAWN_BUF(16u << 20);
		if (e->d_name[0] == '.' || bawn_read_file(dirfd(dir), e->d_name, &bytes, NULL) < 0)
			continue;
		(void)LLVMFuzzerTestOneInput((const uint8_t *)bytes.p, bytes.n);
		n++;
	}
	ok(n > 0, "%zu files of %s", n, CORPUS_NAME);
	return done_testing();
}
