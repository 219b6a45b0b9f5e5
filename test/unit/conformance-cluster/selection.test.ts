import {describe, expect, it} from 'vitest';
import {parseSelection, select} from '../../conformance/cluster/selection.js';
import type {ClusterSuite} from '../../conformance/cluster/suites.js';

function suite(id: string, fields: Partial<ClusterSuite> = {}): ClusterSuite {
  const [kind = '', path = ''] = id.split(':');
  return {
    id,
    kind,
    folder: `${kind}/${path}`,
    family: path.split('/')[0] ?? '',
    policyKinds: [],
    features: [],
    tags: [],
    operatorConfig: 'standard',
    needsNetwork: false,
    needsPods: false,
    recorded: 'pass',
    skips: false,
    ...fields,
  };
}

const suites = [
  suite('chainsaw:autogen/a'),
  suite('chainsaw:validate/clusterpolicy/b', {family: 'validate/clusterpolicy'}),
  suite('chainsaw:validate/e2e/c', {family: 'validate/e2e', recorded: 'fail'}),
  suite('chainsaw:validating-policies/d', {recorded: 'skipped', needsPods: true}),
  suite('chainsaw:verify-images/e', {recorded: 'skipped', needsNetwork: true}),
  suite('policies-chainsaw:other/f', {recorded: 'skipped'}),
];

function chosen(...args: string[]): string[] {
  const known = {
    sample: new Set(['chainsaw:autogen/a']),
    results: new Map([
      ['chainsaw:autogen/a', 'pass'],
      ['chainsaw:validate/e2e/c', 'fail'],
    ]),
  };
  return select(suites, parseSelection(args), known).map(({id}) => id.replace(/^.*[:/]/, ''));
}

describe('the choice of suites', () => {
  it('leaves out the policy library and what needs Pods or a network', () => expect(chosen()).toEqual(['a', 'b', 'c']));
  it('takes both kinds', () => expect(chosen('--kind', 'all')).toEqual(['a', 'b', 'c', 'f']));
  it('takes a family with its parts, and no other that begins so', () =>
    expect(chosen('--family', 'validate')).toEqual(['b', 'c']));
  it('takes suites by a part of the id, whatever they need', () =>
    expect(chosen('--suite', 'polici', '--suite', 'e2e')).toEqual(['c', 'd']));
  it('takes what needs Pods or a network when asked', () =>
    expect(chosen('--pods', '--network')).toEqual(['a', 'b', 'c', 'd', 'e']));
  it('takes what counts', () => expect(chosen('--only-passing', '--kind', 'all')).toEqual(['a', 'b', 'f']));
  it('goes on after a cut run', () => expect(chosen('--resume')).toEqual(['b']));
  it('repeats what did not pass', () => expect(chosen('--failed')).toEqual(['c']));
  it('takes the sample', () => expect(chosen('--sample')).toEqual(['a']));
  it('leaves out suites by a part of the id', () => expect(chosen('--without', 'e2e')).toEqual(['a', 'b']));
  it('takes one part of several', () => expect(chosen('--shard', '2/2')).toEqual(['b']));
  it.each([['--kind', 'cli'], ['--shard', '3/2'], ['--patience', 'x'], ['--what']])('refuses %s %s', (...args) =>
    expect(() => chosen(...args.filter(arg => arg !== undefined))).toThrow(),
  );
});
