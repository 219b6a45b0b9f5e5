import {describe, expect, it} from 'vitest';
import {parseJson} from '../json/parse.js';
import type {Json} from '../json/types.js';
import {objectFromData} from './target-object.js';

const names = {apiVersion: 'v1', kind: 'ConfigMap', name: 'made', namespace: 'team'};
const made = (data: string) => objectFromData(parseJson(data) as Json, names);

describe('an object from data', () => {
  it('has text in labels and annotations, whatever variables became, and only there', () => {
    const metadata = '{"labels": {"a": 0, "b": true, "c": "x", "d": 1.5}, "annotations": {"n": 3}, "generation": 7}';
    expect(made(`{"metadata": ${metadata}, "spec": {"n": 1}}`)).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {labels: {a: '0', b: 'true', c: 'x', d: '1.5'}, annotations: {n: '3'}, generation: 7, name: 'made', namespace: 'team'},
      spec: {n: 1},
    });
  });

  it('keeps what the API server has to refuse', () => {
    expect(made('{"metadata": {"labels": {"a": ["x"], "b": null}}}')).toMatchObject({metadata: {labels: {a: ['x'], b: null}}});
  });
});
