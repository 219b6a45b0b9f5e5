import type {Program} from '../cel/environment.js';
import type {Value} from '../cel/values/value.js';
import type {RuleRun} from '../context/rule-run.js';
import type {CompiledRegex} from '../regex/types.js';
import type {ImageAttestation, ImageAttestor, ImageCredentials} from './model.js';

/** What only policies on images have, ready to be run. */
export interface CompiledImages {
  /** Empty: every image. */
  readonly references: readonly ReferenceTest[];
  /** Compiled without the policy's own variables. */
  readonly extractors: ReadonlyArray<{readonly name: string; readonly program: Program}>;
  readonly attestors: readonly CompiledAttestor[];
  readonly attestations: ReadonlyMap<string, ImageAttestation>;
  readonly credentials: ImageCredentials;
  /** Of a policy of a namespace. */
  readonly namespace: string | undefined;
  readonly verifyDigest: boolean;
  readonly required: boolean;
}

export type ReferenceTest = {readonly type: 'glob'; readonly regex: CompiledRegex} | {readonly type: 'expression'; readonly program: Program};

export interface CompiledAttestor {
  readonly model: ImageAttestor;
  /** Of its CEL texts, by where they stand: `cosign.key.expression`, `notary.certs.expression`. */
  readonly programs: ReadonlyMap<string, Program>;
}

export interface EvaluationFrame {
  readonly bindings: ReadonlyArray<Value | undefined>;
  readonly host: RuleRun;
}

/** Outcome of a check of one image by one policy. */
export interface ImageRecord {
  /** Images that the policy means, as written, those left out that an exception lets through. */
  readonly meant: readonly string[];
  /** Of these: a signature or attestation was looked for. */
  readonly checked: ReadonlySet<string>;
  /** Of these: one was found that holds. */
  readonly verified: ReadonlySet<string>;
  /** Something was not looked at, since no cache holds it. */
  readonly uncached: boolean;
  /** What was wrong, one line each: image, attestor, reason. */
  readonly notes: readonly string[];
}
