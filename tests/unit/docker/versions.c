/* versions.c - which runtime is taken for one that lets code out: a row is what an engine says and what is made of it. */
#include <string.h>
#include "base/cleanup.h"
#include "docker/container.h"
#include "tap.h"

/* "NAME VERSION" of the one that is reported, "" where none is. */
static void test(const char *runtime, const char *component, const char *version, const char *want)
{
	json_t *list = NULL;
	json_t *said = component != NULL ? json_pack("{s:[{s:s, s:s}, {s:s, s:s}]}", "Components", "Name", "Engine", "Version", "1.0.0", "Name", component, "Version", version) : json_object();
	char got[100] = "";
	int r = bawn_versions_check(said, runtime, &list, NULL);
	const json_t *first = json_array_get(list, 0);
	if (first != NULL)
		snprintf(got, sizeof got, "%s %s", json_string_value(json_object_get(first, "name")), json_string_value(json_object_get(first, "version")));
	if (!ok(r == 0 && json_array_size(list) == (want[0] != '\0') && strcmp(got, want) == 0, "runtime '%s', the engine's '%s' is %s: %s", runtime != NULL ? runtime : "(null)",
	        component != NULL ? component : "(not told)", version, want[0] != '\0' ? want : "nothing against it"))
		diag("'%s'", got);
	json_decref(list);
	json_decref(said);
}

int main(void)
{
	static const struct { const char *version; bool good; } runc[] = {
		{ "1.1.5+ds1", false }, { "1.1.99", false }, { "1.2.7", false }, { "1.2.8", true }, { "1.2.8-rc.1", false }, { "1.2.9", true },
		{ "1.3.2", false }, { "1.3.3", true }, { "v1.3.3", true }, { "1.3.3-0ubuntu1~24.04.1", true }, { "1.3.3+ds1", true }, { "1.3.3~rc1", false }, { "1.3.0+dev", false },
		{ "1.4.0-rc.1", false }, { "1.4.0-rc.2", false }, { "1.4.0-rc.2+dev", false }, { "1.4.0-rc.3", true }, { "1.4.0-rc.10", true }, { "1.4.0-rc3", true }, { "1.4.0-dev", false },
		{ "1.4.0", true }, { "1.4.1", true }, { "1.5.0-rc.1", true }, { "2.0.0", true },
	};
	for (size_t i = 0; i < BAWN_LEN(runc); i++) {
		char bad[100];
		snprintf(bad, sizeof bad, "runc %s", runc[i].version);
		test("", "runc", runc[i].version, runc[i].good ? "" : bad);
	}
	static const struct { const char *runtime, *component, *version, *want; } row[] = {
		{ NULL, "runc", "1.1.5", "runc 1.1.5" },
		{ "runc", "runc", "1.1.5", "runc 1.1.5" },
		{ "runc", "runc", "1.3.3", "" },
		{ "io.containerd.runc.v2", "runc", "1.1.5", "runc 1.1.5" },
		{ "io.containerd.runc.v2", "runc", "1.3.3", "" },
		{ "", "runc", "", "runc unknown" },
		{ "", "runc", "next", "runc unknown" },
		{ "", NULL, "", "runc unknown" },
		{ "", "containerd", "1.7.0", "runc unknown" },
		{ "mine", "runc", "1.3.3", "mine unknown" },   /* another one than the engine tells of */
		{ "mine", "mine", "1.1.5", "mine 1.1.5" },     /* the engine's default by another name */
		{ "mine", "mine", "1.3.3", "" },
		{ "", "mine", "1.1.5", "runc unknown" },
		{ "runc", "runsc", "1.0.0", "runc unknown" },
		{ "", "runsc", "release-20250101.0", "" },
		{ "", "crun", "1.8.1", "" },
		{ "runsc", "runc", "1.1.5", "" },
		{ "runsc-kvm", "runc", "1.1.5", "" },
		{ "kata-runtime", "runc", "1.1.5", "" },
		{ "io.containerd.kata.v2", "runc", "1.1.5", "" },
		{ "io.containerd.runsc.v1", "runc", "1.1.5", "" },
		{ "crun", "runc", "1.1.5", "" },
		{ "not-runsc", "runc", "1.3.3", "not-runsc unknown" },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++)
		test(row[i].runtime, row[i].component, row[i].version, row[i].want);
	return done_testing();
}
