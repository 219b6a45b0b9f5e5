import {describe, expect, it} from 'vitest';
import {createManualClock} from '../../adapters/clock/manual-clock.js';
import {createRegexEngine} from '../../adapters/regex/regex-engine.js';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import type {Json, JsonObject} from '../../engine/json/types.js';
import {recordingLoader} from '../../engine/testing/recording-loader.js';
import type {Core} from '../feature.js';
import {jobOfPolicy} from './classic-jobs.js';

describe('the judge of a clean-up', () => {
  /** Looks one value up for each object, in so much time. */
  function judgeWith(answer: Json, milliseconds: number) {
    const clock = createManualClock();
    const asked: string[] = [];
    const loader: Core['loader'] = {
      ...recordingLoader(),
      now: () => clock.now(),
      async apiCall({urlPath = ''}) {
        asked.push(urlPath);
        clock.advance(milliseconds);
        return answer;
      },
    };
    const tools = {loader, clock, regex: createRegexEngine(), resources: () => builtinResourceMap, environment: {namespace: 'kyverno'}, flags: {}};
    const apiCall = {urlPath: '/api/v1/namespaces/shop/configmaps/{{ target.metadata.name }}', jmesPath: 'size'};
    const {job} = jobOfPolicy(
      {
        apiVersion: 'kyverno.io/v2',
        kind: 'ClusterCleanupPolicy',
        metadata: {name: 'p'},
        spec: {
          schedule: '@monthly',
          match: {any: [{resources: {kinds: ['Pod']}}]},
          context: [{name: 'size', apiCall}],
          conditions: {all: [{key: '{{ size }}', operator: 'Equals', value: 1}]},
        },
      },
      tools as unknown as Parameters<typeof jobOfPolicy>[1],
    );
    const judge = job!.judge();
    return {asked, judge: (name: string) => judge({apiVersion: 'v1', kind: 'Pod', metadata: {name, namespace: 'shop'}} satisfies JsonObject)};
  }

  it('has time for each object, however long those before it took', async () => {
    const {judge} = judgeWith({size: 1}, 700);
    for (let count = 0; count < 100; count += 1) expect(await judge(`pod-${count}`)).toBe(true);
  });

  it('has room for what each object needs, however much was loaded for those before it', async () => {
    const {judge} = judgeWith({size: 1, data: 'x'.repeat(1024 * 1024)}, 0);
    for (let count = 0; count < 70; count += 1) expect(await judge(`pod-${count}`)).toBe(true);
  });

  it('looks up once what several objects need', async () => {
    const {judge, asked} = judgeWith({size: 1}, 10);
    for (let count = 0; count < 20; count += 1) expect(await judge('pod')).toBe(true);
    expect(asked).toHaveLength(1);
  });
});
