/** The API that reports are written to. */
export interface ReportApi {
  readonly group: string;
  readonly version: string;
  /** Kind and plural for objects in a namespace, and for those without. */
  readonly namespaced: {readonly kind: string; readonly resource: string};
  readonly cluster: {readonly kind: string; readonly resource: string};
  /** Name of the field that holds a result's text. */
  readonly messageField: 'message' | 'description';
}

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

/** A report without this label is somebody else's: never changed, never deleted. */
export const managedByLabel = 'app.kubernetes.io/managed-by';
