import {describe, expect, it} from 'vitest';
import type {JsonObject} from '../../engine/json/types.js';
import {carryBundle} from './published-bundle.js';

const encoded = (text: string) => Buffer.from(text).toString('base64');

function configuration(labels: JsonObject, ...bundles: string[]): JsonObject {
  return {
    metadata: {name: 'kyverno-webhook-cfg', labels},
    webhooks: bundles.map(bundle => ({name: 'w', clientConfig: {caBundle: encoded(bundle)}})),
  };
}

const ours = {'webhook.kyverno.io/managed-by': 'kyverno'};

describe('carryBundle', () => {
  it.each([
    ['no configuration', [], true],
    ['a configuration without entries', [configuration(ours)], true],
    ['the bundle in each entry', [configuration(ours, 'new', 'new'), configuration(ours, 'new')], true],
    ['the old bundle in one entry', [configuration(ours, 'new'), configuration(ours, 'new', 'old')], false],
    ["somebody else's configuration", [configuration({}, 'theirs')], true],
  ])('with %s: %s', (_name, configurations, wanted) => {
    expect(carryBundle(configurations, 'new')).toBe(wanted);
  });
});
