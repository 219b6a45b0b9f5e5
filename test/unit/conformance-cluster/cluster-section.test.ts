import {describe, expect, it} from 'vitest';
import {clusterSection, clusterSectionOf, withClusterSection} from '../../conformance/cluster/cluster-section.js';
import {profileOf} from '../../conformance/cluster/profiles.js';
import type {SuiteResult} from '../../conformance/cluster/results.js';
import type {ClusterSuite} from '../../conformance/cluster/suites.js';

const base = {
  kind: 'chainsaw',
  folder: '',
  family: 'a',
  policyKinds: [],
  features: [],
  tags: [],
  operatorConfig: 'standard',
  needsNetwork: false,
  needsPods: false,
  recorded: 'pass',
  skips: false,
};
const suites: readonly ClusterSuite[] = [
  {...base, id: '1'},
  {...base, id: '2'},
  {...base, id: '3', recorded: 'fail'},
  {...base, id: '4', family: 'b'},
];
const result = (id: string, status: SuiteResult['status']): [string, SuiteResult] => [
  id,
  {id, status, seconds: 1, attempts: 1, profile: '', build: '', at: ''},
];

describe('the section of a page', () => {
  const last = new Map([result('1', 'pass'), result('2', 'timeout'), result('3', 'pass')]);
  const section = clusterSection(suites, last, new Map([['2', 'a | cause']]));
  it('counts per family what Kyverno passes', () => {
    expect(section).toContain('| a | 3 | 2 | 1 | 1 | 0 |');
    expect(section).toContain('| b | 1 | 1 | 0 | 0 | 1 |');
    expect(section).toContain('| **all** | 4 | 3 | 1 | 1 | 1 |');
  });
  it('lists what counts and does not pass, with its cause', () => {
    expect(section).toContain('Of 2 suites that count and were run, 1 pass (50.0 %).');
    expect(section).toContain('| 2 | a \\| cause |');
    expect(clusterSection(suites, last, new Map())).toContain('| 2 | not explained: timeout |');
    expect(section).not.toContain('\n| 3 |');
  });
  it('comes after what is there, then in place of itself', () => {
    const page = withClusterSection('# Page\n', 'old\n');
    expect(withClusterSection(page, 'new\n')).toBe(page.replace('old', 'new'));
    expect(clusterSectionOf(page)).toContain('old');
    expect(clusterSectionOf('# Page\n')).toBe('');
  });
});

describe('the profile of a suite', () => {
  const profile = (fields: Partial<ClusterSuite>) => profileOf({...base, id: 'x', ...fields});
  it('has the flags that the index names', () =>
    expect(profile({operatorConfig: 'standard,force-failure-policy-ignore'})).toMatchObject({
      operatorArgs: expect.arrayContaining(['--forceFailurePolicyIgnore=true']) as unknown,
    }));
  it('has a minor and gates for native mutation', () => {
    const operatorConfig = 'standard,generate-mutating-admission-policy';
    expect(profile({operatorConfig, family: 'generate-mutating-admission-policy-alpha'})).toMatchObject({
      minor: '1.33',
      featureGates: {MutatingAdmissionPolicy: true},
    });
  });
  it('tells apart what needs Pods', () =>
    expect(profile({needsPods: true})).toMatchObject({name: 'standard+pods', pods: true}));
  it('says why a suite cannot run', () =>
    expect(profile({operatorConfig: 'standard,custom-sigstore'})).toHaveProperty('unreachable'));
  it('knows no other configuration', () => expect(profile({operatorConfig: 'x'})).toHaveProperty('unreachable'));
});
