import type {CompiledCelPolicy} from '../cel-policies/types.js';
import type {PolicyResult, RuleResult} from '../types.js';
import type {CelVerdict} from '../cel-policies/run/results.js';
import {requireVerified} from './required.js';
import type {ImageRecord} from './types.js';

interface Answer {
  readonly verdict: CelVerdict;
  readonly images?: ImageRecord | undefined;
}

/** What the policies on images of one request found, until all of them have spoken. */
export class ImageResults {
  /** By the policy's kind and key, in the order of its rule results. */
  readonly #answers = new Map<string, Array<{readonly answer: Answer; readonly policy: CompiledCelPolicy}>>();

  saw(policy: CompiledCelPolicy, answer: Answer): void {
    if (policy.source.type !== 'imageValidating') return;
    const id = idOf(policy.ref);
    const known = this.#answers.get(id);
    if (known === undefined) this.#answers.set(id, [{answer, policy}]);
    else known.push({answer, policy});
  }

  /** The results, with those failed that ask for verified images nobody verified. */
  judged(results: readonly PolicyResult[]): readonly PolicyResult[] {
    if (this.#answers.size === 0) return results;
    const all = [...this.#answers.values()].flat();
    const verdicts = requireVerified(
      all.map(({answer: {verdict, images: record}, policy}) => ({
        verdict,
        record,
        policy: policy.ref.name,
        required: policy.source.type === 'imageValidating' && policy.source.spec.required,
      })),
    );
    const after = new Map(all.map(({answer}, index) => [answer.verdict, verdicts[index]!]));
    return results.map(result => {
      const answers = this.#answers.get(idOf(result.policy)) ?? [];
      return {...result, rules: result.rules.map((rule, index) => revised(rule, answers[index]?.answer.verdict, after))};
    });
  }
}

function revised(rule: RuleResult, before: CelVerdict | undefined, after: ReadonlyMap<CelVerdict, CelVerdict>): RuleResult {
  const verdict = before && after.get(before);
  if (verdict === undefined || verdict === before) return rule;
  const {status, message, properties} = verdict;
  return {...rule, rule: verdict.rule, status, message, ...(properties !== undefined && {properties})};
}

function idOf({kind, key}: {readonly kind: string; readonly key: string}): string {
  return `${kind}/${key}`;
}
