import {beforeEach, describe, expect, it} from 'vitest';
import {createObjectStore, type ObjectStore} from '../../adapters/kube/object-store.js';
import {createLogger} from '../../adapters/log/logger.js';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import type {JsonObject} from '../../engine/json/types.js';
import {PolicyCache} from '../../engine/snapshot/policy-cache.js';
import {createPolicyHandlers, policyResources} from './policy-handlers.js';

let cache: PolicyCache;
let store: ObjectStore;
let lines: string[];
let changes: string[];
let touched: string[];
let handlers: ReturnType<typeof createPolicyHandlers>;

beforeEach(() => {
  cache = new PolicyCache({
    resources: () => builtinResourceMap,
    compile: {matchConditions: 'by-api-server'},
    exceptions: {enabled: true, operatorNamespace: 'kyverno', exceptionNamespace: ''},
  });
  store = createObjectStore();
  lines = [];
  changes = [];
  touched = [];
  const empty = createObjectStore();
  handlers = createPolicyHandlers({
    cache,
    log: createLogger({format: 'text', verbosity: 2, write: line => lines.push(line)}),
    lister: key => (key === policyResources.ClusterPolicy ? store : empty),
    onChange: (_kind, key, state) => void changes.push(`${key} ${state?.status ?? 'gone'}`),
    onTouched: (_kind, key) => void touched.push(key),
    onException: () => {},
  });
});

interface Change {
  readonly generation: number;
  readonly version: string;
  readonly broken?: boolean;
  readonly annotations?: JsonObject;
  readonly labels?: JsonObject;
}

function arrives({generation, version, broken = false, annotations = {}, labels = {}}: Change): void {
  const match = {any: [{resources: {kinds: ['Pod']}}]};
  const rule = {name: 'r', match, ...(broken ? {} : {validate: {message: 'm', deny: {}}})};
  store.put('p', {
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    metadata: {name: 'p', uid: 'u', generation, resourceVersion: version, annotations, labels},
    spec: {rules: [rule]},
  });
  handlers.reconcilePolicy('ClusterPolicy', 'p');
}

describe('a policy that arrives', () => {
  it.each([
    ['served', false],
    ['refused', true],
  ])('and is %s is told once, however often its status is written', (status, broken) => {
    for (const version of ['1', '2', '3']) arrives({generation: 1, version, broken});
    expect(changes).toEqual([`p ${status}`]);
    expect(lines).toHaveLength(1);
    // Who wrote it is not known: status has to be looked at.
    expect(touched).toEqual(['p', 'p']);
  });

  it('is compiled again when only an annotation has changed', () => {
    arrives({generation: 1, version: '1'});
    arrives({generation: 1, version: '2', annotations: {'pod-policies.kyverno.io/autogen-controllers': 'none'}});
    expect(changes).toEqual(['p served', 'p served']);
  });

  it('is taken anew when only a label has changed: reports may be switched off by one', () => {
    arrives({generation: 1, version: '1'});
    arrives({generation: 1, version: '2', labels: {'reports.kyverno.io/disabled': 'true'}});
    expect(changes).toEqual(['p served', 'p served']);
  });

  it('drops out after a broken change and comes back with the next good one', () => {
    arrives({generation: 1, version: '1'});
    arrives({generation: 2, version: '2', broken: true});
    arrives({generation: 3, version: '3'});
    store.remove('p');
    handlers.reconcilePolicy('ClusterPolicy', 'p');
    expect(changes).toEqual(['p served', 'p refused', 'p served', 'p gone']);
    expect(cache.policy('p')).toBeUndefined();
  });
});
