// `node --import tsx scripts/image/bundle.ts <folder>`: the files of the program, for the Dockerfile.
import {bundleProgram} from './layers.js';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('the folder to write to is wanted');
await bundleProgram(folder);
