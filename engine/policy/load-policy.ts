import {isObject, type JsonObject, own} from '../json/types.js';
import type {ResourceMap} from '../resource-map.js';
import {child, exceedsDepth, flag, has, list, text} from './access.js';
import {buildPolicy} from './build-policy.js';
import type {Scope} from './check-scope.js';
import {checkPolicy} from './checks-policy.js';
import {checkRule} from './checks-rule.js';
import {checkUpdate} from './checks-update.js';
import {at, Faults, shown} from './faults.js';
import {metadataShape, policyShape, ruleShape, specShape} from './known-fields.js';
import {lintRule} from './lints.js';
import type {ClassicPolicy, LoadResult} from './model.js';
import {normalizeSpecActions} from './normalize-actions.js';
import {normalizeRule} from './normalize-rule.js';
import {readObject} from './shape.js';

export interface LoadOptions {
  /** Which kinds exist, for generate without apiVersion, scopes and unknown kinds. */
  readonly resources: ResourceMap;
  /** The version that is being replaced, for what must not change. */
  readonly old?: JsonObject;
  /** What a matched kind that `resources` does not have is: doubtful (the default) or a fault. */
  readonly unknownKinds?: 'warn' | 'refuse';
}

/** Deeper input is refused as a whole; no policy comes near it, and every walk below may recurse. */
export const deepestInput = 400;

/**
 * A ClusterPolicy or Policy (kyverno.io) → its canonical form, or every fault with its path.
 * Loose and deprecated forms are read as their current ones and told as warnings (`compat: …`). Never throws.
 */
export function loadClassicPolicy(raw: JsonObject, options: LoadOptions): LoadResult<ClassicPolicy> {
  const faults = new Faults();
  if (!isLoadable(raw, faults)) return {policy: undefined, errors: faults.errors, warnings: faults.warnings};
  const outer = readObject(raw, policyShape, '', faults) ?? {};
  const metadata = readMetadata(raw, faults);
  const spec = readSpec(raw, faults);
  const namespaced = checkKind(outer, faults);
  const {rules, written, rulePaths} = readRules(spec, options.resources, faults);
  const scope: Scope = {
    faults,
    resources: options.resources,
    namespaced,
    namespace: namespaced ? (text(metadata, 'namespace') ?? '') : '',
    background: flag(spec, 'background') ?? true,
    spec,
    rulePaths,
    mutatesExisting: rules.some(rule => has(child(rule, 'mutate'), 'targets')),
    unknownKinds: options.unknownKinds ?? 'warn',
  };
  checkPolicy(metadata, spec, rules, scope);
  rules.forEach((rule, index) => {
    checkRule(rule, written[index]!, rulePaths[index]!, scope);
  });
  if (options.old && isLoadable(options.old, new Faults()))
    checkUpdate(options.old, rules, rulePaths, options.resources, faults);
  rules.forEach((rule, index) => {
    lintRule(rule, rulePaths[index]!, faults);
  });
  const policy =
    faults.errors.length > 0 ? undefined : buildPolicy({raw, metadata, spec, rules, rulePaths, namespaced});
  return {policy, errors: faults.errors, warnings: faults.warnings};
}

export function isLoadable(raw: unknown, faults: Faults): boolean {
  if (!isObject(raw as JsonObject)) {
    faults.error('wrong-type', '', `expected an object, found ${shown(raw as JsonObject)}`);
    return false;
  }
  if (exceedsDepth(raw as JsonObject, deepestInput)) {
    faults.error('too-deep', '', `the object nests deeper than ${deepestInput} levels`);
    return false;
  }
  return true;
}

export function readMetadata(raw: JsonObject, faults: Faults): JsonObject {
  if (!has(raw, 'metadata')) return {};
  return readObject(own(raw, 'metadata'), metadataShape, 'metadata', faults) ?? {};
}

function readSpec(raw: JsonObject, faults: Faults): JsonObject {
  if (!has(raw, 'spec')) {
    faults.error('spec-missing', 'spec', 'spec is required');
    return {};
  }
  const spec = own(raw, 'spec')!;
  return (
    readObject(isObject(spec) ? normalizeSpecActions(spec, 'spec', faults) : spec, specShape, 'spec', faults) ?? {}
  );
}

function checkKind(outer: JsonObject, faults: Faults): boolean {
  const kind = text(outer, 'kind');
  if (kind !== 'ClusterPolicy' && kind !== 'Policy') {
    faults.error('kind', 'kind', `expected ClusterPolicy or Policy, found ${shown(own(outer, 'kind'))}`);
  }
  const apiVersion = text(outer, 'apiVersion') ?? '';
  if (!apiVersion.startsWith('kyverno.io/')) {
    faults.error('api-version', 'apiVersion', `expected kyverno.io/v1, found ${shown(own(outer, 'apiVersion'))}`);
  }
  return kind === 'Policy';
}

interface ReadRules {
  readonly rules: readonly JsonObject[];
  /** The rules after normalisation but before parts of a wrong form were left out. */
  readonly written: readonly JsonObject[];
  readonly rulePaths: readonly string[];
}

function readRules(spec: JsonObject, resources: ResourceMap, faults: Faults): ReadRules {
  const rules: JsonObject[] = [];
  const written: JsonObject[] = [];
  const rulePaths: string[] = [];
  list(spec, 'rules').forEach((rule, index) => {
    const path = at('spec.rules', index);
    if (!isObject(rule)) {
      faults.error('wrong-type', path, `expected an object, found ${shown(rule)}`);
      return;
    }
    const normal = normalizeRule(rule, path, resources, faults);
    written.push(normal);
    rules.push(readObject(normal, ruleShape, path, faults) ?? {});
    rulePaths.push(path);
  });
  return {rules, written, rulePaths};
}
