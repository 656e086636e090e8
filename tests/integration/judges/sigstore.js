// sigstore.js DIR PROOF... - a log of ours, judged by @sigstore/verify: the checkpoint, the signatures in the log, and that the
// entries which somebody holds a proof of (bawn audit proof) are still in the log and in the tree that it has signed.
'use strict';
const { readFileSync, readdirSync } = require('fs');
const { createHash, createPublicKey } = require('crypto');
const { verifyCheckpoint } = require('@sigstore/verify/dist/timestamp/checkpoint.js');
const { verifyMerkleInclusion } = require('@sigstore/verify/dist/timestamp/merkle.js');

const [dir, ...proofs] = process.argv.slice(2);
const refuse = (why) => { console.log(why); process.exit(1); };

const lines = readdirSync(`${dir}/seg`).sort().flatMap((name) => readFileSync(`${dir}/seg/${name}`, 'latin1').split('\n').slice(0, -1));

// Where each epoch begins: after the log.key that names its key.
const begins = [0, ...lines.flatMap((line, i) => line.slice(line.indexOf(',"type":"')).startsWith(',"type":"log.key",') ? [i + 1] : [])];

// The verifier keys of all epochs, as transparency logs: sigstore finds one by the first bytes of its id, and takes it
// only for the time that it is valid for.  Our time is the number of the entry that is signed.
const at = (seq) => new Date(seq * 1000);
const logs = readdirSync(`${dir}/keys`).map((name) => {
  const epoch = Number(name.match(/^epoch-(\d+)\.vkey$/)[1]);
  const [, origin, id, key] = readFileSync(`${dir}/keys/${name}`, 'utf8').trim().match(/^([^+]*)\+([0-9a-f]{8})\+(.*)$/);
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), Buffer.from(key, 'base64').subarray(1)]);
  return { epoch, origin, logID: Buffer.from(id, 'hex'), publicKey: createPublicKey({ key: der, format: 'der', type: 'spki' }),
    validFor: { start: at(begins[epoch]), end: at(epoch + 1 in begins ? begins[epoch + 1] - 1 : 8.64e12) } };
});

// What the tree has at this place: the SHA-256 of the line up to its hash.
function leaf(index) {
  const line = lines[index] ?? refuse(`entry ${index} is missing`);
  return createHash('sha256').update(line.slice(0, line.lastIndexOf(',"hash":"')) + '}', 'latin1').digest();
}

function check(note, index, path) {
  const [, size, root] = note.split('\n');
  const inclusionProof = { logIndex: String(index), treeSize: size, rootHash: Buffer.from(root, 'base64'), hashes: path,
    checkpoint: { envelope: note } };
  verifyCheckpoint({ integratedTime: String(size - 1), inclusionProof }, logs);
  if (index !== null)
    verifyMerkleInclusion({ canonicalizedBody: leaf(index), inclusionProof });
}

// The checkpoint that an entry carries, as a note; null where it carries none.
function inline(line, seq) {
  const [, root, signature] = line.match(/","root":"([^"]*)","signature":"([^"]*)"}$/) ?? [];
  const epoch = begins.filter((first) => first <= seq).length - 1, key = logs.find((log) => log.epoch === epoch);
  if (root === undefined)
    return null;
  const sig = Buffer.concat([key.logID, Buffer.from(signature, 'base64')]).toString('base64');
  return `${key.origin}\n${seq + 1}\n${root}\n\n\u2014 ${key.origin} ${sig}\n`;
}

try {
  check(readFileSync(`${dir}/checkpoint`, 'utf8'), null, []);
  for (const file of proofs) {
    const text = readFileSync(file, 'utf8'), end = text.indexOf('\n\n');
    const [, index, ...path] = text.slice(0, end).split('\n');
    check(text.slice(end + 2), Number(index.replace('index ', '')), path.map((hash) => Buffer.from(hash, 'base64')));
  }
  lines.map(inline).filter((note) => note !== null).forEach((note) => check(note, null, []));
} catch (e) {
  refuse(`${e.name}: ${e.message}`);
}
console.log(`good: ${proofs.length} proofs`);
