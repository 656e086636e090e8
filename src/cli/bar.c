#include "cli/bar.h"
#include <inttypes.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"

#define WIDTH    20u
#define EVERY_US 100000u

struct bawn_cli_bar bawn_cli_bar_begin(const struct bawn_cli *c, const char *what)
{
	return (struct bawn_cli_bar){ .on = !c->common.quiet && isatty(STDERR_FILENO) == 1, .shown_us = bawn_monotonic_us(), .what = what };
}

void bawn_cli_bar_show(struct bawn_cli_bar *b, uint64_t done, uint64_t of, const char *more)
{
	const uint64_t now = b->on ? bawn_monotonic_us() : 0;
	if (!b->on || now - b->shown_us < EVERY_US)
		return;
	b->shown_us = now;
	b->drawn = true;
	bawn_auto_buf line = BAWN_BUF(256);
	const uint64_t filled = of > 0 && done < of ? done * WIDTH / of : WIDTH;
	bawn_buf_str(&line, "\r\033[K[");
	for (uint64_t i = 0; i < WIDTH; i++)
		bawn_buf_char(&line, i < filled ? '#' : '.');
	bawn_buf_fmt(&line, "] %" PRIu64 "/%" PRIu64 " %s", done, of, b->what);
	if (more != NULL)
		bawn_buf_fmt(&line, ", %s", more);
	bawn_cli_show(STDERR_FILENO, &line);
}

void bawn_cli_bar_tick(void *ctx, uint64_t done, uint64_t of) { bawn_cli_bar_show(ctx, done, of, NULL); }

void bawn_cli_bar_clear(struct bawn_cli_bar *b)
{
	if (b->drawn)
		(void)!write(STDERR_FILENO, "\r\033[K", 4);
	b->drawn = false;
}
