/* policy.c - any bytes as one of the four files, or (first byte 's') as a document to set.
 *
 * Whatever they are: without the word acknowledge_risk nothing gets looser than compiled in, and a
 * set that fails changes nothing, while one that succeeds leaves what it said. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "policy/policy.h"
#include "policy/schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void as_file(enum bawn_policy_file file, struct bawn_span text)
{
	struct bawn_yaml *y = NULL;
	if (bawn_yaml_parse("f", text, &y, NULL, NULL) < 0)
		return;
	struct bawn_policy_errors errors = { .text = BAWN_BUF(1u << 20) };
	struct bawn_policy_reader r = { .name = "f", .errors = &errors };
	struct bawn_sources s = { .n = 0 };
	struct bawn_source src = { BAWN_RANK_ABOVE, file, "d", strdup("f"), y, bawn_yaml_root(y) };
	struct bawn_policy *p = NULL;
	struct bawn_err err = { 0 };
	int failed = bawn_sources_add(&s, 0, src, NULL);
	assert(failed == 0);
	failed = bawn_policy_build(&s, &r, &p, &err);
	if (failed < 0) {
		assert(p == NULL && errors.n > 0 && err.type == BAWN_ERROR_CONFIG_INVALID && errors.text.n > 0);
	} else {
		json_t *rows = NULL;
		failed = bawn_policy_show(p, &rows, NULL);
		assert(failed == 0 && errors.n == 0 && json_array_size(rows) == bawn_key_count);
		json_decref(rows);
		if (memmem(text.p, text.n, "acknowledge_risk", 16) == NULL && memchr(text.p, '\\', text.n) == NULL)
			assert(p->loosened.n == 0 && p->read_only && p->network_mode == BAWN_NETWORK_NONE &&
			       p->override_minimum >= BAWN_ASSURANCE_TERMINAL && p->resources.memory_bytes <= 1u << 30);
	}
	bawn_policy_free(p);
	bawn_sources_done(&s);
	bawn_policy_errors_done(&errors);
}

static char dir[] = "/dev/shm/bawn-fuzz-XXXXXX";

static void empty_dir(void)
{
	char file[64];
	for (int f = 0; f < BAWN_FILE_COUNT; f++) {
		snprintf(file, sizeof file, "%s/%s", dir, bawn_policy_file[f]);
		(void)unlink(file);
	}
}

static void remove_dir(void)
{
	empty_dir();
	(void)rmdir(dir);
}

static void as_document(struct bawn_span text)
{
	static bool made;
	if (!made && mkdtemp(dir) != NULL)
		made = atexit(remove_dir) == 0;
	assert(made);
	empty_dir();
	const struct bawn_policy_dirs dirs = { .user = dir };
	json_t *reply = NULL;
	struct bawn_policy *p = NULL;
	int failed = bawn_policy_set(&dirs, dir, text, &reply, NULL);
	int loaded = bawn_policy_load(&dirs, &p, NULL, NULL);
	assert(loaded == 0);
	char hash[BAWN_SHA256_HEX];
	bawn_hex(p->sha256, sizeof p->sha256, hash);
	const char *want = json_string_value(json_object_get(reply, failed < 0 ? "before" : "after"));
	assert(reply != NULL && want != NULL && strcmp(hash, want) == 0);
	assert((failed < 0) == (json_array_size(json_object_get(reply, "errors")) > 0));
	json_decref(reply);
	bawn_policy_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	struct bawn_span text = { (const char *)data + 1, size - 1 };
	if (data[0] == 's')
		as_document(text);
	else
		as_file((enum bawn_policy_file)(data[0] % BAWN_FILE_COUNT), text);
	return 0;
}
