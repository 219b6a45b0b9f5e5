import {describe, expect, it} from 'vitest';
import {compileKindSelector, parseKindSelector} from './kind-selector.js';

/** `group/version/Kind/subresource`; the subresource may be empty. */
function subject(text: string) {
  const [group = '', version = '', kind = '', subresource = ''] = text.split('/');
  return {group, version, kind, subresource};
}

function selects(selector: string, text: string, ephemeral = true): boolean {
  const parsed = parseKindSelector(selector);
  return parsed !== undefined && compileKindSelector(parsed, ephemeral)(subject(text));
}

describe('a kind selector', () => {
  it.each<[string, string, boolean]>([
    ['Pod', '/v1/Pod/', true],
    ['Pod', 'metrics.k8s.io/v1beta1/Pod/', true],
    ['Pod', '/v1/Pod/status', false],
    ['Pod', '/v1/PodTemplate/', false],
    ['pod', '/v1/Pod/', false],
    ['*', 'apps/v1/Deployment/', true],
    ['*', 'apps/v1/Deployment/scale', false],
    ['*/*', 'apps/v1/Deployment/scale', true],
    ['*/*', '/v1/Pod/', true],
    ['*/scale', 'apps/v1/Deployment/scale', true],
    ['*/scale', 'apps/v1/Deployment/', false],
    ['v1/Pod', '/v1/Pod/', true],
    ['v1/Pod', '/v1beta1/Pod/', false],
    ['v1beta1/X', 'g/v1beta1/X/', true],
    ['v2alpha10/X', 'g/v2alpha10/X/', true],
    ['*/Pod', '/v1/Pod/', true],
    ['*/Pod', '/v1/Pod/exec', false],
    ['Pod/exec', '/v1/Pod/exec', true],
    ['Pod/exec', '/v1/Pod/', false],
    ['Pod.status', '/v1/Pod/status', true],
    ['Pod/*', '/v1/Pod/exec', true],
    ['Pod/*', '/v1/Pod/', true],
    ['apps/Deployment', 'apps/v1/Deployment/', false],
    ['v1/Pod/status', '/v1/Pod/status', true],
    ['apps/v1/Deployment', 'apps/v1/Deployment/', true],
    ['apps/v1/Deployment', 'extensions/v1/Deployment/', false],
    ['apps/v1/Deployment', 'apps/v1/Deployment/scale', false],
    ['apps/*/Deployment', 'apps/v1beta2/Deployment/', true],
    ['*/v1/Deployment', 'apps/v1/Deployment/', false],
    ['apps/v1/Deployment/scale', 'apps/v1/Deployment/scale', true],
    ['apps/v1/Deployment.scale', 'apps/v1/Deployment/scale', true],
    ['*.io/*/*', 'stable.example.io/v1/Cron/', true],
    ['a*/v?/D*/s*', 'apps/v1/Deployment/scale', true],
    ['Dep?', 'apps/v1/Dep/', false],
    ['', '/v1/Pod/', false],
    ['a/b/c/d/e', '/v1/Pod/', false],
  ])('%s on %s: %s', (selector, text, want) => {
    expect(selects(selector, text)).toBe(want);
  });
});

describe('ephemeral containers', () => {
  it.each<[string, boolean]>([
    ['Pod', true],
    ['v1/Pod', true],
    ['*', true],
    ['P*', true],
    ['*/Pod', true],
    ['Pod/ephemeralcontainers', true],
    ['Pod/status', false],
    ['v1beta1/Pod', false],
    ['apps/v1/Pod', false],
    ['Deployment', false],
  ])('are reached by %s: %s', (selector, want) => {
    expect(selects(selector, '/v1/Pod/ephemeralcontainers')).toBe(want);
  });

  it('are not reached by a Pod selector where that is not wanted', () => {
    expect(selects('Pod', '/v1/Pod/ephemeralcontainers', false)).toBe(false);
    expect(selects('Pod/ephemeralcontainers', '/v1/Pod/ephemeralcontainers', false)).toBe(true);
  });

  it('are only those of Pods', () => {
    expect(selects('*', 'example.com/v1/Pod/ephemeralcontainers')).toBe(false);
  });
});
