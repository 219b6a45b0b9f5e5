import {readFile} from 'node:fs/promises';
import {CoreV1Api, type KubeConfig, type V1CustomResourceDefinitionVersion} from '@kubernetes/client-node';
import {parse} from 'yaml';
import type {Clock} from '../../adapters/clock.js';
import {hasStatus} from '../../adapters/kube/kube-error.js';
import {createLeaseElection, type LeaseElection, type LeaseElectionOptions} from '../../adapters/kube/lease.js';
import {collectionPath} from '../../adapters/kube/paths.js';
import type {KubeClient, ObjectRef} from '../../adapters/kube/types.js';
import type {Log} from '../../adapters/log.js';
import type {Json, JsonObject} from '../../engine/json/types.js';
import type {Manager, Registration} from '../manager/manager.js';
import {writeStatus} from '../status/write-status.js';
import {hideDefaultContext} from './default-context.js';
import {editFinalizers, finalizersOf} from './finalizers.js';
import {Framework, type ResourceEvent, ResourceEventType, type ResourceMeta, ResourceMetaImpl} from './framework.js';
import {refOfMeta, resourceEvents} from './resource-events.js';

export interface KyvernoOperatorOptions {
  /** The one cluster this operator talks to; no other context is ever loaded. */
  readonly kubeConfig: KubeConfig;
  readonly client: KubeClient;
  readonly manager: Manager;
  readonly clock: Clock;
  readonly log: Log;
  /** One handler per CustomResourceDefinition, and whatever else is mirrored. */
  readonly handlers: readonly Registration[];
  /** Absent = this replica always leads. */
  readonly election?: Pick<LeaseElectionOptions, 'namespace' | 'name' | 'identity' | 'retryMs' | 'leaseMs' | 'renewDeadlineMs' | 'onNewLeader'> | undefined;
  /** False: this replica never leads. */
  readonly candidate?: boolean | undefined;
  readonly onStartedLeading?: (() => void) | undefined;
  readonly onStoppedLeading?: (() => void) | undefined;
  /** Runs in `init`, before streams start. */
  readonly onInit?: (() => Promise<void>) | undefined;
}

/**
 * The shell around the operator: life cycle by the framework's `start`, `init` and `stop`; kinds by key through the
 * manager. The framework's own watch ends the process on any error and its other methods lose events and errors, so every one
 * of them leads to the manager, the status writer or the raw client.
 */
export class KyvernoOperator extends Framework {
  readonly #options: KyvernoOperatorOptions;
  readonly #election: LeaseElection | undefined;

  constructor(options: KyvernoOperatorOptions) {
    const restore = hideDefaultContext();
    super(options.log);
    restore();
    this.kubeConfig = options.kubeConfig;
    this.k8sApi = options.kubeConfig.makeApiClient(CoreV1Api);
    this.#options = options;
    const {client, clock, log, election} = options;
    this.#election =
      election &&
      createLeaseElection({
        client,
        clock,
        log,
        ...election,
        onStartedLeading: () => this.#lead(true),
        onStoppedLeading: () => this.#lead(false),
      });
  }

  get isLeader(): boolean {
    return this.#election === undefined || this.#election.isLeader;
  }

  protected override async init(): Promise<void> {
    await this.#options.onInit?.();
    for (const handler of this.#options.handlers) this.#options.manager.register(handler);
  }

  /** Resolves when everything is under way, not when it is synced. */
  override async start(): Promise<void> {
    await super.start();
    this.#options.manager.start();
    if (this.#options.candidate === false) return;
    if (this.#election) this.#election.start();
    else this.#lead(true);
  }

  /** Gives the Lease back, so that another replica can lead while this one drains; mirrors stay up to date. */
  async resign(): Promise<void> {
    await this.#election?.stop();
  }

  override async stop(): Promise<void> {
    super.stop();
    await this.resign();
    await this.#options.manager.stop();
  }

  /** Creates the CustomResourceDefinition of a YAML file, or brings an older one up to date. */
  protected override async registerCustomResourceDefinition(crdFile: string) {
    const crd: unknown = parse(await readFile(crdFile, 'utf8'));
    if (!isDefinition(crd)) throw new Error(`${crdFile} is no apiextensions.k8s.io/v1 CustomResourceDefinition`);
    const ref: ObjectRef = {
      group: 'apiextensions.k8s.io',
      version: 'v1',
      resource: 'customresourcedefinitions',
      name: crd.metadata.name,
    };
    await this.#options.client.patch(ref, crd as unknown as Json, {
      type: 'apply',
      fieldManager: 'kyverno',
      force: true,
    });
    this.logger.info(`registered custom resource definition '${crd.metadata.name}'`);
    const {group, versions, names} = crd.spec;
    return {group, versions, plural: names.plural};
  }

  protected override getCustomResourceApiUri(
    group: string,
    version: string,
    plural: string,
    namespace?: string,
  ): string {
    const server = this.kubeConfig.getCurrentCluster()?.server ?? '';
    return `${server}${collectionPath({group, version, resource: plural, namespace})}`;
  }

  /** Events derived from what the manager mirrors: complete, one key at a time, tried again when `onEvent` fails. */
  protected override async watchResource(
    group: string,
    version: string,
    plural: string,
    onEvent: (event: ResourceEvent) => Promise<void>,
    namespace?: string,
  ): Promise<void> {
    const key = [plural, version, group, namespace].filter(Boolean).join('.');
    const events = resourceEvents(plural, onEvent);
    const read = (objectKey: string) => this.#options.manager.lister(key).get(objectKey);
    this.#options.manager.register({
      key,
      group,
      version,
      resource: plural,
      namespaced: namespace !== undefined,
      namespace,
      reconcile: objectKey => events(objectKey, read(objectKey)),
    });
  }

  /** Null when the object is gone; rejects when the status could not be written. */
  protected override async setResourceStatus(meta: ResourceMeta, status: unknown): Promise<ResourceMeta | null> {
    const ref = refOfMeta(meta);
    const outcome = await writeStatus(this.#options.client, ref, () => status as JsonObject);
    return outcome === 'gone' ? null : this.#freshMeta(meta, ref);
  }

  /** Null when the object is gone; rejects when the status could not be written. */
  protected override async patchResourceStatus(meta: ResourceMeta, status: unknown): Promise<ResourceMeta | null> {
    const ref = refOfMeta(meta);
    try {
      await this.#options.client.patch(ref, {status: status as Json}, {type: 'merge', subresource: 'status'});
    } catch (error) {
      if (hasStatus(error, 404)) return null;
      throw error;
    }
    return this.#freshMeta(meta, ref);
  }

  protected override async handleResourceFinalizer(
    event: ResourceEvent,
    finalizer: string,
    deleteAction: (event: ResourceEvent) => Promise<void>,
  ): Promise<boolean> {
    if (event.type === ResourceEventType.Deleted) return false;
    const {client} = this.#options;
    const ref = refOfMeta(event.meta);
    const held = finalizersOf(event.object).includes(finalizer);
    if (event.object.metadata?.deletionTimestamp) {
      if (held) {
        await deleteAction(event);
        await editFinalizers(client, ref, list => list.filter(name => name !== finalizer));
      }
      return true;
    }
    if (held) return false;
    await editFinalizers(client, ref, list => (list.includes(finalizer) ? list : [...list, finalizer]));
    return true;
  }

  /** Rejects with a conflict when the object has changed since `meta` was read. */
  protected override async setResourceFinalizers(meta: ResourceMeta, finalizers: string[]): Promise<void> {
    const metadata = {resourceVersion: meta.resourceVersion, finalizers};
    await this.#options.client.patch(refOfMeta(meta), {metadata}, {type: 'merge'});
  }

  /** Our credentials go to the API server only, and only through the client. */
  protected override applyAxiosKubeConfigAuth(): Promise<void> {
    return Promise.reject(new Error('credentials are not handed to other HTTP clients'));
  }

  /** Our credentials go to the API server only, and only through the client. */
  protected override applyGaxiosKubeConfigAuth(): Promise<void> {
    return Promise.reject(new Error('credentials are not handed to other HTTP clients'));
  }

  #lead(leading: boolean): void {
    this.#options.manager.setLeading(leading);
    if (leading) this.#options.onStartedLeading?.();
    else this.#options.onStoppedLeading?.();
  }

  async #freshMeta(meta: ResourceMeta, ref: ObjectRef): Promise<ResourceMeta | null> {
    try {
      const object = await this.#options.client.get(ref);
      return ResourceMetaImpl.createWithId(meta.id, object);
    } catch (error) {
      if (hasStatus(error, 404)) return null;
      throw error;
    }
  }
}

interface Definition {
  readonly metadata: {readonly name: string};
  readonly spec: {
    readonly group: string;
    readonly names: {readonly plural: string};
    readonly versions: V1CustomResourceDefinitionVersion[];
  };
}

function isDefinition(value: unknown): value is Definition {
  const crd = value as {
    apiVersion?: unknown;
    kind?: unknown;
    metadata?: {name?: unknown};
    spec?: {names?: {plural?: unknown}};
  };
  return (
    typeof value === 'object' &&
    value !== null &&
    crd.apiVersion === 'apiextensions.k8s.io/v1' &&
    crd.kind === 'CustomResourceDefinition' &&
    typeof crd.metadata?.name === 'string' &&
    typeof crd.spec?.names?.plural === 'string'
  );
}
