import {createOfflineContextLoader} from '../../adapters/offline-context-loader.js';
import {createRegexEngine} from '../../adapters/regex/regex-engine.js';
import {FileError} from '../../cli/files/file-error.js';
import {checkTest, isDeprecatedTest, type TestCase} from '../../cli/files/test-file.js';
import {Evaluator, type OfflineWorld} from '../../cli/offline/evaluate.js';
import {OfflineValues} from '../../cli/offline/given.js';
import {type PreparedPolicy, preparePolicy} from '../../cli/offline/prepare-policies.js';
import type {RuleResponse} from '../../cli/offline/responses.js';
import {loadSuite} from '../../cli/test/load-suite.js';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import {EvalError, formatDiagnostic} from '../../engine/diagnostic.js';
import {type JsonObject, own} from '../../engine/json/types.js';
import {stringifyJson} from '../../engine/json/stringify.js';
import {createEngine} from '../../engine/run/create-engine.js';
import {PolicyCache} from '../../engine/snapshot/policy-cache.js';
import type {Engine} from '../../engine/types.js';
import {engineRequest} from '../guide/request.js';

/** Both sides of a policy: as the command holds it, and as an admission server that was given the same text. */
export interface PolicyPair {
  readonly name: string;
  readonly command: Evaluator;
  readonly server: Engine;
  /** The server's background scan judges it, as it has no part in admission. */
  readonly background: boolean;
}

export interface Pairs {
  /** One for each suite. */
  readonly suites: readonly {readonly policies: readonly PolicyPair[]; readonly objects: readonly JsonObject[]}[];
  /** Policies that one side takes and the other refuses. */
  readonly disagreements: readonly string[];
}

const user = {username: 'jane', groups: ['developers', 'system:authenticated'], roles: [], clusterRoles: []};
const noDeadline = {deadline: Number.POSITIVE_INFINITY};

/** The policies and objects of suites, without what they say of variables and clusters: a server is told neither. */
export async function readPairs(tests: readonly TestCase[]): Promise<Pairs> {
  const suites: Pairs['suites'][number][] = [];
  const disagreements: string[] = [];
  const seen = new Set<string>();
  for (const test of tests) {
    const suite = await read(test);
    if (suite === undefined) continue;
    const policies = suite.policies.flatMap(policy => {
      const text = stringifyJson(policy.raw);
      if (policy.family !== 'classic' || policy.unserved.length > 0 || seen.has(text)) return [];
      seen.add(text);
      const pair = policyPair(policy.raw, suite.world.exceptions);
      if (typeof pair === 'string') disagreements.push(`${test.path}: ${pair}`);
      return typeof pair === 'object' ? [pair] : [];
    });
    suites.push({policies, objects: suite.resources});
  }
  return {suites, disagreements};
}

async function read(test: TestCase) {
  if (isDeprecatedTest(test.spec)) return undefined;
  try {
    checkTest(test.spec);
    return await loadSuite(test, {registry: false, log: () => undefined});
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw error;
  }
}

/** `undefined` when neither side takes the policy; a text when they disagree. */
export function policyPair(raw: JsonObject, exceptions: readonly JsonObject[] = []): PolicyPair | string | undefined {
  const policy = preparePolicy(
    {raw, family: 'classic', path: ''} as Parameters<typeof preparePolicy>[0],
    builtinResourceMap,
  );
  const cache = new PolicyCache({
    resources: () => builtinResourceMap,
    compile: {matchConditions: 'not-available', background: 'served', regex},
    exceptions: {enabled: true, operatorNamespace: 'kyverno', exceptionNamespace: '*'},
  });
  for (const exception of exceptions) cache.putException(exception);
  const state = cache.putPolicy(raw);
  const refused = state.status === 'refused' ? state.problems.map(formatDiagnostic).join('; ') : '';
  const invalid = policy.invalid.map(formatDiagnostic).join('; ');
  if ((refused === '') !== (invalid === '')) {
    return `${policy.key}: server ${refused || 'takes it'}, command ${invalid || 'takes it'}`;
  }
  if (refused !== '') return undefined;
  return {
    name: policy.key,
    command: new Evaluator(world(policy, exceptions)),
    server: createEngine({policies: cache, ...surroundings()}),
    background: policy.compiled?.source.spec.admission === false,
  };
}

const regex = createRegexEngine();

function surroundings() {
  const loader = createOfflineContextLoader({
    resources: [],
    resourceMap: builtinResourceMap,
    now: () => 1_700_000_000_000,
  });
  return {loader, regex, resources: () => builtinResourceMap};
}

function world(policy: PreparedPolicy, exceptions: readonly JsonObject[]): OfflineWorld {
  const {loader} = surroundings();
  const values = new OfflineValues({values: undefined, resolves: () => true});
  return {
    policies: [policy],
    exceptions,
    resources: builtinResourceMap,
    loader,
    regex,
    values,
    subresources: undefined,
    user,
  };
}

interface Line {
  readonly rule: string;
  readonly status: string;
  readonly message: string;
}

export interface Comparison {
  /** Results of rules. */
  readonly results: number;
  /** What differs; `undefined` when nothing does. */
  readonly difference: string | undefined;
}

/** Verdicts, messages and the changed object of both sides, on the creation of one object. */
export async function comparePair(pair: PolicyPair, object: JsonObject): Promise<Comparison> {
  const [command, server] = [await byCommand(pair, object), await byServer(pair, object)];
  if (command.text === server.text) return {results: command.results, difference: undefined};
  const about = `${pair.name} on ${String(own(object, 'kind'))}`;
  return {results: command.results, difference: `${about}\n  command: ${command.text}\n  server:  ${server.text}`};
}

export interface Comparisons {
  readonly pairs: number;
  readonly results: number;
  readonly differences: readonly string[];
}

/** Each policy on each object of its own suite. */
export function compareOwn({suites}: Pairs): Promise<Comparisons> {
  return compareAll(
    suites.flatMap(({policies, objects}) =>
      policies.flatMap(policy => objects.map(object => [policy, object] as const)),
    ),
  );
}

/** So many pairs of any policy and any object, the same for the same seed; every pair without a number. */
export function compareCross(
  {suites}: Pairs,
  sample?: {readonly count: number; readonly seed: number},
): Promise<Comparisons> {
  const policies = suites.flatMap(suite => suite.policies);
  const objects = suites.flatMap(suite => suite.objects);
  if (sample === undefined) return compareAll(product(policies, objects));
  const next = seededNumbers(sample.seed);
  const any = <T>(list: readonly T[]) => list[Math.floor(next() * list.length)]!;
  return compareAll(Array.from({length: sample.count}, () => [any(policies), any(objects)] as const));
}

type Pair = readonly [policy: PolicyPair, object: JsonObject];

function* product(policies: readonly PolicyPair[], objects: readonly JsonObject[]): Iterable<Pair> {
  for (const policy of policies) for (const object of objects) yield [policy, object];
}

async function compareAll(list: Iterable<Pair>): Promise<Comparisons> {
  const differences: string[] = [];
  let pairs = 0;
  let results = 0;
  for (const [policy, object] of list) {
    const compared = await comparePair(policy, object);
    pairs += 1;
    results += compared.results;
    if (compared.difference !== undefined) differences.push(compared.difference);
  }
  return {pairs, results, differences};
}

interface Side {
  readonly results: number;
  readonly text: string;
}

async function byCommand({command}: PolicyPair, object: JsonObject): Promise<Side> {
  const responses = await command.evaluate(object);
  const patched = responses.filter(({phase}) => phase === 'mutate' || phase === 'verifyImages').at(-1)?.patched ?? object;
  return shown(
    responses.flatMap(({rules}) => rules),
    patched,
  );
}

async function byServer({server, background}: PolicyPair, object: JsonObject): Promise<Side> {
  try {
    const request = engineRequest({operation: 'CREATE', object});
    const mutated = await server.mutate(request, noDeadline);
    const changed = mutated.object ?? object;
    const images = await server.verifyAndPatchImages(engineRequest({operation: 'CREATE', object: changed}), noDeadline);
    const proven = images.object ?? changed;
    const after = engineRequest({operation: 'CREATE', object: proven});
    const existing = await server.generate(request, noDeadline);
    const judge = background ? server.applyBackgroundChecks : server.validate;
    const judged = await judge(after, {bucket: 'all', ...noDeadline});
    const lines = [...mutated.results, ...images.results, ...existing.results, ...judged.results].flatMap(({rules}) => rules);
    return shown(lines, proven);
  } catch (error) {
    if (error instanceof EvalError) return {results: 0, text: error.message};
    throw error;
  }
}

function shown(rules: readonly (Line | RuleResponse)[], patched: JsonObject): Side {
  const lines = rules.map(({rule, status, message}) => `${rule} ${status} ${message}`).sort();
  return {results: lines.length, text: `${lines.join(' | ')} ${stringifyJson(patched)}`};
}

/** Numbers in [0, 1) that are the same for the same seed. */
function seededNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
