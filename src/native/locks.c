#include "native/locks.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/file.h"

#define TEXT_MAX (512u << 10)  /* the kernel walks its list anew for every read: more would take seconds */
#define PIDS_MAX 4096

static size_t read_pids(const struct bawn_cgroups *cg, pid_t out[static PIDS_MAX])
{
	bawn_auto_buf text = BAWN_BUF(1u << 20);
	size_t n = 0;
	int at = cg->of[BAWN_CTL_PIDS];
	if (at < 0 || bawn_read_file(cg->at[at].fd, "cgroup.procs", &text, NULL) < 0)
		return 0;
	for (char *p = text.p, *end; n < PIDS_MAX && *p != '\0'; p = end + (*end == '\n')) {
		out[n] = (pid_t)strtol(p, &end, 10);
		if (end == p)
			break;
		n++;
	}
	return n;
}

static bool among(pid_t pid, const pid_t *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == pid)
			return true;
	return false;
}

/* "lock:\t1: POSIX  ADVISORY  WRITE 4711 00:2a:77 0 EOF": the locks of one process on one open file.  *out_file: which
 * one that is, the same for each descriptor of it. */
static uint64_t posix_locks(const char *path, char out_file[static 40])
{
	bawn_auto_buf text = BAWN_BUF(TEXT_MAX);
	uint64_t n = 0;
	(void)!bawn_read_file(AT_FDCWD, path, &text, NULL);  /* more than fits is a lot */
	for (const char *at = text.n > 0 ? text.p : ""; (at = strstr(at, "\nlock:\t")) != NULL; at++)
		n += sscanf(at, "\nlock:\t%*d: POSIX %*s %*s %*d %39s", out_file) == 1;
	return n;
}

/* By what each process has open.  Locks of flock(2) are not counted: there is at most one for each open file. */
static uint64_t count_of(pid_t pid)
{
	char dir[32];
	snprintf(dir, sizeof dir, "/proc/%d/fdinfo", pid);
	bawn_auto_dir d = opendir(dir);
	bawn_auto_buf seen = BAWN_BUF(1u << 20);
	uint64_t n = 0;
	for (const struct dirent *e; d != NULL && n <= BAWN_LOCKS_MAX && (e = readdir(d)) != NULL; ) {
		char path[300], file[40], word[44];
		snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
		uint64_t here = e->d_name[0] != '.' ? posix_locks(path, file) : 0;
		if (here == 0)
			continue;
		snprintf(word, sizeof word, " %s ", file);
		if (seen.n == 0 || strstr(seen.p, word) == NULL)
			n += here;
		bawn_buf_str(&seen, word);
	}
	return n;
}

/* "12: POSIX  ADVISORY  WRITE 4711 00:2a:77 0 EOF"; waiting ones have "->" behind the number. */
uint64_t bawn_locks_held(const struct bawn_cgroups *cg)
{
	bawn_auto_buf text = BAWN_BUF(TEXT_MAX);
	uint64_t lines = 0, held = 0;
	const bool all = bawn_read_file(AT_FDCWD, "/proc/locks", &text, NULL) == 0;
	for (size_t i = 0; i < text.n; i++)
		lines += text.p[i] == '\n';
	if (lines <= BAWN_LOCKS_MAX)
		return 0;
	bawn_auto_free pid_t *pid = calloc(PIDS_MAX, sizeof *pid);
	size_t n = pid != NULL ? read_pids(cg, pid) : 0;
	/* Behind more than fits, of whosever they are, nothing must hide. */
	for (size_t i = 0; !all && i < n && held <= BAWN_LOCKS_MAX; i++)
		held += count_of(pid[i]);
	if (!all)
		return held;
	for (char *save = NULL, *line = strtok_r(text.p, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
		int owner;
		if (sscanf(line, "%*d: %*s %*s %*s %d", &owner) == 1)
			held += among(owner, pid, n);
	}
	return held;
}
