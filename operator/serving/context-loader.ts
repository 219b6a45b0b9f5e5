import type {KubeConfig} from '@kubernetes/client-node';
import type {Clock} from '../../adapters/clock.js';
import {apiServerHosts} from '../../adapters/kube/config.js';
import {createHttpCaller} from '../../adapters/http/http-caller.js';
import {createNameLookup} from '../../adapters/http/name-lookup.js';
import {createServiceCaller} from '../../adapters/http/service-caller.js';
import {createKubeContextLoader} from '../../adapters/kube/context-loader.js';
import type {SearchRoom} from '../../adapters/kube/search-room.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import type {ContextLoader} from '../../engine/context-loader.js';
import type {ImageSource} from '../../engine/image/verification.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import type {OperatorConfig} from '../config/config-map.js';
import type {Flags} from '../config/flags.js';
import type {EntryStore} from '../global-context/entry-store.js';
import {lateReader} from '../manager/late-reader.js';
import type {Manager} from '../manager/manager.js';

export interface LoaderParts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly manager: Manager;
  readonly kubeConfig: KubeConfig;
  readonly flags: Pick<Flags, 'httpAllowlist' | 'httpBlocklist' | 'apiCallTimeout' | 'maxAPICallResponseLength' | 'allowInsecureRegistry'>;
  readonly images: ImageSource;
  /** Of the moment. */
  readonly config: () => Pick<OperatorConfig, 'defaultRegistry' | 'enableDefaultRegistryMutation'>;
  readonly globalContext: EntryStore;
  readonly resources: ResourceMap;
  readonly searchRoom: SearchRoom;
}

/** The engine's door in a cluster: mirrors, the API server, and what the flags let policies call. */
export function createContextLoader({client, clock, manager, kubeConfig, flags, images, config, globalContext, resources, searchRoom}: LoaderParts): ContextLoader {
  const lookup = createNameLookup();
  const maxBytes = () => flags.maxAPICallResponseLength || Number.POSITIVE_INFINITY;
  const apiServer = apiServerHosts(kubeConfig);

  /** Callers by the flags of the moment; lists are read when they change, not with each call. */
  function createCallers() {
    const {httpAllowlist: allow, httpBlocklist: block, apiCallTimeout: timeoutMs} = flags;
    const egress = {allow, block, lookup, clock, maxBytes: maxBytes(), timeoutMs};
    return {services: createServiceCaller(egress), http: createHttpCaller({...egress, apiServer})};
  }
  const versionOfFlags = () => JSON.stringify([flags.httpAllowlist, flags.httpBlocklist, flags.apiCallTimeout, maxBytes()]);
  let version = versionOfFlags();
  let callers = createCallers();
  function current() {
    const now = versionOfFlags();
    if (now !== version) [version, callers] = [now, createCallers()];
    return callers;
  }

  return createKubeContextLoader({
    client,
    globalContext,
    namespaces: lateReader(manager, 'namespaces'),
    configMaps: lateReader(manager, 'configmaps'),
    clock,
    lookup,
    services: (request, deadline) => current().services(request, deadline),
    http: (request, deadline) => current().http(request, deadline),
    images,
    allowInsecureRegistry: flags.allowInsecureRegistry,
    get imageDefaults() {
      const {defaultRegistry, enableDefaultRegistryMutation} = config();
      return {defaultRegistry, hidesDefault: !enableDefaultRegistryMutation};
    },
    resources,
    searchRoom,
    get maxBytes() {
      return maxBytes();
    },
  });
}
