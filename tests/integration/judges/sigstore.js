// sigstore.js DIR PROOF... - a log of ours, judged by @sigstore/verify: the checkpoint, and that the entries which
// somebody holds a proof of (bawn audit proof) are still in the log and in the tree that it has signed.
'use strict';
const { readFileSync, readdirSync } = require('fs');
const { createHash, createPublicKey } = require('crypto');
const { verifyCheckpoint } = require('@sigstore/verify/dist/timestamp/checkpoint.js');
const { verifyMerkleInclusion } = require('@sigstore/verify/dist/timestamp/merkle.js');

const [dir, ...proofs] = process.argv.slice(2);
const refuse = (why) => { console.log(why); process.exit(1); };

// The verifier keys of all epochs, as transparency logs: sigstore finds one by the first bytes of its id.
const logs = readdirSync(`${dir}/keys`).map((name) => {
  const [, id, key] = readFileSync(`${dir}/keys/${name}`, 'utf8').trim().match(/^[^+]*\+([0-9a-f]{8})\+(.*)$/);
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), Buffer.from(key, 'base64').subarray(1)]);
  return { logID: Buffer.from(id, 'hex'), publicKey: createPublicKey({ key: der, format: 'der', type: 'spki' }),
    validFor: { start: new Date(0), end: new Date(1) } };
});

const lines = readdirSync(`${dir}/seg`).sort().flatMap((name) => readFileSync(`${dir}/seg/${name}`, 'latin1').split('\n').slice(0, -1));

// What the tree has at this place: the SHA-256 of the line up to its hash.
function leaf(index) {
  const line = lines[index] ?? refuse(`entry ${index} is missing`);
  return createHash('sha256').update(line.slice(0, line.lastIndexOf(',"hash":"')) + '}', 'latin1').digest();
}

function check(note, index, path) {
  const [, size, root] = note.split('\n');
  const inclusionProof = { logIndex: String(index), treeSize: size, rootHash: Buffer.from(root, 'base64'), hashes: path,
    checkpoint: { envelope: note } };
  verifyCheckpoint({ integratedTime: '0', inclusionProof }, logs);
  if (index !== null)
    verifyMerkleInclusion({ canonicalizedBody: leaf(index), inclusionProof });
}

try {
  check(readFileSync(`${dir}/checkpoint`, 'utf8'), null, []);
  for (const file of proofs) {
    const text = readFileSync(file, 'utf8'), end = text.indexOf('\n\n');
    const [, index, ...path] = text.slice(0, end).split('\n');
    check(text.slice(end + 2), Number(index.replace('index ', '')), path.map((hash) => Buffer.from(hash, 'base64')));
  }
} catch (e) {
  refuse(`${e.name}: ${e.message}`);
}
console.log(`good: ${proofs.length} proofs`);
