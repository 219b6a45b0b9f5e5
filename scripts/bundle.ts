// `npm run bundle -- --image <image> [--bundle-image <image>] [--out <folder>]`: bundle and catalog for an image of yours.
import {mkdirSync, writeFileSync} from 'node:fs';
import {dirname, resolve} from 'node:path';
import {parseArgs} from 'node:util';
import {bundleFiles} from '../install/source/olm/bundle.js';
import {defaultSettings} from '../install/source/settings.js';

const {values} = parseArgs({
  options: {image: {type: 'string'}, 'bundle-image': {type: 'string'}, out: {type: 'string', default: 'build/olm'}},
});
if (values.image === undefined) {
  console.error('--image: the operator\'s image is wanted, by digest where mirrors have to follow it');
  process.exit(1);
}
const bundleImage = values['bundle-image'];
const files = bundleFiles({folder: values.out, settings: {...defaultSettings, image: values.image}, ...(bundleImage !== undefined && {bundleImage})});
for (const [name, text] of files) {
  const path = resolve(name);
  mkdirSync(dirname(path), {recursive: true});
  writeFileSync(path, text);
}
console.log(`${files.size} files in ${values.out}`);
