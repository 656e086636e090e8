/* confirm.c - the question a person answers on the controlling terminal.
 *
 * Invariants: (1) question and answer go through /dev/tty, never through stdin, which may be the
 * data of somebody else; (2) anything but exactly "yes" is no, and so is end of file, a signal or
 * an empty reason; (3) all that is shown of the code is escaped: it must not be able to redraw
 * the question about itself. */
#include "cli/cli.h"
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "base/hash.h"
#include "core/request.h"

#define SHOWN_FINDINGS 20
#define TEXT_MAX (512u << 10)
#define REASON_MAX 500

int bawn_cli_tty(bool json)
{
	bool terminal = isatty(STDERR_FILENO) == 1 || (!json && (isatty(STDIN_FILENO) == 1 || isatty(STDOUT_FILENO) == 1));
	return terminal ? open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY) : -1;
}

static bool show(const struct bawn_cli_asker *a, const char *text)
{
	return bawn_write_all(a->tty, text, strlen(text), NULL) == 0;
}

/* One line without its end; false on end of file, error or signal. */
static bool read_line(struct bawn_cli_asker *a, char *out, size_t size)
{
	size_t n = 0;
	for (;;) {
		struct pollfd p[] = { { .fd = a->tty, .events = POLLIN }, { .fd = a->signals, .events = POLLIN } };
		if (poll(p, a->signals >= 0 ? 2 : 1, -1) < 0 && errno != EINTR)
			return false;
		if (a->signals >= 0 && (p[1].revents & POLLIN) != 0) {
			a->interrupted = true;
			(void)show(a, "\n");
			return false;
		}
		if (p[0].revents == 0)
			continue;
		char c;
		ssize_t got = read(a->tty, &c, 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		if (c == '\n')
			break;
		if (n + 1 < size)
			out[n] = c;
		n++;
	}
	out[n < size ? n : size - 1] = '\0';
	return n < size;
}

int bawn_cli_ask(struct bawn_cli_asker *a, const char *question, const char *given_reason, char *reason, size_t size)
{
	char word[8];
	if (!show(a, question) || !read_line(a, word, sizeof word) || strcmp(word, "yes") != 0)
		return 0;
	if (given_reason != NULL) {
		(void)snprintf(reason, size, "%s", given_reason);
		return 1;
	}
	for (int tries = 0; tries < 3; tries++) {
		if (!show(a, "Reason (1-500 characters): ") || !read_line(a, reason, size))
			return 0;
		if (bawn_reason_check(reason, REASON_MAX, NULL) == 0)
			return 1;  /* one that policy would not take is asked for again, not a failure of all that was typed */
	}
	return 0;
}

static void put_findings(struct bawn_buf *out, const json_t *assessment, struct bawn_span code, bool colour)
{
	size_t i, n = json_array_size(bawn_cli_at(assessment, "findings"));
	json_t *f;
	json_array_foreach(bawn_cli_at(assessment, "findings"), i, f) {
		if (i == SHOWN_FINDINGS) {
			bawn_buf_fmt(out, "  and %zu more; 'bawn assess' shows all\n", n - i);
			break;
		}
		bawn_cli_finding(out, f, code, colour);
	}
	bawn_cli_score(out, assessment, false);
}

static json_t *parsed(const char *text)
{
	return text != NULL ? json_loads(text, JSON_ALLOW_NUL, NULL) : NULL;
}

void bawn_cli_question_text(struct bawn_buf *out, const struct bawn_cli_asker *a, const struct bawn_question *q)
{
	bawn_auto_json assessment = parsed(q->assessment_json);
	bawn_auto_json limits = parsed(q->limits_json);
	struct bawn_span code = { q->code, q->code_size };
	char sha256[BAWN_SHA256_HEX];
	bawn_sha256_hex(code, sha256);
	bawn_buf_str(out, "bawn: ");
	bawn_cli_colour(out, q->level, a->colour, true);
	bawn_buf_escaped(out, bawn_span(q->level));
	bawn_cli_colour(out, q->level, a->colour, false);
	bawn_buf_str(out, ": ");
	bawn_buf_escaped(out, bawn_span(a->path));
	bawn_buf_fmt(out, ", %zu bytes, sha256 %s\n", q->code_size, sha256);
	put_findings(out, assessment, code, a->colour);
	size_t i;
	json_t *host;
	json_array_foreach(bawn_cli_at(limits, "network.asked"), i, host) {
		bawn_buf_str(out, "bawn: it asks for a host that network.whitelist does not have: ");
		bawn_buf_escaped(out, bawn_span(json_string_value(host)));
		bawn_buf_char(out, '\n');
	}
	bawn_buf_str(out, "bawn: if it runs, it gets: ");
	bawn_cli_limits_sentence(out, limits, a->network, a->n_inputs);
	bawn_buf_char(out, '\n');
}

static bool in_passwd(uid_t uid, char *out, size_t size)
{
	bool found = false;
	FILE *f = fopen("/etc/passwd", "re");
	for (const struct passwd *p; f != NULL && !found && (p = fgetpwent(f)) != NULL; )
		if (p->pw_uid == uid) {
			(void)snprintf(out, size, "%s", p->pw_name);
			found = true;
		}
	if (f != NULL)
		(void)fclose(f);
	return found;
}

/* Accounts that are kept elsewhere: the name service's modules are not for a program without a dynamic linker, so its
 * own command is asked. */
static bool from_getent(uid_t uid, char *out, size_t size)
{
	char number[16], line[512];
	char getent[] = "/usr/bin/getent", passwd[] = "passwd", *argv[] = { getent, passwd, number, NULL };
	int end[2];
	pid_t pid;
	(void)snprintf(number, sizeof number, "%u", (unsigned)uid);
	if (pipe2(end, O_CLOEXEC) < 0)
		return false;
	bawn_auto_fd from = end[0], to = end[1];
	posix_spawn_file_actions_t files;
	if (posix_spawn_file_actions_init(&files) != 0)
		return false;
	bool spawned = posix_spawn_file_actions_adddup2(&files, to, STDOUT_FILENO) == 0 && posix_spawn(&pid, getent, &files, NULL, argv, environ) == 0;
	(void)posix_spawn_file_actions_destroy(&files);
	if (!spawned)
		return false;
	bawn_close_fdp(&to);
	ssize_t n = read(from, line, sizeof line - 1);  /* a line is written whole */
	(void)waitpid(pid, NULL, 0);
	line[n > 0 ? n : 0] = '\0';
	size_t name = strcspn(line, ":");
	if (name == 0 || line[name] == '\0')
		return false;
	(void)snprintf(out, size, "%.*s", (int)name, line);
	return true;
}

static void who(char *out, size_t size)
{
	if (!in_passwd(getuid(), out, size) && !from_getent(getuid(), out, size))
		(void)snprintf(out, size, "uid %u", (unsigned)getuid());
}

int bawn_cli_confirm(struct bawn_cli_asker *a, const struct bawn_question *q, const char *given_reason, struct bawn_answer *out)
{
	bawn_auto_buf text = BAWN_BUF(TEXT_MAX);
	bawn_cli_question_text(&text, a, q);
	bawn_buf_str(&text, "Run it anyway? type yes: ");
	if (bawn_buf_error(&text) < 0)
		return bawn_buf_error(&text);  /* what cannot be shown is not asked */
	a->asked = true;
	out->yes = bawn_cli_ask(a, text.p, given_reason, out->reason, sizeof out->reason);
	out->terminal = 1;
	who(out->name, sizeof out->name);
	return 0;
}
