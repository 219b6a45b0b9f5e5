import type {ThreadCalls} from '../../adapters/thread-port.js';
import type {AttestationQuery, ImageOptions, RegistryAccess, SignatureQuery} from '../../engine/image/verification.js';
import type {KindInfo} from '../../engine/resource-map.js';
import type {QuarantineState} from '../../engine/quarantine/quarantine.js';
import type {PolicyRef} from '../../engine/types.js';
import type {Duty} from '../duties/duties.js';
import type {NativeEntry} from '../native-policies/native-states.js';
import type {AdmissionFinding} from '../reports/admission-results.js';
import type {Refusal} from '../reports/refused-requests.js';

/** Objects of mirrored kinds as they changed, in order; JSON texts, since copies lose what numbers are. */
export interface ObjectChanges {
  readonly changes: ReadonlyArray<readonly [kind: string, key: string, text: string | undefined]>;
  /** Kinds whose first list is complete with these changes, each with its version. */
  readonly complete: ReadonlyArray<readonly [kind: string, version: string]>;
}

export interface KnownKinds {
  readonly all: readonly KindInfo[];
  readonly failures: readonly string[];
}

/** What admission is asked by work in the background. */
export type ImageQuestion =
  | {readonly method: 'imageData' | 'resolveDigest'; readonly image: string; readonly access: RegistryAccess; readonly deadline: number}
  | {readonly method: 'verifySignature'; readonly query: SignatureQuery; readonly deadline: ImageOptions['deadline']}
  | {readonly method: 'verifyAttestations'; readonly query: AttestationQuery; readonly deadline: ImageOptions['deadline']};

/** `text`: JSON of what is known. `unknown`: no cache holds it. */
export type ImageAnswer = {readonly text: string} | {readonly reason: 'unreachable' | 'unverified'; readonly message: string} | 'unknown';

/** What the main thread, where admission is, says to the one that works in the background. */
export interface ToBackground extends ThreadCalls {
  readonly tells: {
    readonly objects: ObjectChanges;
    readonly kinds: KnownKinds;
    readonly native: {readonly kind: string; readonly key: string; readonly entry: NativeEntry | undefined};
    /** This replica has the duty now, or has it no more. */
    readonly duty: {readonly duty: Duty; readonly has: boolean};
    readonly finding: AdmissionFinding;
    /** What was found in the request beside is not so. */
    readonly refusal: Refusal;
    readonly expect: {readonly uid: string; readonly work: string};
    readonly over: string;
    /** Counters begin anew. */
    readonly restartMetrics: undefined;
  };
  readonly asks: {
    /** JSON of a `MemoryWork`; answered when nothing is left to do of it. */
    readonly remember: {readonly question: string; readonly answer: undefined};
    /** Exposition text of what is counted there. */
    readonly metrics: {readonly question: undefined; readonly answer: string};
    /** Answered once everything told before has been taken in. */
    readonly ping: {readonly question: undefined; readonly answer: undefined};
    /** Milliseconds; JSON of a CPU profile. */
    readonly profile: {readonly question: number; readonly answer: string};
    /** Scans, generation and mutation end; answered when nothing of them is under way. */
    readonly rest: {readonly question: undefined; readonly answer: undefined};
    readonly stop: {readonly question: undefined; readonly answer: undefined};
  };
}

/** The other way round. */
export interface ToAdmission extends ThreadCalls {
  readonly tells: {
    /** Kinds whose objects are to be passed on. */
    readonly mirror: readonly string[];
    readonly quarantine: {readonly policy: PolicyRef; readonly state: QuarantineState | undefined};
    /** The policy has another wording there now, or is gone: what was said of the one before is over. */
    readonly reworded: {readonly kind: string; readonly key: string};
  };
  readonly asks: {
    readonly webhooksServed: {readonly question: undefined; readonly answer: boolean};
    readonly image: {readonly question: ImageQuestion; readonly answer: ImageAnswer};
  };
}
