import type {JsonObject} from '../../engine/json/types.js';

export interface CreateMetricsConfigOptions {
  readonly name: string;
  readonly namespace: string;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** The ConfigMap that says which namespaces have metrics of their own. */
export function createMetricsConfig({name, namespace, include, exclude}: CreateMetricsConfigOptions): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {name, namespace},
    data: {namespaces: JSON.stringify({include, exclude}, null, 2)},
  };
}
