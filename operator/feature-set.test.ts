import {describe, expect, it} from 'vitest';
import {silentLogger} from '../adapters/log/logger.js';
import type {EngineRequest} from '../engine/types.js';
import type {AuditRecord} from '../webhook/types.js';
import {featureSet, joinSinks} from './feature-set.js';

const request = {} as EngineRequest;
const route = {handler: 'validate', pattern: '/validate', webhook: 'validate'} as const;

describe('features', () => {
  it('keeps one that throws from the others', async () => {
    const told: string[] = [];
    const set = featureSet(
      [
        {
          name: 'broken',
          start: () => Promise.reject(new Error('no')),
          setLeading() {
            throw new Error('no');
          },
        },
        {name: 'sound', start: () => void told.push('start'), setLeading: leading => void told.push(`leading ${leading}`)},
      ],
      silentLogger,
    );
    await set.start();
    set.setLeading('admission', true);
    set.setLeading('reports', true);
    expect(told).toEqual(['start', 'leading true']);
  });

  it('tells every observer that is concerned, also when one fails', async () => {
    const told: string[] = [];
    const observer = (name: string, concerned: boolean, fails = false) => ({
      name,
      observer: {
        concerns: () => concerned,
        async admitted() {
          told.push(name);
          if (fails) throw new Error(`${name} failed`);
        },
      },
    });
    const set = featureSet([observer('a', true, true), observer('b', false), observer('c', true)], silentLogger);
    expect(set.observer!.concerns(request, route)).toBe(true);
    await expect(set.observer!.admitted(request, route, 0)).rejects.toThrow('a failed');
    expect(told).toEqual(['a', 'c']);
  });

  it('joins sinks: each that takes records gets them', async () => {
    const got: string[] = [];
    const sink = joinSinks([
      {submit: () => Promise.reject(new Error('lost'))},
      {takes: () => false, submit: () => void got.push('never')},
      {submit: () => void got.push('kept')},
    ]);
    expect(sink.takes?.()).toBe(true);
    await expect(sink.submit({} as AuditRecord, new AbortController().signal)).rejects.toThrow('lost');
    expect(got).toEqual(['kept']);
  });
});
