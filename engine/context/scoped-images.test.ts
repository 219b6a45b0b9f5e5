import {describe, expect, it} from 'vitest';
import type {Attestor, ImageSource, RegistryAccess, Signer} from '../image/verification.js';
import {scopeImages} from './scoped-images.js';

const access: RegistryAccess = {secrets: [], providers: [], allowInsecureRegistry: false};
const options = {deadline: 0, useCache: true};
const transparency: Attestor['transparency'] = {
  rekorUrl: undefined,
  rekorPublicKey: undefined,
  ignoreTlog: false,
  ctlogPublicKey: undefined,
  ignoreSct: false,
  tsaCertChain: undefined,
  trustedRoot: undefined,
  tuf: undefined,
};
const attestor = (given: Partial<Attestor>): Attestor => ({
  signer: {type: 'key', publicKey: 'PEM', hash: 'sha256'},
  transparency,
  annotations: {},
  repository: undefined,
  tagPrefix: undefined,
  pullSecrets: [],
  ...given,
});
const bySecret = (namespace: string): Signer => ({type: 'secret', secret: {namespace, name: 'key'}, hash: 'sha256'});

function recordingImages() {
  const calls: string[] = [];
  const answer = {digest: 'sha256:0'};
  const noted = <T>(image: string, value: T): T => {
    calls.push(image);
    return value;
  };
  const source: ImageSource = {
    imageData: image => noted(image, {}),
    resolveDigest: image => noted(image, answer.digest),
    verifySignature: ({image}) => noted(image, answer),
    verifyAttestations: ({image}) => noted(image, {...answer, statements: [], otherTypes: []}),
    verifyBlob: () => noted('blob', undefined),
  };
  return {calls, source};
}

describe('images for a policy of a namespace', () => {
  const rows: ReadonlyArray<readonly [string, Partial<Attestor>, Partial<RegistryAccess>, string | undefined]> = [
    ['no Secret at all', {}, {}, undefined],
    ['Secrets of its own', {pullSecrets: [{namespace: 'team', name: 'p'}], signer: bySecret('team')}, {}, undefined],
    ["another namespace's pull Secret", {}, {secrets: [{namespace: 'kyverno', name: 'p'}]}, 'Secret of namespace kyverno'],
    ["another namespace's Secret for signatures", {pullSecrets: [{namespace: 'a', name: 'p'}]}, {}, 'Secret of namespace a'],
    ["another namespace's key", {signer: bySecret('a')}, {}, 'Secret of namespace a'],
    ['a cluster-wide name', {signer: bySecret('')}, {}, 'Secret of namespace ""'],
    ['the operator in a cloud', {}, {providers: ['amazon']}, 'provider amazon'],
    ['a key service', {signer: {type: 'kms', uri: 'awskms:///k', hash: 'sha256'}}, {}, 'key service'],
    [
      'a file of the operator',
      {transparency: {...transparency, tuf: {root: undefined, rootPath: '/etc/passwd', mirror: undefined}}},
      {},
      'files of the operator',
    ],
  ];
  for (const [name, parts, more, refusal] of rows) {
    it(`${refusal === undefined ? 'takes' : 'refuses'} ${name}`, () => {
      const {calls, source} = recordingImages();
      const scoped = scopeImages(source, 'team');
      const query = {image: 'r.io/x', access: {...access, ...more}, format: 'auto', ociReferrers: false} as const;
      const asked: Array<() => unknown> = [
        () => scoped.verifySignature({...query, attestor: attestor(parts)}, options),
        () => scoped.verifyAttestations({...query, attestor: attestor(parts), type: 't', kind: 'intoto'}, options),
      ];
      const blob = {payload: new Uint8Array(), signature: '', certificate: undefined, bundle: undefined};
      // Blobs lie in no registry: only their attestors can lead elsewhere.
      if (more.secrets === undefined && more.providers === undefined) {
        asked.push(() => scoped.verifyBlob?.({...blob, attestor: attestor(parts)}, options));
      }
      for (const ask of asked) {
        if (refusal === undefined) ask();
        else expect(ask).toThrow(refusal);
      }
      expect(calls).toHaveLength(refusal === undefined ? 3 : 0);
    });
  }

  it('checks credentials of reads, too', () => {
    const {calls, source} = recordingImages();
    const foreign = {...access, secrets: [{namespace: 'other', name: 'p'}]};
    expect(() => scopeImages(source, 'team').imageData('r.io/x', foreign, options)).toThrow('Secret of namespace other');
    expect(() => scopeImages(source, 'team').resolveDigest('r.io/x', foreign, options)).toThrow('Secret of namespace');
    expect(calls).toEqual([]);
  });
});
