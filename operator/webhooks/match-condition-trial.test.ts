import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {createKubeClient} from '../../adapters/kube/client.js';
import {fail, startTestApiServer, type TestApiServer} from '../../adapters/kube/testing/api-server.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {silentLog} from '../../adapters/log.js';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import type {CompiledPolicy} from '../../engine/compile/types.js';
import {ownPath} from '../../engine/json/types.js';
import {compileState} from '../../engine/snapshot/policy-cache.js';
import {tryMatchConditions} from './match-condition-trial.js';

let server: TestApiServer;
let client: KubeClient;

beforeEach(async () => {
  server = await startTestApiServer();
  client = createKubeClient({kubeConfig: server.kubeConfig, userAgent: 'kyverno', qps: 0, burst: 0, log: silentLog});
});

afterEach(async () => {
  client.close();
  await server.close();
});

function policy(kind: string): CompiledPolicy {
  const rule = {name: 'r', match: {any: [{resources: {kinds: [kind]}}]}, validate: {message: 'm', pattern: {metadata: {name: '?*'}}}};
  const spec = {background: false, rules: [rule], webhookConfiguration: {matchConditions: [{name: 'own', expression: 'true'}]}};
  const state = compileState(
    {apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', metadata: {name: 'p'}, spec},
    {resources: () => builtinResourceMap, compile: {matchConditions: 'by-api-server'}},
  );
  if (state.status === 'refused') throw new Error(JSON.stringify(state.problems));
  return state.policy;
}

function answer(code: number): void {
  server.intercept = (_request, response) => {
    fail(response, {code, reason: 'Invalid'});
    return true;
  };
}

describe('match conditions are tried', () => {
  it.each<[string, readonly string[]]>([
    ['ConfigMap', ['own']],
    ['*', ['own', 'kyverno-exclude-bootstrap-resources']],
  ])('for %s as the configuration will have them, and leave nothing behind', async (kind, want) => {
    await tryMatchConditions(client, policy(kind));
    const [request] = server.requests;
    const [webhook] = ownPath(request?.body, 'webhooks') as Array<{matchConditions: Array<{name: string}>}>;
    expect(webhook?.matchConditions.map(({name}) => name)).toEqual(want);
    expect([request?.method, request?.query.get('dryRun')]).toEqual(['POST', 'All']);
  });

  it('and refused by the API server alone', async () => {
    answer(422);
    expect(await tryMatchConditions(client, policy('ConfigMap'))).toContain('refused by the API server');
    answer(403);
    await expect(tryMatchConditions(client, policy('ConfigMap'))).rejects.toMatchObject({status: 403});
  });
});
