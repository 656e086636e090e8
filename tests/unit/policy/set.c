/* set.c - `policy set`: what it changes, what it leaves, and that it is all or nothing whoever is
 * killed or whatever call fails in between (the linker wraps the calls that write). */
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "policy/policy.h"
#include "tap.h"
#include "tmpdir.h"
#include "write.h"

/* ---- the n-th call that changes a directory kills us or fails ---- */

static long armed, seen;
static bool kills, fired;

static bool struck(void)
{
	if (armed == 0 || ++seen != armed)
		return false;
	fired = true;
	if (kills)
		(void)raise(SIGKILL);
	errno = EIO;
	return true;
}

#define WRAP(type, name, params, args) \
	type __real_##name params; \
	type __wrap_##name params; \
	type __wrap_##name params { return struck() ? (type)-1 : __real_##name args; }
WRAP(int, renameat2, (int a, const char *b, int c, const char *d, unsigned e), (a, b, c, d, e))
WRAP(int, renameat, (int a, const char *b, int c, const char *d), (a, b, c, d))
WRAP(int, unlinkat, (int a, const char *b, int c), (a, b, c))
WRAP(int, fsync, (int a), (a))
WRAP(ssize_t, write, (int a, const void *b, size_t c), (a, b, c))

/* ---- helpers ---- */

static void policy_freep(struct bawn_policy **p) { bawn_policy_free(*p); }
#define auto_policy __attribute__((cleanup(policy_freep))) struct bawn_policy *

static void hash_of(const struct bawn_policy_dirs *dirs, char out[BAWN_SHA256_HEX])
{
	auto_policy p = NULL;
	struct bawn_err err = { 0 };
	snprintf(out, BAWN_SHA256_HEX, "invalid");
	if (bawn_policy_load(dirs, &p, NULL, &err) == 0)
		bawn_hex(p->sha256, sizeof p->sha256, out);
	else
		diag("%s", err.msg);
}

/* Every name and byte of a directory, hashed: nothing may change unnoticed. */
static void bytes_of(const char *path, char out[BAWN_SHA256_HEX], size_t *out_files)
{
	struct dirent **entry = NULL;
	int n = scandir(path, &entry, NULL, alphasort);
	bawn_auto_buf all = BAWN_BUF(8u << 20);
	*out_files = 0;
	for (int i = 0; i < n; i++) {
		char file[512];
		snprintf(file, sizeof file, "%s/%s", path, entry[i]->d_name);
		bawn_buf_fmt(&all, "%s\n", entry[i]->d_name);
		if (entry[i]->d_name[0] != '.' || entry[i]->d_name[1] == 'b' || entry[i]->d_name[1] == 's') {
			struct stat st;
			*out_files += 1;
			if (stat(file, &st) == 0)
				bawn_buf_fmt(&all, "%o %ld.%09ld\n", (unsigned)st.st_mode, (long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
			if (bawn_read_file(AT_FDCWD, file, &all, NULL) < 0)
				bawn_buf_str(&all, "unreadable");
		}
		free(entry[i]);
	}
	free(entry);
	bawn_sha256_hex(bawn_buf_span(&all), out);
}

static bool has(const json_t *reply, const char *list, const char *want)
{
	size_t i;
	json_t *v;
	json_array_foreach(json_object_get(reply, list), i, v)
		if (json_is_string(v) && strstr(json_string_value(v), want) != NULL)
			return true;
	return false;
}

static const char *text(const json_t *reply, const char *key)
{
	const char *t = json_string_value(json_object_get(reply, key));
	return t != NULL ? t : "";
}

static void fill(int fd)
{
	put_file(fd, "sandbox.yaml", "# mine\nresources: {timeout: 100, pids_limit: 50}\nnetwork: {network_mode: none}\n");
	put_file(fd, "audit.yaml", "redact: [TOKEN]\n");
}

/* ---- what it does ---- */

static void test_good(void)
{
	auto_tmpdir dir = tmpdir_make();
	fill(dir.fd);
	ok(fchmodat(dir.fd, "sandbox.yaml", 0600, 0) == 0, "a file only the user reads");
	const struct bawn_policy_dirs dirs = { .user = dir.path };
	char before[BAWN_SHA256_HEX], after[BAWN_SHA256_HEX];
	hash_of(&dirs, before);
	bawn_auto_json reply = NULL;
	struct bawn_err err = { 0 };
	int r = bawn_policy_set(&dirs, dir.path, bawn_span(
		"sandbox:\n  resources: {mem_limit: 512m}\n  network: {whitelist: [\"packages.example:443\"], acknowledge_risk: true}\n"
		"security:\n  blocked_patterns: ['a: \"b\" #c', \"\\u00e9\\n\", 'null', ~x]\n  rules: {python/x: BLOCKED}\n"), &reply, &err);
	hash_of(&dirs, after);
	ok(r == 0 && json_array_size(json_object_get(reply, "errors")) == 0, "a good document is taken %s", err.msg);
	ok(strcmp(text(reply, "before"), before) == 0 && strcmp(text(reply, "after"), after) == 0 && strcmp(before, after) != 0,
	   "before and after are the hashes of the policy");
	ok(has(reply, "updated", "sandbox.resources.mem_limit") && has(reply, "updated", "security.rules") &&
	   !has(reply, "updated", "sandbox.resources.timeout") && !has(reply, "updated", "audit."), "updated names what changed");
	const json_t *first = json_array_get(json_object_get(reply, "changes"), 0);
	ok(json_object_get(first, "before") != NULL && json_object_get(first, "after") != NULL, "with the values before and after");
	auto_policy p = NULL;
	bool loaded = bawn_policy_load(&dirs, &p, NULL, NULL) == 0;
	ok(loaded && p->resources.memory_bytes == 512u << 20 && p->resources.timeout_ms == 100000 && p->resources.pids == 50 &&
	   p->redact.n == 1, "keys the document does not name keep their values");
	ok(loaded && p->blocked_patterns.n == 4 && strcmp(p->blocked_patterns.item[0], "a: \"b\" #c") == 0 &&
	   strcmp(p->blocked_patterns.item[1], "é\n") == 0 && strcmp(p->blocked_patterns.item[2], "null") == 0 &&
	   strcmp(p->blocked_patterns.item[3], "~x") == 0, "odd text comes back as it was");
	ok(loaded && p->loosened.n == 1 && strcmp(p->loosened.item[0], "sandbox.yaml: network.whitelist") == 0, "what was acknowledged is kept and listed");
	struct stat st;
	ok(fstatat(dir.fd, "sandbox.yaml", &st, 0) == 0 && (st.st_mode & 0777) == 0600, "a file keeps its mode");
	char bytes[BAWN_SHA256_HEX];
	size_t files = 0;
	bytes_of(dir.path, bytes, &files);
	ok(files == 3, "nothing is left behind");
	bawn_auto_json again = NULL;
	r = bawn_policy_set(&dirs, dir.path, bawn_span("{\"sandbox\": {\"resources\": {\"mem_limit\": \"0.5g\"}}}"), &again, NULL);
	ok(r == 0 && json_array_size(json_object_get(again, "updated")) == 0 && strcmp(text(again, "before"), text(again, "after")) == 0,
	   "the same again, in JSON, changes nothing");
}

static void test_new_directory(void)
{
	auto_tmpdir dir = tmpdir_make();
	char path[100], other[100];
	snprintf(path, sizeof path, "%s/a/bawn", dir.path);
	snprintf(other, sizeof other, "%s/a", dir.path);
	const struct bawn_policy_dirs dirs = { .user = path };
	bawn_auto_json refused = NULL;
	bawn_auto_json reply = NULL;
	struct stat st;
	int r = bawn_policy_set(&dirs, path, bawn_span("sandbox: {backend: x}"), &refused, NULL);
	ok(r < 0 && stat(other, &st) < 0, "a bad document makes no directory");
	r = bawn_policy_set(&dirs, path, bawn_span("sandbox: {on_violation: kill}"), &reply, NULL);
	auto_policy p = NULL;
	ok(r == 0 && bawn_policy_load(&dirs, &p, NULL, NULL) == 0 && p->on_violation == BAWN_VIOLATION_KILL, "a good one does");
}

static void test_bad(void)
{
	static const struct { const char *name, *document, *want; } row[] = {
		{ "a bad value",            "sandbox: {resources: {timeout: soon}}", "document:1:32: resources.timeout: 'soon' is not a duration" },
		{ "one bad file of two",    "audit: {redact: [A, TOKEN]}\nsandbox:\n  backend: natve\n", "document:3:12: backend: 'natve'" },
		{ "an unknown section",     "sandbx: {backend: native}", "document:1:1: sandbx: unknown key; allowed: security" },
		{ "an unknown key",         "sandbox: {bakend: native}", "did you mean 'backend'?" },
		{ "looser than the floor",  "sandbox: {resources: {timeout: 300}}", "looser than the floor '2m'" },
		{ "acknowledged elsewhere", "sandbox: {acknowledge_risk: true, resources: {timeout: 300}}", "looser than the floor" },
		{ "an acknowledgement taken back", "security: {overrides: {acknowledge_risk: false}}", "security.yaml:" },
		{ "nothing",                "", "document:1:1: is not a mapping" },
		{ "a list",                 "- sandbox\n", "document:1:1: is not a mapping" },
		{ "a section that is none", "sandbox: 7", "document:1:10: sandbox: is not a mapping" },
		{ "no YAML",                "sandbox: [", "document:" },
		{ "a tag",                  "sandbox: !!map {backend: native}", "tags are not allowed" },
		{ "two documents",          "sandbox: {backend: native}\n---\naudit: {sign: entry}\n", "a second document" },
		{ "a check between keys",   "security: {thresholds: {blocked_score: 30}}", "thresholds: must rise" },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		auto_tmpdir dir = tmpdir_make();
		fill(dir.fd);
		put_file(dir.fd, "security.yaml", "overrides: {minimum: self, acknowledge_risk: true}\n");
		const struct bawn_policy_dirs dirs = { .user = dir.path };
		char before[BAWN_SHA256_HEX], after[BAWN_SHA256_HEX];
		size_t files;
		bytes_of(dir.path, before, &files);
		bawn_auto_json reply = NULL;
		struct bawn_err err = { 0 };
		int r = bawn_policy_set(&dirs, dir.path, bawn_span(row[i].document), &reply, &err);
		bytes_of(dir.path, after, &files);
		if (!ok(r < 0 && err.type == BAWN_ERROR_CONFIG_INVALID && has(reply, "errors", row[i].want) &&
		        json_array_size(json_object_get(reply, "updated")) == 0 && strcmp(text(reply, "before"), text(reply, "after")) == 0 &&
		        strcmp(before, after) == 0, "refused, and not a byte changed: %s", row[i].name)) {
			bawn_auto_free char *dump = reply != NULL ? json_dumps(reply, 0) : NULL;
			diag("%d %s: %s", r, err.msg, dump != NULL ? dump : "");
		}
	}
}

static void test_floor(void)
{
	if (geteuid() != 0) {
		skip("root's floor", "only root can own a floor");
		return;
	}
	auto_tmpdir floor = tmpdir_make();
	auto_tmpdir user = tmpdir_make();
	put_file(floor.fd, "sandbox.yaml", "resources: {timeout: 60}\n");
	const struct bawn_policy_dirs dirs = { .floor = floor.path, .user = user.path };
	bawn_auto_json refused = NULL;
	bawn_auto_json taken = NULL;
	bawn_auto_json root = NULL;
	ok(bawn_policy_set(&dirs, user.path, bawn_span("sandbox: {resources: {timeout: 61, acknowledge_risk: true}}"), &refused, NULL) < 0 &&
	   has(refused, "errors", "belongs to root"), "a user cannot loosen root's floor");
	ok(bawn_policy_set(&dirs, user.path, bawn_span("sandbox: {resources: {timeout: 59}}"), &taken, NULL) == 0, "but tighten it");
	ok(bawn_policy_set(&dirs, floor.path, bawn_span("sandbox: {resources: {timeout: 90}}"), &root, NULL) == 0 &&
	   !has(root, "updated", "sandbox.resources.timeout"), "root changes the floor itself; the user's tighter value still counts");
}

/* ---- all or nothing ---- */

static const char change[] = "sandbox: {resources: {timeout: 50}}\nsecurity: {max_code_bytes: 1k}\naudit: {redact: [TOKEN, KEY]}\n";

static void reset(int fd)
{
	static const char *const left[] = { "security.yaml", "server.yaml", ".bawn-set.json" };
	for (size_t i = 0; i < BAWN_LEN(left); i++)
		(void)unlinkat(fd, left[i], 0);
	fill(fd);
}

static void test_killed(void)
{
	auto_tmpdir dir = tmpdir_make();
	const struct bawn_policy_dirs dirs = { .user = dir.path };
	char old[BAWN_SHA256_HEX], new[BAWN_SHA256_HEX], now[BAWN_SHA256_HEX];
	bawn_auto_json reply = NULL;
	reset(dir.fd);
	hash_of(&dirs, old);
	int r = bawn_policy_set(&dirs, dir.path, bawn_span(change), &reply, NULL);
	hash_of(&dirs, new);
	long n = 1, torn = 0, olds = 0, news = 0, stuck = 0;
	for (bool over = false; r == 0 && !over && n < 200; n++) {
		reset(dir.fd);
		pid_t pid = fork();
		if (pid == 0) {
			json_t *ignored = NULL;
			armed = n;
			kills = true;
			_exit(bawn_policy_set(&dirs, dir.path, bawn_span(change), &ignored, NULL) < 0);
		}
		int status = 0;
		(void)waitpid(pid, &status, 0);
		over = WIFEXITED(status) && WEXITSTATUS(status) == 0;
		hash_of(&dirs, now);
		olds += strcmp(now, old) == 0;
		news += strcmp(now, new) == 0;
		torn += strcmp(now, old) != 0 && strcmp(now, new) != 0;
		/* Whatever was left behind, the next one works and clears it away. */
		json_t *again = NULL;
		size_t files = 0;
		int failed = bawn_policy_set(&dirs, dir.path, bawn_span(change), &again, NULL);
		hash_of(&dirs, now);
		char bytes[BAWN_SHA256_HEX];
		bytes_of(dir.path, bytes, &files);
		stuck += failed < 0 || strcmp(now, new) != 0 || files != 3;
		json_decref(again);
	}
	ok(torn == 0 && olds > 3 && news > 3 && stuck == 0,
	   "killed at any of %ld calls: %ld times all old, %ld times all new, %ld torn, %ld stuck", n - 1, olds, news, torn, stuck);
}

static void test_failing(void)
{
	auto_tmpdir dir = tmpdir_make();
	const struct bawn_policy_dirs dirs = { .user = dir.path };
	char old[BAWN_SHA256_HEX], now[BAWN_SHA256_HEX];
	reset(dir.fd);
	hash_of(&dirs, old);
	long n = 1, wrong = 0, refused = 0;
	for (fired = true; fired && n < 200; n++) {
		reset(dir.fd);
		json_t *reply = NULL;
		struct bawn_err err = { 0 };
		armed = n;
		seen = 0;
		fired = false;
		int r = bawn_policy_set(&dirs, dir.path, bawn_span(change), &reply, &err);
		armed = 0;
		hash_of(&dirs, now);
		refused += r < 0;
		if ((strcmp(now, old) == 0) != (r < 0) || (reply != NULL) != (r == 0)) {
			diag("call %ld: returned %d %s", n, r, err.msg);
			wrong++;
		}
		json_decref(reply);
	}
	ok(wrong == 0 && refused > 5, "any of %ld calls fails: the answer and the files agree (%ld refused)", n - 1, refused);
}

static void test_together(void)
{
	auto_tmpdir dir = tmpdir_make();
	const struct bawn_policy_dirs dirs = { .user = dir.path };
	fill(dir.fd);
	pid_t pid[8];
	for (int i = 0; i < 8; i++) {
		pid[i] = fork();
		if (pid[i] == 0) {
			char text_[100];
			json_t *ignored = NULL;
			snprintf(text_, sizeof text_, "security: {rules: {python/r%d: BLOCKED}}\naudit: {redact: [TOKEN]}\n", i);
			_exit(bawn_policy_set(&dirs, dir.path, bawn_span(text_), &ignored, NULL) < 0);
		}
	}
	int failed = 0;
	for (int i = 0; i < 8; i++) {
		int status = 0;
		(void)waitpid(pid[i], &status, 0);
		failed += status != 0;
	}
	auto_policy p = NULL;
	ok(failed == 0 && bawn_policy_load(&dirs, &p, NULL, NULL) == 0 && p->n_rules == 8, "eight at once: no change is lost");
}

int main(void)
{
	test_good();
	test_new_directory();
	test_bad();
	test_floor();
	test_killed();
	test_failing();
	test_together();
	return done_testing();
}
