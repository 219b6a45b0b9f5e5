import {imageTool} from '../scripts/image/tool.js';
import {findPrograms} from './cluster/programs.js';
import {defaultMinor} from './cluster/minors.js';
import {chainsaw, kwok, scheduler} from './conformance/cluster/programs.js';
import {helm} from './helm/programs.js';
import {cosign, imagesTool} from './images/programs.js';
import {operatorVerify} from './olm/programs.js';

/**
 * Builds what `npm test` needs besides Node, in the order in which its stages ask, while earlier stages run: a stage that comes first
 * waits for its program, and builds it itself should this have failed.
 */
const builds: readonly (() => Promise<unknown>)[] = [
  findPrograms,
  helm,
  operatorVerify,
  imageTool,
  imagesTool,
  cosign,
  chainsaw,
  kwok,
  () => scheduler(defaultMinor),
];

for (const build of builds) {
  const started = Date.now();
  try {
    await build();
    process.stdout.write(`${build.name || 'scheduler'}: ${Math.round((Date.now() - started) / 1000)} s\n`);
  } catch (error) {
    process.stdout.write(`${build.name || 'scheduler'}: ${error}\n`);
  }
}
