import type {KeyObject} from 'node:crypto';
import {parseJson} from '../../../engine/json/parse.js';
import {isObject, type Json, type JsonObject} from '../../../engine/json/types.js';
import type {Transparency} from '../../../engine/image/verification.js';
import {type Certificate, readBundle, readCertificate} from '../notary/certificate.js';
import {unverified} from '../notary/refuse.js';
import {bytesField, listField, objectField, objectsOf, textField} from './fields.js';
import {readDerKey, readPublicKeys, sha256, spkiOf} from './keys.js';

/** Milliseconds since the epoch. */
export interface Period {
  readonly start: number;
  readonly end: number;
}

/** Certificates of which the last ones are roots. */
export interface Authority {
  readonly certificates: readonly Certificate[];
  readonly validFor: Period;
}

/** A transparency log, or a log of certificates. */
export interface Log {
  readonly id: Buffer;
  readonly key: KeyObject;
  readonly validFor: Period;
}

/** Whom signatures without a key of their own are believed by. */
export interface Trust {
  readonly fulcio: readonly Authority[];
  readonly tsa: readonly Authority[];
  readonly rekor: readonly Log[];
  readonly ctlogs: readonly Log[];
}

export const noTrust: Trust = {fulcio: [], tsa: [], rekor: [], ctlogs: []};
const always: Period = {start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY};
const maxBytes = 1024 * 1024;

/** Reads the JSON of a TrustedRoot, at most 1 MiB. */
export function readTrustedRoot(text: string): Trust {
  if (text.length > maxBytes) throw unverified('the trusted root exceeds 1 MiB');
  let json: Json;
  try {
    json = parseJson(text);
  } catch (cause) {
    throw unverified('the trusted root is no JSON', {cause});
  }
  if (!isObject(json)) throw unverified('the trusted root is no object');
  return trustedRootOf(json);
}

export function trustedRootOf(json: JsonObject): Trust {
  const authorities = (key: string): Authority[] =>
    objectsOf(listField(json, key)).map(authority => {
      const chain = objectField(authority, 'certChain');
      const certificates = chain === undefined ? [] : objectsOf(listField(chain, 'certificates'));
      return {
        certificates: certificates.map(certificate => readCertificate(bytesField(certificate, 'rawBytes'))),
        validFor: periodOf(objectField(authority, 'validFor')),
      };
    });
  const logs = (key: string): Log[] =>
    objectsOf(listField(json, key)).flatMap(log => {
      const publicKey = objectField(log, 'publicKey');
      const id = objectField(log, 'logId');
      if (publicKey === undefined) return [];
      const read = readDerKey(bytesField(publicKey, 'rawBytes'), `trusted root: ${key}`);
      const named = id === undefined ? Buffer.alloc(0) : bytesField(id, 'keyId');
      return [{id: named.length > 0 ? named : sha256(spkiOf(read)), key: read, validFor: periodOf(objectField(publicKey, 'validFor'))}];
    });
  return {
    fulcio: authorities('certificateAuthorities'),
    tsa: authorities('timestampAuthorities'),
    rekor: logs('tlogs'),
    ctlogs: logs('ctlogs'),
  };
}

function periodOf(json: JsonObject | undefined): Period {
  if (json === undefined) return always;
  const time = (key: string, fallback: number) => {
    const text = textField(json, key);
    if (text === '') return fallback;
    const parsed = Date.parse(text);
    if (Number.isNaN(parsed)) throw unverified(`trusted root: ${key} is no time`);
    return parsed;
  };
  return {start: time('start', always.start), end: time('end', always.end)};
}

/** What the policy itself gives goes in place of what the root has. */
export function withOwnTrust(trust: Trust, transparency: Transparency, roots: string | undefined): Trust {
  const {rekorPublicKey, ctlogPublicKey, tsaCertChain} = transparency;
  return {
    fulcio: roots === undefined ? trust.fulcio : [{certificates: readBundle(roots, 'roots'), validFor: always}],
    tsa: tsaCertChain === undefined ? trust.tsa : [{certificates: readBundle(tsaCertChain, 'tsaCertChain'), validFor: always}],
    rekor: rekorPublicKey === undefined ? trust.rekor : logsOf(rekorPublicKey, 'rekor public key'),
    ctlogs: ctlogPublicKey === undefined ? trust.ctlogs : logsOf(ctlogPublicKey, 'certificate log public key'),
  };
}

function logsOf(pem: string, what: string): Log[] {
  return readPublicKeys(pem, what).map(key => ({id: sha256(spkiOf(key)), key, validFor: always}));
}

export function holdsAt({start, end}: Period, time: number): boolean {
  return start <= time && time <= end;
}

