import {afterAll, afterEach, beforeAll, describe, expect, it} from 'vitest';
import {eventually} from '../cluster/eventually.js';
import {createNamespaces} from './support/namespaces.js';
import {type OperatorCluster, startOperatorCluster} from './support/operator-cluster.js';
import {
  allServed,
  collectionOf,
  dropAll,
  pathOf,
  policyPath,
  put,
  type Thing,
  verdictOf,
  write,
} from './support/policies.js';
import {scrape, total} from './support/replicas.js';
import {configMap, denyRule, labelRule, policy} from './support/samples.js';

let operator: OperatorCluster;

beforeAll(async () => {
  operator = await startOperatorCluster();
  await createNamespaces(operator, ['shop']);
});
afterAll(() => operator?.stop());
afterEach(() => dropAll(operator));

const configurations = '/apis/admissionregistration.k8s.io/v1';
const validating = `${configurations}/validatingwebhookconfigurations/kyverno-resource-validating-webhook-cfg`;

interface Entry {
  readonly name: string;
  readonly failurePolicy: string;
  readonly timeoutSeconds: number;
  readonly rules: readonly {readonly resources: readonly string[]}[];
  readonly matchConditions?: readonly {readonly name: string; readonly expression: string}[];
}

interface Configuration {
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly webhooks?: readonly Entry[];
}

async function entries(): Promise<readonly Entry[]> {
  return (await operator.cluster.request<Configuration>('GET', validating)).body.webhooks ?? [];
}

async function tried(object: Thing, headers: Readonly<Record<string, string>> = {}) {
  const {status, body} = await operator.cluster.request<{message?: string}>(
    'POST',
    `${collectionOf(object)}?dryRun=All`,
    object,
    {headers},
  );
  return {allowed: status < 300, message: body.message ?? ''};
}

describe('match conditions', () => {
  it('that the API server refuses keep that policy out, and no other', async () => {
    const matchConditions = [{name: 'broken', expression: 'request.userInfo.username =='}];
    const bad = policy('bad-conditions', {
      rules: [denyRule('never asked')],
      spec: {webhookConfiguration: {matchConditions}},
    });
    const good = policy('good-neighbour', {rules: [labelRule('team')]});
    await write(operator, bad);
    await put(operator, [good]);
    const verdict = await verdictOf(operator, bad);
    expect(verdict).toMatchObject({status: 'False', message: expect.stringContaining('matchConditions')});
    const answer = await tried(configMap('asked'));
    expect(answer.message).toContain('label team is missing');
    expect(answer.message).not.toContain('never asked');
    expect((await entries()).some(({name}) => name.includes('bad-conditions'))).toBe(false);
  });

  it('that hold are asked in an entry of their own', async () => {
    const matchConditions = [{name: 'not-a-friend', expression: 'request.userInfo.username != "friend"'}];
    await put(operator, [
      policy('fine', {rules: [denyRule('friends only')], spec: {webhookConfiguration: {matchConditions}}}),
    ]);
    const fine = (await entries()).filter(({name}) => name.includes('fine'));
    expect(fine).toHaveLength(1);
    expect(fine[0]?.matchConditions).toEqual(matchConditions);
    const stranger = await tried(configMap('asked'));
    expect(stranger.message).toContain('friends only');
    const friend = await tried(configMap('asked'), {
      'Impersonate-User': 'friend',
      'Impersonate-Group': 'system:masters',
    });
    expect(friend).toEqual({allowed: true, message: ''});
  });
});

describe('a broken edit that reaches the store', () => {
  it('drops that policy out with condition, Event and metric, and harms no other', async () => {
    const edited = policy('edited', {rules: [labelRule('one')]});
    await put(operator, [edited, policy('untouched', {rules: [labelRule('two')]})]);
    expect((await tried(configMap('asked'))).message).toContain('label one is missing');
    const broken = {...edited, spec: {...(edited.spec as object), rules: [{name: 'half'}]}};
    await expect(write(operator, broken)).rejects.toThrow('match');
    await writeBehindTheWebhook(broken);
    const verdict = await verdictOf(operator, broken);
    expect(verdict).toMatchObject({type: 'Ready', status: 'False', message: expect.stringContaining('match')});
    const {message} = await tried(configMap('asked'));
    expect(message).toContain('label two is missing');
    expect(message).not.toContain('label one is missing');
    await eventually(async () => (await eventsOn('edited')).some(({reason}) => reason === 'PolicyError'), {
      what: 'Event PolicyError',
    });
    const replicas = operator.agent.replicas().length;
    await eventually(
      async () => {
        const series = await scrape(operator.agent);
        const count = (status: string) => total(series, 'kyverno_policies', {status});
        return count('refused') === replicas && count('served') === replicas;
      },
      {what: 'one policy refused and one served by each replica'},
    );
    await put(operator, [edited]);
    expect((await tried(configMap('asked'))).message).toContain('label one is missing');
  });

  /** While the replicas are frozen their webhook configuration is taken away; they put it back when they wake. */
  async function writeBehindTheWebhook(object: Thing): Promise<void> {
    const pids = operator.agent.replicas().flatMap(({pid}) => pid ?? []);
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    try {
      await operator.cluster.request('DELETE', `${configurations}/validatingwebhookconfigurations/kyverno-webhook-cfg`);
      await operator.barrier();
      await write(operator, object);
    } finally {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    }
    // Frozen for longer than their probes bear, they are asked nothing until the next one.
    await eventually(() => operator.agent.replicas().every(({ready}) => ready), {what: 'replicas ready again'});
  }

  async function eventsOn(name: string) {
    const {body} = await operator.cluster.request<{items: {reason: string; regarding: {name: string}}[]}>(
      'GET',
      '/apis/events.k8s.io/v1/events',
    );
    return body.items.filter(({regarding}) => regarding.name === name);
  }
});

describe('kinds that a cluster boots with', () => {
  it('are intercepted under Ignore when a policy names them, under Fail when it insists', async () => {
    const rules = [{kinds: ['Node'], ...labelRule('zone', {kinds: ['Node']})}];
    const nodes = policy('nodes', {rules});
    await put(operator, [nodes]);
    const ofNodes = async () =>
      (await entries())
        .filter(entry => entry.rules.some(({resources}) => resources.includes('nodes')))
        .map(entry => entry.failurePolicy);
    expect(await ofNodes()).toEqual(['Ignore']);
    const {body} = await operator.cluster.request<Thing>('GET', policyPath(nodes));
    expect(body.status?.conditions).toMatchObject([
      {type: 'Ready', status: 'True', message: expect.stringContaining('nodes must stay writable') as unknown},
    ]);
    await dropAll(operator);
    await put(operator, [
      policy('nodes', {rules, annotations: {'webhook.kyverno.io/fail-on-bootstrap-kinds': 'true'}}),
    ]);
    expect(await ofNodes()).toEqual(['Fail']);
  });
});

describe('kinds that are defined a moment before their policies', () => {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const version = {name: 'v1', served: true, storage: true, schema: {openAPIV3Schema: {type: 'object'}}};
  const definition = (singular: string, kind: string) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {name: `${singular}s.stock.acme.test`},
    spec: {group: 'stock.acme.test', scope: 'Namespaced', names: {kind, plural: `${singular}s`, singular, listKind: `${kind}List`}, versions: [version]},
  });

  it.each(['Crate', 'Shelf', 'Rack'])('are known when the policy comes: %s', async kind => {
    const singular = kind.toLowerCase();
    const {status} = await operator.cluster.request('POST', definitions, definition(singular, kind));
    expect(status).toBe(201);
    await put(operator, [policy(`no-${singular}`, {rules: [denyRule(`no ${kind}`, {kinds: [`stock.acme.test/v1/${kind}`]})]})]);
    const path = `/apis/stock.acme.test/v1/namespaces/shop/${singular}s?dryRun=All`;
    const object = {apiVersion: 'stock.acme.test/v1', kind, metadata: {name: 'one', namespace: 'shop'}};
    const refused = async () => (await operator.cluster.request<{message?: string}>('POST', path, object)).body.message;
    await eventually(async () => (await refused())?.includes(`no ${kind}`), {what: `${kind} is denied`, timeoutMs: 60_000});
    await operator.cluster.request('DELETE', `${definitions}/${singular}s.stock.acme.test`);
  });
});

describe('webhook configurations', () => {
  it('keep a timeout set by hand, and lose entries and conditions of others', async () => {
    await put(operator, [policy('team', {rules: [labelRule('team')]})]);
    await operator.cluster.kubectl([
      'patch',
      'validatingwebhookconfigurations',
      'kyverno-resource-validating-webhook-cfg',
      '--type=strategic',
      '-p',
      JSON.stringify({
        webhooks: [
          {name: 'validate.kyverno.io', timeoutSeconds: 7, matchConditions: [{name: 'never', expression: 'false'}]},
          {
            name: 'foreign.example.test',
            clientConfig: {url: 'https://127.0.0.1:1/'},
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
            failurePolicy: 'Ignore',
          },
        ],
      }),
    ]);
    // One condition of ours: system namespaces stay writable.
    const ours = [{name: 'validate.kyverno.io', timeoutSeconds: 7, conditions: 1}];
    const seen = async () =>
      (await entries()).map(({name, timeoutSeconds, matchConditions}) => ({
        name,
        timeoutSeconds,
        conditions: matchConditions?.length ?? 0,
      }));
    await eventually(async () => JSON.stringify(await seen()) === JSON.stringify(ours), {
      what: 'foreign parts undone, the timeout kept',
    });
    // Another policy makes the entry anew.
    await put(operator, [policy('secrets', {rules: [labelRule('team', {kinds: ['Secret']})]})]);
    expect(await seen()).toEqual(ours);
    expect((await entries())[0]?.rules.flatMap(({resources}) => resources).sort()).toEqual(['configmaps', 'secrets']);
  });

  it('are not written while nothing changes', async () => {
    await put(operator, [policy('team', {rules: [labelRule('team')]})]);
    /** Undefined while some have not been written their second time. */
    const versions = async () => {
      const found: Record<string, string> = {};
      for (const kind of ['validating', 'mutating']) {
        const {body} = await operator.cluster.request<{items: Configuration[]}>(
          'GET',
          `${configurations}/${kind}webhookconfigurations`,
        );
        for (const {metadata} of body.items) {
          if (!metadata.name.startsWith('kyverno-')) continue;
          if (metadata.annotations?.['webhook.kyverno.io/settled'] === undefined) return undefined;
          found[metadata.name] = metadata.resourceVersion;
        }
      }
      return found;
    };
    const before = await eventually(versions, {what: 'webhooks written twice'});
    expect(Object.keys(before).length).toBeGreaterThanOrEqual(4);
    // Each of these has the leader look at all configurations again.
    for (let round = 0; round < 5; round++) {
      const path = '/api/v1/namespaces/kyverno/configmaps/kyverno';
      await operator.cluster.request('PATCH', path, {metadata: {annotations: {round: String(round)}}});
      const paused = policy(`scan-${round}`, {rules: [labelRule('team')], spec: {admission: false, background: true}});
      await write(operator, paused);
      await verdictOf(operator, paused);
    }
    expect(await versions()).toEqual(before);
  });
});

describe('a change of a policy', () => {
  it('takes effect: medians of ten', async () => {
    const times: Record<'apply to enforced' | 'edit to flipped' | 'delete to gone', number[]> = {
      'apply to enforced': [],
      'edit to flipped': [],
      'delete to gone': [],
    };
    const measure = async (what: keyof typeof times, change: () => Promise<unknown>, done: () => Promise<boolean>) => {
      const begun = performance.now();
      await change();
      await eventually(done, {what, timeoutMs: 120_000, everyMs: 5});
      times[what].push(performance.now() - begun);
    };
    const object = (label: string) => configMap('asked', {labels: {[label]: 'x'}});
    for (let round = 0; round < 10; round++) {
      const first = policy('changing', {rules: [labelRule('one')]});
      await measure(
        'apply to enforced',
        () => write(operator, first),
        async () => !(await tried(object('two'))).allowed,
      );
      const second = policy('changing', {rules: [labelRule('two')]});
      // The two replicas learn of it one after the other: only both together have flipped.
      await measure(
        'edit to flipped',
        () => write(operator, second),
        async () => {
          const answers = await Promise.all([
            tried(object('two')),
            tried(object('two')),
            tried(object('one')),
            tried(object('one')),
          ]);
          return answers.map(({allowed}) => allowed).join() === 'true,true,false,false';
        },
      );
      await allServed(operator, [second]);
      await measure(
        'delete to gone',
        () => operator.cluster.request('DELETE', pathOf(second)),
        async () => (await tried(object('one'))).allowed,
      );
      await dropAll(operator);
    }
    for (const [what, values] of Object.entries(times)) {
      const sorted = [...values].sort((a, b) => a - b);
      console.log(
        `${what}: median ${((sorted[4]! + sorted[5]!) / 2).toFixed(0)} ms, longest ${sorted[9]!.toFixed(0)} ms`,
      );
      expect(values).toHaveLength(10);
    }
  });
});
