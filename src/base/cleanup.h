/* cleanup.h - resources that release themselves; bawn_take_fd and bawn_steal hand one on. */
#pragma once
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Closes it once: a second time it might be another thread's. */
static inline void bawn_close_fdp(int *fd)
{
	int saved = errno;         /* cleaning up must not disturb the error being returned */
	if (*fd >= 0)
		(void)close(*fd);  /* never retried: on Linux the fd is gone even after EINTR */
	*fd = -1;
	errno = saved;
}
static inline void bawn_freep(void *p) { free(*(void **)p); }
static inline void bawn_closedirp(DIR **d) { if (*d != NULL) (void)closedir(*d); }
static inline void bawn_fclosep(FILE **f) { if (*f != NULL) (void)fclose(*f); }
static inline int bawn_take_fd(int *fd) { int kept = *fd; *fd = -1; return kept; }

#define bawn_auto_fd   __attribute__((cleanup(bawn_close_fdp))) int
#define bawn_auto_free __attribute__((cleanup(bawn_freep)))
#define bawn_auto_dir  __attribute__((cleanup(bawn_closedirp))) DIR *
#define bawn_auto_file __attribute__((cleanup(bawn_fclosep))) FILE *
#define bawn_steal(p)  ({ __typeof__(p) kept_ = (p); (p) = NULL; kept_; })

#define BAWN_LEN(a) (sizeof(a) / sizeof *(a))
