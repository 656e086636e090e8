/* load.c - what the four files may say, what is refused and where, and the floor rule both ways. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "parse/yaml.h"
#include "policy/policy.h"
#include "tap.h"
#include "tmpdir.h"
#include "write.h"

static void policy_freep(struct bawn_policy **p) { bawn_policy_free(*p); }
#define auto_policy __attribute__((cleanup(policy_freep))) struct bawn_policy *
#define auto_errors __attribute__((cleanup(bawn_policy_errors_done))) struct bawn_policy_errors

static const char *text_of(const struct bawn_policy_errors *e) { return e->text.p != NULL ? e->text.p : ""; }

/* The value of one key as `policy show` gives it, NULL where there is no such key. */
static char *shown(const struct bawn_policy *p, const char *key, const char *member)
{
	bawn_auto_json rows = NULL;
	size_t i;
	json_t *row;
	if (bawn_policy_show(p, &rows, NULL) < 0)
		return NULL;
	json_array_foreach(rows, i, row)
		if (strcmp(json_string_value(json_object_get(row, "key")), key) == 0)
			return json_dumps(json_object_get(row, member), JSON_ENCODE_ANY | JSON_COMPACT);
	return NULL;
}

static bool shows(const struct bawn_policy *p, const char *key, const char *member, const char *want)
{
	bawn_auto_free char *got = p != NULL ? shown(p, key, member) : NULL;
	bool good = got != NULL && strcmp(got, want) == 0;
	if (!good)
		diag("%s %s is %s, not %s", key, member, got != NULL ? got : "absent", want);
	return good;
}

static void test_defaults(void)
{
	static const struct { const char *key, *want; } row[] = {
		{ "security.decisions.LOW", "\"run\"" }, { "security.decisions.MEDIUM", "\"warn\"" },
		{ "security.decisions.HIGH", "\"confirm\"" }, { "security.decisions.BLOCKED", "\"refuse\"" },
		{ "security.thresholds.medium_score", "20" }, { "security.thresholds.high_score", "60" },
		{ "security.thresholds.blocked_score", "100" }, { "security.rules", "{}" },
		{ "security.blocked_patterns", "[]" }, { "security.high_triggers", "[]" }, { "security.trusted_patterns", "[]" },
		{ "security.overrides.allow_user_override", "true" }, { "security.overrides.minimum", "\"terminal\"" },
		{ "security.overrides.max_reason", "500" }, { "security.overrides.expires", "\"1h\"" },
		{ "security.max_code_bytes", "\"1m\"" },
		{ "sandbox.backend", "\"native\"" }, { "sandbox.image", "null" },
		{ "sandbox.interpreters.python", "\"/usr/bin/python3\"" }, { "sandbox.interpreters.bash", "\"/usr/bin/bash\"" },
		{ "sandbox.interpreters.javascript", "\"/usr/bin/node\"" },
		{ "sandbox.resources.cpu_count", "2" }, { "sandbox.resources.mem_limit", "\"1g\"" },
		{ "sandbox.resources.timeout", "\"2m\"" }, { "sandbox.resources.pids_limit", "100" },
		{ "sandbox.resources.disk_limit", "\"256m\"" }, { "sandbox.resources.inodes", "\"16k\"" },
		{ "sandbox.resources.open_files", "256" }, { "sandbox.resources.output_limit", "\"1m\"" },
		{ "sandbox.resources.stream_output_limit", "\"64m\"" },
		{ "sandbox.security.read_only", "true" }, { "sandbox.security.security_opt", "[\"no-new-privileges\"]" },
		{ "sandbox.security.cap_drop", "[\"ALL\"]" }, { "sandbox.security.user", "null" },
		{ "sandbox.network.network_mode", "\"none\"" }, { "sandbox.network.whitelist", "[]" },
		{ "sandbox.network.allow_private", "[]" }, { "sandbox.network.packages", "[]" },
		{ "sandbox.trust_levels.trusted.pids_limit", "100" }, { "sandbox.trust_levels.standard.mem_limit", "\"512m\"" },
		{ "sandbox.trust_levels.untrusted.timeout", "\"30s\"" }, { "sandbox.trust_levels.unknown.pids_limit", "25" },
		{ "sandbox.trust_levels.levels.LOW", "\"trusted\"" }, { "sandbox.trust_levels.levels.BLOCKED", "\"untrusted\"" },
		{ "sandbox.dynamic.max_factor", "2" }, { "sandbox.dynamic.max.cpu_count", "4" },
		{ "sandbox.dynamic.max.mem_limit", "\"2g\"" }, { "sandbox.dynamic.max.timeout", "\"5m\"" },
		{ "sandbox.dynamic.host_share.trusted", "\"0.3\"" }, { "sandbox.dynamic.host_share.unknown", "\"0.05\"" },
		{ "sandbox.dynamic.max_running", "64" }, { "sandbox.queue_timeout", "\"1m\"" },
		{ "sandbox.minimum_enforcement.require_cgroup_as_root", "true" },
		{ "sandbox.monitoring.sample_interval", "\"100ms\"" }, { "sandbox.monitoring.max_execution_time", "\"5m\"" },
		{ "sandbox.on_violation", "\"note\"" }, { "sandbox.uids.first", "1900000000" }, { "sandbox.uids.count", "4096" },
		{ "audit.sign", "\"batch\"" }, { "audit.log_level", "\"comprehensive\"" }, { "audit.keep_output", "\"hash\"" },
		{ "audit.include_full_code", "true" }, { "audit.retention.period_days", "30" },
		{ "audit.retention.archive_days", "90" }, { "audit.rotation.max_file_size", "\"100m\"" }, { "audit.redact", "[]" }, { "audit.redact_tokens", "true" },
		{ "audit.alerts.critical_events_per_hour", "10" }, { "audit.alerts.resource_violations_per_hour", "5" },
		{ "audit.alerts.failed_integrity_checks", "1" }, { "audit.alerts.disk_percent", "80" }, { "audit.witness", "null" },
		{ "server.listen", "null" },
	};
	auto_policy p = NULL;
	const struct bawn_policy_dirs none = { 0 };
	struct bawn_err err = { 0 };
	ok(bawn_policy_load(&none, &p, NULL, &err) == 0, "without any file there is a policy %s", err.msg);
	bool good = p != NULL;
	for (size_t i = 0; p != NULL && i < BAWN_LEN(row); i++)
		good = shows(p, row[i].key, "value", row[i].want) && shows(p, row[i].key, "default", row[i].want) &&
		       shows(p, row[i].key, "origin", "\"default\"") && good;
	ok(good, "every key of the contract is there with its default");
	uint32_t need = BAWN_LAYER_BIT(USERNS) | BAWN_LAYER_BIT(MOUNTNS) | BAWN_LAYER_BIT(PIDNS) | BAWN_LAYER_BIT(NETNS) |
	                BAWN_LAYER_BIT(IPCNS) | BAWN_LAYER_BIT(UTSNS) | BAWN_LAYER_BIT(CGROUPNS) | BAWN_LAYER_BIT(RO_ROOT) |
	                BAWN_LAYER_BIT(NO_CAPS) | BAWN_LAYER_BIT(NO_NEW_PRIVS) | BAWN_LAYER_BIT(SECCOMP) |
	                BAWN_LAYER_BIT(RLIMITS);
	ok(p != NULL && p->minimum_enforcement[BAWN_BACKEND_NATIVE] == need &&
	   p->minimum_enforcement[BAWN_BACKEND_DOCKER] == ((need | BAWN_LAYER_BIT(UID)) & ~BAWN_LAYER_BIT(USERNS)), "the layers without which nothing runs");
	ok(p != NULL && p->trust[BAWN_TRUST_UNTRUSTED].memory_bytes == 256u << 20 && p->trust[BAWN_TRUST_STANDARD].timeout_ms == 60000 &&
	   p->resources.cpus_milli == 2000 && p->host_share_milli[BAWN_TRUST_STANDARD] == 150 && p->n_rules == 0 &&
	   p->trust_defined[BAWN_TRUST_UNKNOWN] && p->loosened.n == 0 && !p->floor_root_owned, "and the struct says the same");
}

static void test_shipped(void)
{
	static const char *const file[] = { "security.yaml", "sandbox.yaml", "audit.yaml", "server.yaml" };
	auto_tmpdir dir = tmpdir_make();
	bool copied = true;
	for (size_t i = 0; i < BAWN_LEN(file); i++) {
		char path[512];
		bawn_auto_buf text = BAWN_BUF(1u << 20);
		snprintf(path, sizeof path, "%s/config/%s", SOURCE_ROOT, file[i]);
		copied = copied && bawn_read_file(AT_FDCWD, path, &text, NULL) == 0;
		put_bytes(dir.fd, file[i], text.p, text.n);
	}
	auto_policy shipped = NULL;
	auto_policy none = NULL;
	const struct bawn_policy_dirs user = { .user = dir.path }, nothing = { 0 };
	struct bawn_err err = { 0 };
	int r = bawn_policy_load(&user, &shipped, NULL, &err);
	ok(copied && r == 0 && bawn_policy_load(&nothing, &none, NULL, NULL) == 0 &&
	   memcmp(shipped->sha256, none->sha256, BAWN_SHA256_LEN) == 0, "the shipped files are the defaults %s", err.msg);
	/* Every key stands in the shipped files: none can be forgotten there. */
	bawn_auto_json rows = NULL;
	size_t i, absent = 0;
	json_t *row;
	if (shipped != NULL && bawn_policy_show(shipped, &rows, NULL) == 0)
		json_array_foreach(rows, i, row)
			if (strcmp(json_string_value(json_object_get(row, "origin")), "default") == 0) {
				diag("not in config/: %s", json_string_value(json_object_get(row, "key")));
				absent++;
			}
	ok(rows != NULL && absent == 0, "and name every key");
}

/* One file of the user's over the compiled defaults. */
struct one { const char *name, *file, *text, *want; };

static int load_text(const char *file, const char *text, struct bawn_policy **out, struct bawn_policy_errors *errors, struct bawn_err *err)
{
	auto_tmpdir dir = tmpdir_make();
	put_file(dir.fd, file, text);
	const struct bawn_policy_dirs dirs = { .user = dir.path };
	return bawn_policy_load(&dirs, out, errors, err);
}

static void test_types(void)
{
	/* want: key=JSON where it is good; a position and a piece of the message where it is not */
	static const struct one good[] = {
		{ "a bool",             "sandbox.yaml",  "security: {read_only: true}", "sandbox.security.read_only=true" },
		{ "a size",             "sandbox.yaml",  "resources: {mem_limit: 512M}", "sandbox.resources.mem_limit=\"512m\"" },
		{ "a size in bytes",    "sandbox.yaml",  "resources: {mem_limit: 536870912}", "sandbox.resources.mem_limit=\"512m\"" },
		{ "a duration",         "sandbox.yaml",  "resources: {timeout: 1.5s}", "sandbox.resources.timeout=\"1500ms\"" },
		{ "bare seconds",       "sandbox.yaml",  "resources: {timeout: 90}", "sandbox.resources.timeout=\"90s\"" },
		{ "a fraction",         "sandbox.yaml",  "resources: {cpu_count: 0.5}", "sandbox.resources.cpu_count=\"0.5\"" },
		{ "a number",           "sandbox.yaml",  "resources: {pids_limit: 7}", "sandbox.resources.pids_limit=7" },
		{ "a quoted number",    "sandbox.yaml",  "resources: {pids_limit: \"7\"}", "sandbox.resources.pids_limit=7" },
		{ "a word",             "security.yaml", "decisions: {MEDIUM: confirm}", "security.decisions.MEDIUM=\"confirm\"" },
		{ "a choice",           "audit.yaml",    "keep_output: full", "audit.keep_output=\"full\"" },
		{ "text",               "sandbox.yaml",  "image: python:3.11-slim", "sandbox.image=\"python:3.11-slim\"" },
		{ "text that is null",  "sandbox.yaml",  "image: null", "sandbox.image=null" },
		{ "a list",             "security.yaml", "blocked_patterns: [\"evil.example\", /etc/shadow]", "security.blocked_patterns=[\"evil.example\",\"/etc/shadow\"]" },
		{ "layers",             "sandbox.yaml",  "minimum_enforcement: {docker: [userns, mountns, pidns, netns, ipcns, utsns, cgroupns, ro_root, uid, no_caps, no_new_privs, seccomp, rlimits]}", "sandbox.minimum_enforcement.docker=[\"userns\",\"mountns\",\"pidns\",\"netns\",\"ipcns\",\"utsns\",\"cgroupns\",\"ro_root\",\"uid\",\"no_caps\",\"no_new_privs\",\"seccomp\",\"rlimits\"]" },
		{ "rules, by id",       "security.yaml", "rules: {python/z: HIGH, bash/a: BLOCKED}", "security.rules={\"bash/a\":\"BLOCKED\",\"python/z\":\"HIGH\"}" },
		{ "rules, none yet",    "security.yaml", "rules:\nmax_code_bytes: 1k\n", "security.rules={}" },
		{ "a group, none yet",  "security.yaml", "overrides:\n", "security.overrides.max_reason=500" },
		{ "a place to listen",  "server.yaml",   "listen: 127.0.0.1:8080", "server.listen=\"127.0.0.1:8080\"" },
		{ "JSON",               "sandbox.yaml",  "{\"resources\": {\"timeout\": 60}}", "sandbox.resources.timeout=\"1m\"" },
		{ "an empty file",      "sandbox.yaml",  "", "sandbox.resources.timeout=\"2m\"" },
		{ "trust levels are at most resources", "sandbox.yaml", "resources: {timeout: 20}", "sandbox.trust_levels.trusted.timeout=\"20s\"" },
		{ "and those below stay", "sandbox.yaml", "resources: {timeout: 20}", "sandbox.trust_levels.unknown.timeout=\"15s\"" },
		{ "no run is given longer than max_execution_time", "sandbox.yaml", "monitoring: {max_execution_time: 10}", "sandbox.dynamic.max.timeout=\"10s\"" },
	};
	for (size_t i = 0; i < BAWN_LEN(good); i++) {
		auto_policy p = NULL;
		struct bawn_err err = { 0 };
		const char *eq = strchr(good[i].want, '=');
		char key[100];
		snprintf(key, sizeof key, "%.*s", (int)(eq - good[i].want), good[i].want);
		int r = load_text(good[i].file, good[i].text, &p, NULL, &err);
		ok(r == 0 && shows(p, key, "value", eq + 1), "taken: %s %s", good[i].name, err.msg);
	}
	static const struct one bad[] = {
		{ "a bool by another name",   "sandbox.yaml",  "security: {read_only: yes}", "sandbox.yaml:1:23: security.read_only: 'yes' is not a bool; allowed: true, false" },
		{ "a quoted bool",            "sandbox.yaml",  "security: {read_only: \"true\"}", "1:23: security.read_only: 'true' is not a bool" },
		{ "a misspelt bool",          "sandbox.yaml",  "security: {read_only: True}", "did you mean 'true'?" },
		{ "a size that is a word",    "sandbox.yaml",  "resources:\n  mem_limit: lots\n", "sandbox.yaml:2:14: resources.mem_limit: 'lots' is not a size; allowed: 16m to 1t" },
		{ "a size below",             "sandbox.yaml",  "resources: {mem_limit: 1}", "'1' is too small; allowed: 16m to" },
		{ "a negative size",          "sandbox.yaml",  "resources: {mem_limit: -1}", "'-1' is not a size" },
		{ "a size beyond numbers",    "sandbox.yaml",  "resources: {mem_limit: 99999999999999999999g}", "is not a size" },
		{ "a duration of no unit",    "sandbox.yaml",  "resources: {timeout: 5 parsecs}", "'5 parsecs' is not a duration; allowed: 100ms to 1d" },
		{ "a duration too long",      "sandbox.yaml",  "resources: {timeout: 8d}", "'8d' is too large" },
		{ "no duration at all",       "sandbox.yaml",  "resources: {timeout: }", "'' is not a duration" },
		{ "a number with a unit",     "sandbox.yaml",  "resources: {pids_limit: 10k}", "'10k' is not a whole number; allowed: 1 to 100000" },
		{ "zero processes",           "sandbox.yaml",  "resources: {pids_limit: 0}", "'0' is too small" },
		{ "half a CPU too little",    "sandbox.yaml",  "resources: {cpu_count: 0.001}", "'0.001' is too small; allowed: 0.01 to 1024" },
		{ "a misspelt word",          "sandbox.yaml",  "backend: natve", "sandbox.yaml:1:10: backend: 'natve' is not a known word; allowed: native, docker; did you mean 'native'?" },
		{ "assurance none",           "security.yaml", "overrides: {minimum: none}", "'none' is not a known word; allowed: self, terminal, separate" },
		{ "a misspelt choice",        "audit.yaml",    "log_level: baisc", "did you mean 'basic'?" },
		{ "a relative interpreter",   "sandbox.yaml",  "interpreters: {python: python3}", "'python3' is not allowed; allowed: an absolute path" },
		{ "a path that climbs",       "sandbox.yaml",  "interpreters: {bash: /usr/../tmp/sh}", "allowed: an absolute path without '..'" },
		{ "a user that would be ignored", "sandbox.yaml", "security: {user: 65534:65534}", "in this version" },
		{ "a signature nobody knows", "audit.yaml",    "sign: page", "allowed: batch, entry" },
		{ "a witness that is not there", "audit.yaml", "witness: https://witness.example", "in this version" },
		{ "root as the user",         "sandbox.yaml",  "security: {user: 0}", "allowed: UID or UID:GID, from 1" },
		{ "a list that is a word",    "security.yaml", "blocked_patterns: evil", "security.yaml:1:19: blocked_patterns: 'evil' is not a list" },
		{ "a list in a list",         "security.yaml", "blocked_patterns: [[a]]", "1:20: blocked_patterns: 'a list' is not allowed" },
		{ "an item twice",            "security.yaml", "blocked_patterns: [a, b, a]", "1:26: blocked_patterns: 'a' stands there twice" },
		{ "an item of nothing",       "security.yaml", "blocked_patterns: [a, ]\nhigh_triggers: [~]\n", "security.yaml:2:17: high_triggers" },
		{ "a host with a space",      "sandbox.yaml",  "network: {whitelist: [\"a b\"], acknowledge_risk: true}", "1:23: network.whitelist: 'a b' is not allowed" },
		{ "a network without bits",   "sandbox.yaml",  "network: {allow_private: [10.0.0.1], acknowledge_risk: true}", "allowed: a network such as" },
		{ "the whole internet",       "sandbox.yaml",  "network: {allow_private: [0.0.0.0/0], acknowledge_risk: true}", "allowed: a network such as" },
		{ "an unknown layer",         "sandbox.yaml",  "minimum_enforcement: {native: [seccom]}", "'seccom' is not a known layer" },
		{ "a rule's unknown mode",    "security.yaml", "rules:\n  python/x: hgih\n", "security.yaml:2:13: rules: 'hgih' is not a mode of 'python/x'; allowed: off, LOW" },
		{ "a rule's bad name",        "security.yaml", "rules: {\"a b\": off}", "1:9: rules: 'a b' is not the ID of a rule" },
		{ "rules as a list",          "security.yaml", "rules: [a]", "a list is not a mapping of rules" },
		{ "a group that is a word",   "sandbox.yaml",  "resources: 7", "sandbox.yaml:1:12: resources: '7' is not a mapping" },
		{ "a word that is a group",   "sandbox.yaml",  "backend: {a: 1}", "backend: a mapping is not a known word" },
		{ "an unknown key",           "sandbox.yaml",  "resources:\n  memlimit: 1g\n", "sandbox.yaml:2:3: resources.memlimit: unknown key; allowed: cpu_count, mem_limit," },
		{ "a near key",               "sandbox.yaml",  "resources: {cpu_cuont: 1}", "did you mean 'cpu_count'?" },
		{ "a key in the wrong place", "sandbox.yaml",  "mem_limit: 1g", "did you mean 'resources.mem_limit'?" },
		{ "a dotted key",             "sandbox.yaml",  "resources.mem_limit: 1g", "unknown key" },
		{ "a key of another file",    "audit.yaml",    "backend: native", "audit.yaml:1:1: backend: unknown key" },
		{ "an unknown key for the daemon", "server.yaml", "listn: null", "did you mean 'listen'?" },
		{ "a file that is a list",    "audit.yaml",    "- sign\n", "audit.yaml:1:1: the file is a list, not a mapping" },
		{ "a file that does not parse", "sandbox.yaml", "resources: [\n", "sandbox.yaml:" },
		{ "an escape in a value",     "sandbox.yaml",  "backend: \"\\e[31m\"", "'\\x1b[31m'" },
		{ "acknowledged perhaps",     "sandbox.yaml",  "network: {acknowledge_risk: maybe}", "1:29: acknowledge_risk: 'maybe' is not a bool" },
		{ "thresholds that fall",     "security.yaml", "thresholds: {blocked_score: 30}", "security.yaml:1:29: thresholds: must rise" },
		{ "decisions that fall",      "security.yaml", "decisions: {LOW: confirm}", "decisions: a higher level cannot" },
		{ "trust that rises",         "sandbox.yaml",  "trust_levels: {levels: {LOW: unknown}}", "trust_levels.levels: a higher level" },
		{ "docker without an image",  "sandbox.yaml",  "backend: docker", "backend: docker needs an 'image'" },
		{ "an archive shorter than the log", "audit.yaml", "retention: {period_days: 365}", "retention: archive_days cannot" },
		{ "uids beyond the end",      "sandbox.yaml",  "uids: {first: 4294967290, count: 4096, acknowledge_risk: true}", "uids: first + count" },
	};
	for (size_t i = 0; i < BAWN_LEN(bad); i++) {
		struct bawn_policy *p = NULL;
		auto_errors errors = { 0 };
		struct bawn_err err = { 0 };
		int r = load_text(bad[i].file, bad[i].text, &p, &errors, &err);
		if (!ok(r < 0 && p == NULL && err.type == BAWN_ERROR_CONFIG_INVALID && errors.n >= 1 && strstr(text_of(&errors), bad[i].want) != NULL,
		        "refused: %s", bad[i].name))
			diag("%d, %zu: %s", r, errors.n, text_of(&errors));
		bawn_policy_free(p);
	}
}

static void test_five(void)
{
	static const char five[] =
		"backend: natve\n"
		"resources:\n"
		"  cpu_cout: 2\n"
		"  timeout: soon\n"
		"security:\n"
		"  read_only: yes\n"
		"network:\n"
		"  whitelist: [pip, \"a host\"]\n"
		"  acknowledge_risk: true\n";
	static const char *const position[] = { "/sandbox.yaml:1:10: ", "/sandbox.yaml:3:3: ", "/sandbox.yaml:4:12: ", "/sandbox.yaml:6:14: ", "/sandbox.yaml:8:20: " };
	auto_errors errors = { 0 };
	struct bawn_policy *p = NULL;
	struct bawn_err err = { 0 };
	int r = load_text("sandbox.yaml", five, &p, &errors, &err);
	const char *at = text_of(&errors);
	bool ordered = true;
	for (size_t i = 0; i < BAWN_LEN(position) && ordered; i++) {
		const char *found = strstr(at, position[i]);
		ordered = found != NULL;
		at = ordered ? found + 1 : at;
	}
	ok(r < 0 && p == NULL && errors.n == 5 && ordered, "five mistakes, five positions, in order");
	ok(strstr(err.msg, "(and 4 more)") != NULL && strstr(err.msg, ":1:10: backend") != NULL, "the error says the first and how many there are");
	ok(load_text("sandbox.yaml", five, &p, NULL, NULL) < 0, "nobody has to ask for the list");
}

/* ---- the floor ---- */

static void test_floor(void)
{
	/* floor NULL: compiled in.  want NULL: taken; loosened: what is listed then. */
	static const struct { const char *name, *floor, *file, *text, *want, *loosened; } row[] = {
		{ "tighter is taken",                       NULL, "sandbox.yaml", "resources: {timeout: 60}", NULL, NULL },
		{ "equal is taken",                         NULL, "sandbox.yaml", "resources: {timeout: 2m}", NULL, NULL },
		{ "looser is refused",                      NULL, "sandbox.yaml", "resources: {timeout: 121}", "sandbox.yaml:1:22: resources.timeout: '121s' is looser than the floor '2m' (compiled in); to accept that, write 'acknowledge_risk: true'", NULL },
		{ "looser, acknowledged, is listed",        NULL, "sandbox.yaml", "resources: {timeout: 121, acknowledge_risk: true}", NULL, "sandbox.yaml: resources.timeout" },
		{ "an acknowledgement elsewhere is none",   NULL, "sandbox.yaml", "acknowledge_risk: true\nresources: {timeout: 121}", "is looser", NULL },
		{ "acknowledge_risk: false is none",        NULL, "sandbox.yaml", "resources: {timeout: 121, acknowledge_risk: false}", "is looser", NULL },
		{ "a quoted one is none",                   NULL, "sandbox.yaml", "resources: {timeout: 121, acknowledge_risk: \"true\"}", "is not a bool", NULL },
		{ "network dependencies",                   NULL, "sandbox.yaml", "network: {network_mode: dependencies}", "'dependencies' is looser than the floor 'none'", NULL },
		{ "network acknowledged",                   NULL, "sandbox.yaml", "network: {network_mode: dependencies, acknowledge_risk: true}", NULL, "sandbox.yaml: network.network_mode" },
		{ "a whitelist",                            NULL, "sandbox.yaml", "network: {whitelist: [pip]}", "'[\"pip\"]' is looser than the floor '[]'", NULL },
		{ "a list of packages where there is none", NULL, "sandbox.yaml", "network: {packages: [numpy]}", NULL, NULL },
		{ "a shorter one",                          "network: {packages: [a, b]}\n", "sandbox.yaml", "network: {packages: [a]}", NULL, NULL },
		{ "another package in it",                  "network: {packages: [a, b]}\n", "sandbox.yaml", "network: {packages: [a, c]}", "is looser", NULL },
		{ "none again, which is any",               "network: {packages: [a, b]}\n", "sandbox.yaml", "network: {packages: []}", "is looser", NULL },
		{ "what is no package's name",              NULL, "sandbox.yaml", "network: {packages: ['a b']}", "the name of a package", NULL },
		{ "capabilities kept",                      NULL, "sandbox.yaml", "security: {cap_drop: [NET_RAW]}", "security.cap_drop: '[\"NET_RAW\"]' is looser", NULL },
		{ "more capabilities named",                NULL, "sandbox.yaml", "security: {cap_drop: [NET_RAW, ALL]}", NULL, NULL },
		{ "no_new_privs dropped",                   NULL, "sandbox.yaml", "security: {security_opt: []}", "is looser", NULL },
		{ "a root that can be written",             NULL, "sandbox.yaml", "security: {read_only: false}", "'false' is looser than the floor 'true'", NULL },
		{ "a layer less",                           NULL, "sandbox.yaml", "minimum_enforcement: {native: [seccomp]}", "is looser", NULL },
		{ "a layer less, acknowledged",             NULL, "sandbox.yaml", "minimum_enforcement: {native: [seccomp], acknowledge_risk: true}", NULL, "sandbox.yaml: minimum_enforcement.native" },
		{ "other uids",                             NULL, "sandbox.yaml", "uids: {first: 100000}", "is looser", NULL },
		{ "overrides by oneself",                   NULL, "security.yaml", "overrides: {minimum: self}", "'self' is looser than the floor 'terminal'", NULL },
		{ "overrides by oneself, acknowledged",     NULL, "security.yaml", "overrides: {minimum: self, acknowledge_risk: true}", NULL, "security.yaml: overrides.minimum" },
		{ "overrides by another only",              NULL, "security.yaml", "overrides: {minimum: separate}", NULL, NULL },
		{ "HIGH runs",                              NULL, "security.yaml", "decisions: {HIGH: warn}", "is looser", NULL },
		{ "HIGH refused",                           NULL, "security.yaml", "decisions: {HIGH: refuse}", NULL, NULL },
		{ "a rule raised",                          NULL, "security.yaml", "rules: {python/x: BLOCKED}", NULL, NULL },
		{ "a rule off",                             NULL, "security.yaml", "rules:\n  python/x: off\n", "security.yaml:2:13: rules: '{\"python/x\":\"off\"}' is looser", NULL },
		{ "a rule off, acknowledged",               NULL, "security.yaml", "rules: {python/x: off, acknowledge_risk: true}", NULL, "security.yaml: rules.python/x" },
		{ "a log that says less",                   NULL, "audit.yaml", "log_level: minimal", "is looser", NULL },
		{ "choosing docker is not loosening",       NULL, "sandbox.yaml", "backend: docker\nimage: debian:12\n", NULL, NULL },
		{ "an engine of one's own",                 NULL, "sandbox.yaml", "docker: {host: 'unix:///home/x/sock'}", NULL, NULL },
		{ "not where the floor is root's",          "resources: {timeout: 60}\n", "sandbox.yaml", "docker: {host: 'unix:///home/x/sock', acknowledge_risk: true}", "docker.host: 'unix:///home/x/sock' is looser than the floor", NULL },
		{ "nor where it says which",                "docker: {host: 'unix:///run/a'}\n", "sandbox.yaml", "docker: {host: 'unix:///run/b'}", "which belongs to root", NULL },
		{ "the same is no change",                  "docker: {host: 'unix:///run/a'}\n", "sandbox.yaml", "docker: {host: 'unix:///run/a'}", NULL, NULL },
		{ "none is none",                           "resources: {timeout: 60}\n", "sandbox.yaml", "docker: {host: null}", NULL, NULL },
		{ "tighter than root's floor is taken",     "resources: {timeout: 60}\n", "sandbox.yaml", "resources: {timeout: 59}", NULL, NULL },
		{ "looser than root's floor is refused",    "#\nresources: {timeout: 60}\n", "sandbox.yaml", "resources: {timeout: 61}", "is looser than the floor '1m' (FLOOR/sandbox.yaml:2), which belongs to root: it can only be tightened", NULL },
		{ "even acknowledged",                      "resources: {timeout: 60}\n", "sandbox.yaml", "resources: {timeout: 61, acknowledge_risk: true}", "which belongs to root", NULL },
		{ "also where root's files say nothing",    "resources: {timeout: 60}\n", "sandbox.yaml", "network: {network_mode: dependencies, acknowledge_risk: true}", "(compiled in), which belongs to root", NULL },
		{ "root's floor may be looser than ours",   "resources: {timeout: 200}\n", "sandbox.yaml", "resources: {timeout: 180}", NULL, NULL },
		{ "but walls need root's acknowledgement",  "security: {read_only: false}\n", "sandbox.yaml", "", "FLOOR/sandbox.yaml:1:23: security.read_only: 'false' is looser than the floor 'true' (compiled in)", NULL },
		{ "which then is listed",                   "security: {read_only: false, acknowledge_risk: true}\n", "sandbox.yaml", "", NULL, "sandbox.yaml: security.read_only" },
	};
	bool root = geteuid() == 0;
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		auto_tmpdir floor = tmpdir_make();
		auto_tmpdir user = tmpdir_make();
		if (row[i].floor != NULL && !root) {
			skip(row[i].name, "only root can own a floor");
			continue;
		}
		put_file(floor.fd, "sandbox.yaml", row[i].floor != NULL ? row[i].floor : "");
		put_file(user.fd, row[i].file, row[i].text);
		const struct bawn_policy_dirs dirs = { .floor = row[i].floor != NULL ? floor.path : NULL, .user = user.path };
		auto_policy p = NULL;
		auto_errors errors = { 0 };
		char want[400] = "";
		const char *mark = row[i].want != NULL ? strstr(row[i].want, "FLOOR") : NULL;
		if (mark != NULL)
			snprintf(want, sizeof want, "%.*s%s%s", (int)(mark - row[i].want), row[i].want, floor.path, mark + 5);
		else if (row[i].want != NULL)
			snprintf(want, sizeof want, "%s", row[i].want);
		int r = bawn_policy_load(&dirs, &p, &errors, NULL);
		bool good = row[i].want != NULL ? r < 0 && p == NULL && errors.n == (strstr(want, "not a bool") ? 2 : 1) && strstr(text_of(&errors), want) != NULL
		          : r == 0 && p->floor_root_owned == (row[i].floor != NULL) &&
		            (row[i].loosened != NULL ? p->loosened.n == 1 && strcmp(p->loosened.item[0], row[i].loosened) == 0 : p->loosened.n == 0);
		if (!ok(good, "floor: %s", row[i].name))
			diag("%d, %zu: %s loosened %zu", r, errors.n, text_of(&errors), p != NULL ? p->loosened.n : 0);
	}
}

static void test_layers(void)
{
	auto_tmpdir user = tmpdir_make();
	auto_tmpdir more = tmpdir_make();
	put_file(user.fd, "sandbox.yaml", "resources:\n  timeout: 60\n  pids_limit: 50\n");
	put_file(user.fd, "security.yaml", "rules: {python/a: HIGH, python/b: HIGH}\n");
	put_file(more.fd, "sandbox.yaml", "resources:\n  timeout: 90\n");
	put_file(more.fd, "security.yaml", "rules: {python/b: BLOCKED, python/c: HIGH}\n");
	const struct bawn_policy_dirs dirs = { .user = user.path, .explicit_ = more.path };
	auto_policy p = NULL;
	char origin[200];
	snprintf(origin, sizeof origin, "\"%s/sandbox.yaml:2\"", more.path);
	ok(bawn_policy_load(&dirs, &p, NULL, NULL) == 0 && shows(p, "sandbox.resources.timeout", "value", "\"90s\"") &&
	   shows(p, "sandbox.resources.timeout", "origin", origin), "the directory given wins over the user's, and says so");
	snprintf(origin, sizeof origin, "\"%s/sandbox.yaml:3\"", user.path);
	ok(shows(p, "sandbox.resources.pids_limit", "origin", origin) && shows(p, "sandbox.trust_levels.trusted.pids_limit", "origin", origin),
	   "what it does not say comes from the user's; a capped value names what capped it");
	ok(shows(p, "security.rules", "value", "{\"python/a\":\"HIGH\",\"python/b\":\"BLOCKED\",\"python/c\":\"HIGH\"}") &&
	   p != NULL && !p->rules[0].may_lower, "rules add up, and cannot lower unless that was acknowledged");
	auto_tmpdir floor = tmpdir_make();
	put_file(user.fd, "security.yaml", "rules: {python/a: LOW, acknowledge_risk: true}\n");
	put_file(user.fd, "sandbox.yaml", "");
	const struct bawn_policy_dirs over_root = { .floor = floor.path, .user = user.path };
	auto_policy held = NULL;
	if (geteuid() == 0)
		ok(bawn_policy_load(&over_root, &held, NULL, NULL) == 0 && held->n_rules == 1 && !held->rules[0].may_lower && held->loosened.n == 0,
		   "over root's floor a rule's level only raises, whatever is acknowledged");
	else
		skip("a rule over root's floor", "only root can own a floor");
	const struct bawn_policy_dirs missing = { .explicit_ = "/nonexistent/bawn" }, absent = { .floor = "/nonexistent/bawn", .user = "/nonexistent/bawn2" };
	auto_policy q = NULL;
	auto_policy s = NULL;
	ok(bawn_policy_load(&missing, &q, NULL, NULL) < 0 && q == NULL, "a directory asked for must exist");
	ok(bawn_policy_load(&absent, &s, NULL, NULL) == 0 && !s->floor_root_owned, "the others need not");
}

static void test_hash(void)
{
	static const struct { const char *name, *a, *b; bool same; } row[] = {
		{ "spelling does not matter",    "resources: {mem_limit: 512m, timeout: 60}", "{\"resources\": {\"timeout\": \"1m\", \"mem_limit\": \"0.5g\"}}", true },
		{ "the default may be written",  "", "resources: {timeout: 120}", true },
		{ "the order of lists neither",  "security: {cap_drop: [ALL, KILL]}", "security: {cap_drop: [KILL, ALL]}", true },
		{ "a value does",                "resources: {timeout: 60}", "resources: {timeout: 61}", false },
		{ "an item does",                "security: {cap_drop: [ALL, KILL]}", "security: {cap_drop: [ALL, CHOWN]}", false },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		auto_policy a = NULL;
		auto_policy b = NULL;
		bool good = load_text("sandbox.yaml", row[i].a, &a, NULL, NULL) == 0 && load_text("sandbox.yaml", row[i].b, &b, NULL, NULL) == 0;
		ok(good && (memcmp(a->sha256, b->sha256, BAWN_SHA256_LEN) == 0) == row[i].same, "hash: %s", row[i].name);
	}
	auto_policy raised = NULL;
	auto_policy lowered = NULL;
	ok(load_text("security.yaml", "rules: {python/x: HIGH}", &raised, NULL, NULL) == 0 &&
	   load_text("security.yaml", "rules: {python/x: HIGH, acknowledge_risk: true}", &lowered, NULL, NULL) == 0 &&
	   !raised->rules[0].may_lower && lowered->rules[0].may_lower &&
	   bawn_policy_rule_mode(raised, "python/x", BAWN_LEVEL_BLOCKED) == BAWN_LEVEL_BLOCKED &&
	   bawn_policy_rule_mode(raised, "python/x", BAWN_LEVEL_LOW) == BAWN_LEVEL_HIGH &&
	   bawn_policy_rule_mode(raised, "python/y", BAWN_LEVEL_LOW) == BAWN_LEVEL_LOW &&
	   bawn_policy_rule_mode(lowered, "python/x", BAWN_LEVEL_BLOCKED) == BAWN_LEVEL_HIGH && memcmp(raised->sha256, lowered->sha256, BAWN_SHA256_LEN) != 0,
	   "hash: a level that may lower is not one that may only raise");
}

static void test_files(void)
{
	static const struct { const char *name; int kind; const char *want; } row[] = {
		{ "a file everybody may write", 0, "sandbox.yaml: can be written by everybody" },
		{ "a file of somebody else",    1, "sandbox.yaml: belongs to another user" },
		{ "a directory as a file",      2, "sandbox.yaml: is not a regular file" },
		{ "a pipe as a file",           3, "sandbox.yaml: is not a regular file" },
		{ "a directory everybody may write", 4, "can be written by everybody" },
		{ "a directory of somebody else", 5, "belongs to another user" },
		{ "a file too large",           6, "sandbox.yaml:1:1: more than 256 KiB" },
		{ "a broken link is no file",   7, NULL },
		{ "a bad journal",              8, "cannot be read" },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		auto_tmpdir dir = tmpdir_make();
		bool made = true;
		if (row[i].kind != 2 && row[i].kind != 3 && row[i].kind != 7)
			put_file(dir.fd, "sandbox.yaml", "resources: {timeout: 60}\n");
		if ((row[i].kind == 1 || row[i].kind == 5) && geteuid() != 0) {
			skip(row[i].name, "only root can give files away");
			continue;
		}
		switch (row[i].kind) {
		case 0: made = fchmodat(dir.fd, "sandbox.yaml", 0666, 0) == 0; break;
		case 1: made = fchownat(dir.fd, "sandbox.yaml", 12345, 12345, 0) == 0; break;
		case 2: made = mkdirat(dir.fd, "sandbox.yaml", 0700) == 0; break;
		case 3: made = mkfifoat(dir.fd, "sandbox.yaml", 0600) == 0; break;
		case 4: made = fchmod(dir.fd, 0777) == 0; break;
		case 5: made = fchown(dir.fd, 12345, 12345) == 0; break;
		case 6: {
			static char big[300000];
			memset(big, '#', sizeof big);
			put_bytes(dir.fd, "sandbox.yaml", big, sizeof big);
			break;
		}
		case 7: made = symlinkat("/nonexistent", dir.fd, "sandbox.yaml") == 0; break;
		default: put_file(dir.fd, ".bawn-set.json", "{\"sandbox.yaml\": \"\", \"x\": 1}"); break;
		}
		const struct bawn_policy_dirs dirs = { .user = dir.path };
		auto_policy p = NULL;
		auto_errors errors = { 0 };
		int r = bawn_policy_load(&dirs, &p, &errors, NULL);
		if (!ok(made && (row[i].want == NULL ? r == 0 : r < 0 && p == NULL && strstr(text_of(&errors), row[i].want) != NULL), "files: %s", row[i].name))
			diag("%d: %s", r, text_of(&errors));
	}
}

static void test_manual(void)
{
	bawn_auto_buf text = BAWN_BUF(1u << 20);
	bawn_auto_json rows = NULL;
	auto_policy p = NULL;
	const struct bawn_policy_dirs none = { 0 };
	bawn_policy_manual(&text);
	size_t lines = 0, tabs = 0;
	for (size_t i = 0; i < text.n; i++) {
		lines += text.p[i] == '\n';
		tabs += text.p[i] == '\t';
	}
	bool good = bawn_policy_load(&none, &p, NULL, NULL) == 0 && bawn_policy_show(p, &rows, NULL) == 0;
	ok(good && bawn_buf_error(&text) == 0 && lines == json_array_size(rows) && tabs == 5 * lines, "the manual has a line of six columns for every key");
}

int main(void)
{
	test_defaults();
	test_shipped();
	test_types();
	test_five();
	test_floor();
	test_layers();
	test_hash();
	test_files();
	test_manual();
	return done_testing();
}
