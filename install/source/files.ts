import {manifestText} from './manifest.js';

/** Every generated file of the installation: path from the root of the repository → text. */
export function installFiles(): ReadonlyMap<string, string> {
  return new Map([['install/manifest.yaml', manifestText()]]);
}
