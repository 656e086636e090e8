/* schema.c - every key of the four files, one row each, and the checks between keys.
 *
 * Numbers are in the field's unit: bytes, milliseconds, thousandths.  The level of a piece of code is
 * the higher of its strongest rule and its summed score: 20, 60 and 100 points make it MEDIUM, HIGH
 * and BLOCKED, so that one HIGH rule never needs the sum, and several MEDIUM ones add up to it. */
#include "policy/schema.h"
#include <arpa/inet.h>
#include "base/cleanup.h"
#include "base/num.h"

const char *const bawn_policy_section[BAWN_FILE_COUNT] = { "security", "sandbox", "audit", "server" };
const char *const bawn_policy_file[BAWN_FILE_COUNT] = { "security.yaml", "sandbox.yaml", "audit.yaml", "server.yaml" };

static const char *const sign_name[] = { "batch", "entry" };
static const char *const log_level_name[] = { "minimal", "basic", "comprehensive" };
static const char *const keep_output_name[] = { "hash", "head", "full" };
static const struct bawn_words sign_words = { sign_name, (int)BAWN_LEN(sign_name) };
static const struct bawn_words log_level_words = { log_level_name, (int)BAWN_LEN(log_level_name) };
static const struct bawn_words keep_output_words = { keep_output_name, (int)BAWN_LEN(keep_output_name) };

/* ---- what text must look like ---- */

static bool made_of(struct bawn_span s, const char *more)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) &&
		    (c == '\0' || strchr(more, c) == NULL))
			return false;
	}
	return s.n > 0 && s.n <= 256;
}

static const char *check_path(struct bawn_span s)
{
	bool good = s.n > 1 && s.n < 256 && s.p[0] == '/' && memmem(s.p, s.n, "/../", 4) == NULL &&
	            (s.n < 3 || memcmp(s.p + s.n - 3, "/..", 3) != 0) && s.p[s.n - 1] != '/';
	return good ? NULL : "an absolute path without '..'";
}

static const char *check_user(struct bawn_span s)
{
	static const char *const allowed = "UID or UID:GID, from 1 to 4294967294";
	const char *colon = memchr(s.p, ':', s.n);
	size_t n = colon != NULL ? (size_t)(colon - s.p) : s.n;
	uint64_t id;
	if (bawn_parse_u64((struct bawn_span){ s.p, n }, 1, UINT32_MAX - 1, &id, NULL) < 0)
		return allowed;
	if (colon != NULL && bawn_parse_u64((struct bawn_span){ colon + 1, s.n - n - 1 }, 1, UINT32_MAX - 1, &id, NULL) < 0)
		return allowed;
	return NULL;
}

static const char *check_image(struct bawn_span s)
{
	bool good = made_of(s, "._-/:@") && strchr("._-/:@", s.p[0]) == NULL && memmem(s.p, s.n, "..", 2) == NULL && memmem(s.p, s.n, "//", 2) == NULL;
	return good ? NULL : "an image name such as python:3.11-slim";
}

bool bawn_image_name_valid(struct bawn_span s) { return s.n > 0 && s.n < 256 && check_image(s) == NULL; }

static const char *check_engine(struct bawn_span s)
{
	return bawn_span_starts(s, "unix:///") && s.n < sizeof "unix://" + 107 ? NULL : "a socket such as unix:///var/run/docker.sock";
}

static const char *check_runtime(struct bawn_span s)
{
	return made_of(s, "._-") && s.n < 64 ? NULL : "a runtime the engine knows, such as runc or runsc";
}

static const char *check_pattern(struct bawn_span s)
{
	return s.n > 0 && s.n <= 256 ? NULL : "a name, a path or a host of 1 to 256 bytes";
}

static const char *check_capability(struct bawn_span s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!((s.p[i] >= 'A' && s.p[i] <= 'Z') || s.p[i] == '_'))
			return "ALL, or capabilities such as NET_RAW";
	return s.n > 0 && s.n < 64 ? NULL : "ALL, or capabilities such as NET_RAW";
}

static const char *check_option(struct bawn_span s)
{
	return made_of(s, "-=:._/") ? NULL : "an option such as no-new-privileges";
}

/* What a name could be made of, letters of other scripts among them; the proxy looks closer. */
static bool names_host(struct bawn_span s)
{
	bool good = s.n > 0 && s.n <= 256 && s.p[0] != '-' && s.p[0] != '.';
	for (size_t i = 0; good && i < s.n; i++)
		good = (unsigned char)s.p[i] >= 0x80 || made_of((struct bawn_span){ s.p + i, 1 }, ".-");
	return good;
}

static const char *check_host(struct bawn_span s)
{
	static const char *const scheme[] = { "http://", "https://" };
	static const char *const allowed = "host, host:port, http://host:port, pip, npm";
	for (size_t i = 0; i < BAWN_LEN(scheme); i++)
		if (bawn_span_starts(s, scheme[i])) {
			s.p += strlen(scheme[i]);
			s.n -= strlen(scheme[i]);
			break;
		}
	const char *bracket = s.n > 0 && s.p[0] == '[' ? memchr(s.p, ']', s.n) : NULL;
	const char *colon = bracket != NULL ? bracket + 1 : s.n > 0 ? memchr(s.p, ':', s.n) : NULL;
	if (bracket != NULL && colon == s.p + s.n)
		colon = NULL;
	size_t n = colon != NULL ? (size_t)(colon - s.p) : s.n;
	uint64_t port;
	bool good = bracket != NULL ? made_of((struct bawn_span){ s.p + 1, (size_t)(bracket - s.p) - 1 }, ":") && (colon == NULL || *colon == ':')
	                            : names_host((struct bawn_span){ s.p, n });
	if (!good)
		return allowed;
	if (colon != NULL && bawn_parse_u64((struct bawn_span){ colon + 1, s.n - n - 1 }, 1, 65535, &port, NULL) < 0)
		return allowed;
	return NULL;
}

bool bawn_host_row_valid(struct bawn_span s) { return s.n > 0 && check_host(s) == NULL; }

static const char *check_package(struct bawn_span s)
{
	return made_of(s, "._-@/") ? NULL : "the name of a package, such as numpy or @types/node";
}

static const char *check_cidr(struct bawn_span s)
{
	static const char *const allowed = "a network such as 10.1.0.0/16 or fd00::/64";
	const char *slash = memchr(s.p, '/', s.n);
	size_t n = slash != NULL ? (size_t)(slash - s.p) : s.n;
	char host[INET6_ADDRSTRLEN] = "";
	unsigned char address[16];
	uint64_t bits;
	if (slash == NULL || n >= sizeof host)
		return allowed;
	memcpy(host, s.p, n);
	uint64_t max = inet_pton(AF_INET, host, address) == 1 ? 32 : inet_pton(AF_INET6, host, address) == 1 ? 128 : 0;
	if (max == 0 || bawn_parse_u64((struct bawn_span){ slash + 1, s.n - n - 1 }, 1, max, &bits, NULL) < 0)
		return allowed;
	return NULL;
}

static const char *check_place(struct bawn_span s)
{
	return check_path(s) == NULL || check_host(s) == NULL ? NULL : "an absolute path or host:port";
}

static const char *check_witness(struct bawn_span s)
{
	return check_path(s) == NULL || (bawn_span_starts(s, "https://") && made_of(s, ":/._-")) ? NULL
	       : "an absolute path or an https:// address";
}

/* ---- the table ---- */

#define AT(field) offsetof(struct bawn_policy, field)
#define SECURITY  BAWN_FILE_SECURITY
#define SANDBOX   BAWN_FILE_SANDBOX
#define AUDIT     BAWN_FILE_AUDIT
#define SERVER    BAWN_FILE_SERVER
#define T(type)   BAWN_VALUE_##type
#define S(way)    BAWN_STRICTER_##way
#define KIB       (1ull << 10)
#define MIB       (1ull << 20)
#define GIB       (1ull << 30)
#define SEC       1000ull
#define DAY       86400000ull
#define NO_MORE   (1ull << 40)

#define CPUS   .min = 10, .max = 1024000
#define MEMORY .min = 16 * MIB, .max = NO_MORE
#define TIME   .min = 100, .max = DAY
#define PIDS   .min = 1, .max = 100000
#define DISK   .min = 64 * KIB, .max = NO_MORE

/* The five numbers of resources, of a trust level and of dynamic.max. */
#define BASE(prefix, field, cpu, mem, time, pid, disk, of) \
	{ SANDBOX, prefix ".cpu_count",  T(MILLI),    S(LOWER), AT(field.cpus_milli),   cpu,  "CPUs " of, CPUS }, \
	{ SANDBOX, prefix ".mem_limit",  T(SIZE),     S(LOWER), AT(field.memory_bytes), mem,  "memory " of, MEMORY }, \
	{ SANDBOX, prefix ".timeout",    T(DURATION), S(LOWER), AT(field.timeout_ms),   time, "wall time " of, TIME }, \
	{ SANDBOX, prefix ".pids_limit", T(NUMBER),   S(LOWER), AT(field.pids),         pid,  "processes and threads " of, PIDS }, \
	{ SANDBOX, prefix ".disk_limit", T(SIZE),     S(LOWER), AT(field.disk_bytes),   disk, "workspace, /tmp and /dev/shm together " of, DISK }

#define LEVEL_ROWS(group, type, field, words_, what, low, medium, high, blocked, file) \
	{ file, group ".LOW",     T(WORD), S(HIGHER), AT(field[BAWN_LEVEL_LOW]),     low,     what " LOW", .words = &words_ }, \
	{ file, group ".MEDIUM",  T(WORD), S(HIGHER), AT(field[BAWN_LEVEL_MEDIUM]),  medium,  what " MEDIUM", .words = &words_ }, \
	{ file, group ".HIGH",    T(WORD), S(HIGHER), AT(field[BAWN_LEVEL_HIGH]),    high,    what " HIGH", .words = &words_ }, \
	{ file, group ".BLOCKED", T(WORD), S(HIGHER), AT(field[BAWN_LEVEL_BLOCKED]), blocked, what " BLOCKED", .words = &words_ }

#define NATIVE_LAYERS "userns mountns pidns netns ipcns utsns cgroupns ro_root no_caps no_new_privs seccomp rlimits"
#define DOCKER_LAYERS "mountns pidns netns ipcns utsns cgroupns ro_root uid no_caps no_new_privs seccomp rlimits"

const struct bawn_key bawn_key[] = {
	LEVEL_ROWS("decisions", ACTION, decision, bawn_action_words, "what happens to code assessed", "run", "warn", "confirm", "refuse", SECURITY),
	{ SECURITY, "thresholds.medium_score",  T(NUMBER), S(LOWER), AT(medium_score),  "20",  "summed score from which code is MEDIUM", .min = 1, .max = 1000000 },
	{ SECURITY, "thresholds.high_score",    T(NUMBER), S(LOWER), AT(high_score),    "60",  "summed score from which code is HIGH", .min = 1, .max = 1000000 },
	{ SECURITY, "thresholds.blocked_score", T(NUMBER), S(LOWER), AT(blocked_score), "100", "summed score from which code is BLOCKED", .min = 1, .max = 1000000 },
	{ SECURITY, "rules",            T(RULES), S(RULES),    AT(rules), NULL, "rule ID: off or a level; without acknowledge_risk a level can only raise the rule's own" },
	{ SECURITY, "blocked_patterns", T(LIST),  S(SUPERSET), AT(blocked_patterns), NULL, "your own names, paths and hosts that make code BLOCKED", .check = check_pattern },
	{ SECURITY, "high_triggers",    T(LIST),  S(SUPERSET), AT(high_triggers),    NULL, "your own names, paths and hosts that make code HIGH", .check = check_pattern },
	{ SECURITY, "trusted_patterns", T(LIST),  S(SUBSET),   AT(trusted_patterns), NULL, "names, paths and hosts whose LOW and MEDIUM findings are not counted; HIGH and BLOCKED always are", .check = check_pattern },
	{ SECURITY, "overrides.allow_user_override", T(BOOL), S(LOWER), AT(allow_user_override), "true", "whether a person may lift HIGH and BLOCKED" },
	{ SECURITY, "overrides.minimum",    T(WORD),     S(HIGHER), AT(override_minimum), "terminal", "least assurance of an answer that lifts: self, terminal, separate", .min = BAWN_ASSURANCE_SELF, .words = &bawn_assurance_words, .always = true },
	{ SECURITY, "overrides.max_reason", T(NUMBER),   S(LOWER),  AT(max_reason), "500", "longest reason, in characters", .min = 1, .max = 500 },
	{ SECURITY, "overrides.expires",    T(DURATION), S(LOWER),  AT(override_expires_ms), "1h", "how long a held request waits for its answer", .min = SEC, .max = 7 * DAY },
	{ SECURITY, "max_code_bytes",       T(SIZE),     S(LOWER),  AT(max_code_bytes), "1m", "largest piece of code", .min = 1, .max = 16 * MIB },

	{ SANDBOX, "backend", T(WORD), S(FREE), AT(backend), "native", "what runs the code unless the request says", .words = &bawn_backend_words },
	{ SANDBOX, "image",   T(TEXT), S(FREE), AT(image), NULL, "image of the docker backend", .check = check_image },
	{ SANDBOX, "docker.host",    T(TEXT), S(KEEP), AT(docker_host), NULL, "socket of the container engine; null: DOCKER_HOST, else unix:///var/run/docker.sock.  Where /etc/bawn is root's only it may say so, and DOCKER_HOST is refused", .check = check_engine, .guarded = true },
	{ SANDBOX, "docker.runtime", T(TEXT), S(KEEP), AT(docker_runtime), NULL, "runtime that the engine is to use, such as runsc; null: its default", .check = check_runtime },
	{ SANDBOX, "docker.require_patched", T(BOOL), S(HIGHER), AT(docker_require_patched), "false", "do not run with a runtime that is known to let code out" },
	{ SANDBOX, "interpreters.python",     T(TEXT), S(FREE), AT(interpreter[BAWN_LANG_PYTHON]), "/usr/bin/python3", "what runs python: under /usr, or in a virtual environment", .check = check_path },
	{ SANDBOX, "interpreters.bash",       T(TEXT), S(FREE), AT(interpreter[BAWN_LANG_BASH]), "/usr/bin/bash", "what runs bash", .check = check_path },
	{ SANDBOX, "interpreters.javascript", T(TEXT), S(FREE), AT(interpreter[BAWN_LANG_JAVASCRIPT]), "/usr/bin/node", "what runs javascript", .check = check_path },
	BASE("resources", resources, "2", "1g", "120", "100", "256m", "no trust level starts above"),
	{ SANDBOX, "resources.inodes",              T(SIZE), S(LOWER), AT(inodes), "16k", "files and directories in the workspace", .min = 64, .max = 16 * MIB },
	{ SANDBOX, "resources.open_files",          T(NUMBER), S(LOWER), AT(open_files), "256", "files open at once, per process", .min = 16, .max = 1048576 },
	{ SANDBOX, "resources.output_limit",        T(SIZE), S(LOWER), AT(output_bytes), "1m", "output kept per stream in a result", .min = KIB, .max = GIB },
	{ SANDBOX, "resources.stream_output_limit", T(SIZE), S(LOWER), AT(stream_output_bytes), "64m", "output per stream where it is streamed", .min = KIB, .max = 64 * GIB },
	{ SANDBOX, "security.read_only",    T(BOOL), S(HIGHER),   AT(read_only), "true", "the root file system cannot be written", .always = true },
	{ SANDBOX, "security.security_opt", T(LIST), S(SUPERSET), AT(security_opt), "no-new-privileges", "options every run has", .check = check_option, .always = true },
	{ SANDBOX, "security.cap_drop",     T(LIST), S(SUPERSET), AT(cap_drop), "ALL", "capabilities no run has", .check = check_capability, .always = true },
	{ SANDBOX, "security.user",         T(TEXT), S(KEEP),     AT(sandbox_user), NULL, "UID[:GID] of the code; null: one of uids", .check = check_user },
	{ SANDBOX, "network.network_mode",  T(WORD), S(LOWER),    AT(network_mode), "none", "the most network a request may ask for", .words = &bawn_network_words },
	{ SANDBOX, "network.whitelist",     T(LIST), S(SUBSET),   AT(whitelist), NULL, "hosts that dependencies may come from", .check = check_host },
	{ SANDBOX, "network.allow_private", T(LIST), S(SUBSET),   AT(allow_private), NULL, "private networks a whitelisted name may resolve to", .check = check_cidr },
	{ SANDBOX, "network.packages",      T(LIST), S(NARROWER), AT(packages), NULL, "packages that may be installed; others, and those they need, are held for a person; empty: any", .check = check_package },
	{ SANDBOX, "network.ca_file",       T(TEXT), S(KEEP),     AT(ca_file), NULL, "certificates of the authorities that are trusted inside, where there is a network; null: the system's", .check = check_path },
	{ SANDBOX, "network.max_sent",        T(SIZE),     S(LOWER), AT(net.sent_bytes),     "256k", "bytes that a run may send", .min = KIB, .max = NO_MORE },
	{ SANDBOX, "network.max_received",    T(SIZE),     S(LOWER), AT(net.received_bytes), "1g",   "bytes that a run may receive", .min = KIB, .max = NO_MORE },
	{ SANDBOX, "network.max_connections", T(NUMBER),   S(LOWER), AT(net.connections),    "256",  "connections of a run, in all", .min = 1, .max = 1000000 },
	{ SANDBOX, "network.install_max_sent",        T(SIZE),   S(LOWER), AT(install_sent_bytes),     "16m",  "bytes that an install of packages may send", .min = KIB, .max = NO_MORE },
	{ SANDBOX, "network.install_max_received",    T(SIZE),   S(LOWER), AT(install_received_bytes), "4g",   "bytes that an install may receive", .min = KIB, .max = NO_MORE },
	{ SANDBOX, "network.install_max_connections", T(NUMBER), S(LOWER), AT(install_connections),    "4096", "connections of an install, in all", .min = 1, .max = 1000000 },
	{ SANDBOX, "network.max_at_once",     T(NUMBER),   S(LOWER), AT(net.at_once),        "16",   "connections of a run at once; more wait", .min = 1, .max = 256 },
	{ SANDBOX, "network.connect_timeout", T(DURATION), S(LOWER), AT(net.connect_ms),     "20s",  "to find a name's addresses and reach one", .min = 100, .max = 300 * SEC },
	{ SANDBOX, "network.head_timeout",    T(DURATION), S(LOWER), AT(net.head_ms),        "10s",  "until a request and its TLS greeting are complete", .min = 100, .max = 300 * SEC },
	{ SANDBOX, "network.idle_timeout",    T(DURATION), S(LOWER), AT(net.idle_ms),        "60s",  "a connection without a byte is cut", .min = 100, .max = DAY },
	BASE("trust_levels.trusted",   trust[BAWN_TRUST_TRUSTED],   "2", "1g",   "120", "100", "256m", "of a trusted run"),
	BASE("trust_levels.standard",  trust[BAWN_TRUST_STANDARD],  "1", "512m", "60",  "64",  "128m", "of a standard run"),
	BASE("trust_levels.untrusted", trust[BAWN_TRUST_UNTRUSTED], "1", "256m", "30",  "32",  "96m",  "of an untrusted run"),
	BASE("trust_levels.unknown",   trust[BAWN_TRUST_UNKNOWN],   "1", "256m", "15",  "25",  "96m",  "of a run of unknown trust"),
	LEVEL_ROWS("trust_levels.levels", TRUST, level_trust, bawn_trust_words, "trust of code assessed", "trusted", "standard", "untrusted", "untrusted", SANDBOX),
	{ SANDBOX, "dynamic.max_factor", T(MILLI), S(LOWER), AT(max_factor_milli), "2.0", "complex code gets at most this many times its base", .min = 1000, .max = 100000 },
	BASE("dynamic.max", dynamic_max, "4", "2g", "300", "200", "512m", "no run gets more than"),
	{ SANDBOX, "dynamic.host_share.trusted",   T(MILLI), S(LOWER), AT(host_share_milli[BAWN_TRUST_TRUSTED]),   "0.3",  "share of available memory of a trusted run", .min = 1, .max = 1000 },
	{ SANDBOX, "dynamic.host_share.standard",  T(MILLI), S(LOWER), AT(host_share_milli[BAWN_TRUST_STANDARD]),  "0.15", "share of available memory of a standard run", .min = 1, .max = 1000 },
	{ SANDBOX, "dynamic.host_share.untrusted", T(MILLI), S(LOWER), AT(host_share_milli[BAWN_TRUST_UNTRUSTED]), "0.05", "share of available memory of an untrusted run", .min = 1, .max = 1000 },
	{ SANDBOX, "dynamic.host_share.unknown",   T(MILLI), S(LOWER), AT(host_share_milli[BAWN_TRUST_UNKNOWN]),   "0.05", "share of available memory of a run of unknown trust", .min = 1, .max = 1000 },
	{ SANDBOX, "dynamic.max_running", T(NUMBER), S(LOWER), AT(max_running), "64", "executions at once on this host", .min = 1, .max = 4096 },
	{ SANDBOX, "queue_timeout", T(DURATION), S(FREE), AT(queue_timeout_ms), "60s", "how long a request waits while the host is full", .min = 0, .max = DAY },
	{ SANDBOX, "minimum_enforcement.native", T(LAYERS), S(SUPERSET), AT(minimum_enforcement[BAWN_BACKEND_NATIVE]), NATIVE_LAYERS, "layers without which the native backend does not run", .words = &bawn_layer_words, .always = true },
	{ SANDBOX, "minimum_enforcement.docker", T(LAYERS), S(SUPERSET), AT(minimum_enforcement[BAWN_BACKEND_DOCKER]), DOCKER_LAYERS, "layers without which the docker backend does not run", .words = &bawn_layer_words, .always = true },
	{ SANDBOX, "minimum_enforcement.require_cgroup_as_root", T(BOOL), S(HIGHER), AT(require_cgroup_as_root), "true", "as root, cgroups too are a must", .always = true },
	{ SANDBOX, "monitoring.sample_interval",    T(DURATION), S(FREE),  AT(sample_ms), "100ms", "how often a run's usage is read", .min = 10, .max = 60 * SEC },
	{ SANDBOX, "monitoring.max_execution_time", T(DURATION), S(LOWER), AT(max_execution_ms), "300", "no run is given longer, whatever else is written", TIME },
	{ SANDBOX, "on_violation", T(WORD), S(HIGHER), AT(on_violation), "note", "too many processes, files or bytes: note it, or kill the run", .words = &bawn_violation_words },
	{ SANDBOX, "observe", T(BOOL), S(HIGHER), AT(observe), "true", "Python tells which files, programs, addresses and modules the code used: evidence, no wall" },
	{ SANDBOX, "uids.first", T(NUMBER), S(SAME), AT(uid_first), "1900000000", "first uid of runs, as root", .min = 65536, .max = UINT32_MAX - 2 },
	{ SANDBOX, "uids.count", T(NUMBER), S(SAME), AT(uid_count), "4096", "how many uids", .min = 1, .max = 1048576 },

	{ AUDIT, "sign",              T(CHOICE), S(HIGHER), AT(sign), "batch", "one signature for each commit, or one on each entry", .words = &sign_words },
	{ AUDIT, "log_level",         T(CHOICE), S(HIGHER), AT(log_level), "comprehensive", "how much evidence; intent, outcome, override and violation are always written", .words = &log_level_words },
	{ AUDIT, "include_full_code", T(BOOL),   S(FREE),   AT(include_full_code), "true", "keep the code itself, not only its hash" },
	{ AUDIT, "keep_output",       T(CHOICE), S(FREE),   AT(keep_output), "hash", "what is kept of the output", .words = &keep_output_words },
	{ AUDIT, "retention.period_days",  T(NUMBER), S(HIGHER), AT(retention_days), "30", "days that the log keeps; audit prune takes out what is older", .min = 0, .max = 36500 },
	{ AUDIT, "retention.archive_days", T(NUMBER), S(HIGHER), AT(archive_days), "90", "days after which nobody need keep what prune took out of the log", .min = 1, .max = 36500 },
	{ AUDIT, "rotation.max_file_size", T(SIZE),   S(FREE),   AT(max_segment_bytes), "100m", "largest segment", .min = 64 * KIB, .max = 4 * GIB },
	{ AUDIT, "redact", T(LIST), S(SUPERSET), AT(redact), NULL, "names of variables and labels whose values are not written, nor what stands behind NAME= in any text", .check = check_pattern },
	{ AUDIT, "redact_tokens", T(BOOL), S(HIGHER), AT(redact_tokens), "true", "what has the shape of a well-known token, key or password is not written; code is kept as it is" },
	{ AUDIT, "alerts.critical_events_per_hour",     T(NUMBER), S(LOWER), AT(alert_critical_per_hour), "10", "alert from this many CRITICAL events on", .min = 1, .max = 1000000 },
	{ AUDIT, "alerts.resource_violations_per_hour", T(NUMBER), S(LOWER), AT(alert_violations_per_hour), "5", "alert from this many violated limits on", .min = 1, .max = 1000000 },
	{ AUDIT, "alerts.failed_integrity_checks",      T(NUMBER), S(LOWER), AT(alert_integrity), "1", "alert from this many failed checks on", .min = 1, .max = 1000000 },
	{ AUDIT, "alerts.disk_percent",                 T(NUMBER), S(LOWER), AT(alert_disk_percent), "80", "alert when the disk of the log is this full", .min = 1, .max = 100 },
	{ AUDIT, "witness", T(TEXT), S(KEEP), AT(witness), NULL, "a directory outside the state directory that remembers how far the log is; null: STATE-witness", .check = check_witness },

	{ SERVER, "listen", T(TEXT), S(FREE), AT(listen), NULL, "where the daemon listens; null: sock in the state directory", .check = check_place },
};
const size_t bawn_key_count = BAWN_LEN(bawn_key);

/* ---- between keys ---- */

static bool thresholds_rise(const struct bawn_policy *p)
{
	return p->medium_score < p->high_score && p->high_score < p->blocked_score;
}

static bool never_falls(const int value[static BAWN_LEVEL_COUNT])
{
	for (int i = 1; i < BAWN_LEVEL_COUNT; i++)
		if (value[i] < value[i - 1])
			return false;
	return true;
}

static bool decisions_rise(const struct bawn_policy *p) { return never_falls(p->decision); }
static bool trust_falls(const struct bawn_policy *p) { return never_falls(p->level_trust); }
static bool archive_longer(const struct bawn_policy *p) { return p->archive_days >= p->retention_days; }
static bool uids_fit(const struct bawn_policy *p) { return p->uid_first + p->uid_count <= UINT32_MAX - 1; }
static bool image_there(const struct bawn_policy *p) { return p->backend != BAWN_BACKEND_DOCKER || p->image != NULL; }

/* Keys of the contract whose work is not in this version: a value that would do nothing is refused. */
static bool no_user(const struct bawn_policy *p) { return p->sandbox_user == NULL; }
static bool near_witness(const struct bawn_policy *p) { return p->witness == NULL || p->witness[0] == '/'; }

const struct bawn_policy_check bawn_policy_check[] = {
	{ SECURITY, "thresholds", thresholds_rise, "must rise: medium_score < high_score < blocked_score" },
	{ SECURITY, "decisions", decisions_rise, "a higher level cannot be treated more kindly than a lower one" },
	{ SANDBOX, "trust_levels.levels", trust_falls, "a higher level cannot be trusted more than a lower one" },
	{ SANDBOX, "uids", uids_fit, "first + count must stay below 4294967295" },
	{ SANDBOX, "backend", image_there, "docker needs an 'image'" },
	{ SANDBOX, "security.user", no_user, "cannot be chosen in this version: every run has a uid of its own" },
	{ AUDIT, "witness", near_witness, "must be a directory of this host in this version" },
	{ AUDIT, "retention", archive_longer, "archive_days cannot be less than period_days" },
};
const size_t bawn_policy_check_count = BAWN_LEN(bawn_policy_check);
