/* image.c - fetching the image that containers are made of.  Only ever because a person said so: a run takes what is there. */
#include <stdio.h>
#include "core/api.h"
#include "core/handle.h"
#include "docker/docker.h"

static int pull(const struct bawn_dirs *d, const struct bawn_policy *p, const char *name, bawn_pull_fn *tell, void *ctx, char out[static 256], struct bawn_err *err)
{
	struct bawn_sandbox_spec spec;
	name = name != NULL ? name : p->image;
	if (name == NULL)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "image", "which image? a NAME, or 'image' in sandbox.yaml");
	if (!bawn_image_name_valid(bawn_span(name)))
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "image", "'%.60s' is no image's name", name);
	int r = bawn_probe_spec(d, p, BAWN_BACKEND_DOCKER, &spec, err);
	if (r < 0)
		return r;
	spec.container.image = name;
	snprintf(out, 256, "%s", name);
	return bawn_docker_backend.pull(&spec, tell, ctx, err);
}

int bawn_pull_image(const struct bawn_options *o, const char *name, bawn_pull_fn *tell, void *ctx, char out[static 256], struct bawn_err *err)
{
	struct bawn_dirs dirs;
	struct bawn_policy *p = NULL;
	int r = bawn_dirs_find(o, &dirs, err);
	if (r == 0)
		r = bawn_policy_load(&dirs.policy, &p, NULL, err);
	if (r == 0)
		r = pull(&dirs, p, name, tell, ctx, out, err);
	bawn_policy_free(p);
	return r;
}
