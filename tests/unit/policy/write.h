/* write.h - small files for tests. */
#pragma once
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((unused)) static void put_bytes(int dirfd, const char *name, const void *p, size_t n)
{
	int fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, p, n) != (ssize_t)n) {
		perror(name);
		exit(1);
	}
	(void)close(fd);
}

__attribute__((unused)) static void put_file(int dirfd, const char *name, const char *text)
{
	put_bytes(dirfd, name, text, strlen(text));
}
