import {expect, it} from 'vitest';
import {celCache} from '../cel-policies/testing/cel-engines.js';
import {explainCelPolicy} from '../explain/index.js';
import type {ExplainNode} from '../explain/types.js';
import {regex} from '../testing/engines.js';
import {recordingLoader} from '../testing/recording-loader.js';
import {pod, requestOf} from '../testing/requests.js';
import {testImageSource} from './testing/image-source.js';
import {imagePolicy, keys, off, signers} from './testing/policies.js';

function allNodes(node: ExplainNode | undefined): readonly ExplainNode[] {
  return node === undefined ? [] : [node, ...(node.children ?? []).flatMap(allNodes)];
}

it.each([false, true])('an explanation shows what registries said, answers later: %s', async later => {
  const spec = `{${signers}, ${off}, validations: [{expression: "verifyImageSignatures(images.containers[0], [attestors.alice, attestors.bob]) == 2", message: both must sign}]}`;
  const state = celCache().putPolicy(imagePolicy(spec));
  if (state.status === 'refused') throw new Error(JSON.stringify(state.problems));
  const source = testImageSource({'r.io/a:1': {digest: `sha256:${'a'.repeat(64)}`, signers: [keys.alice]}}, {later});
  const request = requestOf({object: pod('a', {spec: {containers: [{name: 'c', image: 'r.io/a:1'}]}})});
  const {rules} = await explainCelPolicy({policy: state.policy, exceptions: [], request, loader: recordingLoader({imageSource: source}), regex});
  const [rule] = rules;
  expect(rule?.results).toMatchObject([{status: 'fail', message: 'both must sign'}]);
  expect(rule?.check?.verdict).toBe('fail');
  const asked = allNodes(rule?.check).find(({name}) => /^verifyImageSignatures\([^=]*\)$/.test(name));
  expect(asked?.got).toBe(1);
});
