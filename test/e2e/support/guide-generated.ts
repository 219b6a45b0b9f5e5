import {expect} from 'vitest';
import {isObject, type Json, type JsonObject, own, ownPath} from '../../../engine/json/types.js';
import {eventually} from '../../cluster/eventually.js';
import {type GuideRow, guideObjects} from '../../guide/load.js';
import type {GuideContext} from './guide-context.js';
import {grant, grantOn} from './grants.js';
import type {GuidePlan} from './guide-plan.js';
import type {OperatorCluster} from './operator-cluster.js';
import {pathOf, type Thing} from './policies.js';

/** Namespaces that no policy may fill unasked. */
const systemNamespaces = ['kube-system', 'kube-public', 'kube-node-lease', 'kyverno'];
const waitMs = 30_000;

/** The rights that an administrator gives to policies which make such objects. */
export async function grantGeneration(operator: OperatorCluster, name: string, plan: GuidePlan): Promise<void> {
  const rows = plan.rows.filter(row => row.outcome !== undefined && row.expected === 'generated');
  const made = rows.flatMap(row => guideObjects(plan.root, row.outcome!));
  // Whoever binds a role has to have all that it gives, or this.
  const bound = made.map(object => ownPath(object, 'roleRef', 'name')).filter(role => typeof role === 'string');
  const roles = {apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], verbs: ['bind'], resourceNames: bound};
  const rules = (made as unknown as Thing[]).map(object => grantOn(object, 'background'));
  await grant(operator, name, 'background', bound.length === 0 ? rules : [...rules, roles]);
}

/** Everything that the row wants is there in time, and where nothing may be there is nothing. */
export async function judgeGenerated({root, run}: GuideContext, row: GuideRow): Promise<void> {
  const {cluster} = run().operator;
  const wanted = guideObjects(root, row.outcome!);
  for (const object of wanted) {
    const path = pathOf(object as unknown as Thing);
    let last: unknown;
    await eventually(
      async () => {
        const {status, body} = await cluster.request<JsonObject>('GET', path);
        last = body;
        return status === 200 && contains(body, object);
      },
      {what: `${row.id}: ${path} as the guide has it`, timeoutMs: waitMs, everyMs: 200},
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}\nlast seen: ${JSON.stringify(last)}`);
    });
  }
  for (const object of wanted as unknown as Thing[]) {
    if (row.policy === null || object.metadata.namespace === undefined) continue;
    for (const namespace of systemNamespaces) {
      const stray = {...object, metadata: {...object.metadata, namespace}};
      expect((await cluster.request('GET', pathOf(stray))).status, pathOf(stray)).toBe(404);
    }
  }
}

/** No update request asks for anything to be made for the object, and no copy of it is anywhere. */
export async function judgeNothingGenerated({run}: GuideContext, object: Thing): Promise<void> {
  const {cluster} = run().operator;
  const {body} = await cluster.request<{items: Json[]}>('GET', '/apis/kyverno.io/v2/namespaces/kyverno/updaterequests');
  const {kind, metadata} = object;
  const asked = body.items.filter(request => {
    const contexts = ownPath(request as JsonObject, 'spec', 'ruleContext');
    const triggers = (Array.isArray(contexts) ? contexts : []).map(context => ownPath(context as JsonObject, 'trigger'));
    return triggers.some(trigger => ownPath(trigger as JsonObject, 'kind') === kind && ownPath(trigger as JsonObject, 'name') === metadata.name);
  });
  expect(asked).toEqual([]);
  if (metadata.namespace === undefined) return;
  const collection = pathOf(object).replace(`/namespaces/${metadata.namespace}/`, '/').replace(/\/[^/]+$/, '');
  const {body: list} = await cluster.request<{items: Thing[]}>('GET', `${collection}?fieldSelector=metadata.name=${metadata.name}`);
  expect(list.items.map(item => item.metadata.namespace)).toEqual([metadata.namespace]);
}

/** Whether `actual` has all of `expected`; lists must be equal in length. The API server stores no empty ones. */
export function contains(actual: Json | undefined, expected: Json): boolean {
  if (Array.isArray(expected)) {
    if (actual === undefined) return expected.length === 0;
    return Array.isArray(actual) && actual.length === expected.length && expected.every((item, index) => contains(actual[index], item));
  }
  if (!isObject(expected)) return actual === expected;
  return isObject(actual) && Object.entries(expected).every(([key, value]) => contains(own(actual, key), value));
}
