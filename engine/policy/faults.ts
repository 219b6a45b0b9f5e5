import type {Diagnostic} from '../diagnostic.js';
import {isNumber, isObject, type Json, toDouble} from '../json/types.js';

interface Details {
  readonly hint?: string;
  readonly expression?: string;
}

/** Collects what is wrong or doubtful while one object is loaded; nothing stops at the first fault. */
export class Faults {
  readonly errors: Diagnostic[] = [];
  readonly warnings: Diagnostic[] = [];

  error(code: string, path: string, message: string, details: Details = {}): void {
    this.errors.push({code, message, path, ...details});
  }

  warn(code: string, path: string, message: string, details: Details = {}): void {
    this.warnings.push({code, message, path, ...details});
  }

  /** A loose form that was understood: `text` says as what. */
  compat(path: string, text: string): void {
    this.warnings.push({code: 'compat', message: `compat: ${path}: ${text}`, path});
  }
}

export function at(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  const name = /^[\w$-]+$/.test(key) ? key : JSON.stringify(key.length > 80 ? `${key.slice(0, 80)}…` : key);
  return path === '' ? name : `${path}.${name}`;
}

const shownLength = 60;

/** A value as messages quote it: short and on one line. */
export function shown(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string')
    return JSON.stringify(value.length > shownLength ? `${value.slice(0, shownLength)}…` : value);
  if (Array.isArray(value)) return 'a list';
  if (isNumber(value)) return String(toDouble(value));
  return isObject(value) ? 'an object' : String(value);
}
