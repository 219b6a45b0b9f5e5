import {
  basicConstraints,
  type Certificate,
  extendedKeyUsages,
  extensionIds,
  isIssuedBy,
  isSelfSigned,
  type KeyUsage,
  keyUsages,
  nameOf,
} from './certificate.js';
import {keyAlgorithm} from './algorithm.js';
import {unverified} from './refuse.js';

/** What a chain is for: its leaf signs artifacts, or timestamps. */
export type ChainPurpose = 'codeSigning' | 'timestamping';

const usageIds = {
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
  emailProtection: '1.3.6.1.5.5.7.3.4',
  timeStamping: '1.3.6.1.5.5.7.3.8',
  ocspSigning: '1.3.6.1.5.5.7.3.9',
} as const;
const notForCode: ReadonlySet<string> = new Set(Object.values(usageIds));
/** Name constraints and their like are not read, so a certificate that insists on them is refused. */
const understood: ReadonlySet<string> = new Set([...Object.values(extensionIds), '2.5.29.17', '2.5.29.32', '2.5.29.35']);
const notForLeaves: readonly KeyUsage[] = ['keyEncipherment', 'dataEncipherment', 'keyAgreement', 'keyCertSign', 'cRLSign', 'encipherOnly', 'decipherOnly'];

/**
 * The rules of the specification for a chain, leaf first, root last: each certificate is issued by the next one, the last
 * one by itself, and each may do what it does there. Validity in time is judged apart. Throws an `ImageVerificationError`.
 */
export function checkChain(chain: readonly Certificate[], purpose: ChainPurpose): void {
  chain.forEach((certificate, index) => {
    const issuer = chain[index + 1];
    if (issuer === undefined) {
      if (!isSelfSigned(certificate)) throw unverified(`the certificate chain does not end with a self-signed certificate but with ${nameOf(certificate)}`);
    } else {
      if (isSelfSigned(certificate)) throw unverified(`certificate ${nameOf(certificate)} is self-signed in the midst of a chain`);
      if (!isIssuedBy(certificate, issuer)) throw unverified(`certificate ${nameOf(certificate)} is not issued by ${nameOf(issuer)}`);
    }
    for (const [id, {critical}] of certificate.extensions) {
      if (critical && !understood.has(id)) throw unverified(`certificate ${nameOf(certificate)} has critical extension ${id}, which is not understood`);
    }
    if (index === 0) checkLeaf(certificate, purpose);
    else checkAuthority(certificate, index - 1);
  });
}

/** Every certificate valid at `instant` (milliseconds); `when` names it in the error. */
export function checkValidity(chain: readonly Certificate[], instant: number, when: string): void {
  for (const certificate of chain) {
    if (instant < certificate.notBefore) throw unverified(`certificate ${nameOf(certificate)} was not yet valid ${when}`);
    if (instant > certificate.notAfter) throw unverified(`certificate ${nameOf(certificate)} was expired ${when} (valid until ${new Date(certificate.notAfter).toISOString()})`);
  }
}

function checkLeaf(leaf: Certificate, purpose: ChainPurpose): void {
  const name = nameOf(leaf);
  if (basicConstraints(leaf)?.ca) throw unverified(`signing certificate ${name} is an authority's`);
  const usages = keyUsages(leaf);
  if (usages === undefined) throw unverified(`signing certificate ${name} has no key usage`);
  if (purpose === 'codeSigning' && !leaf.extensions.get(extensionIds.keyUsage)?.critical) throw unverified(`signing certificate ${name}: key usage has to be critical`);
  if (!usages.has('digitalSignature')) throw unverified(`signing certificate ${name} lacks key usage digitalSignature`);
  const wrong = notForLeaves.filter(usage => usages.has(usage));
  if (wrong.length > 0) throw unverified(`signing certificate ${name} has key usage ${wrong.join(', ')}`);
  const extended = extendedKeyUsages(leaf);
  if (purpose === 'timestamping') {
    const critical = leaf.extensions.get(extensionIds.extendedKeyUsage)?.critical === true;
    if (extended.length !== 1 || extended[0] !== usageIds.timeStamping || !critical) throw unverified(`certificate ${name} has to have timeStamping as its only, critical extended key usage`);
  } else {
    const foreign = extended.filter(id => notForCode.has(id));
    if (foreign.length > 0) throw unverified(`signing certificate ${name} is for other uses (${foreign.join(', ')})`);
  }
  // Kind and size of key.
  keyAlgorithm(leaf);
}

function checkAuthority(authority: Certificate, below: number): void {
  const name = nameOf(authority);
  const constraints = basicConstraints(authority);
  if (!constraints?.ca) throw unverified(`certificate ${name} issued another one without being an authority's`);
  if (constraints.pathLength !== undefined && constraints.pathLength < below) throw unverified(`certificate ${name} allows ${constraints.pathLength} authorities below it, there are ${below}`);
  if (!keyUsages(authority)?.has('keyCertSign')) throw unverified(`certificate ${name} lacks key usage keyCertSign`);
}
