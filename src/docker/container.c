#include "docker/container.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"
#include "docker/inside.h"
#include "docker/names.h"
#include "seccomp-profiles.h"

static const char *const profile[] = {
	[BAWN_LANG_PYTHON] = profile_python, [BAWN_LANG_BASH] = profile_bash, [BAWN_LANG_JAVASCRIPT] = profile_javascript,
};
_Static_assert(BAWN_LEN(profile) == BAWN_LANG_COUNT, "one profile per language");

/* What is covered: the engines' own list, and of /sys all but the cgroups, which the init reads. */
static const char *const masked[] = {
	"/proc/asound", "/proc/acpi", "/proc/cmdline", "/proc/config.gz", "/proc/interrupts", "/proc/iomem", "/proc/ioports", "/proc/kallsyms", "/proc/kcore",
	"/proc/keys", "/proc/latency_stats", "/proc/modules", "/proc/sched_debug", "/proc/scsi", "/proc/timer_list", "/proc/timer_stats",
	"/sys/firmware", "/sys/kernel", "/sys/module", "/sys/class", "/sys/bus", "/sys/block", "/sys/dev",
	"/sys/devices", "/sys/power", "/sys/hypervisor",
};
static const char *const read_only[] = { "/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger" };

/* What must not be there; an engine may spell nothing as null, false, 0, "", [] or {}. */
static const char *const nothing[] = {
	"Binds", "Devices", "DeviceCgroupRules", "DeviceRequests", "VolumesFrom", "CapAdd", "GroupAdd", "ExtraHosts", "Links", "PortBindings",
	"PublishAllPorts", "Privileged", "OomKillDisable", "PidMode", "UTSMode", "UsernsMode", "VolumeDriver", "ContainerIDFile", "Cgroup", "CgroupParent",
	"Sysctls", "AutoRemove", "Dns", "Init",
};

static json_t *words(const char *const *list, size_t n)
{
	json_t *j = json_array();
	bool ok = j != NULL;
	for (size_t i = 0; ok && i < n; i++)
		bawn_json_push(j, json_string(list[i]), &ok);
	if (ok)
		return j;
	json_decref(j);
	return NULL;
}

/* Each place may be filled to the limit; together they are held by the memory limit, which a tmpfs counts against. */
static json_t *rooms(const struct bawn_sandbox_spec *s)
{
	static const struct { const char *path; bool exec; uint64_t bytes, inodes; } row[] = {
		{ "/workspace", true, 0, 0 }, { "/tmp", false, 0, 0 }, { "/dev/shm", false, 0, 0 }, { "/code", false, 64u << 20, 4096 },
	};
	json_t *j = json_object();
	bool ok = j != NULL;
	for (size_t i = 0; ok && i < BAWN_LEN(row); i++) {
		char text[200];
		uint64_t bytes = row[i].bytes != 0 ? row[i].bytes : s->limits.disk_bytes, inodes = row[i].inodes != 0 ? row[i].inodes : s->limits.inodes + 1;
		bytes = bytes < 4096 ? 4096 : bytes;  /* zero would mean "no limit" to tmpfs */
		snprintf(text, sizeof text, "rw,nosuid,nodev,%s,size=%" PRIu64 ",nr_inodes=%" PRIu64 ",mode=0755,uid=%" PRIu64 ",gid=%" PRIu64,
		         row[i].exec ? "exec" : "noexec", bytes, inodes, s->uid, s->uid);
		bawn_json_set(j, row[i].path, json_string(text), &ok);
	}
	if (ok)
		return j;
	json_decref(j);
	return NULL;
}

static json_t *ulimits(const struct bawn_limits *l)
{
	/* The program lowers them further; our init in there has each file it tells of in flight. */
	json_int_t files = (json_int_t)(l->open_files < 4096 ? 4096 : l->open_files);
	return json_pack("[{s:s,s:I,s:I},{s:s,s:i,s:i},{s:s,s:i,s:i},{s:s,s:i,s:i}]", "Name", "nofile", "Soft", files, "Hard", files, "Name", "core", "Soft", 1, "Hard", 1,
	                 "Name", "memlock", "Soft", 0, "Hard", 0, "Name", "msgqueue", "Soft", 0, "Hard", 0);
}

static json_t *security(enum bawn_language language)
{
	bawn_auto_buf filter = BAWN_BUF(1u << 20);
	bawn_buf_fmt(&filter, "seccomp=%s", profile[language]);
	return bawn_buf_error(&filter) < 0 ? NULL : json_pack("[s, s]", "no-new-privileges", filter.p);
}

/* Not as "Binds": there an engine makes a directory of what it does not find, and a colon has a meaning. */
static json_t *mounts(const char *way)
{
	return way[0] == '\0' ? json_null() : json_pack("[{s:s, s:s, s:s, s:b}]", "Type", "bind", "Source", way, "Target", BAWN_INSIDE_WAY, "ReadOnly", 1);
}

static json_t *host_config(const struct bawn_sandbox_spec *s, const char *way)
{
	const struct bawn_limits *l = &s->limits;
	json_t *h = json_object();
	bool ok = h != NULL;
	bawn_json_set(h, "NetworkMode", json_string("none"), &ok);
	bawn_json_set(h, "IpcMode", json_string("none"), &ok);  /* a namespace of its own, and no shared memory but our tmpfs */
	bawn_json_set(h, "CgroupnsMode", json_string("private"), &ok);
	bawn_json_set(h, "ReadonlyRootfs", json_true(), &ok);
	bawn_json_set(h, "CapDrop", json_pack("[s]", "ALL"), &ok);
	bawn_json_set(h, "SecurityOpt", security(s->language), &ok);
	bawn_json_set(h, "Tmpfs", rooms(s), &ok);
	bawn_json_set(h, "Mounts", mounts(way), &ok);
	bawn_json_set(h, "Memory", json_integer((json_int_t)l->memory_bytes), &ok);
	bawn_json_set(h, "MemorySwap", json_integer((json_int_t)l->memory_bytes), &ok);
	bawn_json_set(h, "NanoCpus", json_integer((json_int_t)(l->cpus_milli < 10 ? 10 : l->cpus_milli) * 1000000), &ok);
	bawn_json_set(h, "PidsLimit", json_integer((json_int_t)((l->pids < 1 ? 1 : l->pids) + BAWN_INSIDE_TASKS)), &ok);
	bawn_json_set(h, "Ulimits", ulimits(l), &ok);
	bawn_json_set(h, "MaskedPaths", words(masked, BAWN_LEN(masked)), &ok);
	bawn_json_set(h, "ReadonlyPaths", words(read_only, BAWN_LEN(read_only)), &ok);
	bawn_json_set(h, "LogConfig", json_pack("{s:s, s:{}}", "Type", "none", "Config"), &ok);
	bawn_json_set(h, "RestartPolicy", json_pack("{s:s, s:i}", "Name", "no", "MaximumRetryCount", 0), &ok);
	if (s->container.runtime != NULL && s->container.runtime[0] != '\0')
		bawn_json_set(h, "Runtime", json_string(s->container.runtime), &ok);
	for (size_t i = 0; i < BAWN_LEN(nothing); i++)
		bawn_json_set(h, nothing[i], json_null(), &ok);
	if (ok)
		return h;
	json_decref(h);
	return NULL;
}

int bawn_container_config(const struct bawn_sandbox_spec *s, const struct bawn_image *image, const struct bawn_maker *maker, const char *way, json_t **out,
                          struct bawn_err *err)
{
	char user[48];
	json_t *c = json_object();
	bool ok = c != NULL;
	snprintf(user, sizeof user, "%" PRIu64 ":%" PRIu64, s->uid, s->uid);
	bawn_json_set(c, "Image", json_string(image->id), &ok);
	bawn_json_set(c, "Entrypoint", json_pack("[s]", BAWN_INSIDE_PATH), &ok);
	bawn_json_set(c, "Cmd", json_null(), &ok);
	bawn_json_set(c, "User", json_string(user), &ok);
	bawn_json_set(c, "Hostname", json_string("bawn"), &ok);
	bawn_json_set(c, "WorkingDir", json_string("/"), &ok);
	bawn_json_set(c, "Tty", json_false(), &ok);
	bawn_json_set(c, "OpenStdin", json_true(), &ok);
	bawn_json_set(c, "StdinOnce", json_true(), &ok);  /* who attached is gone: the end of its input, and so of the init */
	bawn_json_set(c, "AttachStdin", json_true(), &ok);
	bawn_json_set(c, "AttachStdout", json_true(), &ok);
	bawn_json_set(c, "AttachStderr", json_true(), &ok);
	bawn_json_set(c, "Volumes", json_null(), &ok);
	bawn_json_set(c, "Healthcheck", json_pack("{s:[s]}", "Test", "NONE"), &ok);  /* an image's own would run beside the code */
	bawn_json_set(c, "Labels", json_pack("{s:s, s:s, s:s, s:s, s:s}", BAWN_LABEL_RUN, s->id, BAWN_LABEL_SLOT, maker->slot, BAWN_LABEL_SLOTS, maker->slots, BAWN_LABEL_BY, maker->by,
	                                     BAWN_LABEL_BOOT, maker->boot), &ok);
	bawn_json_set(c, "HostConfig", host_config(s, way), &ok);
	if (!ok) {
		json_decref(c);
		return bawn_fail(err, -ENOMEM, "describe a container");
	}
	*out = c;
	return 0;
}

static bool is_nothing(const json_t *v)
{
	return v == NULL || json_is_null(v) || json_is_false(v) || (json_is_integer(v) && json_integer_value(v) == 0) ||
	       (json_is_string(v) && json_string_length(v) == 0) || (json_is_array(v) && json_array_size(v) == 0) ||
	       (json_is_object(v) && json_object_size(v) == 0);
}

static bool is_same(const json_t *want, const json_t *got)
{
	return is_nothing(want) ? is_nothing(got) : json_equal(want, got);
}

/* The image's labels are the container's too: ours must be among them. */
static bool has_labels(const json_t *want, const json_t *got)
{
	const char *key;
	json_t *v;
	json_object_foreach((json_t *)(uintptr_t)want, key, v)
		if (!json_equal(v, json_object_get(got, key)))
			return false;
	return true;
}

static bool is_text(const json_t *object, const char *key, const json_t *want)
{
	return json_is_string(want) && json_equal(json_object_get(object, key), want);
}

/* What is mounted: the one bind that was asked for, where one was; nothing else, whether somebody asked for it, as an image
 * with volumes does, or not. */
static bool has_mounts(const json_t *want, const json_t *got)
{
	const json_t *bind = json_array_get(want, 0), *is = json_array_get(got, 0);
	if (is_nothing(want))
		return is_nothing(got);
	return json_array_size(got) == 1 && is_text(is, "Type", json_object_get(bind, "Type")) && is_text(is, "Source", json_object_get(bind, "Source")) &&
	       is_text(is, "Destination", json_object_get(bind, "Target")) && json_is_false(json_object_get(is, "RW"));
}

static int differs(struct bawn_err *err, const char *where, const char *key)
{
	return bawn_fail_as(err, BAWN_ERROR_ENFORCEMENT_MISSING, key, "the container is not what was asked for: %s%s", where, key);
}

int bawn_container_check(const json_t *config, const struct bawn_image *image, const json_t *seen, struct bawn_err *err)
{
	const json_t *theirs = json_object_get(seen, "Config"), *host = json_object_get(seen, "HostConfig"), *state = json_object_get(seen, "State");
	const char *key, *id = json_string_value(json_object_get(seen, "Image"));
	json_t *v;
	if (!json_is_object(theirs) || !json_is_object(host) || !json_is_object(state))
		return bawn_fail_as(err, BAWN_ERROR_BACKEND_UNAVAILABLE, "backend", "the engine says nothing useful about the container");
	if (id == NULL || strcmp(id, image->id) != 0)
		return differs(err, "", "Image");
	json_object_foreach((json_t *)(uintptr_t)config, key, v) {
		if (strcmp(key, "HostConfig") == 0 || strcmp(key, "Image") == 0)
			continue;
		bool same = strcmp(key, "Labels") == 0 ? has_labels(v, json_object_get(theirs, key)) : is_same(v, json_object_get(theirs, key));
		if (!same)
			return differs(err, "Config.", key);
	}
	json_object_foreach(json_object_get(config, "HostConfig"), key, v)
		if (!is_same(v, json_object_get(host, key)))
			return differs(err, "HostConfig.", key);
	if (!has_mounts(json_object_get(json_object_get(config, "HostConfig"), "Mounts"), json_object_get(seen, "Mounts")))
		return differs(err, "", "Mounts");
	const char *is = json_string_value(json_object_get(state, "Status"));
	return is != NULL && strcmp(is, "created") == 0 ? 0 : differs(err, "State.", "Status");
}

/* --- versions ------------------------------------------------------------------------------------ */

/* A runtime is mended from these versions on, by branch, as its own advisories say; what a distribution mended without
 * a new number is not seen.  The last number is that of a release candidate; a release has the highest. */
#define RELEASE UINT32_MAX
static const struct { const char *name; unsigned safe[4]; const char *cve; } known[] = {
	{ "runc", { 1, 2, 8, RELEASE }, "CVE-2025-31133, CVE-2025-52565, CVE-2025-52881" },
	{ "runc", { 1, 3, 3, RELEASE }, "CVE-2025-31133, CVE-2025-52565, CVE-2025-52881" },
	{ "runc", { 1, 4, 0, 3 },       "CVE-2025-31133, CVE-2025-52565, CVE-2025-52881" },
};

/* Runtimes that are not runc, by how their names begin, also as containerd names them.  Whatever else a runtime is called, an
 * engine's own name for one included, may be runc. */
static const char *const others[] = { "runsc", "kata", "crun", "youki", "io.containerd.runsc.", "io.containerd.kata" };

static bool begins_with(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

static bool is_other(const char *runtime)
{
	for (size_t i = 0; i < BAWN_LEN(others); i++)
		if (begins_with(runtime, others[i]))
			return true;
	return false;
}

/* "1.4.0-rc.1" comes before "1.4.0"; "1.3.3-0ubuntu1" and "1.3.3+ds1" are what somebody made of a release. */
static bool parse_version(const char *text, unsigned out[static 4])
{
	int n = 0;
	text += *text == 'v';
	if (sscanf(text, "%u.%u.%u%n", &out[0], &out[1], &out[2], &n) != 3)
		return false;
	const char *more = text + n + 1;
	const bool before = (text[n] == '-' || text[n] == '~') && !(*more >= '0' && *more <= '9');
	out[3] = before ? 0 : RELEASE;
	if (before && sscanf(more, "rc%u", &out[3]) != 1)
		(void)!sscanf(more, "rc.%u", &out[3]);
	return true;
}

/* Of the same branch: by the last numbers; older than every branch that was mended: not safe; newer than all: safe. */
static const char *weakness(const char *name, const unsigned v[static 4])
{
	const char *cve = NULL;
	for (size_t i = 0; i < BAWN_LEN(known); i++) {
		const unsigned *s = known[i].safe;
		if (strcmp(known[i].name, name) != 0)
			continue;
		if (v[0] == s[0] && v[1] == s[1])
			return v[2] < s[2] || (v[2] == s[2] && v[3] < s[3]) ? known[i].cve : NULL;
		if (v[0] < s[0] || (v[0] == s[0] && v[1] < s[1]))
			cve = known[i].cve;
	}
	return cve;
}

/* An engine tells the version of its default runtime only, under the name that it has there.  So that of another one is not
 * known, unless it is runc, which containerd finds under its own name. */
static bool is_of(const char *component, const char *runtime)
{
	const bool runc = runtime[0] == '\0' || begins_with(runtime, "io.containerd.runc.");
	return strcmp(component, runc ? "runc" : runtime) == 0;
}

int bawn_versions_check(const json_t *version, const char *runtime, json_t **out, struct bawn_err *err)
{
	json_t *list = json_array(), *c;
	const char *chosen = runtime != NULL ? runtime : "";
	bool ok = list != NULL, told = is_other(chosen);
	size_t i;
	json_array_foreach(json_object_get(version, "Components"), i, c) {
		const char *name = json_string_value(json_object_get(c, "Name")), *text = json_string_value(json_object_get(c, "Version"));
		unsigned v[4];
		if (name == NULL || text == NULL || is_other(chosen))
			continue;
		if (chosen[0] == '\0' && is_other(name))
			told = true;  /* the default, and not runc */
		if (!is_of(name, chosen) || !parse_version(text, v))
			continue;
		told = true;
		const char *cve = weakness("runc", v);
		if (cve != NULL)
			bawn_json_push(list, json_pack("{s:s, s:o, s:s}", "name", name, "version", bawn_json_text(bawn_span(text)), "cve", cve), &ok);
	}
	if (!told)  /* who does not say may be any */
		bawn_json_push(list, json_pack("{s:o, s:s, s:s}", "name", bawn_json_text(bawn_span(chosen[0] != '\0' ? chosen : "runc")), "version", "unknown", "cve", known[0].cve), &ok);
	if (!ok) {
		json_decref(list);
		return bawn_fail(err, -ENOMEM, "look at the engine's versions");
	}
	*out = list;
	return 0;
}
