/* rule.h - what a rule is.  Rules are data (rules/<language>/<family>.yaml), read by rulefile.c and
 * compiled into a const table by tools/gen-rules.c; the engine knows no rule by name.
 *
 *	- id: python/pty-spawn          never reused (rules/ids), begins with its language or `any`
 *	  level: HIGH
 *	  cwe: 78
 *	  capability: subprocess
 *	  tags: [exec, shell]           what combinations and taint conditions see
 *	  message, why, fix: texts
 *	  call: [pty.spawn]             exactly one matcher: call, name, import, string, path, command,
 *	                                redirect, pipe, event, all
 *	  where: [[arg, 0, /bin/sh]]   all of these must hold; the words after the first are alternatives
 *	  examples: {match: [...], nomatch: [...]}
 *	  tested: tests/unit/...        instead of examples, where a few lines of code cannot raise it
 *
 * Names are whole dotted names after aliases are undone; `*.f` is method f of anything, `m.*` is
 * anything in m, `f()` what a call of f gave.  Texts are globs in which `*` crosses everything; paths
 * match by component and include what lies below.
 *
 * A call that got the tag net-send or fetch is told once more as the event `sent`, one that got exec as
 * the event `run`: what may not be sent or run is said once, not for each function that sends or runs. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "assess/assess.h"

/* X(NAME, "name"): what a match says about the program, beyond the finding itself. */
#define BAWN_TAGS(X) \
	X(NET_RECV, "net-recv") X(NET_SEND, "net-send") X(CONNECT, "connect") X(LISTEN, "listen") X(EXEC, "exec") \
	X(OWN_TEXT, "own-text") X(DYNAMIC, "dynamic") X(DECODE, "decode") X(SECRET, "secret") X(ENVIRON, "environ") \
	X(HOST_INFO, "host-info") X(READ, "read") X(WRITE, "write") X(DELETE, "delete") X(WALK, "walk") \
	X(ENCRYPT, "encrypt") X(CHMOD, "chmod") X(DOWNLOAD, "download") X(DUP, "dup") X(KEYS, "keys") \
	X(CAPTURE, "capture") X(PERSIST, "persist") X(FORK, "fork") X(LOOP, "loop") X(INPUT, "input") X(PTY, "pty") \
	X(MARSHAL, "marshal") X(NATIVE, "native") X(BROWSER, "browser-data") X(INTERCEPTS, "intercepts") \
	X(SHELL_STDIO, "shell-stdio") X(HIDE, "hide") X(PASTE, "paste-host") \
	X(MINER, "miner") X(OBFUSCATED, "obfuscated") X(POOL, "mining-pool") X(BUILT, "built") X(SPELLED, "spelled") X(VISITOR, "visitor") \
	X(IDENTITY, "identity") X(PUBLISH, "publish") X(PROBE, "probe") \
	X(CMD_OUTPUT, "command-output") X(SOCKET, "socket") X(LISTED, "listed") X(WHOLE, "whole-system") X(FETCH, "fetch") \
	X(INSTALL, "install") X(HOOK, "install-hook") X(MESSENGER, "messenger") X(UNREAD, "unread-command") \
	X(CLIPBOARD, "clipboard") X(WALLET, "wallet") X(BARE_HOST, "bare-address") X(HIDDEN, "hidden-run") \
	X(BARE_SHELL, "bare-shell") X(OWN_FILE, "own-file") X(NOTE, "ransom-note") \
	X(HOME, "whole-home") X(APPEND, "append") X(SITE, "site-path") X(PACKED, "packed") X(NAMED, "named-secret") X(CUT, "cut")
#define BAWN_X_TAG(n, t) BAWN_TAG_##n,
enum bawn_tag { BAWN_TAGS(BAWN_X_TAG) BAWN_TAG_COUNT };
_Static_assert(BAWN_TAG_COUNT <= 64, "tags fit one word");
#define BAWN_TAG(n) (UINT64_C(1) << BAWN_TAG_##n)
extern const struct bawn_words bawn_tag_words;

#define BAWN_MATCHERS(X) \
	X(CALL, "call") X(NAME, "name") X(IMPORT, "import") X(STRING, "string") X(PATH, "path") X(COMMAND, "command") \
	X(REDIRECT, "redirect") X(PIPE, "pipe") X(EVENT, "event") X(ALL, "all")
#define BAWN_X_MATCHER(n, t) BAWN_MATCH_##n,
enum bawn_matcher { BAWN_MATCHERS(BAWN_X_MATCHER) BAWN_MATCH_COUNT };
extern const struct bawn_words bawn_matcher_words;

/* How a path is used. */
#define BAWN_ACCESSES(X) X(USE, "use") X(READ, "read") X(LIST, "list") X(WRITE, "write") X(DELETE, "delete") X(EXECUTE, "execute") X(MODE, "mode")
#define BAWN_X_ACCESS(n, t) BAWN_ACCESS_##n,
enum bawn_access { BAWN_ACCESSES(BAWN_X_ACCESS) BAWN_ACCESS_COUNT };
extern const struct bawn_words bawn_access_words;

/* X(NAME, "name", takes a number or name first) */
#define BAWN_CONDITIONS(X) \
	X(ARG, "arg", 1) X(ANY_ARG, "any-arg", 0) X(KEYWORD, "keyword", 2) X(NO_KEYWORD, "no-keyword", 0) \
	X(TAINT, "taint", 0) X(UNKNOWN, "unknown", 1) X(KNOWN, "known", 1) X(OPTION, "option", 0) X(NO_OPTION, "no-option", 0) \
	X(WORD, "word", 0) X(NO_WORD, "no-word", 0) X(ACCESS, "access", 0) X(AT_LEAST, "at-least", 1) X(TO, "to", 0) X(SEEN, "seen", 0) \
	X(NOT_UNDER, "not-under", 0) X(ARG_TAINT, "arg-taint", 1) X(NESTED, "nested", 0) X(AT_MOST, "at-most", 1) X(ANY_OPTION, "any-option", 0) \
	X(OPAQUE, "opaque", 1) X(KEYWORD_TAINT, "keyword-taint", 2) X(UNREAD, "unread", 1) X(BUSY, "busy-loop", 0) X(RECURSES, "own-target", 0) \
	X(HAS_KEYWORD, "has-keyword", 0) X(OFF_OPTION, "off-option", 0)
#define BAWN_X_COND(n, t, f) BAWN_COND_##n,
enum bawn_condition { BAWN_CONDITIONS(BAWN_X_COND) BAWN_COND_COUNT };

const char *bawn_condition_name(unsigned what);
bool bawn_condition_numbered(unsigned what);

struct bawn_cond {
	uint8_t what;               /* enum bawn_condition */
	int32_t index;              /* ARG, UNKNOWN, KNOWN, OPAQUE, AT_LEAST, ARG_TAINT, UNREAD */
	const char *name;           /* KEYWORD, KEYWORD_TAINT */
	const char *const *text;    /* alternatives */
	uint32_t n;
	uint64_t mask;              /* TAINT, SEEN, ACCESS */
};

struct bawn_rule {
	const char *id, *family, *message, *why, *fix;
	const struct bawn_cond *cond;
	uint64_t    tags, all;      /* all: the tags a combination needs */
	uint32_t    n_conds, score;
	int16_t     cwe;
	int8_t      language;       /* enum bawn_language, -1: any */
	int8_t      capability;     /* enum bawn_capability, -1: none */
	uint8_t     level, matcher;
};

/* What a finding adds to the score where its rule does not say. */
static const uint32_t bawn_level_score[] = { 1, 4, 20, 100 };
_Static_assert(sizeof bawn_level_score / sizeof *bawn_level_score == BAWN_LEVEL_COUNT, "one score per level");

/* What a rule is found by, as it was read.  `pair`: see index.h. */
struct bawn_rule_key { const char *text; uint16_t rule; uint8_t matcher; uint16_t pair[2]; };
/* And in a table, sorted by matcher, then text.  There are thousands: offsets into one text, not pointers, so that
 * none of it costs anything when the program starts. */
struct bawn_table_key { uint32_t text; uint16_t rule, pair[2]; uint8_t matcher; };

struct bawn_rule_table {
	const struct bawn_rule      *rule; size_t n;
	const struct bawn_table_key *key;  size_t n_keys;
	const char                  *key_text;
	const char                  *version;
	const uint16_t              *slot; size_t n_slots;   /* keys by hash, see index.h; none: searched by halving */
	bool                         keep_covered;  /* for the tests of rules: weaker findings on the same text stay */
};
extern const struct bawn_rule_table bawn_rules;  /* generated */
static inline const char *bawn_key_text(const struct bawn_rule_table *t, size_t i) { return t->key_text + t->key[i].text; }

/* The examples of all rules, in the order of rules; offsets, too. */
struct bawn_rule_example { uint32_t text; uint16_t rule; bool match; };
extern const struct bawn_rule_example bawn_rule_examples[];
extern const size_t bawn_rule_examples_n;
extern const char bawn_rule_example_text[];
