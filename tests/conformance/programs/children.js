const assert = require('assert'), cp = require('child_process'), { Worker } = require('worker_threads');
(async () => {
	assert.equal(cp.execSync('echo a | tr a b').toString(), 'b\n');
	assert.equal(cp.spawnSync('sh', ['-c', 'exit 3']).status, 3);
	assert.equal((await new Promise(r => cp.execFile('seq', ['3'], (e, out) => r(out)))), '1\n2\n3\n');
	const cat = cp.spawn('cat');
	cat.stdin.end('through');
	assert.equal((await new Promise(r => cat.stdout.once('data', r))).toString(), 'through');
	const sleep = cp.spawn('sleep', ['60']);
	sleep.kill();
	assert.equal(await new Promise(r => sleep.once('exit', (code, signal) => r(signal))), 'SIGTERM');
	const worker = new Worker('require("worker_threads").parentPort.postMessage(6 * 7)', { eval: true });
	assert.equal(await new Promise(r => worker.once('message', r)), 42);
	console.log('ok');
})();
