import {execFile} from 'node:child_process';
import {rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {afterAll, afterEach, beforeAll, describe, expect, it} from 'vitest';
import {stringify} from 'yaml';
import {eventually} from '../cluster/eventually.js';
import {createImagesWorld, formats, hostOf, type ImagesWorld} from '../images/world.js';
import {createPluginFolder} from '../key-plugin/plugin-folder.js';
import {admit} from './support/admitted.js';
import {program} from './support/build.js';
import {applyCel, celStatusOf, dropCel, putCel} from './support/cel-policies.js';
import {imageValidatingPolicy, podOf, verifyImagesPolicy} from './support/image-policies.js';
import {createNamespaces} from './support/namespaces.js';
import {type OperatorCluster, startOperatorCluster} from './support/operator-cluster.js';
import {dropAll, put, type Thing, verdictOf, write} from './support/policies.js';

/** Keys of key services, by plug-ins: one made of Sigstore's own handler of the protocol, and some that fail. */
let world: ImagesWorld;
let operator: OperatorCluster;
let folder: string;
let plugins: string;

beforeAll(async () => {
  ({folder, plugins} = await createPluginFolder());
  world = await createImagesWorld();
  for (const [name, {publicKey}] of Object.entries(world.keys)) await writeFile(join(folder, `${name}.pub`), publicKey);
  const args = ['--allowInsecureRegistry=true', `--kmsPluginsDirectory=${plugins}`, '--kmsPluginEnvironment=TEST_*'];
  operator = await startOperatorCluster({args, env: {TEST_KEYS: folder}});
  await createNamespaces(operator, ['shop']);
});
afterAll(async () => {
  await operator?.stop();
  await world?.stop();
  await rm(folder, {recursive: true, force: true});
});
afterEach(async () => {
  await dropCel(operator);
  await dropAll(operator);
});

const noLogs = {rekor: {ignoreTlog: true}, ctlog: {ignoreSCT: true}};

const policies = {
  verifyImages: {
    make: (kms: string, format: (typeof formats)[number]) =>
      verifyImagesPolicy({name: 'by-service', images: `${hostOf(world, format)}/*`, format, publicKey: ''}, {attestors: [{entries: [{keys: {kms, ...noLogs}}]}]}),
    put: (policy: Thing) => put(operator, [policy]),
  },
  ImageValidatingPolicy: {
    make: (kms: string, format: (typeof formats)[number]) =>
      imageValidatingPolicy(
        {name: 'by-service', images: `${hostOf(world, format)}/*`, format, publicKey: ''},
        {attestors: [{name: 'key', cosign: {key: {kms}, ctlog: {insecureIgnoreTlog: true, insecureIgnoreSCT: true}}}]},
      ),
    put: (policy: Thing) => putCel(operator, [policy]),
  },
} as const;

describe.each(Object.entries(policies))('%s by the key of a key service', (kind, {make, put: serve}) => {
  describe.each(formats)('with signatures in the format %s', format => {
    const at = (name: string) => `${hostOf(world, format)}/${format}/${name}:v1`;

    it('admits what that key signed, pinned to its digest, and denies everything else', async () => {
      await serve(make('awskms:///alias/right', format));
      const found = await admit(operator, podOf('signed', at('signed')));
      expect(found, found.message).toMatchObject({allowed: true, image: `${at('signed')}@${world.images.get(`${format}/signed`)?.digest}`});
      for (const name of ['wrong', 'unsigned', 'tampered']) {
        const denied = await admit(operator, podOf(name, at(name)));
        expect(denied.allowed, name).toBe(false);
      }
    });

    it('denies what another key of the service signed', async () => {
      await serve(make('awskms:///alias/wrong', format));
      expect((await admit(operator, podOf('signed', at('signed')))).allowed).toBe(false);
      const found = await admit(operator, podOf('wrong', at('wrong')));
      expect(found.allowed, found.message).toBe(true);
    });
  });

  it.each([
    ['knows no such key', 'awskms:///alias/nobody', 'sigstore-kms-awskms: reports a failure'],
    ['gives no answer', 'hangs://key', 'sigstore-kms-hangs: gave no answer in time'],
    ['says something else', 'garbage://key', 'sigstore-kms-garbage: gave no JSON'],
    ['says too much', 'endless://key', 'sigstore-kms-endless: said more than 65536 bytes'],
  ])('denies everything when its plug-in %s, and tells why', async (_, address, why) => {
    await serve(make(address, 'tag'));
    const found = await admit(operator, podOf('signed', `${world.hosts.tags}/tag/signed:v1`));
    expect(found.allowed).toBe(false);
    expect(`${found.message} ${found.warnings}`).toContain(why);
  });

  it('is not Ready without a plug-in: the reason names program and folder', async () => {
    const policy = make('gcpkms://projects/p', 'tag');
    const why = `program ${plugins}/sigstore-kms-gcpkms does not exist`;
    if (kind === 'verifyImages') {
      await write(operator, policy);
      expect(await verdictOf(operator, policy)).toMatchObject({status: 'False', message: expect.stringContaining(why)});
    } else {
      await applyCel(operator, policy);
      const status = async () => (await celStatusOf(operator, policy)).conditionStatus;
      await eventually(async () => JSON.stringify((await status()) ?? '').includes(why), {what: 'the reason', timeoutMs: 60_000});
      expect((await status())?.ready).toBe(false);
    }
  });

  it('judges by the command, too', async () => {
    const policy = make('awskms:///alias/right', 'tag');
    await writeFile(join(folder, 'policy.yaml'), stringify(policy));
    const apply = async (name: string, flags: readonly string[]) => {
      await writeFile(join(folder, 'pod.yaml'), stringify(podOf(name, `${world.hosts.tags}/tag/${name}:v1`)));
      const args = [program, 'apply', join(folder, 'policy.yaml'), '--resource', join(folder, 'pod.yaml'), '--registry', ...flags];
      return promisify(execFile)(process.execPath, args, {env: {...process.env, TEST_KEYS: folder}}).then(
        ({stdout, stderr}) => ({exit: 0, text: stdout + stderr}),
        (error: {code: number; stdout: string; stderr: string}) => ({exit: error.code, text: error.stdout + error.stderr}),
      );
    };
    const flags = ['--kmsPluginsDirectory', plugins, '--kmsPluginEnvironment', 'TEST_KEYS'];
    const good = await apply('signed', flags);
    expect(good.exit, good.text).toBe(0);
    expect(good.text).toMatch(/pass: [1-9]\d*, fail: 0/);
    const bad = await apply('wrong', flags);
    expect(bad.exit, bad.text).toBe(1);
    // Neither without the folder nor without what its programs need is anything a pass.
    for (const lacking of [[], flags.slice(0, 2)]) expect((await apply('signed', lacking)).text).not.toMatch(/pass: [1-9]/);
  });
});
