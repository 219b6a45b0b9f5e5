import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {attachBundle, attachNotation, attachUnderTag, signStatement, simpleSigning} from './attach.js';
import {type KeylessAnswer, keylessSign, type KeylessSignature} from './keyless.js';
import {type NotationSignature, notationSign} from './notation.js';
import {type Descriptor, mediaTypes, pushImage, pushReferrer, type PushTarget} from './push.js';
import {envelopes, type ImagesWorld} from './world.js';

const workflows = 'https://github.com/acme/app/.github/workflows';
/** Who signs what: each its own part of a release. */
export const identities = {
  releaser: `${workflows}/release.yml@refs/tags/v1.2.3`,
  builder: `${workflows}/build.yml@refs/heads/main`,
  scanner: `${workflows}/scan.yml@refs/heads/main`,
} as const;
export const issuer = 'https://token.acme.test';
export const types = {provenance: 'https://slsa.dev/provenance/v0.2', scan: 'https://acme.test/attestation/scan/v1'} as const;
export const predicates = {provenance: {builder: {id: identities.builder}}, scan: {scanner: {uri: 'pkg:github/acme/scanner@1.2.3'}}} as const;

/** Artifacts beside an image, signed by notation as `artifactSigners` says. */
export const artifacts: Readonly<Record<string, object>> = {
  'sbom/cyclone-dx': {bomFormat: 'CycloneDX', metadata: {timestamp: '2026-01-01T00:00:00Z'}, components: [{licenses: [{expression: 'GPL-3.0'}]}]},
  'scan/report': {source: {type: 'image'}, descriptor: {timestamp: '2026-01-02T00:00:00Z'}},
  'findings/few': {Vulnerabilities: [{VulnerabilityID: 'CVE-1'}]},
  'findings/more': {Vulnerabilities: [{VulnerabilityID: 'CVE-1'}, {VulnerabilityID: 'CVE-9'}]},
  'vex/cyclone-dx': {vulnerabilities: [{id: 'CVE-1'}, {id: 'CVE-2'}]},
  'sbom/forged': {bomFormat: 'CycloneDX'},
  'sbom/unsigned': {bomFormat: 'CycloneDX'},
  'sbom/swapped': {bomFormat: 'CycloneDX', components: []},
};

/** Whose signature an artifact bears, `trusted` when absent. `swapped`: the one over the first artifact. */
const artifactSigners: Readonly<Record<string, 'stranger' | 'nobody' | 'swapped'>> = {'sbom/forged': 'stranger', 'sbom/unsigned': 'nobody', 'sbom/swapped': 'swapped'};

/** Images with attestations of several signers, pushed beside those of a world. */
export interface AttestedWorld {
  readonly keyless: KeylessAnswer;
  /** PEM of the authority that signed the image and its artifacts. */
  readonly certificate: string;
  /** `host/repository`, without a tag. */
  readonly places: Readonly<Record<'attested' | 'bundled' | 'notation' | 'bare', string>>;
  /** Of those. Tags are `v1` and `latest`. */
  readonly digests: Readonly<Record<'attested' | 'bundled' | 'notation' | 'bare', string>>;
}

export async function addAttestedImages({hosts}: Pick<ImagesWorld, 'hosts'>, envelope: keyof typeof envelopes = 'jws'): Promise<AttestedWorld> {
  const targets = {
    attested: {host: hosts.tags, repository: 'acme/attested'},
    bundled: {host: hosts.referrers, repository: 'acme/bundled'},
    notation: {host: hosts.referrers, repository: 'acme/notation'},
    bare: {host: hosts.referrers, repository: 'acme/bare'},
  } as const;
  const images = {} as Record<keyof typeof targets, Descriptor>;
  for (const [name, target] of Object.entries(targets) as [keyof typeof targets, PushTarget][]) {
    for (const tag of ['v1', 'latest']) images[name] = await pushImage(target, {tag, content: name});
  }
  const keyless = await signByIdentities(targets, images);
  const certificate = await signArtifacts(targets.notation, images.notation, envelopes[envelope]);
  const of = <T>(make: (name: keyof typeof targets) => T) => Object.fromEntries((Object.keys(targets) as (keyof typeof targets)[]).map(name => [name, make(name)])) as Record<keyof typeof targets, T>;
  return {keyless, certificate, places: of(name => `${targets[name].host}/${targets[name].repository}`), digests: of(name => images[name].digest)};
}

async function signByIdentities(targets: Readonly<Record<'attested' | 'bundled', PushTarget>>, images: Readonly<Record<'attested' | 'bundled', Descriptor>>): Promise<KeylessAnswer> {
  const statement = (name: 'attested' | 'bundled', type: keyof typeof types) => signStatement(images[name].digest, types[type], predicates[type]);
  const wanted: Readonly<Record<string, Omit<KeylessSignature, 'name' | 'issuer'>>> = {
    signature: {subject: identities.releaser, payload: simpleSigning('app', images.attested.digest)},
    provenance: {subject: identities.builder, payload: statement('attested', 'provenance'), dsse: true},
    scan: {subject: identities.scanner, payload: statement('attested', 'scan'), dsse: true},
    bundled: {subject: identities.builder, payload: statement('bundled', 'provenance'), dsse: true},
  };
  const answer = await keylessSign(Object.entries(wanted).map(([name, one]) => ({...one, name, issuer})));
  const signed = (name: string) => ({payload: wanted[name]!.payload, signed: answer.signatures[name]!});
  await attachUnderTag(targets.attested, images.attested.digest, signed('signature'));
  await attachUnderTag(targets.attested, images.attested.digest, signed('provenance'), signed('scan'));
  await attachBundle(targets.bundled, images.bundled, {bundle: answer.signatures['bundled']!.bundle, predicateType: types.provenance});
  return answer;
}

async function signArtifacts(target: PushTarget, image: Descriptor, mediaType: NotationSignature['mediaType']): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'notation-'));
  try {
    const subjects: (readonly [string, Descriptor])[] = [['image', image]];
    for (const [artifactType, content] of Object.entries(artifacts)) {
      const layers = [{content: JSON.stringify(content), mediaType: 'application/json'}];
      subjects.push([artifactType, await pushReferrer(target, {subject: image, artifactType, layers, referrersApi: true})]);
    }
    const [, [first]] = subjects as [unknown, readonly [string, Descriptor]];
    const wanted = subjects.map(([name, {digest, size}]): NotationSignature => {
      const authority = artifactSigners[name] === 'stranger' ? 'stranger' : 'trusted';
      return {name, authority, mediaType, target: {mediaType: mediaTypes.manifest, digest, size}};
    });
    const answer = await notationSign(folder, wanted);
    for (const [name, subject] of subjects) {
      const signer = artifactSigners[name];
      if (signer === 'nobody') continue;
      await attachNotation(target, subject, {envelope: answer.envelopes[signer === 'swapped' ? first : name]!, mediaType});
    }
    return answer.authorities['trusted']!;
  } finally {
    await rm(folder, {recursive: true, force: true});
  }
}
