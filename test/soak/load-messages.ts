/** What a sender of load is told and tells, between processes. */
export interface LoadOptions {
  readonly port: number;
  /** PEM of the authority that signed the replica's certificate. */
  readonly ca: string;
  /** An AdmissionReview. */
  readonly body: string;
  readonly perSecond: number;
}

export type LoadCommand = {readonly kind: 'start'; readonly options: LoadOptions} | {readonly kind: 'mark' | 'stop'; readonly id: number};

/** Percentiles in milliseconds of what was sent since the mark before. */
export interface LoadMark {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
}

export type LoadAnswer = {readonly kind: 'marked'; readonly id: number; readonly mark: LoadMark; readonly failed: number};
