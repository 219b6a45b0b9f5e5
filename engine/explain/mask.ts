import {Buffer} from 'node:buffer';
import {isObject, type Json, type JsonObject, own, ownPath, setOwn} from '../json/types.js';
import type {PolicyExplanation} from './types.js';

export const masked = '***';

const secretName =
  /pass(?:word|wd|phrase)?$|secret$|token$|credentials?$|api[-_]?key$|access[-_]?key$|private[-_]?key$/i;
/** Names that end so and hold names or switches, not secrets. */
const harmless = /^(?:automountServiceAccountToken|serviceAccountToken|imagePullSecret|secretName|secret)$/;
/** Shorter texts stand in too many others: they are only masked where they are the whole value. */
const shortest = 4;
const deepest = 400;

/** Texts that must not be shown, whatever path they take into an explanation. */
export class SecretTexts {
  readonly #texts = new Set<string>();

  /** What an object holds: all data of Secrets, values under names that tell, and values of variables whose names do. */
  collect(value: Json | undefined, depth = 0): void {
    if (depth > deepest || value === undefined) return;
    if (Array.isArray(value)) {
      for (const item of value) this.collect(item, depth + 1);
      return;
    }
    if (!isObject(value)) return;
    if (own(value, 'kind') === 'Secret') {
      this.all(own(value, 'data'));
      this.all(own(value, 'stringData'));
      const applied = ownPath(value, 'metadata', 'annotations', 'kubectl.kubernetes.io/last-applied-configuration');
      if (typeof applied === 'string') this.all(applied);
    }
    const name = own(value, 'name');
    if (typeof name === 'string' && isSecretName(name) && typeof own(value, 'value') === 'string')
      this.all(own(value, 'value'));
    for (const key of Object.keys(value)) {
      if (isSecretName(key) && typeof value[key] === 'string') this.all(value[key]);
      else this.collect(value[key], depth + 1);
    }
  }

  /** Every text of a value, and what it decodes to. */
  all(value: Json | undefined, depth = 0): void {
    if (depth > deepest || value === undefined) return;
    if (typeof value === 'string') {
      this.#add(value);
      if (/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value))
        this.#add(Buffer.from(value, 'base64').toString('utf8'));
    } else if (Array.isArray(value)) {
      for (const item of value) this.all(item, depth + 1);
    } else if (isObject(value)) {
      for (const key of Object.keys(value)) this.all(value[key], depth + 1);
    }
  }

  #add(text: string): void {
    // What is still a variable is no value yet.
    if (text !== '' && !text.includes('{{')) this.#texts.add(text);
  }

  hide(text: string): string {
    if (this.#texts.has(text)) return masked;
    let result = text;
    for (const secret of this.#texts)
      if (secret.length >= shortest && result.includes(secret)) result = result.replaceAll(secret, masked);
    return result;
  }

  hideIn(value: Json, depth = 0): Json {
    if (typeof value === 'string') return this.hide(value);
    if (depth > deepest) return value;
    if (Array.isArray(value)) return value.map(item => this.hideIn(item, depth + 1));
    if (!isObject(value)) return value;
    const result: JsonObject = {};
    for (const key of Object.keys(value)) {
      const item = value[key]!;
      setOwn(result, key, typeof item === 'string' && isSecretName(key) ? masked : this.hideIn(item, depth + 1));
    }
    return result;
  }
}

export function isSecretName(name: string): boolean {
  return secretName.test(name) && !harmless.test(name);
}

const valueFields = new Set(['wanted', 'got', 'value', 'note', 'message', 'error']);

/** The explanation without anything secret. Structure, names, paths and verdicts stay. */
export function maskExplanation(explanation: PolicyExplanation, secrets: SecretTexts): PolicyExplanation {
  for (const rule of explanation.rules) {
    for (const {name, value} of rule.variables) {
      secrets.collect(value);
      const last = name.split('.').at(-1) ?? '';
      if (isSecretName(last.replace(/["'`]/g, ''))) secrets.all(value);
    }
  }
  for (const {check} of explanation.rules)
    for (const child of check?.children ?? []) if (child.kind === 'target') secrets.collect(child.wanted);
  const walk = (value: Json, key: string): Json => {
    if (valueFields.has(key) && typeof value !== 'object')
      return typeof value === 'string' ? secrets.hide(value) : value;
    if (valueFields.has(key)) return secrets.hideIn(value);
    if (Array.isArray(value)) return value.map(item => walk(item, ''));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.keys(value).map(name => [name, walk(value[name]!, name)]));
  };
  return {
    ...explanation,
    rules: walk(explanation.rules as unknown as Json, '') as unknown as PolicyExplanation['rules'],
  };
}
