/* fault.c - the n-th allocation fails, for every n: an error, never a crash, never a half-checked request. */
#include "core/allocate.h"
#include "core/request.h"
#include "tap.h"
#include "fault.h"

int main(void)
{
	struct bawn_policy_dirs none = { 0 };
	struct bawn_policy *policy = NULL;
	if (bawn_policy_load(&none, &policy, NULL, NULL) < 0)
		return ok(false, "the defaults load"), done_testing();
	static const char *const args[] = { "a", "b" }, *const env[] = { "A=1", "B=2" }, *const labels[] = { "k=v" };
	static const struct bawn_input in[] = { { "f", "x", 1, 0 }, { "d/g", "y", 1, 0755 } };
	struct bawn_request req = { .size = sizeof req, .code = "print(1)", .code_size = 8, .language = "python", .args = args, .n_args = 2,
		.env = env, .n_env = 2, .labels = labels, .n_labels = 1, .inputs = in, .n_inputs = 2, .stdin_data = "z", .stdin_size = 1,
		.session = "s", .path = "p.py", .override_ = 1, .reason = "why" };
	struct bawn_allocate_in want = { .language = BAWN_LANG_PYTHON, .complexity_milli = 500, .host_cpus_milli = 1000, .available_bytes = 1u << 30 };
	int rounds = 0, failed = 0, wrong = 0, last = -1;
	for (fault_arm(1); fault_more(); rounds++) {
		struct bawn_checked *c = NULL;
		struct bawn_limits l;
		bool full;
		json_t *reasons = NULL;
		struct bawn_err err = { 0 };
		last = bawn_request_check(&req, policy, &(struct bawn_asker){ .via = "test" }, &c, &err);
		if (last == 0)
			last = bawn_allocate(policy, &want, &l, &full, &reasons, &err);
		failed += last < 0;
		wrong += last < 0 && (err.type != BAWN_ERROR_OUT_OF_MEMORY || reasons != NULL);
		bawn_checked_free(c);
		json_decref(reasons);
	}
	ok(last == 0, "the round in which nothing fails succeeds");
	ok(wrong == 0, "every other round reports out_of_memory and leaves nothing behind (%d of %d rounds)", failed, rounds);
	ok(!FAULT_WORKS || rounds > 20, "and there were many");
	bawn_policy_free(policy);
	return done_testing();
}
