/* foreign.c - see shell.h.  Programs in languages that have no grammar here: Perl, Ruby, PHP, Lua, awk,
 * Tcl, Java, Go, PowerShell, AppleScript, C, and what editors and clients take as commands.
 *
 * Such languages differ in syntax and agree in the names of what matters: functions that open sockets,
 * start programs, evaluate text, decode it, fork, change the user.  The text is read as a row of words
 * and literals; which kinds of words it holds says what it can do, and a literal is judged by the word
 * before it: what is given to system() is shell, what is given to open() is a path. */
#include "assess/names.h"
#include "assess/shell.h"
#include "assess/text.h"
#include "base/buf.h"
#include "base/cleanup.h"

#define PROGRAM_MAX  (1u << 20)
#define LITERALS_MAX 8192u

enum kind {
	SOCKET = 1, RUN = 2, EVAL = 4, UNDO = 8, FETCH = 16, FORK = 32, LOOP = 64, WAIT = 128, BECOME = 256, OPEN = 512, DELETE = 1024, WRITE = 2048,
	SERVE = 4096, POST = 8192, ASKED = 16384,  /* ASKED: what a visitor of a web page sent */
	MEMORY = 32768, CLIENT = 65536,            /* a file that has no name; the output of a client of the network */
};

static const struct { const char *name; unsigned kind; } word[] = {
	/* sockets */
	{ "socket", SOCKET }, { "Socket", SOCKET }, { "fsockopen", SOCKET }, { "pfsockopen", SOCKET }, { "stream_socket_client", SOCKET },
	{ "stream_socket_server", SOCKET }, { "socket_create", SOCKET }, { "socket_connect", SOCKET }, { "TCPSocket", SOCKET }, { "UDPSocket", SOCKET },
	{ "TCPServer", SOCKET }, { "TcpClient", SOCKET }, { "TCPClient", SOCKET }, { "TcpListener", SOCKET }, { "ServerSocket", SOCKET },
	{ "SocketChannel", SOCKET }, { "Dial", SOCKET }, { "DialTCP", SOCKET }, { "DialTimeout", SOCKET }, { "sockaddr_in", SOCKET }, { "AF_INET", SOCKET },
	{ "PF_INET", SOCKET }, { "socketpair", 0 }, { "inet", SOCKET }, { "ztcp", SOCKET }, { "tcp_connect", SOCKET }, { "gen_tcp", SOCKET },
	{ "TcpStream", SOCKET }, { "create_connection", SOCKET }, { "createConnection", SOCKET }, { "ListenTCP", SOCKET },
	{ "network", 0 }, { "luasocket", SOCKET }, { "Sockets", SOCKET }, { "net/http", FETCH }, { "open-uri", FETCH },
	{ "socket.http", FETCH },
	{ "SSLSocket", SOCKET }, { "WebSocket", SOCKET }, { "openSocket", SOCKET }, { "connectTCP", SOCKET },
	{ "socketConnection", SOCKET }, { "pscan", SOCKET },
	/* programs */
	{ "system", RUN }, { "exec", RUN }, { "popen", RUN }, { "popen2", RUN }, { "popen3", RUN }, { "proc_open", RUN },
	{ "shell_exec", RUN }, { "passthru", RUN },
	{ "execute", RUN }, { "execl", RUN }, { "execlp", RUN }, { "execle", RUN }, { "execv", RUN }, { "execvp", RUN }, { "execve", RUN },
	{ "pcntl_exec", RUN },
	{ "spawn", RUN }, { "spawnl", RUN }, { "posix_spawn", RUN }, { "ProcessBuilder", RUN }, { "getRuntime", RUN }, { "Command", RUN },
	{ "StartProcess", RUN },
	{ "ForkExec", RUN }, { "Exec", RUN }, { "callCommand", RUN }, { "rawSystem", RUN }, { "qx", RUN }, { "Open3", RUN },
	{ "capture2", RUN }, { "capture2e", RUN },
	{ "capture3", RUN }, { "backticks", RUN }, { "ShellExecute", RUN }, { "CreateProcess", RUN }, { "system2", RUN }, { "cmd", 0 }, { "shell", RUN },
	{ "forkpty", RUN }, { "openpty", RUN }, { "startProcess", RUN }, { "execSync", RUN }, { "spawnSync", RUN },
	{ "child_process", RUN }, { "script", 0 },
	{ "write18", RUN }, { "PROGRAM", RUN }, { "runShellCommand", RUN }, { "shellCommand", RUN }, { "shelltool", RUN },
	{ "start_process", RUN }, { "call_process", RUN },
	/* text that becomes code */
	{ "eval", EVAL }, { "loadstring", EVAL }, { "instance_eval", EVAL }, { "class_eval", EVAL }, { "assert", 0 }, { "create_function", EVAL },
	{ "IEX", EVAL | RUN }, { "iex", EVAL | RUN }, { "Expression", EVAL | RUN }, { "ScriptBlock", EVAL },
	{ "decode_base64", UNDO }, { "base64_decode", UNDO }, { "decode64", UNDO }, { "strict_decode64", UNDO }, { "unpack", UNDO },
	{ "pack", UNDO }, { "hex2bin", UNDO },
	{ "gzinflate", UNDO }, { "gzuncompress", UNDO }, { "str_rot13", UNDO }, { "convert_uudecode", UNDO }, { "FromBase64String", UNDO },
	{ "unbase64", UNDO },
	{ "EncodedCommand", UNDO | RUN },
	/* the network, politely */
	{ "LWP", FETCH }, { "getstore", FETCH }, { "URI", FETCH }, { "HTTP", FETCH }, { "WebClient", FETCH }, { "DownloadString", FETCH },
	{ "DownloadFile", FETCH },
	{ "DownloadData", FETCH }, { "WebRequest", FETCH }, { "RestMethod", FETCH }, { "iwr", FETCH }, { "irm", FETCH },
	{ "HttpClient", FETCH }, { "HttpURLConnection", FETCH },
	{ "URLConnection", FETCH }, { "curl_exec", FETCH }, { "curl_init", FETCH }, { "openStream", FETCH }, { "UploadFile", POST },
	{ "UploadString", POST },
	{ "UploadData", POST }, { "httpd", SERVE }, { "WEBrick", SERVE }, { "HTTPServer", SERVE },
	/* processes */
	{ "fork", FORK }, { "pcntl_fork", FORK }, { "while", LOOP }, { "loop", LOOP }, { "until", LOOP }, { "for", LOOP },
	{ "wait", WAIT }, { "waitpid", WAIT },
	{ "exit", WAIT }, { "pcntl_wait", WAIT },
	{ "setuid", BECOME }, { "setgid", BECOME }, { "seteuid", BECOME }, { "setresuid", BECOME }, { "setreuid", BECOME }, { "setregid", BECOME },
	{ "posix_setuid", BECOME }, { "posix_setgid", BECOME }, { "change_privilege", BECOME }, { "setUID", BECOME }, { "initgroups", BECOME },
	/* files */
	{ "open", OPEN }, { "fopen", OPEN }, { "read", OPEN }, { "readfile", OPEN }, { "file_get_contents", OPEN }, { "File", OPEN },
	{ "file", OPEN }, { "getline", OPEN },
	{ "slurp", OPEN }, { "ReadFile", OPEN }, { "readAllBytes", OPEN }, { "lines", OPEN }, { "cat", OPEN }, { "Content", OPEN },
	{ "dofile", OPEN }, { "load", OPEN },
	{ "unlink", DELETE }, { "rmtree", DELETE }, { "rm_rf", DELETE }, { "rm_r", DELETE }, { "rmdir", DELETE }, { "remove", DELETE },
	{ "delete", DELETE }, { "RemoveAll", DELETE },
	{ "file_put_contents", WRITE }, { "fwrite", WRITE }, { "fputs", WRITE }, { "WriteFile", WRITE }, { "writeFile", WRITE },
	{ "write", WRITE }, { "chmod", WRITE }, { "rename", WRITE },
	{ "copy", WRITE }, { "saveas", WRITE }, { "writefile", WRITE }, { "memfd_create", MEMORY }, { "commandLine", RUN },
};
NAMES(words, word);

struct program {
	struct engine   *e;
	struct bawn_span t;
	uint32_t         node;
	unsigned         seen, last;    /* kinds so far, and of the word before a literal */
	unsigned         literals;
	struct bawn_span kept[64]; unsigned n_kept;  /* texts that may be given to a program later */
	bool             pipes;         /* awk: (cmd | getline) */
	bool             commands;
	bool             shell;         /* the path of a shell is named */
	bool             cut;           /* some of its texts were not read */
};

static bool is_word(char c) { return c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'); }

static bool names_shell(struct bawn_span t)
{
	static const char *const end[] = { "/sh", "/bash", "/dash", "/zsh", "/ksh", "/ash", "cmd.exe", "powershell", "/fish" };
	for (size_t i = 0; i < BAWN_LEN(end); i++) {
		const char *at = memmem(t.p, t.n, end[i], strlen(end[i]));
		size_t after = at != NULL ? (size_t)(at - t.p) + strlen(end[i]) : 0;
		if (at != NULL && (after == t.n || !is_word(t.p[after])))
			return true;
	}
	return bawn_span_is(t, "sh") || bawn_span_is(t, "bash") || bawn_span_is(t, "zsh") || bawn_span_starts(t, "sh -") || bawn_span_starts(t, "bash -");
}

static void run_text(struct program *p, struct bawn_span t)
{
	if (t.n > 1 && bawn_text_printable(t))
		bawn_engine_text(p->e, BAWN_LANG_BASH, t, p->node);
	else if (t.n > 1)
		(void)bawn_engine_event(p->e, "unread-program", p->node, NULL);
}

static void literal(struct program *p, struct bawn_span raw, bool backtick)
{
	struct bawn_span t = bawn_sh_unescape(p->e, raw, false);
	p->literals += t.n > 0;
	p->cut = p->cut || p->e->cut || p->literals > LITERALS_MAX;
	p->e->cut = false;
	if (t.p == NULL || t.n == 0 || p->literals > LITERALS_MAX)
		return;
	p->shell = p->shell || names_shell(t);
	p->seen |= memmem(t.p, t.n, "/proc/", 6) != NULL && memmem(t.p, t.n, "/fd/", 4) != NULL ? (unsigned)MEMORY : 0u;
	p->seen |= backtick && (bawn_span_starts(t, "curl ") || bawn_span_starts(t, "wget ")) ? (unsigned)CLIENT : 0u;
	size_t row = t.n < 40 ? bawn_names_find(&words, t.p, t.n) : BAWN_LEN(word);
	if (row < BAWN_LEN(word) && (p->last & RUN) == 0)  /* require "socket" */
		p->seen |= word[row].kind & (SOCKET | FETCH);
	if (backtick || t.p[0] == '|') {
		p->seen |= RUN;
		p->seen |= memmem(t.p, t.n, "$_GET", 5) != NULL || memmem(t.p, t.n, "$_POST", 6) != NULL || memmem(t.p, t.n, "$_REQUEST", 9) != NULL ? (unsigned)ASKED : 0u;
		run_text(p, (struct bawn_span){ t.p + !backtick, t.n - !backtick });
		return;
	}
	if ((p->last & RUN) != 0) {
		run_text(p, t);
		return;
	}
	if (p->n_kept < BAWN_LEN(p->kept))
		p->kept[p->n_kept] = t;
	p->n_kept++;
	if (memmem(t.p, t.n, "/inet/", 6) != NULL)
		p->seen |= SOCKET | RUN;
	if (memmem(t.p, t.n, "://", 3) != NULL) {
		struct fact f = { .kind = BAWN_MATCH_STRING, .name = bawn_arena_text(bawn_sh_arena(p->e), t), .node = p->node };
		(void)bawn_engine_fact(p->e, &f);
		p->seen |= (p->last & OPEN) != 0 && bawn_span_starts(t, "http") ? (unsigned)FETCH : 0u;
		return;
	}
	if ((t.p[0] == '/' || t.p[0] == '~' || bawn_span_starts(t, "$HOME/")) && t.n > 2 && memchr(t.p, ' ', t.n) == NULL)
		(void)bawn_engine_path(p->e, t, (p->last & DELETE) != 0 ? BAWN_ACCESS_DELETE : (p->last & WRITE) != 0 ? BAWN_ACCESS_WRITE : BAWN_ACCESS_READ, false, p->node);
}

/* Where the literal that starts at `at` ends: at its closing quote, or past the text. */
static size_t closing(const struct program *p, size_t at)
{
	size_t end = at + 1;
	while (end < p->t.n && p->t.p[end] != p->t.p[at])
		end += p->t.p[end] == '\\' ? 2 : 1;
	return end;
}

/* Where a literal goes on after the one that closed at `end`: "a" "b", "a"."b", "a".."b", "a" + "b"; or 0. */
static size_t goes_on(const struct program *p, size_t end)
{
	size_t at = end + 1;
	while (at < p->t.n && strchr(" .+", p->t.p[at]) != NULL && p->t.p[at] != '\0')
		at++;
	bool more = at < p->t.n && (p->t.p[at] == '"' || p->t.p[at] == '\'') && closing(p, at) < p->t.n;
	return more ? at : 0;
}

/* The literal that starts at `at`, with those it is joined to; how long it is with its quotes. */
static size_t quoted(struct program *p, size_t at)
{
	size_t end = closing(p, at), next;
	bool backtick = p->t.p[at] == '`';
	if (end >= p->t.n)
		return 1;
	if (backtick || goes_on(p, end) == 0) {
		literal(p, (struct bawn_span){ p->t.p + at + 1, end - at - 1 }, backtick);
		return end + 1 - at;
	}
	bawn_auto_buf b = BAWN_BUF(PROGRAM_MAX);
	bawn_buf_add(&b, p->t.p + at + 1, end - at - 1);
	while ((next = goes_on(p, end)) != 0) {
		end = closing(p, next);
		bawn_buf_add(&b, p->t.p + next + 1, end - next - 1);
	}
	const char *all = bawn_engine_whole(p->e, &b) ? bawn_arena_text(bawn_sh_arena(p->e), bawn_buf_span(&b)) : NULL;
	p->cut = p->cut || all == NULL;
	if (all != NULL)
		literal(p, (struct bawn_span){ all, b.n }, false);
	return end + 1 - at;
}

static size_t name_at(struct program *p, size_t at)
{
	size_t end = at;
	while (end < p->t.n && is_word(p->t.p[end]))
		end++;
	struct bawn_span name = { p->t.p + at, end - at };
	size_t row = name.n < 40 ? bawn_names_find(&words, name.p, name.n) : BAWN_LEN(word);
	if (bawn_span_is(name, "_GET") || bawn_span_is(name, "_POST") || bawn_span_is(name, "_REQUEST") || bawn_span_is(name, "_COOKIE"))
		p->seen |= ASKED;
	bool variable = at > 0 && (p->t.p[at - 1] == '$' || p->t.p[at - 1] == '@' || p->t.p[at - 1] == '%');
	if (bawn_span_is(name, "cmd") && end < p->t.n && p->t.p[end] == '(')  /* os:cmd(), not a variable of that name */
		p->seen |= RUN, p->last = RUN;
	if (row < BAWN_LEN(word) && !variable) {
		p->seen |= word[row].kind;
		p->last = word[row].kind;
	}
	return end - at;
}

/* :r /etc/hosts */
static size_t bare_path(struct program *p, size_t at)
{
	size_t end = at;
	while (end < p->t.n && p->t.p[end] != ' ' && p->t.p[end] != '\n' && p->t.p[end] != '"' && p->t.p[end] != '\'')
		end++;
	if (end - at > 2)
		(void)bawn_engine_path(p->e, (struct bawn_span){ p->t.p + at, end - at }, BAWN_ACCESS_READ, false, p->node);
	return end - at - 1;
}

static void scan(struct program *p)
{
	for (size_t at = 0; at < p->t.n && p->e->error == 0; ) {
		char c = p->t.p[at];
		if (c == '"' || c == '\'' || c == '`') {
			at += quoted(p, at);
		} else if (is_word(c)) {
			at += name_at(p, at);
		} else {
			/* awk: print | "cmd", "cmd" | getline, and the two-way |& */
			if (c == '|' && at + 1 < p->t.n && (p->t.p[at + 1] == '&' || p->t.p[at + 1] == '"' || (p->t.p[at + 1] == ' ' && at + 2 < p->t.n && p->t.p[at + 2] == '"')))
				p->seen |= RUN, p->last = RUN;
			else if (bawn_span_starts((struct bawn_span){ p->t.p + at, p->t.n - at }, "| getline") ||
			         bawn_span_starts((struct bawn_span){ p->t.p + at, p->t.n - at }, "|getline"))
				p->seen |= RUN, p->pipes = true;
			else if (c == ';' || c == '\n')
				p->last = 0;
			else if (p->commands && (c == '/' || c == '~') && at > 0 && p->t.p[at - 1] == ' ')
				at += bare_path(p, at);
			at++;
		}
	}
}

/* What an editor, a pager or a client takes for "run this": the text after the mark is shell. */
static void escape(struct engine *e, struct bawn_span t, uint32_t node)
{
	static const char *const mark[] = { ":!", "!", "\\!", ".shell ", ".system ", "shell ", ":sh", "@exec " };
	for (size_t i = 0; i < BAWN_LEN(mark); i++)
		if (bawn_span_starts(t, mark[i])) {
			size_t n = strlen(mark[i]);
			bawn_engine_text(e, BAWN_LANG_BASH, t.n > n ? (struct bawn_span){ t.p + n, t.n - n } : bawn_span("sh"), node);
			(void)bawn_engine_event(e, "foreign-run", node, NULL);
			return;
		}
}

static void conclude(struct program *p)
{
	static const struct { unsigned all, none; const char *event; } row[] = {
		{ SOCKET | RUN, 0, "foreign-remote-shell" }, { SOCKET | EVAL, 0, "foreign-remote-shell" }, { ASKED | RUN, 0, "foreign-remote-shell" }, { ASKED | EVAL, 0, "foreign-remote-shell" },
		{ FETCH | EVAL, 0, "foreign-download-run" },
		{ FETCH | RUN, 0, "foreign-download-run" }, { UNDO | EVAL, 0, "decoded-exec" }, { UNDO | RUN, 0, "decoded-exec" },
		{ MEMORY | CLIENT, 0, "foreign-download-run" }, { MEMORY | FETCH, 0, "foreign-download-run" }, { MEMORY | RUN, 0, "runs-memory" },
		{ SOCKET, 0, "foreign-socket" }, { RUN, 0, "foreign-run" }, { FETCH, 0, "foreign-fetch" }, { EVAL, 0, "foreign-eval" },
		{ BECOME, 0, "foreign-become" }, { SERVE, 0, "foreign-serve" }, { POST, 0, "foreign-send" },
	};
	for (unsigned i = 0; p->pipes && i < p->n_kept && i < BAWN_LEN(p->kept); i++)
		run_text(p, p->kept[i]);
	if (p->cut || (p->pipes && p->n_kept > BAWN_LEN(p->kept)))
		(void)bawn_engine_event(p->e, "unread-program", p->node, NULL);
	if (p->shell && (p->seen & SOCKET) != 0)
		p->seen |= RUN;
	for (size_t i = 0; i < BAWN_LEN(row); i++)
		if ((p->seen & row[i].all) == row[i].all)
			(void)bawn_engine_event(p->e, row[i].event, p->node, NULL);
	if ((p->seen & (FORK | LOOP)) == (FORK | LOOP) && (p->seen & (WAIT | RUN | SOCKET)) == 0 && p->t.n < 200)
		(void)bawn_engine_event(p->e, "fork-bomb", p->node, NULL);
}

bool bawn_foreign_looks(struct bawn_span t)
{
	static const char *const start[] = { "<?", "import ", "using ", "package ", "public ", "func ", "fn ", "let ", "var ", "const ", "require", "use ", "int main", "void main",
	                                     "class ", "module ", "new ", "$client", "$stream", "String ", "open Unix", "program ", "Socket ", "static " };
	for (size_t at = 0; at < t.n; ) {
		while (at < t.n && (t.p[at] == ' ' || t.p[at] == '\t'))
			at++;
		for (size_t k = 0; k < BAWN_LEN(start); k++)
			if (bawn_span_starts((struct bawn_span){ t.p + at, t.n - at }, start[k]))
				return true;
		const char *end = at < t.n ? memchr(t.p + at, '\n', t.n - at) : NULL;
		at = end != NULL ? (size_t)(end + 1 - t.p) : t.n;
	}
	return false;
}

void bawn_foreign_program(struct engine *e, struct bawn_span text, bool commands, uint32_t node)
{
	if (text.n < 2 || e->quiet)
		return;
	if (text.n > PROGRAM_MAX)
		(void)bawn_engine_event(e, "unread-program", node, NULL);
	text.n = text.n < PROGRAM_MAX ? text.n : PROGRAM_MAX;
	if (commands)
		escape(e, text, node);
	e->spent += text.n;
	struct program p = { .e = e, .t = text, .node = node, .commands = commands };
	scan(&p);
	conclude(&p);
}
