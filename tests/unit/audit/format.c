/* format.c - the verifier printed in docs/FORMAT-audit.md, run as it stands there, agrees with ours. */
#include <spawn.h>
#include <sys/wait.h>
#include "world.h"
#include "audit/head.h"

extern char **environ;

static struct bawn_buf script(void)
{
	bawn_auto_buf doc = BAWN_BUF(1u << 20);
	struct bawn_buf code = BAWN_BUF(1u << 16);
	if (bawn_read_file(AT_FDCWD, FORMAT, &doc, NULL) == 0) {
		const char *from = strstr(doc.p, "```python\n"), *to = from != NULL ? strstr(from + 10, "```") : NULL;
		if (to != NULL)
			bawn_buf_add(&code, from + 10, (size_t)(to - from) - 10);
	}
	return code;
}

/* The exit status of the verifier, -1 where it could not be run. */
static int judge(const char *code, const char *dir)
{
	char *argv[] = { "python3", "-c", (char *)(uintptr_t)code, (char *)(uintptr_t)dir, NULL };
	posix_spawn_file_actions_t quiet;
	pid_t pid;
	int status;
	(void)posix_spawn_file_actions_init(&quiet);
	(void)posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);
	int r = posix_spawnp(&pid, "python3", &quiet, NULL, argv, environ);
	(void)posix_spawn_file_actions_destroy(&quiet);
	return r == 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) != 127 ? WEXITSTATUS(status) : -1;
}

/* The same log without its beginning. */
static void pruned_too(const char *code)
{
	auto_world w = world_make();
	char file[120], first[60];
	struct bawn_pruned p = { 0 };
	snprintf(file, sizeof file, "%s/export", w.tmp.path);
	ok(fill_log(w.dir, 20, 4000) && bawn_audit_rotate_key(w.dir, NULL, NULL, NULL, NULL) == 0 && fill_log(w.dir, 20, 4000) &&
	   bawn_audit_prune(w.dir, &(struct bawn_audit_options){ .max_segment_bytes = 4000 }, &(struct bawn_prune){ .before_us = UINT64_MAX, .export_path = file }, &p, NULL) == 0 &&
	   p.cut > 20 && verify(w.dir).ok, "a log without its beginning");
	ok(judge(code, w.dir) == 0, "the verifier accepts it");
	snprintf(first, sizeof first, "a/seg/%012" PRIu64 ".jsonl", p.cut);
	bawn_auto_buf seg = get(&w, first);
	int disagree = 0, refused = 0;
	for (size_t i = 3; i < seg.n; i += 97) {
		seg.p[i] ^= 0x01;
		set(&w, first, seg.p, seg.n);
		bool good = verify(w.dir).ok;
		disagree += (judge(code, w.dir) == 0) != good;
		refused += !good;
		seg.p[i] ^= 0x01;
	}
	ok(disagree == 0 && refused > 10, "and refuses what ours refuses: %d flipped bytes", refused);
}

int main(void)
{
	auto_world w = world_make();
	bawn_auto_buf code = script();
	ok(code.n > 500, "the document holds a verifier");
	ok(fill_log(w.dir, 8, 4000) && bawn_audit_rotate_key(w.dir, NULL, NULL, NULL, NULL) == 0 && fill_log(w.dir, 8, 4000) && verify(w.dir).ok && verify(w.dir).segments > 2, "a log of several segments");
	int r = judge(code.p, w.dir);
	if (r < 0) {
		skip("the verifier accepts it", "python3 is not there");
		return done_testing();
	}
	ok(r == 0, "the verifier of the document accepts it");
	bawn_auto_buf seg = get(&w, SEG0), head = get(&w, "a/head");
	pruned_too(code.p);
	int disagree = 0, tried = 0;
	for (size_t i = 3; i < seg.n; i += 113, tried++) {
		seg.p[i] ^= 0x01;
		set(&w, SEG0, seg.p, seg.n);
		disagree += (judge(code.p, w.dir) == 0) != verify(w.dir).ok;
		seg.p[i] ^= 0x01;
	}
	ok(disagree == 0, "and refuses what ours refuses: %d flipped bytes", tried);
	set(&w, SEG0, seg.p, seg.n);
	ok(judge(code.p, w.dir) == 0, "put back, it accepts");
	struct bawn_head h = { 0 };
	char last[80];
	ok(bawn_head_decode(bawn_buf_span(&head), &h) == 0, "head is read");
	snprintf(last, sizeof last, "a/seg/%012" PRIu64 ".jsonl", h.segment);
	bawn_auto_buf tail = get(&w, last);
	set(&w, last, tail.p, h.at);
	ok(judge(code.p, w.dir) != 0 && !verify(w.dir).ok, "both notice a log shorter than its head");
	return done_testing();
}
