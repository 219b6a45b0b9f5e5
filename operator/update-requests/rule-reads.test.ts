import {describe, expect, it} from 'vitest';
import type {JsonObject} from '../../engine/json/types.js';
import {keptParts, readsOf, readsSecretData} from './rule-reads.js';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
const applied = (kind: string): JsonObject => ({
  apiVersion: 'v1',
  kind,
  metadata: {name: 'key', namespace: 'shop', labels: {a: 'b'}, managedFields: [], annotations: {[lastApplied]: '{"data":{"code":"MTIzNA=="}}', owner: 'alice', note: 'spare'}},
  data: {code: 'MTIzNA=='},
});
const owner = ['metadata', 'annotations', 'owner'];

describe('what is kept of an object', () => {
  for (const [name, kind, reads, annotations] of [
    ['a Secret: no annotation that nobody reads', 'Secret', [], undefined],
    ['a Secret: the annotation that is read', 'Secret', [owner], {owner: 'alice'}],
    ['a Secret: no copy of its data where all annotations are read', 'Secret', [['metadata', 'annotations']], {owner: 'alice', note: 'spare'}],
    ['a Secret: no copy of its data where the whole is read', 'Secret', [[]], {owner: 'alice', note: 'spare'}],
    ['others: annotations, without the copy of the whole', 'ConfigMap', [], {owner: 'alice', note: 'spare'}],
    ['others: the copy where it is read', 'ConfigMap', [['metadata', 'annotations', lastApplied]], {owner: 'alice', note: 'spare', [lastApplied]: '{"data":{"code":"MTIzNA=="}}'}],
  ] as const) {
    it(name, () => {
      const kept = keptParts(applied(kind), reads);
      expect(kept).toEqual({...kept, apiVersion: 'v1', kind, metadata: {name: 'key', namespace: 'shop', labels: {a: 'b'}, ...(annotations !== undefined && {annotations})}});
      if (kind === 'Secret') expect(JSON.stringify(kept)).not.toContain('MTIzNA');
    });
  }
});

describe("a Secret's data", () => {
  it('is also read where a copy of it is', () => {
    const {reads} = readsOf(`{{ request.oldObject.metadata.annotations."${lastApplied}" }}`);
    expect(readsSecretData(applied('Secret'), reads)).toBe(true);
    expect(readsSecretData(applied('ConfigMap'), reads)).toBe(false);
    expect(readsSecretData(applied('Secret'), [owner])).toBe(false);
  });
});
