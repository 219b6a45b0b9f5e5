import {createCleanupFeature} from './cleanup/cleanup-feature.js';
import type {KubeClient} from '../adapters/kube/types.js';
import type {Duty} from './duties/duties.js';
import type {Core, Feature} from './feature.js';
import {createGlobalContextFeature} from './global-context/global-context-feature.js';
import {createNativePoliciesFeature} from './native-policies/native-policies-feature.js';
import {createQuarantineFeature} from './quarantine/quarantine-feature.js';
import {createReportFeatures} from './reports/reports-feature.js';
import {createMetricsFeature} from './telemetry/metrics-feature.js';
import {createSettingsFeature} from './settings/settings-feature.js';
import {createTtlFeature} from './ttl/ttl-feature.js';
import {createBackgroundFeature} from './update-requests/background-feature.js';

type FeatureMaker = (core: Core) => Feature | readonly Feature[];

/** Everything that runs beside admission of classic policies, by the duty whose leader does it, in the order of its start. */
const makers: ReadonlyArray<readonly [Duty, FeatureMaker]> = [
  ['admission', createSettingsFeature],
  ['admission', createMetricsFeature],
  ['admission', core => createGlobalContextFeature(core, core.globalContext)],
  ['admission', createNativePoliciesFeature],
  ['background', createBackgroundFeature],
  ['admission', createQuarantineFeature],
  ['cleanup', createCleanupFeature],
  ['cleanup', createTtlFeature],
  ['reports', createReportFeatures],
];

/** `has` tells whether this replica has a duty, `workerOf` who acts for it. */
export function createFeatures(
  core: Omit<Core, 'isLeading' | 'worker'>,
  has: (duty: Duty) => boolean,
  workerOf: (duty: Duty) => KubeClient,
): readonly Feature[] {
  return makers.flatMap(([duty, make]) => {
    const made = make({...core, worker: workerOf(duty), isLeading: () => has(duty)});
    return (Array.isArray(made) ? (made as readonly Feature[]) : [made as Feature]).map(feature => ({duty, ...feature}));
  });
}
