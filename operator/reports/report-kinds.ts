/** The API that reports are written to. */
export interface ReportApi {
  readonly group: string;
  readonly version: string;
  /** Kind and plural for objects in a namespace, and for those without. */
  readonly namespaced: {readonly kind: string; readonly resource: string};
  readonly cluster: {readonly kind: string; readonly resource: string};
  /** Name of the field that holds a result's text. */
  readonly messageField: 'message' | 'description';
  /** Of reports that hold what one side found and are never joined with the other's; absent for reports on all of it. */
  readonly side?: ReportSide;
}

export type ReportSide = 'admission' | 'background-scan';


export const policyReportApi: ReportApi = {
  group: 'wgpolicyk8s.io',
  version: 'v1alpha2',
  namespaced: {kind: 'PolicyReport', resource: 'policyreports'},
  cluster: {kind: 'ClusterPolicyReport', resource: 'clusterpolicyreports'},
  messageField: 'message',
};

export const openReportApi: ReportApi = {
  group: 'openreports.io',
  version: 'v1alpha1',
  namespaced: {kind: 'Report', resource: 'reports'},
  cluster: {kind: 'ClusterReport', resource: 'clusterreports'},
  messageField: 'description',
};

export function ephemeralReportApi(side: ReportSide): ReportApi {
  return {
    group: 'reports.kyverno.io',
    version: 'v1',
    namespaced: {kind: 'EphemeralReport', resource: 'ephemeralreports'},
    cluster: {kind: 'ClusterEphemeralReport', resource: 'clusterephemeralreports'},
    messageField: 'message',
    side,
  };
}

/** The one report of an object. */
export function reportName({side}: ReportApi, uid: string): string {
  return side === undefined || side === 'background-scan' ? uid : `${uid}-${side}`;
}

export const sideLabel = 'audit.kyverno.io/source';

/** Selects reports that are ours. */
export function reportSelector({side}: ReportApi): string {
  return side === undefined ? `${managedByLabel}=kyverno` : `${managedByLabel}=kyverno,${sideLabel}=${side}`;
}

/** A report without this label is somebody else's: never changed, never deleted. */
export const managedByLabel = 'app.kubernetes.io/managed-by';
