/* failing.c - each call that the writer makes fails once, and then for good: the caller gets a receipt or an error in
 * words, and when the fault is gone nothing acknowledged is lost, whether the power goes as well or not.
 *
 *	failing.t	the n-th call, for every n, with an I/O error; each other way to fail for some n
 *	failing.t all	make soak: for every n each way to fail, and more of what a power cut may leave */
#include "life.h"

static int unexplained;  /* errors without a type or words */

static void tried(int r, struct bawn_err *err)
{
	if (r < 0 && (err->type == BAWN_ERROR_NONE || err->msg[0] == '\0') && unexplained++ < 5)
		diag("an error without words: %d '%s' (%s)", r, err->msg, disk.failed_call);
	*err = (struct bawn_err){ 0 };
}

/* Whatever fails, the next thing is tried. */
static void stubborn_life(const struct place *p)
{
	struct bawn_err err = { 0 };
	tried(some_records(p, 5, &err), &err);
	tried(another_key(p, &err), &err);
	tried(some_records(p, 2, &err), &err);
	tried(prune_all(p, &err), &err);
	tried(some_records(p, 1, &err), &err);
}

#define FOR_GOOD 1000000
static const struct way { const char *name; int code; long times; bool half; } way[] = {
	{ "an I/O error, once",                          EIO,    1,        false },
	{ "no room, from then on",                       ENOSPC, FOR_GOOD, false },
	{ "an I/O error after half of it was written",   EIO,    1,        true },
	{ "no room, once, after half of it was written", ENOSPC, 1,        true },
	{ "an I/O error, from then on",                  EIO,    FOR_GOOD, false },
	{ "a signal",                                    EINTR,  1,        false },
	{ "two I/O errors, one after the other",         EIO,    2,        false },
};

struct tally_of_faults { int rounds, bad; size_t acked; };

/* Returns false where the life ends before its n-th call. */
static bool fail_once(const char *tmp, long n, const struct way *w, int lucks, struct tally_of_faults *t)
{
	char root[100], cut[100], problem[400];
	snprintf(root, sizeof root, "%s/life", tmp);
	snprintf(cut, sizeof cut, "%s/cut", tmp);
	const struct place p = place_at(root), after = place_at(cut);
	(void)mkdir(root, 0700);
	acks.n = 0;
	disk_on(root);
	disk_fail(n, w->code, w->times, w->half);
	stubborn_life(&p);
	disk_mend();
	const bool reached = disk.calls >= n;
	disk_off();
	const size_t acked = acks.n;
	for (int luck = 0; disk.failed && luck < lucks; luck++) {
		bool made = disk_cut(disk.n_ops, luck < DISK_SOME ? (enum disk_luck)luck : DISK_SOME, cut);
		judge(&after, disk.n_ops, problem);
		acks.n = acked;
		if ((!made || problem[0] != '\0') && t->bad++ < 10)
			diag("call %ld (%s), %s, then %s of it kept: %s", n, disk.failed_call, w->name, luck == 0 ? "nothing" : luck == 1 ? "all" : "some", problem);
		remove_tree(cut);
	}
	sign_each = false;
	t->rounds += disk.failed;
	t->acked += acked;
	remove_tree(root);
	return reached;
}

int main(int argc, char **argv)
{
	const bool all = argc > 1 && strcmp(argv[1], "all") == 0;
	auto_tmpdir tmp = quick_tmpdir();
	const size_t ways = BAWN_LEN(way);
	struct tally_of_faults t[BAWN_LEN(way)] = { 0 };
	bool more = true;
	long n = 1;
	for (; more; n += SANITIZED && !all ? 3 : 1) {  /* each call in one build, some of them in the slow one */
		if (all && n % 50 == 0)
			diag("call %ld", n), (void)fflush(stdout);
		more = fail_once(tmp.path, n, &way[0], all ? 4 : 1, &t[0]);
		const bool sync = strstr(disk.failed_call, "sync") != NULL;  /* what comes after it matters most */
		for (size_t i = 1; more && i < ways; i++)
			if (all || (sync && i + 1 == ways) || (size_t)n % ways == i)
				(void)fail_once(tmp.path, n, &way[i], all ? 4 : 2, &t[i]);
		for (size_t i = 0; i < ways; i++)
			if (all || (size_t)n % (2 * ways) == i) {
				sign_each = true;  /* until it returns */
				(void)fail_once(tmp.path, n, &way[i], all ? 4 : 2, &t[i]);
			}
	}
	for (size_t i = 0; i < ways; i++)
		ok(t[i].bad == 0 && t[i].rounds > 10 && t[i].acked > 100, "%s: at %d of %ld calls; nothing of %zu acknowledged records lost, and each log goes on", way[i].name, t[i].rounds, n - 2, t[i].acked);
	ok(unexplained == 0, "each error has a type and words");
	disk_forget();
	acks_done();
	found_done();
	return done_testing();
}
