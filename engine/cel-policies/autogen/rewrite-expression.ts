import {scanTokens, type Token} from './scan-tokens.js';

/** `['spec', 'template']`, or that of CronJobs. */
export type TemplatePath = readonly string[];

interface Edit {
  readonly at: number;
  readonly text: string;
}

/** Fields of a controller's spec that lead to the template; a Pod's has none of them. */
const templateFields: ReadonlySet<string> = new Set(['template', 'jobTemplate']);

/** Fields that a controller has itself and its template does not. */
const ownFields: ReadonlySet<string> = new Set(['name', 'namespace', 'uid', 'resourceVersion', 'generation']);

/**
 * Points an expression on a Pod at the Pod template of a controller: `object.spec` becomes `object.spec.template.spec`,
 * `object.metadata` likewise but for what only the controller has (`object.metadata.name`). What stands in string literals
 * and comments is left alone.
 */
export function rewriteExpression(source: string, template: TemplatePath): string {
  if (!source.includes('bject')) return source;
  const tokens = scanTokens(source);
  return applyEdits(source, objectEdits(tokens, template));
}

/** The same for an expression that makes an `Object{…}`: its type names and its root follow. */
export function rewriteApplyConfiguration(source: string, template: TemplatePath): string {
  const tokens = scanTokens(source);
  return applyEdits(source, [...objectEdits(tokens, template), ...typeEdits(tokens, template)]);
}

/** The same for an expression that makes JSON patches: paths into the Pod's spec and metadata lead into the template. */
export function rewriteJsonPatch(source: string, template: TemplatePath): string {
  const tokens = scanTokens(source);
  const prefix = template.map(key => `/${key}`).join('');
  const paths = tokens.flatMap((token): Edit[] => {
    if (token.kind !== 'text' || !isPodPath(token.text)) return [];
    const inner = source.indexOf('/', token.start);
    return [{at: inner, text: prefix}];
  });
  return applyEdits(source, [...objectEdits(tokens, template), ...paths]);
}

/** What names the template of a controller already was written for one. */
function isPodPath(text: string): boolean {
  if (/^\/spec\/(?:template|jobTemplate)(?:\/|$)/.test(text)) return false;
  return /^\/(?:spec|metadata\/(?:labels|annotations))(?:\/|$)/.test(text);
}

/** A message's mentions of fields, as users read them. */
export function rewriteMessage(text: string, template: TemplatePath): string {
  const inner = template.join('.');
  return text.replace(
    /\b(object|oldObject)\.(spec|metadata)\b(?!\.(?:name|namespace)\b)/g,
    (_match, object: string, field: string) => `${object}.${inner}.${field}`,
  );
}

function objectEdits(tokens: readonly Token[], template: TemplatePath): Edit[] {
  const edits: Edit[] = [];
  tokens.forEach((token, index) => {
    if (token.kind !== 'name' || (token.text !== 'object' && token.text !== 'oldObject')) return;
    if (!isRoot(tokens, index)) return;
    const access = accessAfter(tokens, index + 1);
    if (access === undefined || (access.field !== 'spec' && access.field !== 'metadata')) return;
    const next = accessAfter(tokens, access.next);
    if (next !== undefined && (access.field === 'metadata' ? ownFields : templateFields).has(next.field)) return;
    const join = access.optional ? '.?' : '.';
    edits.push({at: token.end, text: template.map(key => `${join}${key}`).join('')});
  });
  return edits;
}

/** The variable itself or `request.object`, not a field of something else. */
function isRoot(tokens: readonly Token[], index: number): boolean {
  if (tokens[index - 1]?.text !== '.') return true;
  const owner = tokens[index - 2];
  return owner?.kind === 'name' && owner.text === 'request' && tokens[index - 3]?.text !== '.';
}

interface Access {
  readonly field: string;
  readonly optional: boolean;
  /** Index of the token after it. */
  readonly next: number;
}

/** `.spec`, `.?spec`, `["spec"]` or `[?"spec"]` from `index` on. */
function accessAfter(tokens: readonly Token[], index: number): Access | undefined {
  const open = tokens[index];
  if (open?.kind !== 'mark' || (open.text !== '.' && open.text !== '[')) return undefined;
  const optional = tokens[index + 1]?.kind === 'mark' && tokens[index + 1]?.text === '?';
  const at = index + (optional ? 2 : 1);
  const field = tokens[at];
  if (field === undefined) return undefined;
  if (open.text === '.') return field.kind === 'name' ? {field: field.text, optional, next: at + 1} : undefined;
  return field.kind === 'text' && tokens[at + 1]?.text === ']'
    ? {field: field.text, optional, next: at + 2}
    : undefined;
}

/**
 * `Object.spec{…}` → `Object.spec.template.spec{…}`, `Object{…}` → the same inside of the template. An `Object{…}` that
 * names the template itself is for a controller already.
 */
function typeEdits(tokens: readonly Token[], template: TemplatePath): Edit[] {
  const edits: Edit[] = [];
  let index = 0;
  while (index < tokens.length) {
    const token = tokens[index]!;
    index += 1;
    if (token.kind !== 'name' || token.text !== 'Object' || tokens[index - 2]?.text === '.') continue;
    const next = tokens[index];
    const field = tokens[index + 1];
    if (next?.text === '.' && (field?.text === 'spec' || field?.text === 'metadata')) {
      edits.push({at: token.end, text: template.map(key => `.${key}`).join('')});
    }
    if (next?.text !== '{') continue;
    const close = closing(tokens, index);
    // An empty object changes nothing, wherever it stands.
    if (close === undefined || close === index + 1) continue;
    if (namesTemplate(tokens.slice(index, close))) {
      index = close;
      continue;
    }
    const opening = template.map((key, depth) => `${key}: Object.${template.slice(0, depth + 1).join('.')}{`).join('');
    edits.push({at: next.end, text: opening}, {at: tokens[close]!.start, text: '}'.repeat(template.length)});
  }
  return edits;
}

/** Whether there is an `Object.spec.template` among the tokens. */
function namesTemplate(tokens: readonly Token[]): boolean {
  return tokens.some((token, index) => {
    const [dot, spec, second, field] = tokens.slice(index + 1, index + 5);
    if (token.kind !== 'name' || token.text !== 'Object' || dot?.text !== '.' || spec?.text !== 'spec') return false;
    return second?.text === '.' && field !== undefined && templateFields.has(field.text);
  });
}

/** Index of the brace that closes the one at `index`. */
function closing(tokens: readonly Token[], index: number): number | undefined {
  let depth = 0;
  for (let at = index; at < tokens.length; at += 1) {
    const token = tokens[at]!;
    if (token.kind !== 'mark') continue;
    if (token.text === '{') depth += 1;
    else if (token.text === '}') {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return undefined;
}

function applyEdits(source: string, edits: readonly Edit[]): string {
  let result = '';
  let from = 0;
  for (const {at, text} of [...edits].sort((a, b) => a.at - b.at)) {
    result += source.slice(from, at) + text;
    from = at;
  }
  return result + source.slice(from);
}

/** In brackets; a comment at the end must not take the closing one along. */
export function enclosed(expression: string): string {
  return expression.includes('//') ? `(${expression}\n)` : `(${expression})`;
}
