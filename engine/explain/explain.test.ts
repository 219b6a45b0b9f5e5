import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, it} from 'vitest';
import {builtinResourceMap} from '../builtin-resources.js';
import type {CompiledPolicy} from '../compile/types.js';
import type {JsonObject} from '../json/types.js';
import {own} from '../json/types.js';
import {createEngine} from '../run/create-engine.js';
import {PolicyCache} from '../snapshot/policy-cache.js';
import type {EngineRequest, RuleResult} from '../types.js';
import {recordingLoader} from '../testing/recording-loader.js';
import {deadline, regex} from '../testing/engines.js';
import {type GuideRow, guideObjects, guidePolicyFiles, guideRoot, guideRows} from '../../test/guide/load.js';
import {engineRequest} from '../../test/guide/request.js';
import {readManifests} from '../../adapters/files/manifests.js';
import {explainPolicy} from './explain-policy.js';
import {masked} from './mask.js';
import type {ExplainNode, FinalResult, RuleExplanation} from './types.js';

function cacheOf(objects: readonly JsonObject[]): PolicyCache {
  const cache = new PolicyCache({
    resources: () => builtinResourceMap,
    compile: {matchConditions: 'not-available', background: 'served'},
    exceptions: {enabled: true, operatorNamespace: 'kyverno', exceptionNamespace: '*'},
  });
  for (const object of objects) {
    const kind = own(object, 'kind');
    if (kind === 'PolicyException') cache.putException(object);
    else if (kind === 'ClusterPolicy' || kind === 'Policy') cache.putPolicy(object);
  }
  return cache;
}

/** What the engine says of one policy, in the order of an explanation: mutation, then the rest on its outcome. */
async function engineResults(
  cache: PolicyCache,
  policy: CompiledPolicy,
  request: EngineRequest,
): Promise<Map<string, FinalResult[]>> {
  const engine = createEngine({policies: cache, loader: recordingLoader(), regex});
  const only = [policy.ref.key];
  const found = new Map<string, FinalResult[]>();
  const note = (results: readonly {readonly rules: readonly RuleResult[]}[]) => {
    for (const rule of results.flatMap(result => result.rules)) {
      const {status, message, action, exceptions} = rule;
      found.set(rule.rule, [
        ...(found.get(rule.rule) ?? []),
        {status, message, action, ...(exceptions !== undefined && {exceptions})},
      ]);
    }
  };
  const mutation = await engine.mutate(request, {only, deadline});
  note(mutation.results);
  const after: EngineRequest = mutation.object === undefined ? request : {...request, object: mutation.object};
  note((await engine.validate(after, {only, bucket: 'all', deadline})).results);
  note((await engine.generate(after, {only, deadline})).results);
  return found;
}

/** A walk's check and conditions must have come to what the run came to. */
function contradictions(rule: RuleExplanation): string[] {
  const [result] = rule.results;
  const problems: string[] = [];
  const selected = rule.match?.verdict === 'yes' && rule.exclude?.verdict !== 'yes';
  if (rule.outcome === 'answered' && !selected) problems.push('answered without being selected');
  if (result === undefined) {
    const {check} = rule;
    if (check !== undefined && check.verdict !== 'ignored' && rule.type === 'Validation')
      problems.push(`check ${check.verdict} without a result`);
    return problems;
  }
  if (rule.preconditions?.verdict === 'no' && result.status !== 'skip')
    problems.push(`preconditions not met, yet ${result.status}`);
  if (rule.preconditions?.verdict === 'error' && result.status !== 'error')
    problems.push(`preconditions in error, yet ${result.status}`);
  const forgiven = result.message.includes('pre-existing violations');
  if (rule.check !== undefined && !forgiven && rule.check.verdict !== result.status)
    problems.push(`check ${rule.check.verdict}, result ${result.status}`);
  return problems;
}

interface Case {
  readonly name: string;
  readonly objects: readonly JsonObject[];
  readonly request: EngineRequest;
}

async function compare({objects, request}: Case): Promise<number> {
  const cache = cacheOf(objects);
  let rules = 0;
  for (const policy of cache.current.policies.values()) {
    const explanation = await explainPolicy({
      policy,
      request,
      snapshot: cache.current,
      loader: recordingLoader(),
      regex,
      resources: builtinResourceMap,
    });
    const wanted = await engineResults(cache, policy, request);
    const masksMessages = explanation.rules.some(rule => rule.results.some(result => result.message.includes(masked)));
    const got = new Map(
      explanation.rules.filter(rule => rule.results.length > 0).map(rule => [rule.rule, rule.results]),
    );
    // What is masked cannot be equal; its status is.
    const shown = (results: ReadonlyMap<string, readonly FinalResult[]>) =>
      [...results]
        .sort()
        .map(([rule, all]) => [rule, all.map(result => (masksMessages ? {...result, message: ''} : result))]);
    expect(shown(got)).toEqual(shown(wanted));
    for (const rule of explanation.rules)
      expect({rule: rule.rule, problems: contradictions(rule)}).toEqual({rule: rule.rule, problems: []});
    rules += explanation.rules.length;
  }
  return rules;
}

const golden = join(import.meta.dirname, '..', '..', 'test', 'golden', 'explain');

function objectsOf(path: string): JsonObject[] {
  return readManifests([{path, text: readFileSync(path, 'utf8')}]).manifests.map(manifest => manifest.object);
}

describe('what an explanation says is what the engine says', () => {
  const cases = existsSync(golden) ? readdirSync(golden).sort() : [];
  const policies = cases.map(name => objectsOf(join(golden, name, 'policy.yaml')));
  for (const name of cases) {
    const objects = objectsOf(join(golden, name, 'resource.yaml'));
    for (const operation of ['CREATE', 'UPDATE', 'DELETE'] as const) {
      it(`${operation} of the object of ${name} under the policies of all samples`, async () => {
        let rules = 0;
        for (const set of policies) {
          for (const object of objects)
            rules += await compare({
              name,
              objects: set,
              request: engineRequest({operation, object, ...(operation === 'UPDATE' && {oldObject: object})}),
            });
        }
        expect(rules).toBeGreaterThan(0);
      });
    }
  }
});

const root = guideRoot();

describe.skipIf(root === undefined)("the guide's policies", () => {
  const rows =
    root === undefined ? [] : guideRows(root).filter(row => row.operation !== 'CLEANUP' && row.policy !== null);
  for (const row of rows) it(`${row.id} is explained as it is judged`, () => compareRow(root!, row));
  const resources = [...new Set(rows.map(row => row.resource))].filter((_, index) => index % 15 === 0);
  for (const file of root === undefined ? [] : guidePolicyFiles(root)) {
    it(`${file} is explained as it is judged for a sample of objects`, async () => {
      const objects = guideObjects(root!, file);
      for (const path of resources) {
        for (const object of guideObjects(root!, path))
          await compare({name: path, objects, request: engineRequest({operation: 'CREATE', object})});
      }
    });
  }
});

async function compareRow(root: string, row: GuideRow) {
  const [object] = guideObjects(root, row.resource);
  if (object === undefined) return;
  const operation = row.operation === 'BACKGROUND' || row.operation === 'CLEANUP' ? 'CREATE' : row.operation;
  const oldObject = row.oldResource === undefined ? undefined : guideObjects(root, row.oldResource)[0];
  const request = engineRequest({
    operation,
    object,
    ...(oldObject !== undefined && {oldObject}),
    ...(row.userInfo !== undefined && {userInfo: row.userInfo as JsonObject}),
  });
  await compare({name: row.id, objects: guideObjects(root, row.policy!), request});
}

function flat(node: ExplainNode | undefined): ExplainNode[] {
  return node === undefined ? [] : [node, ...(node.children ?? []).flatMap(flat)];
}

async function explainText(policy: string, resource: string) {
  const objects = readManifests([{path: 'p.yaml', text: policy}]).manifests.map(manifest => manifest.object);
  const cache = cacheOf(objects);
  const [object] = readManifests([{path: 'r.yaml', text: resource}]).manifests.map(manifest => manifest.object);
  const [compiled] = cache.current.policies.values();
  return explainPolicy({
    policy: compiled!,
    request: engineRequest({operation: 'CREATE', object: object!}),
    snapshot: cache.current,
    loader: recordingLoader(),
    regex,
    resources: builtinResourceMap,
  });
}

const secretPolicy = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: secrets}
spec:
  background: false
  rules:
    - name: plain
      match: {any: [{resources: {kinds: [Secret]}}]}
      context:
        - name: clear
          variable: {jmesPath: 'base64_decode(request.object.data.word)'}
        - name: dbPassword
          variable: {value: hunter2hunter2}
      preconditions:
        all:
          - {key: "{{ clear }}", operator: NotEquals, value: ""}
          - {key: "{{ dbPassword }}", operator: NotEquals, value: ""}
      validate:
        message: "the value {{ request.object.data.word }} is bad"
        pattern:
          data: {word: "other"}
`;

const secretObject = `
apiVersion: v1
kind: Secret
metadata: {name: s, namespace: default}
data: {word: c3dvcmRmaXNo}
`;

describe('secrets', () => {
  it.each(['c3dvcmRmaXNo', 'swordfish', 'hunter2hunter2'])('%s is nowhere in an explanation', async secret => {
    const explanation = await explainText(secretPolicy, secretObject);
    const {object: _object, ...shown} = explanation;
    expect(JSON.stringify(shown)).not.toContain(secret);
    expect(JSON.stringify(shown)).toContain('***');
    expect(explanation.rules[0]?.results[0]?.status).toBe('fail');
  });
});

describe('the walk', () => {
  it('tells what was not reached from what was', async () => {
    const {rules} = await explainText(
      `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p, annotations: {pod-policies.kyverno.io/autogen-controllers: none}}
spec:
  rules:
    - name: r
      match: {any: [{resources: {kinds: [Pod]}}, {resources: {kinds: [Service]}}]}
      validate:
        pattern:
          spec:
            hostPID: false
            hostIPC: false
            containers: [{image: "!*:latest", (name): "a*"}]
`,
      `
apiVersion: v1
kind: Pod
metadata: {name: x}
spec:
  hostPID: false
  hostIPC: true
  containers: [{name: a, image: b}]
`,
    );
    const nodes = flat(rules[0]?.check).map(({name, at, verdict}) => `${at ?? ''} ${name} ${verdict}`);
    expect(nodes).toEqual([
      '/ pattern fail',
      '/spec spec fail',
      '/spec/containers containers pass',
      '/spec/containers/0 [0] pass',
      '/spec/containers/0/name (name) pass',
      '/spec/containers/0/image image pass',
      '/spec/hostIPC hostIPC fail',
      ' hostPID not-reached',
    ]);
    expect(flat(rules[0]?.match).map(({verdict}) => verdict)).toEqual(['yes', 'yes', 'yes', 'not-reached']);
  });
});
