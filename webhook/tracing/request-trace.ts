import type {Clock} from '../../adapters/clock.js';
import type {PolicyRef, PolicyResult, RunTrace} from '../../engine/types.js';
import type {SpanAttributes, SpanIdentity, SpanRecord, TraceParent, TraceRecord} from '../../adapters/tracing/types.js';

/** Spans of policies in one trace; the rest is only counted. */
const maxPolicies = 500;
const longestText = 512;

export interface TraceEnd {
  readonly name: string;
  readonly attributes: SpanAttributes;
  readonly error?: string;
}

/**
 * What one request comes to, step by step: load, match, evaluate (with one span per policy), act, answer. Steps follow
 * one another without gaps; a step that the request never came to has no span.
 */
export class RequestTrace implements RunTrace {
  readonly #parent: TraceParent | undefined;
  readonly #clock: Clock;
  readonly #started: number;
  /** From the monotonic scale to the epoch. */
  readonly #offset: number;
  /** Of the request's span, once it is handed on. */
  identity: SpanIdentity | undefined;
  readonly #policies: SpanRecord[] = [];
  /** Judged after the answer was made. */
  readonly #late: SpanRecord[] = [];
  #unseen = 0;
  #candidates = 0;
  #loaded: number | undefined;
  #matched: number | undefined;
  #evaluated: number | undefined;
  #acted: number | undefined;

  /** `started` and `receivedAt`: one moment on both scales of the clock. */
  constructor(clock: Clock, {parent, started, receivedAt}: {readonly parent: TraceParent | undefined; readonly started: number; readonly receivedAt: number}) {
    this.#parent = parent;
    this.#clock = clock;
    this.#started = started;
    this.#offset = receivedAt - started;
  }

  loaded(): void {
    this.#loaded ??= this.#clock.monotonic();
  }

  matched(policies: number): void {
    this.#candidates += policies;
    this.#matched ??= this.#clock.monotonic();
    this.#evaluated = this.#clock.monotonic();
  }

  policy(ref: PolicyRef): (result?: PolicyResult) => void {
    const start = this.#clock.monotonic();
    return result => {
      const end = this.#clock.monotonic();
      // What goes on after the answer belongs to no step of it.
      const list = this.#acted === undefined ? this.#policies : this.#late;
      if (list === this.#policies) this.#evaluated = end;
      if (list.length < maxPolicies) list.push(this.#span(policyName(ref), start, end, policyAttributes(ref, result), policyError(result)));
      else if (list === this.#policies) this.#unseen += 1;
    };
  }

  /** The answer is made and only has to be sent. */
  acted(): void {
    this.#acted ??= this.#clock.monotonic();
  }

  finish({name, attributes, error}: TraceEnd): TraceRecord {
    const end = this.#clock.monotonic();
    const acted = this.#acted ?? end;
    const children: SpanRecord[] = [];
    const step = (label: string, from: number, to: number, more: Partial<Pick<SpanRecord, 'attributes' | 'children'>> = {}) =>
      children.push({...this.#span(label, from, to, more.attributes ?? {}), children: more.children ?? []});
    if (this.#loaded !== undefined) {
      const matched = this.#matched ?? this.#loaded;
      const evaluated = Math.max(matched, this.#evaluated ?? matched);
      const unseen: SpanAttributes = this.#unseen > 0 ? {'kyverno.policies.without_span': this.#unseen} : {};
      step('load', this.#started, this.#loaded);
      step('match', this.#loaded, matched, {attributes: {'kyverno.policies.matched': this.#candidates}});
      step('evaluate', matched, evaluated, {attributes: {'kyverno.policies.evaluated': this.#policies.length + this.#unseen, ...unseen}, children: this.#policies});
      step('act', evaluated, acted);
    }
    step('answer', acted, end);
    return {parent: this.#parent, root: {...this.#span(name, this.#started, end, attributes, error), children}};
  }

  /** What followed the answer, as a trace of its own; `undefined` when no policy was judged after it. */
  followUp(name: string, attributes: SpanAttributes): TraceRecord | undefined {
    const [first] = this.#late;
    if (first === undefined || this.identity === undefined) return undefined;
    const children = this.#late.splice(0);
    const end = children.reduce((latest, span) => Math.max(latest, span.end), first.end);
    return {parent: undefined, link: this.identity, root: {name, start: first.start, end, attributes, children}};
  }

  #span(name: string, start: number, end: number, attributes: SpanAttributes, error?: string): SpanRecord {
    return {name, start: start + this.#offset, end: end + this.#offset, attributes, children: [], ...(error !== undefined && {error})};
  }
}

function policyName({namespace, name}: PolicyRef): string {
  return `POLICY ${namespace}/${name}`;
}

function policyAttributes({apiVersion, kind, namespace, name}: PolicyRef, result: PolicyResult | undefined): SpanAttributes {
  const [group = '', version = ''] = apiVersion.split('/');
  const rules = result?.rules ?? [];
  return {
    'kyverno.policy.group': group,
    'kyverno.policy.version': version,
    'kyverno.policy.kind': kind,
    'kyverno.policy.name': name,
    'kyverno.policy.namespace': namespace,
    ...(rules.length > 0 && {'kyverno.rule.name': rules.map(({rule}) => rule), 'kyverno.rule.result': rules.map(({status}) => status)}),
  };
}

/** A policy that does not let pass is a span that failed, so that traces can be searched for it. */
function policyError(result: PolicyResult | undefined): string | undefined {
  const bad = result?.rules.filter(({status}) => status === 'fail' || status === 'error') ?? [];
  return bad.length === 0 ? undefined : bad.map(({rule, status}) => `${rule} ${status}`.trim()).join('; ').slice(0, longestText);
}
