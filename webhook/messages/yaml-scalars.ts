const words: ReadonlySet<string> = new Set(
  ['y', 'yes', 'on', 'true', 'n', 'no', 'off', 'false', 'null', '.nan', '.inf', '+.inf', '-.inf']
    .flatMap(word => [word, word.toUpperCase(), capitalised(word)])
    .concat(['', '~', '.NaN']),
);

const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const integer = /^[-+]?(?:0x[0-9a-fA-F]+|0b[01]+|0o?[0-7]+|[0-9]+)$/;
const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const timestamp =
  /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt][0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\.[0-9]+)?(?:Z|[-+][0-9]{2}:[0-9]{2})| [0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\.[0-9]+)?)?$/;

function capitalised(word: string): string {
  const at = word.search(/[a-z]/);
  return word.slice(0, at) + word[at]!.toUpperCase() + word.slice(at + 1);
}

/** True when a YAML 1.1 reader would take the bare text for null, a bool, a number or a time. */
export function resolvesToOtherThanText(value: string): boolean {
  if (words.has(value)) return true;
  const first = value.charCodeAt(0);
  const numeric = (first >= 48 && first <= 57) || first === 43 || first === 45 || first === 46;
  if (!numeric) return false;
  const bare = value.replaceAll('_', '');
  return float.test(bare) || integer.test(bare) || base60.test(value) || timestamp.test(value);
}
