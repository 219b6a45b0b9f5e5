import {chartFiles} from './chart/files.js';
import {manifestText} from './manifest.js';
import {bundleFiles} from './olm/bundle.js';

/** Every generated file of the installation: path from the root of the repository → text. */
export function installFiles(): ReadonlyMap<string, string> {
  return new Map([['install/manifest.yaml', manifestText()], ...chartFiles(), ...bundleFiles()]);
}
