import type {PolicyRef, RuleStatus} from '../../engine/types.js';
import {ExpectedFindings} from './expected-findings.js';
import type {ReportSubject} from './merge-report.js';

/** What work in the background came to, of one rule on one object: told where it is done, written where reports are. */
export interface Finding {
  readonly policy: PolicyRef;
  /** The trigger. */
  readonly subject: ReportSubject;
  readonly rule: string;
  readonly type: 'generate' | 'mutateExisting';
  readonly status: RuleStatus;
  readonly message: string;
  /** `generated-resources` or `patched-target`. */
  readonly properties: Readonly<Record<string, string>>;
}

export class Findings {
  readonly expected = new ExpectedFindings();
  readonly #listeners = new Set<(finding: Finding) => void>();

  tell(finding: Finding): void {
    for (const listener of this.#listeners) listener(finding);
  }

  subscribe(listener: (finding: Finding) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** As reports name an object: `/v1, Kind=Secret Name=a Namespace=b`. */
export function reportedObject({apiVersion, kind, name, namespace}: Omit<ReportSubject, 'uid'>): string {
  const slash = apiVersion.indexOf('/');
  const type = `${slash === -1 ? '' : apiVersion.slice(0, slash)}/${apiVersion.slice(slash + 1)}, Kind=${kind}`;
  return [type, `Name=${name}`, ...(namespace === '' ? [] : [`Namespace=${namespace}`])].join(' ');
}
