import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {parse} from 'yaml';
import {readManifests} from '../../adapters/files/manifests.js';
import type {Json, JsonObject} from '../../engine/json/types.js';

/** One row of the guide's expectations; fields as its README explains them. */
export interface GuideRow {
  readonly id: string;
  readonly policy: string | null;
  readonly policyName?: string;
  readonly rule: string | null;
  readonly resource: string;
  readonly oldResource?: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'BACKGROUND' | 'CLEANUP';
  readonly userInfo?: Json;
  readonly expected: 'pass' | 'fail' | 'skip' | 'mutated' | 'generated' | 'deleted' | 'denied';
  readonly admission?: 'allowed' | 'denied';
  readonly message?: string | readonly string[];
  readonly outcome?: string;
  readonly context?: JsonObject;
}

/** Folder of the user's guide as data, beside the repository or named by $CONFORMANCE_DIR; `undefined` when absent. */
export function guideRoot(): string | undefined {
  const conformance = process.env['CONFORMANCE_DIR'];
  const candidates = [
    ...(conformance === undefined ? [] : [join(conformance, '..', 'guide')]),
    resolve(import.meta.dirname, '..', '..', '..', 'shared', 'guide'),
  ];
  return candidates.find(path => existsSync(join(path, 'expectations.yaml')));
}

export function guideRows(root: string): GuideRow[] {
  return parse(readFileSync(join(root, 'expectations.yaml'), 'utf8')) as GuideRow[];
}

/** Objects of one of the guide's files, as the file loader reads them. */
export function guideObjects(root: string, path: string): JsonObject[] {
  const {manifests, errors} = readManifests([{path, text: readFileSync(join(root, path), 'utf8')}]);
  if (errors.length > 0) throw new Error(`${path}: ${errors.join('; ')}`);
  return manifests.map(manifest => manifest.object);
}

export function guideObject(root: string, path: string): JsonObject {
  const [object, ...more] = guideObjects(root, path);
  if (object === undefined || more.length > 0) throw new Error(`${path}: one object is wanted`);
  return object;
}

/** Every policy file of the guide: complete ones verbatim, fragments completed. */
export function guidePolicyFiles(root: string): string[] {
  return ['policies', 'cases'].flatMap(folder =>
    readdirSync(join(root, folder))
      .filter(name => name.endsWith('.yaml'))
      .sort()
      .map(name => `${folder}/${name}`),
  );
}

export function messagesOf(row: GuideRow): readonly string[] {
  if (row.message === undefined) return [];
  return typeof row.message === 'string' ? [row.message] : row.message;
}
