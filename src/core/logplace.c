/* logplace.c - how the log of a state directory is opened and judged: what audit.yaml says of it, as the
 * options of src/audit. */
#include "core/api.h"
#include <string.h>
#include <unistd.h>
#include "audit/audit.h"
#include "base/cleanup.h"

/* Inside the state directory it would go back together with the log. */
static bool inside(const char *path, const char *dir)
{
	size_t n = strlen(dir);
	while (n > 1 && dir[n - 1] == '/')
		n--;
	return strncmp(path, dir, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

int bawn_log_options(const struct bawn_dirs *d, const struct bawn_policy *p, const char *node, struct bawn_audit_options *out, struct bawn_err *err)
{
	if (p->witness != NULL && inside(p->witness, d->state))
		return bawn_fail_as(err, BAWN_ERROR_CONFIG_INVALID, NULL,
		                    "audit.yaml: witness '%s' lies in the state directory: it would go back together with the log", p->witness);
	*out = (struct bawn_audit_options){
		.node = node, .max_segment_bytes = p->max_segment_bytes, .sign_every = p->sign != NULL && strcmp(p->sign, "entry") == 0,
		.witness = p->witness != NULL ? p->witness : d->witness, .witness_must = p->witness != NULL, .reserve_bytes = BAWN_AUDIT_RESERVE,
		.keep_tokens = !p->redact_tokens,
	};
	return 0;
}

int bawn_log_witness(const struct bawn_dirs *d, char *out, size_t size)
{
	struct bawn_policy *p = NULL;
	int r = bawn_policy_load(&d->policy, &p, NULL, NULL);
	snprintf(out, size, "%s", r == 0 && p->witness != NULL ? p->witness : d->witness);
	bawn_policy_free(p);
	return r;
}
