import {writeFile} from 'node:fs/promises';
import {ioMessage, readText} from '../files/documents.js';
import {FileError} from '../files/file-error.js';
import type {Figures} from './measure.js';

/** A policy as a whole (`rule` empty) or one of its rules alone. */
export interface BenchEntry extends Figures {
  readonly policy: string;
  readonly rule: string;
}

export interface Baseline {
  readonly version: 1;
  readonly entries: readonly BenchEntry[];
}

export async function saveBaseline(path: string, entries: readonly BenchEntry[]): Promise<void> {
  const baseline: Baseline = {version: 1, entries};
  try {
    await writeFile(path, `${JSON.stringify(baseline, null, 2)}\n`);
  } catch (error) {
    throw new FileError(ioMessage('write', path, error));
  }
}

export async function loadBaseline(path: string): Promise<Baseline> {
  const text = await readText(path);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new FileError(`${path}: not JSON`);
  }
  if (!isBaseline(value)) throw new FileError(`${path}: not a baseline that \`kyverno bench --save\` wrote`);
  return value;
}

function isBaseline(value: unknown): value is Baseline {
  if (typeof value !== 'object' || value === null) return false;
  const {version, entries} = value as {version?: unknown; entries?: unknown};
  return version === 1 && Array.isArray(entries) && entries.every(isEntry);
}

function isEntry(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const {policy, rule, ratio} = value as Partial<Record<keyof BenchEntry, unknown>>;
  return typeof policy === 'string' && typeof rule === 'string' && typeof ratio === 'number' && ratio > 0;
}
