import {cp, mkdir} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import type {ClusterSuite} from './suites.js';

const scripts = join(import.meta.dirname, 'scripts');

/** Scripts that lie beside suites upstream and not in the folder of suites. */
const evictionScripts = {'api-initiated-eviction.sh': 'api-initiated-eviction.sh'};
const labelScripts = {
  'label-pod.sh': 'label-pod.sh',
  'bad-pod-update-test.sh': 'bad-pod-update-test.sh',
  'good-pod-update-test.sh': 'good-pod-update-test.sh',
  'update-bad-pod-to-comply.sh': 'update-bad-pod-to-comply.sh',
};
const nodeScripts = {
  'modify-resource-filters.sh': 'modify-resource-filters.sh',
  'clear-modified-node-status.sh': 'clear-modified-node-status.sh',
};

/** By the end of a suite's folder: name beside the suite and script here. */
const scriptsBeside: readonly (readonly [end: string, files: Readonly<Record<string, string>>])[] = [
  ['/api-initiated-pod-eviction', evictionScripts],
  ['/enforce-validate-existing', labelScripts],
  ['/enforce-validate-existing-deprecated', labelScripts],
  ['/enforce-validate-existing-deny', labelScripts],
  // Its policy says allowExistingViolations: false.
  [
    '/enforce-validate-existing-allow-existing-violations',
    {...labelScripts, 'bad-pod-update-test.sh': 'bad-pod-update-denied.sh'},
  ],
  ['/mutate-existing-node-status', nodeScripts],
];

/** A copy of the suites that may be written to, with the scripts that they call. */
export async function copySuites(root: string, kinds: readonly string[], target: string): Promise<void> {
  await mkdir(target, {recursive: true});
  for (const kind of kinds) await cp(join(root, kind), join(target, kind), {recursive: true});
}

/** Puts the scripts of a suite beside it. */
export async function addScripts({folder}: ClusterSuite, workspace: string): Promise<void> {
  for (const [end, files] of scriptsBeside) {
    if (!folder.endsWith(end)) continue;
    for (const [name, source] of Object.entries(files)) {
      const file = join(workspace, folder, name);
      await mkdir(dirname(file), {recursive: true});
      await cp(join(scripts, source), file);
    }
  }
}
