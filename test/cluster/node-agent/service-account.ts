import {mkdir, rename, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {ApiClient} from '../api-client.js';
import type {Pod} from './types.js';

export interface ServiceAccountOptions {
  readonly api: Pick<ApiClient, 'request'>;
  readonly ca: string;
  readonly pod: Pod;
  readonly dir: string;
  readonly signal: AbortSignal;
}

interface TokenRequest {
  readonly status: {readonly token: string; readonly expirationTimestamp: string};
}

/** Fills `dir` with token, ca.crt and namespace as a Pod sees them, and renews the token until `signal`. */
export async function mountServiceAccount({api, ca, pod, dir, signal}: ServiceAccountOptions): Promise<void> {
  const {name, namespace, uid} = pod.metadata;
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${pod.spec.serviceAccountName ?? 'default'}/token`;
  const spec = {expirationSeconds: 3607, boundObjectRef: {apiVersion: 'v1', kind: 'Pod', name, uid}};
  const renew = async (): Promise<void> => {
    const body = {apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec};
    const response = await api.request<TokenRequest>('POST', path, body);
    if (response.status !== 201) throw new Error(`POST ${path}: ${response.status} ${JSON.stringify(response.body)}`);
    const {token, expirationTimestamp} = response.body.status;
    await writeFile(join(dir, 'token.new'), token, {mode: 0o600});
    await rename(join(dir, 'token.new'), join(dir, 'token'));
    schedule(0.8 * (Date.parse(expirationTimestamp) - Date.now()));
  };
  const schedule = (ms: number): void => {
    const timer = setTimeout(() => renew().catch(() => schedule(5000)), ms);
    timer.unref();
    signal.addEventListener('abort', () => clearTimeout(timer), {once: true});
  };
  await mkdir(dir, {recursive: true});
  await writeFile(join(dir, 'ca.crt'), ca);
  await writeFile(join(dir, 'namespace'), namespace);
  await renew();
}
