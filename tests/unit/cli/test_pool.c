/* The pool: answers come in order, and one that dies or hangs costs only its own. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "cli/pool.h"
#include "tap.h"

enum how { FINE, REFUSE, CRASH, HANG, LARGE, SLOW };
struct ahead { _Atomic size_t done, most; };  /* shared with the workers */
struct ctx { struct ahead *ahead; const enum how *how; size_t taken; bool in_order; int status[64]; size_t bytes[64]; bool right[64]; int stop_at; pid_t parent; bool apart; };

/* Until the others have done all they may, and then a while, in which they would do more if they could. */
static void wait_for_others(struct ahead *a)
{
	while (a->done < 2 * BAWN_CLI_POOL_AHEAD - 1)
		usleep(1000);
	usleep(200000);
	a->most = a->done;
}

static int work(void *p, size_t i, struct bawn_buf *out)
{
	const struct ctx *c = p;
	switch (c->how != NULL ? c->how[i] : FINE) {
	case FINE:   bawn_buf_fmt(out, "%zu %d", i, getpid() != c->parent); break;
	case REFUSE: return -EINVAL;
	case CRASH:  (void)raise(SIGKILL); break;
	case HANG:   pause(); break;
	case SLOW:   wait_for_others(c->ahead); break;
	case LARGE:
		for (int k = 0; k < 100000; k++)
			bawn_buf_fmt(out, "0123456789");
		break;
	}
	if (c->ahead != NULL) {
		c->ahead->done++;
		return 0;
	}
	if (i % 3 == 0)
		usleep(2000);  /* so that others finish first */
	return 0;
}

static int take(void *p, size_t i, int status, struct bawn_span answer)
{
	struct ctx *c = p;
	c->in_order = c->in_order && i == c->taken;
	c->taken++;
	if (c->ahead != NULL)
		return 0;
	c->status[i] = status;
	c->bytes[i] = answer.n;
	char want[32];
	snprintf(want, sizeof want, "%zu %d", i, c->apart);
	c->right[i] = bawn_span_is(answer, want);
	return c->stop_at > 0 && (int)i == c->stop_at ? 7 : 0;
}

int main(void)
{
	struct ctx c = { .in_order = true, .parent = getpid(), .apart = true };
	struct bawn_cli_pool p = { .n = 60, .jobs = 4, .timeout_ms = 20000, .ctx = &c, .work = work, .take = take };
	bool right = true;
	int r = bawn_cli_pool(&p);
	for (size_t i = 0; i < p.n; i++)
		right = right && c.right[i] && c.status[i] == 0;
	ok(r == 0 && c.taken == 60 && c.in_order && right, "answers come in order, from other processes");

	static const enum how mixed[8] = { FINE, CRASH, REFUSE, LARGE, CRASH, HANG, FINE, CRASH };
	struct ctx m = { .how = mixed, .in_order = true, .parent = getpid(), .apart = true };
	p = (struct bawn_cli_pool){ .n = 8, .jobs = 2, .timeout_ms = 5000, .ctx = &m, .work = work, .take = take };
	r = bawn_cli_pool(&p);
	ok(r == 0 && m.taken == 8 && m.in_order && m.right[0] && m.right[6], "those beside a crash and a hang are there");
	ok(m.status[1] == -ECHILD && m.status[4] == -ECHILD && m.status[7] == -ECHILD, "a crash is told");
	ok(m.status[5] == -ETIMEDOUT, "so is one that hangs");
	ok(m.status[2] == -EINVAL && m.bytes[2] == 0, "and one that cannot");
	ok(m.status[3] == 0 && m.bytes[3] == 1000000, "a large answer comes whole");

	static const enum how slow[1000] = { SLOW };
	struct ctx s = { .how = slow, .in_order = true, .parent = getpid(), .apart = true };
	s.ahead = mmap(NULL, sizeof *s.ahead, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	p = (struct bawn_cli_pool){ .n = 1000, .jobs = 2, .timeout_ms = 20000, .ctx = &s, .work = work, .take = take };
	r = bawn_cli_pool(&p);
	ok(r == 0 && s.taken == 1000 && s.in_order && s.ahead->most == 2 * BAWN_CLI_POOL_AHEAD - 1, "nobody runs far ahead of one that is slow: %zu", (size_t)s.ahead->most);

	struct ctx one = { .in_order = true, .parent = getpid(), .apart = true };
	p = (struct bawn_cli_pool){ .n = 1, .jobs = 8, .timeout_ms = 20000, .ctx = &one, .work = work, .take = take };
	ok(bawn_cli_pool(&p) == 0 && one.taken == 1 && one.right[0], "one thing is done apart, too");
	static const enum how crash[1] = { CRASH }, hang[1] = { HANG };
	one = (struct ctx){ .how = crash, .in_order = true, .parent = getpid() };
	ok(bawn_cli_pool(&p) == 0 && one.taken == 1 && one.status[0] == -ECHILD, "so that its crash is told");
	one = (struct ctx){ .how = hang, .in_order = true, .parent = getpid() };
	p.timeout_ms = 100;
	ok(bawn_cli_pool(&p) == 0 && one.taken == 1 && one.status[0] == -ETIMEDOUT, "and that it hangs");
	p.n = 0;
	ok(bawn_cli_pool(&p) == 0 && one.taken == 1, "for nothing nobody is started");
	struct ctx stops = { .in_order = true, .parent = getpid(), .apart = true, .stop_at = 3 };
	p = (struct bawn_cli_pool){ .n = 60, .jobs = 64, .timeout_ms = 20000, .ctx = &stops, .work = work, .take = take };
	ok(bawn_cli_pool(&p) == 7 && stops.taken == 4, "whoever takes may end it");
	return done_testing();
}
