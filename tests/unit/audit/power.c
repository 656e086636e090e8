/* power.c - the power goes at any moment: nothing acknowledged is lost, and no honest log raises an alarm.
 *
 *	power.t		every moment in the life of a log, and a log that outlives 50 cuts
 *	power.t COUNT	make soak: more of what the disk may have kept at each moment, and COUNT cuts
 *
 * disk.h says what a power cut may leave. */
#include "life.h"

static void whole_life(const struct place *p)
{
	struct bawn_err err = { 0 };
	int r = some_records(p, 7, &err);
	if (r == 0)
		r = another_key(p, &err);
	if (r == 0)
		r = some_records(p, 6, &err);
	if (r == 0)
		r = prune_all(p, &err);
	if (r == 0)
		r = some_records(p, 3, &err);
	if (r < 0)
		diag("a life without a fault fails: %s", err.msg);
}

/* What calls so far were is shown where a state is bad. */
static void show_last_calls(int k)
{
	static const char *const name[] = { "create", "mkdir", "rename", "unlink", "write", "sync", "sync failed", "sync directory" };
	for (int i = k > 12 ? k - 12 : 0; i < k; i++)
		diag("  %d %s %s %s", i, name[disk.op[i].kind], disk.op[i].path, disk.op[i].to != NULL ? disk.op[i].to : "");
}

static void every_moment(int lucks)
{
	auto_tmpdir tmp = quick_tmpdir();
	char root[100], cut[100], problem[400];
	snprintf(root, sizeof root, "%s/life", tmp.path);
	snprintf(cut, sizeof cut, "%s/cut", tmp.path);
	const struct place p = place_at(root), after = place_at(cut);
	(void)mkdir(root, 0700);
	disk_on(root);
	acks.n = 0;
	whole_life(&p);
	disk_off();
	ok(disk.n_ops > 100 && acks.n > 30, "the life of a log: %d calls that change something, %zu records acknowledged", disk.n_ops, acks.n);
	const size_t n_acks = acks.n;
	int bad = 0, states = 0;
	for (int k = 0; k <= disk.n_ops; k++)
		for (int luck = 0; luck < lucks; luck++, states++) {
			bool made = disk_cut(k, luck < DISK_SOME ? (enum disk_luck)luck : DISK_SOME, cut);
			judge(&after, k, problem);
			acks.n = n_acks;  /* what judging added is not asked for */
			if ((!made || problem[0] != '\0') && bad++ < 5) {
				diag("after call %d of %d, %s: %s", k, disk.n_ops, luck == 0 ? "nothing kept" : luck == 1 ? "everything kept" : "some kept", problem);
				if (bad == 1)
					show_last_calls(k);
			}
			remove_tree(cut);
		}
	ok(bad == 0, "in %d states that a power cut may leave of it nothing is lost and no alarm is raised (%d wrong)", states, bad);
	disk_forget();
}

/* One log, cut again and again, also while it recovers from the cut before. */
static void many_cuts(int count)
{
	auto_tmpdir tmp = quick_tmpdir();
	char root[100], next[100], problem[400] = "";
	int done = 0, recovered = 0;
	acks.n = 0;
	snprintf(root, sizeof root, "%s/0", tmp.path);
	(void)mkdir(root, 0700);
	for (; done < count && problem[0] == '\0'; done++) {
		const struct place p = place_at(root);
		struct bawn_err err = { 0 };
		const size_t known = acks.n;
		disk_on(root);
		for (size_t i = 0; i < known; i++)
			acks.ack[i].calls = 0;
		int r = some_records(&p, 1 + (int)disk_roll(6), &err);
		if (r == 0 && disk_roll(12) == 0)
			r = another_key(&p, &err);
		disk_off();
		if (r < 0) {
			snprintf(problem, sizeof problem, "does not go on: %.200s", err.msg);
			break;
		}
		int k = (int)disk_roll((unsigned)disk.n_ops + 1);
		while (done % 2 == 0 && k > 0 && (disk.op[k - 1].kind != DISK_WRITE || strstr(disk.op[k - 1].path, "/seg/") == NULL))
			k--;  /* every other time in the middle of a commit */
		snprintf(next, sizeof next, "%s/%d", tmp.path, done + 1);
		if (!disk_cut(k, DISK_SOME, next))
			snprintf(problem, sizeof problem, "the test failed to make a state");
		size_t kept = 0;  /* what was not acknowledged when the power went need not be there */
		for (size_t i = 0; i < acks.n; i++)
			if (acks.ack[i].calls <= k)
				acks.ack[kept++] = acks.ack[i];
		acks.n = kept;
		struct bawn_audit_report v = { 0 };
		const struct place left = place_at(next);
		if (kept > 0 && (bawn_audit_verify(left.audit, &(struct bawn_audit_verify_options){ .witness = left.witness, .witness_may = true }, &v, &err) < 0 || !v.ok))
			snprintf(problem, sizeof problem, "cut %d, after call %d: %.150s%.150s", done, k, v.problem, err.msg);
		const struct ack *lost = first_lost(&left, INT32_MAX, 0);
		if (lost != NULL)
			snprintf(problem, sizeof problem, "cut %d, after call %d: entry %" PRIu64 " is lost", done, k, lost->seq);
		if (problem[0] != '\0')
			show_last_calls(k);
		remove_tree(root);
		memcpy(root, next, sizeof root);
	}
	const struct place p = place_at(root);
	struct bawn_err err = { 0 };
	const bool goes_on = some_records(&p, 1, &err) == 0;
	recovered = (int)tally(p.audit, "log.recovered").of_type;
	struct bawn_audit_report v = verify(p.audit);
	ok(done == count && problem[0] == '\0' && goes_on && v.ok, "%d power cuts in one log's life: all of %zu records are there, it goes on and verifies (%d torn tails recorded, %" PRIu64 " entries) %s%s",
	   count, acks.n, recovered, v.entries, problem, v.problem);
	disk_forget();
}

int main(int argc, char **argv)
{
	const int count = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 50;
	struct timespec now = { .tv_nsec = 1 };  /* one of many tests: not by chance */
	if (argc > 1)
		(void)clock_gettime(CLOCK_REALTIME, &now);
	disk_dice = getenv("BAWN_DICE") != NULL ? strtoull(getenv("BAWN_DICE"), NULL, 10) : (uint64_t)now.tv_nsec;
	diag("BAWN_DICE=%" PRIu64 " makes the same states again", disk_dice);
	for (int each = 0; each < 2; each++) {
		sign_each = each == 1;
		diag("sign: %s", sign_each ? "entry" : "batch");
		every_moment(count > 50 ? 20 : 4);
		many_cuts(count);
	}
	acks_done();
	found_done();
	return done_testing();
}
