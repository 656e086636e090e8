/* rootless.c - the same rows as run.t and limits.t, as a user without any privilege. */
#include <grp.h>
#include <libgen.h>
#include "harness.h"
#include <sys/wait.h>
#include "tmpdir.h"

/* The tree may lie where nobody cannot look: what runs is copied to a place of its own. */
static int copy(const char *dir, const char *name, const struct tmpdir *to)
{
	char from[4300];
	snprintf(from, sizeof from, "%s/%s", dir, name);
	bawn_auto_buf bytes = BAWN_BUF(256u << 20);
	int r = bawn_read_file(AT_FDCWD, from, &bytes, NULL);
	return r < 0 ? r : bawn_replace_file(to->fd, name, bawn_buf_span(&bytes), 0755, NULL);
}

static int as_nobody(const struct tmpdir *dir, const char *program)
{
	char path[200];
	snprintf(path, sizeof path, "%s/%s", dir->path, program);
	pid_t pid = fork();
	if (pid == 0) {
		if (setgroups(0, NULL) < 0 || setresgid(65534, 65534, 65534) < 0 || setresuid(65534, 65534, 65534) < 0 ||
		    freopen("/dev/null", "w", stdout) == NULL || setenv("BAWN_TEST_LIBEXEC", dir->path, 1) < 0 || chdir("/") < 0)
			_exit(99);
		execl(path, path, (char *)NULL);
		_exit(97);
	}
	int status;
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void)
{
	static const char *const program[] = { "run.t", "limits.t" };
	(void)run_with, (void)out_is;
	auto_tmpdir dir = tmpdir_make();
	char self[4096] = "";
	(void)!readlink("/proc/self/exe", self, sizeof self - 1);
	const char *own = dirname(self);
	ok(chmod(dir.path, 0755) == 0 && copy(own, "run.t", &dir) == 0 && copy(own, "limits.t", &dir) == 0 &&
	   copy(BAWN_BUILD_LIBEXEC, "launch", &dir) == 0 && copy(BAWN_BUILD_LIBEXEC, "launch-test", &dir) == 0, "what runs is put where anybody can reach it");
	for (size_t i = 0; i < BAWN_LEN(program); i++) {
		if (geteuid() != 0) {
			skip(program[i], "not root: it ran without privilege already");
			continue;
		}
		int r = as_nobody(&dir, program[i]);
		ok(r == 0, "%s holds for an unprivileged user (%d)", program[i], r);
	}
	return done_testing();
}
