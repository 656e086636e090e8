/* tmpdir.h - a directory that removes itself, and everything in it, when it leaves scope. */
#pragma once
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct tmpdir { int fd; char path[64]; };

static int tmpdir_unlink_(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(path);
}

static void tmpdir_done(struct tmpdir *d)
{
	if (d->fd >= 0)
		(void)close(d->fd);
	(void)nftw(d->path, tmpdir_unlink_, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

__attribute__((unused)) static struct tmpdir tmpdir_make(void)
{
	struct tmpdir d = { .fd = -1, .path = "/tmp/bawn-test-XXXXXX" };
	if (mkdtemp(d.path) == NULL) {
		perror("mkdtemp");
		exit(1);
	}
	d.fd = open(d.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return d;
}

#define auto_tmpdir __attribute__((cleanup(tmpdir_done))) struct tmpdir
