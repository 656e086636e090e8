/* assess.h - reads code nobody has read yet and says what it could do.
 *
 * Deterministic: same bytes, same rules, same policy, same verdict, byte for byte.  Never runs,
 * imports or fetches anything.  What cannot be assessed to its end counts as HIGH at least.  An attacker
 * controls every byte of `files`.
 *
 * What bounds it: the size, by the caller; memory, 64 MB beside the files; work, which is counted wherever
 * text is read, so that the same code is given up on every machine or on none (a second or two of one
 * processor for all files together).  Below that lies a net for work that was counted too low: 20 seconds
 * on the clock, which the parser looks at and every loop over the nodes of a text.  All of this is in the
 * caller's process, and so would be a crash: `bawn run` has only these bounds.  `bawn assess` reads each
 * file in a process of its own, which it ends after 30 seconds (src/cli/pool.h). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/span.h"
#include "policy/policy.h"
#include "policy/tables.h"

/* X(NAME, "name"): what code can do, seen from its text. */
#define BAWN_CAPABILITIES(X) \
	X(NETWORK, "network") X(SUBPROCESS, "subprocess") X(FILES_READ, "files_read") X(FILES_WRITE, "files_write") \
	X(FILES_DELETE, "files_delete") X(DYNAMIC_CODE, "dynamic_code") X(NATIVE_CODE, "native_code") \
	X(PROCESS_CONTROL, "process_control") X(PRIVILEGE, "privilege") X(PERSISTENCE, "persistence") \
	X(CREDENTIALS, "credentials") X(DESERIALISATION, "deserialisation") X(INTROSPECTION, "introspection") \
	X(OBFUSCATION, "obfuscation") X(SURVEILLANCE, "surveillance") X(RESOURCES, "resources") \
	X(SYSTEM_INFO, "system_info") X(CRYPTO, "crypto") X(PACKAGES, "packages")
#define BAWN_X_CAP(n, t) BAWN_CAP_##n,
enum bawn_capability { BAWN_CAPABILITIES(BAWN_X_CAP) BAWN_CAP_COUNT };
extern const struct bawn_words bawn_capability_words;

/* X("name", "what it is about"): what a rule is about, in whatever language; rules stand in
 * rules/<language>/<family>.yaml. */
#define BAWN_FAMILIES(X) \
	X("containers", "starting containers, and ways out of them") \
	X("defence", "guards, logs and records of the machine, switched off or wiped") \
	X("deserialisation", "data that becomes code when it is loaded") \
	X("destruction", "what is gone afterwards: deleted, overwritten, encrypted") \
	X("discovery", "questions about the machine, its users and whoever watches") \
	X("dynamic-code", "text that becomes code, and names only known at run time") \
	X("engine", "what the reader itself says about a text, and the lists of the policy") \
	X("exfiltration", "what leaves the machine") \
	X("files", "files outside the workspace; rights, times and attributes of files") \
	X("introspection", "the inside of the interpreter") \
	X("lint", "weak, unsafe or unwise, seldom malicious") \
	X("native", "native code") \
	X("network", "fetching, sending, listening, looking around") \
	X("obfuscation", "text that is not what it seems") \
	X("persistence", "ways to be started again, and to spread") \
	X("privilege", "more rights than the code was given") \
	X("process", "other programs and processes: started, fed, stopped") \
	X("remote-shell", "shells that somebody else can type into") \
	X("resources", "using up the machine") \
	X("secrets", "keys, passwords, tokens and the stores of other programs") \
	X("supply-chain", "code from elsewhere: downloaded and run, installed, published") \
	X("surveillance", "watching people") \
	X("windows", "commands of Windows, wherever their text stands")

/* Texts are borrowed from the rule table, or owned by the assessment. */
struct bawn_finding {
	const char     *rule;      /* "python/pty-spawn" */
	enum bawn_level level;
	const char     *path;      /* NULL: the code itself; else the input file */
	uint32_t        line, column, end_line, end_column;  /* from 1, columns in characters */
	int             cwe;       /* 0: none */
	const char     *message, *why, *fix;
	const char     *folded;    /* what an expression came to; NULL where the text says it itself */
	uint32_t        score;     /* what it adds to the whole: of one capability only the strongest finding counts */
};

/* How much work the code looks like, for adaptive limits. */
struct bawn_complexity { uint32_t lines; uint32_t milli; };  /* 0..1000 */

struct bawn_assessment {
	enum bawn_level level;                             /* the higher of `strongest` and what the score comes to */
	enum bawn_level strongest;                         /* of the findings */
	uint32_t        score;
	enum bawn_language language;
	bool            parse_ok;
	const char     *unfinished;                        /* why some file was not read to its end, which counts as HIGH; NULL: all were */
	struct bawn_finding *finding; size_t n_findings;   /* by path (code first), line, column, rule */
	uint32_t        capabilities;                      /* 1u << enum bawn_capability */
	char          **recommendation; size_t n_recommendations;
	struct bawn_complexity complexity;
	uint64_t        elapsed_us;
	uint64_t        work;                              /* what it took, counted; the same on every machine */
	void           *pool;                              /* owns every text above */
};

struct bawn_assess_file {
	const char      *path;      /* NULL: the code; else the name of an input file */
	int              language;  /* enum bawn_language, or -1: find out; unknown ones are skipped */
	struct bawn_span bytes;
};

/* `file[0]` is the code.  Files in no known language are looked at only for being native (ELF,
 * .so, .pyc, .node: at least HIGH), unless another file runs them: then they are read in the language
 * they are run in.  A file that takes more work or memory than there is gets a finding that says so
 * (bawn/assessment-failed, HIGH); what was found in it until then stays, and the other files are read. */
BAWN_MUST_CHECK int bawn_assess(const struct bawn_assess_file *file, size_t n_files,
                                const struct bawn_policy *policy, struct bawn_assessment **out,
                                struct bawn_err *err);
void bawn_assessment_free(struct bawn_assessment *a);

/* Rules that no file has, since no text matches them. */
enum bawn_alone { BAWN_ALONE_UNFINISHED, BAWN_ALONE_LOOKALIKE, BAWN_ALONE_UNLISTED, BAWN_ALONE_COUNT };
/* Puts a finding about a package that the code is to be given in front; `message` names it.  It
 * makes the whole HIGH at least and adds nothing to the score, which is the code's. */
BAWN_MUST_CHECK int bawn_assessment_package(struct bawn_assessment *a, enum bawn_alone which, const char *message, struct bawn_err *err);

const char *bawn_rules_version(void);   /* changes when any rule changes: hash of the table */

/* The same, followed by "+" and a hash of the policy's rules.d where it has one. */
#define BAWN_RULES_VERSION_LEN 40
const char *bawn_rules_version_of(const struct bawn_policy *policy, char out[static BAWN_RULES_VERSION_LEN]);

/* The rule table, the one for what was not read to its end and, after them, the rules.d of `policy` (may be NULL): [{id, language, family, level, cwe,
 * capability, message, why, fix, score, tags, matcher: {...}, where: [...], origin}] */
BAWN_MUST_CHECK int bawn_rules_json(const struct bawn_policy *policy, json_t **out, struct bawn_err *err);

/* The examples of one rule, as assessed here: [{match, language, code, at: [{line, column, end_line,
 * end_column}]}]; `at` is where this rule was found. */
BAWN_MUST_CHECK int bawn_rule_examples_json(const char *id, const struct bawn_policy *policy, json_t **out, struct bawn_err *err);

/* Runs the examples of one rule file (YAML text): a shipped one, or one for rules.d, whose ids begin with
 * local/.  *out: {rules, examples, failures: [{rule, line, kind, example, got: [{rule, level, line}]}]};
 * `name` stands in messages.  Returns 0 also when examples fail.  A file with mistakes is CONFIG_INVALID
 * and `problems` (may be NULL) has all of them, one a line. */
BAWN_MUST_CHECK int bawn_rules_test(const char *name, struct bawn_span yaml, json_t **out, struct bawn_buf *problems, struct bawn_err *err);
