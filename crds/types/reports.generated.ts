// Generated from scripts/crd by `npm run generate`; edit there.
import type {LabelSelector, ObjectMeta} from './common.generated.js';

/** Names an object. */
export interface ObjectReference {
  /** API group and version. */
  apiVersion?: string;
  /** Kind. */
  kind?: string;
  /** Namespace; empty for cluster-scoped kinds. */
  namespace?: string;
  /** Name. */
  name?: string;
  /** UID. */
  uid?: string;
  /** Resource version. */
  resourceVersion?: string;
  /** Part of the object that is meant. */
  fieldPath?: string;
}

/** When it was judged. */
export interface ReportTimestamp {
  /** Seconds since 1970. */
  seconds?: number;
  /** Nanoseconds. */
  nanos?: number;
}

/** What one rule said of one object. */
export interface ReportResult {
  /** Who judged. */
  source?: string;
  /** Policy, as name or namespace/name. */
  policy: string;
  /** Rule. */
  rule?: string;
  /** What came out. One of pass, fail, warn, error, skip. */
  result?: 'pass' | 'fail' | 'warn' | 'error' | 'skip' | (string & {});
  /** One line for people. */
  message?: string;
  /** How bad a failure is. One of critical, high, medium, low, info. */
  severity?: 'critical' | 'high' | 'medium' | 'low' | 'info' | (string & {});
  /** Category of the policy. */
  category?: string;
  /** Whether a failure counts as one. */
  scored?: boolean;
  /** When it was judged. */
  timestamp?: ReportTimestamp;
  /** Objects that were judged; the scope of the report when unset. */
  resources?: ObjectReference[];
  /** Objects that were judged, by labels. */
  resourceSelector?: LabelSelector;
  /** Further facts. */
  properties?: Record<string, string>;
}

/** Number of results by outcome. */
export interface ReportSummary {
  /** Passed. */
  pass?: number;
  /** Failed. */
  fail?: number;
  /** Failed, not scored. */
  warn?: number;
  /** Could not be judged. */
  error?: number;
  /** Skipped. */
  skip?: number;
}

/** Object that the report is about. */
export interface ReportOwner {
  /** API group and version. */
  apiVersion?: string;
  /** Kind. */
  kind?: string;
  /** Name. */
  name?: string;
  /** UID. */
  uid?: string;
  /** Not looked at. */
  controller?: boolean;
  /** Not looked at. */
  blockOwnerDeletion?: boolean;
}

/** Results on their way into a report. */
export interface EphemeralReportSpec {
  /** Object that the report is about. */
  owner?: ReportOwner;
  /** Results, one per rule. */
  results?: ReportResult[];
  /** Number of results by outcome. */
  summary?: ReportSummary;
}

/** What the policies say of an object in this namespace. */
export interface PolicyReport {
  apiVersion: 'wgpolicyk8s.io/v1alpha2';
  kind: 'PolicyReport';
  metadata: ObjectMeta;
  /** Object that the report is about. */
  scope?: ObjectReference;
  /** Objects that the report is about, by labels. */
  scopeSelector?: LabelSelector;
  /** Results, one per rule. */
  results?: ReportResult[];
  /** Number of results by outcome. */
  summary?: ReportSummary;
}

/** What the policies say of an object without a namespace. */
export interface ClusterPolicyReport {
  apiVersion: 'wgpolicyk8s.io/v1alpha2';
  kind: 'ClusterPolicyReport';
  metadata: ObjectMeta;
  /** Object that the report is about. */
  scope?: ObjectReference;
  /** Objects that the report is about, by labels. */
  scopeSelector?: LabelSelector;
  /** Results, one per rule. */
  results?: ReportResult[];
  /** Number of results by outcome. */
  summary?: ReportSummary;
}

/** Results for an object in this namespace, on their way into its report. Made by the operator. */
export interface EphemeralReport {
  apiVersion: 'reports.kyverno.io/v1';
  kind: 'EphemeralReport';
  metadata: ObjectMeta;
  /** Results on their way into a report. */
  spec: EphemeralReportSpec;
}

/** Results for an object without a namespace, on their way into its report. Made by the operator. */
export interface ClusterEphemeralReport {
  apiVersion: 'reports.kyverno.io/v1';
  kind: 'ClusterEphemeralReport';
  metadata: ObjectMeta;
  /** Results on their way into a report. */
  spec: EphemeralReportSpec;
}
