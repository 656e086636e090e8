/* tables.c - the words, the languages and the variables a request may not set. */
#include <string.h>
#include "base/cleanup.h"
#include "policy/tables.h"
#include "tap.h"

static void test_words(void)
{
	static const struct { const char *name; const struct bawn_words *words; int n; const char *first, *last; } row[] = {
		{ "levels", &bawn_level_words, BAWN_LEVEL_COUNT, "LOW", "BLOCKED" },
		{ "actions", &bawn_action_words, BAWN_ACTION_COUNT, "run", "refuse" },
		{ "trusts", &bawn_trust_words, BAWN_TRUST_COUNT, "trusted", "unknown" },
		{ "assurances", &bawn_assurance_words, BAWN_ASSURANCE_COUNT, "none", "separate" },
		{ "backends", &bawn_backend_words, BAWN_BACKEND_COUNT, "native", "docker" },
		{ "networks", &bawn_network_words, BAWN_NETWORK_COUNT, "none", "dependencies" },
		{ "violations", &bawn_violation_words, BAWN_VIOLATION_COUNT, "note", "kill" },
		{ "layers", &bawn_layer_words, BAWN_LAYER_COUNT, "userns", "denial_reporting" },
		{ "languages", &bawn_language_words, BAWN_LANG_COUNT, "python", "javascript" },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		const struct bawn_words *w = row[i].words;
		bool good = w->n == row[i].n && strcmp(bawn_word(w, 0), row[i].first) == 0 && strcmp(bawn_word(w, w->n - 1), row[i].last) == 0 &&
		            strcmp(bawn_word(w, -1), "?") == 0 && strcmp(bawn_word(w, w->n), "?") == 0 && bawn_word_find(w, bawn_span("?")) == -1;
		for (int j = 0; j < w->n; j++)
			good = good && bawn_word_find(w, bawn_span(bawn_word(w, j))) == j;
		ok(good, "%s: every word is found where it stands, nothing else is", row[i].name);
	}
}

static void test_languages(void)
{
	static const struct { const char *path, *code; int want; } row[] = {
		{ "a.py", "", BAWN_LANG_PYTHON }, { "a/b.d/x.mjs", "", BAWN_LANG_JAVASCRIPT }, { "x.sh", "#!/usr/bin/python3\n", BAWN_LANG_BASH },
		{ "x", "#!/usr/bin/env python3.11\n", BAWN_LANG_PYTHON }, { NULL, "#!/bin/sh -e\n", BAWN_LANG_BASH },
		{ NULL, "#! /usr/bin/env -S A=1 node --x\n", BAWN_LANG_JAVASCRIPT }, { "x.d/y", "print(1)", -1 }, { NULL, "#!", -1 },
		{ NULL, "#!/usr/bin/perl\n", -1 }, { "x.txt", "", -1 }, { NULL, "", -1 }, { NULL, "\n#!/bin/sh\n", -1 },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++)
		ok(bawn_language_guess(row[i].path, bawn_span(row[i].code)) == row[i].want, "language of row %zu", i);
	ok(bawn_language_named(bawn_span("js")) == BAWN_LANG_JAVASCRIPT && bawn_language_named(bawn_span("python")) == BAWN_LANG_PYTHON &&
	   bawn_language_named(bawn_span("python3|py")) == -1 && bawn_language_named(bawn_span("")) == -1, "names and aliases");
	bool good = true;
	for (int i = 0; i < BAWN_LANG_COUNT; i++)
		good = good && strcmp(bawn_language[i].name, bawn_word(&bawn_language_words, i)) == 0;
	ok(good, "the rows stand in the order of their names");
}

static void test_variables(void)
{
	static const char *const refused[] = { "LD_PRELOAD", "LD_", "PYTHONPATH", "PYTHON", "BASH_ENV", "ENV", "NODE_OPTIONS", "PATH", "HOME", "IFS", "BAWN_STATE", "GLIBC_TUNABLES" };
	static const char *const fine[] = { "MY_LD_PRELOAD", "LDX", "ENVIRONMENT", "NODE_ENV", "PATHS", "path", "LANG", "X" };
	bool good = true;
	for (size_t i = 0; i < BAWN_LEN(refused); i++)
		good = good && bawn_env_refused(bawn_span(refused[i]));
	ok(good, "variables of the loader and the interpreters are refused");
	for (size_t i = 0; i < BAWN_LEN(fine); i++)
		good = good && !bawn_env_refused(bawn_span(fine[i])) && bawn_env_name_valid(bawn_span(fine[i]));
	ok(good, "others are not");
	ok(!bawn_env_name_valid(bawn_span("")) && !bawn_env_name_valid(bawn_span("1A")) && !bawn_env_name_valid(bawn_span("A-B")) &&
	   !bawn_env_name_valid(bawn_span("A=B")) && !bawn_env_name_valid((struct bawn_span){ "A\0B", 3 }), "what is no name");
}

int main(void)
{
	test_words();
	test_languages();
	test_variables();
	return done_testing();
}
