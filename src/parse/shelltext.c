/* shelltext.c - see shelltext.h.  An attacker controls every byte.
 *
 * Invariant: each byte is looked at a bounded number of times, whatever stands around it, and each look
 * is counted.  Hence a line's end is looked for once, and braces only at the start of a word, which goes
 * up to where the next one can start. */
#include "parse/shelltext.h"
#include <stdlib.h>

struct plain {
	struct bawn_span text;
	char    *out;
	bool     here, failed;
	size_t   line;          /* where it starts */
	size_t   end, trimmed;  /* of the line that was last asked about: its end, and that of what is not blank; 0: none */
	uint64_t work;          /* bytes looked at */
};

static char at(const struct plain *p, size_t i) { return i < p->text.n ? p->text.p[i] : '\0'; }
static bool is_blank(char c) { return c == ' ' || c == '\t'; }
static bool is_name(char c) { return c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'); }

static void put(struct plain *p, size_t i, char c)
{
	if (p->out == NULL) {
		p->out = !p->failed ? malloc(p->text.n) : NULL;
		p->failed = p->out == NULL;
		if (p->failed)
			return;
		memcpy(p->out, p->text.p, p->text.n);
		p->work += p->text.n;
	}
	p->out[i] = c;
}

static bool ends_with(const struct plain *p, size_t end, const char *word)
{
	size_t n = strlen(word);
	return end >= n && memcmp(p->text.p + end - n, word, n) == 0 && (end == n || !is_name(p->text.p[end - n - 1]));
}

static size_t skip_blanks_back(struct plain *p, size_t i)
{
	size_t from = i;
	while (i > 0 && is_blank(p->text.p[i - 1]))
		i--;
	p->work += from - i;
	return i;
}

/* `done <<<x`: a plain redirection for the grammar; the reader sees the three characters. */
static void here_string(struct plain *p, size_t i)
{
	size_t end = skip_blanks_back(p, i);
	char before = end > 0 ? p->text.p[end - 1] : '\0';
	if (before != '}' && before != ')' && !ends_with(p, end, "done") && !ends_with(p, end, "fi") && !ends_with(p, end, "esac"))
		return;
	put(p, i + 1, ' ');
	put(p, i + 2, ' ');
}

static bool starts_command(struct plain *p, size_t i)
{
	size_t end = skip_blanks_back(p, i);
	return end == 0 || strchr("\n;|&(`", p->text.p[end - 1]) != NULL || (end < i && (ends_with(p, end, "do") || ends_with(p, end, "then")));
}

/* {a,b} where a command starts is one word that the shell makes two of. */
static void braces(struct plain *p, size_t i)
{
	bool comma = false;
	size_t end = i;
	unsigned depth = 0;
	if (!starts_command(p, i))
		return;
	for (; end < p->text.n && end - i < 4096 && strchr(" \t\n;|&()<>`", p->text.p[end]) == NULL; end++) {
		comma = comma || p->text.p[end] == ',';
		depth += p->text.p[end] == '{';
		if (p->text.p[end] == '}' && --depth == 0)
			break;
	}
	p->work += end - i;
	if (!comma || depth > 0 || at(p, end) != '}')
		return;
	p->work += end - i;
	for (size_t k = i; k <= end && !p->failed; k++)
		if ((p->text.p[k] == '{' && (k == i || p->text.p[k - 1] != '$')) || p->text.p[k] == '}')
			put(p, k, '_');
}

/* ${x:$n:${#y}}: offsets that are not plain names or numbers read like one. */
static void offsets(struct plain *p, size_t i)
{
	size_t k = i + 2;
	unsigned depth = 1;
	while (is_name(at(p, k)) || at(p, k) == '@' || at(p, k) == '*')
		k++;
	p->work += k - i;
	if (at(p, k) != ':' || at(p, k + 1) == '\0' || strchr("-=?+", at(p, k + 1)) != NULL)
		return;
	size_t end = k;
	for (; end < p->text.n && end - i < 256 && p->text.p[end] != '\n'; end++) {
		depth += p->text.p[end] == '{';
		if (p->text.p[end] == '}' && --depth == 0)
			break;
	}
	p->work += end - k;
	if (depth > 0 || memchr(p->text.p + k, '$', end - k) == NULL)
		return;
	p->work += end - k;
	for (; k < end && !p->failed; k++)
		if (strchr("${}#()!", p->text.p[k]) != NULL)
			put(p, k, '_');
}

/* `coproc NAME {`: what counts is the group. */
static void coproc(struct plain *p, size_t i)
{
	size_t end = i + 6;
	if (p->text.n - i < 8 || memcmp(p->text.p + i, "coproc", 6) != 0 || !is_blank(at(p, end)) || !starts_command(p, i))
		return;
	while (is_blank(at(p, end)))
		end++;
	while (is_name(at(p, end)))
		end++;
	while (is_blank(at(p, end)))
		end++;
	p->work += 2 * (end - i);
	if (at(p, end) != '{' && at(p, end) != '(')
		return;
	for (size_t k = i; k < end && !p->failed; k++)
		put(p, k, ' ');
}

/* `cat <<E ||` with the rest after the here-document: the grammar would read the document as commands. */
static void trailing_operator(struct plain *p, size_t i)
{
	if (i >= p->end) {
		const char *newline = memchr(p->text.p + i, '\n', p->text.n - i);
		p->end = newline != NULL ? (size_t)(newline - p->text.p) : p->text.n;
		p->work += p->end - i;
		p->trimmed = skip_blanks_back(p, p->end);
	}
	size_t end = p->trimmed;
	if (end < i + 4 || (memcmp(p->text.p + end - 2, "||", 2) != 0 && memcmp(p->text.p + end - 2, "&&", 2) != 0))
		return;
	put(p, end - 1, ' ');
	put(p, end - 2, ' ');
}

/* A word goes on after an escaped newline.  Not where a comment or a here-document could swallow what
 * follows. */
static void joined_line(struct plain *p, size_t i)
{
	char before = i > 0 ? p->text.p[i - 1] : ' ', after = at(p, i + 2);
	p->work += i - p->line;
	if (p->here || is_blank(before) || before == '\n' || before == '\\' || is_blank(after) || after == '\n' || after == '\0' ||
	    memchr(p->text.p + p->line, '#', i - p->line) != NULL || strchr(";|&()<>", before) != NULL || strchr(";|&()<>#", after) != NULL)
		return;
	put(p, i, '_');
	put(p, i + 1, '_');
}

int bawn_shelltext_plain(struct bawn_span text, char **out, uint64_t *out_work)
{
	struct plain p = { .text = text, .work = text.n };
	for (size_t i = 0; i + 1 < text.n && !p.failed; i++) {
		char c = text.p[i], next = text.p[i + 1];
		if (c == '\n')
			p.line = i + 1;
		else if (c == '<' && next == '>')
			put(&p, i + 1, ' ');
		else if (c == '<' && next == '<' && at(&p, i + 2) == '<')
			here_string(&p, i), i += 2;
		else if (c == '<' && next == '<')
			p.here = true, trailing_operator(&p, i);
		else if (c == '$' && next == '{')
			offsets(&p, i);
		else if (c == '{' && next != ' ' && next != '\n')
			braces(&p, i);
		else if (c == 'c' && next == 'o')
			coproc(&p, i);
		else if (c == '\\' && next == '\n')
			joined_line(&p, i);
		else if (c == '\\')
			i++;
	}
	if (p.failed)
		return -ENOMEM;
	*out = p.out;
	*out_work = p.work;
	return 0;
}
