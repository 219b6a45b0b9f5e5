export {noFilters, noRoles} from './defaults.js';
export {defaultAdmissionLimits} from './limits.js';
export {createMetrics, type Metrics, type MetricsOptions} from './metrics/metrics.js';
export {createMetricsServer, type MetricsServer} from './metrics/metrics-server.js';
export {certificateCheck, type ReadinessCheck, readinessOf} from './readiness.js';
export {createAdmissionServer} from './server.js';
export type * from './types.js';
