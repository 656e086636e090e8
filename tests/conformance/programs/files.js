const assert = require('assert'), fs = require('fs'), os = require('os'), path = require('path');
(async () => {
	fs.mkdirSync('d/e', { recursive: true });
	fs.writeFileSync('d/e/f', 'hello');
	fs.cpSync('d', 'd2', { recursive: true });
	fs.renameSync('d2/e/f', 'd2/g');
	assert.equal(fs.readFileSync('d2/g', 'utf8'), 'hello');
	await fs.promises.copyFile('d2/g', 'h');
	await fs.promises.appendFile('h', '!');
	assert.equal((await fs.promises.stat('h')).size, 6);
	await new Promise(r => fs.createReadStream('h').pipe(fs.createWriteStream('i')).on('finish', r));
	assert.equal(fs.readFileSync('i', 'utf8'), 'hello!');
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'x-'));
	fs.symlinkSync('/workspace/h', dir + '/l');
	assert.equal(fs.readFileSync(dir + '/l', 'utf8'), 'hello!');
	fs.rmSync(dir, { recursive: true });
	assert.throws(() => fs.readFileSync('none'), { code: 'ENOENT' });
	console.log('ok');
})();
