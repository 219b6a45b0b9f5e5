/**
 * `{{@}}` stands for the value at the same place in the object. The place is that of the document from the innermost
 * `foreach` on, without its first two segments (`mutate/patchStrategicMerge`, `validate/pattern`).
 */
export function selfExpression(document: ReadonlyArray<string | number>, prefix: string): string {
  const foreach = document.lastIndexOf('foreach');
  const tail = foreach === -1 ? document : document.slice(foreach + 1).filter(segment => typeof segment !== 'number' || segment !== 0);
  let text = prefix;
  for (const segment of tail.slice(2)) {
    text += typeof segment === 'number' ? `[${segment}]` : `.${JSON.stringify(withoutAnchor(segment))}`;
  }
  return text;
}

function withoutAnchor(key: string): string {
  return /^[+<=X^]?\((.*)\)$/.exec(key)?.[1] ?? key;
}
