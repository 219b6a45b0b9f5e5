import {type JsonObject, own} from '../json/types.js';
import {findVariables} from '../variables/scan.js';
import {child, flag, has, integer, objects, strings, text} from './access.js';
import type {Scope} from './check-scope.js';
import {checkConditionBlocks, checkConditions} from './checks-conditions.js';
import {at, type Faults} from './faults.js';

export function checkVerifyImages(rule: JsonObject, path: string, scope: Scope): void {
  const entries = objects(rule, 'verifyImages');
  entries.forEach((entry, index) => {
    checkEntry(entry, at(at(path, 'verifyImages'), index), scope);
  });
  const extractors = child(rule, 'imageExtractors') ?? {};
  const mutates = entries.some(entry => flag(entry, 'mutateDigest') !== false);
  for (const kind of Object.keys(extractors)) {
    objects(extractors, kind).forEach((extractor, index) => {
      const place = at(at(at(path, 'imageExtractors'), kind), index);
      if (!text(extractor, 'path')) scope.faults.error('extractor-path', at(place, 'path'), 'path is required');
      if (text(extractor, 'jmesPath') && mutates) {
        scope.faults.error(
          'extractor-jmespath',
          at(place, 'jmesPath'),
          'jmespath may not be used in an image extractor when mutating digests with verify images',
        );
      }
    });
  }
}

function checkEntry(entry: JsonObject, path: string, scope: Scope): void {
  const {faults, spec} = scope;
  const references = strings(entry, 'imageReferences');
  if (references.length === 0 && !text(entry, 'image')) {
    faults.error('image-reference', at(path, 'imageReferences'), 'An image reference is required');
  }
  for (const key of ['imageReferences', 'skipImageReferences']) {
    strings(entry, key).forEach((reference, index) => {
      if (findVariables(reference).length === 0) return;
      faults.error(
        'variable-in-image',
        at(at(path, key), index),
        'rule should not have variables in image reference section',
      );
    });
  }
  const old = ['image', 'key', 'issuer', 'subject', 'roots', 'annotations', 'additionalExtensions'].filter(key =>
    has(entry, key),
  );
  if (old.length > 0) {
    faults.warn('deprecated-field', path, `${old.join(', ')}: deprecated, use imageReferences and attestors instead`);
  }
  checkFlatForm(entry, path, faults);
  const action = text(entry, 'failureAction') ?? text(spec, 'validationFailureAction');
  if (action === 'Audit' && flag(entry, 'mutateDigest') !== false) {
    faults.error(
      'mutate-digest-audit',
      at(path, 'mutateDigest'),
      'mutateDigest must be set to false for ‘Audit’ failure action',
    );
  }
  const type = text(entry, 'type') ?? 'Cosign';
  checkAttestorSets(objects(entry, 'attestors'), at(path, 'attestors'), type, faults);
  objects(entry, 'attestations').forEach((attestation, index) => {
    checkAttestation(attestation, at(at(path, 'attestations'), index), type, faults);
  });
  const deny = child(child(entry, 'validate'), 'deny');
  if (deny) checkConditions(own(deny, 'conditions'), at(at(at(path, 'validate'), 'deny'), 'conditions'), faults);
}

/** Parts of the older form that nothing would read: somebody believes that they are asked for. */
function checkFlatForm(entry: JsonObject, path: string, faults: Faults): void {
  const isSet = (key: string) => (text(entry, key) ?? '') !== '';
  if (isSet('key') && isSet('issuer')) faults.error('image-flat-form', at(path, 'issuer'), 'only one of key and issuer can be used');
  for (const key of ['subject', 'roots', 'additionalExtensions']) {
    if (has(entry, key) && !isSet('issuer')) faults.error('image-flat-form', at(path, key), `${key} is only read together with issuer`);
  }
  if (has(entry, 'annotations') && !isSet('key') && !isSet('issuer')) {
    faults.error('image-flat-form', at(path, 'annotations'), 'annotations are only read together with key or issuer');
  }
}

function checkAttestation(attestation: JsonObject, path: string, type: string, faults: Faults): void {
  const predicate = text(attestation, 'predicateType');
  const statement = text(attestation, 'type');
  if (predicate && statement)
    faults.error('predicate-type', at(path, 'predicateType'), 'predicateType and type cannot be used together');
  else if (predicate) {
    faults.warn(
      'predicate-type',
      at(path, 'predicateType'),
      `predicateType has been deprecated use 'type: ${predicate}' instead of 'predicateType: ${predicate}'`,
    );
  } else if (!statement) faults.error('predicate-type', at(path, 'type'), 'a type is required');
  checkAttestorSets(objects(attestation, 'attestors'), at(path, 'attestors'), type, faults);
  checkConditionBlocks(own(attestation, 'conditions'), at(path, 'conditions'), faults);
}

export function checkAttestorSets(sets: readonly JsonObject[], path: string, type: string, faults: Faults): void {
  sets.forEach((set, index) => {
    checkAttestorSet(set, at(path, index), type, faults);
  });
}

function checkAttestorSet(set: JsonObject, path: string, type: string, faults: Faults): void {
  const entries = objects(set, 'entries');
  if (entries.length === 0) {
    faults.error('attestor-entry', at(path, 'entries'), 'An entry is required');
    return;
  }
  // A key text may hold several keys, each an entry of its own.
  const count = integer(set, 'count') ?? 0;
  const possible = entries.reduce((sum, entry) => sum + keysIn(entry), 0);
  if (count > possible) faults.error('attestor-count', at(path, 'count'), 'Count cannot exceed length of entries');
  entries.forEach((entry, index) => {
    checkAttestor(entry, at(at(path, 'entries'), index), type, faults);
  });
}

function keysIn(entry: JsonObject): number {
  const keys = text(child(entry, 'keys'), 'publicKeys') ?? '';
  if (findVariables(keys).length > 0) return Number.POSITIVE_INFINITY;
  return Math.max(1, keys.split('-----END PUBLIC KEY-----').length - 1);
}

const attestorTypes = ['keys', 'certificates', 'keyless', 'attestor'];

function checkAttestor(entry: JsonObject, path: string, type: string, faults: Faults): void {
  const given = attestorTypes.filter(key => has(entry, key));
  if (given.length !== 1) {
    faults.error('attestor-type', path, 'keys, certificates, keyless, or a nested attestor is required', {
      hint: given.length === 0 ? 'none is given' : `given: ${given.join(', ')}`,
    });
    return;
  }
  const kind = given[0]!;
  const place = at(path, kind);
  const body = child(entry, kind)!;
  if (type === 'Notary' && (kind === 'keys' || kind === 'keyless')) {
    faults.error('attestor-notary', place, `${kind} is not allowed for type Notary`, {hint: 'use certificates'});
  }
  if (kind === 'keys') checkKeys(body, place, faults);
  else if (kind === 'certificates') checkCertificates(body, place, faults);
  else if (kind === 'keyless') checkKeyless(body, place, faults);
  else checkAttestorSet(body, place, type, faults);
}

function checkKeys(keys: JsonObject, path: string, faults: Faults): void {
  const given = ['publicKeys', 'secret', 'kms'].filter(key => has(keys, key));
  if (given.length === 0) faults.error('attestor-keys', path, 'A public key, kms key or secret is required');
  if (given.length > 1)
    faults.error('attestor-keys', path, 'Only one of public key, kms key or secret can be used', {
      hint: `given: ${given.join(', ')}`,
    });
  const secret = child(keys, 'secret');
  if (secret) {
    for (const key of ['name', 'namespace']) {
      if (!text(secret, key))
        faults.error('attestor-keys', at(at(path, 'secret'), key), `${key} is required for a secret`);
    }
  }
  checkRekor(keys, path, faults);
}

function checkCertificates(certificates: JsonObject, path: string, faults: Faults): void {
  if (!text(certificates, 'cert') && !text(certificates, 'certChain')) {
    faults.error('attestor-certificates', path, 'cert or certChain required');
  }
  checkRekor(certificates, path, faults);
}

function checkKeyless(keyless: JsonObject, path: string, faults: Faults): void {
  if (!child(keyless, 'rekor') && !text(keyless, 'roots')) {
    faults.error('attestor-keyless', path, 'Either Rekor URL or roots are required');
  }
  for (const field of ['issuer', 'subject']) {
    const regexp = text(keyless, `${field}RegExp`) ?? '';
    if (regexp === '') continue;
    const place = at(path, `${field}RegExp`);
    if (text(keyless, field)) faults.error('attestor-keyless', place, `only one of ${field} and ${field}RegExp can be used`);
    if (regexp.startsWith('^') && regexp.endsWith('$')) continue;
    faults.warn('attestor-regexp', place, `the expression is found anywhere in the ${field}: without ^ and $ it fits longer ones, too`);
  }
  checkRekor(keyless, path, faults);
}

function checkRekor(body: JsonObject, path: string, faults: Faults): void {
  const rekor = child(body, 'rekor');
  if (rekor && !text(rekor, 'url') && !flag(rekor, 'ignoreTlog') && !text(rekor, 'pubkey')) {
    faults.error('attestor-rekor', at(path, 'rekor'), 'An URL is required');
  }
}
