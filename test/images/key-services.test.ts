import {rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {ensureBuilt} from '../e2e/support/build.js';
import {imageValidatingPolicy, type ImagePolicyOptions, verifyImagesPolicy} from '../e2e/support/image-policies.js';
import type {Thing} from '../e2e/support/policies.js';
import {createPluginFolder} from '../key-plugin/plugin-folder.js';
import type {CosignFormat} from './cosign.js';
import {judgeByCommand} from './judge-by-command.js';
import {createImagesWorld, formats, hostOf, type ImagesWorld} from './world.js';

/** Images that cosign signed, by keys that a plug-in of Sigstore's own handler gives, and by plug-ins that give none. */
let world: ImagesWorld;
let folder: string;
let plugins: string;

beforeAll(async () => {
  await ensureBuilt();
  ({folder, plugins} = await createPluginFolder());
  world = await createImagesWorld();
  for (const [name, {publicKey}] of Object.entries(world.keys)) await writeFile(join(folder, `${name}.pub`), publicKey);
});
afterAll(async () => {
  await world?.stop();
  await rm(folder, {recursive: true, force: true});
});

const options = (format: CosignFormat): ImagePolicyOptions => ({name: 'by-service', images: `${hostOf(world, format)}/*`, format, publicKey: ''});
const makers = {
  verifyImages: (kms: string, format: CosignFormat) =>
    verifyImagesPolicy(options(format), {attestors: [{entries: [{keys: {kms, rekor: {ignoreTlog: true}, ctlog: {ignoreSCT: true}}}]}]}),
  ImageValidatingPolicy: (kms: string, format: CosignFormat) =>
    imageValidatingPolicy(options(format), {attestors: [{name: 'key', cosign: {key: {kms}, ctlog: {insecureIgnoreTlog: true, insecureIgnoreSCT: true}}}]}),
} as const;

/** A rule that could not be asked is an error, and the image it did not verify a failure beside it. */
const failed = expect.stringMatching(/^(fail|error)$/) as string;

describe.each(Object.entries(makers))('%s by the key of a key service', (_, make) => {
  const at = (format: CosignFormat, ...names: readonly string[]) => Object.fromEntries(names.map(name => [name, `${hostOf(world, format)}/${format}/${name}:v1`]));
  const judge = (policy: Thing, images: Readonly<Record<string, string>>, flags = ['--kmsPluginsDirectory', plugins, '--kmsPluginEnvironment', 'TEST_*']) =>
    judgeByCommand(folder, policy, images, {flags, env: {TEST_KEYS: folder}});

  it.each(formats)('tells what it signed, in the format %s', async format => {
    const images = at(format, 'signed', 'wrong', 'unsigned', 'tampered');
    expect(await judge(make('awskms:///alias/right', format), images)).toEqual({signed: 'pass', wrong: 'fail', unsigned: 'fail', tampered: 'fail'});
    expect(await judge(make('awskms:///alias/wrong', format), at(format, 'signed', 'wrong'))).toEqual({signed: 'fail', wrong: 'pass'});
  });

  it.each(['awskms:///alias/nobody', 'hangs://key', 'garbage://key', 'endless://key'])('passes nothing where the plug-in gives none: %s', async address => {
    expect(await judge(make(address, 'tag'), at('tag', 'signed', 'unsigned'))).toEqual({signed: failed, unsigned: failed});
  });

  it('passes nothing where the plug-in lacks its variables', async () => {
    expect(await judge(make('awskms:///alias/right', 'tag'), at('tag', 'signed'), ['--kmsPluginsDirectory', plugins])).toEqual({signed: failed});
  });

  it('passes nothing without a plug-in, and the program is named', async () => {
    const outcome = await judge(make('gcpkms://projects/p', 'tag'), at('tag', 'signed')).catch((error: Error) => error.message);
    expect(JSON.stringify(outcome)).not.toContain('pass"');
    if (typeof outcome === 'string') expect(outcome).toContain(`program ${plugins}/sigstore-kms-gcpkms does not exist`);
  });
});
