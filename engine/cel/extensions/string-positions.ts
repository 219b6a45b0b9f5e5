/** CEL counts code points, JavaScript UTF-16 units: they are the same in texts without surrogates, which most are. */

const surrogate = /[\ud800-\udfff]/;

export function isPlain(text: string): boolean {
  return !surrogate.test(text);
}

/** UTF-16 offset of a code point's position; -1 beyond the end of the text. */
export function offsetOf(text: string, position: number): number {
  if (isPlain(text)) return position <= text.length ? position : -1;
  let offset = 0;
  for (let count = 0; count < position; count++) {
    if (offset >= text.length) return -1;
    offset += text.codePointAt(offset)! > 0xffff ? 2 : 1;
  }
  return offset;
}

/** Code point position of a UTF-16 offset. */
export function positionOf(text: string, offset: number): number {
  const head = text.slice(0, offset);
  if (isPlain(head)) return offset;
  let count = 0;
  for (const _ of head) count++;
  return count;
}
