const assert = require('assert'), http = require('http'), net = require('net');
const server = http.createServer((q, a) => q.pipe(a)).listen(0, 'localhost', async () => {
	const port = server.address().port;
	const echo = await new Promise(r => http.request({ port, host: 'localhost', method: 'POST' }, a => a.once('data', r)).end('body'));
	assert.equal(echo.toString(), 'body');
	const many = await Promise.all([...Array(20).keys()].map(n => fetch(`http://localhost:${port}/`, { method: 'POST', body: String(n) }).then(a => a.text())));
	assert.deepEqual(many, [...Array(20).keys()].map(String));
	const refused = await new Promise(r => net.connect(1, '127.0.0.1').once('error', r));
	assert.equal(refused.code, 'ECONNREFUSED');
	await new Promise((r, no) => { const web = net.createServer().on('error', no).listen(80, '0.0.0.0', () => web.close(r)); });
	server.close();
	server.closeAllConnections();
	console.log('ok');
});
