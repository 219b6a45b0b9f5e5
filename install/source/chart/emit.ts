import {stringify} from 'yaml';
import type {KubeObject} from '../types.js';

/** Stands in an object where the chart has words of its own; `key` is what it is the value of, `indent` what stands before. */
export type Snippet = (key: string, indent: string) => string;

/** `key: {{ expression }}`. */
export function value(expression: string): Snippet {
  return (key, indent) => `${indent}${key}: {{ ${expression} }}`;
}

/** The value as YAML below its key; nothing where it is empty. */
export function yaml(expression: string): Snippet {
  return (key, indent) => block(`{{- with ${expression} }}`, `${indent}${key}:\n${indent}  {{- toYaml . | nindent ${indent.length + 2} }}`);
}

/** What a named template prints, below its key. */
export function included(name: string): Snippet {
  return (key, indent) => `${indent}${key}:\n${indent}  {{- include "${name}" . | nindent ${indent.length + 2} }}`;
}

/** The same, and no key where it prints nothing. */
export function includedIfAny(name: string): Snippet {
  return (key, indent) => block(`{{- with include "${name}" . }}`, `${indent}${key}:\n${indent}  {{- . | nindent ${indent.length + 2} }}`);
}

/** Only under a condition. */
export function when(condition: string, inner: Snippet): Snippet {
  return (key, indent) => block(`{{- if ${condition} }}`, inner(key, indent));
}

function block(head: string, body: string): string {
  return `${head}\n${body}\n{{- end }}`;
}

export type Overlay = Readonly<Record<string, Snippet>>;

const token = /^( *(?:- )?)([^\s:"']+|"[^"]+"): SNIPPET_(\d+)_$/gm;

/** The object as text of a chart: snippets at their paths (`spec.template.spec.volumes`), placeholders of settings filled in. */
export function templateOf(object: KubeObject, overlay: Overlay, words: Readonly<Record<string, string>>): string {
  const copy = structuredClone(object) as unknown as Record<string, unknown>;
  const snippets = Object.entries(overlay).map(([path, snippet], index) => {
    place(copy, path.split('.'), `SNIPPET_${index}_`);
    return snippet;
  });
  const text = stringify(copy, {aliasDuplicateObjects: false, lineWidth: 0}).replace(token, (_, before: string, key: string, index: string) => {
    // The first key of a list's item stands behind its dash.
    const indent = before.replace('-', ' ');
    const made = snippets[Number(index)]!(key, indent);
    return before.includes('-') ? made.replace(indent, before) : made;
  });
  return fill(text, words);
}

export function fill(text: string, words: Readonly<Record<string, string>>): string {
  return Object.entries(words).reduce((filled, [placeholder, word]) => filled.replaceAll(placeholder, word), text);
}

function place(object: Record<string, unknown>, [head = '', ...rest]: readonly string[], text: string): void {
  const key = head.replaceAll('~', '.');
  if (rest.length === 0) object[key] = text;
  else place((object[key] ??= {}) as Record<string, unknown>, rest, text);
}
