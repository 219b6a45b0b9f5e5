import {type ChildProcess, fork} from 'node:child_process';
import {once} from 'node:events';
import {join} from 'node:path';
import {openAccess, testImages} from '../../../adapters/images/testing/test-images.js';
import {celEngineOf} from '../../../engine/cel-policies/testing/cel-engines.js';
import type {ImageSource, SignatureQuery} from '../../../engine/image/verification.js';
import type {JsonObject} from '../../../engine/json/types.js';
import {deadline, engineOf} from '../../../engine/testing/engines.js';
import {recordingLoader} from '../../../engine/testing/recording-loader.js';
import {requestOf} from '../../../engine/testing/requests.js';
import type {EngineRequest} from '../../../engine/types.js';
import {markdown} from '../report.js';
import type {RegistryFacts} from './registry.js';

/** Microseconds of CPU for one call. */
async function cpuOf(count: number, call: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  for (let round = 0; round < count; round += 1) {
    const answer = call();
    // What is at hand comes without a Promise, and is measured so.
    if (answer instanceof Promise) await answer;
  }
  const {user, system} = process.cpuUsage(before);
  return (user + system) / count;
}

const medianOf = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

const logs = {rekor: {ignoreTlog: true}, ctlog: {ignoreSCT: true}};

function classicPolicy(name: string, rule: JsonObject): JsonObject {
  const match = {any: [{resources: {kinds: ['Pod']}}]};
  return {apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', metadata: {name}, spec: {rules: [{name: 'r', match, ...rule}]}};
}

function signedBy(publicKeys: string): JsonObject {
  const entry = {imageReferences: ['*'], failureAction: 'Enforce', imageRegistryCredentials: {allowInsecureRegistry: true}, attestors: [{entries: [{keys: {publicKeys, ...logs}}]}]};
  return classicPolicy('signed', {verifyImages: [entry]});
}

function policyOnImages(data: string): JsonObject {
  const spec = {
    matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods']}]},
    credentials: {allowInsecureRegistry: true},
    attestors: [{name: 'key', cosign: {key: {data}, ctlog: {insecureIgnoreTlog: true, insecureIgnoreSCT: true}}}],
    validations: [{expression: 'images.containers.all(image, verifyImageSignatures(image, [attestors.key]) > 0)'}],
  };
  return {apiVersion: 'policies.kyverno.io/v1beta1', kind: 'ImageValidatingPolicy', metadata: {name: 'signed'}, spec};
}

/** Tags have to start with `v`: about as much work as a rule without registries can be. */
const pattern = classicPolicy('plain', {validate: {message: 'm', failureAction: 'Enforce', pattern: {spec: {containers: [{image: '*:v*'}]}}}});

function podOf(image: string, count: number): JsonObject {
  const containers = Array.from({length: count}, (_, index) => ({name: `c${index}`, image, resources: {limits: {memory: '64Mi'}}}));
  return {apiVersion: 'v1', kind: 'Pod', metadata: {name: 'web', namespace: 'shop', labels: {app: 'web'}}, spec: {containers}};
}

/** What one admission is to an engine: the mutating call, then the validating one on what came of it. */
function admissions(facts: RegistryFacts, source: ImageSource): Readonly<Record<string, (request: EngineRequest) => Promise<void>>> {
  const loader = () => recordingLoader({imageSource: source});
  const plain = engineOf([pattern], {loader: loader()}).engine;
  const classic = engineOf([signedBy(facts.key)], {loader: loader()}).engine;
  const cel = celEngineOf([policyOnImages(facts.key)], {loader: loader()});
  const refuse = (what: string): never => {
    throw new Error(`${what} did not pass`);
  };
  return {
    'one pattern': async request => {
      const {results} = await plain.validate(request, {bucket: 'enforce', deadline});
      if (results[0]?.rules[0]?.status !== 'pass') refuse('the pattern');
    },
    verifyImages: async request => {
      const {results, object} = await classic.verifyAndPatchImages(request, {deadline});
      if (results[0]?.rules[0]?.status !== 'pass') refuse(results[0]?.rules[0]?.message ?? 'the rule');
      await classic.validate({...request, object}, {bucket: 'enforce', deadline});
    },
    ImageValidatingPolicy: async request => {
      const {object = request.object} = await cel.pinImages(request, {phase: 'any', deadline});
      const {results} = await cel.validate({...request, object}, {phase: 'any', deadline});
      if (results[0]?.rules[0]?.status !== 'pass') refuse(results[0]?.rules[0]?.message ?? 'the policy');
    },
  };
}

interface Registry {
  readonly facts: RegistryFacts;
  /** Requests since the last question. */
  asked(): Promise<number>;
  stop(): void;
}

async function startRegistry(): Promise<Registry> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'registry.ts'), {stdio: ['ignore', 'inherit', 'inherit', 'ipc']});
  const [facts] = (await once(child, 'message')) as [RegistryFacts];
  return {
    facts,
    async asked() {
      child.send('requests');
      const [{requests}] = (await once(child, 'message')) as [{requests: number}];
      return requests;
    },
    stop: () => void child.kill(),
  };
}

/** What proofs and admissions cost, and how often a registry is asked. Cases take turns; medians over the rounds. */
export async function benchImages(quick: boolean, say: (line: string) => void): Promise<void> {
  const registry = await startRegistry();
  try {
    const {facts} = registry;
    const rounds = quick ? 5 : 15;
    const signer = {type: 'key', publicKey: facts.key, hash: 'sha256'} as const;
    const transparency = {rekorUrl: undefined, rekorPublicKey: undefined, ignoreTlog: true, ctlogPublicKey: undefined, ignoreSct: true, tsaCertChain: undefined, trustedRoot: undefined, tuf: undefined};
    const attestor = {signer, transparency, annotations: {}, repository: undefined, tagPrefix: undefined, pullSecrets: []};
    const query: SignatureQuery = {image: facts.image, access: openAccess, format: 'tag', ociReferrers: false, attestor};
    const how = (useCache: boolean) => ({deadline: Number.POSITIVE_INFINITY, useCache});

    const source = testImages({cache: {enabled: true, maxSize: 100, ttlMs: 3_600_000}});
    const verify = (useCache: boolean) => () => source.verifySignature(query, how(useCache));
    await cpuOf(20, verify(false));
    await verify(true)();
    await registry.asked();
    const proofs = {cold: [] as number[], cached: [] as number[]};
    for (let round = 0; round < rounds; round += 1) {
      proofs.cold.push(await cpuOf(20, verify(false)));
      proofs.cached.push(await cpuOf(5_000, verify(true)));
    }
    const perProof = (await registry.asked()) / (rounds * 20);
    const [cold, cached] = [medianOf(proofs.cold), medianOf(proofs.cached)];
    say(markdown(['proof by a key', 'CPU', 'requests'], [
      ['cold', `${(cold / 1000).toFixed(2)} ms`, perProof.toFixed(0)],
      ['cached', `${cached.toFixed(0)} µs`, '0'],
      ['cold ÷ cached', (cold / cached).toFixed(0), ''],
    ]));

    const cases = admissions(facts, source);
    const requests = {'one container': requestOf({object: podOf(facts.image, 1)}), 'four containers': requestOf({object: podOf(facts.image, 4)})};
    const rows: string[][] = [];
    for (const [what, request] of Object.entries(requests)) {
      const costs = new Map(Object.keys(cases).map(name => [name, [] as number[]]));
      for (const admit of Object.values(cases)) await cpuOf(200, () => admit(request));
      await registry.asked();
      for (let round = 0; round < rounds; round += 1) {
        for (const [name, admit] of Object.entries(cases)) costs.get(name)!.push(await cpuOf(500, () => admit(request)));
      }
      const base = medianOf(costs.get('one pattern')!);
      const fetched = await registry.asked();
      for (const [name, values] of costs) rows.push([what, name, `${medianOf(values).toFixed(0)} µs`, (medianOf(values) / base).toFixed(1), name === 'one pattern' ? '' : String(fetched)]);
    }
    say(`\n${markdown(['Pod', 'policy', 'CPU of a cached admission', '÷ one pattern', 'requests of all'], rows)}`);

    const fresh = testImages();
    const storm = engineOf([signedBy(facts.key)], {loader: recordingLoader({imageSource: fresh})}).engine;
    await registry.asked();
    await Promise.all(Array.from({length: 100}, () => storm.verifyAndPatchImages(requests['one container'], {deadline})));
    say(`\n100 Pods of one image at once: ${await registry.asked()} requests to its registry`);
  } finally {
    registry.stop();
  }
}
