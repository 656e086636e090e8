/* cmd_audit_export.c - bawn audit export: entries as they are stored, or one execution as evidence.
 *
 * Invariants: (1) lines are copied byte for byte, each checked against its own hash and its neighbour first;
 * (2) a file appears whole or not at all; what is not a plain file is never replaced. */
#include "cli/commands.h"
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "cli/entries.h"

#define CHUNK (256u << 10)

struct opts { struct bawn_cli_pick pick; const char *format, *out, *exec; bool bundle; };

static const struct bawn_opt rows[] = {
	BAWN_CLI_OPT(struct opts, 0, "format", TEXT, format, "FORMAT", "jsonl", "jsonl: one entry a line, byte for byte as stored"),
	BAWN_CLI_OPT(struct opts, 'o', "output", TEXT, out, "FILE", NULL, "write FILE, whole or not at all, instead of standard output"),
	BAWN_CLI_OPT(struct opts, 0, "bundle", FLAG, bundle, NULL, NULL, "one execution with its code, output, proofs and keys as one JSON document"),
	BAWN_CLI_OPT(struct opts, 0, "exec", TEXT, exec, "ID", NULL, "the execution for --bundle; may be cut short"),
	BAWN_CLI_PICK_ROWS(struct opts, pick),
};

struct export {
	const struct bawn_cli_pick *pick;
	struct bawn_new_file *file;  /* NULL: standard output */
	struct bawn_buf out;
	uint64_t entries, bytes;
	struct bawn_err err;         /* of writing */
};

static int write_out(struct export *x)
{
	int r = bawn_buf_error(&x->out);
	if (r < 0)
		return bawn_fail(&x->err, r, "export");
	r = x->file != NULL ? bawn_new_file_add(x->file, bawn_buf_span(&x->out), &x->err)
	                    : bawn_write_all(STDOUT_FILENO, x->out.p, x->out.n, &x->err);
	x->bytes += x->out.n;
	bawn_buf_reset(&x->out);
	return r;
}

static int copy_entry(void *ctx, const struct bawn_entry *e)
{
	struct export *x = ctx;
	if (!bawn_cli_picked(x->pick, e))
		return 0;
	bawn_buf_add(&x->out, e->line.p, e->line.n);
	bawn_buf_char(&x->out, '\n');
	x->entries++;
	return x->out.n >= CHUNK ? write_out(x) : 0;
}

static int copy_lines(struct export *x, const char *dir, struct bawn_err *err)
{
	int r = bawn_audit_walk(dir, 0, copy_entry, x, err);
	if (r == 0)
		r = write_out(x);
	if (r < 0 && x->err.code != 0)
		*err = x->err;
	return r;
}

static int put_bundle(const struct bawn_cli *c, struct export *x, const char *dir, const char *exec, struct bawn_err *err)
{
	bawn_auto_json list = NULL;
	int r = bawn_cli_entries_of(c, dir, exec, NULL, &list, err);
	if (r == 0 && json_array_size(list) == 0)
		r = bawn_fail_as(err, BAWN_ERROR_NOT_FOUND, "exec", "no entry of an execution '%s' in the log", exec);
	if (r == 0)
		r = bawn_audit_bundle(dir, bawn_cli_text(json_array_get(list, 0), "exec"), &x->out, err);
	x->entries = json_array_size(list);
	if (r == 0 && write_out(x) < 0) {
		*err = x->err;
		r = err->code;
	}
	return r;
}

static int begin_file(struct bawn_new_file *f, const char *path, struct bawn_err *err)
{
	struct stat st;
	if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "output", "'%s' is there and is not a plain file", path);
	return bawn_new_file_begin(f, AT_FDCWD, path, 0600, err);
}

static int report(const struct bawn_cli *c, const struct export *x, const char *path)
{
	if (path == NULL)
		return BAWN_EXIT_OK;
	if (c->common.json) {
		bawn_auto_json doc = json_pack("{s:o, s:I, s:I}", "file", bawn_json_text(bawn_span(path)), "entries", (json_int_t)x->entries,
		                               "bytes", (json_int_t)x->bytes);
		return bawn_cli_print_json(doc, BAWN_EXIT_OK);
	}
	if (!c->common.quiet)
		bawn_cli_say("%" PRIu64 " entries written to '%s'", x->entries, path);
	return BAWN_EXIT_OK;
}

static int run(struct bawn_cli *c, const void *opts, int n, char **word)
{
	const struct opts *o = opts;
	struct bawn_err err = { 0 };
	const char *path = o->out != NULL && strcmp(o->out, "-") != 0 ? o->out : NULL;
	bawn_auto_new_file file = { .fd = -1, .dir = -1 };
	struct export x = { .pick = &o->pick, .file = path != NULL ? &file : NULL, .out = BAWN_BUF(512u << 20) };
	char dir[1024];
	if (o->bundle != (o->exec != NULL))
		return bawn_cli_usage(c, "--bundle and --exec ID go together");
	if (o->bundle && o->format != NULL)
		return bawn_cli_usage(c, "--bundle has its own format");
	int r = bawn_cli_log_dir(c, n > 0 ? word[0] : NULL, dir, sizeof dir, &err);
	if (r == 0 && path != NULL)
		r = begin_file(&file, path, &err);
	if (r == 0)
		r = o->bundle ? put_bundle(c, &x, dir, o->exec, &err) : copy_lines(&x, dir, &err);
	if (r == 0 && path != NULL)
		r = bawn_new_file_end(&file, &err);
	bawn_buf_done(&x.out);
	return r < 0 ? bawn_cli_fail(c, &err) : report(c, &x, path);
}

const struct bawn_cli_command bawn_cmd_audit_export = {
	.group = "audit", .name = "export", .synopsis = "[options] [DIR]",
	.summary = "entries as they are stored, or one execution as evidence",
	.about = "Copies entries byte for byte, oldest first, one a line: each still has its hash, and cites the one\n"
	         "before.  With --bundle: one JSON document with the entries of one execution, its code and output if they were kept,\n"
	         "a C2SP tlog-proof of each entry, the signed checkpoint and the log's verifier keys; 'bawn audit\n"
	         "verify --bundle FILE' checks it anywhere, without the log.  DIR is a copy of the state directory\n"
	         "or of its audit directory.",
	.example = "bawn audit export --format jsonl --since 30d -o june.jsonl\nbawn audit export --bundle --exec 01KXQ -o evidence.json",
	.opts = BAWN_CLI_OPTS(rows), .opts_size = sizeof(struct opts), .most = 1, .run = run,
};
