import type {Identity, KeylessSigner, TextMatch} from '../../../engine/image/verification.js';
import type {RegexEngine} from '../../../engine/regex/types.js';
import {globMatch} from '../../../engine/values/glob.js';
import {children, context, contextPrimitive, type DerNode, objectId, readOne, tags} from '../../../engine/x509/der.js';
import type {Certificate} from '../notary/certificate.js';
import {unverified} from '../notary/refuse.js';

/** Who a certificate says its holder is. */
export interface CertificateIdentity {
  /** Of the token that the holder came with; empty when the certificate does not say. */
  readonly issuer: string;
  /** All alternative names: mail addresses, URIs, host names, user names. */
  readonly subjects: readonly string[];
}

const fulcio = '1.3.6.1.4.1.57264.1.';
const alternativeNames = '2.5.29.17';
const userName = `${fulcio}7`;
/** Fulcio's extensions, by their numbers. */
const extensionNames: ReadonlyArray<readonly [string, number]> = [
  ['oidcIssuer', 1],
  ['githubWorkflowTrigger', 2],
  ['githubWorkflowSha', 3],
  ['githubWorkflowName', 4],
  ['githubWorkflowRepository', 5],
  ['githubWorkflowRef', 6],
  ['issuer', 8],
  ['buildSignerURI', 9],
  ['buildSignerDigest', 10],
  ['runnerEnvironment', 11],
  ['sourceRepositoryURI', 12],
  ['sourceRepositoryDigest', 13],
  ['sourceRepositoryRef', 14],
  ['sourceRepositoryIdentifier', 15],
  ['sourceRepositoryOwnerURI', 16],
  ['sourceRepositoryOwnerIdentifier', 17],
  ['buildConfigURI', 18],
  ['buildConfigDigest', 19],
  ['buildTrigger', 20],
  ['runInvocationURI', 21],
  ['sourceRepositoryVisibilityAtSigning', 22],
];
const numbers = new Map(extensionNames.map(([name, number]) => [name.toLowerCase(), number]));

export function identityOf(certificate: Certificate): CertificateIdentity {
  const issuer = extensionText(certificate, `${fulcio}8`) ?? extensionText(certificate, `${fulcio}1`) ?? '';
  const names = certificate.extensions.get(alternativeNames);
  const subjects = names === undefined ? [] : children(readOne(names.value), tags.sequence).flatMap(name => subjectOf(name) ?? []);
  return {issuer, subjects};
}

function subjectOf(name: DerNode): string | undefined {
  const isText = [1, 2, 6].some(kind => name.tag === contextPrimitive(kind));
  if (isText) return Buffer.from(name.content).toString('latin1');
  if (name.tag !== context(0)) return undefined;
  const [id, value] = children({...name, tag: tags.sequence}, tags.sequence);
  if (value === undefined || objectId(id).join('.') !== userName) return undefined;
  return Buffer.from(readOne(value.content).content).toString('utf8');
}

/** The first five are bare text, the later ones text in DER. */
function extensionText({extensions}: Certificate, id: string): string | undefined {
  const found = extensions.get(id);
  if (found === undefined) return undefined;
  const isBare = id.startsWith(fulcio) && Number(id.slice(fulcio.length)) <= 6;
  return Buffer.from(isBare ? found.value : readOne(found.value).content).toString('utf8');
}

/** Proves that the certificate's holder is one of those that a policy names. Throws an `ImageVerificationError`. */
export function checkIdentity(certificate: Certificate, {identities, additionalExtensions}: KeylessSigner, regex: RegexEngine): void {
  const {issuer, subjects} = identityOf(certificate);
  const fits = (wanted: Identity) =>
    (isBlank(wanted.issuer) || isMatch(wanted.issuer, issuer, regex)) &&
    (isBlank(wanted.subject) || subjects.some(subject => isMatch(wanted.subject!, subject, regex)));
  if (!identities.some(fits)) {
    const who = `subject ${subjects.map(subject => JSON.stringify(subject)).join(', ') || 'none'}, issuer ${JSON.stringify(issuer)}`;
    throw unverified(`none of the expected identities fits: signed by ${who}`);
  }
  for (const [name, wanted] of Object.entries(additionalExtensions)) {
    const number = numbers.get(name.toLowerCase());
    const id = number === undefined ? name : `${fulcio}${number}`;
    const found = /^\d+(\.\d+)+$/.test(id) ? extensionText(certificate, id) : undefined;
    if (found === undefined) throw unverified(`the certificate has no extension ${JSON.stringify(name)}`);
    if (found !== wanted) throw unverified(`certificate extension ${JSON.stringify(name)} is ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
  }
}

function isBlank(wanted: TextMatch | undefined): wanted is undefined {
  return wanted === undefined || wanted.text === '';
}

function isMatch({kind, text}: TextMatch, value: string, regex: RegexEngine): boolean {
  if (kind === 'exact') return value === text;
  return kind === 'wildcard' ? globMatch(text, value) : regex.compile(text).test(value);
}
