// Installs the packages that are its arguments into /workspace/env and tells what came.
//
// bawn runs this in a sandbox of its own, whose network leads to the registry alone.  No script of a package is run.
// What it tells, and what it leaves in env, is checked outside.
const { spawnSync } = require('child_process');
const fs = require('fs');

fs.mkdirSync('/workspace/env');
const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-bin-links', '--no-progress', '--loglevel=error', '--prefix', '/workspace/env', '--cache', '/workspace/cache'];
const done = spawnSync('npm', ['install', ...flags, '--', ...process.argv.slice(2)], { stdio: ['ignore', 'ignore', 'inherit'] });
if (done.error) process.exit(done.error.code === 'ENOENT' ? 127 : 1);
if (done.status !== 0) process.exit(done.status > 0 && done.status < 126 ? done.status : 1);
const lock = JSON.parse(fs.readFileSync('/workspace/env/node_modules/.package-lock.json', 'utf8'));
const named = (path, p) => p.name || path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
// What a package bundles came in its own file: it has that file's hash and origin, and says in whose.
const whole = (path) => {
  for (let at = path.lastIndexOf('/node_modules/'); at > 0; at = path.lastIndexOf('/node_modules/', at - 1)) {
    const p = lock.packages[path.slice(0, at)];
    if (p && !p.inBundle) return [named(path.slice(0, at), p), p];
  }
  return [undefined, {}];
};
const packages = Object.entries(lock.packages).map(([path, p]) => {
  const [bundled_in, from] = p.inBundle ? whole(path) : [undefined, p];
  return { name: named(path, p), version: p.version, hash: from.integrity, url: from.resolved, bundled_in };
});
const npm = spawnSync('npm', ['--version'], { encoding: 'utf8' }).stdout.trim();
const interpreter = `node ${process.versions.node} modules ${process.versions.modules} ${process.platform} ${process.arch}`;
fs.writeFileSync('/workspace/report.json', JSON.stringify({ interpreter, tool: 'npm ' + npm, packages }));
for (const path of ['/workspace/cache', '/workspace/.npm']) fs.rmSync(path, { recursive: true, force: true });
