import {stringify} from 'yaml';
import {catalogue} from './catalogue.js';
import {toManifest} from './definition.js';
import {typeFiles} from './typescript.js';

const banner = '# Generated from scripts/crd by `npm run generate`; edit there.\n';

/** Every generated file: path from the root of the repository → text. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const definition of catalogue) {
    const yaml = stringify(toManifest(definition), {aliasDuplicateObjects: false, lineWidth: 0});
    files.set(`crds/${definition.group}_${definition.plural}.yaml`, banner + yaml);
  }
  for (const [path, text] of typeFiles(catalogue)) files.set(path, text);
  return files;
}
