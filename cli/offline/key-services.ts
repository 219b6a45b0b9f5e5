import {createKeyServices, type KeyServices} from '../../adapters/images/kms/key-services.js';
import {systemClock} from '../../adapters/clock.js';
import {FileError, messageOf} from '../files/file-error.js';

/** Flags of commands that ask registries; they are called as the operator's are. */
export interface KeyServiceFlags {
  readonly kmsPluginsDirectory?: string;
  readonly kmsPluginEnvironment?: string;
}

/** Key services as the command's user names them. Throws `FileError` for a folder or a name that cannot be one. */
export function keyServicesOf({kmsPluginsDirectory = '', kmsPluginEnvironment = ''}: KeyServiceFlags, warn: (text: string) => void): KeyServices {
  const variables = kmsPluginEnvironment
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '');
  try {
    const onFailure = (program: string, told: string) => warn(`program ${program} reports a failure: ${told}`);
    return createKeyServices({clock: systemClock, directory: kmsPluginsDirectory, variables, environment: process.env, onFailure});
  } catch (error) {
    throw new FileError(messageOf(error));
  }
}
