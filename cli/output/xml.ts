/** Text or attribute value in XML; characters that XML 1.0 cannot hold become U+FFFD. */
export function escapeXml(text: string): string {
  return [...text]
    .map(character => entities.get(character) ?? (allowed(character.codePointAt(0) ?? 0) ? character : '\uFFFD'))
    .join('');
}

const entities = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&apos;'],
  ['\n', '&#10;'],
  ['\r', '&#13;'],
  ['\t', '&#9;'],
]);

function allowed(point: number): boolean {
  return (point >= 0x20 && point <= 0xd7ff) || (point >= 0xe000 && point <= 0xfffd) || point >= 0x10000;
}
