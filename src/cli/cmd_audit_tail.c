/* cmd_audit_tail.c - bawn audit tail: the last entries, then each new one as it is acknowledged.
 *
 * Invariants: (1) entries come in order, each once, also over segments and while many write; (2) what is new
 * must go on from what was shown: a log that was cut or changed under the reader ends the tail with an error;
 * (3) a wake-up reads only what is new; (4) it ends with exit 0 at a signal or when nobody reads any more. */
#include "cli/commands.h"
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "cli/entries.h"

#define LOOK_MS  1000           /* inotify is for promptness: it does not see writers on other hosts */
#define CHUNK    (256u << 10)

struct opts { struct bawn_cli_pick pick; uint64_t last; };

static const struct bawn_opt rows[] = {
	BAWN_CLI_OPT(struct opts, 'n', "lines", NUMBER, last, "N", NULL, "begin with the last N entries (10)"),
	BAWN_CLI_PICK_ROWS(struct opts, pick),
};

struct tail {
	const struct opts *o;
	bool json, full;
	uint64_t end, left;       /* where the log ended when it was looked at; still wanted, while looking back */
	struct bawn_bookmark place;
	struct bawn_buf out;
	struct bawn_err err;      /* of writing */
};

static int write_out(struct tail *t)
{
	int r = bawn_buf_error(&t->out);
	if (r == 0 && t->out.n > 0)
		r = bawn_write_all(STDOUT_FILENO, t->out.p, t->out.n, &t->err);
	bawn_buf_reset(&t->out);
	return r;
}

static int show_entry(void *ctx, const struct bawn_entry *e)
{
	struct tail *t = ctx;
	if (!bawn_cli_picked(&t->o->pick, e))
		return 0;
	if (t->json) {
		bawn_buf_add(&t->out, e->line.p, e->line.n);
		bawn_buf_char(&t->out, '\n');
	} else {
		bawn_cli_put_entry(&t->out, e->json, t->full);
	}
	return t->out.n >= CHUNK ? write_out(t) : 0;
}

/* At its last entry, shown or not: from there on the place in the file is known. */
static void begin_at_end(struct tail *t)
{
	t->place.seq = t->end > 0 ? t->end - 1 : 0;
	t->left = t->o->last > 0 ? t->o->last : 10;
}

/* Newest first, until enough are found: where to begin. */
static int look_back(void *ctx, const struct bawn_entry *e)
{
	struct tail *t = ctx;
	if (e == NULL) {
		begin_at_end(t);
		return 0;
	}
	if (!bawn_cli_picked(&t->o->pick, e))
		return 0;
	t->place.seq = e->seq < t->place.seq ? e->seq : t->place.seq;
	return --t->left == 0;
}

static int find_start(struct bawn_cli *c, struct tail *t, const char *dir, struct bawn_err *err)
{
	const struct bawn_find find = bawn_cli_find_of(&t->o->pick);
	int r = bawn_audit_size(dir, &t->end, err);
	begin_at_end(t);
	if (r == 0)
		r = bawn_cli_find(c, dir, &find, look_back, t, err);
	return r > 0 ? 0 : r;  /* enough found */
}

/* No log, or one that is being made this moment: its head comes before its first segment. */
static bool not_yet(const char *dir)
{
	char head[1100], segment[1100];
	(void)snprintf(head, sizeof head, "%s/head", dir);
	(void)snprintf(segment, sizeof segment, "%s/seg/000000000000.jsonl", dir);
	return access(head, F_OK) < 0 && errno == ENOENT && access(segment, F_OK) < 0 && errno == ENOENT;
}

static int show_new(struct tail *t, const char *dir, struct bawn_err *err)
{
	if (!t->place.known && not_yet(dir))
		return 0;
	int r = bawn_audit_walk_on(dir, &t->place, show_entry, t, err);
	if (r == 0)
		r = write_out(t);
	if (r < 0 && t->err.code != 0)
		*err = t->err;
	else if (r < 0 && t->place.known && err->type == BAWN_ERROR_NOT_FOUND)
		r = bawn_fail_as(err, BAWN_ERROR_AUDIT_TAMPERED, NULL, "the log that was followed is gone");
	return r;
}

static void end_cleanly(int sig)
{
	(void)sig;
	_exit(BAWN_EXIT_OK);  /* nothing is held: no lock, no file half written */
}

static void heed_signals(void)
{
	const struct sigaction end = { .sa_handler = end_cleanly }, ignore = { .sa_handler = SIG_IGN };
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
	for (size_t i = 0; i < BAWN_LEN(ends); i++)
		(void)sigaction(ends[i], &end, NULL);
	(void)sigaction(SIGPIPE, &ignore, NULL);  /* a write says EPIPE instead */
}

/* Waits for a change or a while; false when nobody reads us any more. */
static bool wait_for_more(const char *dir, int watch, bool *watched)
{
	char events[4096];
	if (!*watched)
		*watched = watch >= 0 && inotify_add_watch(watch, dir, IN_MODIFY | IN_CREATE) >= 0;
	struct pollfd p[] = { { .fd = STDOUT_FILENO }, { .fd = watch, .events = POLLIN } };
	(void)poll(p, 2, *watched ? LOOK_MS : LOOK_MS / 4);
	if ((p[1].revents & POLLIN) != 0)
		while (read(watch, events, sizeof events) > 0)
			;
	return (p[0].revents & (POLLERR | POLLNVAL)) == 0;
}

static int run(struct bawn_cli *c, const void *opts, int n, char **word)
{
	const struct opts *o = opts;
	struct bawn_err err = { 0 };
	struct tail t = { .o = o, .json = c->common.json, .full = c->common.verbose, .out = BAWN_BUF(64u << 20) };
	bawn_auto_fd watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	bool watched = false;
	char dir[1024];
	(void)n, (void)word;
	heed_signals();
	int r = bawn_cli_log_dir(c, NULL, dir, sizeof dir, &err);
	if (r == 0 && !not_yet(dir))
		r = find_start(c, &t, dir, &err);
	do
		r = r == 0 ? show_new(&t, dir, &err) : r;
	while (r == 0 && wait_for_more(dir, watch, &watched));
	bawn_buf_done(&t.out);
	return r == 0 || r == -EPIPE ? BAWN_EXIT_OK : bawn_cli_fail(c, &err);
}

const struct bawn_cli_command bawn_cmd_audit_tail = {
	.group = "audit", .name = "tail", .synopsis = "[options]",
	.summary = "the last entries, then new ones as they come",
	.about = "Shows the last entries, oldest first, and goes on with each new one as soon as it is acknowledged; -v\n"
	         "shows their members.  With --json each line is one entry, byte for byte as it is stored.  It waits\n"
	         "for a log that is not there yet, follows it over its segments, and ends with exit status 0 at\n"
	         "Ctrl-C or when nobody reads any more.  A log that was cut or changed meanwhile is an error.",
	.example = "bawn audit tail --type exec\nbawn audit tail -n 1 --json --severity HIGH | while read -r line; do notify \"$line\"; done",
	.opts = BAWN_CLI_OPTS(rows), .opts_size = sizeof(struct opts), .run = run,
};
