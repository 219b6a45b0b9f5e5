/**
 * `{{@}}` stands for the value at the same place in the object. The place is that of the document from the innermost
 * `foreach` on, without its first two segments (`mutate/patchStrategicMerge`, `validate/pattern`) and, below
 * `anyPattern`, without the number of the alternative.
 */
export function selfExpression(document: ReadonlyArray<string | number>, prefix: string): string {
  const tail = document.slice(document.lastIndexOf('foreach') + 1);
  let text = prefix;
  for (const segment of tail.slice(tail[1] === 'anyPattern' ? 3 : 2)) {
    text += typeof segment === 'number' ? `[${segment}]` : `.${JSON.stringify(withoutAnchor(segment))}`;
  }
  return text;
}

function withoutAnchor(key: string): string {
  return /^[+<=X^]?\((.*)\)$/.exec(key)?.[1] ?? key;
}
