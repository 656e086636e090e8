/* rootless.c - the same rows as run.t and limits.t, as a user without any privilege. */
#include <grp.h>
#include <libgen.h>
#include "harness.h"
#include <sys/wait.h>

static int as_nobody(const char *program)
{
	char self[4096], path[4200];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	if (n < 0)
		return -1;
	self[n] = '\0';
	snprintf(path, sizeof path, "%s/%s", dirname(self), program);
	pid_t pid = fork();
	if (pid == 0) {
		if (setgroups(0, NULL) < 0 || setresgid(65534, 65534, 65534) < 0 || setresuid(65534, 65534, 65534) < 0 || freopen("/dev/null", "w", stdout) == NULL)
			_exit(99);
		if (access(path, X_OK) < 0)
			_exit(98);
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
	for (size_t i = 0; i < BAWN_LEN(program); i++) {
		if (geteuid() != 0) {
			skip(program[i], "not root: it ran without privilege already");
			continue;
		}
		int r = as_nobody(program[i]);
		if (r == 98)
			skip(program[i], "the build directory is closed to other users");
		else
			ok(r == 0, "%s holds for an unprivileged user (%d)", program[i], r);
	}
	return done_testing();
}
