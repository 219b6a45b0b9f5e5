/** The first `max` namespaces keep their names as a label; later ones share `other`, so that series stay bounded. */
export function createNamespaceCap(max: number): (namespace: string) => string {
  const known = new Set<string>();
  return namespace => {
    if (namespace === '') return '-';
    if (known.has(namespace)) return namespace;
    if (known.size >= max) return 'other';
    known.add(namespace);
    return namespace;
  };
}
