import {describe, expect, it} from 'vitest';
import type {JsonObject} from '../../engine/json/types.js';
import {engineOf, judge, policyOf} from '../../engine/testing/engines.js';
import {recordingLoader} from '../../engine/testing/recording-loader.js';
import {requestOf} from '../../engine/testing/requests.js';

/** What cannot be read is taken for "does not match", and the rule lets everything through. */
const pod: JsonObject = {apiVersion: 'v1', kind: 'Pod', metadata: {name: 'p', namespace: 'shop'}, spec: {}};
const policy = policyOf('selected', `
- name: team
  match: {any: [{resources: {kinds: [Pod], namespaceSelector: {matchLabels: {tier: prod}}}}]}
  validate: {message: m, pattern: {metadata: {labels: {team: "?*"}}}}`);

async function statuses(labels: Readonly<Record<string, string>> | Error): Promise<string[]> {
  const {engine} = engineOf([policy], {loader: recordingLoader({namespaces: {shop: labels}})});
  return (await judge(engine, requestOf({object: pod}))).map(({status}) => status);
}

describe("a namespace's labels that cannot be read", () => {
  it('are an error, for the failure policy to judge', async () => {
    expect(await statuses(new Error('the API server is away'))).toEqual(['error']);
  });

  it('taken for none, would let the Pod through', async () => {
    expect(await statuses({})).toEqual([]);
    expect(await statuses({tier: 'prod'})).toEqual(['fail']);
  });
});
