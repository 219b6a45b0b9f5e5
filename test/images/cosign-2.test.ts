import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {type Cosign2, createCosign2, type Signer} from '../cosign-2/cosign-2.js';
import {ensureBuilt} from '../e2e/support/build.js';
import {imageValidatingPolicy, type ImagePolicyOptions, verifyImagesPolicy} from '../e2e/support/image-policies.js';
import {judgeByCommand} from './judge-by-command.js';
import {pushImage} from './push.js';
import {type Registries, startRegistries} from './registries.js';
import {type Sigstore, startSigstore} from './sigstore.js';
import {copySignature, identity, otherIdentity, type Place, scanType} from './world.js';

/** Whether cosign 2 is built: that takes many minutes, and what it writes changes no more. */
const isWanted = process.env['COSIGN_2'] === '1';
const makers = {verifyImages: verifyImagesPolicy, ImageValidatingPolicy: imageValidatingPolicy} as const;

describe.runIf(isWanted)('signatures by the program cosign 2', () => {
  let folder: string;
  let registries: Registries<'tags'>;
  let sigstore: Sigstore;
  let cosign: Cosign2;
  let keys: Readonly<Record<'right' | 'wrong', Awaited<ReturnType<Cosign2['newKey']>>>>;

  beforeAll(async () => {
    await ensureBuilt();
    folder = await mkdtemp(join(tmpdir(), 'cosign-2-'));
    registries = await startRegistries([{name: 'tags', kind: 'distribution'}]);
    sigstore = await startSigstore();
    cosign = await createCosign2(folder, sigstore);
    keys = {right: await cosign.newKey('right'), wrong: await cosign.newKey('wrong')};
    await signAll();
  });
  afterAll(async () => {
    await registries?.stop();
    await sigstore?.stop();
    await rm(folder, {recursive: true, force: true});
  });

  async function place(repository: string): Promise<Place & {readonly reference: string}> {
    const target = {host: registries.hosts.tags, repository};
    const image = await pushImage(target, {tag: 'v1', content: repository});
    return {image, target, reference: `${target.host}/${repository}@${image.digest}`};
  }

  async function signAll(): Promise<void> {
    const low = {type: scanType, predicate: {severity: 'low'}};
    const signers: Readonly<Record<string, readonly [right: Signer, wrong: Signer]>> = {
      key: [{key: keys.right}, {key: keys.wrong}],
      logged: [{key: keys.right, logged: true}, {key: keys.wrong, logged: true}],
      identity: [{identity}, {identity: otherIdentity}],
    };
    for (const [kind, [right, wrong]] of Object.entries(signers)) {
      const signed = await place(`${kind}/signed`);
      await cosign.sign(signed.reference, right, {env: 'prod'});
      await cosign.sign((await place(`${kind}/wrong`)).reference, wrong);
      await place(`${kind}/unsigned`);
      await copySignature({format: 'tag', from: signed, to: await place(`${kind}/tampered`)});
      const attested = await place(`${kind}/attested`);
      await cosign.sign(attested.reference, right);
      await cosign.attest(attested.reference, right, low);
      const failing = await place(`${kind}/failing`);
      await cosign.attest(failing.reference, right, {type: scanType, predicate: {severity: 'high'}});
      const forged = await place(`${kind}/forged`);
      await cosign.attest(forged.reference, wrong, low);
    }
  }

  const at = (kind: string, ...names: readonly string[]) => Object.fromEntries(names.map(name => [name, `${registries.hosts.tags}/${kind}/${name}:v1`]));
  const wanted = (more: Partial<ImagePolicyOptions> = {}): ImagePolicyOptions => ({name: 'signed', images: `${registries.hosts.tags}/*`, format: 'tag', publicKey: keys.right.publicKey, ...more});
  const rekor = () => ({url: sigstore.url, pubkey: sigstore.rekorKey});
  const trustedRoot = () => ({value: JSON.stringify(sigstore.trustedRoot)});

  /** Who must have signed, as each kind of policy has it. */
  const attestors = {
    verifyImages: {
      key: () => ({keys: {publicKeys: keys.right.publicKey, rekor: {ignoreTlog: true}, ctlog: {ignoreSCT: true}}}),
      logged: () => ({keys: {publicKeys: keys.right.publicKey, rekor: rekor(), ctlog: {ignoreSCT: true}}}),
      identity: () => ({keyless: {...identity, roots: sigstore.roots, rekor: rekor(), ctlog: {pubkey: sigstore.ctlogKey}}}),
    },
    ImageValidatingPolicy: {
      key: () => ({key: {data: keys.right.publicKey}, ctlog: {insecureIgnoreTlog: true, insecureIgnoreSCT: true}}),
      logged: () => ({key: {data: keys.right.publicKey}, trustedRoot: trustedRoot(), ctlog: {insecureIgnoreSCT: true}}),
      identity: () => ({keyless: {identities: [identity]}, trustedRoot: trustedRoot()}),
    },
  } as const;
  const kinds = ['key', 'logged', 'identity'] as const;

  describe.each(Object.keys(makers) as (keyof typeof makers)[])('for %s', policyKind => {
    const policyOf = (by: (typeof kinds)[number], scan?: string) => {
      const make = makers[policyKind];
      const options = wanted(scan === undefined ? {} : {name: 'scanned', scan});
      const attestor = attestors[policyKind][by]();
      if (policyKind === 'ImageValidatingPolicy') return make(options, {attestors: [{name: 'key', cosign: attestor}]});
      const sets = [{entries: [attestor]}];
      const conditions = [{all: [{key: '{{ severity }}', operator: 'Equals', value: 'low'}]}];
      return make(options, scan === undefined ? {attestors: sets} : {attestations: [{type: scan, attestors: sets, conditions}]});
    };

    it.each(kinds)('count by the right signer alone: %s', async by => {
      const verdicts = await judgeByCommand(folder, policyOf(by), at(by, 'signed', 'wrong', 'unsigned', 'tampered'));
      expect(verdicts['signed'], JSON.stringify(verdicts)).toBe('pass');
      for (const name of ['wrong', 'unsigned', 'tampered']) expect(verdicts[name], name).toMatch(/^(fail|error)$/);
    });

    it.each(kinds)('of attestations count by signer and content: %s', async by => {
      const verdicts = await judgeByCommand(folder, policyOf(by, scanType), at(by, 'attested', 'failing', 'forged', 'signed'));
      expect(verdicts['attested'], JSON.stringify(verdicts)).toBe('pass');
      for (const name of ['failing', 'forged', 'signed']) expect(verdicts[name], name).toMatch(/^(fail|error)$/);
    });

    it('without an entry do not count where one is asked for', async () => {
      const verdicts = await judgeByCommand(folder, policyOf('logged'), at('key', 'signed'));
      expect(verdicts['signed']).toMatch(/^(fail|error)$/);
    });

    it('carry the annotations that are asked for', async () => {
      for (const [env, result] of [['prod', 'pass'], ['test', 'fail']] as const) {
        const annotations = {env};
        const attestor = attestors[policyKind].key();
        const more =
          policyKind === 'verifyImages'
            ? {attestors: [{entries: [{...attestor, annotations}]}]}
            : {attestors: [{name: 'key', cosign: {...attestor, annotations}}]};
        expect(await judgeByCommand(folder, makers[policyKind](wanted(), more), at('key', 'signed')), env).toEqual({signed: result});
      }
    });
  });
});
