import type {EventEmitter} from '../events/event-emitter.js';
import {nameOfKey, namespaceOfKey} from './policy-key.js';

export interface RefusedPolicy {
  readonly apiVersion: string;
  readonly kind: string;
  /** `name` or `namespace/name`. */
  readonly key: string;
  readonly uid: string;
  readonly problems: readonly {readonly message: string}[];
}

/** Tells at the policy itself why none of it is enforced. */
export function tellRefused(events: Pick<EventEmitter, 'emit'>, {apiVersion, kind, key, uid, problems}: RefusedPolicy): void {
  events.emit({
    regarding: {apiVersion, kind, namespace: namespaceOfKey(key), name: nameOfKey(key), uid},
    reason: 'PolicyError',
    action: 'None',
    note: `policy ${key} is not served: ${problems.map(({message}) => message).join('; ')}`,
    source: 'kyverno-admission',
  });
}
