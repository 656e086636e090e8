#include "docker/docker.h"
#include <stdio.h>
#include <string.h>
#include "docker/inside.h"
#include "sandbox/peer.h"

/* Beside the native launcher. */
static int docker_open(const char *launcher, struct bawn_sandbox **out, struct bawn_err *err)
{
	char path[512];
	const char *slash = strrchr(launcher, '/');
	int n = snprintf(path, sizeof path, "%.*s/docker", slash != NULL ? (int)(slash - launcher) : 1, slash != NULL ? launcher : ".");
	if (n < 0 || (size_t)n >= sizeof path)
		return bawn_fail(err, -ENAMETOOLONG, "find the launcher");
	return bawn_peer_open(path, out, err);
}

static int docker_probe(const struct bawn_sandbox_spec *spec, struct bawn_probe *out, struct bawn_err *err)
{
	struct bawn_sandbox *s = NULL;
	int r = docker_open(spec->launcher, &s, err);
	if (r == 0)
		r = bawn_peer_probe(s, spec, out, err);
	(void)bawn_peer_release(s);
	return r;
}

static int docker_pull(const struct bawn_sandbox_spec *spec, bawn_pull_fn *tell, void *ctx, struct bawn_err *err)
{
	struct bawn_sandbox *s = NULL;
	int r = docker_open(spec->launcher, &s, err);
	if (r == 0)
		r = bawn_peer_pull(s, spec, tell, ctx, err);
	bawn_peer_release(s);
	return r;
}

const struct bawn_backend bawn_docker_backend = {
	.name = "docker", .id = BAWN_BACKEND_DOCKER, .ca_file = BAWN_INSIDE_CA, .open = docker_open, .probe = docker_probe, .pull = docker_pull, BAWN_PEER_FUNCTIONS,  /* swept by each launcher, on its way */
};
