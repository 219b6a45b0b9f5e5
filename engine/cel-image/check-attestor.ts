import {Buffer} from 'node:buffer';
import {keyServiceOf} from '../image/key-services.js';
import {isObject, type Json, type JsonObject, own} from '../json/types.js';
import {child, has, objects, text} from '../policy/access.js';
import {at, type Faults} from '../policy/faults.js';
import {type PemKind, pemFault} from './pem-fault.js';

const required = 'Required value';
const mostRootBytes = 1024 * 1024;

/** An attestor of cosign: one signer, and nothing that cannot be what it has to be. */
export function checkCosign(cosign: JsonObject, path: string, faults: Faults): void {
  const signers = ['key', 'keyless', 'certificate'].filter(kind => has(cosign, kind));
  if (signers.length !== 1) {
    faults.error('attestor-signer', path, 'cosign verifier needs to have one key, keyless or certificate fields set', {
      hint: signers.length === 0 ? 'none is given' : `given: ${signers.join(', ')}`,
    });
  }
  const [key, keyless, certificate] = ['key', 'keyless', 'certificate'].map(kind => child(cosign, kind));
  if (key !== undefined) checkKey(key, at(path, 'key'), faults);
  if (keyless !== undefined) checkKeyless(keyless, at(path, 'keyless'), faults);
  if (certificate !== undefined) checkCertificate(certificate, at(path, 'certificate'), faults);
  checkLog(child(cosign, 'ctlog'), at(path, 'ctlog'), faults);
  checkTuf(child(cosign, 'tuf'), at(path, 'tuf'), faults);
  checkGiven(own(cosign, 'trustedRoot'), at(path, 'trustedRoot'), faults);
  const root = text(child(cosign, 'trustedRoot'), 'value');
  if (root) checkJson(root, `${path}.trustedRoot.value`, faults);
  objects(child(cosign, 'source'), 'PullSecrets').forEach((secret, index) => {
    if (!text(secret, 'name')) faults.error('field-missing', at(at(`${path}.source.PullSecrets`, index), 'name'), required);
  });
}

function checkKey(key: JsonObject, path: string, faults: Faults): void {
  const given = ['data', 'kms', 'expression'].filter(field => text(key, field));
  if (given.length !== 1) {
    faults.error('attestor-key', path, 'exactly one of data, kms and expression must be set');
    return;
  }
  const data = text(key, 'data');
  if (data) checkPem(data, 'public key', at(path, 'data'), faults);
  const kms = text(key, 'kms');
  if (kms && keyServiceOf(kms) === undefined) {
    faults.error('attestor-key', at(path, 'kms'), `Invalid value: ${JSON.stringify(kms)}: an address like awskms:///alias/key`);
  } else if (kms?.startsWith('k8s://') && !/^k8s:\/\/[^/]+\/[^/]+$/.test(kms)) {
    faults.error('attestor-key', at(path, 'kms'), `Invalid value: ${JSON.stringify(kms)}: write k8s://namespace/name`);
  }
}

function checkKeyless(keyless: JsonObject, path: string, faults: Faults): void {
  const identities = objects(keyless, 'identities');
  if (identities.length === 0) faults.error('field-missing', at(path, 'identities'), required);
  identities.forEach((identity, index) => {
    checkIdentity(identity, at(at(path, 'identities'), index), faults);
  });
  const roots = text(keyless, 'roots');
  if (roots) checkPem(roots, 'certificate', at(path, 'roots'), faults);
}

const forms = [
  ['issuer', ['issuer', 'issuerRegExp']],
  ['subject', ['subject', 'subjectRegExp', 'subjectExpression']],
] as const;

function checkIdentity(identity: JsonObject, path: string, faults: Faults): void {
  let known = 0;
  for (const [what, fields] of forms) {
    const given = fields.filter(field => text(identity, field));
    if (given.length > 1) faults.error('attestor-identity', path, `only one of ${given.join(' and ')} may be set`);
    if (given.length > 0) known += 1;
    else faults.warn('attestor-identity', at(path, what), `any ${what} will do`);
  }
  // Anybody can have a certificate of some identity.
  if (known === 0) faults.error('attestor-identity', path, 'an identity without issuer and subject is anybody');
  for (const field of ['issuerRegExp', 'subjectRegExp']) {
    const pattern = text(identity, field);
    if (pattern) warnOfAnchors(pattern, at(path, field), faults);
  }
}

/** The expression is looked for anywhere in the text: without both ends fixed others may fit who were not meant. */
function warnOfAnchors(pattern: string, path: string, faults: Faults): void {
  const bare = pattern.replace(/^\(\?[a-zA-Z]+\)/, '');
  const missing = [bare.startsWith('^') || bare.startsWith('\\A') ? '' : '^', /(?<!\\)\$$|\\z$/.test(bare) ? '' : '$'].filter(Boolean);
  if (missing.length === 0) return;
  faults.warn('regexp-anchors', path, `the expression may match a part of the text: ${missing.join(' and ')} is missing`, {
    hint: `^${bare.replace(/^\^/, '').replace(/(?<!\\)\$$/, '')}$`,
  });
}

function checkCertificate(certificate: JsonObject, path: string, faults: Faults): void {
  const given = ['cert', 'certChain'].filter(field => has(certificate, field));
  if (given.length === 0) faults.error('attestor-certificate', path, 'cert or certChain must be set');
  for (const field of given) checkGiven(own(certificate, field), at(path, field), faults, 'certificate');
}

function checkLog(log: JsonObject | undefined, path: string, faults: Faults): void {
  const kinds = {rekorPubKey: 'public key', ctLogPubKey: 'public key', tsaCertChain: 'certificate'} as const;
  for (const [field, kind] of Object.entries(kinds)) {
    const pem = text(log, field);
    if (pem) checkPem(pem, kind, at(path, field), faults);
  }
  const url = text(log, 'url');
  if (url && !/^https?:\/\/[^/]/.test(url)) faults.error('log-url', at(path, 'url'), `Invalid value: ${JSON.stringify(url)}: no http address`);
}

function checkTuf(tuf: JsonObject | undefined, path: string, faults: Faults): void {
  const mirror = text(tuf, 'mirror');
  if (mirror && !/^https?:\/\/[^/]/.test(mirror)) {
    faults.error('tuf-mirror', at(path, 'mirror'), `Invalid value: ${JSON.stringify(mirror)}: no http address`);
  }
  const data = text(child(tuf, 'root'), 'data');
  if (!data) return;
  const root = decodedBase64(data);
  if (root === undefined) faults.error('tuf-root', `${path}.root.data`, 'Invalid value: not base64');
  else checkJson(root, `${path}.root.data`, faults);
  if (text(child(tuf, 'root'), 'path')) faults.warn('tuf-root', `${path}.root.data`, 'not used: path is set');
}

/** `{value}` or `{expression}`; with `kind` the value has to be PEM. */
export function checkGiven(block: Json | undefined, path: string, faults: Faults, kind?: PemKind): void {
  if (!isObject(block)) return;
  const [value, expression] = [text(block, 'value'), text(block, 'expression')];
  if (!value === !expression) faults.error('text-or-expression', path, 'exactly one of value and expression must be set');
  if (value && kind !== undefined) checkPem(value, kind, at(path, 'value'), faults);
}

function checkPem(pem: string, kind: PemKind, path: string, faults: Faults): void {
  const fault = pemFault(pem, kind);
  if (fault !== undefined) faults.error('pem', path, `Invalid value: ${fault}`);
}

function checkJson(json: string, path: string, faults: Faults): void {
  if (json.length > mostRootBytes) {
    faults.error('root-size', path, `Invalid value: longer than ${mostRootBytes} bytes`);
    return;
  }
  try {
    if (!isObject(JSON.parse(json) as Json)) faults.error('root-json', path, 'Invalid value: no JSON object');
  } catch {
    faults.error('root-json', path, 'Invalid value: not JSON');
  }
}

/** Text of a base64 field; `undefined` when it is none. */
function decodedBase64(data: string): string | undefined {
  const compact = data.replaceAll(/\s/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(compact)) return undefined;
  return Buffer.from(compact, 'base64').toString('utf8');
}
