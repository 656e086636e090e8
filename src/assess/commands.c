/* commands.c - see shell.h.  What commands do with their words.
 *
 * Three tables say it: `command` (what kind of program it is, where its own command or program starts,
 * what it does with its operands), `option` (options whose value is a file or a command line), and the
 * rules, which know commands by name.  Text that is a program goes back through the engine, which bounds
 * the nesting.  Words may come from any language (bawn_shell_command). */
#include "assess/decode.h"
#include "assess/names.h"
#include "assess/shell.h"
#include "assess/text.h"
#include "base/cleanup.h"

/* ---- tables ---- */

enum {
	WRAPS   = 1,    /* runs the command that its words are; `skip` operands stand before it */
	SHELL   = 2,    /* reads shell: -c, a file, or standard input */
	SCRIPT  = 4,    /* the same for a language with a grammar: `language` */
	FOREIGN = 8,    /* its words, files and input are programs in a language without one */
	EDITS   = 16,   /* takes commands that can start programs: editors, pagers, clients */
	DATA    = 32,   /* its operands are texts or files, whatever they look like */
	LAST    = 64,   /* the last operand is written, the others are `access` */
	FIRST   = 128,  /* the first operand is a pattern, a mode, an owner */
	JOINED  = 256,  /* its operands, put together, are a command line */
	NET     = 512,  /* its words name hosts and addresses */
};

#define R BAWN_ACCESS_READ
#define W BAWN_ACCESS_WRITE
#define D BAWN_ACCESS_DELETE
#define M BAWN_ACCESS_MODE
#define L BAWN_ACCESS_LIST
#define U BAWN_ACCESS_USE
#define N BAWN_ACCESS_COUNT  /* operands are not files, or nothing happens to them */

/* `valued`: short options that take a word, so that the word is not mistaken for an operand. */
static const struct command { const char *name; unsigned kind; uint8_t access, skip; const char *valued; int8_t language; } command[] = {
	/* commands that run commands */
	{ "sudo", WRAPS, U, 0, "ughpCrtTUDR", 0 }, { "doas", WRAPS, U, 0, "uC", 0 }, { "env", WRAPS, U, 0, "uC", 0 }, { "nohup", WRAPS, U, 0, "", 0 },
	{ "timeout", WRAPS, U, 1, "sk", 0 }, { "gtimeout", WRAPS, U, 1, "sk", 0 }, { "nice", WRAPS, U, 0, "n", 0 }, { "ionice", WRAPS, U, 0, "cn", 0 },
	{ "setsid", WRAPS, U, 0, "", 0 }, { "time", WRAPS, U, 0, "fo", 0 }, { "command", WRAPS, U, 0, "", 0 }, { "builtin", WRAPS, U, 0, "", 0 },
	{ "exec", WRAPS, U, 0, "a", 0 }, { "stdbuf", WRAPS, U, 0, "ioe", 0 }, { "unbuffer", WRAPS, U, 0, "", 0 }, { "watch", WRAPS | JOINED, U, 0, "n", 0 },
	{ "xargs", WRAPS, U, 0, "InPLdEsa", 0 }, { "parallel", WRAPS, U, 0, "jIaN", 0 }, { "strace", WRAPS, U, 0, "oepsu", 0 }, { "ltrace", WRAPS, U, 0, "oepsu", 0 },
	{ "busybox", WRAPS, U, 0, "", 0 }, { "toybox", WRAPS, U, 0, "", 0 }, { "chroot", WRAPS, U, 1, "", 0 }, { "unshare", WRAPS, U, 0, "", 0 },
	{ "nsenter", WRAPS, U, 0, "tSG", 0 }, { "flock", WRAPS, U, 1, "wE", 0 }, { "taskset", WRAPS, U, 1, "", 0 }, { "chrt", WRAPS, U, 1, "", 0 },
	{ "proxychains", WRAPS, U, 0, "f", 0 }, { "proxychains4", WRAPS, U, 0, "f", 0 }, { "torsocks", WRAPS, U, 0, "", 0 }, { "torify", WRAPS, U, 0, "", 0 },
	{ "fakeroot", WRAPS, U, 0, "", 0 }, { "dbus-run-session", WRAPS, U, 0, "", 0 }, { "dbus-launch", WRAPS, U, 0, "", 0 }, { "xvfb-run", WRAPS, U, 0, "", 0 },
	{ "gosu", WRAPS, U, 1, "", 0 }, { "su-exec", WRAPS, U, 1, "", 0 }, { "setpriv", WRAPS, U, 0, "", 0 }, { "pkexec", WRAPS, U, 0, "", 0 },
	{ "setarch", WRAPS, U, 1, "", 0 }, { "linux64", WRAPS, U, 0, "", 0 }, { "linux32", WRAPS, U, 0, "", 0 }, { "systemd-run", WRAPS, U, 0, "puHMd", 0 },
	{ "systemd-inhibit", WRAPS, U, 0, "", 0 }, { "cpulimit", WRAPS, U, 0, "lpeP", 0 }, { "choom", WRAPS, U, 0, "np", 0 }, { "prlimit", WRAPS, U, 0, "p", 0 },
	{ "faketime", WRAPS, U, 1, "", 0 }, { "firejail", WRAPS, U, 0, "", 0 }, { "rlwrap", WRAPS, U, 0, "", 0 }, { "ssh-agent", WRAPS, U, 0, "a", 0 },
	{ "catchsegv", WRAPS, U, 0, "", 0 }, { "valgrind", WRAPS, U, 0, "", 0 }, { "cgexec", WRAPS, U, 0, "g", 0 }, { "numactl", WRAPS, U, 0, "", 0 },
	{ "coproc", WRAPS, U, 0, "", 0 }, { "sshpass", WRAPS, U, 0, "pfde", 0 }, { "aa-exec", WRAPS, U, 0, "p", 0 }, { "runcon", WRAPS, U, 1, "", 0 },
	{ "lxc-attach", WRAPS, U, 0, "n", 0 }, { "lxc-execute", WRAPS, U, 0, "n", 0 }, { "daemonize", WRAPS, U, 0, "cepoeElu", 0 }, { "entr", WRAPS, U, 0, "", 0 },
	{ "screen", WRAPS, U, 0, "Scehst", 0 }, { "then", WRAPS, U, 0, "", 0 }, { "do", WRAPS, U, 0, "", 0 }, { "else", WRAPS, U, 0, "", 0 }, { "!", WRAPS, U, 0, "", 0 },
	{ "{", WRAPS, U, 0, "", 0 }, { "multitime", WRAPS, U, 0, "n", 0 }, { "softlimit", WRAPS, U, 0, "", 0 }, { "chpst", WRAPS, U, 0, "u", 0 }, { "runsv", WRAPS, U, 0, "", 0 },
	{ "pexec", WRAPS, U, 0, "", 0 }, { "logsave", WRAPS, U, 1, "", 0 }, { "tini", WRAPS, U, 0, "", 0 }, { "ld.so", WRAPS, U, 0, "", 0 }, { "ld-linux-x86-64.so.2", WRAPS, U, 0, "", 0 }, { "ld-linux.so.2", WRAPS, U, 0, "", 0 }, { "dumb-init", WRAPS, U, 0, "", 0 }, { "caffeinate", WRAPS, U, 0, "", 0 },
	{ "script", 0, W, 0, "c", 0 }, { "su", DATA, N, 0, "csgGw", 0 }, { "runuser", WRAPS, U, 0, "ucsgGw", 0 },
	/* shells */
	{ "sh", SHELL, R, 0, "oO", BAWN_LANG_BASH }, { "bash", SHELL, R, 0, "oO", BAWN_LANG_BASH }, { "dash", SHELL, R, 0, "o", BAWN_LANG_BASH },
	{ "zsh", SHELL, R, 0, "o", BAWN_LANG_BASH }, { "ksh", SHELL, R, 0, "o", BAWN_LANG_BASH }, { "ash", SHELL, R, 0, "o", BAWN_LANG_BASH },
	{ "mksh", SHELL, R, 0, "o", BAWN_LANG_BASH }, { "rbash", SHELL, R, 0, "o", BAWN_LANG_BASH }, { "fish", SHELL, R, 0, "", BAWN_LANG_BASH },
	{ "csh", SHELL, R, 0, "", BAWN_LANG_BASH }, { "tcsh", SHELL, R, 0, "", BAWN_LANG_BASH }, { "yash", SHELL, R, 0, "", BAWN_LANG_BASH }, { "rc", SHELL, R, 0, "", BAWN_LANG_BASH },
	{ "elvish", SHELL, R, 0, "", BAWN_LANG_BASH }, { "sash", SHELL, R, 0, "", BAWN_LANG_BASH }, { "posh", SHELL, R, 0, "", BAWN_LANG_BASH }, { "lksh", SHELL, R, 0, "", BAWN_LANG_BASH },
	{ "nu", SHELL, R, 0, "", BAWN_LANG_BASH }, { "xonsh", SHELL, R, 0, "", BAWN_LANG_BASH }, { "bash5", SHELL, R, 0, "", BAWN_LANG_BASH },
	{ "source", SHELL, R, 0, "", BAWN_LANG_BASH }, { ".", SHELL, R, 0, "", BAWN_LANG_BASH },
	/* languages with a grammar */
	{ "python", SCRIPT, R, 0, "WXm", BAWN_LANG_PYTHON }, { "python2", SCRIPT, R, 0, "WXm", BAWN_LANG_PYTHON }, { "python3", SCRIPT, R, 0, "WXm", BAWN_LANG_PYTHON },
	{ "pypy", SCRIPT, R, 0, "m", BAWN_LANG_PYTHON }, { "pypy3", SCRIPT, R, 0, "m", BAWN_LANG_PYTHON }, { "ipython", SCRIPT, R, 0, "", BAWN_LANG_PYTHON },
	{ "ipython3", SCRIPT, R, 0, "", BAWN_LANG_PYTHON }, { "node", SCRIPT, R, 0, "r", BAWN_LANG_JAVASCRIPT }, { "nodejs", SCRIPT, R, 0, "r", BAWN_LANG_JAVASCRIPT },
	{ "deno", SCRIPT, R, 0, "", BAWN_LANG_JAVASCRIPT }, { "bun", SCRIPT, R, 0, "", BAWN_LANG_JAVASCRIPT },
	/* languages without */
	{ "perl", FOREIGN, R, 0, "", 0 }, { "raku", FOREIGN, R, 0, "", 0 }, { "ruby", FOREIGN, R, 0, "", 0 }, { "jruby", FOREIGN, R, 0, "", 0 }, { "irb", FOREIGN, R, 0, "", 0 },
	{ "php", FOREIGN, R, 0, "", 0 }, { "lua", FOREIGN, R, 0, "", 0 }, { "luajit", FOREIGN, R, 0, "", 0 }, { "texlua", FOREIGN, R, 0, "", 0 }, { "luatex", FOREIGN, R, 0, "", 0 },
	{ "awk", FOREIGN | FIRST, R, 0, "Fvf", 0 }, { "gawk", FOREIGN | FIRST, R, 0, "Fvf", 0 }, { "mawk", FOREIGN | FIRST, R, 0, "Fvf", 0 }, { "nawk", FOREIGN | FIRST, R, 0, "Fvf", 0 },
	{ "tclsh", FOREIGN, R, 0, "", 0 }, { "wish", FOREIGN, R, 0, "", 0 }, { "expect", FOREIGN, R, 0, "", 0 }, { "osascript", FOREIGN, R, 0, "l", 0 }, { "powershell", FOREIGN, R, 0, "", 0 },
	{ "pwsh", FOREIGN, R, 0, "", 0 }, { "java", FOREIGN, R, 0, "", 0 }, { "jshell", FOREIGN, R, 0, "", 0 }, { "jrunscript", FOREIGN, R, 0, "", 0 }, { "jjs", FOREIGN, R, 0, "", 0 },
	{ "groovy", FOREIGN, R, 0, "", 0 }, { "scala", FOREIGN, R, 0, "", 0 }, { "kotlin", FOREIGN, R, 0, "", 0 }, { "clojure", FOREIGN, R, 0, "", 0 }, { "go", FOREIGN, R, 0, "o", 0 },
	{ "rustc", FOREIGN, R, 0, "o", 0 }, { "gcc", FOREIGN, R, 0, "o", 0 }, { "cc", FOREIGN, R, 0, "o", 0 }, { "clang", FOREIGN, R, 0, "o", 0 }, { "g++", FOREIGN, R, 0, "o", 0 },
	{ "c++", FOREIGN, R, 0, "o", 0 }, { "tcc", FOREIGN, R, 0, "o", 0 }, { "javac", FOREIGN, R, 0, "d", 0 }, { "crystal", FOREIGN, R, 0, "", 0 }, { "nim", FOREIGN, R, 0, "", 0 },
	{ "julia", FOREIGN, R, 0, "", 0 }, { "R", FOREIGN, R, 0, "", 0 }, { "Rscript", FOREIGN, R, 0, "", 0 }, { "octave", FOREIGN, R, 0, "", 0 }, { "ghc", FOREIGN, R, 0, "", 0 },
	{ "ghci", FOREIGN, R, 0, "", 0 }, { "runghc", FOREIGN, R, 0, "", 0 }, { "guile", FOREIGN, R, 0, "", 0 }, { "racket", FOREIGN, R, 0, "", 0 }, { "sbcl", FOREIGN, R, 0, "", 0 },
	{ "clisp", FOREIGN, R, 0, "", 0 }, { "elixir", FOREIGN, R, 0, "", 0 }, { "erl", FOREIGN, R, 0, "", 0 }, { "swift", FOREIGN, R, 0, "", 0 }, { "dart", FOREIGN, R, 0, "", 0 },
	{ "gnuplot", FOREIGN, R, 0, "", 0 }, { "slsh", FOREIGN, R, 0, "", 0 }, { "gimp", FOREIGN, R, 0, "", 0 }, { "emacs", FOREIGN, R, 0, "", 0 }, { "tex", FOREIGN, R, 0, "", 0 },
	{ "latex", FOREIGN, R, 0, "", 0 }, { "pdflatex", FOREIGN, R, 0, "", 0 }, { "xelatex", FOREIGN, R, 0, "", 0 }, { "pdftex", FOREIGN, R, 0, "", 0 }, { "m4", FOREIGN, R, 0, "", 0 },
	{ "bpftrace", FOREIGN, R, 0, "", 0 }, { "ansible", FOREIGN, R, 0, "i", 0 }, { "puppet", FOREIGN, R, 0, "", 0 }, { "scapy", FOREIGN, R, 0, "", 0 }, { "dotnet", FOREIGN, R, 0, "", 0 },
	{ "make", EDITS, R, 0, "fCj", 0 },
	/* editors, pagers, clients */
	{ "vi", EDITS, R, 0, "", 0 }, { "vim", EDITS, R, 0, "", 0 }, { "nvim", EDITS, R, 0, "", 0 }, { "view", EDITS, R, 0, "", 0 }, { "rvim", EDITS, R, 0, "", 0 }, { "rview", EDITS, R, 0, "", 0 },
	{ "vimdiff", EDITS, R, 0, "", 0 }, { "ex", EDITS, R, 0, "", 0 }, { "ed", EDITS, R, 0, "p", 0 }, { "red", EDITS, R, 0, "p", 0 }, { "nano", EDITS, R, 0, "", 0 }, { "pico", EDITS, R, 0, "", 0 },
	{ "less", EDITS, R, 0, "", 0 }, { "more", EDITS, R, 0, "", 0 }, { "most", EDITS, R, 0, "", 0 }, { "man", EDITS, U, 0, "", 0 }, { "gdb", EDITS, R, 0, "", 0 }, { "lldb", EDITS, R, 0, "", 0 },
	{ "sqlite3", EDITS, R, 0, "", 0 }, { "mysql", EDITS | NET, U, 0, "hPD", 0 }, { "psql", EDITS | NET, U, 0, "hpUd", 0 }, { "mongo", EDITS | NET, U, 0, "", 0 }, { "redis-cli", EDITS | NET, U, 0, "hp", 0 },
	{ "ftp", EDITS | NET, U, 0, "", 0 }, { "sftp", EDITS | NET, U, 0, "Pb", 0 }, { "lftp", EDITS | NET, U, 0, "", 0 }, { "mail", EDITS | NET, U, 0, "sr", 0 }, { "mutt", EDITS | NET, U, 0, "s", 0 },
	{ "dc", EDITS, R, 0, "", 0 }, { "crash", EDITS, R, 0, "", 0 }, { "debugfs", EDITS, R, 0, "", 0 }, { "minicom", EDITS, R, 0, "", 0 }, { "telnet", EDITS | NET, U, 0, "", 0 },
	/* reading */
	{ "cat", DATA, R, 0, "", 0 }, { "head", DATA, R, 0, "nc", 0 }, { "tail", DATA, R, 0, "nc", 0 }, { "tac", DATA, R, 0, "", 0 }, { "nl", DATA, R, 0, "", 0 }, { "strings", DATA, R, 0, "n", 0 },
	{ "xxd", DATA, R, 0, "", 0 }, { "od", DATA, R, 0, "", 0 }, { "hexdump", DATA, R, 0, "", 0 }, { "hd", DATA, R, 0, "", 0 }, { "base64", DATA, R, 0, "w", 0 }, { "base32", DATA, R, 0, "", 0 },
	{ "sort", DATA, R, 0, "kto", 0 }, { "uniq", DATA, R, 0, "", 0 }, { "wc", DATA, R, 0, "", 0 }, { "diff", DATA, R, 0, "", 0 }, { "cmp", DATA, R, 0, "", 0 }, { "comm", DATA, R, 0, "", 0 },
	{ "cut", DATA, R, 0, "dfcb", 0 }, { "paste", DATA, R, 0, "d", 0 }, { "rev", DATA, R, 0, "", 0 }, { "fold", DATA, R, 0, "w", 0 }, { "column", DATA, R, 0, "ts", 0 }, { "join", DATA, R, 0, "", 0 },
	{ "grep", DATA | FIRST, R, 0, "ABCmef", 0 }, { "egrep", DATA | FIRST, R, 0, "ABCmef", 0 }, { "fgrep", DATA | FIRST, R, 0, "ABCmef", 0 }, { "rgrep", DATA | FIRST, R, 0, "ABCm", 0 },
	{ "zgrep", DATA | FIRST, R, 0, "", 0 }, { "rg", DATA | FIRST, R, 0, "", 0 }, { "ag", DATA | FIRST, R, 0, "", 0 }, { "sed", DATA | FIRST, R, 0, "ef", 0 }, { "zcat", DATA, R, 0, "", 0 },
	{ "tar", DATA, R, 0, "fCTX", 0 }, { "zip", DATA, R, 0, "P", 0 }, { "gzip", DATA, R, 0, "", 0 }, { "bzip2", DATA, R, 0, "", 0 }, { "xz", DATA, R, 0, "", 0 }, { "7z", DATA, R, 0, "", 0 },
	{ "cpio", DATA, R, 0, "", 0 }, { "split", DATA, R, 0, "bln", 0 }, { "md5sum", DATA, R, 0, "", 0 }, { "sha1sum", DATA, R, 0, "", 0 }, { "sha256sum", DATA, R, 0, "", 0 }, { "cksum", DATA, R, 0, "", 0 },
	{ "jq", DATA | FIRST, R, 0, "", 0 }, { "openssl", DATA, R, 0, "", 0 }, { "gpg", DATA, R, 0, "ro", 0 }, { "unshadow", DATA, R, 0, "", 0 }, { "john", DATA, R, 0, "", 0 }, { "pr", DATA, R, 0, "", 0 },
	{ "file", DATA, L, 0, "", 0 }, { "readlink", DATA, L, 0, "", 0 }, { "realpath", DATA, L, 0, "", 0 }, { "stat", DATA, L, 0, "cf", 0 }, { "ls", DATA, L, 0, "I", 0 }, { "dir", DATA, L, 0, "", 0 },
	{ "find", DATA, L, 0, "", 0 }, { "du", DATA, L, 0, "d", 0 }, { "df", DATA, L, 0, "", 0 }, { "utmpdump", DATA, R, 0, "", 0 }, { "tree", DATA, L, 0, "LI", 0 }, { "cd", DATA, N, 0, "", 0 }, { "pushd", DATA, N, 0, "", 0 },
	{ "test", DATA, N, 0, "", 0 }, { "[", DATA, N, 0, "", 0 }, { "which", DATA, N, 0, "", 0 }, { "type", DATA, N, 0, "", 0 }, { "echo", DATA, N, 0, "", 0 }, { "printf", DATA, N, 0, "", 0 },
	{ "basename", DATA, N, 0, "", 0 }, { "dirname", DATA, N, 0, "", 0 }, { "whereis", DATA, N, 0, "", 0 }, { "whatis", DATA, N, 0, "", 0 }, { "help", DATA, N, 0, "", 0 }, { "export", DATA, N, 0, "", 0 },
	{ "alias", DATA, N, 0, "", 0 }, { "set", DATA, N, 0, "", 0 }, { "git", 0, U, 0, "C", 0 }, { "logger", DATA, N, 0, "t", 0 }, { "ldd", DATA, U, 0, "", 0 }, { "pgrep", DATA, N, 0, "", 0 }, { "pkill", DATA, N, 0, "", 0 },
	{ "dpkg", DATA, N, 0, "", 0 }, { "rpm", DATA, N, 0, "", 0 }, { "chsh", DATA, N, 0, "s", 0 }, { "useradd", DATA, N, 0, "dsgGu", 0 }, { "usermod", DATA, N, 0, "dsgGu", 0 }, { "adduser", DATA, N, 0, "", 0 },
	{ "update-alternatives", DATA, U, 0, "", 0 }, { "true", DATA, N, 0, "", 0 }, { ":", DATA, N, 0, "", 0 }, { "false", DATA, N, 0, "", 0 }, { "ps", DATA, N, 0, "", 0 },
	/* writing */
	{ "cp", DATA | LAST, R, 0, "S", 0 }, { "install", DATA | LAST, R, 0, "mog", 0 }, { "ln", DATA | LAST, U, 0, "", 0 }, { "mv", DATA | LAST, D, 0, "", 0 }, { "rm", DATA, D, 0, "", 0 }, { "rmdir", DATA, D, 0, "", 0 },
	{ "unlink", DATA, D, 0, "", 0 }, { "shred", DATA, D, 0, "n", 0 }, { "srm", DATA, D, 0, "", 0 }, { "wipe", DATA, D, 0, "", 0 }, { "tee", DATA, W, 0, "", 0 }, { "touch", DATA, W, 0, "trd", 0 },
	{ "mkdir", DATA, W, 0, "m", 0 }, { "truncate", DATA, W, 0, "s", 0 }, { "fallocate", DATA, W, 0, "lo", 0 }, { "chmod", DATA | FIRST, M, 0, "", 0 }, { "chown", DATA | FIRST, M, 0, "", 0 },
	{ "chgrp", DATA | FIRST, M, 0, "", 0 }, { "chattr", DATA | FIRST, M, 0, "", 0 }, { "setfacl", DATA, M, 0, "mx", 0 }, { "setcap", DATA | FIRST, W, 0, "", 0 }, { "mkfifo", DATA, W, 0, "m", 0 },
	{ "mknod", DATA, W, 0, "m", 0 }, { "sponge", DATA, W, 0, "", 0 }, { "rename", DATA | FIRST, W, 0, "", 0 }, { "ditto", DATA | LAST, R, 0, "", 0 }, { "patch", DATA, W, 0, "pi", 0 }, { "rsync", DATA | NET, R, 0, "e", 0 },
	{ "scp", DATA | NET, R, 0, "iPoFJSl", 0 }, { "curl", DATA | NET, R, 0, "oHXAbcuxmTdFDeKwrCE", 0 }, { "wget", DATA | NET, R, 0, "OPoaiUtTQe", 0 },
	/* hosts */
	{ "ssh", NET, U, 0, "iloFpLRDJcmEIbBWwQ", 0 }, { "nc", NET, U, 0, "pswqXxiIOTVe", 0 }, { "ncat", NET, U, 0, "pswqi", 0 }, { "netcat", NET, U, 0, "pswqi", 0 }, { "socat", NET, U, 0, "", 0 }, { "aria2c", NET, U, 0, "od", 0 },
	{ "fetch", NET, U, 0, "o", 0 }, { "http", NET, U, 0, "o", 0 }, { "lynx", NET, U, 0, "", 0 }, { "dig", NET, U, 0, "", 0 }, { "nslookup", NET, U, 0, "", 0 }, { "host", NET, U, 0, "", 0 }, { "ping", NET, U, 0, "cp", 0 },
	{ "ssh-copy-id", NET | DATA, N, 0, "ip", 0 }, { "ssh-add", DATA, N, 0, "", 0 }, { "ssh-keygen", DATA, N, 0, "fNCtb", 0 },
};
NAMES(commands, command);

/* Options whose value is a file (R, W), a command line (RUN), a program in another language (CODE), or
 * nothing to us although it looks like a path (SKIP). */
enum { RUN = BAWN_ACCESS_COUNT, CODE, SKIP };
static const struct option { const char *command, *name; uint8_t what; } option[] = {
	{ "curl", "-o", W }, { "curl", "--output", W }, { "curl", "-T", R }, { "curl", "--upload-file", R }, { "curl", "-d", R }, { "curl", "--data", R }, { "curl", "--data-binary", R }, { "curl", "--data-raw", SKIP },
	{ "curl", "--data-urlencode", R }, { "curl", "-F", R }, { "curl", "--form", R }, { "curl", "--json", R }, { "curl", "-b", SKIP }, { "curl", "-c", SKIP }, { "curl", "--cert", SKIP }, { "curl", "--key", SKIP },
	{ "curl", "--cacert", SKIP }, { "curl", "--netrc-file", SKIP }, { "curl", "-H", SKIP }, { "curl", "-A", SKIP }, { "curl", "-K", R }, { "curl", "--unix-socket", R },
	{ "wget", "-O", W }, { "wget", "--output-document", W }, { "wget", "-P", W }, { "wget", "--post-file", R }, { "wget", "--body-file", R }, { "wget", "-o", W }, { "wget", "-i", R }, { "wget", "--input-file", R },
	{ "wget", "--use-askpass", RUN }, { "aria2c", "-d", W }, { "gcc", "-o", W }, { "cc", "-o", W }, { "clang", "-o", W }, { "go", "-o", W }, { "tar", "-C", W }, { "tar", "--directory", W }, { "tar", "-f", R }, { "sort", "-o", W },
	{ "unzip", "-d", W }, { "openssl", "-in", R }, { "openssl", "-out", W }, { "cp", "-t", W }, { "mv", "-t", W }, { "install", "-t", W }, { "grep", "-f", R },
	{ "tar", "--to-command", RUN }, { "tar", "--use-compress-program", RUN }, { "tar", "-I", RUN }, { "tar", "--rsh-command", RUN }, { "tar", "--info-script", RUN }, { "tar", "-F", RUN },
	{ "rsync", "-e", RUN }, { "scp", "-S", RUN }, { "sftp", "-S", RUN }, { "ssh", "-i", SKIP }, { "scp", "-i", SKIP }, { "sftp", "-i", SKIP }, { "ssh", "-F", SKIP }, { "scp", "-F", SKIP }, { "ssh-copy-id", "-i", SKIP },
	{ "ssh-keygen", "-f", SKIP }, { "kubectl", "--kubeconfig", SKIP }, { "helm", "--kubeconfig", SKIP }, { "rsync", "--password-file", SKIP }, { "gpg", "--homedir", SKIP }, { "gpg", "--keyring", SKIP },
	{ "man", "-P", RUN }, { "man", "-H", RUN }, { "zip", "-TT", RUN }, { "tcpdump", "-z", RUN }, { "script", "-c", RUN }, { "su", "-c", RUN }, { "sg", "-c", RUN }, { "runuser", "-c", RUN }, { "flock", "-c", RUN },
	{ "env", "-S", RUN }, { "xterm", "-e", RUN }, { "uxterm", "-e", RUN }, { "rxvt", "-e", RUN }, { "urxvt", "-e", RUN }, { "konsole", "-e", RUN }, { "gnome-terminal", "-e", RUN }, { "xfce4-terminal", "-e", RUN }, { "aterm", "-e", RUN },
	{ "ncat", "-e", RUN }, { "ncat", "-c", RUN }, { "nc", "-e", RUN }, { "netcat", "-e", RUN }, { "nc", "-c", RUN }, { "dhclient", "-sf", RUN }, { "ansible", "-a", RUN }, { "check_by_ssh", "-C", RUN }, { "make", "-E", RUN }, { "capsh", "-c", RUN },
	{ "start-stop-daemon", "-x", RUN }, { "start-stop-daemon", "-a", RUN }, { "unzip", "-TT", RUN }, { "perf", "-e", SKIP }, { "tmux", "-c", SKIP }, { "nmap", "--script", SKIP }, { "gdb", "-ex", CODE }, { "crontab", "-l", SKIP },
};
NAMES(options, option);

static const struct command *find(const char *name)
{
	size_t i = name != NULL ? bawn_names_find(&commands, name, strlen(name)) : BAWN_LEN(command);
	return i < BAWN_LEN(command) ? &command[i] : NULL;
}

static bool is_a(const char *name, unsigned kind)
{
	const struct command *c = find(name);
	return c != NULL && (c->kind & kind) != 0;
}

bool bawn_sh_is_shell(const char *name) { return name != NULL && is_a(name, SHELL) && strcmp(name, ".") != 0 && strcmp(name, "source") != 0; }

/* ---- names ---- */

/* Programs that carry a version in their name. */
static bool versioned(const char *base)
{
	static const char *const name[] = { "python", "pypy", "lua", "php", "ruby", "perl", "node", "gcc", "clang", "tclsh", "ncat", "nc.", "bash", "guile" };
	for (size_t i = 0; i < BAWN_LEN(name); i++)
		if (strncmp(base, name[i], strlen(name[i])) == 0)
			return true;
	return false;
}

const char *bawn_sh_name(struct engine *e, const struct value *v)
{
	if (!bawn_value_is_text(v) || v->text.n == 0 || v->text.n > 400)
		return NULL;
	char *name = bawn_arena_text(bawn_sh_arena(e), v->text);
	if (name == NULL || bawn_span_is(v->text, "{}"))
		return NULL;
	const char *slash = strrchr(name, '/');
	char *base = slash != NULL && slash[1] != '\0' ? name + (slash + 1 - name) : name;
	if (base[0] == '!' && base[1] != '\0')
		base++;
	if (!versioned(base))
		return base;
	if (strncmp(base, "nc.", 3) == 0) {
		base[2] = '\0';
		return base;
	}
	size_t n = strcspn(base, ".-");
	bool number = base[n] != '\0' && base[n + 1] >= '0' && base[n + 1] <= '9';
	if (number)
		base[n] = '\0';
	n = strlen(base);
	while (n > 1 && base[n - 1] >= '0' && base[n - 1] <= '9' && strncmp(base, "py", 2) != 0)
		base[--n] = '\0';
	return base;
}

/* ---- wrappers ---- */

static bool takes_value(const struct command *c, struct bawn_span option_)
{
	return option_.n == 2 && option_.p[0] == '-' && c->valued != NULL && strchr(c->valued, option_.p[1]) != NULL && option_.p[1] != '\0';
}

static uint32_t after_word(struct value *const *word, uint32_t n, const char *text)
{
	for (uint32_t i = 1; i + 1 < n; i++)
		if (bawn_sh_is(word[i], text))
			return i + 1;
	return 0;
}

/* Does an option of docker run take the next word? */
static bool container_option_valued(struct bawn_span w)
{
	static const char *const alone[] = { "--rm", "--privileged", "--interactive", "--tty", "--detach", "--init", "--read-only", "--no-healthcheck" };
	if (w.n == 2)
		return strchr("veuwplamh", w.p[1]) != NULL;
	for (size_t i = 0; i < BAWN_LEN(alone); i++)
		if (bawn_span_is(w, alone[i]))
			return false;
	return w.p[1] == '-' && memchr(w.p, '=', w.n) == NULL;
}

/* find -exec, kubectl exec -- , docker run image, ip netns exec ns. */
static uint32_t inner_of(const char *name, struct value *const *word, uint32_t n)
{
	static const char *const exec[] = { "-exec", "-execdir", "-ok", "-okdir" };
	if (strcmp(name, "find") == 0) {
		for (size_t k = 0; k < BAWN_LEN(exec); k++)
			if (after_word(word, n, exec[k]) > 0)
				return after_word(word, n, exec[k]);
		return 0;
	}
	if (strcmp(name, "ip") == 0 || strcmp(name, "kubectl") == 0 || strcmp(name, "oc") == 0) {
		uint32_t at = after_word(word, n, "exec");
		uint32_t dashes = after_word(word, n, "--");
		return dashes > 0 ? dashes : at > 0 && at + 1 < n && strcmp(name, "ip") == 0 ? at + 1 : 0;
	}
	static const char *const runtime[] = { "docker", "podman", "nerdctl", "ctr", "crictl" };
	for (size_t k = 0; k < BAWN_LEN(runtime); k++) {
		if (strcmp(name, runtime[k]) != 0)
			continue;
		uint32_t at = after_word(word, n, "run") > 0 ? after_word(word, n, "run") : after_word(word, n, "exec");
		while (at > 0 && at < n && bawn_sh_option(word[at]))
			at += container_option_valued(word[at]->text) ? 2 : 1;
		return at > 0 && at + 1 < n ? at + 1 : 0;
	}
	return 0;
}

/* env X=1 command, sudo X=1 command */
static bool is_setting_taker(const char *name) { return strcmp(name, "env") == 0 || strcmp(name, "sudo") == 0 || strcmp(name, "doas") == 0; }

/* Where the wrapped command starts, or 0. */
static uint32_t unwrap(const char *name, struct value *const *word, uint32_t n)
{
	const struct command *c = find(name);
	if (c == NULL || (c->kind & WRAPS) == 0)
		return inner_of(name, word, n);
	uint32_t i = 1, skip = c->skip;
	while (i < n) {
		const struct value *v = word[i];
		if (bawn_sh_option(v))
			i += takes_value(c, v->text) ? 2u : 1u;
		else if (bawn_value_is_text(v) && v->text.n > 0 && v->text.p[0] != '/' && memchr(v->text.p, '=', v->text.n) != NULL && is_setting_taker(name))
			i++;
		else if (bawn_sh_is(v, "{") || (skip > 0 && skip--))
			i++;
		else
			return i;
	}
	return 0;
}

uint32_t bawn_sh_unwrap(struct engine *e, struct value *const *word, uint32_t n)
{
	uint32_t at = 0;
	for (unsigned k = 0; k < 6 && at < n; k++) {
		const char *name = bawn_sh_name(e, word[at]);
		uint32_t inner = name != NULL ? unwrap(name, word + at, n - at) : 0;
		if (inner == 0 || strcmp(name, "find") == 0 || strcmp(name, "xargs") == 0 || strcmp(name, "parallel") == 0)
			break;  /* what these read is not the input of what they run */
		at += inner;
	}
	return at;
}

/* ---- files ---- */

struct bawn_span bawn_sh_path(const struct shell *s, struct bawn_span t)
{
	if (s == NULL || s->cwd == NULL || t.n == 0 || strchr("/~$-{", t.p[0]) != NULL || t.n > 512)
		return t;
	size_t n = strlen(s->cwd);
	char *p = bawn_arena_get(bawn_sh_arena(s->e), n + t.n + 2);
	if (p == NULL)
		return t;
	memcpy(p, s->cwd, n);
	p[n] = '/';
	memcpy(p + n + 1, t.p, t.n);
	return (struct bawn_span){ p, n + 1 + t.n };
}

static uint64_t path_word(const struct shell *s, struct engine *e, struct bawn_span t, enum bawn_access access, uint32_t node)
{
	const char *at = t.n > 0 ? memchr(t.p, '@', t.n) : NULL;
	if (at != NULL && (at == t.p || at[-1] == '=') && at + 1 < t.p + t.n) {  /* curl's @file and name=@file */
		t.n -= (size_t)(at + 1 - t.p);
		t.p = at + 1;
		size_t semi = 0;
		while (semi < t.n && t.p[semi] != ';')
			semi++;
		t.n = semi;
	}
	if (t.n == 0 || memmem(t.p, t.n, "://", 3) != NULL)
		return 0;
	return bawn_engine_path(e, bawn_sh_path(s, t), access, true, node);
}

static void run_text(struct engine *e, struct bawn_span t, uint32_t node)
{
	if (t.n > 0)
		bawn_engine_text(e, BAWN_LANG_BASH, t, node);
}

/* Options of any program whose name says that their value is a command line. */
static bool names_command(struct bawn_span name)
{
	static const char *const part[] = { "command", "exec", "rsh", "shell", "-program", "pager", "editor", "hook", "askpass", "-cmd" };
	if (name.n < 4 || name.p[0] != '-' || name.p[1] != '-')
		return false;
	for (size_t i = 0; i < BAWN_LEN(part); i++)
		if (memmem(name.p, name.n, part[i], strlen(part[i])) != NULL)
			return true;
	return false;
}

/* Settings handed over as name=value: ssh -o ProxyCommand=x, git -c core.pager=x, tar exec=x. */
static void setting(struct engine *e, struct bawn_span w, uint32_t node)
{
	static const char *const name[] = { "ProxyCommand", "LocalCommand", "KnownHostsCommand", "core.pager", "core.editor", "core.sshCommand", "core.fsmonitor", "sequence.editor",
	                                    "exec", "diff.external", "Pre-Invoke::", "Post-Invoke::", "pager", "editor" };
	for (size_t i = 0; i < BAWN_LEN(name); i++) {
		const char *at = memmem(w.p, w.n, name[i], strlen(name[i]));
		size_t end = at != NULL ? (size_t)(at - w.p) + strlen(name[i]) : 0;
		if (at == NULL || end >= w.n || (w.p[end] != '=' && w.p[end] != ' ' && name[i][0] != 'P') || (at > w.p && (at[-1] | 0x20) >= 'a' && (at[-1] | 0x20) <= 'z'))
			continue;
		if (w.p[end] == ' ' && name[i][0] >= 'a')
			continue;
		while (end < w.n && (w.p[end] == '=' || w.p[end] == ' ' || w.p[end] == ':'))
			end++;
		run_text(e, (struct bawn_span){ w.p + end, w.n - end }, node);
		return;
	}
}

static uint64_t option_value(const struct shell *s, struct engine *e, uint8_t what, struct bawn_span v, uint32_t node)
{
	if (what == RUN)
		run_text(e, v, node);
	else if (what == CODE)
		bawn_foreign_program(e, v, true, node);
	else if (what != SKIP)
		return path_word(s, e, v, (enum bawn_access)what, node);
	return 0;
}

/* Looks at word i as an option; how many words it took, and what it gave. */
static uint32_t one_option(const struct shell *s, struct engine *e, const char *name, struct value *const *word, uint32_t n, uint32_t i, uint32_t node, uint64_t *tags)
{
	struct bawn_span w = word[i]->text, next = i + 1 < n && bawn_value_is_text(word[i + 1]) ? word[i + 1]->text : (struct bawn_span){ NULL, 0 };
	for (size_t k = bawn_names_find(&options, name, strlen(name)); k < BAWN_LEN(option); k = bawn_names_next(&options, k)) {
		size_t m = strlen(option[k].name);
		if (!bawn_span_starts(w, option[k].name))
			continue;
		bool shorter = m == 2 && option[k].name[1] != '-';
		if (w.n == m && next.p != NULL)
			return *tags |= option_value(s, e, option[k].what, next, node), 2;
		if (w.n > m + 1 && w.p[m] == '=')
			return *tags |= option_value(s, e, option[k].what, (struct bawn_span){ w.p + m + 1, w.n - m - 1 }, node), 1;
		if (shorter && w.n > m && option[k].what != RUN)
			return *tags |= option_value(s, e, option[k].what, (struct bawn_span){ w.p + m, w.n - m }, node), 1;
	}
	const char *equals = memchr(w.p, '=', w.n);
	struct bawn_span own = { w.p, equals != NULL ? (size_t)(equals - w.p) : w.n };
	if (names_command(own) && memmem(own.p, own.n, "eval", 4) != NULL)
		bawn_foreign_program(e, equals != NULL ? (struct bawn_span){ equals + 1, w.n - own.n - 1 } : next, true, node);
	else if (names_command(own))
		run_text(e, equals != NULL ? (struct bawn_span){ equals + 1, w.n - own.n - 1 } : next, node);
	else if (equals != NULL && w.n > own.n + 2 && (equals[1] == '/' || equals[1] == '~'))
		*tags |= path_word(s, e, (struct bawn_span){ equals + 1, w.n - own.n - 1 }, BAWN_ACCESS_USE, node);
	return 1;
}

static bool any_is(struct value *const *word, uint32_t n, const char *text)
{
	for (uint32_t i = 1; i < n; i++)
		if (bawn_sh_is(word[i], text))
			return true;
	return false;
}

/* How this command line uses its operands: options can turn reading into writing. */
static enum bawn_access access_of(const char *name, const struct command *c, struct value *const *word, uint32_t n)
{
	if (strcmp(name, "sed") == 0)
		for (uint32_t i = 1; i < n; i++)
			if (bawn_value_is_text(word[i]) && (bawn_span_starts(word[i]->text, "-i") || bawn_span_starts(word[i]->text, "--in-place")))
				return BAWN_ACCESS_WRITE;
	if (strcmp(name, "find") == 0 && (any_is(word, n, "-delete") || any_is(word, n, "rm") || any_is(word, n, "shred") || any_is(word, n, "/bin/rm")))
		return BAWN_ACCESS_DELETE;
	return (enum bawn_access)c->access;
}

/* find with a test deletes some files below a directory, not the directory. */
static uint64_t found_path(const struct shell *s, struct engine *e, struct bawn_span t, struct value *const *word, uint32_t n, enum bawn_access access, uint32_t node)
{
	static const char *const vital[] = { "/etc", "/usr/lib", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/bin", "/sbin", "/lib", "/lib64", "/boot", "/var/lib", "/var/log", "/root" };
	bool some = false, needed = false;
	for (uint32_t i = 1; i < n && access == BAWN_ACCESS_DELETE && !some; i++) {
		if (bawn_sh_in(word[i], "-exec -execdir -ok -okdir"))
			break;
		some = bawn_sh_option(word[i]) && !bawn_sh_in(word[i], "-delete -print -print0 -depth -xdev -mount -L -H -P -follow");
	}
	if (!some)
		return path_word(s, e, t, access, node);
	const char *normal = bawn_path_normal(bawn_sh_arena(e), t);
	for (size_t k = 0; normal != NULL && k < BAWN_LEN(vital); k++)
		needed = needed || bawn_path_under(vital[k], normal, true);
	if (!needed)
		return path_word(s, e, t, BAWN_ACCESS_LIST, node);
	char *below = bawn_arena_get(bawn_sh_arena(e), t.n + 8);
	if (below == NULL)
		return 0;
	memcpy(below, t.p, t.n);
	memcpy(below + t.n, "/found", 7);
	(void)path_word(s, e, t, BAWN_ACCESS_LIST, node);
	return path_word(s, e, (struct bawn_span){ below, t.n + 6 }, access, node);
}

static uint64_t operands(const struct shell *s, struct engine *e, const char *name, struct value *const *word, uint32_t n, uint32_t node)
{
	const struct command *c = find(name);
	static const struct command unknown = { .access = BAWN_ACCESS_USE, .valued = "" };
	uint64_t tags = 0;
	uint32_t last = 0, seen = 0;
	bool echo = c != NULL && c->access == N, finds = strcmp(name, "find") == 0;
	c = c != NULL ? c : &unknown;
	enum bawn_access access = access_of(name, c, word, n);
	for (uint32_t i = 1; i < n; i++)
		if (!bawn_sh_option(word[i]))
			last = i;
	for (uint32_t i = 1; i < n; i++) {
		if (!bawn_value_is_text(word[i]))
			continue;
		struct bawn_span w = word[i]->text;
		if (w.n > 2 && w.p[0] != '-' && memchr(w.p, '=', w.n) != NULL && !echo)
			setting(e, w, node);
		if (strcmp(name, "dd") == 0 && w.n > 3 && (bawn_span_starts(w, "if=") || bawn_span_starts(w, "of="))) {
			tags |= path_word(s, e, (struct bawn_span){ w.p + 3, w.n - 3 }, w.p[0] == 'i' ? BAWN_ACCESS_READ : BAWN_ACCESS_WRITE, node);
			continue;
		}
		if (bawn_sh_option(word[i])) {
			uint32_t took = one_option(s, e, name, word, n, i, node, &tags);
			if (finds && seen > 0)
				break;
			bool value = took == 1 && takes_value(c, w) && (c->kind & WRAPS) == 0;
			if (value && i + 1 < n && bawn_value_is_text(word[i + 1]))
				setting(e, word[i + 1]->text, node);
			i += took > 1 || value ? 1 : 0;
			seen += (c->kind & FIRST) != 0 && (bawn_span_is(w, "-e") || bawn_span_is(w, "-f") || bawn_span_starts(w, "--regexp") || bawn_span_starts(w, "--reference"));
			continue;
		}
		seen++;
		if (echo || ((c->kind & FIRST) != 0 && seen == 1))
			continue;
		bool written = (c->kind & LAST) != 0 && i == last && seen > 1;
		if (access == BAWN_ACCESS_USE && !written && (w.n < 2 || (w.p[0] != '/' && w.p[0] != '~' && w.p[0] != '$')))
			continue;
		if ((c->kind & WRAPS) != 0)
			break;
		tags |= finds ? found_path(s, e, w, word, n, access, node) : path_word(s, e, w, written ? BAWN_ACCESS_WRITE : access, node);
	}
	return tags;
}

/* ---- programs ---- */

static const char *file_key(struct engine *e, const struct value *v)
{
	return bawn_value_is_text(v) && !v->partial ? bawn_path_normal(bawn_sh_arena(e), v->text) : NULL;
}

static int language_of(struct bawn_span text, int otherwise)
{
	int guessed = bawn_span_starts(text, "#!") ? bawn_language_guess(NULL, text) : -1;
	return guessed >= 0 ? guessed : otherwise;
}

/* A file is run: what the program put into it, or something nobody knows. */
static void run_file(struct shell *s, struct engine *e, const struct value *v, int language, bool foreign, uint32_t node)
{
	static const char *const own_place[] = { "/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/opt/homebrew/bin" };
	const char *key = file_key(e, v);
	struct value *text = s != NULL && key != NULL ? bawn_sh_get(s, "file ", bawn_span(key)) : NULL;
	for (size_t i = 0; text == NULL && key != NULL && i < BAWN_LEN(own_place); i++)
		if (bawn_path_under(own_place[i], key, false))
			return;
	if (text != NULL && (text->taint & BAWN_TAG(NET_RECV)) != 0)
		(void)bawn_engine_event(e, "runs-download", node, key);
	else if (text != NULL && (text->taint & BAWN_TAG(DECODE)) != 0)
		(void)bawn_engine_event(e, "decoded-exec", node, key);
	else if (text != NULL)
		(void)bawn_engine_event(e, "runs-written", node, key);
	else
		(void)bawn_engine_event(e, "runs-file", node, key);
	if (!bawn_value_is_text(text) || !bawn_text_printable(text->text))
		return;
	if (foreign)
		bawn_foreign_program(e, text->text, false, node);
	else
		bawn_engine_text(e, language_of(text->text, language), text->text, node);
}

static void run_code(struct engine *e, const struct value *v, int language, uint32_t node)
{
	if (bawn_value_is_text(v))
		bawn_engine_text(e, language, v->text, node);
	if (!bawn_value_is_text(v) || v->partial)
		(void)bawn_engine_event(e, "unknown-program", node, NULL);
}

/* Does the option carry a program as the next word?  Short ones may be bundled: bash -lc. */
static bool gives_program(const struct command *c, struct bawn_span w)
{
	bool javascript = c->language == BAWN_LANG_JAVASCRIPT;
	if (javascript && (bawn_span_is(w, "--eval") || bawn_span_is(w, "-p") || bawn_span_is(w, "--print") || bawn_span_is(w, "-pe") || bawn_span_is(w, "eval")))
		return true;
	char letter = javascript ? 'e' : 'c';
	return w.n >= 2 && w.n <= 8 && w.p[0] == '-' && w.p[1] != '-' && memchr(w.p + 1, letter, w.n - 1) != NULL;
}

/* What another command printed is run. */
static void run_output(struct engine *e, const struct value *v, int language, uint32_t node)
{
	if ((v->taint & BAWN_TAG(DECODE)) != 0)
		(void)bawn_engine_event(e, "decoded-exec", node, NULL);
	if ((v->taint & BAWN_TAG(NET_RECV)) != 0)
		(void)bawn_engine_event(e, "runs-download", node, NULL);
	if (bawn_value_is_text(v) && bawn_text_printable(v->text))
		bawn_engine_text(e, language, v->text, node);
}

/* A shell, or an interpreter with a grammar. */
static void interpreter(struct shell *s, struct engine *e, const char *name, const struct command *c, struct value *const *word, uint32_t n, uint32_t node)
{
	for (uint32_t i = 1; i < n; i++) {
		const struct value *v = word[i];
		if (bawn_value_is_text(v) && gives_program(c, v->text)) {
			uint32_t at = i + 1;
			while (at + 1 < n && bawn_sh_option(word[at]))  /* bash -c -i 'x' */
				at++;
			if (at < n)
				run_code(e, word[at], c->language, node);
			return;
		}
		if (bawn_sh_is(v, "-m"))
			return;
		if (bawn_sh_option(v)) {
			if (bawn_sh_in(v, "-s --init-file --rcfile"))
				break;
			i += takes_value(c, v->text);
			continue;
		}
		if (bawn_sh_in(v, "- /dev/stdin /dev/fd/0 /proc/self/fd/0"))
			return;
		if (v != NULL && v->self != NULL)  /* <(command) */
			run_output(e, v->self, c->language, node);
		else if (v != NULL && (v->taint & BAWN_TAG(NET_RECV)) == 0)
			run_file(s, e, v, c->language, false, node);
		return;
	}
	if (bawn_sh_is_shell(name) && (s == NULL || !s->fed))
		(void)bawn_engine_event(e, "bare-shell", node, NULL);
}

/* -EncodedCommand: base64 of UTF-16. */
static void encoded_command(struct engine *e, struct bawn_span t, uint32_t node)
{
	size_t n = 0, m = 0;
	char *p = bawn_decode_base64(bawn_sh_arena(e), t, &n);
	for (size_t i = 0; p != NULL && i + 1 < n; i += 2)
		if (p[i + 1] == '\0')
			p[m++] = p[i];
	if (m > 2) {
		(void)bawn_engine_event(e, "decoded-exec", node, NULL);
		bawn_foreign_program(e, (struct bawn_span){ p, m }, false, node);
	}
}

/* Is the word code rather than the name of something? */
static bool is_code(struct bawn_span w)
{
	return w.n >= 200 || memchr(w.p, ' ', w.n) != NULL || memchr(w.p, '(', w.n) != NULL || memchr(w.p, '\'', w.n) != NULL || memchr(w.p, '"', w.n) != NULL ||
	       memchr(w.p, ';', w.n) != NULL || memchr(w.p, '`', w.n) != NULL;
}

/* The programs among the words of an interpreter, with the modules that it is told to load. */
static void foreign(struct shell *s, struct engine *e, const char *name, struct value *const *word, uint32_t n, uint32_t node)
{
	bool powershell = strcmp(name, "pwsh") == 0 || strcmp(name, "powershell") == 0, php = strcmp(name, "php") == 0;
	struct value *program = NULL;
	for (uint32_t i = 1; i < n; i++) {
		if (!bawn_value_is_text(word[i]))
			continue;
		struct bawn_span w = word[i]->text;
		bool module = w.n > 3 && w.p[0] == '-' && (w.p[1] == 'M' || w.p[1] == 'm' || w.p[1] == 'r' || w.p[1] == 'l') && !php;
		struct value part = { .text = module ? (struct bawn_span){ w.p + 2, w.n - 2 } : w };
		const char *key = file_key(e, word[i]);
		if (powershell && i + 1 < n && w.n >= 2 && w.p[0] == '-' && (w.p[1] | 0x20) == 'e' && bawn_value_is_text(word[i + 1]))
			encoded_command(e, word[i + 1]->text, node);
		if (module || is_code(w))
			program = program == NULL ? bawn_sh_text(e, part.text, 0) : bawn_sh_concat(e, program, &part, "\n");
		else if (s != NULL && key != NULL && bawn_sh_get(s, "file ", bawn_span(key)) != NULL)
			run_file(s, e, word[i], -1, true, node);
	}
	if (program != NULL)
		bawn_foreign_program(e, program->text, false, node);
	const struct command *c = find(name);
	for (uint32_t i = 1; program == NULL && (c->kind & FIRST) == 0 && c->valued[0] != 'o' && i < n; i++)
		if (!bawn_sh_option(word[i])) {  /* a script, or a class */
			run_file(s, e, word[i], -1, true, node);
			break;
		}
}

/* What an editor or a client is told to do. */
static void edits(struct engine *e, struct value *const *word, uint32_t n, uint32_t node)
{
	for (uint32_t i = 1; i < n; i++)
		if (bawn_value_is_text(word[i]) && word[i]->text.n > 1 && word[i]->text.p[0] != '-')
			bawn_foreign_program(e, word[i]->text, true, node);
}

/* The path of a shell among the words of a program that is not known to only look at it. */
static bool hands_shell(struct value *const *word, uint32_t n)
{
	static const char *const path[] = { "/bin/sh", "/bin/bash", "/bin/dash", "/bin/zsh", "/bin/ksh", "/bin/ash", "/bin/csh" };
	for (uint32_t i = 1; i < n; i++)
		for (size_t k = 0; bawn_value_is_text(word[i]) && k < BAWN_LEN(path); k++) {
			const char *at = memmem(word[i]->text.p, word[i]->text.n, path[k], strlen(path[k]));
			size_t end = at != NULL ? (size_t)(at - word[i]->text.p) + strlen(path[k]) : 0;
			if (at != NULL && (end == word[i]->text.n || strchr(" '\")};,|&<>\n\t", word[i]->text.p[end]) != NULL))
				return true;
		}
	return false;
}

static bool is_address(struct bawn_span w)
{
	unsigned dots = 0;
	size_t i = 0;
	for (; i < w.n && ((w.p[i] >= '0' && w.p[i] <= '9') || w.p[i] == '.'); i++)
		dots += w.p[i] == '.';
	return dots == 3 && i >= 7 && (i == w.n || w.p[i] == ':') && !bawn_span_starts(w, "127.") && !bawn_span_starts(w, "0.0.0.0");
}

/* A program nobody knows is given a shell and an address: the shape of every remote shell tool. */
static bool shell_to_host(struct engine *e, struct value *const *word, uint32_t n)
{
	bool shell_ = false, host = false;
	for (uint32_t i = 1; i < n; i++) {
		shell_ = shell_ || (bawn_value_is_text(word[i]) && bawn_sh_is_shell(bawn_sh_name(e, word[i])));
		host = host || (bawn_value_is_text(word[i]) && is_address(word[i]->text));
	}
	return shell_ && host;
}

/* Texts among the words, for the rules that know hosts and other constants. */
static void texts(struct engine *e, struct value *const *word, uint32_t n, bool net, uint32_t node)
{
	for (uint32_t i = 1; i < n; i++) {
		struct bawn_span w = bawn_value_is_text(word[i]) ? word[i]->text : (struct bawn_span){ NULL, 0 };
		if (w.n < 6 || w.n > 8192 || !(net || memmem(w.p, w.n, "://", 3) != NULL))
			continue;
		struct fact f = { .kind = BAWN_MATCH_STRING, .name = bawn_arena_text(bawn_sh_arena(e), w), .node = node };
		(void)bawn_engine_fact(e, &f);
	}
}

/* ssh to this very machine runs here. */
static void local_ssh(struct engine *e, struct value *const *word, uint32_t n, uint32_t node)
{
	for (uint32_t i = 1; i + 1 < n; i++)
		if (bawn_sh_in(word[i], "localhost 127.0.0.1 ::1 root@localhost")) {
			struct value *all = bawn_sh_join(e, word + i + 1, n - i - 1);
			if (all != NULL)
				run_text(e, all->text, node);
			return;
		}
}

/* sed '1e command' */
static void sed_programs(struct engine *e, struct value *const *word, uint32_t n, uint32_t node)
{
	for (uint32_t i = 1; i < n; i++) {
		struct bawn_span w = bawn_value_is_text(word[i]) ? word[i]->text : (struct bawn_span){ NULL, 0 };
		size_t k = 0;
		while (k < w.n && ((w.p[k] >= '0' && w.p[k] <= '9') || w.p[k] == '$'))
			k++;
		if (k + 2 < w.n && w.p[k] == 'e' && w.p[k + 1] == ' ')
			run_text(e, (struct bawn_span){ w.p + k + 2, w.n - k - 2 }, node);
	}
}

static void builtin_programs(struct engine *e, const char *name, struct value *const *word, uint32_t n, uint32_t node)
{
	if (strcmp(name, "eval") == 0) {
		struct value *all = bawn_sh_join(e, word + 1, n - 1);
		if (all != NULL && (!all->partial || n > 2 || all->text.n > 4))
			run_text(e, all->text, node);
	} else if (strcmp(name, "trap") == 0 && n > 1 && bawn_value_is_text(word[1])) {
		run_text(e, word[1]->text, node);
	} else if (strcmp(name, "ssh") == 0) {
		local_ssh(e, word, n, node);
	} else if (strcmp(name, "sed") == 0) {
		sed_programs(e, word, n, node);
	}
}

static void programs(struct shell *s, struct engine *e, const char *name, struct value *const *word, uint32_t n, uint32_t node)
{
	const struct command *c = find(name);
	unsigned kind = c != NULL ? c->kind : 0;
	if ((kind & (SHELL | SCRIPT)) != 0)
		interpreter(s, e, name, c, word, n, node);
	if ((kind & FOREIGN) != 0)
		foreign(s, e, name, word, n, node);
	if ((kind & EDITS) != 0)
		edits(e, word, n, node);
	if ((kind & JOINED) != 0 && n > 1) {
		struct value *all = bawn_sh_join(e, word + 1, n - 1);
		if (all != NULL && memchr(all->text.p, '|', all->text.n) != NULL)
			run_text(e, all->text, node);
	}
	if ((kind & (DATA | SHELL | SCRIPT | WRAPS)) == 0 && hands_shell(word, n))
		(void)bawn_engine_event(e, "hands-shell", node, NULL);
	if (c == NULL && unwrap(name, word, n) == 0 && shell_to_host(e, word, n))
		(void)bawn_engine_event(e, "shell-to-host", node, NULL);
	builtin_programs(e, name, word, n, node);
	bool known = c != NULL || (bawn_value_is_text(word[0]) && memchr(word[0]->text.p, '/', word[0]->text.n) == NULL);
	if (!known)
		run_file(s, e, word[0], BAWN_LANG_BASH, false, node);
	if (c == NULL || c->access != N)
		texts(e, word, n, (kind & NET) != 0, node);
}

/* What a command line gives: downloads into files, copies of files the program wrote. */
static void keep_files(struct shell *s, struct engine *e, const char *name, struct value *const *word, uint32_t n, uint64_t tags)
{
	bool curl = strcmp(name, "curl") == 0, wget = strcmp(name, "wget") == 0, copy = bawn_sh_in(word[0], "cp mv ln install");
	bool other = !curl && !wget && (tags & BAWN_TAG(DOWNLOAD)) != 0;
	if (s == NULL || (!curl && !wget && !copy && !other))
		return;
	struct bawn_span out = { NULL, 0 }, url = { NULL, 0 }, before = { NULL, 0 }, last = { NULL, 0 };
	for (uint32_t i = 1; i < n; i++) {
		struct bawn_span w = bawn_value_is_text(word[i]) ? word[i]->text : (struct bawn_span){ NULL, 0 };
		struct bawn_span next = i + 1 < n && bawn_value_is_text(word[i + 1]) ? word[i + 1]->text : (struct bawn_span){ NULL, 0 };
		if (w.n == 0)
			continue;
		bool to = w.n >= 2 && w.p[0] == '-' && w.p[1] != '-' && (wget ? w.p[w.n - 1] == 'O' : w.p[w.n - 1] == 'o');
		if (to || bawn_span_is(w, "--output") || bawn_span_is(w, "--output-document"))
			out = next;
		else if (memmem(w.p, w.n, "://", 3) != NULL)
			url = w;
		else if (w.n > 3 && bawn_span_starts(w, "-o") && !copy)
			out = (struct bawn_span){ w.p + 2, w.n - 2 };
		else if (!bawn_sh_option(word[i]))
			before = last, last = w;
	}
	uint64_t taint = BAWN_TAG(NET_RECV) | BAWN_TAG(DOWNLOAD);
	if (copy && before.n > 0 && last.n > 0) {
		const char *from = bawn_path_normal(bawn_sh_arena(e), before);
		struct value *v = from != NULL ? bawn_sh_get(s, "file ", bawn_span(from)) : NULL;
		if (v != NULL)
			bawn_sh_wrote(s, last, v, false, 0, 0);
		return;
	}
	if (out.n == 0 && last.n > 0 && other)
		out = last;
	if (url.n == 0 && last.n > 0 && memchr(last.p, '.', last.n) != NULL)
		url = last;
	if (out.n == 0 && url.n > 0 && (wget || curl || other)) {
		const char *slash = memrchr(url.p, '/', url.n);
		out = slash != NULL ? (struct bawn_span){ slash + 1, url.n - (size_t)(slash + 1 - url.p) } : url;
	}
	struct value *v = out.n > 0 && !bawn_span_is(out, "-") ? bawn_value_new(e) : NULL;
	if (v != NULL) {
		v->taint = taint;
		bawn_sh_wrote(s, out, v, false, 0, 0);
	}
}

/* ---- one command ---- */

/* su, gosu and the like: root where nobody else is named. */
static void become(struct engine *e, const char *name, struct value *const *word, uint32_t n, uint32_t node)
{
	static const char *const other[] = { "su", "gosu", "su-exec", "runuser", "setuidgid", "chpst" };
	size_t k = 0;
	while (k < BAWN_LEN(other) && strcmp(name, other[k]) != 0)
		k++;
	if (k == BAWN_LEN(other))
		return;
	const struct value *user = NULL;
	for (uint32_t i = 1; i < n && user == NULL; i++) {
		bool names_user = bawn_sh_is(word[i], "-u") || bawn_sh_is(word[i], "--user");
		if (names_user && i + 1 < n)
			user = word[i + 1];
		else if (bawn_sh_option(word[i]))
			i += bawn_sh_in(word[i], "-c -s -g -G -w --command");
		else if (!bawn_sh_is(word[i], "-"))
			user = word[i];
	}
	bool root = user == NULL || bawn_sh_in(user, "root 0 root:root");
	(void)bawn_engine_event(e, root ? "becomes-root" : "becomes-user", node, NULL);
}

static uint64_t one_command(struct shell *s, struct engine *e, struct value **word, uint32_t n, uint32_t node)
{
	uint64_t tags = 0;
	for (unsigned level = 0; level < 8 && n > 0 && e->error == 0; level++) {
		const char *name = bawn_sh_name(e, word[0]);
		uint64_t taint = 0;
		for (uint32_t i = 0; i < n; i++)
			taint |= word[i] != NULL ? word[i]->taint : 0;
		if (name == NULL) {
			bool fed = word[0] != NULL && (word[0]->taint & (BAWN_TAG(INPUT) | BAWN_TAG(NET_RECV))) != 0;
			return tags | bawn_engine_event(e, fed ? "runs-input" : "unknown-command", node, NULL);
		}
		struct value *all = bawn_sh_join(e, word, n < 64 ? n : 64);
		uint64_t own = operands(s, e, name, word, n, node);
		struct fact f = { .kind = BAWN_MATCH_COMMAND, .name = name, .arg = word + 1, .n_args = n - 1, .node = node,
		                  .taint = taint | (own & (BAWN_TAG(READ) | BAWN_TAG(SECRET))), .folded = all != NULL ? all->text.p : NULL };
		own |= bawn_engine_fact(e, &f);
		tags |= own;
		if ((word[0]->taint & BAWN_TAG(DECODE)) != 0)
			tags |= bawn_engine_event(e, "decoded-name", node, f.folded);
		become(e, name, word, n, node);
		if (strpbrk(name, "?*[") != NULL && strcmp(name, "[") != 0 && strcmp(name, "[[") != 0)
			tags |= bawn_engine_event(e, "disguised-command", node, f.folded);
		programs(s, e, name, word, n, node);
		keep_files(s, e, name, word, n, own);
		uint32_t inner = unwrap(name, word, n);
		if (inner == 0)
			return tags;
		word += inner;
		n -= inner;
	}
	return tags;
}

/* Words from another language: the shell's rules hold. */
uint64_t bawn_sh_command(struct shell *s, struct engine *e, struct value **word, uint32_t n, uint32_t node)
{
	if (e->tree->grammar == BAWN_GRAMMAR_BASH)
		return one_command(s, e, word, n, node);
	struct bawn_tree as_shell = *e->tree;
	const struct bawn_tree *outer = e->tree;
	as_shell.grammar = BAWN_GRAMMAR_BASH;
	e->tree = &as_shell;
	uint64_t tags = one_command(s, e, word, n, node);
	e->tree = outer;
	return tags;
}

uint64_t bawn_shell_command(struct engine *e, struct value **word, uint32_t n, uint32_t node)
{
	return bawn_sh_command(NULL, e, word, n, node);
}

/* ---- standard input ---- */

static bool reads_program(const char *name, struct value *const *word, uint32_t n)
{
	const struct command *c = find(name);
	for (uint32_t i = 1; i < n; i++) {
		if (bawn_sh_in(word[i], "-s - /dev/stdin /dev/fd/0 /proc/self/fd/0"))
			return true;
		if (bawn_value_is_text(word[i]) && gives_program(c, word[i]->text))
			return false;
		if (!bawn_sh_option(word[i]))
			return false;
		i += takes_value(c, word[i]->text);
	}
	return bawn_sh_is_shell(name) || (c->kind & SCRIPT) != 0;
}

/* Lines for cron, at or systemd: what runs stands after the times, or after a key. */
static void scheduled(struct engine *e, struct bawn_span t, uint32_t node)
{
	for (size_t start = 0, lines = 0; start < t.n && lines < 64; lines++) {
		size_t end = start;
		while (end < t.n && t.p[end] != '\n')
			end++;
		size_t at = start;
		if (t.p[at] == '@')
			while (at < end && t.p[at] != ' ' && t.p[at] != '\t')
				at++;
		for (unsigned k = 0; k < 5 && at < end && (t.p[at] == '*' || (t.p[at] >= '0' && t.p[at] <= '9')); k++) {
			while (at < end && t.p[at] != ' ' && t.p[at] != '\t')
				at++;
			while (at < end && (t.p[at] == ' ' || t.p[at] == '\t'))
				at++;
		}
		struct bawn_span rest = { t.p + at, end - at };
		if (bawn_span_starts(rest, "root "))
			rest.p += 5, rest.n -= 5;
		const char *exec = memmem(rest.p, rest.n, "Exec", 4);
		const char *equals = exec == rest.p && rest.n > 0 ? memchr(rest.p, '=', rest.n) : NULL;
		if (equals != NULL)
			rest = (struct bawn_span){ equals + 1, rest.n - (size_t)(equals + 1 - rest.p) };
		if (rest.n > 0 && rest.p[0] != '[' && rest.p[0] != '#' && bawn_text_printable(rest))
			run_text(e, rest, node);
		start = end + 1;
	}
}

/* A client is told to send a file: put notes.txt */
static void client_line(const struct shell *s, struct engine *e, struct bawn_span line, uint32_t node)
{
	static const char *const verb[] = { "put ", "mput ", "send " };
	for (size_t i = 0; i < BAWN_LEN(verb); i++) {
		size_t from = strlen(verb[i]), stop = from;
		if (!bawn_span_starts(line, verb[i]))
			continue;
		while (stop < line.n && line.p[stop] != ' ')
			stop++;
		(void)bawn_engine_event(e, "client-sends", node, NULL);
		(void)path_word(s, e, (struct bawn_span){ line.p + from, stop - from }, BAWN_ACCESS_READ, node);
	}
}

/* Editors and clients read commands line by line. */
static void feed_lines(const struct shell *s, const struct command *c, struct bawn_span t, uint32_t node)
{
	for (size_t start = 0; start < t.n; ) {
		size_t end = start;
		while (end < t.n && t.p[end] != '\n')
			end++;
		struct bawn_span line = { t.p + start, end - start };
		bawn_foreign_program(s->e, line, true, node);
		if ((c->kind & NET) != 0)
			client_line(s, s->e, line, node);
		start = end + 1;
	}
}

/* What xargs reads are words of what it runs. */
static void feed_xargs(struct shell *s, const char *name, struct value *const *word, uint32_t n, struct value *in, uint32_t node)
{
	struct value *inner[SHELL_WORDS_MAX];
	uint32_t k = 0, from = unwrap(name, word, n);
	const char *mark = any_is(word, n, "-I{}") || any_is(word, n, "{}") ? "{}" : any_is(word, n, "%") ? "%" : NULL;
	for (uint32_t w = from; from > 0 && w < n && k < SHELL_WORDS_MAX / 2; w++)
		inner[k++] = mark != NULL && bawn_sh_is(word[w], mark) ? in : word[w];
	if (k > 0 && mark == NULL)
		bawn_sh_push(s, in, bawn_value_is_text(in) && in->text.n < 400, false, inner, &k);
	if (k > 0)
		(void)bawn_sh_command(s, s->e, inner, k, node);
}

bool bawn_sh_feed(struct shell *s, struct value *const *word, uint32_t n, struct value *in, uint32_t node)
{
	struct engine *e = s->e;
	uint32_t at = bawn_sh_unwrap(e, word, n);
	const char *name = at < n ? bawn_sh_name(e, word[at]) : NULL;
	if (name == NULL || in == NULL)
		return false;
	const struct command *c = find(name);
	unsigned kind = c != NULL ? c->kind : 0;
	bool text = bawn_value_is_text(in) && bawn_text_printable(in->text);
	word += at, n -= at;
	if ((kind & (SHELL | SCRIPT)) != 0 && reads_program(name, word, n)) {
		run_output(e, in, c->language, node);
		return true;
	}
	if ((kind & EDITS) != 0 && text)
		feed_lines(s, c, in->text, node);
	if ((kind & FOREIGN) != 0 && text) {
		bawn_foreign_program(e, in->text, false, node);
		return true;
	}
	if (text && (strcmp(name, "crontab") == 0 || strcmp(name, "at") == 0 || strcmp(name, "batch") == 0))
		scheduled(e, in->text, node);
	if (strcmp(name, "xargs") == 0 || strcmp(name, "parallel") == 0)
		feed_xargs(s, name, word, n, in, node);
	return false;
}

/* `v` went into a file: it is remembered, and where programs are started from it is read as one. */
void bawn_sh_wrote(struct shell *s, struct bawn_span path, const struct value *v, bool append, uint64_t tags, uint32_t node)
{
	const char *key = bawn_path_normal(bawn_sh_arena(s->e), path);
	if (key == NULL || v == NULL || strncmp(key, "/dev/", 5) == 0)
		return;
	struct value *before = append ? bawn_sh_get(s, "file ", bawn_span(key)) : NULL;
	struct value *now = before != NULL ? bawn_sh_concat(s->e, before, v, "\n") : (struct value *)(uintptr_t)v;
	bawn_sh_set(s, "file ", bawn_span(key), now);
	if ((tags & BAWN_TAG(PERSIST)) != 0 && bawn_value_is_text(v))
		scheduled(s->e, v->text, node);
}
