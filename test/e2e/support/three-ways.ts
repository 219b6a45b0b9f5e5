import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {readdirSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {type JsonObject, own, ownPath} from '../../../engine/json/types.js';
import {eventually} from '../../cluster/eventually.js';
import {guideObjects} from '../../guide/load.js';
import {apply} from '../../standalone/support/apply-command.js';
import {celPolicy, dropCel, putCel} from './cel-policies.js';
import type {GuideRun} from './guide-context.js';
import {decisions, subjectOf} from './guide-judge.js';
import type {GuidePlan} from './guide-plan.js';
import {createNamespaces} from './namespaces.js';
import {isScanned, putWitness, reportedResults, witness} from './guide-reports.js';
import type {LogEntry} from './log-reader.js';
import {allServed, collectionOf, dropAll, isPolicy, pathOf, type Thing, write} from './policies.js';

/** Verdicts on one object: `policy/rule` to `status: message`. */
type Verdicts = ReadonlyMap<string, string>;

export interface Comparison {
  readonly policies: number;
  readonly objects: number;
  /** Results of rules that all three ways gave. */
  readonly results: number;
  readonly differences: readonly string[];
  /** Objects that the API server itself refuses. */
  readonly refused: readonly string[];
}

interface Stored {
  readonly object: JsonObject & Thing;
  readonly subject: string;
}

/**
 * Has every validating policy of a guide judge every object of it, all at once: at admission, in a background scan and by
 * `kyverno apply` of what is then stored. Policies report only, whatever they say, so that every object is stored.
 */
export async function compareThreeWays({operator, log}: GuideRun, plan: GuidePlan): Promise<Comparison> {
  const policies = reporting(plan);
  const objects = unique(plan);
  const namespaces = [...objects, ...policies].map(({metadata}) => metadata.namespace).filter(name => name !== undefined);
  await createNamespaces(operator, [...new Set(namespaces)]);
  const folder = await mkdtemp(join(tmpdir(), 'three-ways-'));
  try {
    for (const policy of policies) await write(operator, policy);
    await allServed(operator, policies);
    await putCel(operator, inCel);
    await putWitness(operator, [...new Set(objects.map(({kind}) => kind))]);
    const from = log.entries().length;
    const {stored, refused} = await store(operator, objects);
    const admitted = await eventually(() => admissionVerdicts(log.entries().slice(from), stored), {what: 'every verdict in the log', timeoutMs: 120_000, everyMs: 500});
    const silent = new Set(policies.filter(({spec}) => (spec as JsonObject | undefined)?.['background'] === false).map(keyOf));
    const isReported = (key: string) => !silent.has(key.slice(0, key.lastIndexOf('/')));
    const scanned = await settledVerdicts(operator, stored, admitted.map(verdicts => [...verdicts].filter(([key, text]) => isReported(key) && !text.startsWith('skip')).map(([key]) => key)));
    const offline = await commandVerdicts(folder, [...policies, ...inCel], stored);

    const differences: string[] = [];
    let results = 0;
    const conditional = new Set(inCel.map(keyOf));
    for (const [index, {subject}] of stored.entries()) {
      const ways = [admitted[index]!, scanned[index]!, offline[index]!] as const;
      for (const key of new Set(ways.flatMap(way => [...way.keys()]))) {
        const policy = key.slice(0, key.lastIndexOf('/'));
        const inBackground = !silent.has(policy);
        // A report has no place for a policy whose conditions do not hold.
        const nothings: readonly unknown[] = conditional.has(policy) ? [undefined, 'skip: skip'] : [undefined];
        const [door, scan, command] = ways.map(way => (nothings.includes(way.get(key)) ? 'nothing' : way.get(key)));
        results += 1;
        if (door === command && scan === (inBackground ? door : 'nothing')) continue;
        differences.push(`${key} on ${subject}\n  admission: ${door}\n  scan: ${scan}\n  command: ${command}`);
      }
    }
    return {policies: policies.filter(isPolicy).length + inCel.length, objects: stored.length, results, differences, refused};
  } finally {
    await rm(folder, {recursive: true});
    await dropCel(operator);
    await dropAll(operator);
    await Promise.all(objects.map(object => operator.cluster.request('DELETE', `${pathOf(object)}?gracePeriodSeconds=0&propagationPolicy=Background`)));
  }
}

/** Of the kinds written in CEL, ours. */
const inCel: readonly Thing[] = [
  celPolicy('ValidatingPolicy', 'in-cel-images', {
    resources: ['pods'],
    spec: {
      validationActions: ['Audit'],
      validations: [{expression: "object.spec.containers.all(c, c.image.contains('/'))", messageExpression: "'image without a registry in ' + object.metadata.name"}],
    },
  }),
  celPolicy('ValidatingPolicy', 'in-cel-labels', {
    resources: ['pods', 'configmaps'],
    spec: {
      validationActions: ['Audit'],
      matchConditions: [{name: 'not-system', expression: "!object.metadata.namespace.startsWith('kube-')"}],
      validations: [{expression: "object.?metadata.?labels.?app.orValue('') != ''", message: 'label app is missing'}],
    },
  }),
];

/** Validating policies and exceptions, each under a name of its own, none of them enforced. */
function reporting({groups}: GuidePlan): Thing[] {
  const chosen = groups.filter(({later}) => !later).flatMap(({policies}) => policies.filter(policy => !isPolicy(policy) || onlyValidates(policy)));
  return chosen.map((policy, index) => {
    if (!isPolicy(policy)) return policy;
    const {validationFailureActionOverrides: _overrides, ...spec} = structuredClone(policy.spec) as JsonObject;
    const {namespace, name} = policy.metadata;
    return {
      ...policy,
      metadata: {name: `w${index}-${name}`, ...(policy.kind === 'Policy' && namespace !== undefined && {namespace})},
      spec: {...spec, validationFailureAction: 'Audit'},
    };
  });
}

function onlyValidates({spec}: Thing): boolean {
  const rules = (spec as {readonly rules?: readonly JsonObject[]} | undefined)?.rules ?? [];
  return rules.every(rule => own(rule, 'validate') !== undefined || own(rule, 'validation') !== undefined);
}

/** Every object of the guide; two of one name get names of their own. */
function unique({root}: GuidePlan): Array<JsonObject & Thing> {
  const taken = new Set<string>();
  const files = readdirSync(join(root, 'resources')).filter(name => name.endsWith('.yaml') && !name.endsWith('.old.yaml')).sort();
  return files.flatMap(file => guideObjects(root, `resources/${file}`)).map((written, index) => {
    const object = written as JsonObject & Thing;
    const metadata = {...object.metadata, name: `${object.metadata.name}-${index}`};
    const free = taken.has(pathOf(object)) ? ({...written, metadata} as JsonObject & Thing) : object;
    taken.add(pathOf(free));
    return free;
  });
}

async function store({cluster}: GuideRun['operator'], objects: readonly Thing[]): Promise<{stored: Stored[]; refused: string[]}> {
  const refused: string[] = [];
  const answers: Array<Stored | undefined> = [];
  // So that nothing waits longer than a webhook may take, on a busy machine either.
  for (let at = 0; at < objects.length; at += 4) answers.push(...(await Promise.all(objects.slice(at, at + 4).map(make))));
  return {stored: answers.filter(answer => answer !== undefined), refused};

  async function make(object: Thing): Promise<Stored | undefined> {
    const {status, body} = await cluster.request<JsonObject & Thing & {message?: string}>('POST', collectionOf(object), object);
    if (status === 201) return {object: body, subject: subjectOf('CREATE', body)};
    // A namespace that others lie in.
    if (status !== 409 || object.kind !== 'Namespace') refused.push(`${object.kind} ${object.metadata.name}: ${body.message}`);
    return undefined;
  }
}

/** What the replicas logged of the creations; `undefined` before all is there. */
function admissionVerdicts(entries: readonly LogEntry[], stored: readonly Stored[]): Verdicts[] | undefined {
  const found = stored.map(({subject}) => decisions(entries, subject));
  if (!found.every(verdicts => [...verdicts.keys()].some(key => key.startsWith(`${witness}/`)))) return undefined;
  return found.map(verdicts => texts([...verdicts].map(([rule, {status, text}]) => ({rule, status, message: text}))));
}

/** Each replica writes what it judged, one after the other: a report is read once it has all, or when that took too long. */
async function settledVerdicts(operator: GuideRun['operator'], stored: readonly Stored[], wanted: readonly (readonly string[])[]): Promise<Verdicts[]> {
  const end = Date.now() + 60_000;
  for (;;) {
    const found = await eventually(() => scanVerdicts(operator, stored), {what: "the scan's word on every object", timeoutMs: 120_000, everyMs: 1_000});
    if (Date.now() > end || found.every((verdicts, index) => wanted[index]!.every(key => verdicts.has(key)))) return found;
    await new Promise(resolve => setTimeout(resolve, 1_000));
  }
}

async function scanVerdicts(operator: GuideRun['operator'], stored: readonly Stored[]): Promise<Verdicts[] | undefined> {
  const reports = await reportedResults(operator);
  const found = stored.map(({object}) => (reports.get(object.metadata.uid ?? '') ?? []).filter(isScanned));
  if (!found.every(results => results.some(result => result.policy === witness))) return undefined;
  return found.map(results => texts(results.map(({policy, rule = '', result, message = ''}) => ({rule: `${policy}/${rule}`, status: result, message}))));
}

async function commandVerdicts(folder: string, policies: readonly Thing[], stored: readonly Stored[]): Promise<Verdicts[]> {
  const files = {policies: join(folder, 'policies.yaml'), objects: join(folder, 'objects.yaml')};
  await writeFile(files.policies, documents(policies));
  await writeFile(files.objects, documents(stored.map(({object}) => object)));
  const {results} = await apply({folder, policies: [files.policies], resources: [files.objects]});
  return stored.map(({object: {kind, metadata}}) => {
    const name = `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;
    return texts(results.filter(({resource}) => resource === name));
  });
}

function documents(objects: readonly object[]): string {
  return objects.map(object => `---\n${JSON.stringify(object)}\n`).join('');
}

function texts(verdicts: ReadonlyArray<{readonly rule: string; readonly status: string; readonly message: string}>): Verdicts {
  const ours = verdicts.filter(({rule}) => !rule.startsWith(`${witness}/`));
  return new Map(ours.map(({rule, status, message}) => [rule, `${status}: ${message}`]));
}

function keyOf(policy: Thing): string {
  const namespace = ownPath(policy as unknown as JsonObject, 'metadata', 'namespace');
  return namespace === undefined ? policy.metadata.name : `${String(namespace)}/${policy.metadata.name}`;
}
