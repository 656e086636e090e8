/* fault.c - the n-th allocation fails, for every n: an error, never a wrong answer or a dead log. */
#include "fault.h"
#include "world.h"

static void quietly(bool on) { if (!on) fault_on = false; }

int main(void)
{
	auto_world w = world_make();
	char witness[120], export[120];
	snprintf(witness, sizeof witness, "%s/wit", w.tmp.path);
	snprintf(export, sizeof export, "%s/export", w.tmp.path);
	int rounds = 0, failed = 0, wrong = 0;
	for (fault_arm(1); fault_more(); rounds++) {
		struct bawn_audit *a = NULL;
		struct bawn_err err = { 0 };
		int r = bawn_audit_open(w.dir, &(struct bawn_audit_options){ .node = "n", .max_segment_bytes = 6000, .witness = witness, .witness_must = true,
		                        .reserve_bytes = 4096 }, &a, &err);
		if (r == 0)
			r = put_text(a, "x", NULL, &err);
		quietly(false);
		close_log(a);
		failed += r < 0;
		wrong += r < 0 && r != -ENOMEM && r != -EINVAL;
	}
	struct bawn_audit_report v = verify(w.dir);
	ok(wrong == 0 && v.ok && (!FAULT_WORKS || failed > 5), "open and put: %d rounds, %d failed cleanly: %s", rounds, failed, v.problem);

	ok(fill_log(w.dir, 20, 2000), "a log of some segments");
	for (int pruned = 0; pruned < 2; pruned++) {
		rounds = failed = wrong = 0;
		for (fault_arm(1); fault_more(); rounds++) {
			struct bawn_audit_report r = { 0 };
			struct bawn_err err = { 0 };
			int code = bawn_audit_verify(w.dir, &(struct bawn_audit_verify_options){ .witness = witness }, &r, &err);
			quietly(false);
			failed += code < 0;
			wrong += code < 0 ? err.type != BAWN_ERROR_OUT_OF_MEMORY : !r.ok;
		}
		ok(wrong == 0 && (!FAULT_WORKS || failed > 0), "verify never calls a good log bad for want of memory%s: %d rounds, %d failed", pruned ? ", a pruned one" : "", rounds, failed);
		if (pruned)
			break;
		/* Pruning: an error and nothing done, or done. */
		rounds = failed = wrong = 0;
		for (fault_arm(1); fault_more(); rounds++) {
			struct bawn_pruned p = { 0 };
			struct bawn_err err = { 0 };
			int code = bawn_audit_prune(w.dir, &(struct bawn_audit_options){ .node = "n", .max_segment_bytes = 2000, .witness = witness },
			                            &(struct bawn_prune){ .before_us = UINT64_MAX, .export_path = export }, &p, &err);
			quietly(false);
			failed += code < 0;
			wrong += !verify(w.dir).ok || opens_as(w.dir) != BAWN_ERROR_NONE;
			(void)unlink(export);
			if (fault_fired && files_in(&w, "a/seg") < 3)
				wrong += !fill_log(w.dir, 8, 2000);  /* something to prune in the next round too */
		}
		ok(wrong == 0 && (!FAULT_WORKS || failed > 5), "pruning: %d rounds, %d failed, each left a good log", rounds, failed);
	}

	for (int back = 0; back < 2; back++) {
		rounds = failed = wrong = 0;
		for (fault_arm(1); fault_more(); rounds++) {
			struct tally t = { 0 };
			struct bawn_err err = { 0 };
			int code = back ? bawn_audit_walk_back(w.dir, count_entry, &t, &err) : bawn_audit_walk(w.dir, 3, count_entry, &t, &err);
			quietly(false);
			failed += code < 0;
			wrong += code < 0 && err.type != BAWN_ERROR_OUT_OF_MEMORY;
		}
		ok(wrong == 0 && (!FAULT_WORKS || failed > 20), "nor does a walk %s: %d rounds, %d failed", back ? "back" : "on", rounds, failed);
	}

	static char text[6000];  /* long enough to be packed */
	rounds = failed = wrong = 0;
	for (fault_arm(1); fault_more(); rounds++) {
		char sha[BAWN_SHA256_HEX];
		struct bawn_err err = { 0 };
		bawn_auto_buf out = BAWN_BUF(sizeof text + 1);
		text[0] = (char)rounds;  /* another body each time */
		int code = bawn_audit_blob_put(w.dir, (struct bawn_span){ text, sizeof text }, sha, &err);
		if (code == 0)
			code = bawn_audit_blob_get(w.dir, sha, &out, &err);
		quietly(false);
		failed += code < 0;
		wrong += code < 0 && err.type != BAWN_ERROR_OUT_OF_MEMORY;
	}
	ok(wrong == 0 && (!FAULT_WORKS || failed > 2), "bodies: %d rounds, %d failed", rounds, failed);

	/* Recovery: a torn tail each round. */
	rounds = failed = wrong = 0;
	for (fault_arm(1); fault_more(); rounds++) {
		fault_on = false;
		auto_world v2 = world_make();
		wrong += !fill_log(v2.dir, 2, 0);
		bawn_auto_fd fd = openat(v2.tmp.fd, SEG0, O_WRONLY | O_APPEND | O_CLOEXEC);
		wrong += write(fd, "{\"v\":1,", 7) != 7;
		struct bawn_audit *a = NULL;
		struct bawn_err err = { 0 };
		fault_on = true;
		int code = bawn_audit_open(v2.dir, &(struct bawn_audit_options){ .node = "n" }, &a, &err);
		quietly(false);
		close_log(a);
		failed += code < 0;
		wrong += code < 0 && err.type != BAWN_ERROR_OUT_OF_MEMORY;
		wrong += opens_as(v2.dir) != BAWN_ERROR_NONE || !verify(v2.dir).ok || verify(v2.dir).entries < 3;
	}
	ok(wrong == 0 && (!FAULT_WORKS || failed > 5), "recovery: %d rounds, %d failed, all opened afterwards", rounds, failed);
	return done_testing();
}
