import {expect, it} from 'vitest';
import {sleep, systemClock} from '../../adapters/clock.js';
import {KubeError} from '../../adapters/kube/kube-error.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {silentLogger} from '../../adapters/log/logger.js';
import {celCache, celPolicy} from '../../engine/cel-policies/testing/cel-engines.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {regex} from '../../engine/testing/engines.js';
import {createOffload} from './offload.js';

/** Whether the policy's conditions are left to the API server once it was asked, and the names it was asked about. */
async function offloaded(spec: string, {asks = true, refuses = false} = {}) {
  const state = celCache().putPolicy(celPolicy('ValidatingPolicy', spec));
  if (state.status === 'refused') throw new Error(JSON.stringify(state.problems));
  const asked: string[] = [];
  let answered = () => {};
  const answer = new Promise<void>(resolve => {
    answered = resolve;
  });
  const create = async (_collection: unknown, object: JsonObject) => {
    const [webhook] = ownPath(object, 'webhooks') as Array<{matchConditions: Array<{name: string}>}>;
    asked.push(...webhook!.matchConditions.map(({name}) => name));
    if (refuses) throw new KubeError({status: 422, reason: 'Invalid', message: 'refused'});
    return object;
  };
  const offload = createOffload({client: {create} as unknown as KubeClient, clock: systemClock, log: silentLogger, regex, onAnswer: answered});
  try {
    const before = offload.offloads(state.policy);
    // Where nothing is asked no answer comes.
    await Promise.race([answer, sleep(systemClock, asks ? 10_000 : 100)]);
    return {before, after: offload.offloads(state.policy), asked};
  } finally {
    await offload.stop();
  }
}

const on = (resource: string, operations: string) =>
  `matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [${operations}], resources: [${resource}]}]}`;
const when = (...expressions: string[]) =>
  `matchConditions: [${expressions.map((expression, index) => `{name: c${index}, expression: "${expression}"}`).join(', ')}]`;
const rest = 'validations: [{expression: "true"}]';
const user = "request.userInfo.username != 'x'";

it.each<[what: string, spec: string, offloaded: boolean]>([
  ['once the API server takes it', `${on('configmaps', 'CREATE')}, ${when("object.metadata.name != 'x'")}`, true],
  ['not what reads an object that may be missing', `${on('configmaps', 'CREATE, DELETE')}, ${when("object.metadata.name != 'x'")}`, false],
  ['what reads the request alone', `${on('configmaps', 'CREATE, DELETE')}, ${when(user)}`, true],
  ['but not where kinds are told by the object', `${on('pods', 'CREATE, DELETE')}, ${when(user)}`, false],
  ["not what is Kyverno's own", `${on('configmaps', 'CREATE')}, ${when("sha256('x') != 'x'")}`, false],
  ['not beside a condition on the Namespace, which might have been false', `${on('configmaps', 'CREATE')}, ${when(user, "namespaceObject.metadata.name != 'x'")}`, false],
  ['but so where errors refuse nothing', `failurePolicy: Ignore, ${on('configmaps', 'CREATE')}, ${when(user, "namespaceObject.metadata.name != 'x'")}`, true],
  ['not for a policy that refuses nothing, though it fails closed', `validationActions: [Audit], ${on('configmaps', 'CREATE')}, ${when(user)}`, false],
])('conditions are off-loaded: %s', async (_what, spec, wanted) => {
  expect(await offloaded(`{${spec}, ${rest}}`, {asks: wanted})).toMatchObject({before: false, after: wanted});
});

it('the API server is asked about conditions as they will be written', async () => {
  const {asked, after} = await offloaded(`{${on('pods', 'CREATE')}, ${when(user)}, ${rest}}`);
  expect(asked).toEqual(['autogen-c0', 'autogen-cronjobs-c0', 'autogen-defaults-c0']);
  expect(after).toBe(true);
});

it('what it refuses is judged here', async () => {
  expect(await offloaded(`{${on('pods', 'CREATE')}, ${when(user)}, ${rest}}`, {refuses: true})).toMatchObject({after: false});
});
