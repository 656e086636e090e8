/* yaml.c - each row is one promise of parse/yaml.h. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/cleanup.h"
#include "parse/yaml.h"
#include "tap.h"

/* A tree on one line: {k: v}, [i], 'quoted', plain, with @line:column where asked. */
static void dump(struct bawn_buf *out, const struct bawn_yaml_node *n, bool positions)
{
	static const char open[] = " [{", shut[] = " ]}";
	if (positions)
		bawn_buf_fmt(out, "@%u:%u ", n->line, n->column);
	if (n->kind == BAWN_YAML_SCALAR) {
		bawn_buf_fmt(out, n->plain ? "%s" : "'%s'", n->text.p);
		return;
	}
	bawn_buf_char(out, open[n->kind]);
	for (const struct bawn_yaml_node *c = bawn_yaml_first(n); c != NULL; c = c->next) {
		if (c->key != NULL)
			bawn_buf_fmt(out, "%s: ", c->key->text.p);
		dump(out, c, positions);
		if (c->next != NULL)
			bawn_buf_str(out, ", ");
	}
	bawn_buf_char(out, shut[n->kind]);
}

static void test_good(void)
{
	static const struct { const char *name, *text, *want; bool positions; } row[] = {
		{ "a mapping", "a: 1\nb: two\n", "{a: 1, b: two}", false },
		{ "quoted is told from plain", "a: \"1\"\nb: '2'\nc: 3\n", "{a: '1', b: '2', c: 3}", false },
		{ "nothing after a key is empty and plain", "a:\nb: 1\n", "{a: , b: 1}", false },
		{ "lists in both styles", "a: [1, 2]\nb:\n- 3\n- x: 4\n", "{a: [1, 2], b: [3, {x: 4}]}", false },
		{ "JSON is YAML", "{\"a\": [true, null, \"x\\/\\u00e9\"],\n\t\"b\": {}}", "{a: [true, null, 'x/é'], b: {}}", false },
		{ "words stay words", "a: no\nb: 0x10\nc: 1e3\n", "{a: no, b: 0x10, c: 1e3}", false },
		{ "a block of text", "a: |\n  x\n  y\n", "{a: 'x\ny\n'}", false },
		{ "an explicit document", "---\na: 1\n...\n", "{a: 1}", false },
		{ "an empty text is null", "", "", false },
		{ "comments alone are null", "# nothing\n", "", false },
		{ "a key that only looks like a merge", "\"<<\": 1\n", "{<<: 1}", false },
		{ "positions count from 1, in characters", "é: ü\nlist: [a,  \"b\"]\n", "@1:1 {é: @1:4 ü, list: @2:7 [@2:8 a, @2:12 'b']}", true },
		{ "quotes in a row", "a: 'x''''''y'\n", "{a: 'x'''y'}", false },
		{ "a backslash before an escaped line break", "a: \"x\\\\\\\n  y\"\n", "{a: 'x\\y'}", false },
		{ "lines fold inside quotes", "a: \"x  \n  y\n\n\n  z\\\n  w\\  \n  v\"\nb: 'x\n  y'\n", "{a: 'x y\n\nzw  v', b: 'x y'}", false },
		{ "every escape", "\"\\a\\b\\t\\n\\v\\f\\r\\e\\ \\\"\\/\\\\\\N\\_\\L\\P\\x41\\u20ac\\U0001F600\"", "'\a\b\t\n\v\f\r\x1b \"/\\\xc2\x85\xc2\xa0\u2028\u2029A\u20ac\U0001F600'", false },
		{ "a quoted value behind a byte order mark", "\xef\xbb\xbf" "a: 'x'\n", "{a: 'x'}", false },
		{ "a byte order mark is skipped", "\xef\xbb\xbf" "a: 1\n", "{a: 1}", false },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		bawn_auto_yaml y = NULL;
		bawn_auto_buf got = BAWN_BUF(4096);
		struct bawn_err err = { 0 };
		int r = bawn_yaml_parse("t.yaml", bawn_span(row[i].text), &y, NULL, &err);
		if (r == 0)
			dump(&got, bawn_yaml_root(y), row[i].positions);
		bawn_buf_add(&got, "", 0);
		if (!ok(r == 0 && strcmp(got.p, row[i].want) == 0, "%s", row[i].name))
			diag("got %d '%s' '%s'", r, got.p, err.msg);
	}
}

#define TEXT(s) s, sizeof s - 1

static void test_bad(void)
{
	static const struct { const char *name, *text; size_t n; const char *want; } row[] = {
		{ "a tag", TEXT("a: 1\nb: !!python/object x\n"), "t.yaml:2:20: tags are not allowed\n" },
		{ "a tag on a mapping", TEXT("a: !x {b: 1}\n"), "tags are not allowed\n" },
		{ "an anchor", TEXT("a: &x 1\n"), "anchors are not allowed\n" },
		{ "an alias", TEXT("a: 1\nb: *x\n"), "t.yaml:2:5: aliases are not allowed" },
		{ "a merge key", TEXT("a: {b: 1}\n<<: 1\n"), "t.yaml:2:1: merge keys are not allowed\n" },
		{ "two documents", TEXT("a: 1\n---\nb: 1\n"), "t.yaml:2:1: a second document" },
		{ "a directive", TEXT("%YAML 1.1\n---\na: 1\n"), "directives are not allowed" },
		{ "what the parser gives up on without a word", TEXT("%YAML 0.1\n-2\n"), "t.yaml:1:1: not YAML from here on\n" },
		{ "a tag directive", TEXT("%TAG ! tag:x,2000:\n---\na: 1\n"), "directives are not allowed" },
		{ "a key twice", TEXT("a: 1\nb: 2\na: 3\n"), "t.yaml:3:1: the same key twice: 'a'\n" },
		{ "a key twice, spelled otherwise", TEXT("a: 1\n\"\\x61\": 3\n"), "t.yaml:2:1: the same key twice: 'a'\n" },
		{ "a key twice, nested, in JSON", TEXT("{\"x\": {\"a\": 1, \"a\": 2}}"), "the same key twice: 'a'\n" },
		{ "a key that is a list", TEXT("? [a]\n: 1\n"), "a key must be a word" },
		{ "an empty key", TEXT(": 1\n"), "a key is empty" },
		{ "bytes that are not UTF-8", TEXT("a: 1\nb: \xff\n"), "t.yaml:2:4: not UTF-8\n" },
		{ "a surrogate", TEXT("a: \"\\ud800\"\n"), "t.yaml:1:" },
		{ "a NUL byte", TEXT("a: 1\n\0"), "t.yaml:2:1: a NUL byte\n" },
		{ "a NUL by escape", TEXT("a: \"\\0\"\n"), "t.yaml:1:4: an escape that is unknown or makes a NUL" },
		{ "an unknown escape", TEXT("a: \"\\q\"\n"), "t.yaml:1:" },
		{ "an escape cut short", TEXT("a: \"\\u12\"\n"), "t.yaml:1:" },
		{ "an escape beyond characters", TEXT("a: \"\\UFFFFFFFF\"\n"), "t.yaml:1:" },
		{ "an escape character", TEXT("a: \x1b[31m\n"), "t.yaml:1:4: a control character\n" },
		{ "an open bracket", TEXT("a: [1\nb: 2\n"), "t.yaml:" },
		{ "bad indentation", TEXT("a:\n  b: 1\n c: 2\n"), "t.yaml:" },
		{ "a tab as indentation", TEXT("a:\n\tb: 1\n"), "t.yaml:" },
		{ "seventeen levels", TEXT("[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]"), "t.yaml:1:17: nested deeper than 16\n" },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		struct bawn_yaml *y = NULL;
		bawn_auto_buf problems = BAWN_BUF(BAWN_YAML_PROBLEMS_MAX);
		struct bawn_err err = { 0 };
		int r = bawn_yaml_parse("t.yaml", (struct bawn_span){ row[i].text, row[i].n }, &y, &problems, &err);
		bool good = r < 0 && y == NULL && err.type == BAWN_ERROR_CONFIG_INVALID && problems.p != NULL &&
		            strstr(problems.p, row[i].want) != NULL && strncmp(problems.p, err.msg, strlen(err.msg)) == 0;
		if (!ok(good, "refused with its position: %s", row[i].name))
			diag("got %d '%s' '%s'", r, err.msg, problems.p != NULL ? problems.p : "");
		bawn_yaml_free(y);
	}
}

static void test_several(void)
{
	bawn_auto_buf problems = BAWN_BUF(BAWN_YAML_PROBLEMS_MAX);
	struct bawn_yaml *y = NULL;
	int r = bawn_yaml_parse("t", bawn_span("a: !x 1\nb: &y 2\nc: *y\na: 3\n"), &y, &problems, NULL);
	ok(r < 0 && strstr(problems.p, "t:1:") && strstr(problems.p, "t:2:") && strstr(problems.p, "t:3:") && strstr(problems.p, "t:4:"),
	   "what can be read past is: four problems, four positions");
	bawn_auto_yaml sixteen = NULL;
	ok(bawn_yaml_parse("t", bawn_span("[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]"), &sixteen, NULL, NULL) == 0, "sixteen levels are fine");
	bawn_auto_yaml small = NULL;
	ok(bawn_yaml_parse("t", bawn_span("a: [1]\nb: x"), &small, NULL, NULL) == 0 &&
	   bawn_yaml_get(bawn_yaml_root(small), "nope") == NULL && bawn_yaml_get(NULL, "a") == NULL &&
	   bawn_yaml_get(bawn_yaml_get(bawn_yaml_root(small), "b"), "c") == NULL && bawn_yaml_first(NULL) == NULL &&
	   bawn_yaml_get(bawn_yaml_root(small), "a")->n == 1, "looking into what is not there finds nothing");
}

/* Text that is cheap to write and dear to read. */
static char *repeat(const char *head, const char *unit, size_t total, size_t *out_n)
{
	size_t h = strlen(head), u = strlen(unit);
	char *text = malloc(total + u + 1);
	memcpy(text, head, h);
	for (*out_n = h; *out_n + u <= total; *out_n += u)
		memcpy(text + *out_n, unit, u);
	return text;
}

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void test_bounded(void)
{
	static const struct { const char *name, *head, *unit; size_t size; const char *want; } row[] = {
		{ "a file of 257 KiB",    "a: ", "x", 257u << 10, "more than 256 KiB" },
		{ "a file of 64 MiB",     "a: ", "x", 64u << 20,  "more than 256 KiB" },
		{ "open brackets",        "", "[",    BAWN_YAML_SIZE_MAX, "nested deeper than 16" },
		{ "open braces",          "", "{",    BAWN_YAML_SIZE_MAX, "a key must be a word" },
		{ "nested dashes",        "", "- ",   BAWN_YAML_SIZE_MAX, "nested deeper than 16" },
		{ "many items",           "[", "a,",  BAWN_YAML_SIZE_MAX, "more than 10000 keys and values" },
		{ "many aliases",         "- &a 1\n", "- *a\n", BAWN_YAML_SIZE_MAX, "aliases are not allowed" },
		{ "many documents",       "", "---\n", BAWN_YAML_SIZE_MAX, "a second document" },
		{ "many anchors",         "", "&a ",  BAWN_YAML_SIZE_MAX, "anchors are not allowed" },
		{ "many tag directives",  "", "%TAG !a! b\n", BAWN_YAML_SIZE_MAX, "t:" },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		struct bawn_span text = { NULL, 0 };
		bawn_auto_free char *bytes = repeat(row[i].head, row[i].unit, row[i].size, &text.n);
		text.p = bytes;
		struct bawn_yaml *y = NULL;
		bawn_auto_buf problems = BAWN_BUF(BAWN_YAML_PROBLEMS_MAX);
		double start = seconds();
		int r = bawn_yaml_parse("t", text, &y, &problems, NULL);
		double took = seconds() - start;
		if (!ok(r < 0 && problems.p != NULL && strstr(problems.p, row[i].want) != NULL && took < 10, "refused in bounded time: %s", row[i].name))
			diag("%d in %.2f s: %.200s", r, took, problems.p != NULL ? problems.p : "");
		bawn_yaml_free(y);
	}
}

static void test_bomb(void)
{
	bawn_auto_buf bomb = BAWN_BUF(4096), problems = BAWN_BUF(BAWN_YAML_PROBLEMS_MAX);
	bawn_buf_str(&bomb, "a: &a [x,x,x,x,x,x,x,x,x]\n");
	for (char c = 'b'; c <= 'z'; c++) {
		bawn_buf_fmt(&bomb, "%c: &%c [", c, c);
		for (int i = 0; i < 9; i++)
			bawn_buf_fmt(&bomb, "%s*%c", i > 0 ? ", " : "", c - 1);
		bawn_buf_str(&bomb, "]\n");
	}
	struct bawn_yaml *y = NULL;
	double start = seconds();
	int r = bawn_yaml_parse("t", bawn_buf_span(&bomb), &y, &problems, NULL);
	size_t lines = 0;
	for (size_t i = 0; i < problems.n; i++)
		lines += problems.p[i] == '\n';
	ok(r < 0 && y == NULL && seconds() - start < 10 && lines == 100, "an alias bomb is refused at once, with at most 100 lines");
}

int main(void)
{
	test_good();
	test_bad();
	test_several();
	test_bounded();
	test_bomb();
	return done_testing();
}
