import {readdirSync, readFileSync, statSync} from 'node:fs';
import {join, relative, resolve, sep} from 'node:path';

const root = resolve(import.meta.dirname, '..');
const rooms = ['engine', 'adapters', 'webhook', 'operator', 'cli'];

/** Name of the page, from the root of the repository. */
export const diagnosticsPage = 'docs/diagnostics.md';

type Severity = 'error' | 'warning' | 'evaluation';

interface Finding {
  readonly code: string;
  readonly severity: Severity;
  /** The text as users see it, `…` for what depends on the policy; empty when it is put together elsewhere. */
  readonly message: string;
  readonly file: string;
}

/** The page of all diagnostic codes, read from the source. */
export function diagnosticsText(): string {
  const findings = rooms.flatMap(room => [...sources(join(root, room))]).flatMap(findingsOf);
  const codes = [...new Set(findings.map(({code}) => code))].sort();
  const rows = codes.map(code =>
    row(
      code,
      findings.filter(finding => finding.code === code),
    ),
  );
  return `${introduction}
${codes.length} codes:

| code | what it is | texts |
|---|---|---|
${rows.join('\n')}
`;
}

const introduction = `# Diagnostics

<!-- Made by \`npm run generate\` from the source; do not edit. -->

What can be wrong with a policy has a code, a place (\`spec.rules[0].validate.pattern\`), a text and sometimes a hint. The
code stays the same from release to release; texts may be worded better. All faults of a policy come in one answer.

- **error**: the policy is refused: by \`kubectl apply\`, in the line \`refused: …\` of the standalone server, and, should it
  reach the store nevertheless, in its condition Ready=False.
- **warning**: the policy works; kubectl prints the text, the standalone server logs it. \`compat\` names the current form
  of a loose one.
- **evaluation**: raised while a request is judged. The rule's result is \`error\`; the failure policy decides what that
  means for the request.

\`…\` stands for what depends on the policy.
`;

function row(code: string, findings: readonly Finding[]): string {
  const severities = [...new Set(findings.map(({severity}) => severity))].sort();
  const messages = [...new Set(findings.map(({message}) => message).filter(message => message !== ''))].sort();
  const texts = messages.map(message => `\`${message.replaceAll('`', "'").replaceAll('|', '\\|')}\``).join('<br>');
  return `| \`${code}\` | ${severities.join(', ')} | ${texts} |`;
}

function* sources(folder: string): Iterable<string> {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) {
      if (name !== 'testing') yield* sources(path);
    } else if (/\.ts$/.test(name) && !/\.test\.ts$/.test(name)) {
      yield path;
    }
  }
}

const codeForm = /^'([a-z0-9]+(?:-[a-z0-9]+)*)'$/;

function findingsOf(path: string): Finding[] {
  const text = readFileSync(path, 'utf8');
  const file = relative(root, path).split(sep).join('/');
  const findings: Finding[] = [];
  const add = (code: string | undefined, severity: Severity, message: string | undefined): void => {
    const name = codeForm.exec(code ?? '')?.[1];
    if (name !== undefined)
      findings.push({code: name, severity, message: message === undefined ? '' : literal(message), file});
  };
  for (const match of text.matchAll(/\bfaults\.(error|warn)\(/g)) {
    const [code, , message] = argumentsAt(text, match.index + match[0].length);
    for (const each of alternatives(code)) add(each, match[1] === 'error' ? 'error' : 'warning', message);
  }
  for (const match of text.matchAll(/\b(?:new EvalError|super)\(/g)) {
    const [message, code] = argumentsAt(text, match.index + match[0].length);
    add(code, 'evaluation', match[0].startsWith('new') ? message : undefined);
  }
  for (const match of text.matchAll(/\bcode: ('[a-z0-9-]+')/g)) {
    const start = text.lastIndexOf('{', match.index) + 1;
    const properties = argumentsAt(text, start, '}');
    const message = properties.find(property => property.startsWith('message:'))?.slice('message:'.length);
    const code = match[1] === "'compat'" ? 'warning' : 'error';
    add(match[1], code, message?.trim());
  }
  return findings;
}

/** A code may depend on a condition: `a ? 'x' : 'y'` has two. */
function alternatives(code: string | undefined): string[] {
  return code === undefined ? [] : (code.match(/'[a-z0-9-]+'/g) ?? []);
}

/** Source texts of the arguments (or properties) from `start` to the closing bracket. */
function argumentsAt(text: string, start: number, close = ')'): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = start;
  for (let index = start; index < text.length; index += 1) {
    const char = text[index]!;
    if (char === "'" || char === '"' || char === '`') index = endOfText(text, index);
    else if (depth === 0 && (char === close || char === ',')) {
      const part = text.slice(from, index).trim();
      if (part !== '') parts.push(part);
      if (char === close) return parts;
      from = index + 1;
    } else if ('([{'.includes(char)) depth += 1;
    else if (')]}'.includes(char)) depth -= 1;
  }
  return parts;
}

/** Index of the quote that ends the text which begins at `start`. */
function endOfText(text: string, start: number): number {
  const quote = text[start];
  for (let index = start + 1; index < text.length; index += 1) {
    if (text[index] === '\\') index += 1;
    else if (text[index] === quote) return index;
    else if (quote === '`' && text.startsWith('${', index)) index = endOfHole(text, index + 2);
  }
  return text.length;
}

/** Index of the brace that ends the hole of a template whose content begins at `start`. */
function endOfHole(text: string, start: number): number {
  let depth = 1;
  for (let index = start; index < text.length; index += 1) {
    const char = text[index]!;
    if (char === "'" || char === '"' || char === '`') index = endOfText(text, index);
    else if (char === '{') depth += 1;
    else if (char === '}' && --depth === 0) return index;
  }
  return text.length;
}

/** The text of a message expression: its literals, with `…` for everything else. */
function literal(expression: string): string {
  const quote = expression[0];
  if (quote === undefined || !`'"\``.includes(quote) || endOfText(expression, 0) !== expression.length - 1) return '';
  let shown = '';
  for (let index = 1; index < expression.length - 1; index += 1) {
    if (expression[index] === '\\') shown += expression[(index += 1)];
    else if (quote === '`' && expression.startsWith('${', index)) {
      index = endOfHole(expression, index + 2);
      shown += '…';
    } else shown += expression[index];
  }
  return shown.replace(/\s+/g, ' ');
}
