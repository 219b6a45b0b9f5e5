import {readFileSync} from 'node:fs';
import {join} from 'node:path';

/** A Kubernetes minor that can be built here, with the module files that pin it. */
export interface Minor {
  /** Such as `1.37`. */
  readonly minor: string;
  /** Kubernetes version without the leading `v`, such as `1.37.2`. */
  readonly version: string;
  /** Module file, absolute; its checksums lie beside it with the ending `.sum`. */
  readonly modfile: string;
  /** The `go` line: the oldest toolchain that may build it. */
  readonly go: string;
}

const modfiles: Readonly<Record<string, string>> = {'1.37': 'go.mod', '1.33': 'go-1.33.mod', '1.30': 'go-1.30.mod'};

/** The minor used when nothing is set. */
export const defaultMinor = '1.37';

/**
 * The pinned minor of that name; without a name `KUBERNETES_MINOR`, else the newest.
 * Throws an Error that lists the known ones.
 */
export function resolveMinor(name: string = process.env['KUBERNETES_MINOR'] || defaultMinor): Minor {
  const file = Object.hasOwn(modfiles, name) ? modfiles[name] : undefined;
  if (file === undefined) {
    throw new Error(`Kubernetes ${name} is not pinned in test/cluster; known: ${Object.keys(modfiles).join(', ')}`);
  }
  const modfile = join(import.meta.dirname, file);
  const text = readFileSync(modfile, 'utf8');
  const version = /^\s*k8s\.io\/kubernetes v(\S+)/m.exec(text)?.[1];
  const go = /^go (\S+)/m.exec(text)?.[1];
  if (version === undefined || go === undefined)
    throw new Error(`${modfile} pins no k8s.io/kubernetes or no go version`);
  return {minor: name, version, modfile, go};
}
