import {execFile} from 'node:child_process';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {afterAll, beforeAll, expect, it} from 'vitest';
import {seededRandom} from '../../engine/json/testing/random.js';
import {applyCel, celReady} from './support/cel-policies.js';
import {program} from './support/build.js';
import {objectSource} from './support/differential-objects.js';
import {type DifferentialPolicy, differentialPolicies, type Judging} from './support/differential-policies.js';
import {createNamespaces} from './support/namespaces.js';
import {judgedNatively, nativePath} from './support/native-policies.js';
import {type OperatorCluster, startOperatorCluster} from './support/operator-cluster.js';
import {collectionOf, type Thing} from './support/policies.js';

const seed = Number(process.env['DIFFERENTIAL_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const objectsPerPolicy = 100;
const leastShare = 0.3;
const mostShare = 0.6;
const leastObjects = 30;
/** Requests under way at once. */
const lanes = 8;
const mark = 'differential';
/** Nobody judges in `plain`: what the API server makes of an object that it takes. */
const namespaces = {plain: 'd-plain', byHand: 'd-by-hand', generated: 'd-generated', webhook: 'd-webhook'} as const;
type Judge = 'byHand' | 'generated' | 'webhook' | 'cli';

interface Sample {
  readonly policy: DifferentialPolicy;
  readonly submitted: Thing;
  /** As the API server completes it. */
  readonly object: Thing;
  /** Whether it was refused. */
  readonly refused: Partial<Record<Judge, boolean>>;
}

let operator: OperatorCluster;
let folder: string;

beforeAll(async () => {
  operator = await startOperatorCluster({});
  folder = await mkdtemp(join(tmpdir(), 'differential-'));
  await createNamespaces(operator, Object.values(namespaces));
});
afterAll(async () => {
  if (folder !== undefined) await rm(folder, {recursive: true, force: true});
  await operator?.stop();
});

function constraints({name, resource}: DifferentialPolicy, namespace?: string) {
  return {
    resourceRules: [{apiGroups: [resource.group], apiVersions: [resource.version], operations: ['CREATE'], resources: [resource.resource]}],
    objectSelector: {matchLabels: {[mark]: name}},
    ...(namespace !== undefined && {namespaceSelector: {matchLabels: {'kubernetes.io/metadata.name': namespace}}}),
  };
}

/** Of the operator: judged by webhooks, by a generated policy, or by the command. */
function ownPolicy(policy: DifferentialPolicy, judge: 'generated' | 'webhook' | 'cli'): Thing {
  const spec = {
    matchConstraints: constraints(policy, judge === 'cli' ? undefined : namespaces[judge]),
    autogen: {podControllers: {controllers: []}, validatingAdmissionPolicy: {enabled: judge === 'generated'}},
    ...policy.spec,
  };
  return {apiVersion: 'policies.kyverno.io/v1beta1', kind: 'ValidatingPolicy', metadata: {name: `${judge}-${policy.name}`}, spec};
}

function exceptionsOf({name, exceptions = []}: DifferentialPolicy, judges: readonly string[]): Thing[] {
  return exceptions.map((spec, index) => ({
    apiVersion: 'policies.kyverno.io/v1beta1',
    kind: 'PolicyException',
    metadata: {name: `${name}-${index}`, namespace: 'kyverno'},
    spec: {...spec, policyRefs: judges.map(judge => ({kind: 'ValidatingPolicy', name: `${judge}-${name}`}))},
  }));
}

async function putByHand(policy: DifferentialPolicy): Promise<void> {
  const name = `by-hand-${policy.name}`;
  const judging: Judging = policy.native ?? policy.spec;
  const api = {apiVersion: 'admissionregistration.k8s.io/v1', metadata: {name}};
  const made = [
    {...api, kind: 'ValidatingAdmissionPolicy', spec: {matchConstraints: constraints(policy, namespaces.byHand), ...judging}},
    {...api, kind: 'ValidatingAdmissionPolicyBinding', spec: {policyName: name, validationActions: ['Deny']}},
  ];
  for (const object of made) {
    const resource = object.kind === 'ValidatingAdmissionPolicy' ? 'validatingadmissionpolicies' : 'validatingadmissionpolicybindings';
    const {status, body} = await operator.cluster.request('POST', nativePath(resource, '').slice(0, -1), object);
    if (status !== 201) throw new Error(`${name}: ${JSON.stringify(body)}`);
  }
}

async function setUp(): Promise<void> {
  for (const policy of differentialPolicies) {
    await putByHand(policy);
    for (const object of [...exceptionsOf(policy, ['generated', 'webhook']), ownPolicy(policy, 'generated'), ownPolicy(policy, 'webhook')]) {
      const {status, message} = await applyCel(operator, object);
      if (status > 201) throw new Error(`${object.kind} ${object.metadata.name}: ${message}`);
    }
  }
  for (const policy of differentialPolicies) {
    await celReady(operator, ownPolicy(policy, 'webhook'));
    await judgedNatively(operator, ownPolicy(policy, 'generated'));
  }
  await operator.barrier();
}

async function dryRun(object: Thing, namespace: string): Promise<{readonly status: number; readonly body: Thing & {readonly message?: string}}> {
  const inside: Thing = {...object, metadata: {...object.metadata, namespace}};
  return operator.cluster.request('POST', `${collectionOf(inside)}?dryRun=All`, inside);
}

const refusals: Readonly<Record<'byHand' | 'generated' | 'webhook', (name: string) => string>> = {
  byHand: name => `ValidatingAdmissionPolicy 'by-hand-${name}'`,
  generated: name => `ValidatingAdmissionPolicy 'vpol-generated-${name}'`,
  webhook: name => `Policy webhook-${name} `,
};

async function judge({policy, submitted, refused}: Sample, judges: ReadonlyArray<'byHand' | 'generated' | 'webhook'>): Promise<void> {
  for (const judge of judges) {
    const {status, body} = await dryRun(submitted, namespaces[judge]);
    const message = body.message ?? '';
    if (status >= 300 && !message.includes(refusals[judge](policy.name))) throw new Error(`${judge} of ${policy.name}: ${status} ${message}\n${JSON.stringify(submitted)}`);
    refused[judge] = status >= 300;
  }
}

/** Objects that the API server takes, as it completes them; of those refused by hand and of the others not too many. */
async function samplesOf(policy: DifferentialPolicy, random: () => number): Promise<Sample[]> {
  const source = objectSource(policy, random);
  const samples: Sample[] = [];
  const texts = new Set<string>();
  for (let tries = 0; samples.length < objectsPerPolicy && tries < objectsPerPolicy * 8; tries += 1) {
    const made = source.next();
    const object: Thing = {...made, metadata: {...made.metadata, labels: {...made.metadata.labels, [mark]: policy.name}}};
    const text = JSON.stringify(object);
    if (texts.has(text)) continue;
    texts.add(text);
    const {status, body} = await dryRun(object, namespaces.plain);
    if (status !== 201) continue;
    const sample: Sample = {policy, submitted: object, object: {...body, kind: object.kind, apiVersion: object.apiVersion}, refused: {}};
    await judge(sample, ['byHand']);
    const alike = samples.filter(({refused}) => refused.byHand === sample.refused.byHand).length;
    if (alike < objectsPerPolicy * mostShare) samples.push(sample);
  }
  const refused = samples.filter(sample => sample.refused.byHand === true);
  const taken = samples.filter(sample => sample.refused.byHand === false);
  const most = Math.floor((Math.min(refused.length, taken.length) * mostShare) / (1 - mostShare));
  return [...refused.slice(0, most), ...taken.slice(0, most)];
}

interface Report {
  readonly metadata: {readonly namespace?: string};
  readonly results?: ReadonlyArray<{readonly policy: string; readonly result: string; readonly resources?: ReadonlyArray<{readonly namespace?: string}>}>;
}

/** One call judges all; each sample has a namespace of its own there. */
async function askCommand(samples: readonly Sample[]): Promise<void> {
  const files = {
    policies: differentialPolicies.map(policy => ownPolicy(policy, 'cli')),
    exceptions: differentialPolicies.flatMap(policy => exceptionsOf(policy, ['cli'])),
    objects: samples.map(({object}, index) => ({...object, metadata: {...object.metadata, namespace: `s${index}`}})),
  };
  const paths = new Map<string, string>();
  for (const [name, objects] of Object.entries(files)) {
    const path = join(folder, `${name}.yaml`);
    await writeFile(path, objects.map(object => JSON.stringify(object)).join('\n---\n'));
    paths.set(name, path);
  }
  const args = [program, 'apply', paths.get('policies')!, '--exception', paths.get('exceptions')!, '--resource', paths.get('objects')!, '--policy-report', '--output-format', 'json'];
  const {stdout} = await promisify(execFile)(process.execPath, args, {maxBuffer: 2 ** 28}).catch((error: {stdout?: string; stderr?: string; code?: number}) => {
    if (error.code !== 1 || error.stdout === undefined) throw error;
    return {stdout: error.stdout};
  });
  const verdicts = new Map<string, Set<string>>();
  for (const {metadata, results = []} of reportsIn(stdout)) {
    for (const {policy, result, resources = []} of results) {
      for (const {namespace = metadata.namespace} of resources.length === 0 ? [{}] : resources) {
        const key = `${policy} ${namespace}`;
        verdicts.set(key, (verdicts.get(key) ?? new Set()).add(result));
      }
    }
  }
  for (const [index, {policy, refused}] of samples.entries()) {
    const results = verdicts.get(`cli-${policy.name} s${index}`) ?? new Set();
    refused.cli = results.has('fail') || (results.has('error') && policy.spec.failurePolicy !== 'Ignore');
  }
}

function reportsIn(stdout: string): readonly Report[] {
  const start = stdout.indexOf('{');
  const parsed = JSON.parse(stdout.slice(start)) as Report & {readonly items?: readonly Report[]};
  return parsed.items ?? [parsed];
}

async function inLanes<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const item = items[next]!;
      next += 1;
      await work(item);
    }
  };
  await Promise.all(Array.from({length: lanes}, lane));
}

const shown = ({object, refused, policy}: Sample) => `${policy.name} ${JSON.stringify(refused)}: ${JSON.stringify(object)}`;

it(`an object has one verdict, whoever judges it (seed ${seed})`, async () => {
  console.log(`seed ${seed}; DIFFERENTIAL_SEED=${seed} makes the same objects again`);
  await setUp();
  const samples: Sample[] = [];
  await inLanes([...differentialPolicies.entries()], async ([index, policy]) => {
    samples.push(...(await samplesOf(policy, seededRandom(seed + index))));
  });
  await inLanes(samples, sample => judge(sample, ['generated', 'webhook']));
  await askCommand(samples);

  const rows = differentialPolicies.map(policy => {
    const own = samples.filter(sample => sample.policy === policy);
    return {policy: policy.name, objects: own.length, refused: own.filter(({refused}) => refused.byHand === true).length};
  });
  console.table(rows);
  const apart = samples.filter(({refused}) => new Set([refused.byHand, refused.generated, refused.webhook, refused.cli]).size > 1);
  expect(apart.slice(0, 5).map(shown), `${apart.length} of ${samples.length} objects`).toEqual([]);
  for (const {policy, objects, refused} of rows) {
    expect(objects, `${policy}: objects`).toBeGreaterThanOrEqual(leastObjects);
    expect(refused / objects, `${policy}: share refused`).toBeGreaterThanOrEqual(leastShare);
    expect(1 - refused / objects, `${policy}: share taken`).toBeGreaterThanOrEqual(leastShare);
  }
}, 600_000);
