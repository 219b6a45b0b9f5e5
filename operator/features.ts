import {createCleanupFeature} from './cleanup/cleanup-feature.js';
import type {KubeClient} from '../adapters/kube/types.js';
import type {Duty} from './duties/duties.js';
import type {AdmissionCore, Feature} from './feature.js';
import {createGlobalContextFeature} from './global-context/global-context-feature.js';
import {createNativePoliciesFeature} from './native-policies/native-policies-feature.js';
import {createQuarantineFeature} from './quarantine/quarantine-feature.js';
import {createAdmissionReportsFeature} from './reports/admission-reports-feature.js';
import {createMetricsFeature} from './telemetry/metrics-feature.js';
import {createSettingsFeature} from './settings/settings-feature.js';
import {createTtlFeature} from './ttl/ttl-feature.js';
import type {BackgroundThread} from './thread/background-thread.js';
import {createRequestsFeature} from './update-requests/requests-feature.js';

type FeatureMaker = (core: AdmissionCore) => Feature;

/** Everything that runs on the main thread beside admission of classic policies, by the duty whose leader does it, in the order of its start. */
const makers = (thread: BackgroundThread): ReadonlyArray<readonly [Duty, FeatureMaker]> => [
  ['admission', createSettingsFeature],
  ['admission', createMetricsFeature],
  ['admission', core => createGlobalContextFeature(core, core.globalContext)],
  ['admission', createNativePoliciesFeature],
  ['admission', core => createRequestsFeature(core, thread)],
  ['admission', createQuarantineFeature],
  ['cleanup', createCleanupFeature],
  ['cleanup', createTtlFeature],
  ['admission', core => createAdmissionReportsFeature(core, thread)],
];

export interface FeaturesOptions {
  readonly thread: BackgroundThread;
  /** Whether this replica has a duty. */
  readonly has: (duty: Duty) => boolean;
  /** Who acts for it. */
  readonly workerOf: (duty: Duty) => KubeClient;
}

export function createFeatures(core: Omit<AdmissionCore, 'isLeading' | 'worker'>, {thread, has, workerOf}: FeaturesOptions): readonly Feature[] {
  return makers(thread).map(([duty, make]) => ({duty, ...make({...core, worker: workerOf(duty), isLeading: () => has(duty)})}));
}
