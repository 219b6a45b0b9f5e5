import {execFile} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {beforeAll, describe, expect, it} from 'vitest';
import {createRegexEngine} from '../../adapters/regex/regex-engine.js';
import {readBundle} from '../../adapters/images/sigstore/bundle.js';
import {prove} from '../../adapters/images/sigstore/prove.js';
import {readTrustedRoot} from '../../adapters/images/sigstore/trust.js';
import type {Identity, KeylessSigner} from '../../engine/image/verification.js';
import {noTransparency} from './queries.js';

let examples: string;

beforeAll(async () => {
  const module = 'github.com/sigstore/sigstore-go';
  const env = {...process.env, GOWORK: 'off', GOFLAGS: '-mod=mod'};
  const cwd = import.meta.dirname;
  await promisify(execFile)('go', ['mod', 'download', module], {cwd, env});
  const {stdout} = await promisify(execFile)('go', ['list', '-m', '-f', '{{.Dir}}', module], {cwd, env});
  examples = join(stdout.trim(), 'examples');
});

const regex = createRegexEngine();
const publisher: Identity = {
  issuer: {kind: 'exact', text: 'https://token.actions.githubusercontent.com'},
  subject: {kind: 'regexp', text: '^https://github\\.com/sigstore/sigstore-js/'},
};

interface Wanted {
  readonly bundle?: Buffer;
  readonly identity?: Identity;
  readonly root?: object;
}

function judge({bundle = read('bundle-provenance.json'), identity = publisher, root}: Wanted = {}): void {
  const signer: KeylessSigner = {type: 'keyless', identities: [identity], roots: undefined, additionalExtensions: {}};
  prove({
    signed: readBundle(bundle, Buffer.alloc(0)),
    attestor: {signer, transparency: {...noTransparency, ignoreTlog: false, ignoreSct: false}, annotations: {}, repository: undefined, tagPrefix: undefined, pullSecrets: []},
    trust: readTrustedRoot(root === undefined ? read('trusted-root-public-good.json').toString() : JSON.stringify(root)),
    regex,
    now: Date.now(),
  });
}

const read = (name: string) => readFileSync(join(examples, name));

interface Bundle {
  dsseEnvelope: {payload: string; signatures: {sig: string}[]};
  verificationMaterial: {tlogEntries: {integratedTime: string; logIndex: string; inclusionPromise?: object; inclusionProof?: {rootHash: string; checkpoint: {envelope: string}}}[]};
}

function changed(change: (bundle: Bundle) => void): Buffer {
  const bundle = JSON.parse(read('bundle-provenance.json').toString()) as Bundle;
  change(bundle);
  return Buffer.from(JSON.stringify(bundle));
}

describe('a bundle of the public instance, years old', () => {
  it('counts against its trusted root, offline', () => {
    expect(() => judge()).not.toThrow();
  });

  it('does not count for another identity or issuer', () => {
    expect(() => judge({identity: {...publisher, subject: {kind: 'exact', text: 'https://github.com/someone/else'}}})).toThrow();
    expect(() => judge({identity: {...publisher, issuer: {kind: 'exact', text: 'https://accounts.example.test'}}})).toThrow();
  });

  it.each<[string, (bundle: Bundle) => void]>([
    ['payload', ({dsseEnvelope}) => (dsseEnvelope.payload = Buffer.from(Buffer.from(dsseEnvelope.payload, 'base64').toString().replace('1.3.0', '1.3.1')).toString('base64'))],
    ['time', ({verificationMaterial}) => (verificationMaterial.tlogEntries[0]!.integratedTime = '1600000000')],
    ['place in the log', ({verificationMaterial}) => (verificationMaterial.tlogEntries[0]!.logIndex = '1')],
    ['log', ({verificationMaterial}) => (verificationMaterial.tlogEntries = [])],
  ])('does not count with another %s', (_, change) => {
    expect(() => judge({bundle: changed(change)})).toThrow();
  });

  it.each(['tlogs', 'certificateAuthorities', 'ctlogs'])('does not count without %s in the root', key => {
    const root = JSON.parse(read('trusted-root-public-good.json').toString()) as object;
    expect(() => judge({root: {...root, [key]: []}})).toThrow();
  });
});
