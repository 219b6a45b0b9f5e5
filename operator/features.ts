import {createCleanupFeature} from './cleanup/cleanup-feature.js';
import type {Core, Feature} from './feature.js';
import {createGlobalContextFeature} from './global-context/global-context-feature.js';
import {createReportFeatures} from './reports/reports-feature.js';
import {createTtlFeature} from './ttl/ttl-feature.js';

/** Everything that runs beside admission of classic policies, in the order of its start. */
export function createFeatures(core: Core): readonly Feature[] {
  return [createGlobalContextFeature(core, core.globalContext), createCleanupFeature(core), createTtlFeature(core), ...createReportFeatures(core)];
}
