import {isObject, type JsonObject} from '../../engine/json/types.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import {parseYamlDocuments} from '../../engine/yaml/index.js';
import {decodeUtf8, readText} from '../files/documents.js';
import {FileError, messageOf} from '../files/file-error.js';
import {findYamlFiles} from '../files/find-files.js';
import {isGitUrl, withClone} from '../files/git.js';
import {loadPolicyPath, mergeLoads, type PolicyLoad, readPolicies} from '../files/load-policies.js';
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
      if (path === '-') loads.push(readPolicies(await readStdin(), 'stdin', resources));
      else if (isGitUrl(path)) loads.push(await fromGit(path, {flags, resources, progress, warn}));
      else loads.push(await loadPolicyPath(path, resources));
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      warn(`${path}: ${messageOf(error)}`);
    }
  }
  return mergeLoads(loads);
}

/** Every YAML file of the repository (or folder) by itself: one that holds something else is left out. */
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
  return withClone(url, clone, async folder => {
    const loads: PolicyLoad[] = [];
    for (const file of await findYamlFiles(folder)) {
      try {
        loads.push(readPolicies(await readText(file), file, resources));
      } catch (error) {
        if (!(error instanceof FileError)) throw error;
        warn(`${url}: ${messageOf(error)}`);
      }
    }
    return mergeLoads(loads);
  });
}

/** Objects of files, folders, addresses or standard input. */
export async function loadResources(
  paths: readonly string[],
  options: {readonly resources: ResourceMap; readonly onUnreadable: (path: string, why: string) => void},
): Promise<readonly LoadedResource[]> {
  if (paths[0] === '-') return readResources(await readStdin(), 'stdin', options.resources);
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
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Buffer));
    return decodeUtf8(Buffer.concat(chunks), 'stdin');
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
