/* cmd_run.c - bawn run: from words on the command line to one request, one result, one exit code. */
#include "cli/commands.h"
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "core/api.h"

struct opts {
	const char *environment, *lang, *backend, *image, *trust, *network, *out, *stdin_, *reason, *approval, *session, *result, *code;
	uint64_t timeout, memory, cpus, pids, disk;
	struct bawn_opt_list with, with_file, env, in, label, hosts;
	bool override, wait, dry_run, stats, embedded;
};

#define ROW(l, n, k, f, a, c, h) BAWN_CLI_OPT(struct opts, l, n, k, f, a, c, h)
static const struct bawn_opt rows[] = {
	ROW('c', NULL, REST, code, "CODE", NULL, "run CODE; what follows are its arguments"),
	ROW(0, "lang", TEXT, lang, "LANG", NULL, "python, bash or javascript; else by extension or #! line"),
	ROW(0, "backend", TEXT, backend, "NAME", "native|docker", "the wall to use"),
	ROW(0, "image", TEXT, image, "NAME", NULL, "image of the docker backend; else 'image' of sandbox.yaml"),
	ROW(0, "trust", TEXT, trust, "LEVEL", "trusted|standard|untrusted|unknown", "may only lower what the assessment gives"),
	ROW('t', "timeout", DURATION, timeout, "TIME", NULL, "wall time: 30s, 5m"),
	ROW('m', "memory", SIZE, memory, "SIZE", NULL, "memory: 256m, 1g"),
	ROW(0, "cpus", MILLI, cpus, "N", NULL, "CPUs: 1, 0.5"),
	ROW(0, "pids", NUMBER, pids, "N", NULL, "processes and threads"),
	ROW(0, "disk", SIZE, disk, "SIZE", NULL, "workspace, /tmp and /dev/shm together"),
	ROW(0, "network", TEXT, network, "MODE", "none|dependencies", "none unless asked for; dependencies: what network.whitelist of\n                              sandbox.yaml names, through a proxy"),
	ROW(0, "allow-host", LIST, hosts, "HOST", NULL, "with --network or --with: also HOST, HOST:PORT or\n                              http://HOST:PORT, for this run, if a person agrees"),
	ROW(0, "with", LIST, with, "PKG", NULL, "install PKG first: NAME, NAME==VERSION, for javascript\n                              NAME@VERSION; the code itself then has no network"),
	ROW(0, "with-file", LIST, with_file, "FILE", NULL, "the packages of a requirements.txt or package.json"),
	ROW(0, "environment", TEXT, environment, "NAME", NULL, "packages that 'bawn env build' installed"),
	ROW('e', "env", LIST, env, "NAME=VALUE", NULL, "set a variable"),
	ROW(0, "in", LIST, in, "PATH[:NAME]", NULL, "copy a file or a tree into the workspace; a relative PATH\n                              is also looked for beside FILE"),
	ROW(0, "out", TEXT, out, "DIR", NULL, "copy the files the code leaves to DIR; nothing goes below a\n                              hidden directory that is there already"),
	ROW(0, "stdin", TEXT, stdin_, "FILE", NULL, "standard input of the code; - is ours"),
	ROW(0, "override", FLAG, override, NULL, NULL, "ask to lift HIGH or BLOCKED; needs --reason"),
	ROW(0, "reason", TEXT, reason, "TEXT", NULL, "why, 1 to 500 characters; it is recorded"),
	ROW(0, "approval", TEXT, approval, "ID", NULL, "use an approval given for exactly this request"),
	ROW(0, "wait", FLAG, wait, NULL, NULL, "when held, wait for the answer and go on"),
	ROW(0, "label", LIST, label, "NAME=VALUE", NULL, "a label kept in record and result"),
	ROW(0, "session", TEXT, session, "NAME", NULL, "the session this run belongs to"),
	ROW(0, "dry-run", FLAG, dry_run, NULL, NULL, "verdict, decision, limits and walls; runs nothing"),
	ROW(0, "stats", FLAG, stats, NULL, NULL, "say what the run used and where the time went"),
	ROW(0, "result", TEXT, result, "FILE", NULL, "write the result document to FILE"),
	ROW(0, "embedded", FLAG, embedded, NULL, NULL, "do everything in this process, daemon or not"),
};

struct run {
	struct bawn_cli *c;
	const struct opts *o;
	const char *path;            /* NULL: the code came by -c or - */
	struct bawn_buf code, input;
	struct bawn_cli_inputs in;
	struct bawn_strings with;
	struct bawn_cli_drive drive;
	struct bawn_request req;
	struct { int dir, fd; const char *name; } result;  /* opened before anything runs: a directory and a name in it, or what is there */
	char approval[64];
	bool interrupted;            /* while waiting for an answer */
};

static void run_done(struct run *r)
{
	bawn_buf_done(&r->code);
	bawn_buf_done(&r->input);
	bawn_cli_inputs_done(&r->in);
	bawn_strings_done(&r->with);
	bawn_cli_drive_done(&r->drive);
	bawn_close_fdp(&r->result.dir);
	bawn_close_fdp(&r->result.fd);
}

/* The directory of --result; one that --out will make is made now. */
static int open_result_dir(struct run *r, const char *path, struct bawn_err *err)
{
	const char *slash = strrchr(path, '/');
	bawn_auto_free char *dir = slash == NULL ? strdup(".") : strndup(path, slash == path ? 1 : (size_t)(slash - path));
	r->result.name = slash != NULL ? slash + 1 : path;
	if (dir == NULL)
		return bawn_fail(err, -ENOMEM, "--result");
	r->result.dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r->result.dir < 0 && errno == ENOENT && r->o->out != NULL && !r->o->dry_run) {
		int code = bawn_make_dirs(r->o->out, 0777, err);
		if (code < 0)
			return code;
		r->result.dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	if (r->result.dir < 0 || faccessat(r->result.dir, ".", W_OK | X_OK, AT_EACCESS) < 0)
		return bawn_fail(err, -errno, "write to '%s'", dir);
	return 0;
}

/* A file is replaced as a whole; a pipe, a device or a descriptor is written to. */
static int open_result(struct run *r, struct bawn_err *err)
{
	const char *path = r->o->result;
	struct stat st;
	if (path == NULL)
		return 0;
	if (path[0] == '\0')
		return bawn_fail(err, -ENOENT, "a file without a name");
	bool special = strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0 || (stat(path, &st) == 0 && !S_ISREG(st.st_mode));
	if (!special)
		return open_result_dir(r, path, err);
	r->result.fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
	return r->result.fd < 0 ? bawn_fail(err, -errno, "open '%s'", path) : 0;
}

/* With a path, the language may stay open: the library finds it or asks.  Else it is python. */
static const char *language_of(const struct run *r)
{
	if (r->o->lang != NULL)
		return r->o->lang;
	int guess = bawn_language_guess(r->path, bawn_buf_span(&r->code));
	if (guess >= 0)
		return bawn_language[guess].name;
	return r->path == NULL ? bawn_language[BAWN_LANG_PYTHON].name : NULL;
}

static int read_code(struct run *r, int *n, char ***word, struct bawn_err *err)
{
	if (r->o->code != NULL) {
		bawn_buf_str(&r->code, r->o->code);
		return bawn_buf_error(&r->code) < 0 ? bawn_fail(err, bawn_buf_error(&r->code), "-c") : 0;
	}
	if (*n == 0)
		return bawn_fail_as(err, BAWN_ERROR_EMPTY_CODE, "code", "no code to run");
	const char *file = (*word)[0];
	bool ours = strcmp(file, "-") == 0;
	if (ours && r->o->stdin_ != NULL && strcmp(r->o->stdin_, "-") == 0)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "stdin", "standard input cannot be both code and data");
	if (ours && isatty(STDIN_FILENO) == 1)
		return bawn_fail_as(err, BAWN_ERROR_EMPTY_CODE, "code", "standard input is a terminal, which is never read");
	r->path = ours ? NULL : file;
	(*n)--;
	(*word)++;
	return bawn_cli_read_code(file, &r->code, err);
}

static int input_failed(const char *name, int code, struct bawn_err *err)
{
	if (code == -EFBIG)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "stdin", "%s is larger than %um; pass it with --in", name,
		                    BAWN_CLI_STDIN_MAX >> 20);
	if (code < 0 && code != -ENOMEM)
		return bawn_fail_as(err, BAWN_ERROR_INPUT_INVALID, "stdin", "%s: %s", name, strerror(-code));
	return code;
}

static int read_input(struct run *r, bool code_was_stdin, struct bawn_err *err)
{
	const char *from = r->o->stdin_;
	bool terminal = isatty(STDIN_FILENO) == 1;
	if (from != NULL && strcmp(from, "-") == 0 && terminal)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "stdin", "standard input is a terminal, which is never read");
	if (from != NULL && strcmp(from, "-") != 0)
		return input_failed(from, bawn_read_file(AT_FDCWD, from, &r->input, err), err);
	if (from == NULL && (terminal || code_was_stdin))
		return 0;
	return input_failed("standard input", bawn_cli_read_stdin(&r->input, r->c->common.quiet, err), err);
}

/* `--in NAME` works wherever the script is called from: here first, then beside it. */
static int add_input(struct run *r, const char *spec, struct bawn_err *err)
{
	const char *slash = r->path != NULL ? strrchr(r->path, '/') : NULL;
	bawn_auto_free char *here = strdup(spec), *beside = NULL;
	if (here == NULL)
		return bawn_fail(err, -ENOMEM, "--in");
	bool found = access(here, F_OK) == 0;
	char *colon = strrchr(here, ':');
	if (!found && colon != NULL) {
		*colon = '\0';
		found = access(here, F_OK) == 0;
	}
	if (found || spec[0] == '/' || slash == NULL)
		return bawn_cli_input_add(&r->in, spec, err);
	if (asprintf(&beside, "%.*s/%s", (int)(slash - r->path), r->path, spec) < 0)
		return bawn_fail(err, -ENOMEM, "--in");
	return bawn_cli_input_add(&r->in, beside, err);
}

static void fill_request(struct run *r, int n_args, char **args)
{
	const struct opts *o = r->o;
	r->req = (struct bawn_request){
		.size = sizeof r->req,
		.code = r->code.p != NULL ? r->code.p : "", .code_size = r->code.n,
		.language = language_of(r), .path = r->path,
		.args = (const char *const *)args, .n_args = (size_t)n_args,
		.env = o->env.item, .n_env = o->env.n,
		.stdin_data = r->input.p, .stdin_size = r->input.n,
		.inputs = r->in.item, .n_inputs = r->in.n,
		.packages = (const char *const *)r->with.item, .n_packages = r->with.n, .environment = o->environment,
		.backend = o->backend, .image = o->image, .trust = o->trust, .network = o->network,
		.timeout_ms = o->timeout, .memory_bytes = o->memory, .cpus_milli = o->cpus, .pids = o->pids, .disk_bytes = o->disk,
		.labels = o->label.item, .n_labels = o->label.n, .session = o->session,
		.override_ = o->override, .reason = o->reason, .approval = o->approval,
		.out_dir = o->out, .dry_run = o->dry_run, .hosts = o->hosts.item, .n_hosts = o->hosts.n,
	};
}

static int prepare(struct run *r, int n, char **word, struct bawn_err *err)
{
	int code = open_result(r, err);
	if (code < 0) {
		bawn_close_fdp(&r->result.dir);
		r->result.dir = -1;
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "result", "--result: %s", err->msg);
	}
	code = read_code(r, &n, &word, err);
	if (code < 0)
		return code;
	code = read_input(r, r->o->code == NULL && r->path == NULL, err);
	for (size_t i = 0; code == 0 && i < r->o->in.n; i++)
		code = add_input(r, r->o->in.item[i], err);
	if (code == 0)
		code = bawn_cli_with(&r->with, &r->o->with, &r->o->with_file, err);
	if (code < 0)
		return code;
	fill_request(r, n, word);
	struct bawn_options options = bawn_cli_options(r->c);
	bool native = r->o->backend == NULL || strcmp(r->o->backend, "docker") != 0;  /* only its launcher is worth starting ahead */
	code = r->o->dry_run || !native ? bawn_open(&options, &r->c->bawn, err) : bawn_open_to_run(&options, &r->c->bawn, err);
	if (code < 0)
		return code;
	code = bawn_cli_drive_init(&r->drive, !r->c->common.json, err);
	if (code < 0)
		return code;
	r->drive.reason = r->o->reason;
	r->drive.result_path = r->result.dir >= 0 ? r->o->result : NULL;
	r->drive.tells = !r->c->common.json && !r->c->common.quiet;
	r->drive.asker.tty = r->o->dry_run ? -1 : bawn_cli_tty(r->c->common.json);
	r->drive.asker.colour = r->c->colour_err;
	r->drive.asker.path = r->path != NULL ? r->path : "the code";
	r->drive.asker.network = r->o->network;
	r->drive.asker.n_inputs = r->in.n;
	return 0;
}

static int report(struct run *r, const json_t *doc)
{
	struct bawn_cli_ran ran = {
		.path = r->path, .network = r->o->network, .out_dir = r->o->out, .n_inputs = r->in.n,
		.code = bawn_buf_span(&r->code), .stats = r->o->stats, .dry_run = r->o->dry_run,
		.asked = r->drive.asker.asked, .unread = r->drive.broken && r->drive.interrupts == 0,
	};
	return bawn_cli_report(r->c, doc, &ran);
}

static int once(struct run *r, json_t **out)
{
	struct bawn_err err = { 0 };
	if (bawn_cli_drive(&r->drive, r->c->bawn, &r->req, out, &err) < 0)
		*out = bawn_failed_document(&err);
	return *out != NULL ? 0 : -ENOMEM;
}

#define ASK_AGAIN_MS 5000   /* how long an answer may go unnoticed where inotify is not to be had */

static int watch_approvals(const struct run *r)
{
	char dir[640];
	(void)snprintf(dir, sizeof dir, "%s/approvals", bawn_dirs_of(r->c->bawn)->state);
	bawn_auto_fd watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (watch < 0 || inotify_add_watch(watch, dir, IN_MOVED_TO | IN_DELETE) < 0)
		return -1;
	return bawn_take_fd(&watch);
}

/* Whether nobody has answered yet; asking the library costs no record and touches no approval. */
static bool still_pending(const struct run *r)
{
	struct bawn_result *result = NULL;
	bawn_auto_json list = NULL;
	size_t i;
	json_t *row;
	if (bawn_approvals_list(r->c->bawn, &result, NULL) < 0 || bawn_cli_take(result, &list, NULL) < 0)
		return false;  /* the run says what is wrong */
	json_array_foreach(list, i, row)
		if (strcmp(bawn_cli_text(row, "id"), r->approval) == 0)
			return true;
	return false;
}

/* Holds on until the approval is decided; then *doc, which says it is held, is replaced by what came of it. */
static void wait_for_answer(struct run *r, json_t **doc)
{
	bawn_auto_fd watch = watch_approvals(r);
	(void)snprintf(r->approval, sizeof r->approval, "%s", bawn_cli_text(*doc, "decision.approval_id"));
	r->req.approval = r->approval;
	if (!r->c->common.json)
		(void)report(r, *doc);  /* of what is held: nothing goes to stdout */
	if (!r->c->common.quiet)
		bawn_cli_say("waiting for the answer to %s", r->approval);
	while (still_pending(r)) {
		char events[4096];
		r->interrupted = bawn_cli_drive_wait(&r->drive, watch, ASK_AGAIN_MS) != 0;
		if (r->interrupted)
			return;
		while (watch >= 0 && read(watch, events, sizeof events) > 0)
			continue;  /* only that something changed matters */
	}
	json_t *next = NULL;
	if (once(r, &next) < 0)
		return;
	json_decref(*doc);
	*doc = next;
}

static struct bawn_span stderr_of(struct run *r, const json_t *doc)
{
	if (r->drive.tail.n > 0)
		return bawn_buf_span(&r->drive.tail);
	const json_t *text = bawn_cli_at(doc, "stderr");
	return (struct bawn_span){ json_string_value(text), json_string_length(text) };
}

static int write_result(const struct run *res, const json_t *doc, struct bawn_err *err)
{
	bawn_auto_buf text = BAWN_BUF(256u << 20);
	int r = bawn_json_put(&text, doc, err);
	bawn_buf_char(&text, '\n');
	if (r < 0 || bawn_buf_error(&text) < 0)
		return bawn_fail(err, -ENOMEM, "--result");
	if (res->result.fd >= 0)
		return bawn_write_all(res->result.fd, text.p, text.n, err);
	return bawn_replace_file(res->result.dir, res->result.name, bawn_buf_span(&text), 0600, err);
}

/* Output that did not get where it was sent: the program's end is not the whole story then. */
static int say_lost(const struct run *r, int code)
{
	static const char *const name[] = { "", "standard output", "standard error" };
	for (int i = 1; i <= 2; i++) {
		if (r->drive.lost[i] == 0)
			continue;
		bawn_cli_say("write %s: %s", name[i], strerror(r->drive.lost[i]));
		code = BAWN_EXIT_CANNOT;
	}
	return code;
}

/* The program's own code is success only where the files it left got where they were to go, too. */
static int exit_code(const struct run *r, const json_t *doc)
{
	const char *status = bawn_cli_text(doc, "status");
	bool own = strcmp(status, bawn_status_name(BAWN_STATUS_COMPLETED)) == 0 || strcmp(status, bawn_status_name(BAWN_STATUS_FAILED)) == 0;
	bool lost = own && r->o->out != NULL && json_is_object(bawn_cli_at(doc, "error"));
	if (r->drive.asker.interrupted || r->interrupted || (lost && r->drive.interrupts > 0))
		return BAWN_EXIT_INTERRUPTED;
	return lost ? BAWN_EXIT_CANNOT : bawn_exit_code(doc);
}

static int finish(struct run *r, json_t *doc)
{
	struct bawn_err err = { 0 };
	int code = exit_code(r, doc);
	if (r->path != NULL && strcmp(bawn_cli_text(doc, "status"), "completed") != 0 && !r->o->dry_run)
		(void)bawn_cli_missing_file_hint(doc, r->path, stderr_of(r, doc));
	if ((r->result.dir >= 0 || r->result.fd >= 0) && write_result(r, doc, &err) < 0) {
		bawn_cli_say("--result: %s", err.msg);
		code = BAWN_EXIT_CANNOT;
	}
	code = say_lost(r, code);
	if (r->c->common.json)
		code = bawn_cli_print_json(doc, code);
	else if (r->interrupted)
		bawn_cli_say("interrupted; %s stays pending", r->approval);
	else if (report(r, doc) != 0)
		code = BAWN_EXIT_CANNOT;
	if (r->drive.abandoned)
		_exit(code);
	return code;
}

static int run(struct bawn_cli *c, const void *opts, int n, char **word)
{
	__attribute__((cleanup(run_done))) struct run r = {
		.c = c, .o = opts, .code = BAWN_BUF(BAWN_CLI_CODE_MAX), .input = BAWN_BUF(BAWN_CLI_STDIN_MAX),
		.drive = { .signals = -1, .asker.tty = -1 }, .result = { -1, -1, NULL },
	};
	bawn_auto_json doc = NULL;
	struct bawn_err err = { 0 };
	if (prepare(&r, n, word, &err) < 0)
		doc = bawn_failed_document(&err);
	else if (once(&r, &doc) == 0 && r.o->wait && *bawn_cli_text(doc, "decision.approval_id") != '\0' &&
	         strcmp(bawn_cli_text(doc, "status"), bawn_status_name(BAWN_STATUS_NEEDS_APPROVAL)) == 0)
		wait_for_answer(&r, &doc);
	if (doc == NULL) {
		bawn_cli_say("out of memory");
		return BAWN_EXIT_CANNOT;
	}
	return finish(&r, doc);
}

const struct bawn_cli_command bawn_cmd_run = {
	.name = "run",
	.synopsis = "[options] FILE | - | -c CODE [ARGS...]",
	.summary = "assess code, then run it behind the wall and record it",
	.about =
		"Assesses the code and every input file, decides by policy, computes limits, runs the code in\n"
		"a sandbox with no network and none of your files, and records all of it.  LOW runs, MEDIUM\n"
		"runs with warnings, HIGH asks on the terminal or is held for an approval, BLOCKED is refused\n"
		"unless a person lifts it with a reason.  Options end at FILE, - or -c CODE; what follows is\n"
		"passed to the code.  The code starts in an empty workspace: pass files with --in.\n"
		"\n"
		"A redirected standard input is read to its end (at most 16m) before anything runs and passed\n"
		"on; a terminal is never read.  A caller that leaves a pipe open must close it or give\n"
		"--stdin /dev/null.  Output is shown as it comes; control sequences other than colours are\n"
		"escaped when it goes to a terminal, and colours end with it.  With --json nothing is\n"
		"streamed.  Output, or a file of --out, that cannot be written is exit status 125.\n"
		"\n"
		"--out makes DIR before anything runs.  Files are written there whole, never through a link,\n"
		"over a hidden file or below a hidden directory that is there already, nor into bawn's own\n"
		"directories or over FILE of --result; other files of the same name are replaced.  What is\n"
		"left out is listed with the reason.  Give it a directory of its own: a file with a new name\n"
		"may mean something to another program there.\n"
		"\n"
		"Limits on disk, inodes and open files hold always but are sampled for the result: one that\n"
		"was met for a moment may leave no denial, and the disk use told is the most that was seen.\n"
		"\n"
		"Exit status: the program's own; 124 time or cpu-time limit; 125 bawn failed, busy, or wrong\n"
		"usage; 126 refused or held; 127 interpreter absent; 128+n its own signal; 130 interrupted;\n"
		"137 memory limit or killed.",
	.example = "bawn run --in input.csv script.py input.csv\n"
	           "bawn run --json -c 'print(6*7)'\n"
	           "generate | bawn run --timeout 10s -",
	.opts = BAWN_CLI_OPTS(rows), .opts_size = sizeof(struct opts),
	.least = 0, .most = -1, .options_first = true, .run = run,
};
