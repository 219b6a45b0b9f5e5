import {type JsonObject, own} from '../../json/types.js';
import {child, has, objects, stringMap, strings, text} from '../../policy/access.js';
import {at, Faults, shown} from '../../policy/faults.js';
import {isLoadable, readMetadata} from '../../policy/load-policy.js';
import type {LoadResult} from '../../policy/model.js';
import {readObject} from '../../policy/shape.js';
import {rfc3339} from '../../time/layout.js';
import {parseTime} from '../../time/parse-time.js';
import type {CelException} from '../model.js';
import {checkNamed} from './check-spec.js';
import {celKind, celPolicyGroup} from './kinds.js';
import {namedExpressions} from './read-parts.js';
import {exceptionSpecShape, objectShape} from './shapes.js';

const priorityLabel = 'polex.kyverno.io/priority';
const mostConditions = 64;

/** A PolicyException of `policies.kyverno.io` in any version → its model, or every fault with its path. Never throws. */
export function loadCelException(raw: JsonObject): LoadResult<CelException> {
  const faults = new Faults();
  const done = (policy: CelException | undefined) => ({policy, errors: faults.errors, warnings: faults.warnings});
  if (!isLoadable(raw, faults)) return done(undefined);
  const outer = readObject(raw, objectShape, '', faults) ?? {};
  const metadata = readMetadata(raw, faults);
  if (text(outer, 'kind') !== 'PolicyException') {
    faults.error('kind', 'kind', `expected PolicyException, found ${shown(own(outer, 'kind'))}`);
  }
  if (!text(outer, 'apiVersion')?.startsWith(`${celPolicyGroup}/`)) {
    faults.error(
      'api-version',
      'apiVersion',
      `expected ${celPolicyGroup}/v1beta1, found ${shown(own(outer, 'apiVersion'))}`,
    );
  }
  if (!text(metadata, 'name') && !text(metadata, 'generateName')) {
    faults.error('name-missing', 'metadata.name', 'name is required');
  }
  if (!has(raw, 'spec')) {
    faults.error('spec-missing', 'spec', 'spec: Required value: spec must not be nil');
    return done(undefined);
  }
  const spec = readObject(own(raw, 'spec'), exceptionSpecShape, 'spec', faults) ?? {};
  checkRefs(spec, faults);
  checkNamed(spec, 'matchConditions', faults);
  if (objects(spec, 'matchConditions').length > mostConditions) {
    faults.error('too-many', 'spec.matchConditions', `Too many: must have at most ${mostConditions} items`);
  }
  const expiresAt = readExpiry(spec, faults);
  if (faults.errors.length > 0) return done(undefined);
  return done(build({raw, metadata, spec, expiresAt}));
}

function checkRefs(spec: JsonObject, faults: Faults): void {
  const refs = objects(spec, 'policyRefs');
  if (refs.length === 0) {
    faults.error('policy-refs', 'spec.policyRefs', 'Invalid value: must specify at least one policy ref');
  }
  refs.forEach((ref, index) => {
    const place = at('spec.policyRefs', index);
    const kind = text(ref, 'kind') ?? '';
    if (!text(ref, 'name')) faults.error('policy-refs', at(place, 'name'), 'Invalid value: must specify policy name');
    if (kind === '') faults.error('policy-refs', at(place, 'kind'), 'Invalid value: must specify policy kind');
    else if (celKind(kind) === undefined && !nativeKinds.has(kind)) {
      faults.warn(
        'policy-refs',
        at(place, 'kind'),
        `${shown(kind)} is no kind of policy that this exception can free from`,
      );
    }
  });
}

const nativeKinds = new Set(['ValidatingAdmissionPolicy', 'MutatingAdmissionPolicy']);

function readExpiry(spec: JsonObject, faults: Faults): number | undefined {
  const written = text(spec, 'expiresAt');
  if (written === undefined || written === '') return undefined;
  const parsed = parseTime(written, rfc3339);
  if ('instant' in parsed) return Number(parsed.instant.nanoseconds / 1_000_000n);
  faults.error('expires-at', 'spec.expiresAt', `Invalid value: ${shown(written)}: must be a time in RFC 3339`);
  return undefined;
}

interface Parts {
  readonly raw: JsonObject;
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
  readonly expiresAt: number | undefined;
}

function build({raw, metadata, spec, expiresAt}: Parts): CelException {
  const name = text(metadata, 'name') ?? '';
  const namespace = text(metadata, 'namespace') || 'default';
  const priority = Number(stringMap(child(raw, 'metadata'), 'labels')?.[priorityLabel] ?? 0);
  return {
    namespace,
    name,
    key: `${namespace}/${name}`,
    policyRefs: objects(spec, 'policyRefs').map(ref => ({
      name: text(ref, 'name') ?? '',
      kind: text(ref, 'kind') ?? '',
    })),
    matchConditions: namedExpressions(spec, 'matchConditions'),
    images: strings(spec, 'images'),
    allowedValues: strings(spec, 'allowedValues'),
    reportResult: text(spec, 'reportResult') === 'pass' ? 'pass' : 'skip',
    expiresAt,
    priority: Number.isInteger(priority) ? priority : 0,
    raw,
  };
}
