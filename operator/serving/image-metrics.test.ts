import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {Registry} from 'prom-client';
import {afterEach, describe, expect, it} from 'vitest';
import {openAccess, testImages} from '../../adapters/images/testing/test-images.js';
import {startTestRegistry, type TestRegistry} from '../../adapters/images/testing/test-registry.js';
import {imageMetrics} from './image-metrics.js';

const lookups = 'kyverno_image_cache_lookups_total';
const requests = 'kyverno_registry_requests_total';

describe('metrics of images', () => {
  let registry: TestRegistry | undefined;
  afterEach(() => registry?.close());
  const options = {deadline: Number.POSITIVE_INFINITY, useCache: true};

  async function valuesOf(metrics: Registry): Promise<Record<string, number>> {
    const all = await metrics.getMetricsAsJSON();
    return Object.fromEntries(
      all.flatMap(({name, values}) =>
        values.map(({labels, value}) => [[name, ...Object.values(labels)].join(' '), value]),
      ),
    );
  }

  it('are there at 0 from the start', async () => {
    const metrics = new Registry();
    imageMetrics(metrics);
    const values = await valuesOf(metrics);
    expect(Object.keys(values)).toHaveLength(3 * 3 + 5);
    expect(new Set(Object.values(values))).toEqual(new Set([0]));
  });

  it('tell what was asked, what was at hand, and what was fetched', async () => {
    registry = await startTestRegistry();
    registry.pushImage('app', 'v1');
    const metrics = new Registry();
    const images = testImages(imageMetrics(metrics));
    const ask = (tag: string) => images.resolveDigest(`${registry!.host}/app:${tag}`, openAccess, options);
    await Promise.all([ask('v1'), ask('v1'), ask('v1')]);
    await ask('v1');
    expect(await valuesOf(metrics)).toMatchObject({[`${lookups} tag miss`]: 1, [`${lookups} tag shared`]: 2, [`${lookups} tag hit`]: 1, [`${requests} 2xx`]: 1});
    await expect((async () => ask('none'))()).rejects.toThrow('not found');
    await registry.close();
    await expect((async () => images.imageData(`${registry!.host}/app:v2`, openAccess, options))()).rejects.toThrow();
    const after = await valuesOf(metrics);
    expect(after[`${requests} 4xx`]).toBe(1);
    expect(after[`${requests} error`]).toBeGreaterThan(0);
  });

  it('are described', async () => {
    const metrics = new Registry();
    imageMetrics(metrics);
    const page = readFileSync(join(import.meta.dirname, '../../docs/metrics.md'), 'utf8');
    for (const {name} of await metrics.getMetricsAsJSON()) expect(page).toContain(`\`${name}\``);
  });
});
