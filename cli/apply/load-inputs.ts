import {isObject, type JsonObject} from '../../engine/json/types.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import {parseYamlDocuments} from '../../engine/yaml/index.js';
import {decodeUtf8, readStream, readText} from '../files/documents.js';
import {FileError, messageOf} from '../files/file-error.js';
import {findYamlFiles} from '../files/find-files.js';
import {isGitUrl, withClone} from '../files/git.js';
import {loadPolicyFile, mergeLoads, type PolicyLoad, readPolicies} from '../files/load-policies.js';
import {type LoadedResource, loadResourcePaths, readResources} from '../files/load-resources.js';
import type {ApplyFlags} from './flags.js';

const fetchTimeoutMs = 30_000;
const maxFetchBytes = 32 * 1024 * 1024;

/** Policies of every path. A path that cannot be read costs only itself and is told by `warn`. */
export async function loadPolicies(
  paths: readonly string[],
  options: {
    readonly flags: ApplyFlags;
    readonly resources: ResourceMap;
    readonly warn: (text: string) => void;
    readonly progress: (text: string) => void;
  },
): Promise<PolicyLoad> {
  const {flags, resources, warn, progress} = options;
  const loads: PolicyLoad[] = [];
  for (const path of paths) {
    try {
      const before = loads.length;
      if (path === '-') loads.push(readPolicies(await readStdin(), 'stdin', resources));
      else if (isGitUrl(path)) loads.push(await fromGit(path, {flags, resources, progress, warn}));
      else loads.push(await fromFiles(path, {resources, warn}));
      const {documents, skipped} = mergeLoads(loads.slice(before));
      if (documents.length + skipped.length === 0) warn(`${path}: holds no policy`);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      warn(`${path}: ${messageOf(error)}`);
    }
  }
  return mergeLoads(loads);
}

/** Every YAML file of a repository by itself. */
async function fromGit(
  url: string,
  {
    flags,
    resources,
    progress,
    warn,
  }: {flags: ApplyFlags; resources: ResourceMap; progress: (text: string) => void; warn: (text: string) => void},
): Promise<PolicyLoad> {
  const clone = {branch: flags.gitBranch, username: flags.username, password: flags.password, onProgress: progress};
  return withClone(url, clone, folder => fromFiles(folder, {resources, warn: text => warn(`${url}: ${text}`)}));
}

/** Every YAML file by itself: one that cannot be read, or holds something else, costs none of the others. */
async function fromFiles(
  path: string,
  {resources, warn}: {resources: ResourceMap; warn: (text: string) => void},
): Promise<PolicyLoad> {
  const loads: PolicyLoad[] = [];
  const files = await findYamlFiles(path);
  for (const file of files) {
    try {
      loads.push(await loadPolicyFile(file, resources));
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      if (files.length === 1) throw error;
      warn(messageOf(error));
    }
  }
  if (loads.length === 0 && files.length > 0) throw new FileError('none of its files can be read');
  return mergeLoads(loads);
}

/** Objects of files, folders, addresses or standard input. */
export async function loadResources(
  paths: readonly string[],
  options: {
    readonly resources: ResourceMap;
    readonly onUnreadable: (path: string, why: string) => void;
    readonly warn: (text: string) => void;
  },
): Promise<readonly LoadedResource[]> {
  if (paths[0] === '-') return readResources(await readStdin(), 'stdin', options);
  return loadResourcePaths(paths, {...options, fetchText});
}

/** JSON values of payload files: each has to be an object. */
export async function loadPayloads(paths: readonly string[]): Promise<readonly LoadedResource[]> {
  const payloads: LoadedResource[] = [];
  for (const path of paths) {
    for (const document of parseYamlDocuments(await readText(path))) {
      if (document.error !== undefined)
        throw new FileError(`${path}:${document.error.line}: ${document.error.message}`);
      if (!isObject(document.value)) throw new FileError(`${path}:${document.line}: a payload must be a JSON object`);
      payloads.push({object: document.value, path, line: document.line});
    }
  }
  return payloads;
}

let stdin: Promise<string> | undefined;

/** Standard input, read once. */
export function readStdin(): Promise<string> {
  stdin ??= (async () => {
    if (process.stdin.isTTY) throw new FileError('`-` reads standard input, which is a terminal here');
    return readStream(process.stdin, 'stdin');
  })();
  return stdin;
}

async function fetchText(url: string): Promise<string> {
  try {
    const response = await fetch(url, {signal: AbortSignal.timeout(fetchTimeoutMs)});
    if (response.status !== 200) throw new FileError(`HTTP ${response.status}`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (bytes.length > maxFetchBytes) throw new FileError(`larger than ${maxFetchBytes} bytes`);
    return decodeUtf8(bytes, url);
  } catch (error) {
    throw new FileError(`${url}: ${messageOf(error)}`);
  }
}

export function objectsOf(resources: readonly LoadedResource[]): readonly JsonObject[] {
  return resources.map(({object}) => object);
}
