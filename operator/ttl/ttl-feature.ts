import {Counter, Gauge} from 'prom-client';
import {hasStatus, KubeError} from '../../adapters/kube/kube-error.js';
import {metadataListOnly} from '../../adapters/kube/metadata-only.js';
import {createReflector, type Reflector} from '../../adapters/kube/reflector.js';
import type {ObjectRef} from '../../adapters/kube/types.js';
import {parseTtl, propagationAnnotation, ttlLabel} from '../../engine/cleanup/ttl.js';
import {textOf} from '../../engine/json/text.js';
import {isObject, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import type {KindInfo} from '../../engine/resource-map.js';
import type {Core, Feature} from '../feature.js';
import {createWorkQueue} from '../manager/work-queue.js';
import {createOwnRights} from '../permissions/own-rights.js';

/** Kinds of short life, watched from the start; the others from the first look that finds a labelled object. */
const watchedAtOnce = new Set(['/pods', '/configmaps', '/namespaces', 'batch/jobs', 'apps/deployments']);
/** Not worth a look: they come and go by themselves, or are ours. */
const leftAlone = new Set(['/events', 'events.k8s.io/events', 'coordination.k8s.io/leases', '/bindings', '/componentstatuses']);
const longestWaitMs = 10 * 60_000;
/** A kind that may not be read is asked for again after so many looks. */
const forbiddenLooks = 10;

interface Labelled extends ObjectRef {
  readonly uid: string;
  readonly value: string;
  readonly created: string;
  readonly propagation: string;
}

/** Deletes objects whose `cleanup.kyverno.io/ttl` label has run out, on the leader. */
export function createTtlFeature(core: Core): Feature {
  const {client, clock, log, flags} = core;
  const objects = new Map<string, Labelled>();
  const reflectors = new Map<string, Reflector>();
  const skipped = new Map<string, number>();
  const unreadable = new Set<string>();
  // Of whom the clean-up acts as.
  const rights = createOwnRights({client, clock, log, pauseMs: flags.ttlReconciliationInterval / 2});
  const metrics = ttlMetrics(core);
  let leading = false;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;

  const queue = createWorkQueue({
    clock,
    concurrency: 4,
    firstRetryMs: 1_000,
    maxRetryMs: 300_000,
    run: expire,
    onError(key, error) {
      const object = objects.get(key);
      if (object !== undefined) metrics.failed(object);
      log.error(`object ${key} could not be deleted when its time was over`, {error: error instanceof KubeError ? error.message : String(error)});
    },
  });
  queue.pause();

  async function expire(key: string): Promise<void> {
    const object = objects.get(key);
    if (object === undefined) return;
    const ttl = parseTtl(object.value, object.created);
    if ('error' in ttl) {
      if (unreadable.has(key)) return;
      unreadable.add(key);
      log.warn(`label ${ttlLabel} of ${key} cannot be read: ${ttl.error}`);
      return;
    }
    const left = ttl.deleteAt - clock.now();
    if (left > 0) {
      queue.addAfter(key, Math.min(left, longestWaitMs));
      return;
    }
    try {
      await core.worker.delete(object, {uid: object.uid, propagationPolicy: propagationOf(object.propagation)});
      metrics.deleted(object);
      log.info(`object ${key} deleted: its ${ttlLabel} (${object.value}) was over`);
    } catch (error) {
      // Gone, or another one under its name.
      if (!hasStatus(error, 404) && !hasStatus(error, 409)) throw error;
    }
    // Another one under its name may have been seen meanwhile.
    if (objects.get(key) === object) objects.delete(key);
  }

  function see(kind: KindInfo, object: JsonObject): void {
    const key = keyOf(kind, object);
    if (ownPath(object, 'metadata', 'deletionTimestamp') !== undefined) {
      objects.delete(key);
      return;
    }
    const value = textOf(ownPath(object, 'metadata', 'labels', ttlLabel));
    const propagation = textOf(ownPath(object, 'metadata', 'annotations', propagationAnnotation));
    const before = objects.get(key);
    const uid = textOf(ownPath(object, 'metadata', 'uid'));
    if (before?.uid === uid && before.value === value && before.propagation === propagation) return;
    unreadable.delete(key);
    objects.set(key, {
      group: kind.group,
      version: kind.version,
      resource: kind.resource,
      namespace: textOf(ownPath(object, 'metadata', 'namespace')),
      name: textOf(ownPath(object, 'metadata', 'name')),
      uid,
      value,
      created: textOf(ownPath(object, 'metadata', 'creationTimestamp')),
      propagation,
    });
    queue.add(key);
  }

  function watch(kind: KindInfo): void {
    // The duty may have gone while the kind was looked at.
    if (!leading) return;
    const name = nameOf(kind);
    const reflector = createReflector({
      client,
      collection: {group: kind.group, version: kind.version, resource: kind.resource},
      clock,
      log,
      labelSelector: ttlLabel,
      project: metadataOf,
      optional: true,
      onChange(key, object) {
        if (object !== undefined) see(kind, object);
        else objects.delete(`${name} ${key}`);
      },
    });
    reflectors.set(name, reflector);
    metrics.watched(kind, true);
    reflector.start();
  }

  /** One look at every kind that is not watched. */
  async function look(): Promise<void> {
    const wanted = new Map<string, KindInfo>();
    for (const kind of core.resources().all()) {
      const name = nameOf(kind);
      if (!wanted.has(name) && !isLeftAlone(kind)) wanted.set(name, kind);
    }
    for (const [name, reflector] of reflectors) {
      if (wanted.has(name)) continue;
      reflectors.delete(name);
      await reflector.stop();
    }
    await rights.refresh();
    for (const [name, kind] of wanted) {
      if (!leading) return;
      if (reflectors.has(name)) continue;
      // The right may come at any time: the next look asks again.
      if (rights.can('list', kind.group, kind.resource) === false) continue;
      if (watchedAtOnce.has(name)) watch(kind);
      else await lookAt(name, kind);
    }
  }

  async function lookAt(name: string, kind: KindInfo): Promise<void> {
    const rest = skipped.get(name) ?? 0;
    if (rest > 0) {
      skipped.set(name, rest - 1);
      return;
    }
    const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
    try {
      const query = {labelSelector: ttlLabel, limit: '1', resourceVersion: '0'};
      const {body} = await client.request({method: 'GET', path: `${root}/${kind.resource}`, query, accept: metadataListOnly});
      const items = ownPath(body, 'items');
      if (Array.isArray(items) && items.length > 0) watch(kind);
    } catch (error) {
      skipped.set(name, forbiddenLooks);
      log.v(3, `${name} cannot be looked through for ${ttlLabel}`, {error: error instanceof KubeError ? error.message : String(error)});
    }
  }

  function schedule(): void {
    clearTimeout(timer);
    if (!leading) return;
    timer = setTimeout(turn, flags.ttlReconciliationInterval);
    timer.unref();
  }

  function turn(): void {
    looking ??= look()
      .catch(error => log.error('the look for objects with an end failed', {error: String(error)}))
      .finally(() => {
        looking = undefined;
        schedule();
      });
  }

  async function end(): Promise<void> {
    clearTimeout(timer);
    const running = [...reflectors.values()];
    reflectors.clear();
    objects.clear();
    await Promise.all(running.map(reflector => reflector.stop()));
  }

  return {
    name: 'time to live',
    setLeading(now) {
      leading = now;
      if (now) {
        queue.resume();
        turn();
      } else {
        queue.pause();
        void end();
      }
    },
    async stop() {
      leading = false;
      await looking;
      await end();
      await queue.stop();
    },
  };
}

function ttlMetrics(core: Core) {
  const kindLabels = ['resource_group', 'resource_version', 'resource_resource'];
  const registers = [core.metrics.registry];
  const deleted = new Counter({
    name: 'kyverno_ttl_controller_deletedobjects_total',
    help: 'Objects deleted when their time was over',
    labelNames: ['resource_namespace', ...kindLabels],
    registers,
  });
  const errors = new Counter({
    name: 'kyverno_ttl_controller_errors_total',
    help: 'Deletions that failed',
    labelNames: ['resource_namespace', ...kindLabels],
    registers,
  });
  const info = new Gauge({name: 'kyverno_ttl_controller_info', help: 'Kinds that are watched for objects with an end', labelNames: kindLabels, registers});
  const labels = ({group, version, resource}: Pick<Labelled, 'group' | 'version' | 'resource'>) => ({
    resource_group: group,
    resource_version: version,
    resource_resource: resource,
  });
  return {
    deleted: (object: Labelled) => deleted.inc({...labels(object), resource_namespace: object.namespace ?? ''}),
    failed: (object: Labelled) => errors.inc({...labels(object), resource_namespace: object.namespace ?? ''}),
    watched: (kind: KindInfo, on: boolean) => info.set(labels(kind), on ? 1 : 0),
  };
}

function isLeftAlone(kind: KindInfo): boolean {
  return leftAlone.has(nameOf(kind)) || kind.group === 'metrics.k8s.io' || kind.group.startsWith('authorization.') || kind.group.startsWith('authentication.');
}

function nameOf({group, resource}: Pick<KindInfo, 'group' | 'resource'>): string {
  return `${group}/${resource}`;
}

function keyOf(kind: KindInfo, object: JsonObject): string {
  const namespace = textOf(ownPath(object, 'metadata', 'namespace'));
  const name = textOf(ownPath(object, 'metadata', 'name'));
  return `${nameOf(kind)} ${namespace === '' ? name : `${namespace}/${name}`}`;
}

function metadataOf(object: JsonObject): JsonObject {
  const metadata = own(object, 'metadata');
  return {metadata: isObject(metadata) ? metadata : {}};
}

function propagationOf(text: string): 'Background' | 'Foreground' | 'Orphan' | undefined {
  return text === 'Background' || text === 'Foreground' || text === 'Orphan' ? text : undefined;
}
