import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, it} from 'vitest';
import type {KeylessSigner, TextMatch, Transparency} from '../../../engine/image/verification.js';
import type {JsonObject} from '../../../engine/json/types.js';
import {createRegexEngine} from '../../regex/regex-engine.js';
import {readBundle} from './bundle.js';
import publicGood from './data/public-good.generated.json' with {type: 'json'};
import {type KnownAttestor, prove} from './prove.js';
import {readTrustedRoot, trustedRootOf} from './trust.js';

/** The public provenance of a package: certificate with SCT, promise of the log. */
const recorded = readFileSync(join(import.meta.dirname, 'testdata/provenance-bundle.json'));
const trust = trustedRootOf(publicGood.trustedRoot as unknown as JsonObject);
const subject = 'https://github.com/sigstore/sigstore-js/.github/workflows/release.yml@refs/heads/main';
const issuer = 'https://token.actions.githubusercontent.com';
const plain: Transparency = {
  rekorUrl: undefined,
  rekorPublicKey: undefined,
  ignoreTlog: false,
  ctlogPublicKey: undefined,
  ignoreSct: false,
  tsaCertChain: undefined,
  trustedRoot: undefined,
  tuf: undefined,
};
const signerOf = (wanted: {readonly subject?: TextMatch; readonly issuer?: TextMatch}, more: Partial<KeylessSigner> = {}): KeylessSigner => ({
  type: 'keyless',
  identities: [wanted],
  roots: undefined,
  additionalExtensions: {},
  ...more,
});
const exact = (text: string): TextMatch => ({kind: 'exact', text});

function judge(signer: KnownAttestor['signer'], {bundle = recorded as Buffer, transparency = plain, believed = trust} = {}): string {
  try {
    prove({
      signed: readBundle(bundle, Buffer.alloc(0)),
      attestor: {signer, transparency, annotations: {}, repository: undefined, tagPrefix: undefined, pullSecrets: []},
      trust: believed,
      regex: createRegexEngine(),
      now: Date.parse('2026-01-01'),
    });
    return 'proven';
  } catch (error) {
    return (error as Error).message;
  }
}

/** The recorded bundle, one part of it changed. */
function changed(change: (bundle: Record<string, never>) => void): Buffer {
  const bundle = JSON.parse(recorded.toString()) as Record<string, never>;
  change(bundle);
  return Buffer.from(JSON.stringify(bundle));
}

describe('a bundle of the public log', () => {
  const identities: ReadonlyArray<readonly [string, Parameters<typeof signerOf>[0], string]> = [
    ['the very identity', {subject: exact(subject), issuer: exact(issuer)}, 'proven'],
    ['another subject', {subject: exact(`${subject}x`), issuer: exact(issuer)}, 'none of the expected identities fits'],
    ['another issuer', {subject: exact(subject), issuer: exact('https://accounts.example')}, 'none of the expected identities'],
    ['a wildcard for the whole', {subject: {kind: 'wildcard', text: 'https://github.com/sigstore/*'}}, 'proven'],
    ['a wildcard for a part', {subject: {kind: 'wildcard', text: 'github.com/sigstore/*'}}, 'none of the expected identities'],
    ['an expression found anywhere', {subject: {kind: 'regexp', text: 'sigstore-js/.*release'}}, 'proven'],
    ['an expression that ends elsewhere', {subject: {kind: 'regexp', text: 'release\\.yml$'}}, 'none of the expected identities'],
  ];
  for (const [name, wanted, outcome] of identities) {
    it(`by ${name}: ${outcome}`, () => expect(judge(signerOf(wanted))).toContain(outcome));
  }

  it('names the signer that is not wanted', () => {
    expect(judge(signerOf({subject: exact('nobody')}))).toContain(JSON.stringify(subject));
  });

  it('has extensions of its certificate by name and by number', () => {
    const by = (additionalExtensions: Record<string, string>) => judge(signerOf({}, {additionalExtensions}));
    expect(by({githubWorkflowRepository: 'sigstore/sigstore-js', '1.3.6.1.4.1.57264.1.20': 'push'})).toBe('proven');
    expect(by({githubWorkflowRepository: 'other/repo'})).toContain('not "other/repo"');
    expect(by({none: 'x'})).toContain('no extension "none"');
    expect(by({'1.2.3': 'x'})).toContain('no extension "1.2.3"');
  });

  const signer = signerOf({subject: exact(subject)});
  it('does not count with anything changed', () => {
    type Part = Record<string, Record<string, never>>;
    const other = changed(bundle => {
      const envelope = (bundle as unknown as Part)['dsseEnvelope'] as unknown as {payload: string};
      envelope.payload = Buffer.from('{}').toString('base64');
    });
    expect(judge(signer, {bundle: other})).toContain('invalid signature');
    type Entry = {integratedTime: string; canonicalizedBody: string; inclusionPromise?: unknown};
    const entryOf = (bundle: unknown) => (bundle as {verificationMaterial: {tlogEntries: Entry[]}}).verificationMaterial.tlogEntries[0]!;
    const later = changed(bundle => {
      entryOf(bundle).integratedTime = String(Number(entryOf(bundle).integratedTime) + 1);
    });
    expect(judge(signer, {bundle: later})).toContain('signed entry timestamp');
    const bare = changed(bundle => {
      delete entryOf(bundle).inclusionPromise;
    });
    expect(judge(signer, {bundle: bare})).toContain('proves nothing');
    const none = changed(bundle => {
      (bundle as unknown as {verificationMaterial: {tlogEntries: Entry[]}}).verificationMaterial.tlogEntries = [];
    });
    expect(judge(signer, {bundle: none})).toContain('no entry of a transparency log');
  });

  it('does not count without those who vouch for it', () => {
    expect(judge(signer, {believed: {...trust, fulcio: []}})).toContain('no authority is trusted');
    expect(judge(signer, {believed: {...trust, rekor: []}})).toContain('is not trusted');
    expect(judge(signer, {believed: {...trust, ctlogs: []}})).toContain('published in no trusted log');
    expect(judge(signer, {believed: {...trust, ctlogs: []}, transparency: {...plain, ignoreSct: true}})).toBe('proven');
  });

  it('does not vouch for itself', () => {
    expect(judge({type: 'certificate', certificate: undefined, chain: undefined})).toContain('neither a certificate nor a chain');
    expect(judge(signerOf({}, {identities: []}))).toContain('none of the expected identities');
  });

  it('has an expired certificate when nobody tells its time', () => {
    expect(judge(signer, {transparency: {...plain, ignoreTlog: true}})).toContain('was not valid when the signature was made');
  });
});

describe('trusted roots', () => {
  it.each([
    ['no JSON', '{', 'no JSON'],
    ['no object', '[]', 'no object'],
    ['a list that is none', '{"tlogs":{}}', 'tlogs is no list'],
    ['a key that is none', '{"tlogs":[{"publicKey":{"rawBytes":"AAAA"}}]}', 'cannot be read'],
    ['too much', ' '.repeat(1024 * 1024 + 1), 'exceeds 1 MiB'],
  ])('are refused: %s', (_, text, message) => {
    expect(() => readTrustedRoot(text)).toThrow(message);
  });
});
