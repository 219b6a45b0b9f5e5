import {textOf} from '../../engine/json/text.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import type {Condition} from './conditions.js';

/** Types of conditions that whoever works in the background writes; others keep them as they are. */
export const backgroundPrefix = 'Background-';

/** The same of whoever runs the clean-ups of rules. */
export const cleanupPrefix = 'CleanUp-';

/** Of the last run of a policy that is a clean-up as a whole. */
const runTypes: ReadonlySet<string> = new Set(['PermissionsGranted', 'LastRunSucceeded', 'GuardsValid']);

/** Conditions of the background within a status as it is stored. */
export function storedBackgroundConditions(status: Json | undefined): Condition[] {
  return storedConditions(status, condition => textOf(own(condition, 'type')).startsWith(backgroundPrefix));
}

/** What the last runs of a policy's clean-ups met with; of an edited policy, the next runs will tell. */
export function storedCleanupConditions(policy: JsonObject): Condition[] {
  const generation = ownPath(policy, 'metadata', 'generation');
  return storedConditions(
    own(policy, 'status'),
    condition => isOfCleanup(textOf(own(condition, 'type'))) && own(condition, 'observedGeneration') === generation,
  );
}

function isOfCleanup(type: string): boolean {
  return type.startsWith(cleanupPrefix) || runTypes.has(type);
}

function storedConditions(status: Json | undefined, isMeant: (condition: JsonObject) => boolean): Condition[] {
  const conditions = ownPath(status, 'conditions');
  return (Array.isArray(conditions) ? conditions.filter(isObject) : []).filter(isMeant).map(condition => ({
    type: textOf(own(condition, 'type')),
    status: textOf(own(condition, 'status')) as Condition['status'],
    reason: textOf(own(condition, 'reason')),
    message: textOf(own(condition, 'message')),
  }));
}


/** Conditions that background work has to tell of policies. */
export class BackgroundConditions {
  readonly #byPolicy = new Map<string, Map<string, Condition>>();
  readonly #listeners = new Set<(kind: string, key: string) => void>();

  of(kind: string, key: string): Condition[] {
    const conditions = this.#byPolicy.get(`${kind}/${key}`);
    return conditions === undefined ? [] : [...conditions.values()].sort((a, b) => (a.type < b.type ? -1 : 1));
  }

  /** True when that is news. */
  set(kind: string, key: string, condition: Condition): boolean {
    const id = `${kind}/${key}`;
    let conditions = this.#byPolicy.get(id);
    if (conditions === undefined) this.#byPolicy.set(id, (conditions = new Map()));
    const known = conditions.get(condition.type);
    if (known !== undefined && known.message === condition.message && known.status === condition.status) return false;
    conditions.set(condition.type, condition);
    this.#tell(kind, key);
    return true;
  }

  /** Those for which `drops` holds are mended. */
  clear(kind: string, key: string, drops: (type: string) => boolean = () => true): void {
    const conditions = this.#byPolicy.get(`${kind}/${key}`);
    const gone = [...(conditions?.keys() ?? [])].filter(drops);
    if (conditions === undefined || gone.length === 0) return;
    for (const type of gone) conditions.delete(type);
    if (conditions.size === 0) this.#byPolicy.delete(`${kind}/${key}`);
    this.#tell(kind, key);
  }

  /** Told of each change. */
  subscribe(listener: (kind: string, key: string) => void): void {
    this.#listeners.add(listener);
  }

  #tell(kind: string, key: string): void {
    for (const listener of this.#listeners) listener(kind, key);
  }
}
