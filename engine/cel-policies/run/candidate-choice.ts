import type {EngineRequest} from '../../types.js';
import type {CelCandidate} from '../snapshot/resource-index.js';
import type {CompiledCelPolicy} from '../types.js';
import type {CelCall} from './create-cel-engine.js';

/** Calls remembered per list of candidates; a webhook has one path per set of policies, so there are few. */
const memoLimit = 64;

/** Which of a snapshot's candidates a call asks. Remembered, for the same paths are called over and over. */
export class CandidateChoice {
  readonly #known = new WeakMap<readonly CelCandidate[], Map<string, readonly CelCandidate[]>>();

  /** `found` are the snapshot's candidates for the request, the same list for the same resource and namespace. */
  of(found: readonly CelCandidate[], request: EngineRequest, call: CelCall): readonly CelCandidate[] {
    let calls = this.#known.get(found);
    if (calls === undefined) this.#known.set(found, (calls = new Map()));
    const isNamespace = request.kind.group === '' && request.kind.kind === 'Namespace';
    const {phase, kind = '', names, fromBackground = false} = call;
    const key = `${phase}|${kind}|${isNamespace}|${fromBackground}|${names === undefined ? '' : `/${names.join('/')}`}`;
    const known = calls.get(key);
    if (known !== undefined) return known;
    const chosen = found.filter(({policy}) => {
      // A policy of a namespace never sees cluster-scoped objects, its own Namespace among them.
      if (policy.ref.namespace !== '' && (policy.ref.namespace !== request.namespace || isNamespace)) return false;
      return isAsked(policy, call);
    });
    if (calls.size >= memoLimit) calls.clear();
    calls.set(key, chosen);
    return chosen;
  }
}

export function isAsked({ref, source}: CompiledCelPolicy, call: CelCall): boolean {
  const {phase, kind, names, fromBackground = false} = call;
  if (kind !== undefined && ref.kind !== kind) return false;
  if (names !== undefined && !names.includes(ref.name)) return false;
  if (source.type === 'deleting') return true;
  if (fromBackground && (source.type === 'mutating' || source.type === 'generating') && source.spec.skipBackgroundRequests) return false;
  return phase === 'any' || source.spec[phase];
}
