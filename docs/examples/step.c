/* step.c - the same in a loop of the program's own: an execution is a descriptor to poll, and is taken back after a second. */
#include <bawn/bawn.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void show(void *ctx, const struct bawn_event *e)
{
	(void)ctx;
	if (e->kind == BAWN_EVENT_OUTPUT)
		fwrite(e->data, 1, e->data_size, stdout);
}

int main(int argc, char **argv)
{
	struct bawn *b;
	struct bawn_exec *e = NULL;
	struct bawn_result *r = NULL;
	struct bawn_err err = { 0 };
	int done = -1;
	if (argc != 2)
		return 2;
	if (bawn_open(NULL, &b, &err) < 0)
		return 1;
	struct bawn_request req = { .size = sizeof req, .code = argv[1], .code_size = strlen(argv[1]),
		.language = "python", .on_event = show };
	if (bawn_start(b, &req, &e, &err) == 0) {
		time_t start = time(NULL);
		while ((done = bawn_exec_step(e, &err)) == 0) {
			struct pollfd p = { .fd = bawn_exec_fd(e), .events = POLLIN };
			(void)poll(&p, 1, 200);  /* with whatever else the program waits for */
			if (time(NULL) - start > 1)
				(void)bawn_cancel(e);
		}
		if (done == 1 && bawn_exec_result(e, &r, &err) == 0)
			puts(bawn_result_status(r));
	}
	bawn_result_free(r);
	bawn_exec_free(e);
	bawn_close(b);
	return done != 1;
}
