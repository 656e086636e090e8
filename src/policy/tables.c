#include "policy/tables.h"
#include "base/cleanup.h"

#define NAME(n, t) t,
#define WORDS(list, what) \
	static const char *const what##_name[] = { list(NAME) }; \
	const struct bawn_words bawn_##what##_words = { what##_name, (int)BAWN_LEN(what##_name) }
WORDS(BAWN_LEVELS, level);
WORDS(BAWN_ACTIONS, action);
WORDS(BAWN_TRUSTS, trust);
WORDS(BAWN_ASSURANCES, assurance);
WORDS(BAWN_BACKENDS, backend);
WORDS(BAWN_NETWORKS, network);
WORDS(BAWN_VIOLATIONS, violation);
WORDS(BAWN_LAYERS, layer);
static const char *const language_name[] = { "python", "bash", "javascript" };
const struct bawn_words bawn_language_words = { language_name, (int)BAWN_LEN(language_name) };

const struct bawn_language_row bawn_language[BAWN_LANG_COUNT] = {
	[BAWN_LANG_PYTHON] = { "python", "main.py", "/usr/bin/python3", "py|python3", ".py|.pyw", "python|pypy", 32u << 20, "python3" },
	[BAWN_LANG_BASH] = { "bash", "main.sh", "/usr/bin/bash", "sh|shell", ".sh|.bash", "bash|sh|dash", 8u << 20, "bash" },
	[BAWN_LANG_JAVASCRIPT] = { "javascript", "main.js", "/usr/bin/node", "js|node|nodejs", ".js|.cjs|.mjs", "node|nodejs", 96u << 20, "nodejs" },
};

const char *bawn_word(const struct bawn_words *w, int i)
{
	return i >= 0 && i < w->n ? w->name[i] : "?";
}

int bawn_word_find(const struct bawn_words *w, struct bawn_span text)
{
	for (int i = 0; i < w->n; i++)
		if (bawn_span_is(text, w->name[i]))
			return i;
	return -1;
}

static bool in_list(const char *list, struct bawn_span word)
{
	for (const char *at = list; *at != '\0'; ) {
		size_t n = strcspn(at, "|");
		if (bawn_span_equal((struct bawn_span){ at, n }, word))
			return true;
		at += n;
		at += *at == '|';
	}
	return false;
}

int bawn_language_named(struct bawn_span name)
{
	for (int i = 0; i < BAWN_LANG_COUNT; i++)
		if (bawn_span_is(name, bawn_language[i].name) || in_list(bawn_language[i].aliases, name))
			return i;
	return -1;
}

static bool separator(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* The interpreter's basename on a #! line, past `env` and its options, without a version. */
static struct bawn_span shebang(struct bawn_span code)
{
	struct bawn_span word = { NULL, 0 };
	if (!bawn_span_starts(code, "#!"))
		return word;
	size_t at = 2;
	while (at < code.n && code.p[at] != '\n') {
		while (at < code.n && separator(code.p[at]) && code.p[at] != '\n')
			at++;
		size_t start = at;
		while (at < code.n && !separator(code.p[at])) {
			if (code.p[at] == '/')
				start = at + 1;
			at++;
		}
		word = (struct bawn_span){ code.p + start, at - start };
		if (word.n > 0 && !bawn_span_is(word, "env") && word.p[0] != '-' && memchr(word.p, '=', word.n) == NULL)
			break;
	}
	while (word.n > 0 && strchr("0123456789.", word.p[word.n - 1]) != NULL)
		word.n--;
	return word;
}

int bawn_language_guess(const char *path, struct bawn_span code)
{
	const char *base = path != NULL ? strrchr(path, '/') : NULL;
	base = base != NULL ? base + 1 : path;
	const char *dot = base != NULL ? strrchr(base, '.') : NULL;
	for (int i = 0; dot != NULL && i < BAWN_LANG_COUNT; i++)
		if (in_list(bawn_language[i].extensions, bawn_span(dot)))
			return i;
	struct bawn_span word = shebang(code);
	for (int i = 0; word.n > 0 && i < BAWN_LANG_COUNT; i++)
		if (in_list(bawn_language[i].shebangs, word))
			return i;
	return -1;
}

/* A trailing '*' matches any ending. */
static const char *const refused_env[] = {
	"LD_*", "GLIBC_TUNABLES", "MALLOC_*", "GCONV_PATH", "LOCPATH", "NLSPATH", "RES_OPTIONS", "HOSTALIASES",
	"LOCALDOMAIN", "GETCONF_DIR", "RESOLV_*", "PYTHON*", "NODE_OPTIONS", "NODE_PATH",
	"NODE_EXTRA_CA_CERTS", "NODE_REPL_*", "NODE_ICU_DATA", "NODE_V8_COVERAGE", "NODE_COMPILE_CACHE*", "NODE_REDIRECT_WARNINGS", "BASH_*", "BASHOPTS", "SHELLOPTS", "ENV", "IFS",
	"PS4", "PROMPT_COMMAND", "CDPATH", "GLOBIGNORE", "PERL5*", "PERLLIB", "RUBY*", "JAVA_TOOL_OPTIONS",
	"OPENSSL_*", "SSL_CERT_*", "PATH", "HOME", "PWD", "OLDPWD", "SHLVL", "BAWN_*",
};

bool bawn_env_refused(struct bawn_span name)
{
	for (size_t i = 0; i < BAWN_LEN(refused_env); i++) {
		size_t n = strlen(refused_env[i]);
		bool open = refused_env[i][n - 1] == '*';
		n -= open;
		if ((open ? name.n >= n : name.n == n) && memcmp(name.p, refused_env[i], n) == 0)
			return true;
	}
	return false;
}

bool bawn_env_name_valid(struct bawn_span name)
{
	if (name.n == 0 || name.n > 128 || (name.p[0] >= '0' && name.p[0] <= '9'))
		return false;
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];
		if (!((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'))
			return false;
	}
	return true;
}
