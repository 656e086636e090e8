// judge.mjs - the same deeds for every client; what comes back is compared by tests/integration/mcp-clients.t.
const HIGH = "import pty\nprint('ran')\nif False: pty.spawn('/bin/sh')\n";

export async function judge(client, call) {
  const saw = {};
  saw.tools = (await client.listTools()).tools.map((t) => t.name);
  const picture = "open('a.png', 'wb').write(b'\\x89PNG\\r\\n\\x1a\\n....')";
  const low = await call({ name: 'execute_code', arguments: { code: `print(open('x').read())\n${picture}`, files: { x: '42' } } });
  saw.low = [low.isError, low.structuredContent.status, low.structuredContent.stdout, low.content.map((c) => c.type)];
  saw.text = JSON.stringify(JSON.parse(low.content[0].text)) === JSON.stringify(low.structuredContent);
  const failed = await call({ name: 'execute_code', arguments: { code: 'raise SystemExit(3)' } });
  saw.failed = [failed.isError, failed.structuredContent.exit_code];
  const bad = await call({ name: 'execute_code', arguments: { code: '1', network: 'on' } });
  saw.bad = [bad.isError, bad.structuredContent.error.type];
  const verdict = await call({ name: 'assess_code', arguments: { code: HIGH } });
  saw.assess = [verdict.isError, verdict.structuredContent.assessment.level];
  const row = await call({ name: 'get_execution', arguments: { id: low.structuredContent.id } });
  saw.row = row.structuredContent.execution.status;
  saw.list = (await call({ name: 'list_executions', arguments: { limit: 1 } })).structuredContent.executions.length;
  saw.unknown = await call({ name: 'rm', arguments: {} }).then(() => 'no error', (e) => e.code);

  const progress = [];
  await call({ name: 'execute_code', arguments: { code: 'import time; time.sleep(2.5)' } }, { onprogress: (p) => progress.push(p.progress) });
  saw.progress = progress.length;
  saw.increasing = progress.every((p, i) => i === 0 || p > progress[i - 1]);

  const stop = new AbortController();
  const slow = call({ name: 'execute_code', arguments: { code: 'import time; time.sleep(600)' } }, { signal: stop.signal });
  const both = await Promise.all([1, 2, 3].map((n) => call({ name: 'execute_code', arguments: { code: `print(${n})` } })));
  saw.parallel = both.map((r) => r.structuredContent.stdout);
  stop.abort('enough');
  saw.cancelled = await slow.then(() => 'an answer', () => 'no answer');

  const held = await call({ name: 'execute_code', arguments: { code: HIGH } });
  saw.held = [held.isError, held.structuredContent.status, held.structuredContent.decision?.assurance ?? null, held.structuredContent.approval?.level ?? null];
  return saw;
}
