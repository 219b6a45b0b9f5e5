// `npm run image -- [--push <reference>] [--arch amd64,arm64] [--out <folder>]`: the operator's image.
import {parseArgs} from 'node:util';
import {makeImage} from './make-image.js';
import {architectures} from './pins.js';

const {values} = parseArgs({options: {push: {type: 'string'}, arch: {type: 'string', default: 'amd64,arm64'}, out: {type: 'string', default: 'build/image'}}});
const asked = values.arch.split(',');
const unknown = asked.filter(name => !architectures.some(architecture => architecture.name === name));
if (unknown.length > 0) {
  console.error(`--arch: ${unknown.join(', ')} is none of ${architectures.map(({name}) => name).join(', ')}`);
  process.exit(1);
}
const digest = await makeImage({names: architectures.map(({name}) => name).filter(name => asked.includes(name)), out: values.out, push: values.push});
console.log(values.push === undefined ? `${digest} in ${values.out}/oci` : `${values.push.replace(/(:[^/]*)?$/, '')}@${digest}`);
