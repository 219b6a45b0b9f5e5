import {sameBytes} from '../notary/certificate.js';
import {unverified} from '../notary/refuse.js';
import type {InclusionProof} from './log-entry.js';
import {isSignedBy, sha256} from './keys.js';
import type {Log} from './trust.js';

const maxSignatures = 16;
const maxLength = 64 * 1024;
const signatureLine = /^\u2014 \S+ ([A-Za-z0-9+/]+={0,2})$/;

/**
 * Proves that the leaf is in the tree whose size and root a trusted log has signed (a note of
 * transparency-dev/formats). Throws an `ImageVerificationError`.
 */
export function checkCheckpoint(leaf: Uint8Array, proof: InclusionProof, logs: readonly Log[]): void {
  const {checkpoint} = proof;
  const end = checkpoint.indexOf('\n\n');
  if (end < 0 || checkpoint.length > maxLength) throw unverified('the checkpoint of the transparency log is malformed');
  const note = checkpoint.slice(0, end + 1);
  const signed = Buffer.from(note);
  const signatures = checkpoint
    .slice(end + 2)
    .split('\n', maxSignatures)
    .flatMap(line => signatureLine.exec(line)?.[1] ?? [])
    // Four bytes say which key it is: every trusted one is tried instead.
    .map(text => Buffer.from(text, 'base64').subarray(4));
  const holds = signatures.some(signature => logs.some(({key}) => isSignedBy(key, signed, {signature, hashes: ['sha256']})));
  if (!holds) throw unverified('the checkpoint is not signed by a trusted transparency log');
  const [, size = '', root = ''] = note.split('\n');
  if (!/^\d{1,19}$/.test(size)) throw unverified('the checkpoint of the transparency log is malformed');
  const computed = rootOf(leaf, {index: proof.index, size: BigInt(size), hashes: proof.hashes});
  if (!sameBytes(computed, Buffer.from(root, 'base64'))) throw unverified('the entry is not in the tree of the transparency log');
}

interface Path {
  readonly index: bigint;
  readonly size: bigint;
  readonly hashes: readonly Uint8Array[];
}

const leafPrefix = Uint8Array.of(0);
const nodePrefix = Uint8Array.of(1);

/** Root of the tree by the audit path of a leaf (RFC 9162, 2.1.3.2). */
export function rootOf(leaf: Uint8Array, {index, size, hashes}: Path): Uint8Array {
  if (index >= size) throw unverified('the entry is beyond the tree of the transparency log');
  let node = index;
  let last = size - 1n;
  let hash: Uint8Array = sha256(leafPrefix, leaf);
  for (const sibling of hashes) {
    if (last === 0n) throw unverified('the inclusion proof is too long');
    if ((node & 1n) === 1n || node === last) {
      hash = sha256(nodePrefix, sibling, hash);
      while ((node & 1n) === 0n && node !== 0n) {
        node >>= 1n;
        last >>= 1n;
      }
    } else {
      hash = sha256(nodePrefix, hash, sibling);
    }
    node >>= 1n;
    last >>= 1n;
  }
  if (last !== 0n) throw unverified('the inclusion proof is too short');
  return hash;
}
