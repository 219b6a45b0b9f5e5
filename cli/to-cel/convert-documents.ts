import {loadClassicPolicy} from '../../engine/policy/index.js';
import type {JsonObject} from '../../engine/json/types.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import {type Conversion, toCel} from '../../engine/to-cel/index.js';
import {guessPlural} from '../offline/request.js';
import {formatDiagnostic} from '../../engine/diagnostic.js';
import {type PreparedPolicy, preparePolicy} from '../offline/prepare-policies.js';

export interface Converted extends Conversion {
  readonly prepared: readonly PreparedPolicy[];
}

/** One classic policy in the form of CEL policies, which are compiled to see that they are valid. */
export function convertPolicy(raw: JsonObject, resources: ResourceMap): Converted {
  const {policy, errors} = loadClassicPolicy(raw, {resources});
  if (policy === undefined) {
    const losses = errors.map(error => ({rule: '', path: error.path, reason: formatDiagnostic({...error, path: ''})}));
    return {policies: [], losses, notes: [], prepared: []};
  }
  const conversion = toCel(policy, {resources, guessPlural});
  const prepared = conversion.policies.map(converted => preparePolicy({raw: converted, family: 'cel', path: '', line: 1}, resources));
  const broken = prepared.flatMap(({invalid, refusal}) => [...invalid.map(formatDiagnostic), ...(refusal === undefined ? [] : [refusal])]);
  if (broken.length === 0) return {...conversion, prepared};
  const losses = broken.map(reason => ({rule: '', path: '', reason: `what it was converted to does not compile: ${reason}`}));
  return {...conversion, policies: [], losses, prepared: []};
}
