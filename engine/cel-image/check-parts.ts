import {type JsonObject, own} from '../json/types.js';
import {child, has, objects, strings, text} from '../policy/access.js';
import {at, type Faults} from '../policy/faults.js';
import {checkCosign, checkGiven} from './check-attestor.js';

const required = 'Required value';

/** What the types of the fields that only policies on images have do not say; `namespace` is that of a Namespaced kind. */
export function checkImageParts(spec: JsonObject, namespace: string | undefined, faults: Faults): void {
  for (const field of ['attestors', 'validations']) {
    if (!has(spec, field)) faults.error('field-missing', at('spec', field), required);
  }
  checkReferences(spec, faults);
  checkCredentials(spec, namespace, faults);
  checkNames(spec, 'images', faults);
  checkNames(spec, 'attestors', faults);
  checkNames(spec, 'attestations', faults);
  objects(spec, 'images').forEach((entry, index) => {
    if (!text(entry, 'expression')?.trim()) faults.error('field-missing', `spec.images[${index}].expression`, required);
  });
  objects(spec, 'attestors').forEach((entry, index) => {
    checkAttestor(entry, at('spec.attestors', index), namespace, faults);
  });
  objects(spec, 'attestations').forEach((entry, index) => {
    checkAttestation(entry, at('spec.attestations', index), faults);
  });
}

function checkReferences(spec: JsonObject, faults: Faults): void {
  objects(spec, 'matchImageReferences').forEach((entry, index) => {
    const place = at('spec.matchImageReferences', index);
    const [glob, expression] = [text(entry, 'glob'), text(entry, 'expression')];
    if (!glob && !expression) faults.error('image-reference', place, 'either glob or expression must be set');
    if (glob && expression) faults.warn('image-reference', at(place, 'expression'), 'not used: glob is set');
  });
}

function checkCredentials(spec: JsonObject, namespace: string | undefined, faults: Faults): void {
  const credentials = child(spec, 'credentials');
  strings(credentials, 'secrets').forEach((secret, index) => {
    const place = at('spec.credentials.secrets', index);
    const parts = secret.split('/');
    if (parts.length > 2 || parts.includes('')) {
      faults.error('secret-name', place, `Invalid value: ${JSON.stringify(secret)}: write name or namespace/name`);
    } else if (namespace !== undefined && parts.length === 2 && parts[0] !== namespace) {
      faults.error('secret-scope', place, `Forbidden: a policy of namespace ${namespace} may not read Secrets of namespace ${parts[0]}`);
    }
  });
  if (namespace === undefined) return;
  strings(credentials, 'providers').forEach((provider, index) => {
    if (provider === 'default') return;
    faults.error(
      'provider-scope',
      at('spec.credentials.providers', index),
      `Forbidden: a policy of namespace ${namespace} may not use the operator's credentials of provider ${provider}`,
      {hint: 'name Secrets of the namespace'},
    );
  });
}

function checkNames(spec: JsonObject, field: string, faults: Faults): void {
  const seen = new Set<string>();
  objects(spec, field).forEach((entry, index) => {
    const place = at(at(at('spec', field), index), 'name');
    const name = text(entry, 'name');
    if (!name) faults.error('field-missing', place, required);
    else if (seen.has(name)) faults.error('duplicate-name', place, `Duplicate value: ${JSON.stringify(name)}`);
    seen.add(name ?? '');
  });
}

function checkAttestor(entry: JsonObject, path: string, namespace: string | undefined, faults: Faults): void {
  const given = ['cosign', 'notary'].filter(kind => has(entry, kind));
  if (given.length !== 1) {
    faults.error('attestor-type', path, 'exactly one of cosign and notary must be set');
    return;
  }
  const cosign = child(entry, 'cosign');
  if (cosign !== undefined) {
    checkCosign(cosign, at(path, 'cosign'), faults);
    if (namespace !== undefined) checkScope(cosign, at(path, 'cosign'), namespace, faults);
    return;
  }
  const notary = child(entry, 'notary')!;
  const place = at(path, 'notary');
  if (!has(notary, 'certs')) faults.error('field-missing', at(place, 'certs'), required);
  checkGiven(own(notary, 'certs'), at(place, 'certs'), faults, 'certificate');
  checkGiven(own(notary, 'tsaCerts'), at(place, 'tsaCerts'), faults, 'certificate');
}

/** What is the operator's is not a tenant's to use. */
function checkScope(cosign: JsonObject, path: string, namespace: string, faults: Faults): void {
  const who = `Forbidden: a policy of namespace ${namespace} may not`;
  const kms = text(child(cosign, 'key'), 'kms');
  const home = `k8s://${namespace}/`;
  if (kms && !kms.startsWith(home)) {
    faults.error('kms-scope', `${path}.key.kms`, `${who} use the operator's credentials of a key service`, {
      hint: `give the public key, or ${home}<secret>`,
    });
  }
  const root = text(child(child(cosign, 'tuf'), 'root'), 'path');
  if (root && !/^https?:\/\//.test(root)) {
    faults.error('tuf-scope', `${path}.tuf.root.path`, `${who} read files of the operator`, {hint: 'give the root as data'});
  }
}

function checkAttestation(entry: JsonObject, path: string, faults: Faults): void {
  const given = ['intoto', 'referrer'].filter(kind => has(entry, kind));
  const [kind] = given;
  if (given.length !== 1 || kind === undefined) {
    faults.error('attestation-type', path, 'exactly one of intoto and referrer must be set');
    return;
  }
  if (!text(child(entry, kind), 'type')) faults.error('field-missing', at(at(path, kind), 'type'), required);
}
