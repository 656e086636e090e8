/* prune.c - old segments go only after their export was verified and recorded; what is left verifies, can be
 * proved and goes on; a log that lost its beginning in any other way is refused.  The calls of this program
 * that change files are ours: they can kill it before any of them. */
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "audit/note.h"
#include "audit/tiles.h"
#include "base/b64.h"
#include "base/clock.h"
#include "world.h"

static int die_before;   /* the n-th call kills us; 0: none */
static bool spoil;       /* what is written is not what was meant */
static void step(void) { if (die_before > 0 && --die_before == 0) (void)raise(SIGKILL); }

int unlinkat(int d, const char *p, int f) { step(); return (int)syscall(SYS_unlinkat, d, p, f); }
int renameat(int a, const char *p, int b, const char *q) { step(); return (int)syscall(SYS_renameat2, a, p, b, q, 0); }
int fsync(int fd) { step(); return (int)syscall(SYS_fsync, fd); }
int fdatasync(int fd) { step(); return (int)syscall(SYS_fdatasync, fd); }
ssize_t pwrite(int fd, const void *p, size_t n, off_t at) { step(); return (ssize_t)syscall(SYS_pwrite64, fd, p, n, at); }
ssize_t write(int fd, const void *p, size_t n)
{
	step();
	if (spoil && n > 1000) {
		char copy[1u << 16];
		n = n < sizeof copy ? n : sizeof copy;
		memcpy(copy, p, n);
		copy[n / 2] ^= 1;
		return (ssize_t)syscall(SYS_write, fd, copy, n);
	}
	return (ssize_t)syscall(SYS_write, fd, p, n);
}

/* What happens when a segment is opened for the k-th time from now on, before it is. */
static struct { struct world *w; const char *command; int when; } meanwhile;
static bool sh(struct world *w, const char *command);
int openat(int dirfd, const char *path, int flags, ...)
{
	va_list ap;
	va_start(ap, flags);
	const unsigned mode = (flags & O_CREAT) != 0 ? va_arg(ap, unsigned) : 0;
	va_end(ap);
	if (meanwhile.when > 0 && strncmp(path, "seg/0", 5) == 0 && --meanwhile.when == 0)
		(void)sh(meanwhile.w, meanwhile.command);
	return (int)syscall(SYS_openat, dirfd, path, flags, mode);
}

static const char *at(struct world *w, const char *name)
{
	static char path[4][200];
	static unsigned n;
	char *p = path[n++ % 4];
	snprintf(p, sizeof path[0], "%s/%s", w->tmp.path, name);
	return p;
}

static int prune(struct world *w, uint64_t before, const char *file, struct bawn_pruned *out, struct bawn_err *err)
{
	struct bawn_audit_options o = { .node = "n", .max_segment_bytes = 4000, .witness = at(w, "wit"), .witness_must = true };
	*out = (struct bawn_pruned){ 0 };
	return bawn_audit_prune(w->dir, &o, &(struct bawn_prune){ .before_us = before, .export_path = at(w, file) }, out, err);
}

static bool grow(struct world *w, int n)
{
	struct bawn_audit *a = NULL;
	struct bawn_err err = { 0 };
	struct bawn_audit_options o = { .node = "n", .max_segment_bytes = 4000, .witness = at(w, "wit"), .witness_must = true };
	bool good = bawn_audit_open(w->dir, &o, &a, &err) == 0;
	for (int i = 0; good && i < n; i++)
		good = put_text(a, "some text", NULL, &err) == 0;
	close_log(a);
	if (!good)
		diag("%s", err.msg);
	return good;
}

/* Some segments, a moment, some more. */
static uint64_t two_ages(struct world *w, int before, int after)
{
	ok(grow(w, before), "a log");
	uint64_t then = bawn_wall_us() + 1;
	(void)usleep(2000);
	ok(grow(w, after), "that grew later");
	return then;
}

static uint64_t begins_at(struct world *w)
{
	uint64_t first = UINT64_MAX;
	bawn_auto_fd fd = openat(w->tmp.fd, "a/seg", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bawn_auto_dir d = fdopendir(bawn_take_fd(&fd));
	for (const struct dirent *e; d != NULL && (e = readdir(d)) != NULL; )
		if (e->d_name[0] != '.' && strtoull(e->d_name, NULL, 10) < first)
			first = strtoull(e->d_name, NULL, 10);
	return first;
}

/* RFC 9162, 2.1.3.2: does the proof lead from the entry's hash to the root in it? */
static bool proves(struct world *w, uint64_t seq, const char *hash)
{
	bawn_auto_buf proof = BAWN_BUF(1u << 16);
	bawn_node r, root = { 0 }, p;
	struct bawn_seal claim;
	if (bawn_audit_proof(w->dir, seq, &proof, NULL) < 0)
		return false;
	char *note = strstr(proof.p, "\n\n") + 2, *line = strchr(strchr(proof.p, '\n') + 1, '\n') + 1;
	if (!bawn_note_claim(bawn_span(note), &claim))
		return false;
	memcpy(root, claim.root, sizeof root);
	uint8_t data[BAWN_SHA256_LEN];
	bawn_unhex(hash, data, sizeof data);
	bawn_tree_leaf(data, r);
	uint64_t fn = seq, sn = claim.size - 1;
	for (; *line != '\n'; line = strchr(line, '\n') + 1) {
		if (sn == 0 || !bawn_b64_read((struct bawn_span){ line, 44 }, p, sizeof p))
			return false;
		if ((fn & 1) != 0 || fn == sn) {
			bawn_tree_node(p, r, r);
			while ((fn & 1) == 0 && fn != 0) {
				fn >>= 1;
				sn >>= 1;
			}
		} else {
			bawn_tree_node(r, p, r);
		}
		fn >>= 1;
		sn >>= 1;
	}
	return sn == 0 && memcmp(r, root, sizeof r) == 0;
}

struct proving { struct world *w; int good, bad; };
static int prove_entry(void *ctx, const struct bawn_entry *e)
{
	struct proving *p = ctx;
	const char *hash = json_string_value(json_object_get(e->json, "hash"));
	if (hash == NULL)
		return -EBADMSG;
	if (e->seq % 9 != 0 && e->seq % 256 > 1)
		return 0;
	bool good = proves(p->w, e->seq, hash);
	char other[65];
	snprintf(other, sizeof other, "%s", hash);
	other[5] = other[5] == 'a' ? 'b' : 'a';
	good = good && !proves(p->w, e->seq, other);
	*(good ? &p->good : &p->bad) += 1;
	return 0;
}

static void the_way(void)
{
	auto_world w = world_make();
	uint64_t then = two_ages(&w, 300, 40);
	struct bawn_err err = { 0 };
	ok(bawn_audit_rotate_key(w.dir, &(struct bawn_audit_options){ .witness = at(&w, "wit") }, NULL, NULL, &err) == 0 && grow(&w, 20), "with two keys");
	age_checkpoint(&w);
	bool grew = grow(&w, 1);
	uint64_t later = bawn_wall_us() + 1;
	ok(grew && sh(&w, "cp -a a before && cp a/checkpoint note") && verify(w.dir).ok, "a copy");
	uint64_t all = verify(w.dir).entries;
	struct bawn_pruned p;
	int r = prune(&w, then, "export", &p, &err);
	ok(r == 0 && p.from == 0 && p.cut > 260 && p.cut < 360 && p.segments > 5 && p.receipt.seq == all, "the old part goes: %d entries %s", (int)p.cut, err.msg);
	char command[300];
	snprintf(command, sizeof command, "cat before/seg/* | head -c %llu | cmp - export && test $(stat -c %%s export) = %llu && echo '%s  export' | sha256sum -c --quiet && test $(stat -c %%a export) = 600",
	         (unsigned long long)p.bytes, (unsigned long long)p.bytes, p.sha256);
	ok(sh(&w, command), "its bytes are in the export as they were stored, with the hash that was recorded");
	ok(begins_at(&w) == p.cut && tally(w.dir, "log.prune").of_type == 1, "the log begins at the cut and says why");
	struct bawn_bookmark place = { 0 };
	struct tally met = { 0 };
	char segment[120];
	snprintf(segment, sizeof segment, "mv a/seg/%012llu.jsonl aside && mkdir a/seg/%012llu.jsonl", (unsigned long long)p.cut, (unsigned long long)p.cut);
	bool walked = bawn_audit_walk_on(w.dir, &place, count_entry, &met, &err) == 0 && met.all == all + 1 - p.cut;
	ok(walked && sh(&w, segment) && bawn_audit_walk_on(w.dir, &place, count_entry, &met, &err) == 0 && met.all == all + 1 - p.cut, "who has come to its end reads none of it again: %s", err.msg);
	snprintf(segment, sizeof segment, "rmdir a/seg/%012llu.jsonl && mv aside a/seg/%012llu.jsonl", (unsigned long long)p.cut, (unsigned long long)p.cut);
	ok(sh(&w, segment), "put back");
	struct bawn_audit_report v = verify(w.dir);
	ok(v.ok && v.verified_from == p.cut && v.entries == all + 1 && strcmp(v.tiles, "good") == 0 && v.origin[0] != '\0' && v.vkey[0] != '\0', "it verifies from there on: %s %s", v.problem, v.tiles);
	struct bawn_audit_report s = { 0 };
	ok(bawn_audit_verify(w.dir, &(struct bawn_audit_verify_options){ .skim = true }, &s, NULL) == 0 && s.ok && strcmp(s.head_hash, v.head_hash) == 0, "skimmed as well");
	ok(grow(&w, 600) && verify(w.dir).ok && verify(w.dir).entries > all + 601 && strcmp(verify(w.dir).tiles, "good") == 0, "it goes on: %s", verify(w.dir).problem);
	struct tally t = tally(w.dir, NULL);
	struct tally b = { 0 };
	ok(t.all == verify(w.dir).entries - p.cut && bawn_audit_walk_back(w.dir, count_entry, &b, NULL) == 0 && b.all == t.all && b.last_seq == p.cut, "walks find what is left");

	/* Checkpoints from before, and tiles. */
	struct bawn_audit_verify_options o = { .witness = at(&w, "note") };
	ok(bawn_audit_verify(w.dir, &o, &s, NULL) == 0 && s.ok && s.witnessed == all, "a checkpoint kept from before still fits: %s", s.problem);
	bawn_auto_buf old = BAWN_BUF(2000);
	uint8_t root_n[BAWN_SHA256_LEN], root_m[BAWN_SHA256_LEN];
	bawn_auto_fd dirfd = openat(w.tmp.fd, "a", O_RDONLY | O_DIRECTORY | O_CLOEXEC), from = openat(w.tmp.fd, "before", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int wrong = 0;
	for (uint64_t m = 1; m < p.cut; m += 7) {
		uint8_t old_n[BAWN_SHA256_LEN], old_m[BAWN_SHA256_LEN];
		wrong += !bawn_tiles_roots(dirfd, p.cut, m, root_n, root_m) || !bawn_tiles_roots(from, m, m, old_n, old_m) || memcmp(root_m, old_m, sizeof old_m) != 0 || memcmp(old_n, old_m, sizeof old_n) != 0;
	}
	ok(wrong == 0, "roots of any size before the cut follow from tiles (%d wrong)", wrong);
	for (int forged = 0; forged < 2; forged++) {
		ok(bawn_tiles_roots(dirfd, p.cut, 100, root_n, root_m), "a root of 100 entries");
		root_m[3] ^= (uint8_t)forged;
		char b64[50];
		bawn_b64(root_m, sizeof root_m, b64);
		bawn_buf_reset(&old);
		bawn_buf_fmt(&old, "%s\n100\n%s\n\n", v.origin, b64);
		set(&w, "note100", old.p, old.n);
		o.witness = at(&w, "note100");
		ok(bawn_audit_verify(w.dir, &o, &s, NULL) == 0 && s.ok == !forged && (forged || s.witnessed == 100), "%s checkpoint of pruned entries: %s", forged ? "another" : "a", s.problem);
	}
	/* What tiles are made of again. */
	ok(sh(&w, "rm a/checkpoint") && grow(&w, 1) && strcmp(verify(w.dir).tiles, "good") == 0 && verify(w.dir).ok, "without its checkpoint the tiles are made anew from the cut: %s", verify(w.dir).tiles);
	static const struct { const char *remove, *change; size_t at; } harm[] = {
		{ .remove = "rm a/tile/0/000" }, { .remove = "rm a/tile/entries/000" }, { .change = "a/tile/0/000", .at = 99 },
		{ .change = "a/tile/entries/000", .at = 99 }, { .remove = "rm a/tile/1/000.p/*" },
		{ .change = "a/tile/entries/001", .at = 9 },  /* the cut lies in this one */
	};
	for (size_t i = 0; i < BAWN_LEN(harm); i++) {
		bool done = sh(&w, "cp -a a whole") && (harm[i].remove != NULL ? sh(&w, harm[i].remove) : flip_at(&w, harm[i].change, harm[i].at));
		struct bawn_audit_report h = verify(w.dir);
		ok(done && h.ok && strcmp(h.tiles, "good") != 0, "tiles of pruned entries are looked at (%s): %s", harm[i].remove != NULL ? harm[i].remove : harm[i].change, h.tiles);
		ok(sh(&w, "rm -r a && mv whole a") && strcmp(verify(w.dir).tiles, "good") == 0, "back");
	}

	struct bawn_pruned again;
	r = prune(&w, later, "export2", &again, &err);
	ok(r == 0 && again.from == p.cut && again.cut > p.cut && begins_at(&w) == again.cut && verify(w.dir).ok && verify(w.dir).verified_from == again.cut && verify(w.dir).epoch == 1,
	   "pruned again, beyond a change of keys: %s%s", err.msg, verify(w.dir).problem);
	ok(grow(&w, 5) && verify(w.dir).ok, "it goes on");
	bawn_auto_buf of_0 = get(&w, "a/keys/epoch-0.vkey"), of_1 = get(&w, "a/keys/epoch-1.vkey");
	s = verify(w.dir);
	ok(strncmp(s.vkey, of_0.p, of_0.n - 1) == 0 && strncmp(s.pin, of_1.p, of_1.n - 1) == 0, "the key to be written down is one that still vouches for it");
	char first[300], other[300];
	snprintf(first, sizeof first, "%s", s.vkey);
	auto_world strange = world_make();
	ok(bawn_audit_verify(w.dir, &(struct bawn_audit_verify_options){ .key = s.pin }, &s, &err) == 0 && s.ok, "with that it is good: %s", s.problem);
	ok(bawn_audit_verify(w.dir, &(struct bawn_audit_verify_options){ .key = first }, &s, &err) < 0 && err.type == BAWN_ERROR_AUDIT_FAILED && strstr(err.msg, "pruned") != NULL,
	   "with the first, whose entries are gone, nobody can tell: %s", err.msg);
	ok(fill_log(strange.dir, 1, 0) && snprintf(other, sizeof other, "%s", verify(strange.dir).vkey) > 0 &&
	   bawn_audit_verify(w.dir, &(struct bawn_audit_verify_options){ .key = other }, &s, &err) == 0 && !s.ok, "with another's it is not: %s", s.problem);
	static const char *const bad[] = { "cp a/keys/epoch-1.vkey a/keys/epoch-0.vkey", "cp a/keys/epoch-0.vkey a/keys/epoch-1.vkey",
		"f=$(ls a/seg | head -n 1) && mv a/seg/$f a/x && ln -s ../x a/seg/$f", "rm a/head && mkfifo a/head" };
	for (size_t i = 0; i < BAWN_LEN(bad); i++) {
		bool done = sh(&w, "cp -a a whole") && sh(&w, bad[i]);
		int c = bawn_audit_verify(w.dir, NULL, &s, &err);
		ok(done && c == 0 && !s.ok, "it is bad after: %s: %s", bad[i], c < 0 ? err.msg : s.problem);
		(void)!sh(&w, "rm -r a && mv whole a");
	}
	ok(sh(&w, "cat export export2 > both && cat before/seg/* | head -c $(stat -c %s export) | cmp - export && head -c $(stat -c %s both) both > /dev/null"), "the exports follow one another");
	struct proving proving = { .w = &w };
	r = bawn_audit_walk(w.dir, 0, prove_entry, &proving, NULL);
	ok(r == 0 && proving.good > 20 && proving.bad == 0, "entries that are left can be proved (%d, %d not)", proving.good, proving.bad);

	r = prune(&w, then, "export3", &again, &err);
	ok(r == 0 && again.cut == 0 && faccessat(w.tmp.fd, "export3", F_OK, 0) < 0 && tally(w.dir, "log.prune").of_type < 3, "where nothing is that old nothing happens");
	uint64_t entries = verify(w.dir).entries;
	r = prune(&w, bawn_wall_us() + 1000000, "export2", &again, &err);
	ok(r < 0 && strstr(err.msg, "export2") != NULL && verify(w.dir).entries == entries && sh(&w, "test -s export2"), "a file that is there is not overwritten: %s", err.msg);
	r = prune(&w, bawn_wall_us() + 1000000, "no/such/dir", &again, &err);
	ok(r < 0 && verify(w.dir).entries == entries, "nor is anything done where it cannot be made: %s", err.msg);
	ok(prune(&w, bawn_wall_us() + 1000000, "export4", &again, &err) == 0 && files_in(&w, "a/seg") == 1 && verify(w.dir).ok && grow(&w, 3) && verify(w.dir).ok, "the last segment stays");
}

static void not_without(void)
{
	auto_world w = world_make();
	uint64_t then = two_ages(&w, 60, 40);
	struct bawn_err err = { 0 };
	struct bawn_pruned p;
	ok(sh(&w, "cp -a a before"), "a copy");
	/* A damaged log, a damaged export. */
	bawn_auto_buf seg = get(&w, SEG0);
	seg.p[700] ^= 1;
	set(&w, SEG0, seg.p, seg.n);
	ok(prune(&w, then, "export", &p, &err) < 0 && err.type == BAWN_ERROR_AUDIT_TAMPERED && faccessat(w.tmp.fd, "export", F_OK, 0) < 0, "a log that does not verify is not pruned: %s", err.msg);
	seg.p[700] ^= 1;
	set(&w, SEG0, seg.p, seg.n);
	spoil = true;
	int r = prune(&w, then, "export", &p, &err);
	spoil = false;
	ok(r < 0 && strstr(err.msg, "does not hold") != NULL && faccessat(w.tmp.fd, "export", F_OK, 0) < 0 && begins_at(&w) == 0 && tally(w.dir, "log.prune").of_type == 0 && verify(w.dir).ok,
	   "nor one whose export is not what was written: %s", err.msg);
	/* Segments that went by themselves. */
	ok(sh(&w, "rm a/seg/000000000000.jsonl") && opens_as(w.dir) == BAWN_ERROR_AUDIT_TAMPERED && !verify(w.dir).ok && bawn_audit_walk(w.dir, 0, count_entry, &(struct tally){ 0 }, &err) < 0 &&
	   bawn_audit_walk_back(w.dir, count_entry, &(struct tally){ 0 }, &err) < 0, "a log that lost its beginning without a log.prune is refused: %s", verify(w.dir).problem);
	ok(sh(&w, "rm -r a && cp -a before a") && prune(&w, then, "export", &p, &err) == 0 && grow(&w, 30) && sh(&w, "cp -a a pruned") && opens_as(w.dir) == BAWN_ERROR_NONE, "pruned as it should be: %s", err.msg);
	ok(sh(&w, "rm a/pruned") && opens_as(w.dir) == BAWN_ERROR_NONE && verify(w.dir).ok, "the hint may be missing");
	static const char *const hint[] = { "", "x", "0 0\n", "999 5\n", "18446744073709551615 18446744073709551615\n" };
	for (size_t i = 0; i < BAWN_LEN(hint); i++) {
		set(&w, "a/pruned", hint[i], strlen(hint[i]));
		ok(opens_as(w.dir) == BAWN_ERROR_NONE, "or wrong (%zu)", i);
	}
	char rm[100];
	snprintf(rm, sizeof rm, "rm a/seg/%012llu.jsonl", (unsigned long long)p.cut);
	ok(sh(&w, rm) && opens_as(w.dir) == BAWN_ERROR_AUDIT_TAMPERED && !verify(w.dir).ok, "cut further than its log.prune says it is refused: %s", verify(w.dir).problem);
	/* Another cut in the record. */
	ok(sh(&w, "rm -r a && cp -a pruned a && f=$(grep -l '\"type\":\"log.prune\"' a/seg/*) && sed -i 's/\"cut\":\\([0-9]*\\)0,/\"cut\":\\11,/; s/\"cut\":\\([0-9]*\\)\\([2-9]\\),/\"cut\":\\11,/' $f && ! cmp -s $f pruned/${f#a/}") &&
	   !verify(w.dir).ok && opens_as(w.dir) == BAWN_ERROR_AUDIT_TAMPERED, "so where the record was changed: %s", verify(w.dir).problem);
	/* A whole log.prune that nobody signed, at the end of a log cut by hand. */
	snprintf(rm, sizeof rm, "cd a/seg && ls | while read f; do test ${f%%.jsonl} -ge %llu || rm $f; done", (unsigned long long)p.cut);
	bool made = sh(&w, "rm -r a && cp -a before a") && sh(&w, rm) &&
	            sh(&w, "grep -h '\"type\":\"log.prune\"' pruned/seg/* | sed 's/,\"root\":\"[^{}]*}$/}/' >> $(ls -d a/seg/* | tail -1)");
	struct bawn_audit_report v = verify(w.dir);
	ok(made && !v.ok && strstr(v.problem, "not signed") != NULL && opens_as(w.dir) == BAWN_ERROR_AUDIT_TAMPERED, "or is not signed: %s", v.problem);
	made = sh(&w, "rm -r a && cp -a pruned a && f=$(grep -l '\"type\":\"log.prune\"' a/seg/*) && sed -i '/\"type\":\"log.prune\"/s/,\"root\":\"[^{}]*}$/}/' $f && ! cmp -s $f pruned/${f#a/}");
	v = verify(w.dir);
	ok(made && !v.ok && opens_as(w.dir) == BAWN_ERROR_AUDIT_TAMPERED, "also where a later signature covers it: %s", v.problem);
	/* A signed one of another past, in a segment that nobody reads, and behind the end. */
	static const char *const where[] = { "a/seg/000000000001.jsonl", "$(ls -d a/seg/* | tail -1)" };
	for (size_t i = 0; i < BAWN_LEN(where); i++) {
		char put[160];
		snprintf(put, sizeof put, "grep -h '\"type\":\"log.prune\"' pruned/seg/* | head -1 >> %s", where[i]);
		made = sh(&w, "rm -rf a wit && cp -a before a") && grow(&w, 5) && sh(&w, rm) && sh(&w, put);
		v = verify(w.dir);
		ok(made && !v.ok && opens_as(w.dir) == BAWN_ERROR_AUDIT_TAMPERED, "or is no entry of this log, in %s: %s", where[i], v.problem);
	}
	/* The rest edited. */
	ok(sh(&w, "rm -r a && cp -a pruned a") && verify(w.dir).ok, "back");
	char first[60];
	snprintf(first, sizeof first, "a/seg/%012llu.jsonl", (unsigned long long)p.cut);
	bawn_auto_buf kept = get(&w, first);
	int missed = 0;
	for (size_t i = 0; i < kept.n; i += 41) {
		kept.p[i] ^= 1;
		set(&w, first, kept.p, kept.n);
		missed += verify(w.dir).ok;
		kept.p[i] ^= 1;
	}
	ok(missed == 0, "a byte of what is left, changed, is found (%d missed)", missed);
}

/* Killed before each call that changes a file. */
static void killed(void)
{
	auto_world w = world_make();
	uint64_t then = two_ages(&w, 60, 30);
	ok(sh(&w, "cp -a a a0 && cp -a wit wit0"), "a copy");
	uint64_t all = verify(w.dir).entries;
	int n, wrong = 0, unchanged = 0, recorded = 0, begun = 0;
	bool ended = false;
	for (n = 1; !ended && n < 400; n++) {
		int status = -1;
		bool good = sh(&w, "rm -rf a wit export export2 && cp -a a0 a && cp -a wit0 wit");
		pid_t pid = fork();
		if (pid == 0) {
			struct bawn_pruned p;
			die_before = n;
			_exit(prune(&w, then, "export", &p, NULL) < 0);
		}
		good = good && waitpid(pid, &status, 0) == pid;
		ended = WIFEXITED(status);
		good = good && (!ended || status == 0);
		const uint64_t first = begins_at(&w);
		struct bawn_audit_report v = verify(w.dir);
		good = good && v.ok && v.entries >= all;
		const bool has = v.entries > all;  /* log.prune is there */
		good = good && (has || first == 0);  /* nothing goes before it */
		unchanged += !has;
		recorded += has && first == 0;
		begun += first > 0 && first < verify(w.dir).verified_from;
		if (has)
			good = good && sh(&w, "s=$(grep -h '\"type\":\"log.prune\"' a/seg/* | sed 's/.*\"sha256\":\"\\([0-9a-f]*\\).*/\\1/') && echo \"$s  export\" | sha256sum -c --quiet");
		good = good && grow(&w, 2) && verify(w.dir).ok;
		struct bawn_pruned p = { 0 };
		struct bawn_err err = { 0 };
		if (good && begins_at(&w) == 0)
			good = prune(&w, then, "export2", &p, &err) == 0 && p.cut > 0;
		good = good && begins_at(&w) > 0 && verify(w.dir).ok && begins_at(&w) == verify(w.dir).verified_from && grow(&w, 1) && verify(w.dir).ok;
		if (!good)
			diag("before call %d: %s %s", n, v.problem, err.msg);
		wrong += !good;
	}
	ok(ended && n > 30 && wrong == 0, "killed before each of %d calls the log verifies, opens and can be pruned (%d wrong)", n - 2, wrong);
	ok(unchanged > 5 && recorded > 1 && begun > 1, "before the record (%d), after it (%d), and between segments (%d)", unchanged, recorded, begun);
}

/* An entry that keeps this output. */
static bool keep_output(struct world *w, const char *text, char sha[static BAWN_SHA256_HEX])
{
	struct bawn_audit *a = NULL;
	struct bawn_audit_options o = { .node = "n", .max_segment_bytes = 4000, .witness = at(w, "wit"), .witness_must = true };
	bool good = bawn_audit_open(w->dir, &o, &a, NULL) == 0 && bawn_audit_blob_put(w->dir, bawn_span(text), sha, NULL) == 0;
	bawn_auto_json body = json_pack("{s:s, s:s, s:[s]}", "request_sha256", sha, "code_sha256", sha, "output_kept", sha);
	good = good && bawn_audit_put(a, &(struct bawn_record){ .type = BAWN_RECORD_EXEC_OUTCOME, .exec = "E", .body = body }, NULL, NULL) == 0;
	close_log(a);
	return good;
}

static bool remove_body(struct world *w, const char *sha)
{
	char path[100];
	snprintf(path, sizeof path, "a/blob/%.2s/%s", sha, sha);
	return unlinkat(w->tmp.fd, path, 0) == 0;
}

/* Bodies stay; but what only pruned entries said is kept nobody says any more. */
static void bodies(void)
{
	auto_world w = world_make();
	char old[BAWN_SHA256_HEX] = "", young[BAWN_SHA256_HEX] = "";
	struct bawn_err err = { 0 };
	ok(grow(&w, 1) && keep_output(&w, "old", old), "an entry that keeps output");
	const uint64_t then = two_ages(&w, 60, 10);
	ok(keep_output(&w, "young", young) && verify(w.dir).ok && verify(w.dir).bodies == 2, "and one later");
	ok(sh(&w, "cp -a a before") && remove_body(&w, old) && !verify(w.dir).ok && sh(&w, "rm -r a && mv before a"), "the old one is missed while its entry is there");
	struct bawn_pruned p;
	ok(prune(&w, then, "export", &p, &err) == 0 && p.cut > 2 && verify(w.dir).ok && verify(w.dir).bodies == 2, "its entry is pruned: both are still there %s", err.msg);
	ok(remove_body(&w, old) && verify(w.dir).ok && verify(w.dir).missing_bodies == 0, "the old one is missed no more: %s", verify(w.dir).problem);
	ok(remove_body(&w, young) && !verify(w.dir).ok && verify(w.dir).missing_bodies == 1, "the other is: %s", verify(w.dir).problem);
}

/* Head counts log.prune before anything goes: one that does not was put there. */
static void older_head(void)
{
	auto_world w = world_make();
	struct bawn_err err = { 0 };
	ok(grow(&w, 1), "a log");
	bawn_auto_buf first = get(&w, "a/head");
	const uint64_t then = two_ages(&w, 60, 10);
	bawn_auto_buf last = get(&w, "a/head");
	struct bawn_pruned p;
	ok(prune(&w, then, "export", &p, &err) == 0 && p.cut > 2 && verify(w.dir).ok, "pruned %s", err.msg);
	set(&w, "a/head", first.p, first.n);
	ok(!verify(w.dir).ok && opens_as(w.dir) == BAWN_ERROR_AUDIT_TAMPERED, "a head of entries that were pruned is noticed: %s", verify(w.dir).problem);
	set(&w, "a/head", last.p, last.n);
	ok(!verify(w.dir).ok, "so is one from just before: %s", verify(w.dir).problem);
}

static enum bawn_error opens_with(struct world *w, const char *witness, bool must, char *weakness, size_t size)
{
	struct bawn_err err = { 0 };
	struct bawn_audit *a = NULL;
	int r = bawn_audit_open(w->dir, &(struct bawn_audit_options){ .node = "n", .witness = at(w, witness), .witness_must = must }, &a, &err);
	snprintf(weakness, size, "%s", r == 0 ? a->weakness : err.msg);
	close_log(a);
	return r == 0 ? BAWN_ERROR_NONE : err.type;
}

/* A log whose witness was changed, pruned, and changed back: what the first one knows is in no segment any more. */
static void older_witness(void)
{
	auto_world w = world_make();
	struct bawn_err err = { 0 };
	struct bawn_pruned p;
	char said[sizeof err.msg];
	ok(grow(&w, 5) && sh(&w, "mv wit first"), "a log, and its first witness");
	const uint64_t then = two_ages(&w, 60, 10);
	ok(prune(&w, then, "export", &p, &err) == 0 && p.cut > 6 && sh(&w, "cp -a a a0 && cp -a first first0"), "pruned with another: %s", err.msg);
	ok(opens_with(&w, "first", true, said, sizeof said) == BAWN_ERROR_NONE && said[0] == '\0', "the first one does not contradict what is left: %s", said);
	ok(sh(&w, "! cmp -s first/* first0/*"), "and is told how far it is");
	ok(sh(&w, "rm -r first && cp -a first0 first && sed -i '${s/ \\(.\\{70\\}\\)x/ \\1y/;t;s/ \\(.\\{70\\}\\)./ \\1x/}' first/*") && opens_with(&w, "first", true, said, sizeof said) == BAWN_ERROR_AUDIT_TAMPERED &&
	   strstr(said, "another past") != NULL, "one that has seen other entries does: %s", said);
	ok(sh(&w, "rm -r first a/tile && cp -a first0 first") && opens_with(&w, "first", true, said, sizeof said) == BAWN_ERROR_AUDIT_TAMPERED && strstr(said, "tiles") != NULL,
	   "without tiles nobody can tell: refused where there must be a witness: %s", said);
	ok(opens_with(&w, "first", false, said, sizeof said) == BAWN_ERROR_NONE && strstr(said, "witness") != NULL, "else a weakness: %s", said);
}

/* Readers take no lock: the log may be pruned under them. */
static void read_meanwhile(void)
{
	auto_world w = world_make();
	struct bawn_err err = { 0 };
	struct bawn_pruned p;
	struct bawn_bookmark early = { 0 }, late = { 0 };
	struct tally t = { 0 };
	ok(grow(&w, 3) && bawn_audit_walk_on(w.dir, &early, count_entry, &t, &err) == 0, "who reads a log in order");
	const uint64_t then = two_ages(&w, 60, 0);
	ok(bawn_audit_walk_on(w.dir, &late, count_entry, &t, &err) == 0 && grow(&w, 10) && sh(&w, "cp -a a whole && cp -a wit seen"), "another, further on");
	ok(prune(&w, then, "export", &p, &err) == 0 && p.cut > 6 && sh(&w, "cp -a a pruned"), "the log is pruned: %s", err.msg);
	err = (struct bawn_err){ 0 };
	ok(bawn_audit_walk_on(w.dir, &early, count_entry, &t, &err) < 0 && err.type == BAWN_ERROR_AUDIT_FAILED && strstr(err.msg, "were pruned") != NULL,
	   "what he did not come to is gone, and that is no tampering: %s", err.msg);
	const uint64_t size = verify(w.dir).entries;
	struct bawn_bookmark at_cut = { .seq = p.cut, .known = true };
	/* The place of somebody who has come to the end of the last segment that will go. */
	bawn_auto_buf all = get(&w, "export");
	const char *hash = NULL;
	for (const char *q = all.p; (q = memmem(q, (size_t)(all.p + all.n - q), ",\"hash\":\"", 9)) != NULL; q += 9)
		hash = q + 9;
	snprintf(at_cut.hash, sizeof at_cut.hash, "%.64s", hash != NULL ? hash : "");
	struct bawn_bookmark other = at_cut;
	other.hash[0] ^= 1;
	t = (struct tally){ 0 };
	err = (struct bawn_err){ 0 };
	ok(bawn_audit_walk_on(w.dir, &at_cut, count_entry, &t, &err) == 0 && t.all == size - p.cut, "who had come to the cut goes on: %s", err.msg);
	ok(bawn_audit_walk_on(w.dir, &other, count_entry, &t, &err) < 0 && err.type == BAWN_ERROR_AUDIT_TAMPERED, "unless it was another log: %s", err.msg);

	static const char swap[] = "mv a/seg gone && cp -a pruned/seg a/seg && cp pruned/head pruned/pruned a/";
	int wrong = 0, moments = 0;
	for (int when = 1; when < 20; when++) {
		for (int how = 0; how < 4; how++) {
			(void)!sh(&w, "rm -rf a gone && cp -a whole a");
			meanwhile.w = &w, meanwhile.command = swap, meanwhile.when = when;
			struct bawn_audit_report r = { .ok = true };
			t = (struct tally){ 0 };
			err = (struct bawn_err){ 0 };
			int c = how == 0 ? bawn_audit_verify(w.dir, NULL, &r, &err) : how == 1 ? bawn_audit_walk_back(w.dir, count_entry, &t, &err) :
			        how == 2 ? bawn_audit_walk(w.dir, 0, count_entry, &t, &err) : bawn_audit_verify(w.dir, &(struct bawn_audit_verify_options){ .witness = at(&w, "seen") }, &r, &err);
			const bool passed_over = how == 2 && err.type == BAWN_ERROR_AUDIT_FAILED && strstr(err.msg, "were pruned") != NULL;
			moments += meanwhile.when == 0;
			if ((c < 0 && !passed_over) || !r.ok) {
				diag("%d at %d: %s%s", how, when, err.msg, r.problem);
				wrong++;
			}
			meanwhile.when = 0;
		}
	}
	ok(wrong == 0 && moments > 40, "pruned before any of its segments is opened, a log is not taken for a bad one (%d of %d wrong)", wrong, moments);
}

int main(void)
{
	the_way();
	older_head();
	older_witness();
	read_meanwhile();
	bodies();
	not_without();
	killed();
	return done_testing();
}
