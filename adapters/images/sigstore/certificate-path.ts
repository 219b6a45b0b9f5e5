import {basicConstraints, type Certificate, extendedKeyUsages, extensionIds, isIssuedBy, keyUsages, nameOf, sameBytes} from '../notary/certificate.js';
import {unverified} from '../notary/refuse.js';

const codeSigning = new Set(['1.3.6.1.5.5.7.3.3', '2.5.29.37.0']);
const understood = new Set<string>([...Object.values(extensionIds), '2.5.29.17', '2.5.29.32', '2.5.29.35']);
const maxLength = 11;
const maxPool = 50;

export interface PathQuestion {
  readonly leaf: Certificate;
  /** Believed as they are. */
  readonly anchors: readonly Certificate[];
  /** Perhaps on the way, proven by whoever issued them. */
  readonly others: readonly Certificate[];
}

/** From the leaf to the first certificate that is believed; at least two. Throws an `ImageVerificationError`. */
export function findPath({leaf, anchors, others}: PathQuestion): readonly Certificate[] {
  checkUse(leaf);
  if (basicConstraints(leaf)?.ca) throw unverified(`signing certificate ${nameOf(leaf)} is an authority's`);
  const pool = [...anchors, ...others].slice(0, maxPool);
  const isAnchor = (one: Certificate) => anchors.some(anchor => sameBytes(anchor.x509.raw, one.x509.raw));
  const extend = (path: readonly Certificate[]): readonly Certificate[] | undefined => {
    const last = path.at(-1)!;
    if (path.length > 1 && isAnchor(last)) return path;
    if (path.length === maxLength) return undefined;
    for (const issuer of pool) {
      if (path.includes(issuer) || !mayIssue(issuer, path.length - 1) || !isIssuedBy(last, issuer)) continue;
      const found = extend([...path, issuer]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const path = extend([leaf]);
  if (path === undefined) throw unverified(`signing certificate ${nameOf(leaf)} is issued by none of the trusted authorities`);
  return path;
}

/** All of them valid at `time` (milliseconds). */
export function checkPathAt(path: readonly Certificate[], time: number): void {
  for (const certificate of path) {
    if (time >= certificate.notBefore && time <= certificate.notAfter) continue;
    const period = `${new Date(certificate.notBefore).toISOString()} to ${new Date(certificate.notAfter).toISOString()}`;
    throw unverified(`certificate ${nameOf(certificate)} was not valid when the signature was made (${new Date(time).toISOString()}): it is from ${period}`);
  }
}

function mayIssue(authority: Certificate, below: number): boolean {
  const constraints = basicConstraints(authority);
  if (!constraints?.ca || (constraints.pathLength !== undefined && constraints.pathLength < below)) return false;
  const usages = keyUsages(authority);
  const extended = extendedKeyUsages(authority);
  return (usages === undefined || usages.has('keyCertSign')) && (extended.length === 0 || extended.some(id => codeSigning.has(id)));
}

function checkUse(leaf: Certificate): void {
  for (const [id, {critical}] of leaf.extensions) {
    if (critical && !understood.has(id)) throw unverified(`certificate ${nameOf(leaf)} has critical extension ${id}, which is not understood`);
  }
  const usages = keyUsages(leaf);
  if (usages !== undefined && !usages.has('digitalSignature')) throw unverified(`certificate ${nameOf(leaf)} is not for signatures`);
  const extended = extendedKeyUsages(leaf);
  if (extended.length > 0 && !extended.some(id => codeSigning.has(id))) throw unverified(`certificate ${nameOf(leaf)} is not for signing code`);
}
