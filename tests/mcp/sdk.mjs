// sdk.mjs - the client of @modelcontextprotocol/sdk (legacy era) drives a server: node sdk.mjs [--form ANSWER] COMMAND ARGS...
// Prints what it saw as one JSON document.  It checks every structured result against the tool's output schema itself.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { judge } from './judge.mjs';

const words = process.argv.slice(2);
const form = words[0] === '--form' ? JSON.parse(words.splice(0, 2)[1]) : null;
const client = new Client({ name: 'sdk judge', version: '1' }, { capabilities: form ? { elicitation: {} } : {} });
let asked = 0;
if (form) client.setRequestHandler(ElicitRequestSchema, async () => { asked++; return form; });
await client.connect(new StdioClientTransport({ command: words[0], args: words.slice(1), env: process.env, stderr: 'inherit' }));
const saw = await judge(client, (args, options) => client.callTool(args, undefined, options));
console.log(JSON.stringify({ server: client.getServerVersion(), asked, ...saw }));
await client.close();
