import {describe, expect, it} from 'vitest';
import {compileResourceFilters, parseResourceFilters} from './resource-filters.js';
import type {FilteredResource} from '../../webhook/types.js';

function request(kind: string, namespace: string, name: string, more: Partial<FilteredResource> = {}): FilteredResource {
  return {group: '', version: 'v1', kind, subResource: '', namespace, name, ...more};
}

const pod = request('Pod', 'a', 'p');
const deployment = request('Deployment', 'a', 'd', {group: 'apps'});
const scale = {...deployment, subResource: 'scale'};
const node = request('Node', '', 'n1');

describe('a resource filter', () => {
  const rows: [string, string, FilteredResource, boolean][] = [
    ['fits a kind everywhere', '[Pod,*,*]', pod, true],
    ['does not fit another kind', '[Service,*,*]', pod, false],
    ['fits a kind in a namespace', '[Pod,a,*]', pod, true],
    ['does not fit another namespace', '[Pod,b,*]', pod, false],
    ['fits wildcards in namespace and name', '[Pod,?,p*]', pod, true],
    ['does not fit another name', '[Pod,*,q*]', pod, false],
    ['without a name fits only objects without one', '[Pod,a]', pod, false],
    ['without a name fits a nameless object', '[Pod,a]', request('Pod', 'a', ''), true],
    ['with a kind alone fits nothing in a namespace', '[Pod]', pod, false],
    ['for every kind', '[*/*,a,*]', deployment, true],
    ['for every kind takes subresources', '[*/*,a,*]', scale, true],
    ['for a kind leaves subresources out', '[Deployment,*,*]', scale, false],
    ['for a subresource of any kind', '[*/scale,*,*]', scale, true],
    ['for any subresource of a kind', '[Deployment/?*,*,*]', scale, true],
    ['for any subresource leaves the object itself out', '[Deployment/?*,*,*]', deployment, false],
    ['with group and version', '[apps/v1/Deployment,*,*]', deployment, true],
    ['with another group', '[batch/v1/Deployment,*,*]', deployment, false],
    ['with group, version and subresource', '[apps/v1/Deployment/scale,*,*]', scale, true],
    ['with a dot before the subresource', '[Deployment.scale,*,*]', scale, true],
    ['with a version', '[v1/Pod,*,*]', pod, true],
    ['with another version', '[v2/Pod,*,*]', pod, false],
    ['with a wildcard in the kind', '[Dep*,*,*]', deployment, true],
    ['for Pods leaves ephemeral containers out', '[Pod,*,*]', {...pod, subResource: 'ephemeralcontainers'}, false],
    ['fits cluster-scoped objects by *', '[Node,*,*]', node, true],
    [
      'of a namespace covers the Namespace itself',
      '[*/*,kube-system,*]',
      request('Namespace', '', 'kube-system'),
      true,
    ],
    ['of a namespace covers no other Namespace', '[*/*,kube-system,*]', request('Namespace', '', 'a'), false],
    [
      'of a namespace covers only core Namespaces',
      '[*/*,x,*]',
      request('Namespace', '', 'x', {group: 'other.io'}),
      false,
    ],
    ['of a namespace covers no cluster-scoped object of its name', '[*/*,n1,*]', node, false],
    ['is one of several', '[Service,*,*] [Node,*,*]\n[Pod,*,*]', pod, true],
    ['may be missing', '', pod, false],
    ['names a kind exactly', '[pod,*,*]', pod, false],
  ];
  it.each(rows)('%s: %s', (_, text, subject, expected) => {
    const {filters, problems} = parseResourceFilters(text);
    expect(problems).toEqual([]);
    expect(compileResourceFilters(filters)(subject)).toBe(expected);
  });
});

describe('a filter that cannot be read is named and left out', () => {
  const rows: [string, string, string[]][] = [
    ['four parts', '[Pod,a,b,c]', ['[Pod,a,b,c] has more than the three parts kind,namespace,name']],
    ['no kind', '[,a,b]', ['[,a,b] has no kind that can be read']],
    ['nothing', '[]', ['[] has no kind that can be read']],
    ['too many slashes', '[a/b/c/d/e,*,*]', ['[a/b/c/d/e,*,*] has no kind that can be read']],
    ['blanks', '[Secret, a, b]', ['[Secret, a, b] has blanks, which no kind, namespace or name has']],
    ['text outside', 'Secret,a,b', ['"Secret,a,b" stands outside of brackets']],
    ['a bracket that is not closed', '[Secret,a,b', ['"[Secret,a,b" stands outside of brackets']],
  ];
  it.each(rows)('%s', (_, text, expected) => {
    const {filters, problems} = parseResourceFilters(`[Pod,*,*] ${text}`);
    expect(problems).toEqual(expected);
    expect(filters.map(filter => filter.kind.kind)).toEqual(['Pod']);
  });
});
