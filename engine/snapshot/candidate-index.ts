import type {CompiledRule} from '../compile/types.js';
import type {RequestContext} from '../context/request-context.js';
import type {Candidate} from './policy-snapshot.js';

/**
 * Candidates of one kind, operation and namespace. Those whose rules all ask for a label or a name are found by it, so
 * that policies about other objects cost a request nothing, however many there are.
 */
export class CandidateIndex<R extends CompiledRule> {
  readonly all: ReadonlyArray<Candidate<R>>;
  readonly #always: number[] = [];
  readonly #byLabel = new Map<string, Map<string, number[]>>();
  /** By length of the prefix. */
  readonly #byPrefix = new Map<number, Map<string, number[]>>();
  readonly #unhinted: ReadonlyArray<Candidate<R>>;

  constructor(candidates: ReadonlyArray<Candidate<R>>) {
    this.all = candidates;
    candidates.forEach((candidate, index) => {
      if (candidate.rules.some(rule => rule.hints === undefined)) {
        this.#always.push(index);
        return;
      }
      for (const hint of candidate.rules.flatMap(rule => rule.hints ?? [])) {
        if (hint.type === 'label') add(this.#byLabel, hint.key, {name: hint.value, index});
        else add(this.#byPrefix, hint.prefix.length, {name: hint.prefix, index});
      }
    });
    this.#unhinted = this.#always.map(index => candidates[index] as Candidate<R>);
  }

  /** Candidates that may match the request, in canonical order. */
  select(context: RequestContext): ReadonlyArray<Candidate<R>> {
    const found = new Set<number>();
    for (const [key, byValue] of this.#byLabel) {
      const value = Object.hasOwn(context.labels, key) ? context.labels[key] : undefined;
      if (value !== undefined) collect(byValue.get(value), found);
    }
    for (const [length, byName] of this.#byPrefix) {
      if (context.name.length >= length) collect(byName.get(context.name.slice(0, length)), found);
    }
    if (found.size === 0) return this.#unhinted;
    for (const index of this.#always) found.add(index);
    return [...found].sort((a, b) => a - b).map(index => this.all[index] as Candidate<R>);
  }
}

function add<K>(
  index: Map<K, Map<string, number[]>>,
  key: K,
  entry: {readonly name: string; readonly index: number},
): void {
  let names = index.get(key);
  if (names === undefined) index.set(key, (names = new Map()));
  const list = names.get(entry.name);
  if (list === undefined) names.set(entry.name, [entry.index]);
  else list.push(entry.index);
}

function collect(indexes: readonly number[] | undefined, into: Set<number>): void {
  if (indexes !== undefined) for (const index of indexes) into.add(index);
}
