import {describe, expect, it} from 'vitest';
import {builtinResourceMap} from '../builtin-resources.js';
import {compileCelPolicy} from '../cel-policies/compile/compile-cel-policy.js';
import {celCache} from '../cel-policies/testing/cel-engines.js';
import {imagePolicy, off, signedByAlice, signers} from '../cel-image/testing/policies.js';
import {formatDiagnostic} from '../diagnostic.js';
import {compileState} from '../snapshot/policy-cache.js';
import {policyOf, regex} from '../testing/engines.js';
import type {ProviderLack} from './idle-providers.js';

/** An installation with an Amazon identity, and none of GitHub's and Azure's. */
const providerLack: ProviderLack = provider =>
  ({github: 'GITHUB_TOKEN is not set', azure: 'AZURE_CLIENT_ID is not set'})[provider];

const rows: ReadonlyArray<readonly [credentials: string, why: string | undefined]> = [
  ['{providers: [github]}', 'no credentials of provider github (GITHUB_TOKEN is not set)'],
  [
    '{providers: [github, azure]}',
    'no credentials of provider github (GITHUB_TOKEN is not set), azure (AZURE_CLIENT_ID is not set)',
  ],
  ['{providers: [github, amazon]}', undefined],
  ['{providers: [default]}', undefined],
  ['{providers: [github], secrets: [pull]}', undefined],
  ['{}', undefined],
];

describe('a policy whose credentials open nothing is not served', () => {
  const pods = 'match: {any: [{resources: {kinds: [Pod]}}]}';
  const classic = (rule: string) => {
    const compile = {matchConditions: 'by-api-server', background: 'served', regex, providerLack} as const;
    const state = compileState(policyOf('p', `[{name: r, ${pods}, ${rule}}]`), {resources: () => builtinResourceMap, compile});
    return state.status === 'refused' ? state.problems.map(formatDiagnostic) : state.status;
  };

  it.each(rows)('verifyImages with %s', (credentials, why) => {
    const rule = `verifyImages: [{imageReferences: ["*"], imageRegistryCredentials: ${credentials}}]`;
    const place = 'spec.rules[0].verifyImages[0].imageRegistryCredentials.providers';
    expect(classic(rule)).toEqual(why === undefined ? 'served' : [`${place}: rule r: ${why}`]);
  });

  it.each(rows)('an entry imageRegistry with %s', (credentials, why) => {
    const entry = `{name: i, imageRegistry: {reference: a, imageRegistryCredentials: ${credentials}}}`;
    const place = 'spec.rules[0].context[0].imageRegistry.imageRegistryCredentials.providers';
    const rule = `context: [${entry}], validate: {message: m, deny: {}}`;
    expect(classic(rule)).toEqual(why === undefined ? 'served' : [`${place}: rule r: ${why}`]);
  });

  it.each(rows)('entries imageRegistry of loops, of loops within them and of targets with %s', (credentials, why) => {
    const entry = `context: [{name: i, imageRegistry: {reference: a, imageRegistryCredentials: ${credentials}}}]`;
    const patch = 'patchStrategicMerge: {metadata: {labels: {a: b}}}';
    const target = `{apiVersion: v1, kind: ConfigMap, name: a, namespace: b, ${entry}}`;
    const data = 'apiVersion: v1, kind: ConfigMap, name: made, namespace: shop, data: {data: {a: b}}';
    const places: Readonly<Record<string, string>> = {
      'validate.foreach[0]': `validate: {message: m, foreach: [{list: request.object.spec.containers, ${entry}, deny: {}}]}`,
      'validate.foreach[0].foreach[0]': `validate: {message: m, foreach: [{list: request.object.spec.containers, foreach: [{list: element.env, ${entry}, deny: {}}]}]}`,
      'mutate.foreach[0]': `mutate: {foreach: [{list: request.object.spec.containers, ${entry}, ${patch}}]}`,
      'mutate.foreach[0].foreach[0]': `mutate: {foreach: [{list: request.object.spec.containers, foreach: [{list: element.env, ${entry}, ${patch}}]}]}`,
      'mutate.targets[0]': `mutate: {targets: [${target}], ${patch}}`,
      'generate.foreach[0]': `generate: {foreach: [{list: request.object.spec.containers, ${entry}, ${data}}]}`,
    };
    for (const [place, rule] of Object.entries(places)) {
      const wanted = why === undefined ? 'served' : [`spec.rules[0].${place}.context[0].imageRegistry.imageRegistryCredentials.providers: rule r: ${why}`];
      expect(classic(rule), place).toEqual(wanted);
    }
  });

  it.each(rows)('ImageValidatingPolicy with %s', (credentials, why) => {
    const state = celCache().putPolicy(imagePolicy(`{${signers}, ${off}, ${signedByAlice}, credentials: ${credentials}}`));
    if (state.status === 'refused') throw new Error(state.problems.map(formatDiagnostic).join('\n'));
    const {problems} = compileCelPolicy(state.policy.source, {regex, resources: builtinResourceMap, providerLack});
    expect(problems.map(formatDiagnostic)).toEqual(why === undefined ? [] : [`spec.credentials.providers: ${why}`]);
  });
});
