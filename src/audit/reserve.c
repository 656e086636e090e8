#include "audit/reserve.h"
#include <fcntl.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/file.h"

#define NAME "reserve"

int bawn_reserve_make(int dirfd, uint64_t bytes)
{
	struct stat st;
	/* A file of holes, as a copy may be, holds no room: its blocks are counted, not its length. */
	if (fstatat(dirfd, NAME, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size >= bytes &&
	    (uint64_t)st.st_blocks * 512 >= bytes)
		return 0;
	if (!bawn_fits_rlimit(bytes))
		return -EOPNOTSUPP;
	bawn_auto_fd fd = openat(dirfd, NAME, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (fd < 0)
		return errno == ENOSPC || errno == EDQUOT ? -ENOSPC : -EOPNOTSUPP;
	int code = posix_fallocate(fd, 0, (off_t)bytes);
	if (code == 0)
		return 0;
	(void)unlinkat(dirfd, NAME, 0);  /* half of it would only be in the way */
	return code == ENOSPC || code == EDQUOT ? -ENOSPC : -EOPNOTSUPP;
}

int bawn_reserve_release(int dirfd) { return unlinkat(dirfd, NAME, 0) < 0 ? -errno : 0; }
