/* door.c - one request through libbawn, its document on standard output; for doors.t:
 *
 *	door LIBEXEC-DIR [WORD=VALUE...]
 *
 * code= runs; timeout= (ms), memory= (bytes), override=REASON, confirm=REASON, hold=1, package=PKG, requirements=TEXT,
 * host=HOST and config=DIR go with it.
 * call=history|report|status asks that instead. */
#include <bawn/bawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *word(int argc, char **argv, const char *name)
{
	size_t n = strlen(name);
	for (int i = 2; i < argc; i++)
		if (strncmp(argv[i], name, n) == 0 && argv[i][n] == '=')
			return argv[i] + n + 1;
	return NULL;
}

static int confirm(void *ctx, const struct bawn_question *q, struct bawn_answer *a)
{
	(void)q;
	a->yes = 1;
	snprintf(a->reason, sizeof a->reason, "%s", (const char *)ctx);
	return 0;
}

static int ask(struct bawn *b, int argc, char **argv, struct bawn_result **r, struct bawn_err *err)
{
#define WORD(name) word(argc, argv, name)
	const char *code = WORD("code"), *call = WORD("call"), *timeout = WORD("timeout"), *memory = WORD("memory");
	if (code == NULL && call != NULL)
		return strcmp(call, "history") == 0 ? bawn_get_execution_history(b, NULL, r, err)
		       : strcmp(call, "report") == 0 ? bawn_get_audit_report(b, 0, 0, r, err) : bawn_get_security_status(b, r, err);
	struct bawn_request req = { .size = sizeof req, .code = code, .code_size = strlen(code), .language = "python",
		.timeout_ms = timeout != NULL ? strtoull(timeout, NULL, 10) : 0, .memory_bytes = memory != NULL ? strtoull(memory, NULL, 10) : 0,
		.reason = WORD("override"), .override_ = WORD("override") != NULL, .hold = WORD("hold") != NULL,
		.confirm = WORD("confirm") != NULL ? confirm : NULL };
	const char *package = WORD("package"), *host = WORD("host");
	req.packages = &package, req.n_packages = package != NULL;
	req.hosts = &host, req.n_hosts = host != NULL;
	req.requirements = WORD("requirements"), req.requirements_size = req.requirements != NULL ? strlen(req.requirements) : 0;
	char reason[500];
	snprintf(reason, sizeof reason, "%s", WORD("confirm") != NULL ? WORD("confirm") : "");
	req.ctx = reason;
	return bawn_assess_and_execute(b, &req, r, err);
}

int main(int argc, char **argv)
{
	struct bawn *b;
	struct bawn_result *r = NULL;
	struct bawn_err err = { 0 };
	if (argc < 3)
		return 2;
	struct bawn_options o = { .size = sizeof o, .libexec_dir = argv[1], .config_dir = word(argc, argv, "config") };
	int bad = bawn_open(&o, &b, &err);
	if (bad == 0) {
		bad = ask(b, argc, argv, &r, &err);
		bawn_close(b);
	}
	if (bad < 0)
		fprintf(stderr, "%s: %s\n", bawn_error_name(err.type), err.msg);
	else
		puts(bawn_result_json(r));
	bawn_result_free(r);
	return bad < 0;
}
