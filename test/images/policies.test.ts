import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {ensureBuilt} from '../e2e/support/build.js';
import {imageValidatingPolicy, type ImagePolicyOptions, verifyImagesPolicy} from '../e2e/support/image-policies.js';
import type {Thing} from '../e2e/support/policies.js';
import {judgeByCommand} from './judge-by-command.js';
import {createImagesWorld, envelopes, formats, hostOf, identity, type ImagesWorld, scanType} from './world.js';

let world: ImagesWorld;
let folder: string;

beforeAll(async () => {
  await ensureBuilt();
  folder = await mkdtemp(join(tmpdir(), 'policies-'));
  world = await createImagesWorld();
});
afterAll(async () => {
  await world?.stop();
  await rm(folder, {recursive: true, force: true});
});

const judge = (policy: Thing, images: Readonly<Record<string, string>>) => judgeByCommand(folder, policy, images);

const makers = {verifyImages: verifyImagesPolicy, ImageValidatingPolicy: imageValidatingPolicy} as const;

describe.each(Object.entries(makers))('%s', (kind, make) => {
  describe.each(formats)('with signatures in the format %s', format => {
    const wanted = (more: Partial<ImagePolicyOptions> = {}): ImagePolicyOptions => ({
      name: 'signed',
      images: `${hostOf(world, format)}/*`,
      format,
      publicKey: world.keys.right.publicKey,
      ...more,
    });
    const at = (...names: readonly string[]) => Object.fromEntries(names.map(name => [name, `${hostOf(world, format)}/${format}/${name}:v1`]));

    it('tells what the right key signed', async () => {
      expect(await judge(make(wanted()), at('signed', 'wrong', 'unsigned', 'tampered'))).toEqual({signed: 'pass', wrong: 'fail', unsigned: 'fail', tampered: 'fail'});
    });

    it('tells whose attestation holds its condition', async () => {
      const policy = make(wanted({name: 'scanned', scan: scanType}));
      const verdicts = await judge(policy, at('attested', 'failing', 'signed', 'forged'));
      expect(verdicts['attested']).toBe('pass');
      // A payload that is not there is an error for an expression that reads it.
      for (const name of ['failing', 'signed', 'forged']) expect(verdicts[name], name).toMatch(/^(fail|error)$/);
    });

    it('tells who signed, and when', async () => {
      const rekor = {ignoreTlog: false, pubkey: world.keyless.rekorKey, url: 'https://rekor.test'};
      const keyless = {...identity, roots: world.keyless.roots, rekor, ctlog: {pubkey: world.keyless.ctlogKey}};
      const policy =
        kind === 'verifyImages'
          ? make(wanted(), {attestors: [{entries: [{keyless}]}]})
          : make(wanted(), {
              attestors: [{name: 'key', cosign: {keyless: {identities: [identity]}, trustedRoot: {value: JSON.stringify(world.keyless.trustedRoot)}}}],
            });
      const verdicts = await judge(policy, at('identity', 'other-identity', 'expired', 'no-log', 'no-sct'));
      // Of the log that the rule names there is no answer, and of an error and a failure the failure is kept.
      expect(verdicts).toEqual({identity: 'pass', 'other-identity': 'fail', expired: 'fail', 'no-log': 'fail', 'no-sct': 'fail'});
    });
  });

  it.each(Object.keys(envelopes))('tells what notation signed as %s', async envelope => {
    const certificate = world.notation.authorities['trusted']!;
    const options: ImagePolicyOptions = {name: 'notation', images: `${world.hosts.referrers}/*`, format: 'bundle', publicKey: ''};
    const policy =
      kind === 'verifyImages'
        ? make(options, {type: 'Notary', attestors: [{entries: [{certificates: {cert: certificate}}]}]})
        : make(options, {attestors: [{name: 'key', notary: {certs: {value: certificate}}}]});
    const names = ['signed', 'wrong', 'unsigned', 'tampered', 'expired'];
    const images = Object.fromEntries(names.map(name => [name, `${world.hosts.referrers}/${envelope}/${name}:v1`]));
    expect(await judge(policy, images)).toEqual({signed: 'pass', wrong: 'fail', unsigned: 'fail', tampered: 'fail', expired: 'fail'});
  });
});
