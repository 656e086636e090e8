#include "native/locks.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
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

/* "12: POSIX  ADVISORY  WRITE 4711 00:2a:77 0 EOF"; waiting ones have "->" behind the number. */
uint64_t bawn_locks_held(const struct bawn_cgroups *cg)
{
	bawn_auto_buf text = BAWN_BUF(TEXT_MAX);
	uint64_t lines = 0, held = 0;
	/* More than fits is a lot: what was read counts. */
	(void)!bawn_read_file(AT_FDCWD, "/proc/locks", &text, NULL);
	for (size_t i = 0; i < text.n; i++)
		lines += text.p[i] == '\n';
	if (lines <= BAWN_LOCKS_MAX)
		return 0;
	bawn_auto_free pid_t *pid = calloc(PIDS_MAX, sizeof *pid);
	size_t n = pid != NULL ? read_pids(cg, pid) : 0;
	for (char *save = NULL, *line = strtok_r(text.p, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
		int owner;
		if (sscanf(line, "%*d: %*s %*s %*s %d", &owner) == 1)
			held += among(owner, pid, n);
	}
	return held;
}
