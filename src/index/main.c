/* main.c - libexec/bawn/index: a database of what entries of the log can be asked for, and where they stand.
 *
 *	bawn ---- socket (fd 0) ----> index ---- log-1.sqlite, in the directory it was started in
 *
 * It never sees the log.  What it answers is looked up and hashed again by whoever asked (audit/find.c).
 *
 * Invariant: the database is opened, then everything else is given up, then it is read (SQLite has taken the size of its
 * pages from the header by then).  The rest is serve.c. */
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "audit/index_wire.h"
#include "base/confine.h"
#include "index/serve.h"

static const unsigned short needed[] = {
	SYS_read, SYS_write, SYS_recvfrom, SYS_sendto, SYS_pread64, SYS_pwrite64, SYS_lseek, SYS_fstat, SYS_newfstatat, SYS_fcntl, SYS_ftruncate, SYS_fsync, SYS_fdatasync,
	SYS_close, SYS_mmap, SYS_munmap, SYS_mremap, SYS_madvise, SYS_brk, SYS_getpid, SYS_clock_gettime, SYS_futex, SYS_rt_sigreturn, SYS_exit_group,
};

/* Everything else fails: no file can be opened or removed, no program started, nobody signalled. */
static bool give_up(bool writes)
{
	static const struct bawn_most row[] = {
		{ RLIMIT_CORE, 0 }, { RLIMIT_NPROC, 0 }, { RLIMIT_CPU, 300 },
#if !defined(__SANITIZE_ADDRESS__)
		{ RLIMIT_AS, 1u << 30 },
#endif
	}, nothing = { RLIMIT_FSIZE, 0 };
	return bawn_limit_self(row, sizeof row / sizeof *row) && (writes || bawn_limit_self(&nothing, 1)) &&
	       bawn_confine_self(needed, sizeof needed / sizeof *needed);
}

int main(int argc, char **argv)
{
	const bool writes = argc == 2 && strcmp(argv[1], "build") == 0;
	sqlite3 *db = NULL;
	if (argc != 2 || (!writes && strcmp(argv[1], "find") != 0))
		return 2;  /* not for people: libbawn starts it */
	(void)umask(077);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Nobody else writes while this one reads or writes (the lock in that directory): no locks, and no journal that outlives it. */
	const char *name = writes ? "file:" BAWN_INDEX_FILE "?vfs=unix-none" : "file:" BAWN_INDEX_FILE "?immutable=1";
	if (sqlite3_open_v2(name, &db, SQLITE_OPEN_URI | SQLITE_OPEN_NOFOLLOW | (writes ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY), NULL) != SQLITE_OK)
		return 1;
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	return !give_up(writes) ? 1 : writes ? bawn_index_build(db, STDIN_FILENO) : bawn_index_find(db, STDIN_FILENO);
}
