#include "mcp/place.h"
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include "base/cleanup.h"

#define PREFIX "bawn-mcp-"
#define NAME   PREFIX "XXXXXX"

static const char *temporary(void)
{
	const char *base = getenv("TMPDIR");
	return base != NULL && base[0] == '/' && strlen(base) <= BAWN_MCP_TEMPORARY_MAX ? base : "/tmp";
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	(void)remove(path);
	return 0;
}

void bawn_mcp_remove_tree(const char *path)
{
	(void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);  /* what cannot go stays, in a directory of our own */
}

/* The lock of a directory of ours that still stands at this path, or -1. */
static int lock_own(const char *path)
{
	struct stat by_fd, by_path;
	bawn_auto_fd fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0 || fstat(fd, &by_fd) < 0 || by_fd.st_uid != geteuid())
		return -1;
	/* Somebody may have had it before us, and removed it. */
	if (lstat(path, &by_path) < 0 || by_path.st_dev != by_fd.st_dev || by_path.st_ino != by_fd.st_ino)
		return -1;
	return bawn_take_fd(&fd);
}

int bawn_mcp_place_make(struct bawn_mcp_place *p, struct bawn_err *err)
{
	char name[sizeof p->dir];
	if (p->dir[0] != '\0')
		return 0;
	/* A server that starts at this moment may sweep what was made and not locked yet: then another one is made. */
	for (int tries = 0; tries < 16; tries++) {
		snprintf(name, sizeof name, "%s/" NAME, temporary());
		if (mkdtemp(name) == NULL)
			return bawn_fail(err, -errno, "make a directory for files below '%s'", temporary());
		p->lock = lock_own(name);
		if (p->lock >= 0) {
			memcpy(p->dir, name, sizeof name);
			return 0;
		}
	}
	return bawn_fail(err, -EBUSY, "lock a directory for files below '%s'", temporary());
}

void bawn_mcp_place_done(struct bawn_mcp_place *p)
{
	if (p->dir[0] != '\0')
		bawn_mcp_remove_tree(p->dir);
	bawn_close_fdp(&p->lock);
	*p = BAWN_MCP_PLACE;
}

void bawn_mcp_place_sweep(void)
{
	DIR *dir = opendir(temporary());
	for (const struct dirent *d; dir != NULL && (d = readdir(dir)) != NULL;) {
		char path[BAWN_MCP_TEMPORARY_MAX + 32];
		if (strncmp(d->d_name, PREFIX, strlen(PREFIX)) != 0 || strlen(d->d_name) != strlen(NAME))
			continue;
		snprintf(path, sizeof path, "%s/%.24s", temporary(), d->d_name);
		bawn_auto_fd lock = lock_own(path);
		if (lock >= 0)
			bawn_mcp_remove_tree(path);
	}
	if (dir != NULL)
		(void)closedir(dir);
}
