#!/usr/bin/python3
"""libbawn from a program built outside the tree, through pkg-config."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bawntest import *

w = World()
SOURCE = r'''
#include <bawn/bawn.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int events;
static pid_t forked;
/* A host that forks in the middle of a run: the child has every descriptor, and outlives the run. */
static void on_running(void *ctx, const struct bawn_event *e)
{
	(void)ctx;
	if (e->kind != BAWN_EVENT_STATE || strcmp(e->text, "running") != 0) return;
	forked = fork();
	if (forked == 0) { sleep(25); _exit(0); }
}
static void on_event(void *ctx, const struct bawn_event *e) { (void)ctx; events += e->seq == (unsigned)events + 1; }
static int yes(void *ctx, const struct bawn_question *q, struct bawn_answer *a)
{
	(void)ctx;
	if (strcmp(q->level, "LOW") == 0 || !strstr(q->assessment_json, "findings")) return -1;
	a->yes = 1;
	strncpy(a->reason, "the host program said so", sizeof a->reason - 1);
	return 0;
}
static void *steal(void *arg) { (void)arg; for (;;) { int st; if (waitpid(-1, &st, WNOHANG) < 0) { struct timespec t = {0, 1000000}; nanosleep(&t, 0); } pthread_testcancel(); } return NULL; }
static void *health(void *b)
{
	struct bawn_result *r = NULL;
	int good = 1;
	for (int i = 0; i < 3; i++) {
		good = good && bawn_get_security_status(b, &r, NULL) == 0 && strstr(bawn_result_json(r), "\"system_status\":\"operational\"");
		bawn_result_free(r);
	}
	return good ? b : NULL;
}
static void *runner(void *b)
{
	struct bawn_request req = { .size = sizeof req, .code = "print('t')", .code_size = 10, .language = "python" };
	struct bawn_result *r = NULL;
	if (bawn_assess_and_execute(b, &req, &r, NULL) < 0) return "error";
	char *s = strdup(bawn_result_status(r));
	bawn_result_free(r);
	return s;
}
int main(int argc, char **argv)
{
	struct bawn *b; struct bawn_result *r = NULL; struct bawn_err err = { 0 };
	(void)argc;
	struct bawn_options o = { .size = sizeof o, .libexec_dir = argv[1] };
	if (bawn_open(&o, &b, &err) < 0) { printf("open: %s\n", err.msg); return 1; }
	struct bawn_request req = { .size = sizeof req, .code = "print(6*7)", .code_size = 10, .language = "python", .on_event = on_event };
	if (bawn_assess_and_execute(b, &req, &r, &err) < 0) { printf("run: %s\n", err.msg); return 1; }
	printf("run %s %s\n", bawn_result_status(r), strstr(bawn_result_json(r), "\"stdout\":\"42\\n\"") ? "42" : bawn_result_json(r));
	bawn_result_free(r);
	printf("events %d\n", events > 3);
	const char *high = "open('/etc/cron.d/x','w') if False else print('confirmed')";
	struct bawn_request hr = { .size = sizeof hr, .code = high, .code_size = strlen(high), .language = "python" };
	bawn_assess_and_execute(b, &hr, &r, &err); printf("none %s\n", bawn_result_status(r)); bawn_result_free(r);
	hr.confirm = yes;
	bawn_assess_and_execute(b, &hr, &r, &err); printf("confirm %s\n", bawn_result_status(r)); bawn_result_free(r);
	bawn_assess_code_only(b, &req, &r, &err); printf("assess %d\n", strstr(bawn_result_json(r), "\"level\":\"LOW\"") != NULL); bawn_result_free(r);
	bawn_get_execution_history(b, NULL, &r, &err); printf("history %d\n", strstr(bawn_result_json(r), "completed") != NULL); bawn_result_free(r);
	bawn_get_security_status(b, &r, &err); printf("status %d\n", strstr(bawn_result_json(r), "operational") != NULL); bawn_result_free(r);
	bawn_get_audit_report(b, 0, 0, &r, &err); printf("report %d\n", strstr(bawn_result_json(r), "by_type") != NULL); bawn_result_free(r);
	bawn_approvals_list(b, &r, &err); printf("approvals %s\n", bawn_result_json(r)[0] == '[' ? "list" : "?"); bawn_result_free(r);
	printf("null %d %d %d\n", bawn_open(NULL, NULL, &err) < 0, bawn_assess_and_execute(b, NULL, &r, &err) < 0, bawn_assess_and_execute(NULL, &req, &r, NULL) < 0);
	struct { struct bawn_request r; void *later; } more = { .r = req };
	int bad = 0;
	for (size_t n = 0; n < sizeof req; n++)  /* sizes that leave no room for the code, or cut a pointer */
		if (n < offsetof(struct bawn_request, language) || n % sizeof(void *) != 0) {
			req.size = n;
			bad += bawn_assess_code_only(b, &req, &r, &err) == 0;
		}
	more.r.size = sizeof more;
	bad += bawn_assess_code_only(b, &more.r, &r, &err) != 0;  /* a later version's struct, its new field unset */
	bawn_result_free(r);
	more.later = b;
	bad += bawn_assess_code_only(b, &more.r, &r, &err) == 0;
	printf("size %d\n", bad == 0);
	req.size = sizeof req; req.on_event = on_running;
	int st, ran = bawn_assess_and_execute(b, &req, &r, &err) == 0;
	printf("forked %d %s\n", ran && waitpid(forked, &st, WNOHANG) == 0, bawn_result_status(r));
	bawn_result_free(r); kill(forked, SIGKILL); waitpid(forked, &st, 0);
	/* Bad arguments, each refused in words. */
	struct bawn_history_filter f = { .size = sizeof f, .limit = (uint64_t)-1 };
	int n = 0, sound = bawn_get_execution_history(b, &f, &r, &err) == 0; bawn_result_free(r);
	f.limit = 0; sound += bawn_get_execution_history(b, &f, &r, &err) == 0; bawn_result_free(r);
	f.size = 3; n += bawn_get_execution_history(b, &f, &r, &err) < 0 && err.msg[0] != 0;
	static const char *const policy[] = { "", "[]", "3", "sandbox: 3", "x: {}", "sandbox: {resources: {timeout: -1}}" };
	for (size_t i = 0; i < sizeof policy / sizeof *policy; i++) {
		r = NULL;
		int c = bawn_configure_policies(b, policy[i], strlen(policy[i]), &r, &err);
		n += c < 0 || strstr(bawn_result_json(r), "\"errors\":[]") == NULL;
		if (c == 0) bawn_result_free(r);
	}
	char *big = calloc(1, 80u << 20);
	memset(big, '#', (80u << 20) - 1);
	n += bawn_configure_policies(b, big, (80u << 20) - 1, &r, &err) < 0 || strstr(bawn_result_json(r), "\"errors\":[]") == NULL;
	n += bawn_configure_policies(b, NULL, 0, &r, &err) < 0;
	n += bawn_get_audit_report(b, 0, 0, NULL, &err) < 0;
	n += bawn_get_security_status(NULL, &r, &err) < 0;
	n += bawn_approvals_decide(b, "no-such", 1, "why", 0, &r, &err) < 0;
	n += bawn_approvals_decide(b, NULL, 1, "why", 0, &r, &err) < 0;
	n += bawn_approvals_decide(b, "no-such", 1, NULL, 0, &r, &err) < 0;
	struct bawn_request huge = { .size = sizeof huge, .code = big, .code_size = (80u << 20) - 1, .language = "python" };
	n += bawn_assess_code_only(b, &huge, &r, &err) < 0 && err.type == BAWN_ERROR_CODE_TOO_LARGE;
	free(big);
	n += bawn_cancel(NULL) < 0;
	n += bawn_exec_step(NULL, &err) < 0;
	printf("bad arguments %d %d\n", n, sound);
	/* A host with its own ideas about children. */
	signal(SIGCHLD, SIG_IGN);
	pthread_t t[4], thief; void *s[4];
	pthread_create(&thief, NULL, steal, NULL);
	for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, runner, b);
	for (int i = 0; i < 4; i++) { pthread_join(t[i], &s[i]); printf("thread %s\n", (char *)s[i]); free(s[i]); }
	int healthy = 0;
	for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, health, b);
	for (int i = 0; i < 4; i++) { pthread_join(t[i], &s[i]); healthy += s[i] == b; }
	printf("healthy %d\n", healthy);
	pthread_cancel(thief); pthread_join(thief, NULL);
	bawn_close(b); bawn_close(NULL); bawn_result_free(NULL); bawn_exec_free(NULL);
	return 0;
}
'''
src = w.file("host.c", SOURCE)
env = dict(os.environ, DESTDIR=w.dir + "/inst")
p = subprocess.run(["meson", "install", "--no-rebuild", "-C", BUILD], env=env, capture_output=True, text=True)
ok(p.returncode == 0, "make install works below DESTDIR") or diag(p.stdout + p.stderr)
pc = [os.path.dirname(f) for f in glob.glob(w.dir + "/inst/**/bawn.pc", recursive=True)]
prefix = w.dir + "/inst/usr/local"
ok(len(pc) == 1 and os.path.exists(prefix + "/include/bawn/bawn.h") and os.path.exists(prefix + "/libexec/bawn/launch") and os.path.exists(prefix + "/bin/bawn"), "library, header, program and launcher are installed")
ok(glob.glob(prefix + "/share/man/man1/bawn.1*"), "and the manual")
env = dict(os.environ, PKG_CONFIG_PATH=pc[0], PKG_CONFIG_SYSROOT_DIR=w.dir + "/inst")
flags = subprocess.run(["pkg-config", "--cflags", "--libs", "bawn"], env=env, capture_output=True, text=True).stdout.split()
p = subprocess.run(["gcc", "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror", src, "-o", w.dir + "/host", *flags, "-lpthread"], capture_output=True, text=True)
ok(p.returncode == 0, "a C11 program builds with pkg-config") or diag(p.stderr)
lib = os.path.dirname(glob.glob(w.dir + "/inst/**/libbawn.so", recursive=True)[0])
p = subprocess.run([w.dir + "/host", prefix + "/libexec/bawn"], env={**w.env, "LD_LIBRARY_PATH": lib}, capture_output=True, text=True, timeout=120)
want = ["run completed 42", "events 1", "none needs_approval", "confirm needs_approval", "assess 1", "history 1", "status 1", "report 1", "approvals list", "null 1 1 1", "size 1", "forked 1 completed", "bad arguments 17 2"] + ["thread completed"] * 4 + ["healthy 4"]
equal(p.stdout.splitlines(), want, "every call answers; a host that ignores or steals SIGCHLD is fine") or diag(p.stderr)
equal(p.stderr, "", "the library prints nothing")
# The example of the README, as it stands there.
text = open(os.path.join(ROOT, "README.md")).read()
example = text[text.index("```c\n") + 5:]
body = example[:example.index("```")]
src = w.file("example.c", "#include <bawn/bawn.h>\n#include <stdio.h>\nint main(void)\n{\n" + body + "return 0;\n}\n")
p = subprocess.run(["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", src, "-o", w.dir + "/example", *flags], capture_output=True, text=True)
ok(p.returncode == 0, "the example of the README builds") or diag(p.stderr)
p = subprocess.run([w.dir + "/example"], env={**w.env, "LD_LIBRARY_PATH": lib}, capture_output=True, text=True, timeout=120)
equal((p.returncode, json.loads(p.stdout or "{}").get("stdout")), (0, "42\n"), "and runs") or diag(p.stderr)
r = w.bawn("audit", "verify")
equal(r.code, 3, "the log verifies")
done()
