import {getHeapStatistics} from 'node:v8';
import {createSearchRoom} from '../../adapters/kube/search-room.js';
import {createKeyServices} from '../../adapters/images/kms/key-services.js';
import {lackOf} from '../../adapters/images/credentials/cloud/lacking.js';
import {Quarantine} from '../../engine/quarantine/quarantine.js';
import {createEngine} from '../../engine/run/create-engine.js';
import {PolicyCache} from '../../engine/snapshot/policy-cache.js';
import type {RequestFilters} from '../../webhook/types.js';
import {createCelFamily} from '../cel-policies/cel-serving.js';
import {createOffload} from '../cel-policies/offload.js';
import {EntryStore} from '../global-context/entry-store.js';
import {NativePolicies} from '../native-policies/native-states.js';
import {registerPolicyMetrics} from '../policies/policy-metrics.js';
import {QuarantineNotices} from '../quarantine/quarantine-notices.js';
import {RoleIndex} from '../roles/role-index.js';
import {createContextLoader} from '../serving/context-loader.js';
import {requestFilters} from '../serving/filters.js';
import {createOperatorImages} from '../serving/images.js';
import type {ImageSource} from '../../engine/image/verification.js';
import type {Foundations} from './foundations.js';

/** Of this thread's heap, what searches may find at a time: as objects, and changed, it takes some times its bytes as text. */
const searchShare = 1 / 8;

export interface JudgementOptions {
  /** The API server judges other conditions for us than before. */
  readonly onOffload: () => void;
  /** What policies are to ask about images in place of this thread's own source. Absent: that. */
  readonly shareImages?: (own: ImageSource) => ImageSource;
}

export type Judgement = ReturnType<typeof createJudgement>;

/** What judges: the policies of both families, their engines, and what these may look up. */
export function createJudgement({settings, flags, environment, kubeConfig, log, clock, metrics, client, discovery, resources, manager, regex}: Foundations, {onOffload, shareImages = own => own}: JudgementOptions) {
  const {namespace} = environment;
  const providerLack = (provider: string) => lackOf(provider, process.env);
  const keyServices = createKeyServices({clock, directory: flags.kmsPluginsDirectory, variables: flags.kmsPluginEnvironment, environment: process.env, onFailure: (program, told) => log.warn(`program ${program} reports a failure: ${told}`)});
  const lacks = {providerLack, keyServiceLack: keyServices.lackOf};
  const compile = {matchConditions: 'by-api-server', background: 'served', regex, ...lacks} as const;
  const celCompile = {regex, ...lacks, allowHttp: flags.allowHTTPInNamespacedPolicies};
  const exceptions = {
    enabled: flags.enablePolicyException,
    operatorNamespace: namespace,
    exceptionNamespace: flags.exceptionNamespace,
  };
  const native = new NativePolicies();
  const cache = new PolicyCache({resources, compile, exceptions, leaveOut: policy => native.standsIn(policy)});
  registerPolicyMetrics(metrics.registry, cache);

  const filtersNow = () => requestFilters(settings.config, {protectManagedResources: flags.protectManagedResources, ownServiceAccounts: `system:serviceaccount:${namespace}:`});
  let filters: RequestFilters = filtersNow();

  const globalContext = new EntryStore();
  const images = shareImages(createOperatorImages({client, clock, kubeConfig, flags, namespace, regex, registry: metrics.registry, environment: process.env, keyServices}));
  const searchRoom = createSearchRoom({bytes: Math.floor(getHeapStatistics().heap_size_limit * searchShare)});
  const loader = createContextLoader({client, clock, manager, kubeConfig, flags, images, config: () => settings.config, globalContext, resources: discovery.resourceMap, searchRoom});
  const quarantined = new QuarantineNotices();
  const quarantine = new Quarantine({now: clock.now, onChange: quarantined.tell});
  const limits = {
    get bytes() {
      return settings.config.maxContextSize;
    },
  };
  const surroundings = {quarantine, resources, operatorNamespace: namespace, loader, regex, limits};
  const engine = createEngine({
    ...surroundings,
    policies: cache,
    allowServiceCalls: flags.allowHTTPInNamespacedPolicies,
    get forceIgnore() {
      return flags.forceFailurePolicyIgnore;
    },
  });

  const offload = createOffload({client, clock, log, regex, onAnswer: onOffload});
  const cel = createCelFamily({
    native,
    resources,
    regex,
    compile: celCompile,
    exceptions,
    engine: {...surroundings, allowHttp: flags.allowHTTPInNamespacedPolicies},
    offload: () => offload,
    get defaultTimeout() {
      return flags.webhookTimeout;
    },
    get forceIgnore() {
      return flags.forceFailurePolicyIgnore;
    },
    backgroundUsers: new Set([flags.backgroundServiceAccountName, `system:serviceaccount:${namespace}:${environment.serviceAccountName}`]),
  });
  return {
    ...{native, cache, cel, engine, images, loader, searchRoom, globalContext, quarantined, offload, exceptions, compile, celCompile},
    roles: new RoleIndex(),
    filters: () => filters,
    /** The settings have changed. */
    refilter() {
      filters = filtersNow();
    },
  };
}
