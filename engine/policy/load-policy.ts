import type {JsonObject} from '../json/types.js';
import type {ResourceMap} from '../resource-map.js';
import type {ClassicPolicy, LoadResult} from './model.js';

export interface LoadOptions {
  /** Which kinds exist, for generate without apiVersion, scopes and unknown kinds. */
  readonly resources: ResourceMap;
  /** The version that is being replaced, for what must not change. */
  readonly old?: JsonObject;
}

/** A ClusterPolicy or Policy (kyverno.io) → its canonical form, or every fault. Never throws. */
export function loadClassicPolicy(raw: JsonObject, options: LoadOptions): LoadResult<ClassicPolicy> {
  return {policy: undefined, errors: [{code: 'not-ready', message: `cannot load ${typeof raw} with ${options.resources.all().length} kinds`, path: ''}], warnings: []};
}
