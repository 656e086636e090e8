/* test_file.c - a file is the old one or the new one, a ceiling holds, a sealed copy stays as it is. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "fault.h"
#include "tap.h"
#include "tmpdir.h"

static bool holds(int dirfd, const char *path, const char *want)
{
	bawn_auto_buf b = BAWN_BUF(1 << 20);
	return bawn_read_file(dirfd, path, &b, NULL) == 0 && b.n == strlen(want) && memcmp(b.p, want, b.n) == 0;
}

static int entries(int dirfd)
{
	int n = 0;
	bawn_auto_dir d = fdopendir(openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL; )
		n += e->d_name[0] != '.';
	return n;
}

static int put(int dirfd, const char *path, const char *text, struct bawn_err *err)
{
	return bawn_replace_file(dirfd, path, bawn_span(text), 0600, err);
}

static void replacing(void)
{
	auto_tmpdir t = tmpdir_make();
	struct bawn_err err = { 0 };
	struct stat st;
	ok(put(t.fd, "a", "one", &err) == 0 && holds(t.fd, "a", "one"), "a file is made");
	ok(fstatat(t.fd, "a", &st, 0) == 0 && (st.st_mode & 0777) == 0600, "with the mode asked for");
	ok(put(t.fd, "a", "two, longer", &err) == 0 && holds(t.fd, "a", "two, longer"), "and replaced");
	ok(put(t.fd, "a", "", &err) == 0 && holds(t.fd, "a", ""), "also by nothing");
	ok(entries(t.fd) == 1, "no temporary file is left");

	ok(put(t.fd, "missing/a", "x", &err) == -ENOENT && strstr(err.msg, "missing/a") != NULL,
	   "a missing directory is an error that names the path");
	ok(mkdirat(t.fd, "dir", 0700) == 0 && put(t.fd, "dir", "x", &err) == -EISDIR && entries(t.fd) == 2,
	   "a directory is not replaced, and nothing is left behind");
	ok(put(t.fd, "dir/b", "deep", &err) == 0 && holds(t.fd, "dir/b", "deep"), "a path with a directory");

	char absolute[128];
	snprintf(absolute, sizeof absolute, "%s/c", t.path);
	ok(put(AT_FDCWD, absolute, "abs", &err) == 0 && holds(t.fd, "c", "abs"), "an absolute path");
}

static void planted_link(void)
{
	auto_tmpdir t = tmpdir_make();
	struct stat st;
	bool made = put(t.fd, "victim", "precious", NULL) == 0 && symlinkat("victim", t.fd, "state") == 0;
	ok(made && put(t.fd, "state", "new", NULL) == 0 && holds(t.fd, "victim", "precious") &&
	   fstatat(t.fd, "state", &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) && holds(t.fd, "state", "new"),
	   "a planted symbolic link is replaced, what it points to is not touched");
}

static void no_room(void)
{
	auto_tmpdir t = tmpdir_make();
	struct bawn_err err = { 0 };
	struct rlimit was, none;
	bool made = put(t.fd, "a", "old", NULL) == 0;
	/* A process that outgrows this limit is signalled; programs of ours ignore that and see EFBIG. */
	void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
	(void)getrlimit(RLIMIT_FSIZE, &was);
	none = (struct rlimit){ 0, was.rlim_max };
	(void)setrlimit(RLIMIT_FSIZE, &none);
	int r = put(t.fd, "a", "new", &err);
	(void)setrlimit(RLIMIT_FSIZE, &was);
	(void)signal(SIGXFSZ, handler);
	ok(made && r == -EFBIG && err.code == r && holds(t.fd, "a", "old") && entries(t.fd) == 1,
	   "a write that fails leaves the old file and nothing else");
}

/* The writer is killed at any moment, again and again: a reader never sees a mixture. */
static void killed_writer(void)
{
	enum { ROUNDS = 60, SIZE = 200000 };
	auto_tmpdir t = tmpdir_make();
	bawn_auto_free char *bytes = malloc(SIZE + 1);
	bool whole = true, changed = false;
	memset(bytes, 'a', SIZE);
	bytes[SIZE] = '\0';
	whole &= put(t.fd, "f", bytes, NULL) == 0;
	char last = 'a';
	for (int round = 0; round < ROUNDS || (!changed && round < 20 * ROUNDS); round++) {  /* slow machines: longer */
		pid_t pid = fork();
		if (pid == 0)
			for (char c = 'a'; ; c = c == 'z' ? 'a' : (char)(c + 1)) {
				memset(bytes, c, SIZE);
				if (put(t.fd, "f", bytes, NULL) < 0)
					_exit(1);
			}
		(void)nanosleep(&(struct timespec){ .tv_nsec = 200000 + round * 137000 }, NULL);
		(void)kill(pid, SIGKILL);
		(void)waitpid(pid, NULL, 0);
		bawn_auto_buf b = BAWN_BUF(SIZE);
		whole &= bawn_read_file(t.fd, "f", &b, NULL) == 0 && b.n == SIZE &&
		         memcmp(b.p, b.p + 1, SIZE - 1) == 0;
		changed |= b.n > 0 && b.p[0] != last;
		last = b.n > 0 ? b.p[0] : last;
	}
	ok(whole && changed, "after kill -9 at %d moments the file is one of the versions, whole", ROUNDS);
}

static void reading(void)
{
	auto_tmpdir t = tmpdir_make();
	bool made = put(t.fd, "ten", "0123456789", NULL) == 0;
	static const struct { const char *name, *path; size_t max, before; int want; } row[] = {
		{ "a file exactly as large as the ceiling",   "ten",     10, 0, 0 },
		{ "one byte more than the ceiling",           "ten",     9,  0, -EFBIG },
		{ "what is in the buffer counts",             "ten",     12, 3, -EFBIG },
		{ "reading appends",                          "ten",     13, 3, 0 },
		{ "a missing file",                           "nothing", 10, 0, -ENOENT },
		{ "a directory",                              ".",       10, 0, -EISDIR },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		struct bawn_err err = { 0 };
		bawn_auto_buf b = BAWN_BUF(row[i].max);
		bawn_buf_add(&b, "abc", row[i].before);
		int r = bawn_read_file(t.fd, row[i].path, &b, &err);
		ok(made && r == row[i].want && (r == 0 ? b.n == row[i].before + 10 : strstr(err.msg, row[i].path) != NULL),
		   "%s", row[i].name);
	}
	bawn_auto_buf empty = BAWN_BUF(0);
	ok(bawn_read_file(AT_FDCWD, "/dev/null", &empty, NULL) == 0 && empty.n == 0 && empty.p != NULL && empty.p[0] == '\0',
	   "an empty file is an empty string, not NULL");
	bawn_auto_buf endless = BAWN_BUF(100000);
	ok(bawn_read_file(AT_FDCWD, "/dev/zero", &endless, NULL) == -EFBIG, "an endless file stops at the ceiling");

	int pipefd[2];
	bawn_auto_buf b = BAWN_BUF(100);
	bool piped = pipe2(pipefd, O_CLOEXEC) == 0 && write(pipefd[1], "abc", 3) == 3 && close(pipefd[1]) == 0;
	ok(piped && bawn_read_fd(pipefd[0], "pipe", &b, NULL) == 0 && strcmp(b.p, "abc") == 0, "a pipe is read to its end");
	(void)close(pipefd[0]);
	ok(bawn_read_fd(-1, "none", &b, NULL) == -EBADF, "a closed descriptor is an error");
}

static void writing(void)
{
	int pipefd[2];
	void (*handler)(int) = signal(SIGPIPE, SIG_IGN);
	bool piped = pipe2(pipefd, O_CLOEXEC) == 0 && close(pipefd[0]) == 0;
	ok(piped && bawn_write_all(pipefd[1], "x", 1, NULL) == -EPIPE, "a reader that left is an error");
	(void)signal(SIGPIPE, handler);
	(void)close(pipefd[1]);
	bawn_auto_fd full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct bawn_err err = { 0 };
	ok(bawn_write_all(full, "x", 1, &err) == -ENOSPC && err.type == BAWN_ERROR_DISK_FULL, "a full disk is told apart");
	ok(bawn_write_all(full, "", 0, NULL) == 0, "writing nothing always works");
}

static void directories(void)
{
	auto_tmpdir t = tmpdir_make();
	bool made = put(t.fd, "file", "x", NULL) == 0 && symlinkat("a", t.fd, "link") == 0;
	static const struct { const char *name, *path; int want; } row[] = {
		{ "several levels",                     "/a/b/c",   0 },
		{ "all of them there already",          "/a/b/c",   0 },
		{ "doubled and final slashes",          "/d//e/",   0 },
		{ "a link to a directory",              "/link/x",  0 },
		{ "a file in the way",                  "/file",    -ENOTDIR },
		{ "a file in the middle of the way",    "/file/x",  -ENOTDIR },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		char path[128];
		struct stat st;
		snprintf(path, sizeof path, "%s%s", t.path, row[i].path);
		int r = bawn_make_dirs(path, 0700, NULL);
		ok(made && r == row[i].want && (r < 0 || (stat(path, &st) == 0 && (st.st_mode & 07777) == 0700)),
		   "make directories: %s", row[i].name);
	}
	ok(bawn_make_dirs("", 0700, NULL) == -EINVAL, "a directory without a name");
	ok(bawn_make_dirs("/", 0700, NULL) == 0, "the root is there already");
}

static void sealed(void)
{
	bawn_auto_fd fd = -1;
	struct bawn_err err = { 0 };
	ok(bawn_sealed_copy("code", bawn_span("print(1)"), &fd, &err) == 0 && fd >= 0, "a sealed copy is made");
	ok((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0, "it does not leak into programs");
	ok(pwrite(fd, "X", 1, 0) < 0 && errno == EPERM, "it cannot be written");
	ok(ftruncate(fd, 0) < 0 && errno == EPERM, "nor shortened");
	ok(ftruncate(fd, 100) < 0 && errno == EPERM, "nor made longer");
	ok(fcntl(fd, F_ADD_SEALS, 0) < 0 && errno == EPERM, "the seals are final");
	void *map = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ok(map == MAP_FAILED && errno == EPERM, "nor mapped for writing");
	char path[64];
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	bawn_auto_fd again = open(path, O_RDWR | O_CLOEXEC);
	ok(again < 0 || pwrite(again, "X", 1, 0) < 0, "nor through another descriptor");
	bawn_auto_buf b = BAWN_BUF(100);
	ok(bawn_read_fd(fd, "copy", &b, NULL) == 0 && strcmp(b.p, "print(1)") == 0, "it reads from the start, unchanged");
	bawn_auto_fd none = -1;
	ok(bawn_sealed_copy("empty", bawn_span(""), &none, NULL) == 0 && none >= 0, "an empty copy");

	int untouched = -7;
	struct rlimit was, low;
	(void)getrlimit(RLIMIT_NOFILE, &was);
	low = (struct rlimit){ 3, was.rlim_max };
	(void)setrlimit(RLIMIT_NOFILE, &low);
	int r = bawn_sealed_copy("x", bawn_span("x"), &untouched, &err);
	(void)setrlimit(RLIMIT_NOFILE, &was);
	ok(r == -EMFILE && untouched == -7, "without a descriptor to spare it fails, the output untouched");
}

static void no_memory(void)
{
	auto_tmpdir t = tmpdir_make();
	bool clean = put(t.fd, "d", "old", NULL) == 0;
	char path[128];
	snprintf(path, sizeof path, "%s/x/y", t.path);
	for (fault_arm(1); fault_more(); ) {
		struct bawn_err err = { 0 };
		bawn_auto_buf b = BAWN_BUF(1000);
		int r = bawn_read_file(t.fd, "d", &b, &err);
		if (r == 0)
			r = put(t.fd, "./d", "new", &err);
		if (r == 0)
			r = bawn_make_dirs(path, 0700, &err);
		clean &= r == 0 || (r == -ENOMEM && err.type == BAWN_ERROR_OUT_OF_MEMORY);
	}
	ok(clean && holds(t.fd, "d", "new") && entries(t.fd) == 2, "each allocation may fail: out of memory, nothing left behind");
}

static atomic_bool stop;

/* How often a descriptor of ours was closed by somebody else. */
static void *guard(void *arg)
{
	(void)arg;
	intptr_t lost = 0;
	while (!atomic_load(&stop)) {
		int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
		lost += fcntl(fd, F_GETFD) < 0;
		lost += close(fd) < 0;
	}
	return (void *)lost;
}

static void one_close(void)
{
	auto_tmpdir t = tmpdir_make();
	pthread_t thread[2];
	void *lost[2] = { NULL, NULL };
	bool good = pthread_create(&thread[0], NULL, guard, NULL) == 0 && pthread_create(&thread[1], NULL, guard, NULL) == 0;
	for (int i = 0; good && i < 3000; i++)
		good = put(t.fd, "f", "x", NULL) == 0;
	atomic_store(&stop, true);
	for (int i = 0; i < 2; i++)
		(void)pthread_join(thread[i], &lost[i]);
	ok(good && lost[0] == NULL && lost[1] == NULL, "no descriptor is closed twice: other threads keep theirs");
	bawn_auto_fd fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	bawn_close_fdp(&fd);
	ok(fd == -1, "and what is closed is forgotten");
}

int main(void)
{
	(void)umask(022);
	replacing();
	planted_link();
	no_room();
	killed_writer();
	reading();
	writing();
	directories();
	sealed();
	no_memory();
	one_close();
	return done_testing();
}
