/* run.c - runs the Python code that is its argument, and asks on the terminal where policy wants a person:
 *
 *	cc -o run run.c $(pkg-config --cflags --libs bawn)
 *	./run 'print(6*7)' */
#include <bawn/bawn.h>
#include <stdio.h>
#include <string.h>

static void show(void *ctx, const struct bawn_event *e)
{
	(void)ctx;
	if (e->kind == BAWN_EVENT_OUTPUT)
		fwrite(e->data, 1, e->data_size, e->stream == 2 ? stderr : stdout);
}

static int ask(void *ctx, const struct bawn_question *q, struct bawn_answer *a)
{
	(void)ctx;
	FILE *tty = fopen("/dev/tty", "r+");
	if (tty == NULL)
		return -1;  /* nobody there: no */
	fprintf(tty, "%s: %s\nWhy should it run? ", q->level, q->assessment_json);
	fflush(tty);
	a->yes = fgets(a->reason, sizeof a->reason, tty) != NULL && a->reason[0] != '\n';
	a->terminal = 1;
	a->reason[strcspn(a->reason, "\n")] = '\0';
	fclose(tty);
	return 0;
}

int main(int argc, char **argv)
{
	struct bawn *b;
	struct bawn_result *r;
	struct bawn_err err = { 0 };
	if (argc != 2)
		return 2;
	if (bawn_open(NULL, &b, &err) < 0) {
		fprintf(stderr, "%s: %s\n", bawn_error_name(err.type), err.msg);
		return 1;
	}
	struct bawn_request req = { .size = sizeof req, .code = argv[1], .code_size = strlen(argv[1]),
		.language = "python", .timeout_ms = 10000, .confirm = ask, .on_event = show };
	int failed = bawn_assess_and_execute(b, &req, &r, &err) < 0;
	if (failed) {
		fprintf(stderr, "%s: %s\n", bawn_error_name(err.type), err.msg);
	} else {
		failed = strcmp(bawn_result_status(r), "completed") != 0;
		if (failed)
			fprintf(stderr, "%s\n", bawn_result_json(r));
		bawn_result_free(r);
	}
	bawn_close(b);
	return failed;
}
