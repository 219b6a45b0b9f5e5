import {describe, expect, it} from 'vitest';
import {engineOf, judge, policyOf} from '../testing/engines.js';
import {requestOf} from '../testing/requests.js';
import {yamlObject} from '../policy/testing/build.js';

const pod = yamlObject(
  '{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: team}, spec: {hostNetwork: true, containers: [{name: a, image: nginx}]}}',
);

async function results(assert: string, more = '', operation: 'CREATE' | 'DELETE' = 'CREATE') {
  const rule = `[{name: r, match: {any: [{resources: {kinds: [Pod]}}]}, ${more} validate: {message: "no host network.", assert: ${assert}}}]`;
  const {engine} = engineOf([policyOf('p', rule)]);
  return judge(engine, requestOf(operation === 'DELETE' ? {operation, oldObject: pod} : {operation, object: pod}));
}

describe('validate.assert', () => {
  it('passes', async () => {
    expect(await results('{spec: {"~.containers": {image: nginx}}}')).toMatchObject([
      {status: 'pass', message: "validation rule 'r' passed."},
    ]);
  });

  it('fails with the message and every difference', async () => {
    expect(await results('{spec: {hostNetwork: false, "(containers[0].name)": b}}')).toMatchObject([
      {
        status: 'fail',
        message:
          'validation error: no host network. rule r failed: spec.hostNetwork: Invalid value: true: Expected value: false; spec.(containers[0].name): Invalid value: "a": Expected value: "b"',
      },
    ]);
  });

  it('puts variables in and reads the context by name', async () => {
    const context = 'context: [{name: wanted, variable: {value: web}}],';
    expect(await results('{metadata: {name: "{{ wanted }}", "(name == $wanted)": true}}', context)).toMatchObject([
      {status: 'pass'},
    ]);
  });

  it('is an error where an expression cannot be evaluated', async () => {
    expect(await results('{spec: {"(length(hostNetwork))": 1}}')).toMatchObject([{status: 'error'}]);
  });

  it('says nothing of an object that goes away', async () =>
    expect(await results('{spec: {}}', '', 'DELETE')).toEqual([]));

  it('refuses a policy whose expressions cannot be read', () => {
    expect(() =>
      engineOf([
        policyOf('p', '[{name: r, match: {any: [{resources: {kinds: [Pod]}}]}, validate: {assert: {"(a ||)": 1}}}]'),
      ]),
    ).toThrow(/spec\.rules\[0\]\.validate\.assert/);
  });

  for (const tree of ['{}', '[]', '[{spec: {}}]', 'text', '3']) {
    it(`refuses the tree ${tree}, which would ask for nothing`, () => {
      expect(() =>
        engineOf([
          policyOf('p', `[{name: r, match: {any: [{resources: {kinds: [Pod]}}]}, validate: {assert: ${tree}}}]`),
        ]),
      ).toThrow(/spec\.rules\[0\]\.validate\.assert: expected a map/);
    });
  }
});
