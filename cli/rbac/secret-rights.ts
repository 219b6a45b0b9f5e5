import {isObject, type Json, type JsonObject, own} from '../../engine/json/types.js';
import {textOf} from '../../engine/json/text.js';
import {child, objects, strings} from '../../engine/policy/access.js';
import {withoutFlatForm} from '../../engine/verify-images/read-entry.js';
import type {CallPlace} from './api-call-rights.js';
import {hasVariables} from './named-kinds.js';
import type {NeedsList} from './right.js';

export interface SecretPlace extends CallPlace {
  /** Where Secrets without a namespace lie; empty = beside the operator, whose own Role reads them. */
  readonly home: string;
}

/** Pull secrets, `name` or `namespace/name`. */
export function addPullSecrets(needs: NeedsList, names: readonly string[], place: SecretPlace): void {
  for (const text of names) {
    const slash = text.indexOf('/');
    addSecret(needs, slash < 0 ? {namespace: '', name: text} : {namespace: text.slice(0, slash), name: text.slice(slash + 1)}, place);
  }
}

/** What credentials of a rule read: `imageRegistryCredentials`. */
export function addCredentials(needs: NeedsList, block: JsonObject, place: SecretPlace): void {
  addPullSecrets(needs, strings(child(block, 'imageRegistryCredentials'), 'secrets'), {...place, path: `${place.path}.imageRegistryCredentials.secrets`});
}

/** One entry of `verifyImages`: its credentials, and Secrets that hold keys. */
export function addImageEntry(needs: NeedsList, raw: JsonObject, place: SecretPlace): void {
  const entry = withoutFlatForm(raw);
  addCredentials(needs, entry, place);
  addAttestors(needs, entry, place);
  objects(entry, 'attestations').forEach((attestation, index) => {
    addAttestors(needs, attestation, {...place, path: `${place.path}.attestations[${index}]`});
  });
}

/** Keys in Secrets, of the sets under `attestors`. */
export function addAttestors(needs: NeedsList, block: JsonObject, place: SecretPlace): void {
  objects(block, 'attestors').forEach((set, index) => {
    addSet(needs, set, {...place, path: `${place.path}.attestors[${index}]`});
  });
}

function addSet(needs: NeedsList, set: JsonObject, place: SecretPlace): void {
  objects(set, 'entries').forEach((entry, index) => {
    const at = {...place, path: `${place.path}.entries[${index}]`};
    const nested = child(entry, 'attestor');
    if (nested !== undefined) addSet(needs, nested, {...at, path: `${at.path}.attestor`});
    const keys = child(entry, 'keys');
    const secret = child(keys, 'secret');
    if (secret !== undefined) addSecret(needs, {namespace: textOf(own(secret, 'namespace')), name: textOf(own(secret, 'name'))}, {...at, path: `${at.path}.keys.secret`});
    for (const field of ['publicKeys', 'kms']) addKeyAddress(needs, keys && own(keys, field), {...at, path: `${at.path}.keys.${field}`});
  });
}

/** `k8s://namespace/name`. */
export function addKeyAddress(needs: NeedsList, value: Json | undefined, place: SecretPlace): void {
  const [, namespace = '', name = ''] = /^k8s:\/\/([^/]+)\/([^/]+)$/.exec(textOf(value).trim()) ?? [];
  if (name !== '') addSecret(needs, {namespace, name}, place);
}

function addSecret(needs: NeedsList, {namespace, name}: {readonly namespace: string; readonly name: string}, {duties, path, home}: SecretPlace): void {
  if (hasVariables(namespace + name)) {
    needs.unknown(`${path}: which Secret is read is known only when the policy works`);
    return;
  }
  const from = namespace || home;
  if (from === '' || name === '') return;
  for (const duty of duties) needs.add({duty, verbs: ['get'], group: '', resource: 'secrets', namespace: from, names: [name], path});
}

/** Secrets of a policy on images in CEL. */
export function addImagePolicy(needs: NeedsList, spec: JsonObject, place: SecretPlace): void {
  addPullSecrets(needs, strings(child(spec, 'credentials'), 'secrets'), {...place, path: 'spec.credentials.secrets'});
  objects(spec, 'attestors').forEach((attestor, index) => {
    const cosign = child(attestor, 'cosign');
    const path = `spec.attestors[${index}].cosign`;
    addKeyAddress(needs, own(child(cosign, 'key') ?? {}, 'kms'), {...place, path: `${path}.key.kms`});
    const pull = own(child(cosign, 'source') ?? {}, 'PullSecrets');
    const names = (Array.isArray(pull) ? pull : []).map(item => (isObject(item) ? textOf(own(item, 'name')) : ''));
    addPullSecrets(needs, names.filter(name => name !== ''), {...place, path: `${path}.source.PullSecrets`});
  });
}
