import {createHash} from 'node:crypto';

/** Where something is pushed: plain HTTP, with credentials when the registry asks for them. */
export interface PushTarget {
  /** Host and port. */
  readonly host: string;
  readonly repository: string;
  /** Value of `authorization`, if any. */
  readonly authorization?: string | undefined;
}

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

export const mediaTypes = {
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  index: 'application/vnd.oci.image.index.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
  empty: 'application/vnd.oci.empty.v1+json',
} as const;

export function sha256(content: Buffer | string): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

async function send(target: PushTarget, path: string, init: RequestInit): Promise<Response> {
  const url = path.startsWith('http') ? path : `http://${target.host}${path}`;
  const headers = {...(init.headers as Record<string, string>), ...(target.authorization && {authorization: target.authorization})};
  const response = await fetch(url, {...init, headers});
  if (!response.ok) throw new Error(`${init.method} ${url}: ${response.status} ${await response.text()}`);
  return response;
}

export async function pushBlob(target: PushTarget, content: Buffer | string, mediaType: string): Promise<Descriptor> {
  const bytes = Buffer.from(content);
  const digest = sha256(bytes);
  const begun = await send(target, `/v2/${target.repository}/blobs/uploads/`, {method: 'POST'});
  const location = new URL(begun.headers.get('location') ?? '', `http://${target.host}`);
  location.searchParams.set('digest', digest);
  await send(target, location.href, {method: 'PUT', body: new Uint8Array(bytes), headers: {'content-type': 'application/octet-stream'}});
  return {mediaType, digest, size: bytes.length};
}

/** Under `reference`, or under its digest. */
export async function pushManifest(target: PushTarget, manifest: object, reference?: string): Promise<Descriptor> {
  const bytes = JSON.stringify(manifest);
  const digest = sha256(bytes);
  const {mediaType = mediaTypes.manifest} = manifest as {mediaType?: string};
  const path = `/v2/${target.repository}/manifests/${reference ?? digest}`;
  await send(target, path, {method: 'PUT', body: bytes, headers: {'content-type': mediaType}});
  return {mediaType, digest, size: bytes.length};
}

export interface ImageOptions {
  readonly tag: string;
  /** What makes it another image than others. */
  readonly content?: string;
  readonly config?: object;
}

/** A small image with one layer. */
export async function pushImage(target: PushTarget, {tag, content = tag, config = {}}: ImageOptions): Promise<Descriptor> {
  const layer = await pushBlob(target, `layer ${content}`, mediaTypes.layer);
  const settings = {architecture: 'amd64', os: 'linux', config: {User: '1000', ...config}, rootfs: {type: 'layers', diff_ids: [layer.digest]}};
  const configuration = await pushBlob(target, JSON.stringify(settings), mediaTypes.config);
  return pushManifest(target, {schemaVersion: 2, mediaType: mediaTypes.manifest, config: configuration, layers: [layer]}, tag);
}

export interface Layer {
  readonly content: Buffer | string;
  readonly mediaType: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface ReferrerOptions {
  readonly subject: Descriptor;
  readonly artifactType: string;
  readonly layers: readonly Layer[];
  readonly annotations?: Readonly<Record<string, string>>;
  /** False: the registry has no referrers API, so that the tag `sha256-…` lists it. */
  readonly referrersApi: boolean;
}

/** An artifact that refers to `subject`. */
export async function pushReferrer(target: PushTarget, {subject, artifactType, layers, annotations, referrersApi}: ReferrerOptions): Promise<Descriptor> {
  const manifest = {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    artifactType,
    config: await pushBlob(target, '{}', mediaTypes.empty),
    layers: await pushLayers(target, layers),
    subject,
    ...(annotations && {annotations}),
  };
  const pushed = await pushManifest(target, manifest);
  if (!referrersApi) await addToIndex(target, subject, {...pushed, artifactType, ...(annotations && {annotations})});
  return pushed;
}

async function pushLayers(target: PushTarget, layers: readonly Layer[]): Promise<object[]> {
  const pushed: object[] = [];
  for (const {content, mediaType, annotations} of layers) {
    pushed.push({...(await pushBlob(target, content, mediaType)), ...(annotations && {annotations})});
  }
  return pushed;
}

async function addToIndex(target: PushTarget, subject: Descriptor, entry: object): Promise<void> {
  const tag = subject.digest.replace(':', '-');
  const headers = {accept: mediaTypes.index, ...(target.authorization && {authorization: target.authorization})};
  const found = await fetch(`http://${target.host}/v2/${target.repository}/manifests/${tag}`, {headers});
  const {manifests} = found.ok ? ((await found.json()) as {manifests: object[]}) : {manifests: []};
  await pushManifest(target, {schemaVersion: 2, mediaType: mediaTypes.index, manifests: [...manifests, entry]}, tag);
}

/** The artifact of cosign's older format: signatures (`.sig`) or attestations (`.att`) under a tag. */
export async function pushUnderTag(target: PushTarget, tag: string, layers: readonly Layer[]): Promise<Descriptor> {
  const config = await pushBlob(target, JSON.stringify({architecture: '', os: '', config: {}, rootfs: {type: 'layers', diff_ids: []}}), mediaTypes.config);
  return pushManifest(target, {schemaVersion: 2, mediaType: mediaTypes.manifest, config, layers: await pushLayers(target, layers)}, tag);
}

export function tagOf(digest: string, suffix: 'sig' | 'att'): string {
  return `${digest.replace(':', '-')}.${suffix}`;
}
