import {type JsonObject, own} from '../../json/types.js';
import {child, has, integer, stringMap, text} from '../../policy/access.js';
import {Faults, shown} from '../../policy/faults.js';
import {isLoadable, readMetadata} from '../../policy/load-policy.js';
import type {LoadResult} from '../../policy/model.js';
import {readObject} from '../../policy/shape.js';
import type {PolicyRef} from '../../types.js';
import type {CelPolicy} from '../model.js';
import {deletingSpec, generatingSpec, imageValidatingSpec, mutatingSpec, validatingSpec} from './build-spec.js';
import {type CheckOptions, checkSpec} from './check-spec.js';
import {type CelKind, celKind, celKinds, celPolicyGroup} from './kinds.js';
import {objectShape} from './shapes.js';

/**
 * A policy of `policies.kyverno.io` in any version → its model, or every fault with its path. Expressions are not
 * compiled yet. Never throws.
 */
export function loadCelPolicy(raw: JsonObject, options: CheckOptions = {rulesOptional: false}): LoadResult<CelPolicy> {
  const faults = new Faults();
  const done = (policy: CelPolicy | undefined) => ({policy, errors: faults.errors, warnings: faults.warnings});
  if (!isLoadable(raw, faults)) return done(undefined);
  const outer = readObject(raw, objectShape, '', faults) ?? {};
  const metadata = readMetadata(raw, faults);
  const kind = checkHead(outer, metadata, faults);
  if (kind === undefined) return done(undefined);
  if (!has(raw, 'spec')) {
    faults.error('spec-missing', 'spec', 'spec: Required value: spec must not be nil');
    return done(undefined);
  }
  const spec = readObject(own(raw, 'spec'), kind.spec, 'spec', faults) ?? {};
  checkSpec(kind.type, spec, faults, {...options, namespace: namespaceOf(kind, metadata)});
  if (faults.errors.length > 0) return done(undefined);
  return done(build({raw, metadata, spec, kind}));
}

function checkHead(outer: JsonObject, metadata: JsonObject, faults: Faults): CelKind | undefined {
  const kind = celKind(text(outer, 'kind') ?? '');
  if (kind === undefined) {
    faults.error('kind', 'kind', `expected one of ${celKinds.join(', ')}, found ${shown(own(outer, 'kind'))}`);
    return undefined;
  }
  const [group, version] = (text(outer, 'apiVersion') ?? '').split('/');
  if (group !== celPolicyGroup || !kind.versions.includes(version ?? '')) {
    faults.error(
      'api-version',
      'apiVersion',
      `expected ${celPolicyGroup}/${kind.versions[0]}, found ${shown(own(outer, 'apiVersion'))}`,
    );
  }
  if (!text(metadata, 'name') && !text(metadata, 'generateName')) {
    faults.error('name-missing', 'metadata.name', 'name is required');
  }
  return kind;
}

/** A file may leave the namespace out; "everywhere" must never be the reading of that. */
function namespaceOf({namespaced}: CelKind, metadata: JsonObject): string | undefined {
  return namespaced ? text(metadata, 'namespace') || 'default' : undefined;
}

interface Parts {
  readonly raw: JsonObject;
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
  readonly kind: CelKind;
}

function build(parts: Parts): CelPolicy {
  const {raw, metadata, spec, kind} = parts;
  const base = {
    ref: policyRef(parts),
    uid: text(metadata, 'uid') ?? '',
    resourceVersion: text(metadata, 'resourceVersion') ?? '',
    generation: integer(child(raw, 'metadata'), 'generation') ?? 0,
    annotations: stringMap(metadata, 'annotations') ?? {},
    labels: stringMap(metadata, 'labels') ?? {},
    raw,
  };
  switch (kind.type) {
    case 'validating':
      return {...base, type: 'validating', spec: validatingSpec(spec)};
    case 'mutating':
      return {...base, type: 'mutating', spec: mutatingSpec(spec)};
    case 'generating':
      return {...base, type: 'generating', spec: generatingSpec(spec)};
    case 'deleting':
      return {...base, type: 'deleting', spec: deletingSpec(spec)};
    case 'imageValidating':
      return {...base, type: 'imageValidating', spec: imageValidatingSpec(spec)};
  }
}

function policyRef({raw, metadata, kind}: Parts): PolicyRef {
  const name = text(metadata, 'name') ?? '';
  const namespace = namespaceOf(kind, metadata) ?? '';
  return {
    apiVersion: text(raw, 'apiVersion') ?? '',
    kind: kind.kind,
    namespace,
    name,
    key: namespace === '' ? name : `${namespace}/${name}`,
  };
}
