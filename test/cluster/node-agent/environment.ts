import type {ApiClient} from '../api-client.js';
import type {Container, EnvFrom, EnvVar, KeyRef, Pod} from './types.js';

export interface EnvironmentOptions {
  readonly api: Pick<ApiClient, 'request'>;
  readonly pod: Pod;
  readonly container: Container;
  /** What every container of the Pod gets; the container's own variables win. */
  readonly base: Readonly<Record<string, string>>;
  readonly addresses: Addresses;
}

export interface Addresses {
  readonly podIP: string;
  readonly hostIP: string;
}

/** The environment of a container; throws an Error that names what cannot be resolved. */
export async function resolveEnvironment(options: EnvironmentOptions): Promise<Record<string, string>> {
  const {container, base} = options;
  const env: Record<string, string> = {...base};
  for (const source of container.envFrom ?? []) Object.assign(env, await allKeys(source, options));
  for (const variable of container.env ?? []) {
    const value = await resolveVariable(variable, env, options);
    if (value !== undefined) env[variable.name] = value;
  }
  return env;
}

async function allKeys({prefix = '', configMapRef, secretRef}: EnvFrom, {api, pod}: EnvironmentOptions): Promise<Record<string, string>> {
  const from = configMapRef ?? secretRef;
  if (from === undefined) return {};
  const path = `/api/v1/namespaces/${pod.metadata.namespace}/${secretRef === undefined ? 'configmaps' : 'secrets'}/${from.name}`;
  const {status, body} = await api.request<{readonly data?: Record<string, string>}>('GET', path);
  if (status !== 200 && from.optional !== true) throw new Error(`GET ${path}: ${status}`);
  const decode = (text: string) => (secretRef === undefined ? text : Buffer.from(text, 'base64').toString('utf8'));
  return Object.fromEntries(Object.entries(body.data ?? {}).map(([key, text]) => [`${prefix}${key}`, decode(text)]));
}

async function resolveVariable(
  {name, value, valueFrom}: EnvVar,
  env: Readonly<Record<string, string>>,
  {api, pod, addresses}: EnvironmentOptions,
): Promise<string | undefined> {
  if (valueFrom === undefined) return expand(value ?? '', env);
  if (valueFrom.fieldRef) return fieldValue(pod, valueFrom.fieldRef.fieldPath, addresses);
  const namespace = `/api/v1/namespaces/${pod.metadata.namespace}`;
  if (valueFrom.configMapKeyRef) return keyValue(api, `${namespace}/configmaps`, valueFrom.configMapKeyRef);
  if (valueFrom.secretKeyRef) {
    const encoded = await keyValue(api, `${namespace}/secrets`, valueFrom.secretKeyRef);
    return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
  }
  throw new Error(`env ${name}: only fieldRef, configMapKeyRef and secretKeyRef are supported by the node agent`);
}

/** `$(NAME)` becomes the variable's value, `$$(NAME)` stays as `$(NAME)`, unknown names stay as they are. */
export function expand(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(/(\$?)\$\(([^)]*)\)/g, (whole, escaped: string, name: string) => {
    if (escaped !== '') return `$(${name})`;
    return (Object.hasOwn(env, name) ? env[name] : undefined) ?? whole;
  });
}

/** What a `fieldRef` refers to; throws an Error for paths that are not known here. */
export function fieldValue(pod: Pod, path: string, {podIP, hostIP}: Addresses): string {
  const {metadata, spec} = pod;
  const fields: Readonly<Record<string, string | undefined>> = {
    'metadata.name': metadata.name,
    'metadata.namespace': metadata.namespace,
    'metadata.uid': metadata.uid,
    'spec.nodeName': spec.nodeName,
    'spec.serviceAccountName': spec.serviceAccountName ?? 'default',
    'status.podIP': podIP,
    'status.podIPs': podIP,
    'status.hostIP': hostIP,
  };
  const keyed = /^metadata\.(labels|annotations)\['([^']+)'\]$/.exec(path);
  if (keyed !== null) {
    const map = metadata[keyed[1] as 'labels' | 'annotations'] ?? {};
    const key = keyed[2] ?? '';
    return (Object.hasOwn(map, key) ? map[key] : undefined) ?? '';
  }
  const value = Object.hasOwn(fields, path) ? fields[path] : undefined;
  if (value === undefined) throw new Error(`fieldRef ${path} is not supported by the node agent`);
  return value;
}

async function keyValue(
  api: Pick<ApiClient, 'request'>,
  collection: string,
  {name, key, optional}: KeyRef,
): Promise<string | undefined> {
  const {status, body} = await api.request<{readonly data?: Record<string, string>}>('GET', `${collection}/${name}`);
  const data = status === 200 ? (body.data ?? {}) : {};
  if (Object.hasOwn(data, key)) return data[key];
  if (optional === true) return undefined;
  throw new Error(`${collection}/${name} has no key ${key} (${status})`);
}
