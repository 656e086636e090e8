/* cmd_env.c - bawn env: packages that are installed once and used by many runs. */
#include "cli/commands.h"
#include <stdio.h>
#include "base/cleanup.h"
#include "core/api.h"

/* ---- list, show, rm ---- */

static const struct bawn_cli_field package_column[] = {
	{ "PACKAGE", "name", BAWN_CLI_TEXT }, { "VERSION", "version", BAWN_CLI_TEXT }, { "HASH", "hash", BAWN_CLI_TEXT }, { "FROM", "url", BAWN_CLI_TEXT },
};

static int run_list(struct bawn_cli *c, const void *opts, int n, char **word)
{
	static const struct bawn_cli_field column[] = {
		{ "ENVIRONMENT", "short", BAWN_CLI_TEXT }, { "NAMES", "names", BAWN_CLI_LIST }, { "LANGUAGE", "language", BAWN_CLI_TEXT },
		{ "BUILT", "built_at", BAWN_CLI_TIME }, { "SIZE", "bytes", BAWN_CLI_SIZE }, { "REQUESTED", "requested", BAWN_CLI_LIST },
	};
	struct bawn_err err = { 0 };
	bawn_auto_json list = NULL;
	size_t i;
	json_t *env;
	bool ok = true;
	(void)opts, (void)n, (void)word;
	if (bawn_cli_open(c, &err) < 0 || bawn_environments(c->bawn, &list, &err) < 0)
		return bawn_cli_fail(c, &err);
	if (c->common.json)
		return bawn_cli_print_json(list, BAWN_EXIT_OK);
	if (json_array_size(list) == 0) {
		bawn_cli_say("there are no environments");
		return BAWN_EXIT_OK;
	}
	json_array_foreach(list, i, env)
		bawn_json_set(env, "short", json_stringn(bawn_cli_text(env, "environment"), 12), &ok);
	bawn_auto_buf out = BAWN_BUF(16u << 20);
	bawn_cli_table(&out, list, column, BAWN_LEN(column), c->colour_out);
	return bawn_cli_print(&out, BAWN_EXIT_OK);
}

static int run_show(struct bawn_cli *c, const void *opts, int n, char **word)
{
	static const struct bawn_cli_field field[] = {
		{ "environment", "environment", BAWN_CLI_TEXT }, { "names", "names", BAWN_CLI_LIST }, { "language", "language", BAWN_CLI_TEXT }, { "interpreter", "interpreter", BAWN_CLI_TEXT },
		{ "installed by", "tool", BAWN_CLI_TEXT }, { "built", "built_at", BAWN_CLI_TEXT }, { "requested", "requested", BAWN_CLI_LIST },
		{ "files", "files", BAWN_CLI_TEXT }, { "size", "bytes", BAWN_CLI_SIZE }, { "tree sha256", "tree_sha256", BAWN_CLI_TEXT },
	};
	struct bawn_err err = { 0 };
	bawn_auto_json env = NULL;
	(void)opts, (void)n;
	if (bawn_cli_open(c, &err) < 0 || bawn_environment(c->bawn, word[0], &env, &err) < 0)
		return bawn_cli_fail(c, &err);
	if (c->common.json)
		return bawn_cli_print_json(env, BAWN_EXIT_OK);
	bawn_auto_buf out = BAWN_BUF(16u << 20);
	bawn_cli_fields(&out, env, field, BAWN_LEN(field), c->colour_out);
	bawn_buf_char(&out, '\n');
	bawn_cli_table(&out, bawn_cli_at(env, "packages"), package_column, BAWN_LEN(package_column), c->colour_out);
	return bawn_cli_print(&out, BAWN_EXIT_OK);
}

static int run_rm(struct bawn_cli *c, const void *opts, int n, char **word)
{
	struct bawn_err err = { 0 };
	bawn_auto_json env = NULL;
	(void)opts, (void)n;
	if (bawn_cli_open(c, &err) < 0 || bawn_environment_remove(c->bawn, word[0], &env, &err) < 0)
		return bawn_cli_fail(c, &err);
	if (c->common.json)
		return bawn_cli_print_json(env, BAWN_EXIT_OK);
	if (!c->common.quiet)
		bawn_cli_say("environment %.12s is removed", bawn_cli_text(env, "environment"));
	return BAWN_EXIT_OK;
}

const struct bawn_cli_command bawn_cmd_env_list = {
	.group = "env", .name = "list", .synopsis = "", .when_bare = true,
	.summary = "environments that were built",
	.about = "An environment is what installing packages came to: built once, by 'bawn env build' or by\n"
	         "'bawn run --with', and used read-only by every run that asks for the same.",
	.example = "bawn env list", .run = run_list,
};
const struct bawn_cli_command bawn_cmd_env_show = {
	.group = "env", .name = "show", .synopsis = "NAME | HASH",
	.summary = "one environment: its packages, their hashes and where they came from",
	.about = "HASH may be cut short as long as it is unique.",
	.example = "bawn env show data", .least = 1, .most = 1, .run = run_show,
};
const struct bawn_cli_command bawn_cmd_env_rm = {
	.group = "env", .name = "rm", .synopsis = "NAME | HASH",
	.summary = "remove an environment",
	.about = "Refused while a run has it.  Its names go with it.  Recorded.",
	.example = "bawn env rm data", .least = 1, .most = 1, .run = run_rm,
};

/* ---- build: the way of a run, without one ---- */

struct build_opts { struct bawn_opt_list with, with_file, hosts; const char *lang, *reason, *approval; bool override; };
#define ROW(l, n, k, f, a, c, h) BAWN_CLI_OPT(struct build_opts, l, n, k, f, a, c, h)
static const struct bawn_opt build_rows[] = {
	ROW(0, "with", LIST, with, "PKG", NULL, "a package: NAME, NAME==VERSION; for javascript NAME@VERSION"),
	ROW(0, "with-file", LIST, with_file, "FILE", NULL, "the packages of a requirements.txt or package.json"),
	ROW(0, "allow-host", LIST, hosts, "HOST", NULL, "also from HOST, this once, if a person agrees"),
	ROW(0, "lang", TEXT, lang, "LANG", "python|javascript", "whose packages; python unless said"),
	ROW(0, "override", FLAG, override, NULL, NULL, "ask to lift what is held; needs --reason"),
	ROW(0, "reason", TEXT, reason, "TEXT", NULL, "why, 1 to 500 characters; it is recorded"),
	ROW(0, "approval", TEXT, approval, "ID", NULL, "use an approval given for exactly this request"),
};

static void report(struct bawn_cli *c, const json_t *doc, const char *code, bool asked)
{
	if (strcmp(bawn_cli_text(doc, "status"), "completed") == 0 && !c->common.quiet) {
		bawn_auto_buf out = BAWN_BUF(4u << 20);
		bawn_cli_table(&out, bawn_cli_at(doc, "environment.packages"), package_column, BAWN_LEN(package_column), c->colour_out);
		(void)bawn_cli_print(&out, BAWN_EXIT_OK);
		return;
	}
	bawn_cli_report(c, doc, &(struct bawn_cli_ran){ .code = bawn_span(code), .asked = asked });
}

static int build(struct bawn_cli *c, const struct build_opts *o, const char *name, struct bawn_strings *w, struct bawn_cli_drive *d, struct bawn_err *err)
{
	const char *lang = o->lang != NULL ? o->lang : "python";
	struct bawn_options options = bawn_cli_options(c);
	char code[128];
	bawn_auto_json doc = NULL;
	snprintf(code, sizeof code, "%s bawn env build %.64s\n", strcmp(lang, "javascript") == 0 ? "//" : "#", name);
	int r = bawn_cli_with(w, &o->with, &o->with_file, err);
	if (r == 0)
		r = bawn_open(&options, &c->bawn, err);
	if (r == 0)
		r = bawn_cli_drive_init(d, false, err);
	if (r < 0)
		return r;
	struct bawn_request req = { .size = sizeof req, .code = code, .code_size = strlen(code), .language = lang, .build = name,
		.packages = (const char *const *)w->item, .n_packages = w->n, .override_ = o->override, .reason = o->reason, .approval = o->approval,
		.hosts = o->hosts.item, .n_hosts = o->hosts.n };
	d->reason = o->reason;
	d->tells = !c->common.json && !c->common.quiet;
	d->asker.tty = bawn_cli_tty(c->common.json);
	d->asker.colour = c->colour_err;
	d->asker.path = "the environment";
	r = bawn_cli_drive(d, c->bawn, &req, &doc, err);
	if (r < 0)
		return r;
	int status = strcmp(bawn_cli_text(doc, "status"), "completed") == 0 ? BAWN_EXIT_OK : bawn_exit_code(doc);
	if (c->common.json)
		return bawn_cli_print_json(doc, status);
	report(c, doc, code, d->asker.asked);
	return status;
}

static int run_build(struct bawn_cli *c, const void *opts, int n, char **word)
{
	struct bawn_err err = { 0 };
	__attribute__((cleanup(bawn_strings_done))) struct bawn_strings w = { 0 };
	__attribute__((cleanup(bawn_cli_drive_done))) struct bawn_cli_drive d = { .signals = -1, .asker.tty = -1 };
	(void)n;
	int code = build(c, opts, word[0], &w, &d, &err);
	return code < 0 ? bawn_cli_fail(c, &err) : code;
}

const struct bawn_cli_command bawn_cmd_env_build = {
	.group = "env", .name = "build", .synopsis = "NAME --with PKG... [options]",
	.summary = "install packages and give them a name",
	.about = "Installs packages from the hosts of network.whitelist (sandbox.yaml) in a sandbox of their own:\n"
	         "wheels only for python, no scripts for javascript.  'bawn run --environment NAME' has them\n"
	         "then, read-only and without a network.  A name that is there already is moved to the new one.\n"
	         "Names one edit away from popular packages, and packages that network.packages does not list,\n"
	         "are held as code of level HIGH is.",
	.example = "bawn env build data --with numpy==1.26.4 --with pandas\nbawn run --environment data script.py",
	.opts = BAWN_CLI_OPTS(build_rows), .opts_size = sizeof(struct build_opts),
	.least = 1, .most = 1, .run = run_build,
};
