import type {Core, Feature} from './feature.js';

/** Everything that runs beside admission of classic policies, in the order of its start. */
export function createFeatures(_core: Core): readonly Feature[] {
  return [];
}
