/** One challenge of a `WWW-Authenticate` header. */
export interface Challenge {
  /** Lower case: `bearer`, `basic`. */
  readonly scheme: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const maxLength = 4096;
const token = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y;
const quoted = /"((?:[^"\\]|\\.)*)"/y;
const gap = /[\s,]*/y;

/** Reads all challenges of a header; what is no challenge ends the reading. */
export function parseChallenges(header: string): Challenge[] {
  const text = header.slice(0, maxLength);
  const challenges: Array<{scheme: string; parameters: Map<string, string>}> = [];
  let at = 0;
  const take = (shape: RegExp): RegExpExecArray | null => {
    shape.lastIndex = at;
    const match = shape.exec(text);
    if (match !== null) at = shape.lastIndex;
    return match;
  };
  for (;;) {
    take(gap);
    const word = take(token)?.[0];
    if (word === undefined) return challenges;
    const current = challenges.at(-1);
    if (text[at] === '=' && current !== undefined) {
      at += 1;
      const value = take(quoted)?.[1]?.replace(/\\(.)/g, '$1') ?? take(token)?.[0];
      if (value === undefined) return challenges;
      current.parameters.set(word.toLowerCase(), value);
    } else {
      challenges.push({scheme: word.toLowerCase(), parameters: new Map()});
    }
  }
}
