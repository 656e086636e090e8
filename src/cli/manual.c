/* manual.c - bawn(1) and the shell completions, from the same tables as parser and help. */
#include "cli/cli.h"
#include "base/cleanup.h"
#include "core/api.h"

/* ---- roff ---- */

/* Text as roff shows it unchanged: backslashes, dashes, and a dot or quote that starts a line. */
static void put_text(struct bawn_buf *out, struct bawn_span text)
{
	bool start = out->n == 0 || out->p[out->n - 1] == '\n';
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		if (start && (c == '.' || c == '\''))
			bawn_buf_str(out, "\\&");
		if (c == '\\')
			bawn_buf_str(out, "\\e");
		else if (c == '-')
			bawn_buf_str(out, "\\-");
		else
			bawn_buf_char(out, c);
		if ((c == ',' || c == '|') && i + 1 < text.n && text.p[i + 1] != ' ')
			bawn_buf_str(out, "\\:");  /* long lists may break here */
		start = c == '\n';
	}
}

static void put(struct bawn_buf *out, const char *text) { put_text(out, bawn_span(text)); }

/* Empty lines become paragraphs. */
static void put_paragraphs(struct bawn_buf *out, const char *text)
{
	while (*text != '\0') {
		size_t n = strcspn(text, "\n");
		if (n == 0)
			bawn_buf_str(out, ".PP");
		else
			put_text(out, (struct bawn_span){ text, n });
		bawn_buf_char(out, '\n');
		text += n;
		text += *text == '\n';
	}
}

static void put_help(struct bawn_buf *out, const char *text)
{
	while (*text != '\0') {  /* continuation lines of --help are indented */
		size_t n = strcspn(text, "\n");
		put_text(out, (struct bawn_span){ text, n });
		bawn_buf_char(out, '\n');
		text += n;
		text += strspn(text, "\n ");
	}
}

static void put_option(struct bawn_buf *out, const struct bawn_opt *o)
{
	bawn_buf_str(out, ".TP\n");
	if (o->letter != 0)
		bawn_buf_fmt(out, "\\fB\\-%c\\fR%s", o->letter, o->name != NULL ? ", " : "");
	if (o->name != NULL) {
		bawn_buf_str(out, "\\fB\\-\\-");
		put(out, o->name);
		bawn_buf_str(out, "\\fR");
	}
	if (o->arg != NULL) {
		bawn_buf_str(out, " \\fI");
		put(out, o->choices != NULL ? o->choices : o->arg);
		bawn_buf_str(out, "\\fR");
	}
	bawn_buf_char(out, '\n');
	put_help(out, o->help);
}

static void put_options(struct bawn_buf *out, const struct bawn_opts *table)
{
	for (size_t i = 0; i < table->n; i++)
		put_option(out, &table->row[i]);
}

static void put_command(struct bawn_buf *out, const struct bawn_cli_command *cmd)
{
	bawn_buf_str(out, ".SS \"");
	if (cmd->group != NULL)
		bawn_buf_fmt(out, "%s ", cmd->group);
	put(out, cmd->name);
	bawn_buf_str(out, *cmd->synopsis != '\0' ? " " : "");
	put(out, cmd->synopsis);
	bawn_buf_str(out, "\"\n");
	put_paragraphs(out, cmd->about);
	put_options(out, &cmd->opts);
	bawn_buf_str(out, ".PP\nExample:\n.PP\n.nf\n.RS\n");
	put_paragraphs(out, cmd->example);
	bawn_buf_str(out, ".RE\n.fi\n");
}

static void put_row(struct bawn_buf *out, const char *title, const char *text)
{
	bawn_buf_str(out, ".TP\n\\fB");
	put(out, title);
	bawn_buf_str(out, "\\fR\n");
	put(out, text);
	bawn_buf_char(out, '\n');
}

static const struct { const char *title, *text; } exit_row[] = {
	{ "0", "done; for run, the program's own exit status is passed through" },
	{ "1", "a finding, a failed verification, or an answer that changed nothing" },
	{ "2", "wrong usage (run: 125)" },
	{ "3", "audit verify: the log is whole, but nothing independent vouches for it" },
	{ "125", "bawn could not do it; run: also busy or wrong usage" },
	{ "127", "run: the interpreter is absent" },
	{ "128+n", "run: the program was ended by its own signal n" },
};

static void put_statuses(struct bawn_buf *out)
{
	static const struct { const char *name; int code; } row[] = {
#define ROW(n, t, e, h) { t, e },
		BAWN_STATUSES(ROW)
#undef ROW
	};
	bawn_buf_str(out, ".PP\nThe \\fBstatus\\fR of a result and the exit status of \\fBbawn run\\fR:\n");
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		bawn_auto_buf code = BAWN_BUF(64);
		bawn_buf_fmt(&code, "%d", row[i].code);
		put_row(out, row[i].name, row[i].code < 0 ? "the program's own" : code.p);
	}
}

static void put_errors(struct bawn_buf *out)
{
	bawn_buf_str(out, ".SH ERRORS\nThe closed list of \\fBerror.type\\fR, with its hint:\n");
	for (int i = 1; i < BAWN_ERROR_COUNT; i++) {
		const char *hint = bawn_error_hint((enum bawn_error)i);
		put_row(out, bawn_error_name((enum bawn_error)i), hint != NULL ? hint : "the message says it all");
	}
}

/* file TAB key TAB allowed TAB default TAB stricter TAB help */
static void put_key(struct bawn_buf *out, struct bawn_span line, struct bawn_span *file)
{
	struct bawn_span cell[6] = { { NULL, 0 } };
	for (size_t i = 0; i < BAWN_LEN(cell); i++) {
		const char *tab = i + 1 < BAWN_LEN(cell) && line.n > 0 ? memchr(line.p, '\t', line.n) : NULL;
		size_t n = tab != NULL ? (size_t)(tab - line.p) : line.n;
		cell[i] = (struct bawn_span){ line.p, n };
		n += tab != NULL;
		line = (struct bawn_span){ line.p + n, line.n - n };
	}
	if (!bawn_span_equal(cell[0], *file)) {
		bawn_buf_fmt(out, ".SS %.*s\n", (int)cell[0].n, cell[0].p);
		*file = cell[0];
	}
	bawn_buf_str(out, ".TP\n\\fB");
	put_text(out, cell[1]);
	bawn_buf_str(out, "\\fR: \\fI");
	put_text(out, cell[2]);
	bawn_buf_str(out, "\\fR\n");
	put_text(out, cell[5]);
	bawn_buf_str(out, "\n.br\nDefault ");
	put_text(out, cell[3]);
	bawn_buf_str(out, "; stricter: ");
	put_text(out, cell[4]);
	bawn_buf_str(out, ".\n");
}

static void put_configuration(struct bawn_buf *out)
{
	bawn_auto_buf rows = BAWN_BUF(256u << 10);
	struct bawn_span file = { NULL, 0 };
	bawn_policy_manual(&rows);
	bawn_buf_str(out, ".SH CONFIGURATION\n");
	put_paragraphs(out,
		"/etc/bawn, where it exists, else the compiled defaults, is the floor: $XDG_CONFIG_HOME/bawn, --config\n"
		"and requests may only tighten it.  Loosening needs acknowledge_risk: true beside the value, and is\n"
		"refused where the floor belongs to root.  Every file and every key may be left out.\n");
	for (const char *at = rows.p; at != NULL && *at != '\0'; ) {
		size_t n = strcspn(at, "\n");
		put_key(out, (struct bawn_span){ at, n }, &file);
		at += n;
		at += *at == '\n';
	}
}

static const struct { const char *title, *text; } file_row[] = {
	{ "/etc/bawn/", "security.yaml, sandbox.yaml, audit.yaml, server.yaml: the floor" },
	{ "$XDG_CONFIG_HOME/bawn/", "the user's own files, which may only tighten" },
	{ "rules.d/*.yaml", "in any of these or below --config: rules of your own for names, paths and hosts, raising only; try them with bawn rules test" },
	{ "/var/lib/bawn/", "state as root: audit/ (the log), approvals/" },
	{ "$XDG_STATE_HOME/bawn/", "state otherwise (~/.local/state/bawn)" },
}, env_row[] = {
	{ "BAWN_STATE", "as --state" },
	{ "BAWN_CONFIG", "as --config" },
	{ "NO_COLOR", "no colour, also on a terminal" },
};

void bawn_cli_manual(struct bawn_buf *out)
{
	bawn_buf_str(out, ".TH BAWN 1 \"\" \"bawn " BAWN_VERSION "\" \"User Commands\"\n.nh\n.ad l\n");
	bawn_buf_str(out, ".SH NAME\nbawn \\- run code nobody has read yet: assessed, contained, recorded\n");
	bawn_buf_str(out, ".SH SYNOPSIS\n\\fBbawn\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n.SH DESCRIPTION\n");
	put_paragraphs(out,
		"bawn runs code that nobody has read yet, above all code written by AI assistants.  The code is\n"
		"assessed before, contained during and provable after: nothing runs unassessed, unlimited or\n"
		"unrecorded.  Used as a command under your own uid it guards the host against the code; it is no\n"
		"guard against a program that already has your shell.\n");
	bawn_buf_str(out, ".SH OPTIONS OF EVERY COMMAND\n");
	put_options(out, &bawn_cli_common_opts);
	bawn_buf_str(out, ".SH COMMANDS\n");
	for (size_t i = 0; bawn_cli_command[i] != NULL; i++)
		put_command(out, bawn_cli_command[i]);
	bawn_buf_str(out, ".SH EXIT STATUS\n");
	for (size_t i = 0; i < BAWN_LEN(exit_row); i++)
		put_row(out, exit_row[i].title, exit_row[i].text);
	put_statuses(out);
	put_errors(out);
	put_configuration(out);
	bawn_buf_str(out, ".SH FILES\n");
	for (size_t i = 0; i < BAWN_LEN(file_row); i++)
		put_row(out, file_row[i].title, file_row[i].text);
	bawn_buf_str(out, ".SH ENVIRONMENT\n");
	for (size_t i = 0; i < BAWN_LEN(env_row); i++)
		put_row(out, env_row[i].title, env_row[i].text);
}

/* ---- completion ---- */

static void put_names(struct bawn_buf *out, const struct bawn_opts *table)
{
	for (size_t i = 0; i < table->n; i++) {
		if (table->row[i].letter != 0)
			bawn_buf_fmt(out, " -%c", table->row[i].letter);
		if (table->row[i].name != NULL)
			bawn_buf_fmt(out, " --%s", table->row[i].name);
	}
}

/* Top-level words, each once. */
static void put_words(struct bawn_buf *out)
{
	const char *last = "";
	for (size_t i = 0; bawn_cli_command[i] != NULL; i++) {
		const char *word = bawn_cli_command[i]->group != NULL ? bawn_cli_command[i]->group : bawn_cli_command[i]->name;
		if (strcmp(word, last) != 0)
			bawn_buf_fmt(out, " %s", word);
		last = word;
	}
	bawn_buf_str(out, " help");
}

/* case lines: "audit) list='verify list ...'" */
static void put_groups(struct bawn_buf *out)
{
	const char *last = "";
	for (size_t i = 0; bawn_cli_command[i] != NULL; i++) {
		const char *group = bawn_cli_command[i]->group;
		if (group == NULL || strcmp(group, last) == 0)
			continue;
		bawn_buf_fmt(out, "\t%s) sub='", group);
		for (size_t k = i; bawn_cli_command[k] != NULL; k++)
			if (bawn_cli_command[k]->group != NULL && strcmp(bawn_cli_command[k]->group, group) == 0)
				bawn_buf_fmt(out, "%s%s", k > i ? " " : "", bawn_cli_command[k]->name);
		bawn_buf_str(out, "' ;;\n");
		last = group;
	}
}

static void put_command_options(struct bawn_buf *out)
{
	for (size_t i = 0; bawn_cli_command[i] != NULL; i++) {
		const struct bawn_cli_command *cmd = bawn_cli_command[i];
		if (cmd->opts.n == 0)
			continue;
		bawn_buf_fmt(out, "\t'%s%s%s') list=\"$list", cmd->group != NULL ? cmd->group : "", cmd->group != NULL ? " " : "", cmd->name);
		put_names(out, &cmd->opts);
		bawn_buf_str(out, "\" ;;\n");
	}
}

/* case lines: "--network) list='none dependencies'" */
static void put_choices(struct bawn_buf *out)
{
	for (size_t i = 0; bawn_cli_command[i] != NULL; i++)
		for (size_t k = 0; k < bawn_cli_command[i]->opts.n; k++) {
			const struct bawn_opt *o = &bawn_cli_command[i]->opts.row[k];
			if (o->choices == NULL || o->name == NULL)
				continue;
			bawn_buf_fmt(out, "\t--%s) list='", o->name);
			for (const char *p = o->choices; *p != '\0'; p++)
				bawn_buf_char(out, *p == '|' ? ' ' : *p);
			bawn_buf_str(out, "' ;;\n");
		}
}

/* The part both shells share: from $cmd, $next, $prev and $cur to $list. */
static void put_choose(struct bawn_buf *out)
{
	bawn_buf_str(out, "\tlocal list sub=''\n\tlist='");
	put_names(out, &bawn_cli_common_opts);
	bawn_buf_str(out, "'\n\tcase \"$cmd\" in\n");
	put_groups(out);
	bawn_buf_str(out, "\tesac\n\tcase \"$cmd${sub:+ $next}\" in\n");
	put_command_options(out);
	bawn_buf_str(out, "\tesac\n\tcase \"$prev\" in\n");
	put_choices(out);
	bawn_buf_str(out, "\tesac\n\tif [ -z \"$cmd\" ]; then list='");
	put_words(out);
	bawn_buf_str(out, "'; elif [ -n \"$sub\" ] && [ -z \"$next\" ]; then list=\"$sub\"; fi\n");
}

void bawn_cli_bash_completion(struct bawn_buf *out)
{
	bawn_buf_str(out,
		"# bash completion for bawn; generated from its command table\n"
		"_bawn()\n{\n"
		"\tlocal cur=\"${COMP_WORDS[COMP_CWORD]}\" prev=\"${COMP_WORDS[COMP_CWORD-1]}\" cmd='' next=''\n"
		"\t[ \"$COMP_CWORD\" -gt 1 ] && cmd=\"${COMP_WORDS[1]}\"\n"
		"\t[ \"$COMP_CWORD\" -gt 2 ] && next=\"${COMP_WORDS[2]}\"\n");
	put_choose(out);
	bawn_buf_str(out,
		"\tcase \"$cmd\" in help) [ \"$COMP_CWORD\" -eq 2 ] && list='");
	put_words(out);
	bawn_buf_str(out,
		"' ;; esac\n"
		"\tCOMPREPLY=($(compgen -W \"$list\" -- \"$cur\"))\n"
		"}\n"
		"complete -o default -F _bawn bawn\n");
}

void bawn_cli_zsh_completion(struct bawn_buf *out)
{
	bawn_buf_str(out,
		"#compdef bawn\n"
		"# zsh completion for bawn; generated from its command table\n"
		"_bawn()\n{\n"
		"\tlocal prev=\"${words[CURRENT-1]}\" cmd='' next=''\n"
		"\t(( CURRENT > 2 )) && cmd=\"${words[2]}\"\n"
		"\t(( CURRENT > 3 )) && next=\"${words[3]}\"\n"
		"\t_bawn_choose \"$cmd\" \"$next\" \"$prev\"\n"
		"\t_files\n"
		"}\n"
		"_bawn_choose()\n{\n"
		"\tlocal cmd=\"$1\" next=\"$2\" prev=\"$3\"\n");
	put_choose(out);
	bawn_buf_str(out,
		"\tcompadd -- ${=list}\n"
		"}\n"
		"_bawn \"$@\"\n");
}
