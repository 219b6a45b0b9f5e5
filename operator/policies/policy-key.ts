/** `namespace` of a key `name` or `namespace/name`; empty for cluster-scoped ones. */
export function namespaceOfKey(key: string): string {
  return key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
}

export function nameOfKey(key: string): string {
  return key.slice(key.indexOf('/') + 1);
}
