/* said.c - what only the program's own words tell.
 *
 * Some refusals leave no trace: the kernel's own (a limit raised, EMFILE), and those of the file system and the network
 * where no interpreter reports them (bash, node).  Its standard error then names an error of the system, and this adds what
 * bawn has to do with it.  A hint and no evidence, for the program may print what it likes: it stands among the warnings,
 * not among the denials. */
#include <string.h>
#include "base/cleanup.h"
#include "core/exec.h"

#define NAMES 7

/* `what`: of a limit, as denials and violations call it. */
static const struct row {
	enum bawn_denial_kind kind;
	const char *what, *name[NAMES], *hint;
} row[] = {
	{ BAWN_DENIAL_PATH, NULL, { "Read-only file system", "EROFS" }, BAWN_HINT_WRITE },
	{ BAWN_DENIAL_NETWORK, NULL,
	  { "Could not resolve host", "Temporary failure in name resolution", "Name or service not known", "Network is unreachable", "ENOTFOUND", "EAI_AGAIN", "ENETUNREACH" },
	  BAWN_HINT_NETWORK },
	{ BAWN_DENIAL_SYSCALL, NULL, { "Operation not permitted", "EPERM" },
	  "a run has no privileges: it cannot raise its limits, give files away or reach processes that are not its own" },
	{ BAWN_DENIAL_PATH, NULL, { "Permission denied", "EACCES", "failed to map segment from shared object" },
	  "programs and libraries run from /workspace and the system's directories, not from /tmp and /dev/shm; and the code is a user without privileges" },
	{ BAWN_DENIAL_NETWORK, NULL, { "Cannot assign requested address", "EADDRNOTAVAIL" }, "the sandbox has no address but those of its own loopback: 127.0.0.1, ::1" },
	{ BAWN_DENIAL_SYSCALL, NULL, { "Function not implemented", "ENOSYS" }, "some calls of the kernel are not there in the sandbox, as on an older one: io_uring, memfd_create" },
	{ BAWN_DENIAL_LIMIT, "open files", { "Too many open files", "EMFILE" }, "close some, or raise resources.open_files in sandbox.yaml" },
	{ BAWN_DENIAL_LIMIT, "disk", { "File too large", "File size limit exceeded", "EFBIG" }, "no file may be longer than the disk limit; ask for more with --disk" },
	{ BAWN_DENIAL_LIMIT, "processes", { "Resource temporarily unavailable", "can't start new thread" }, "it may have met its limit of processes and threads; ask for more with --pids" },
	{ BAWN_DENIAL_LIMIT, "memory", { "MemoryError", "Cannot allocate memory", "heap out of memory" }, "it may have met its memory limit; ask for more with --memory" },
};

static bool is(const json_t *object, const char *key, const char *value)
{
	const char *has = json_string_value(json_object_get(object, key));
	return has != NULL && strcmp(has, value) == 0;
}

/* Somebody who knows has said it already. */
static bool known(const struct bawn_exec *e, const struct row *w)
{
	size_t i;
	json_t *v;
	json_array_foreach(e->denials, i, v)
		if (is(v, "kind", bawn_word(&bawn_denial_words, (int)w->kind)) && (w->what == NULL || is(v, "what", w->what)))
			return true;
	json_array_foreach(e->violations, i, v)
		if (w->what != NULL && is(v, "resource", w->what))
			return true;
	return false;
}

/* Is it the sandbox that would refuse this? */
static bool stands(const struct bawn_exec *e, const struct row *w)
{
	if (w->kind == BAWN_DENIAL_PATH)
		return (e->enforcement.layers & BAWN_LAYER_BIT(RO_ROOT)) != 0;
	return w->kind != BAWN_DENIAL_NETWORK || (e->plan == NULL && (e->enforcement.layers & BAWN_LAYER_BIT(NETNS)) != 0);
}

static const char *first_name(const struct row *w, const struct bawn_buf *text)
{
	for (size_t i = 0; i < NAMES && w->name[i] != NULL; i++)
		if (memmem(text->p, text->n, w->name[i], strlen(w->name[i])) != NULL)
			return w->name[i];
	return NULL;
}

int bawn_exec_said(struct bawn_exec *e)
{
	bool ok = true;
	if (e->out[2].n == 0)
		return 0;
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		const char *name = first_name(&row[i], &e->out[2]);
		if (name != NULL && stands(e, &row[i]) && !known(e, &row[i]))
			bawn_json_push(e->warnings, json_sprintf("the program said '%s': %s", name, row[i].hint), &ok);
	}
	return ok ? 0 : -ENOMEM;
}
