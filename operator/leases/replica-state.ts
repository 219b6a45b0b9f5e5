import {parseJson} from '../../engine/json/parse.js';
import {stringifyJson} from '../../engine/json/stringify.js';
import {isObject, type JsonObject, own} from '../../engine/json/types.js';
import {compareResourceVersions} from '../../adapters/kube/resource-version.js';

/** What one replica says of its snapshot. */
export interface ReplicaState {
  /** Per kind (a word of the operator's choice): every change up to this resource version is compiled and served. */
  readonly versions: Readonly<Record<string, string>>;
  /** Refused policies: key (kind and name, of the operator's choice) → reason. */
  readonly refused: Readonly<Record<string, string>>;
  /** Settings that it took from the KyvernoConfiguration at its start: key → digest of the value. */
  readonly started?: Readonly<Record<string, string>>;
}

/** As read back: `incomplete` when not all refusals had room. */
export interface ReportedState extends ReplicaState {
  readonly incomplete: boolean;
}

const maxReasonLength = 200;
const maxTextLength = 64 * 1024;

/** JSON of bounded size: reasons are cut first, then refusals left out in the order of their keys. */
export function encodeReplicaState({versions, refused, started = {}}: ReplicaState): string {
  const sorted = Object.entries(refused).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const kept: JsonObject = {};
  let size = stringifyJson({...versions, ...started}).length + 64;
  let left = 0;
  for (const [key, reason] of sorted) {
    const cut = reason.length > maxReasonLength ? `${reason.slice(0, maxReasonLength)}…` : reason;
    const cost = JSON.stringify(key).length + JSON.stringify(cut).length + 2;
    if (size + cost > maxTextLength) {
      left += 1;
      continue;
    }
    size += cost;
    kept[key] = cut;
  }
  return stringifyJson({versions: sortKeys(versions), refused: kept, ...(left > 0 && {left}), ...(Object.keys(started).length > 0 && {started: sortKeys(started)})});
}

/** `undefined` for text that is none of ours. */
export function decodeReplicaState(text: string): ReportedState | undefined {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    // Anyone may write the annotation; what cannot be read says nothing.
    return undefined;
  }
  const state = value as JsonObject;
  if (!isObject(state)) return undefined;
  return {
    versions: stringsOf(own(state, 'versions')),
    refused: stringsOf(own(state, 'refused')),
    started: stringsOf(own(state, 'started')),
    incomplete: Object.hasOwn(state, 'left'),
  };
}

export type Served = 'served' | 'refused' | 'behind' | 'unknown';

/** Whether a replica serves what an object of `kind` says at `resourceVersion`. */
export function servedBy(
  state: ReportedState | undefined,
  {kind, key, resourceVersion}: {readonly kind: string; readonly key: string; readonly resourceVersion: string},
): Served {
  const version = state && Object.hasOwn(state.versions, kind) ? state.versions[kind] : undefined;
  if (state === undefined || version === undefined) return 'unknown';
  if (compareResourceVersions(version, resourceVersion) < 0) return 'behind';
  if (Object.hasOwn(state.refused, key)) return 'refused';
  return state.incomplete ? 'unknown' : 'served';
}

function stringsOf(value: JsonObject[string] | undefined): Readonly<Record<string, string>> {
  const strings: Record<string, string> = {};
  if (!isObject(value)) return strings;
  for (const [key, text] of Object.entries(value)) {
    if (typeof text === 'string' && key !== '__proto__') strings[key] = text;
  }
  return strings;
}

function sortKeys(record: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
