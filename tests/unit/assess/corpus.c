/* corpus.c - every file the fuzzers start from, or ever choked on, gets an answer. */
#include <dirent.h>
#include <fcntl.h>
#include "assess/assess.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "tap.h"

int main(void)
{
	for (int language = 0; language < BAWN_LANG_COUNT; language++) {
		char path[1024];
		snprintf(path, sizeof path, "%s/tests/fuzz/assess/corpus/%s", SOURCE_ROOT, bawn_language[language].name);
		bawn_auto_dir dir = opendir(path);
		int n = 0;
		for (struct dirent *d = dir != NULL ? readdir(dir) : NULL; d != NULL; d = readdir(dir)) {
			bawn_auto_buf text = BAWN_BUF(4u << 20);
			struct bawn_err err = { 0 };
			struct bawn_assessment *a = NULL;
			if (d->d_name[0] == '.' || bawn_read_file(dirfd(dir), d->d_name, &text, &err) < 0)
				continue;
			struct bawn_assess_file f = { .language = language, .bytes = bawn_buf_span(&text) };
			int r = bawn_assess(&f, 1, NULL, &a, &err);
			ok(r == 0, "%s/%s", bawn_language[language].name, d->d_name);
			bawn_assessment_free(a);
			n++;
		}
		ok(n > 0, "there is a corpus for %s", bawn_language[language].name);
	}
	return done_testing();
}
