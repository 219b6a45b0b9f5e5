import {chown, mkdir, rename, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import type {ApiClient} from '../cluster/api-client.js';
import {fieldValue} from '../cluster/node-agent/environment.js';
import type {DataSource, Pod, ProjectedSource, Volume} from '../cluster/node-agent/types.js';

export interface VolumesOptions {
  readonly api: Pick<ApiClient, 'request'>;
  readonly pod: Pod;
  /** Folder for the volumes. */
  readonly dir: string;
  /** Owner of what the Pod may write or read alone. */
  readonly user: number;
  readonly addresses: {readonly podIP: string; readonly hostIP: string};
  /** Ends the renewal of tokens. */
  readonly signal: AbortSignal;
}

/** Folder on this machine by volume name. Throws an Error that names what cannot be had yet. */
export async function prepareVolumes(options: VolumesOptions): Promise<ReadonlyMap<string, string>> {
  const folders = new Map<string, string>();
  for (const volume of options.pod.spec.volumes ?? []) {
    const folder = join(options.dir, 'volumes', volume.name);
    await mkdir(folder, {recursive: true, mode: 0o777});
    await fill(volume, folder, options);
    folders.set(volume.name, folder);
  }
  return folders;
}

async function fill(volume: Volume, folder: string, options: VolumesOptions): Promise<void> {
  if (volume.emptyDir !== undefined) return;
  if (volume.configMap !== undefined) return writeData('configmaps', volume.configMap, folder, options);
  if (volume.secret !== undefined) return writeData('secrets', {...volume.secret, name: volume.secret.secretName}, folder, options);
  if (volume.projected !== undefined) {
    for (const source of volume.projected.sources) await project(source, folder, options);
    return;
  }
  throw new Error(`volume ${volume.name}: only emptyDir, configMap, secret and projected are supported here`);
}

async function project(source: ProjectedSource, folder: string, options: VolumesOptions): Promise<void> {
  if (source.serviceAccountToken) return keepToken(source.serviceAccountToken, folder, options);
  if (source.configMap) return writeData('configmaps', source.configMap, folder, options);
  if (source.secret) return writeData('secrets', source.secret, folder, options);
  for (const {path, fieldRef} of source.downwardAPI?.items ?? []) {
    if (fieldRef === undefined) throw new Error(`projected file ${path}: only fieldRef is supported here`);
    await place(join(folder, path), fieldValue(options.pod, fieldRef.fieldPath, options.addresses));
  }
}

async function writeData(kind: 'configmaps' | 'secrets', {name, optional, items}: DataSource, folder: string, {api, pod}: VolumesOptions): Promise<void> {
  const path = `/api/v1/namespaces/${pod.metadata.namespace}/${kind}/${name}`;
  const {status, body} = await api.request<{readonly data?: Readonly<Record<string, string>>}>('GET', path);
  if (status === 404 && optional === true) return;
  if (status !== 200) throw new Error(`GET ${path}: ${status}`);
  const data = body.data ?? {};
  const wanted = items ?? Object.keys(data).map(key => ({key, path: key}));
  for (const item of wanted) {
    const text = Object.hasOwn(data, item.key) ? data[item.key] : undefined;
    if (text === undefined) throw new Error(`${path} has no key ${item.key}`);
    await place(join(folder, item.path), kind === 'secrets' ? Buffer.from(text, 'base64') : text);
  }
}

interface TokenRequest {
  readonly status: {readonly token: string; readonly expirationTimestamp: string};
}

/** Writes an expiring token that is bound to the Pod, and a new one after four fifths of its time. */
async function keepToken(source: NonNullable<ProjectedSource['serviceAccountToken']>, folder: string, {api, pod, user, signal}: VolumesOptions): Promise<void> {
  const {name, namespace, uid} = pod.metadata;
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${pod.spec.serviceAccountName ?? 'default'}/token`;
  const audiences = source.audience === undefined ? {} : {audiences: [source.audience]};
  const spec = {expirationSeconds: source.expirationSeconds ?? 3600, boundObjectRef: {apiVersion: 'v1', kind: 'Pod', name, uid}, ...audiences};
  const renew = async (): Promise<void> => {
    const {status, body} = await api.request<TokenRequest>('POST', path, {apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec});
    if (status !== 201) throw new Error(`POST ${path}: ${status} ${JSON.stringify(body)}`);
    await place(join(folder, source.path), body.status.token, user);
    schedule(0.8 * (Date.parse(body.status.expirationTimestamp) - Date.now()));
  };
  const schedule = (milliseconds: number): void => {
    const timer = setTimeout(() => renew().catch(() => schedule(5_000)), milliseconds);
    timer.unref();
    signal.addEventListener('abort', () => clearTimeout(timer), {once: true});
  };
  await renew();
}

/** Whole or not at all. With an owner, nobody else reads it. */
async function place(file: string, content: string | Uint8Array, owner?: number): Promise<void> {
  await mkdir(dirname(file), {recursive: true});
  await writeFile(`${file}.new`, content, {mode: owner === undefined ? 0o644 : 0o600});
  if (owner !== undefined) await chown(`${file}.new`, owner, 0);
  await rename(`${file}.new`, file);
}
