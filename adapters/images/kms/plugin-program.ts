import {accessSync, constants, statSync} from 'node:fs';
import {isAbsolute, join} from 'node:path';
import {keyServiceOf} from '../../../engine/image/key-services.js';

/** Programs that answer for keys, by the names that Sigstore gives them: `sigstore-kms-<scheme>` in one folder, and no others. */
export interface PluginPrograms {
  /** Absolute path, whether something is there or not. Throws for a text that is no scheme. */
  pathOf(scheme: string): string;
  /** Why keys of that scheme cannot be had; `undefined` when a program is there. */
  lackOf(scheme: string): string | undefined;
}

/** `flag` names the setting of the folder in messages. An empty text is no folder: nothing is ever run then. */
export function createPluginPrograms(directory: string, flag: string): PluginPrograms {
  if (directory !== '' && !isAbsolute(directory)) throw new Error(`${flag}: ${JSON.stringify(directory)} is no absolute folder`);

  function pathOf(scheme: string): string {
    // The scheme is a policy's text: nothing of it may leave the folder.
    if (keyServiceOf(`${scheme}://x`) !== scheme) throw new Error(`${JSON.stringify(scheme)} is no scheme of a key service`);
    if (directory === '') throw new Error(`${flag} is not set`);
    return join(directory, `sigstore-kms-${scheme}`);
  }

  return {
    pathOf,
    lackOf(scheme) {
      if (directory === '') return `${flag} names no folder with a program sigstore-kms-${scheme}`;
      const path = pathOf(scheme);
      try {
        if (!statSync(path).isFile()) return `${path} is no file`;
        accessSync(path, constants.X_OK);
        return undefined;
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
        return code === 'ENOENT' ? `program ${path} does not exist` : `program ${path} cannot be run: ${code}`;
      }
    },
  };
}
