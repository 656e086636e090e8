/* engine.c - which container engine is asked: a row is what policy and the caller's environment say. */
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "core/handle.h"
#include "tap.h"

int main(void)
{
	static const struct { const char *name, *policy; bool roots; const char *variable, *want, *why; } row[] = {
		{ "nobody says",                                 NULL, false, NULL, NULL, NULL },
		{ "nobody says, under root's policy",            NULL, true, NULL, NULL, NULL },
		{ "the caller says",                             NULL, false, "unix:///run/mine", "/run/mine", NULL },
		{ "an empty variable is none",                   NULL, false, "", NULL, NULL },
		{ "under root's policy as well",                 NULL, true, "", NULL, NULL },
		{ "the caller says, under root's policy",        NULL, true, "unix:///run/mine", NULL, "belongs to root" },
		{ "even what would be asked anyway",             NULL, true, "unix:///var/run/docker.sock", NULL, "belongs to root" },
		{ "policy says",                                 "unix:///run/a", false, NULL, "/run/a", NULL },
		{ "policy before the caller",                    "unix:///run/a", false, "unix:///run/mine", "/run/a", NULL },
		{ "root's policy before the caller",             "unix:///run/a", true, "unix:///run/mine", "/run/a", NULL },
		{ "an engine elsewhere",                         NULL, false, "tcp://192.0.2.1:2375", NULL, "Unix socket" },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		struct bawn_policy p = { .docker_host = (char *)(uintptr_t)row[i].policy, .floor_root_owned = row[i].roots };
		struct bawn_err err = { 0 };
		const char *got = "untouched";
		(void)(row[i].variable != NULL ? setenv("DOCKER_HOST", row[i].variable, 1) : unsetenv("DOCKER_HOST"));
		int r = bawn_docker_socket(&p, &got, &err);
		bool good = row[i].why != NULL ? r < 0 && strstr(err.msg, row[i].why) != NULL && err.type == (row[i].roots ? BAWN_ERROR_INVALID_REQUEST : BAWN_ERROR_BACKEND_UNAVAILABLE) && strcmp(err.field, "DOCKER_HOST") == 0 && strcmp(got, "untouched") == 0
		          : r == 0 && (row[i].want != NULL ? got != NULL && strcmp(got, row[i].want) == 0 : got == NULL);
		if (!ok(good, "%s", row[i].name))
			diag("%d %s: %s", r, got != NULL ? got : "(none)", err.msg);
	}
	return done_testing();
}
