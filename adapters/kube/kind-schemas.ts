import {EvalError} from '../../engine/diagnostic.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {type ResourceMap, resourceOfKind} from '../../engine/resource-map.js';
import type {Clock} from '../clock.js';
import {type SchemaSource, schemasOf} from '../definition-schemas.js';
import {hasStatus} from './kube-error.js';
import type {KubeClient} from './types.js';

export interface KindSchemasOptions {
  readonly client: Pick<KubeClient, 'get'>;
  readonly resources: ResourceMap;
  readonly clock: Clock;
  /** Milliseconds for one read. */
  readonly timeoutMs: number;
}

interface Known {
  readonly generation: string;
  readonly schemas: SchemaSource;
  readonly readAt: number;
}

/** Milliseconds for which a definition is taken to be as it was read. */
const freshFor = 30_000;
const mostKnown = 500;
const maxBytes = 8 * 1024 * 1024;
const none: SchemaSource = () => undefined;

/**
 * Schemas of custom kinds, from their CustomResourceDefinitions as the cluster has them; read when they are first asked
 * for and again when they are no longer fresh. Kinds of other API servers have none.
 */
export function createKindSchemas({client, resources, clock, timeoutMs}: KindSchemasOptions) {
  const known = new Map<string, Known>();
  const reading = new Map<string, Promise<Known>>();

  async function read(name: string): Promise<Known> {
    const before = known.get(name);
    let definition: JsonObject | undefined;
    try {
      definition = await client.get(
        {group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions', name},
        {timeoutMs, maxBytes},
      );
    } catch (error) {
      if (!hasStatus(error, 404)) {
        if (before !== undefined) return before;
        throw new EvalError(`failed to read the definition of ${name}`);
      }
    }
    const generation = `${String(ownPath(definition, 'metadata', 'uid'))} ${String(ownPath(definition, 'metadata', 'generation'))}`;
    const schemas = definition === undefined ? none : schemasOf([{kind: 'CustomResourceDefinition', ...definition}]);
    const same = before !== undefined && before.generation === generation;
    const entry = {generation, schemas: same ? before.schemas : schemas, readAt: clock.monotonic()};
    known.delete(name);
    known.set(name, entry);
    for (const oldest of known.keys()) {
      if (known.size <= mostKnown) break;
      known.delete(oldest);
    }
    return entry;
  }

  return (apiVersion: string, kind: string): JsonObject | undefined | Promise<JsonObject | undefined> => {
    const resource = resourceOfKind(resources, apiVersion, kind);
    if (resource === undefined || resource.group === '') return undefined;
    const name = `${resource.resource}.${resource.group}`;
    const entry = known.get(name);
    if (entry !== undefined && clock.monotonic() - entry.readAt < freshFor) return entry.schemas(apiVersion, kind);
    let running = reading.get(name);
    if (running === undefined) {
      running = read(name).finally(() => reading.delete(name));
      reading.set(name, running);
    }
    return running.then(({schemas}) => schemas(apiVersion, kind));
  };
}
