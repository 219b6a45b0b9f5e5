import packageJson from '../../package.json' with {type: 'json'};
import type {InstallSettings, Resources} from './types.js';

export const version: string = packageJson.version;

/** The oldest one that the operator is tried on: `test/cluster/minors.ts`. */
export const oldestKubernetes = '1.30.0';
/** Which OpenShift comes with that, and newer ones. */
export const oldestOpenShift = 'v4.17';

/** For fewer than 1000 Pods. */
export const smallCluster: Resources = {requests: {cpu: '100m', memory: '256Mi'}, limits: {cpu: '500m', memory: '512Mi'}};

/** From 1000 Pods on. */
export const largeCluster: Resources = {requests: {cpu: '200m', memory: '512Mi'}, limits: {cpu: '1', memory: '1Gi'}};

export const defaultSettings: InstallSettings = {
  namespace: 'kyverno',
  name: 'kyverno',
  image: `kyverno-ts:${version}`,
  replicas: 2,
  resources: smallCluster,
};
