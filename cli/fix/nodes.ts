import {isMap, isScalar, isSeq, type Node, type YAMLMap, type YAMLSeq} from 'yaml';

/** Reads of a document's tree by own keys; another type counts as absent. */
export function mapAt(map: YAMLMap | undefined, key: string): YAMLMap | undefined {
  const value = map?.get(key, true) as unknown;
  return isMap(value) ? value : undefined;
}

export function seqAt(map: YAMLMap | undefined, key: string): YAMLSeq | undefined {
  const value = map?.get(key, true) as unknown;
  return isSeq(value) ? value : undefined;
}

export function textAt(map: YAMLMap | undefined, key: string): string | undefined {
  const value = map?.get(key, true) as unknown;
  return isScalar(value) && typeof value.value === 'string' ? value.value : undefined;
}

export function mapsIn(seq: YAMLSeq | undefined): readonly YAMLMap[] {
  return (seq?.items ?? []).filter((item): item is YAMLMap => isMap(item));
}

export function textsIn(seq: YAMLSeq | undefined): readonly string[] {
  return (seq?.items ?? []).flatMap(item => (isScalar(item) && typeof item.value === 'string' ? [item.value] : []));
}

export function isEmptyMap(node: Node | undefined | null): boolean {
  return isMap(node) && node.items.length === 0;
}

/** Gives a text that is there another value in its place, with the comments beside it. */
export function setText(map: YAMLMap, key: string, value: string): void {
  const node = map.get(key, true) as unknown;
  if (isScalar(node)) node.value = value;
}

/** Renames a key in its place; the value and its comments stay. */
export function renameKey(map: YAMLMap, from: string, to: string): void {
  const pair = map.items.find(item => isScalar(item.key) && item.key.value === from);
  if (pair !== undefined && isScalar(pair.key)) pair.key.value = to;
}

/** Puts a pair before all others. */
export function setFirst(
  map: YAMLMap,
  key: string,
  value: unknown,
  create: (key: string, value: unknown) => YAMLMap['items'][number],
): void {
  map.delete(key);
  map.items.unshift(create(key, value));
}
