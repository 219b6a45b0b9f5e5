// `node --import tsx scripts/image/bundle.ts <file>`: the whole program in one file, for the Dockerfile.
import {bundleProgram} from './layers.js';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('the file to write is wanted');
await bundleProgram(file);
