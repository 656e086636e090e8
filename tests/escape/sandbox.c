/* sandbox.c - one program through the backend, for escape.t: what it said and how it ended, as JSON.
 *
 *	sandbox [--lang NAME] [--without LAYER,LAYER] [--slot N] [--limit NAME=N] [--in NAME=PATH] [--env K=V]
 *	        [--stdin PATH] [--interpreter PATH] [--kill] CODE-FILE [ARG...]
 *
 * With --without the launcher built for tests runs it, and leaves these walls out. */
#include <getopt.h>
#include "base/json.h"
#include "base/num.h"
#include "../unit/native/harness.h"

static const char *const end_name[BAWN_END_COUNT] = {
	[BAWN_END_EXIT] = "exit", [BAWN_END_SIGNAL] = "signal", [BAWN_END_TIMEOUT] = "timeout", [BAWN_END_CPU] = "cpu", [BAWN_END_MEMORY] = "memory",
	[BAWN_END_PIDS] = "pids", [BAWN_END_DISK] = "disk", [BAWN_END_OUTPUT] = "output", [BAWN_END_KILLED] = "killed",
	[BAWN_END_CANCELLED] = "cancelled", [BAWN_END_LOST] = "lost",
};

static _Noreturn void usage(const char *what)
{
	fprintf(stderr, "sandbox: %s\n", what);
	exit(2);
}

static char *text_of(const char *path)
{
	struct bawn_buf b = BAWN_BUF(64 * MIB);
	struct bawn_err err = { 0 };
	if (bawn_read_file(AT_FDCWD, path, &b, &err) < 0)
		usage(err.msg);
	bawn_buf_str(&b, "");
	return bawn_buf_steal(&b);
}

static uint32_t layers(char *list)
{
	uint32_t mask = 0;
	for (char *at = list, *save = NULL; (at = strtok_r(at, ",", &save)) != NULL; at = NULL) {
		int i = bawn_word_find(&bawn_layer_words, bawn_span(at));
		if (i < 0)
			usage(at);
		mask |= 1u << i;
	}
	return mask;
}

static uint64_t number(const char *text)
{
	uint64_t v;
	if (bawn_parse_u64(bawn_span(text), 0, UINT64_MAX, &v, NULL) < 0)
		usage(text);
	return v;
}

static void limit(struct job *j, char *text)
{
	const struct { const char *name; uint64_t *to; } row[] = {
		{ "pids", &j->pids }, { "memory", &j->memory }, { "timeout_ms", &j->timeout_ms }, { "cpu_ms", &j->cpu_ms }, { "disk", &j->disk },
		{ "output", &j->output }, { "inodes", &j->inodes }, { "cpus_milli", &j->cpus_milli },
	};
	char *value = strchr(text, '=');
	for (size_t i = 0; value != NULL && i < BAWN_LEN(row); i++)
		if (strncmp(text, row[i].name, strlen(row[i].name)) == 0 && text[strlen(row[i].name)] == '=') {
			*row[i].to = number(value + 1);
			return;
		}
	usage(text);
}

static void add_input(struct job *j, char *text)
{
	char *path = strchr(text, '=');
	size_t n = 0;
	while (n < BAWN_LEN(j->file) && j->file[n].name != NULL)
		n++;
	if (path == NULL || n == BAWN_LEN(j->file))
		usage(text);
	*path = '\0';
	j->file[n] = (struct input){ text, text_of(path + 1) };
}

static void add_string(const char **list, size_t max, const char *text)
{
	size_t n = 0;
	while (n < max && list[n] != NULL)
		n++;
	if (n == max)
		usage("too many strings");
	list[n] = text;
}

static struct job parse(int argc, char **argv)
{
	static const struct option option[] = {
		{ "lang", 1, NULL, 'l' }, { "without", 1, NULL, 'w' }, { "slot", 1, NULL, 's' }, { "limit", 1, NULL, 'm' }, { "in", 1, NULL, 'i' },
		{ "env", 1, NULL, 'e' }, { "stdin", 1, NULL, '0' }, { "interpreter", 1, NULL, 'p' }, { "kill", 0, NULL, 'k' }, { 0 } };
	struct job j = { 0 };
	for (int c; (c = getopt_long(argc, argv, "+", option, NULL)) != -1; )
		switch (c) {
		case 'l': {
			int i = bawn_word_find(&bawn_language_words, bawn_span(optarg));
			if (i < 0)
				usage(optarg);
			j.lang = (enum bawn_language)i;
			break;
		}
		case 'w': j.without = layers(optarg); break;
		case 's': j.slot = (unsigned)number(optarg); break;
		case 'm': limit(&j, optarg); break;
		case 'i': add_input(&j, optarg); break;
		case 'e': add_string(j.env, BAWN_LEN(j.env), optarg); break;
		case '0': j.in = text_of(optarg); break;
		case 'p': j.interpreter = optarg; break;
		case 'k': j.on_violation = BAWN_VIOLATION_KILL; break;
		default: usage("see the head of sandbox.c");
		}
	if (optind == argc)
		usage("no code file");
	j.code = text_of(argv[optind]);
	for (int i = optind + 1; i < argc; i++)
		add_string(j.args, BAWN_LEN(j.args), argv[i]);
	return j;
}

static json_t *lines(const struct bawn_buf *b, bool *good)
{
	json_t *list = json_array();
	for (const char *at = b->p, *nl; at != NULL && (nl = strchr(at, '\n')) != NULL; at = nl + 1)
		bawn_json_push(list, bawn_json_text((struct bawn_span){ at, (size_t)(nl - at) }), good);
	return list;
}

static json_t *denials(const struct got *g, bool *good)
{
	json_t *list = json_array();
	for (size_t i = 0; i < g->n_denials; i++)
		bawn_json_push(list, json_string(g->denial[i].what), good);
	return list;
}

int main(int argc, char **argv)
{
	struct job j = parse(argc, argv);
	struct got g;
	struct bawn_sandbox *s = NULL;
	if (begin(&j, &s, &g) == 0) {
		g.error = follow(s, &g, NULL, NULL);
		struct bawn_collector c = { &g, note_file, note_skipped };
		if (g.error == 0)
			g.error = collect_all(s, &c, &g.err);
		bawn_native_backend.release(s);
	}
	bool good = true;
	bawn_auto_json o = json_object();
	bawn_json_set(o, "error", g.error < 0 ? json_string(g.err.msg) : json_null(), &good);
	bawn_json_set(o, "end", json_string(g.ended ? end_name[g.end.outcome.end] : "none"), &good);
	bawn_json_set(o, "exit_code", json_integer(g.end.outcome.exit_code), &good);
	bawn_json_set(o, "signal", json_integer(g.end.outcome.signal), &good);
	bawn_json_set(o, "truncated", json_boolean(g.end.outcome.truncated[1]), &good);
	bawn_json_set(o, "out", bawn_json_text(bawn_buf_span(&g.out)), &good);
	bawn_json_set(o, "err", bawn_json_text(bawn_buf_span(&g.errout)), &good);
	bawn_json_set(o, "denials", denials(&g, &good), &good);
	bawn_json_set(o, "files", lines(&g.files, &good), &good);
	bawn_json_set(o, "skipped", lines(&g.skipped, &good), &good);
	bawn_json_set(o, "max_pids", json_integer((json_int_t)g.max_pids), &good);
	bawn_json_set(o, "peak_memory", json_integer((json_int_t)g.end.usage.peak_memory_bytes), &good);
	bawn_auto_buf text = BAWN_BUF(512 * MIB);
	if (!good || bawn_json_put(&text, o, NULL) < 0)
		usage("out of memory");
	puts(text.p);
	got_done(&g);
	return 0;
}
