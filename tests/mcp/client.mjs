// client.mjs - the client of @modelcontextprotocol/client drives a server: node client.mjs MODE [--form ANSWER] COMMAND ARGS...
// MODE is default, auto or a version to insist on.  Prints what it saw as one JSON document.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { judge } from './judge.mjs';

const words = process.argv.slice(2);
const mode = words.shift();
const form = words[0] === '--form' ? JSON.parse(words.splice(0, 2)[1]) : null;
const options = { capabilities: form ? { elicitation: {} } : {} };
if (mode !== 'default') options.versionNegotiation = { mode: mode === 'auto' ? 'auto' : { pin: mode } };
const client = new Client({ name: 'client judge', version: '2' }, options);
let asked = 0;
if (form) client.setRequestHandler('elicitation/create', async () => { asked++; return form; });
await client.connect(new StdioClientTransport({ command: words[0], args: words.slice(1), env: process.env, stderr: 'inherit' }));
const saw = await judge(client, (args, more) => client.callTool(args, more));
console.log(JSON.stringify({ server: client.getServerVersion?.() ?? null, asked, era: client.getNegotiatedProtocolVersion?.() ?? null, ...saw }));
await client.close();
