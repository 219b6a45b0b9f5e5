/** One piece of a Go replacement template: text as it is, or a group by number or name. */
export type ReplacementPart = string | {readonly group: number | string};

const reference = /\$(?:\$|\{([\p{L}\p{Nd}_]+)\}|([\p{L}\p{Nd}_]+))/gu;

/**
 * Splits a template as Go's `Regexp.Expand` does: `$name` takes the longest run of letters, digits and `_`, `${name}`
 * delimits it, `$$` is a dollar sign, a `$` that begins none of these stays.
 */
export function parseReplacement(template: string): readonly ReplacementPart[] {
  const parts: ReplacementPart[] = [];
  let from = 0;
  for (const match of template.matchAll(reference)) {
    if (match.index > from) parts.push(template.slice(from, match.index));
    const name = match[1] ?? match[2];
    parts.push(name === undefined ? '$' : {group: /^(?:0|[1-9]\d{0,8})$/.test(name) ? Number(name) : name});
    from = match.index + match[0].length;
  }
  if (from < template.length) parts.push(template.slice(from));
  return parts;
}
