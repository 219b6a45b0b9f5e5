import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {attachBundle, attachNotation, attachUnderTag, bundleType, signStatement, simpleSigning} from './attach.js';
import {type Cosign, type CosignFormat, type CosignKey, createCosign} from './cosign.js';
import {type KeylessAnswer, keylessSign, type KeylessSignature} from './keyless.js';
import {type NotationAnswer, notationSign, type NotationSignature} from './notation.js';
import {type Descriptor, mediaTypes, pushBlob, pushImage, pushManifest, type PushTarget, tagOf} from './push.js';
import {type Registries, startRegistries} from './registries.js';

/** Registries with images of every kind: each is signed as its name says. */
export interface ImagesWorld {
  /** Host and port, plain HTTP: one with the referrers API, one without. */
  readonly hosts: Readonly<Record<'referrers' | 'tags', string>>;
  readonly keys: Readonly<Record<'right' | 'wrong', CosignKey>>;
  readonly keyless: KeylessAnswer;
  readonly notation: NotationAnswer;
  readonly cosign: Cosign;
  /** Descriptors by repository; every image has tag `v1`. */
  readonly images: ReadonlyMap<string, Descriptor>;
  stop(): Promise<void>;
}

export const identity = {subject: 'https://github.com/org/app/.github/workflows/release.yml@refs/heads/main', issuer: 'https://token.example.test'} as const;
export const otherIdentity = {subject: 'someone@example.test', issuer: 'https://token.example.test'} as const;
export const scanType = 'https://example.test/scan/v1';
export const formats: readonly CosignFormat[] = ['tag', 'bundle'];
export const envelopes = {jws: 'application/jose+json', cose: 'application/cose'} as const;

/** Which registry holds images of a format: bundles are listed by the referrers API, the older format needs tags alone. */
export function hostOf({hosts}: Pick<ImagesWorld, 'hosts'>, format: CosignFormat): string {
  return format === 'bundle' ? hosts.referrers : hosts.tags;
}

export async function createImagesWorld(): Promise<ImagesWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'images-'));
  const registries: Registries<'referrers' | 'tags'> = await startRegistries([
    {name: 'referrers', kind: 'referrers'},
    {name: 'tags', kind: 'distribution'},
  ]);
  const {hosts} = registries;
  const images = new Map<string, Descriptor>();
  const push = async (host: string, repository: string): Promise<Descriptor> => {
    const pushed = await pushImage({host, repository}, {tag: 'v1', content: repository});
    images.set(repository, pushed);
    return pushed;
  };
  const cosign = await createCosign(folder);
  const keys = {right: await cosign.newKey('right'), wrong: await cosign.newKey('wrong')};
  for (const format of formats) await signWithKeys({host: hostOf({hosts}, format), format, keys, cosign, push});
  const keyless = await signByIdentity(hosts, push);
  const notation = await signByNotation({host: hosts.referrers, folder, push});
  return {
    hosts,
    keys,
    keyless,
    notation,
    cosign,
    images,
    async stop() {
      await registries.stop();
      await rm(folder, {recursive: true, force: true});
    },
  };
}

type Push = (host: string, repository: string) => Promise<Descriptor>;

interface KeyOptions {
  readonly host: string;
  readonly format: CosignFormat;
  readonly keys: ImagesWorld['keys'];
  readonly cosign: Cosign;
  readonly push: Push;
}

async function signWithKeys({host, format, keys, cosign, push}: KeyOptions): Promise<void> {
  const place = async (name: string) => {
    const repository = `${format}/${name}`;
    const image = await push(host, repository);
    return {image, target: {host, repository}, reference: `${host}/${repository}@${image.digest}`};
  };
  const signed = await place('signed');
  await cosign.sign({format, image: signed.reference, key: keys.right, annotations: {env: 'prod'}});
  const wrong = await place('wrong');
  await cosign.sign({format, image: wrong.reference, key: keys.wrong});
  await place('unsigned');
  const tampered = await place('tampered');
  await copySignature({format, from: signed, to: tampered});
  const attested = await place('attested');
  await cosign.sign({format, image: attested.reference, key: keys.right});
  await cosign.attest({format, image: attested.reference, key: keys.right, type: scanType, predicate: {severity: 'low'}});
  const failing = await place('failing');
  await cosign.sign({format, image: failing.reference, key: keys.right});
  await cosign.attest({format, image: failing.reference, key: keys.right, type: scanType, predicate: {severity: 'high'}});
  const forged = await place('forged');
  await cosign.sign({format, image: forged.reference, key: keys.right});
  await cosign.attest({format, image: forged.reference, key: keys.wrong, type: scanType, predicate: {severity: 'low'}});
}

export interface Place {
  readonly image: Descriptor;
  readonly target: PushTarget;
}

/** The signature of one image hung onto another. */
export async function copySignature({format, from, to}: {readonly format: CosignFormat; readonly from: Place; readonly to: Place}): Promise<void> {
  const get = async (path: string, accept: string = mediaTypes.manifest) => {
    const response = await fetch(`http://${from.target.host}/v2/${from.target.repository}/${path}`, {headers: {accept}});
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return Buffer.from(await response.arrayBuffer());
  };
  const json = async <T>(path: string) => JSON.parse((await get(path)).toString()) as T;
  interface Manifest {
    readonly layers: readonly (Descriptor & {readonly annotations?: Record<string, string>})[];
    readonly config: Descriptor;
  }
  if (format === 'tag') {
    const manifest = await json<Manifest>(`manifests/${tagOf(from.image.digest, 'sig')}`);
    for (const blob of [manifest.config, ...manifest.layers]) await pushBlob(to.target, await get(`blobs/${blob.digest}`), blob.mediaType);
    await pushManifest(to.target, manifest, tagOf(to.image.digest, 'sig'));
    return;
  }
  const {manifests} = await json<{manifests: readonly Descriptor[]}>(`referrers/${from.image.digest}`);
  for (const {digest} of manifests) {
    const {layers} = await json<Manifest>(`manifests/${digest}`);
    const bundle = layers.find(({mediaType}) => mediaType === bundleType);
    if (bundle) await attachBundle(to.target, to.image, {bundle: JSON.parse((await get(`blobs/${bundle.digest}`)).toString()) as object});
  }
}

async function signByIdentity(hosts: ImagesWorld['hosts'], push: Push): Promise<KeylessAnswer> {
  const cases: readonly (readonly [name: string, more: Pick<KeylessSignature, 'subject' | 'issuer'> & Partial<KeylessSignature>])[] = [
    ['identity', identity],
    ['other-identity', otherIdentity],
    ['expired', {...identity, start: -3600}],
    ['no-log', {...identity, noLog: true}],
    ['no-sct', {...identity, noSCT: true}],
    ['timestamped', {...identity, noLog: true, timestamp: true}],
  ];
  const places: {readonly format: CosignFormat; readonly target: PushTarget; readonly image: Descriptor; readonly signature: KeylessSignature}[] = [];
  for (const format of formats) {
    for (const [name, more] of cases) {
      const target = {host: hostOf({hosts}, format), repository: `${format}/${name}`};
      const image = await push(target.host, target.repository);
      const payload = format === 'bundle' ? signStatement(image.digest) : simpleSigning(target.repository, image.digest);
      places.push({format, target, image, signature: {...more, name: target.repository, payload, dsse: format === 'bundle'}});
    }
  }
  const answer = await keylessSign(places.map(({signature}) => signature));
  for (const {format, target, image, signature} of places) {
    const signed = answer.signatures[signature.name]!;
    if (format === 'bundle') await attachBundle(target, image, {bundle: signed.bundle});
    else await attachUnderTag(target, image.digest, {payload: signature.payload, signed});
  }
  return answer;
}

async function signByNotation({host, folder, push}: {readonly host: string; readonly folder: string; readonly push: Push}): Promise<NotationAnswer> {
  const places: {readonly target: PushTarget; readonly image: Descriptor; readonly signature: NotationSignature}[] = [];
  for (const [kind, mediaType] of Object.entries(envelopes)) {
    const cases: Readonly<Record<string, Partial<NotationSignature>>> = {
      signed: {},
      wrong: {authority: 'other'},
      expired: {signedAt: '2024-01-01T00:00:00Z', expiresAt: '2025-01-01T00:00:00Z'},
      tampered: {target: {mediaType: mediaTypes.manifest, digest: `sha256:${'0'.repeat(64)}`, size: 1}},
      timestamped: {timestamp: 'tsa'},
    };
    for (const [name, more] of Object.entries(cases)) {
      const target = {host, repository: `${kind}/${name}`};
      const image = await push(host, target.repository);
      places.push({target, image, signature: {name: target.repository, authority: 'trusted', mediaType, target: image, ...more}});
    }
    await push(host, `${kind}/unsigned`);
  }
  const answer = await notationSign(folder, places.map(({signature}) => signature));
  for (const {target, image, signature} of places) {
    await attachNotation(target, image, {envelope: answer.envelopes[signature.name]!, mediaType: signature.mediaType});
  }
  return answer;
}
