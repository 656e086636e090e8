/* command_table.c - see commands.h. */
#include "assess/commands.h"
#include "assess/names.h"
#include "base/cleanup.h"

#define R BAWN_ACCESS_READ
#define W BAWN_ACCESS_WRITE
#define D BAWN_ACCESS_DELETE
#define M BAWN_ACCESS_MODE
#define L BAWN_ACCESS_LIST
#define U BAWN_ACCESS_USE
#define N BAWN_ACCESS_COUNT

static const struct command command[] = {
	/* commands that run commands */
	{ "sudo", WRAPS, U, 0, "ughpCrtTUDR", 0 }, { "doas", WRAPS, U, 0, "uC", 0 }, { "env", WRAPS, U, 0, "uC", 0 },
	{ "nohup", WRAPS, U, 0, "", 0 }, { "timeout", WRAPS, U, 1, "sk", 0 }, { "gtimeout", WRAPS, U, 1, "sk", 0 },
	{ "nice", WRAPS, U, 0, "n", 0 }, { "ionice", WRAPS, U, 0, "cn", 0 }, { "setsid", WRAPS, U, 0, "", 0 },
	{ "time", WRAPS, U, 0, "fo", 0 }, { "command", WRAPS, U, 0, "", 0 }, { "builtin", WRAPS, U, 0, "", 0 },
	{ "exec", WRAPS, U, 0, "a", 0 }, { "stdbuf", WRAPS, U, 0, "ioe", 0 }, { "unbuffer", WRAPS, U, 0, "", 0 },
	{ "watch", WRAPS | JOINED, U, 0, "n", 0 }, { "xargs", WRAPS, U, 0, "InPLdEsa", 0 }, { "parallel", WRAPS, U, 0, "jIaN", 0 },
	{ "strace", WRAPS, U, 0, "oepsu", 0 }, { "ltrace", WRAPS, U, 0, "oepsu", 0 }, { "busybox", WRAPS, U, 0, "", 0 },
	{ "toybox", WRAPS, U, 0, "", 0 }, { "chroot", WRAPS, U, 1, "", 0 }, { "unshare", WRAPS, U, 0, "", 0 },
	{ "nsenter", WRAPS, U, 0, "tSG", 0 }, { "flock", WRAPS, U, 1, "wE", 0 }, { "taskset", WRAPS, U, 1, "", 0 },
	{ "chrt", WRAPS, U, 1, "", 0 }, { "proxychains", WRAPS, U, 0, "f", 0 }, { "proxychains4", WRAPS, U, 0, "f", 0 },
	{ "torsocks", WRAPS, U, 0, "", 0 }, { "torify", WRAPS, U, 0, "", 0 }, { "fakeroot", WRAPS, U, 0, "", 0 },
	{ "dbus-run-session", WRAPS, U, 0, "", 0 }, { "dbus-launch", WRAPS, U, 0, "", 0 }, { "xvfb-run", WRAPS, U, 0, "", 0 },
	{ "gosu", WRAPS, U, 1, "", 0 }, { "su-exec", WRAPS, U, 1, "", 0 }, { "setpriv", WRAPS, U, 0, "", 0 },
	{ "pkexec", WRAPS, U, 0, "", 0 }, { "setarch", WRAPS, U, 1, "", 0 }, { "linux64", WRAPS, U, 0, "", 0 },
	{ "linux32", WRAPS, U, 0, "", 0 }, { "systemd-run", WRAPS, U, 0, "puHMd", 0 }, { "systemd-inhibit", WRAPS, U, 0, "", 0 },
	{ "cpulimit", WRAPS, U, 0, "lpeP", 0 }, { "choom", WRAPS, U, 0, "np", 0 }, { "prlimit", WRAPS, U, 0, "p", 0 },
	{ "faketime", WRAPS, U, 1, "", 0 }, { "firejail", WRAPS, U, 0, "", 0 }, { "rlwrap", WRAPS, U, 0, "", 0 },
	{ "ssh-agent", WRAPS, U, 0, "a", 0 }, { "catchsegv", WRAPS, U, 0, "", 0 }, { "valgrind", WRAPS, U, 0, "", 0 },
	{ "cgexec", WRAPS, U, 0, "g", 0 }, { "numactl", WRAPS, U, 0, "", 0 }, { "coproc", WRAPS, U, 0, "", 0 },
	{ "sshpass", WRAPS, U, 0, "pfde", 0 }, { "aa-exec", WRAPS, U, 0, "p", 0 }, { "runcon", WRAPS, U, 1, "", 0 },
	{ "lxc-attach", WRAPS, U, 0, "n", 0 }, { "lxc-execute", WRAPS, U, 0, "n", 0 }, { "daemonize", WRAPS, U, 0, "cepoeElu", 0 },
	{ "entr", WRAPS, U, 0, "", 0 }, { "screen", WRAPS, U, 0, "Scehst", 0 }, { "then", WRAPS, U, 0, "", 0 },
	{ "do", WRAPS, U, 0, "", 0 }, { "else", WRAPS, U, 0, "", 0 }, { "!", WRAPS, U, 0, "", 0 }, { "{", WRAPS, U, 0, "", 0 },
	{ "multitime", WRAPS, U, 0, "n", 0 }, { "softlimit", WRAPS, U, 0, "", 0 }, { "chpst", WRAPS, U, 0, "u", 0 },
	{ "runsv", WRAPS, U, 0, "", 0 }, { "pexec", WRAPS, U, 0, "", 0 }, { "logsave", WRAPS, U, 1, "", 0 },
	{ "tini", WRAPS, U, 0, "", 0 }, { "ld.so", WRAPS, U, 0, "", 0 }, { "ld-linux-x86-64.so.2", WRAPS, U, 0, "", 0 },
	{ "ld-linux.so.2", WRAPS, U, 0, "", 0 }, { "dumb-init", WRAPS, U, 0, "", 0 }, { "caffeinate", WRAPS, U, 0, "", 0 },
	{ "script", 0, W, 0, "c", 0 }, { "su", DATA, N, 0, "csgGw", 0 }, { "runuser", WRAPS, U, 0, "ucsgGw", 0 },
	/* shells */
	{ "sh", SHELL, R, 0, "oO", BAWN_LANG_BASH }, { "bash", SHELL, R, 0, "oO", BAWN_LANG_BASH },
	{ "dash", SHELL, R, 0, "o", BAWN_LANG_BASH }, { "zsh", SHELL, R, 0, "o", BAWN_LANG_BASH },
	{ "ksh", SHELL, R, 0, "o", BAWN_LANG_BASH }, { "ash", SHELL, R, 0, "o", BAWN_LANG_BASH },
	{ "mksh", SHELL, R, 0, "o", BAWN_LANG_BASH }, { "rbash", SHELL, R, 0, "o", BAWN_LANG_BASH },
	{ "fish", SHELL, R, 0, "", BAWN_LANG_BASH }, { "csh", SHELL, R, 0, "", BAWN_LANG_BASH },
	{ "tcsh", SHELL, R, 0, "", BAWN_LANG_BASH }, { "yash", SHELL, R, 0, "", BAWN_LANG_BASH },
	{ "rc", SHELL, R, 0, "", BAWN_LANG_BASH }, { "elvish", SHELL, R, 0, "", BAWN_LANG_BASH },
	{ "sash", SHELL, R, 0, "", BAWN_LANG_BASH }, { "posh", SHELL, R, 0, "", BAWN_LANG_BASH },
	{ "lksh", SHELL, R, 0, "", BAWN_LANG_BASH }, { "nu", SHELL, R, 0, "", BAWN_LANG_BASH },
	{ "xonsh", SHELL, R, 0, "", BAWN_LANG_BASH }, { "bash5", SHELL, R, 0, "", BAWN_LANG_BASH },
	{ "source", SHELL, R, 0, "", BAWN_LANG_BASH }, { ".", SHELL, R, 0, "", BAWN_LANG_BASH },
	/* languages with a grammar */
	{ "python", SCRIPT, R, 0, "WXm", BAWN_LANG_PYTHON }, { "python2", SCRIPT, R, 0, "WXm", BAWN_LANG_PYTHON },
	{ "python3", SCRIPT, R, 0, "WXm", BAWN_LANG_PYTHON }, { "pypy", SCRIPT, R, 0, "m", BAWN_LANG_PYTHON },
	{ "pypy3", SCRIPT, R, 0, "m", BAWN_LANG_PYTHON }, { "ipython", SCRIPT, R, 0, "", BAWN_LANG_PYTHON },
	{ "ipython3", SCRIPT, R, 0, "", BAWN_LANG_PYTHON }, { "node", SCRIPT, R, 0, "r", BAWN_LANG_JAVASCRIPT },
	{ "nodejs", SCRIPT, R, 0, "r", BAWN_LANG_JAVASCRIPT }, { "deno", SCRIPT, R, 0, "", BAWN_LANG_JAVASCRIPT },
	{ "bun", SCRIPT, R, 0, "", BAWN_LANG_JAVASCRIPT },
	/* languages without */
	{ "perl", FOREIGN, R, 0, "", 0 }, { "raku", FOREIGN, R, 0, "", 0 }, { "ruby", FOREIGN, R, 0, "", 0 },
	{ "jruby", FOREIGN, R, 0, "", 0 }, { "irb", FOREIGN, R, 0, "", 0 }, { "php", FOREIGN, R, 0, "", 0 },
	{ "lua", FOREIGN, R, 0, "", 0 }, { "luajit", FOREIGN, R, 0, "", 0 }, { "texlua", FOREIGN, R, 0, "", 0 },
	{ "luatex", FOREIGN, R, 0, "", 0 }, { "awk", FOREIGN | FIRST, R, 0, "Fvf", 0 }, { "gawk", FOREIGN | FIRST, R, 0, "Fvf", 0 },
	{ "mawk", FOREIGN | FIRST, R, 0, "Fvf", 0 }, { "nawk", FOREIGN | FIRST, R, 0, "Fvf", 0 }, { "tclsh", FOREIGN, R, 0, "", 0 },
	{ "wish", FOREIGN, R, 0, "", 0 }, { "expect", FOREIGN, R, 0, "", 0 }, { "osascript", FOREIGN, R, 0, "l", 0 },
	{ "powershell", FOREIGN, R, 0, "", 0 }, { "pwsh", FOREIGN, R, 0, "", 0 }, { "java", FOREIGN, R, 0, "", 0 },
	{ "jshell", FOREIGN, R, 0, "", 0 }, { "jrunscript", FOREIGN, R, 0, "", 0 }, { "jjs", FOREIGN, R, 0, "", 0 },
	{ "groovy", FOREIGN, R, 0, "", 0 }, { "scala", FOREIGN, R, 0, "", 0 }, { "kotlin", FOREIGN, R, 0, "", 0 },
	{ "clojure", FOREIGN, R, 0, "", 0 }, { "go", FOREIGN, R, 0, "o", 0 }, { "rustc", FOREIGN, R, 0, "o", 0 },
	{ "gcc", FOREIGN, R, 0, "o", 0 }, { "cc", FOREIGN, R, 0, "o", 0 }, { "clang", FOREIGN, R, 0, "o", 0 },
	{ "g++", FOREIGN, R, 0, "o", 0 }, { "c++", FOREIGN, R, 0, "o", 0 }, { "tcc", FOREIGN, R, 0, "o", 0 },
	{ "javac", FOREIGN, R, 0, "d", 0 }, { "crystal", FOREIGN, R, 0, "", 0 }, { "nim", FOREIGN, R, 0, "", 0 },
	{ "julia", FOREIGN, R, 0, "", 0 }, { "R", FOREIGN, R, 0, "", 0 }, { "Rscript", FOREIGN, R, 0, "", 0 },
	{ "octave", FOREIGN, R, 0, "", 0 }, { "ghc", FOREIGN, R, 0, "", 0 }, { "ghci", FOREIGN, R, 0, "", 0 },
	{ "runghc", FOREIGN, R, 0, "", 0 }, { "guile", FOREIGN, R, 0, "", 0 }, { "racket", FOREIGN, R, 0, "", 0 },
	{ "sbcl", FOREIGN, R, 0, "", 0 }, { "clisp", FOREIGN, R, 0, "", 0 }, { "elixir", FOREIGN, R, 0, "", 0 },
	{ "erl", FOREIGN, R, 0, "", 0 }, { "swift", FOREIGN, R, 0, "", 0 }, { "dart", FOREIGN, R, 0, "", 0 },
	{ "gnuplot", FOREIGN, R, 0, "", 0 }, { "slsh", FOREIGN, R, 0, "", 0 }, { "gimp", FOREIGN, R, 0, "", 0 },
	{ "emacs", FOREIGN, R, 0, "", 0 }, { "tex", FOREIGN, R, 0, "", 0 }, { "latex", FOREIGN, R, 0, "", 0 },
	{ "pdflatex", FOREIGN, R, 0, "", 0 }, { "xelatex", FOREIGN, R, 0, "", 0 }, { "pdftex", FOREIGN, R, 0, "", 0 },
	{ "m4", FOREIGN, R, 0, "", 0 }, { "bpftrace", FOREIGN, R, 0, "", 0 }, { "ansible", FOREIGN, R, 0, "i", 0 },
	{ "puppet", FOREIGN, R, 0, "", 0 }, { "scapy", FOREIGN, R, 0, "", 0 }, { "dotnet", FOREIGN, R, 0, "", 0 },
	{ "make", EDITS, R, 0, "fCj", 0 },
	/* editors, pagers, clients */
	{ "vi", EDITS, R, 0, "", 0 }, { "vim", EDITS, R, 0, "", 0 }, { "nvim", EDITS, R, 0, "", 0 }, { "view", EDITS, R, 0, "", 0 },
	{ "rvim", EDITS, R, 0, "", 0 }, { "rview", EDITS, R, 0, "", 0 }, { "vimdiff", EDITS, R, 0, "", 0 }, { "ex", EDITS, R, 0, "", 0 },
	{ "ed", EDITS, R, 0, "p", 0 }, { "red", EDITS, R, 0, "p", 0 }, { "nano", EDITS, R, 0, "", 0 }, { "pico", EDITS, R, 0, "", 0 },
	{ "less", EDITS, R, 0, "", 0 }, { "more", EDITS, R, 0, "", 0 }, { "most", EDITS, R, 0, "", 0 }, { "man", EDITS, U, 0, "", 0 },
	{ "gdb", EDITS, R, 0, "", 0 }, { "lldb", EDITS, R, 0, "", 0 }, { "sqlite3", EDITS, R, 0, "", 0 },
	{ "mysql", EDITS | NET, U, 0, "hPD", 0 }, { "psql", EDITS | NET, U, 0, "hpUd", 0 }, { "mongo", EDITS | NET, U, 0, "", 0 },
	{ "redis-cli", EDITS | NET, U, 0, "hp", 0 }, { "ftp", EDITS | NET, U, 0, "", 0 }, { "sftp", EDITS | NET, U, 0, "Pb", 0 },
	{ "lftp", EDITS | NET, U, 0, "", 0 }, { "mail", EDITS | NET, U, 0, "sr", 0 }, { "mutt", EDITS | NET, U, 0, "s", 0 },
	{ "dc", EDITS, R, 0, "", 0 }, { "crash", EDITS, R, 0, "", 0 }, { "debugfs", EDITS, R, 0, "", 0 },
	{ "minicom", EDITS, R, 0, "", 0 }, { "telnet", EDITS | NET, U, 0, "", 0 },
	/* reading */
	{ "cat", DATA, R, 0, "", 0 }, { "head", DATA, R, 0, "nc", 0 }, { "tail", DATA, R, 0, "nc", 0 }, { "tac", DATA, R, 0, "", 0 },
	{ "nl", DATA, R, 0, "", 0 }, { "strings", DATA, R, 0, "n", 0 }, { "xxd", DATA, R, 0, "", 0 }, { "od", DATA, R, 0, "", 0 },
	{ "hexdump", DATA, R, 0, "", 0 }, { "hd", DATA, R, 0, "", 0 }, { "base64", DATA, R, 0, "w", 0 }, { "base32", DATA, R, 0, "", 0 },
	{ "sort", DATA, R, 0, "kto", 0 }, { "uniq", DATA, R, 0, "", 0 }, { "wc", DATA, R, 0, "", 0 }, { "diff", DATA, R, 0, "", 0 },
	{ "cmp", DATA, R, 0, "", 0 }, { "comm", DATA, R, 0, "", 0 }, { "cut", DATA, R, 0, "dfcb", 0 }, { "paste", DATA, R, 0, "d", 0 },
	{ "rev", DATA, R, 0, "", 0 }, { "fold", DATA, R, 0, "w", 0 }, { "column", DATA, R, 0, "ts", 0 }, { "join", DATA, R, 0, "", 0 },
	{ "grep", DATA | FIRST, R, 0, "ABCmef", 0 }, { "egrep", DATA | FIRST, R, 0, "ABCmef", 0 },
	{ "fgrep", DATA | FIRST, R, 0, "ABCmef", 0 }, { "rgrep", DATA | FIRST, R, 0, "ABCm", 0 }, { "zgrep", DATA | FIRST, R, 0, "", 0 },
	{ "rg", DATA | FIRST, R, 0, "", 0 }, { "ag", DATA | FIRST, R, 0, "", 0 }, { "sed", DATA | FIRST, R, 0, "ef", 0 },
	{ "zcat", DATA, R, 0, "", 0 }, { "tar", DATA, R, 0, "fCTX", 0 }, { "zip", DATA, R, 0, "P", 0 }, { "gzip", DATA, R, 0, "", 0 },
	{ "bzip2", DATA, R, 0, "", 0 }, { "xz", DATA, R, 0, "", 0 }, { "7z", DATA, R, 0, "", 0 }, { "cpio", DATA, R, 0, "", 0 },
	{ "split", DATA, R, 0, "bln", 0 }, { "md5sum", DATA, R, 0, "", 0 }, { "sha1sum", DATA, R, 0, "", 0 },
	{ "sha256sum", DATA, R, 0, "", 0 }, { "cksum", DATA, R, 0, "", 0 }, { "jq", DATA | FIRST, R, 0, "", 0 },
	{ "openssl", DATA, R, 0, "", 0 }, { "gpg", DATA, R, 0, "ro", 0 }, { "unshadow", DATA, R, 0, "", 0 }, { "john", DATA, R, 0, "", 0 },
	{ "pr", DATA, R, 0, "", 0 }, { "file", DATA, L, 0, "", 0 }, { "readlink", DATA, L, 0, "", 0 }, { "realpath", DATA, L, 0, "", 0 },
	{ "stat", DATA, L, 0, "cf", 0 }, { "ls", DATA, L, 0, "I", 0 }, { "dir", DATA, L, 0, "", 0 }, { "find", DATA, L, 0, "", 0 },
	{ "du", DATA, L, 0, "d", 0 }, { "df", DATA, L, 0, "", 0 }, { "utmpdump", DATA, R, 0, "", 0 }, { "tree", DATA, L, 0, "LI", 0 },
	{ "cd", DATA, N, 0, "", 0 }, { "pushd", DATA, N, 0, "", 0 }, { "test", DATA, N, 0, "", 0 }, { "[", DATA, N, 0, "", 0 },
	{ "which", DATA, N, 0, "", 0 }, { "type", DATA, N, 0, "", 0 }, { "echo", DATA, N, 0, "", 0 }, { "printf", DATA, N, 0, "", 0 },
	{ "basename", DATA, N, 0, "", 0 }, { "dirname", DATA, N, 0, "", 0 }, { "whereis", DATA, N, 0, "", 0 },
	{ "whatis", DATA, N, 0, "", 0 }, { "help", DATA, N, 0, "", 0 }, { "export", DATA, N, 0, "", 0 }, { "alias", DATA, N, 0, "", 0 },
	{ "set", DATA, N, 0, "", 0 }, { "git", 0, U, 0, "Cc", 0 }, { "logger", DATA, N, 0, "t", 0 }, { "ldd", DATA, U, 0, "", 0 },
	{ "pgrep", DATA, N, 0, "", 0 }, { "pkill", DATA, N, 0, "", 0 }, { "dpkg", DATA, N, 0, "", 0 }, { "rpm", DATA, N, 0, "", 0 },
	{ "chsh", DATA, N, 0, "s", 0 }, { "useradd", DATA, N, 0, "dsgGu", 0 }, { "usermod", DATA, N, 0, "dsgGu", 0 },
	{ "adduser", DATA, N, 0, "", 0 }, { "update-alternatives", DATA, U, 0, "", 0 }, { "true", DATA, N, 0, "", 0 },
	{ ":", DATA, N, 0, "", 0 }, { "false", DATA, N, 0, "", 0 }, { "ps", DATA, N, 0, "", 0 },
	/* writing */
	{ "cp", DATA | LAST, R, 0, "S", 0 }, { "install", DATA | LAST, R, 0, "mog", 0 }, { "ln", DATA | LAST, U, 0, "", 0 },
	{ "mv", DATA | LAST, D, 0, "", 0 }, { "rm", DATA, D, 0, "", 0 }, { "rmdir", DATA, D, 0, "", 0 }, { "unlink", DATA, D, 0, "", 0 },
	{ "shred", DATA, D, 0, "n", 0 }, { "srm", DATA, D, 0, "", 0 }, { "wipe", DATA, D, 0, "", 0 }, { "tee", DATA, W, 0, "", 0 },
	{ "touch", DATA, W, 0, "trd", 0 }, { "mkdir", DATA, W, 0, "m", 0 }, { "truncate", DATA, W, 0, "s", 0 },
	{ "fallocate", DATA, W, 0, "lo", 0 }, { "chmod", DATA | FIRST, M, 0, "", 0 }, { "chown", DATA | FIRST, M, 0, "", 0 },
	{ "chgrp", DATA | FIRST, M, 0, "", 0 }, { "chattr", DATA | FIRST, M, 0, "", 0 }, { "setfacl", DATA, M, 0, "mx", 0 },
	{ "setcap", DATA | FIRST, W, 0, "", 0 }, { "mkfifo", DATA, W, 0, "m", 0 }, { "mknod", DATA, W, 0, "m", 0 },
	{ "sponge", DATA, W, 0, "", 0 }, { "rename", DATA | FIRST, W, 0, "", 0 }, { "ditto", DATA | LAST, R, 0, "", 0 },
	{ "patch", DATA, W, 0, "pi", 0 }, { "rsync", DATA | NET, R, 0, "e", 0 }, { "scp", DATA | NET, R, 0, "iPoFJSl", 0 },
	{ "curl", DATA | NET, R, 0, "oHXAbcuxmTdFDeKwrCE", 0 }, { "wget", DATA | NET, R, 0, "OPoaiUtTQe", 0 },
	/* hosts */
	{ "ssh", NET, U, 0, "iloFpLRDJcmEIbBWwQ", 0 }, { "nc", NET, U, 0, "pswqXxiIOTVe", 0 }, { "ncat", NET, U, 0, "pswqi", 0 },
	{ "netcat", NET, U, 0, "pswqi", 0 }, { "socat", NET, U, 0, "", 0 }, { "aria2c", NET, U, 0, "od", 0 },
	{ "fetch", NET, U, 0, "o", 0 }, { "http", NET, U, 0, "o", 0 }, { "lynx", NET, U, 0, "", 0 }, { "dig", NET, U, 0, "", 0 },
	{ "nslookup", NET, U, 0, "", 0 }, { "host", NET, U, 0, "", 0 }, { "ping", NET, U, 0, "cp", 0 },
	{ "ssh-copy-id", NET | DATA, N, 0, "ip", 0 }, { "ssh-add", DATA, N, 0, "", 0 }, { "ssh-keygen", DATA, N, 0, "fNCtb", 0 },
};
NAMES(commands, command);

static const struct option option[] = {
	{ "curl", "-o", W }, { "curl", "--output", W }, { "curl", "-T", R }, { "curl", "--upload-file", R }, { "curl", "-d", R },
	{ "curl", "--data", R }, { "curl", "--data-binary", R }, { "curl", "--data-raw", SKIP }, { "curl", "--data-urlencode", R },
	{ "curl", "-F", R }, { "curl", "--form", R }, { "curl", "--json", R }, { "curl", "-b", SKIP }, { "curl", "-c", SKIP },
	{ "curl", "--cert", SKIP }, { "curl", "--key", SKIP }, { "curl", "--cacert", SKIP }, { "curl", "--netrc-file", SKIP },
	{ "curl", "-H", SKIP }, { "curl", "-A", SKIP }, { "curl", "-K", R }, { "curl", "--unix-socket", R }, { "wget", "-O", W },
	{ "wget", "--output-document", W }, { "wget", "-P", W }, { "wget", "--post-file", R }, { "wget", "--body-file", R },
	{ "wget", "-o", W }, { "wget", "-i", R }, { "wget", "--input-file", R }, { "wget", "--use-askpass", RUN }, { "aria2c", "-d", W },
	{ "gcc", "-o", W }, { "cc", "-o", W }, { "clang", "-o", W }, { "go", "-o", W }, { "tar", "-C", W }, { "tar", "--directory", W },
	{ "tar", "-f", R }, { "sort", "-o", W }, { "unzip", "-d", W }, { "openssl", "-in", R }, { "openssl", "-out", W },
	{ "cp", "-t", W }, { "mv", "-t", W }, { "install", "-t", W }, { "grep", "-f", R }, { "tar", "--to-command", RUN },
	{ "tar", "--use-compress-program", RUN }, { "tar", "-I", RUN }, { "tar", "--rsh-command", RUN }, { "tar", "--info-script", RUN },
	{ "tar", "-F", RUN }, { "rsync", "-e", RUN }, { "scp", "-S", RUN }, { "sftp", "-S", RUN }, { "ssh", "-i", SKIP },
	{ "scp", "-i", SKIP }, { "sftp", "-i", SKIP }, { "ssh", "-F", SKIP }, { "scp", "-F", SKIP }, { "ssh-copy-id", "-i", SKIP },
	{ "ssh-keygen", "-f", SKIP }, { "kubectl", "--kubeconfig", SKIP }, { "helm", "--kubeconfig", SKIP },
	{ "rsync", "--password-file", SKIP }, { "gpg", "--homedir", SKIP }, { "gpg", "--keyring", SKIP }, { "man", "-P", RUN },
	{ "man", "-H", RUN }, { "zip", "-TT", RUN }, { "tcpdump", "-z", RUN }, { "script", "-c", RUN }, { "su", "-c", RUN },
	{ "sg", "-c", RUN }, { "runuser", "-c", RUN }, { "flock", "-c", RUN }, { "env", "-S", RUN }, { "xterm", "-e", RUN },
	{ "uxterm", "-e", RUN }, { "rxvt", "-e", RUN }, { "urxvt", "-e", RUN }, { "konsole", "-e", RUN }, { "gnome-terminal", "-e", RUN },
	{ "xfce4-terminal", "-e", RUN }, { "aterm", "-e", RUN }, { "ncat", "-e", RUN }, { "ncat", "-c", RUN }, { "nc", "-e", RUN },
	{ "netcat", "-e", RUN }, { "nc", "-c", RUN }, { "dhclient", "-sf", RUN }, { "ansible", "-a", RUN }, { "check_by_ssh", "-C", RUN },
	{ "make", "-E", RUN }, { "capsh", "-c", RUN }, { "start-stop-daemon", "-x", RUN }, { "start-stop-daemon", "-a", RUN },
	{ "unzip", "-TT", RUN }, { "perf", "-e", SKIP }, { "tmux", "-c", SKIP }, { "nmap", "--script", SKIP }, { "gdb", "-ex", CODE },
	{ "crontab", "-l", SKIP }, { "history", "-s", RUN }, { "fc", "-e", RUN }, { "logger", "-f", R }, { "logger", "--file", R }, { "print", "-s", RUN },
	{ "compgen", "-C", RUN }, { "complete", "-C", RUN }, { "mapfile", "-C", RUN }, { "readarray", "-C", RUN }, { "env", "--split-string", RUN },
	{ "compgen", "-W", EXPANDED }, { "complete", "-W", EXPANDED }, { "bind", "-x", KEY }, { "xargs", "-a", R }, { "xargs", "--arg-file", R },
};
NAMES(options, option);
const struct command *bawn_command_find(const char *name)
{
	size_t i = name != NULL ? bawn_names_find(&commands, name, strlen(name)) : BAWN_LEN(command);
	return i < BAWN_LEN(command) ? &command[i] : NULL;
}

const struct option *bawn_command_option(const char *name, const struct option *before)
{
	size_t i = before == NULL ? bawn_names_find(&options, name, strlen(name)) : bawn_names_next(&options, (size_t)(before - option));
	return i < BAWN_LEN(option) ? &option[i] : NULL;
}
