import {Counter} from 'prom-client';
import {hasStatus} from '../../adapters/kube/kube-error.js';
import {objectPath} from '../../adapters/kube/paths.js';
import {searchPart} from '../../adapters/kube/search-room.js';
import {deepEqual} from '../../engine/json/equal.js';
import {isObject, type JsonObject, ownPath} from '../../engine/json/types.js';
import type {KindInfo} from '../../engine/resource-map.js';
import type {Core} from '../feature.js';
import {deniedRight} from '../generate/denied-right.js';
import {errorsIn, MissingRight, throwAll, writeFailure} from '../generate/work-errors.js';
import type {BackgroundFamily, BackgroundPolicy, BackgroundRule, MadeTarget} from '../update-requests/background-policy.js';
import type {EngineRequest} from '../../engine/types.js';
import {kindOf, type NamedObject, namedObject, refOf, shownObject} from '../update-requests/trigger.js';

export interface MutationResult {
  /** No outcome: the rule does not concern the trigger. */
  readonly outcomes: number;
  readonly changed: readonly NamedObject[];
}

export interface Mutations {
  /** Writes what a rule makes of existing objects. Rejects after everything else was done. */
  run(family: BackgroundFamily, policy: BackgroundPolicy, rule: BackgroundRule, request: EngineRequest): Promise<MutationResult>;
}

type MutationCore = Pick<Core, 'client' | 'clock' | 'log' | 'metrics' | 'resources' | 'filters'>;

const evaluateMs = 30_000;
const fieldManager = 'kyverno-mutate';

export function createMutations({client, clock, log, metrics, resources, filters}: MutationCore): Mutations {
  const writes = new Counter({name: 'kyverno_mutate_existing_writes_total', help: 'Existing objects changed by policies', labelNames: ['policy_name'], registers: [metrics.registry]});

  async function write(policy: BackgroundPolicy, {object, place: {subresource, parent}}: MadeTarget): Promise<NamedObject | undefined> {
    const named = namedObject(object);
    const kind = kindOf(parent ?? named, resources());
    if (kind === undefined) throw new Error(`the cluster has no kind ${named.kind} in ${named.apiVersion}`);
    const {group, version} = kind;
    if (filters().excludesResource({group, version, kind: kind.kind, subResource: subresource, namespace: named.namespace, name: named.name})) return undefined;
    const ref = refOf(named, kind);
    const isPart = subresource !== '' && subresource !== 'status';
    const live = await readLive(ref, kind, isPart ? subresource : undefined);
    if (live === undefined || isSame(live, object)) return undefined;
    try {
      await client.update(ref, object, {fieldManager, ...(subresource !== '' && {subresource})});
    } catch (error) {
      if (hasStatus(error, 404)) return undefined;
      throw writeFailure(error, {verb: 'update', kind, namespace: ref.namespace, name: ref.name});
    }
    writes.inc({policy_name: policy.ref.key});
    return named;
  }

  async function readLive(ref: Parameters<typeof client.get>[0], kind: KindInfo, subresource: string | undefined): Promise<JsonObject | undefined> {
    try {
      if (subresource === undefined) return await client.get(ref);
      const {body} = await client.request({method: 'GET', path: objectPath(ref, subresource)});
      return isObject(body) ? body : undefined;
    } catch (error) {
      if (hasStatus(error, 404)) return undefined;
      if (hasStatus(error, 403)) throw new MissingRight('get', kind.group, subresource === undefined ? kind.resource : `${kind.resource}/${subresource}`, ref.namespace ?? '', {name: ref.name});
      throw error;
    }
  }

  return {
    // Its outcomes hold what was found until all of it is written.
    run: (family, policy, rule, request) => searchPart(async () => {
      const outcomes = await family.evaluate(policy, [rule], request, clock.now() + evaluateMs);
      const changed: NamedObject[] = [];
      const errors: unknown[] = [];
      for (const {status, message, targets} of outcomes) {
        if (status === 'error' || status === 'fail') errors.push(deniedRight(message) ?? new Error(message));
        if (status !== 'pass') continue;
        for (const target of targets) {
          try {
            const written = await write(policy, target);
            if (written !== undefined) changed.push(written);
          } catch (error) {
            errors.push(...errorsIn(error));
          }
        }
      }
      for (const object of changed) log.info(`background: policy ${policy.ref.key} rule ${rule.name} mutated ${shownObject(object)}`);
      throwAll(errors);
      return {outcomes: outcomes.length, changed};
    }),
  };
}

/** Equal but for what the server itself fills in. */
function isSame(live: JsonObject, wanted: JsonObject): boolean {
  return deepEqual(comparable(live), comparable(wanted));
}

function comparable(object: JsonObject): JsonObject {
  const {apiVersion: _version, kind: _kind, ...rest} = object;
  const metadata = ownPath(rest, 'metadata');
  if (!isObject(metadata)) return rest;
  const {managedFields: _managed, resourceVersion: _stored, ...fields} = metadata;
  return {...rest, metadata: Object.fromEntries(Object.entries(fields).filter(([, value]) => !isObject(value) || Object.keys(value).length > 0))};
}
