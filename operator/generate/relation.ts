import {parseJson} from '../../engine/json/parse.js';
import {textOf} from '../../engine/json/text.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import type {NamedObject} from '../update-requests/trigger.js';

/** Holds the whole relation: labels are cut at 63 characters. */
export const relationAnnotation = 'generate.kyverno.io/relation';

/** Why an object is there: which rule of which policy made it, for what, from what. */
export interface Relation {
  /** As `BackgroundPolicy.id`. */
  readonly policy: string;
  readonly rule: string;
  readonly trigger: NamedObject;
  readonly source: NamedObject | undefined;
  /** Of what names the rule's targets, at the time of the last write. */
  readonly pattern: string;
  /** Of everything that the rule wants of the object. */
  readonly hash: string;
  readonly synchronize: boolean;
  readonly orphan: boolean;
  /** Was there before; only our fields are taken back. */
  readonly adopted: boolean;
  /** Made by a deletion, or a request on a part of an object: that the trigger is not there means nothing. */
  readonly ofDeletion: boolean;
  /** 1 for what a user's object led to; one more for each step of a chain. */
  readonly depth: number;
}

export function relationText(relation: Relation): string {
  const {policy, rule, trigger, source, pattern, hash, depth} = relation;
  const flags = (['synchronize', 'orphan', 'adopted', 'ofDeletion'] as const).filter(flag => relation[flag]);
  return JSON.stringify({policy, rule, trigger: tuple(trigger), ...(source !== undefined && {source: tuple(source)}), pattern, hash, flags, depth});
}

/** `undefined`: not ours, or spoilt by hand. */
export function relationOf(object: JsonObject | undefined): Relation | undefined {
  const text = ownPath(object, 'metadata', 'annotations', relationAnnotation);
  if (typeof text !== 'string' || text.length > 4_096) return undefined;
  let value: Json;
  try {
    value = parseJson(text);
  } catch (error) {
    // Whoever edits it takes the object out of our hands.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
  const trigger = named(ownPath(value, 'trigger'));
  if (!isObject(value) || trigger === undefined || textOf(own(value, 'policy')) === '') return undefined;
  const flags = own(value, 'flags');
  const has = (flag: string) => Array.isArray(flags) && flags.includes(flag);
  const depth = own(value, 'depth');
  return {
    policy: textOf(own(value, 'policy')),
    rule: textOf(own(value, 'rule')),
    trigger,
    source: named(own(value, 'source')),
    pattern: textOf(own(value, 'pattern')),
    hash: textOf(own(value, 'hash')),
    synchronize: has('synchronize'),
    orphan: has('orphan'),
    adopted: has('adopted'),
    ofDeletion: has('ofDeletion'),
    depth: typeof depth === 'number' ? depth : 1,
  };
}

function tuple({apiVersion, kind, namespace, name, uid}: NamedObject): string[] {
  return [apiVersion, kind, namespace, name, uid];
}

function named(value: Json | undefined): NamedObject | undefined {
  if (!Array.isArray(value) || value.length !== 5) return undefined;
  const [apiVersion, kind, namespace, name, uid] = value.map(textOf);
  return {apiVersion: apiVersion!, kind: kind!, namespace: namespace!, name: name!, uid: uid!};
}
