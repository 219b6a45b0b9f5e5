const none: ReadonlySet<string> = new Set();

/** `name="value",…` of the exposition format, without braces; `dropped` are left out. */
export function labelText(labels: Readonly<Record<string, string>>, dropped: ReadonlySet<string> = none): string {
  let text = '';
  for (const name in labels) {
    if (dropped.has(name)) continue;
    text += `${text === '' ? '' : ','}${name}="${escaped(labels[name]!)}"`;
  }
  return text;
}

const special = /[\\"\n]/;

/** Nearly no value holds what has to be escaped. */
function escaped(value: string): string {
  return special.test(value) ? value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"') : value;
}
