import {generateKeyPairSync} from 'node:crypto';
import {existsSync} from 'node:fs';
import {mkdir, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {ImageVerificationError} from '../../../engine/image/verification.js';
import {systemClock} from '../../clock.js';
import {createKeyServices, type KeyServiceOptions} from './key-services.js';

const pem = generateKeyPairSync('ec', {namedCurve: 'P-256'}).publicKey.export({format: 'pem', type: 'spki'}) as string;
const answerOf = (publicKeyPEM: string) => JSON.stringify({publicKey: {publicKeyPEM: Buffer.from(publicKeyPEM).toString('base64')}});
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kms-'));
});
afterAll(() => rm(folder, {recursive: true, force: true}));

/** A program of the shell that is called as Sigstore's plug-ins are. */
async function install(scheme: string, script: string, mode = 0o755): Promise<void> {
  await writeFile(join(folder, `sigstore-kms-${scheme}`), `#!/bin/sh\n${script}\n`, {mode});
}

function services(more: Partial<KeyServiceOptions> = {}) {
  return createKeyServices({clock: systemClock, directory: folder, variables: [], environment: {PATH: process.env['PATH']}, ...more});
}

const forever = () => new AbortController().signal;
const ask = (uri: string, from = services()) => from.publicKey({uri, hash: 'sha256'}, forever());
const refusal = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
  } catch (error) {
    if (error instanceof ImageVerificationError) return `${error.reason}: ${error.message}`;
    throw error;
  }
  return 'no refusal';
};

describe('a plug-in of a key service', () => {
  it('is asked by the protocol of Sigstore, and sees the variables that are named', async () => {
    await install('asked', `printf '%s\\n' "$#" "$1" "$2" > ${folder}/args; env > ${folder}/env; cat > ${folder}/stdin; printf '%s' '${answerOf(pem)}'`);
    const environment = {PATH: process.env['PATH'], HOME: '/home/x', AWS_REGION: 'r', AWS_PROFILE: 'p', VAULT_ADDR: 'v', VAULT_TOKEN: 't', GITHUB_TOKEN: 'secret'};
    const now = Date.parse('2030-01-02T03:04:05Z');
    const from = services({variables: ['AWS_*', 'VAULT_ADDR'], environment, clock: {...systemClock, now: () => now}});
    expect(await from.publicKey({uri: 'asked:///alias/a key?version=2', hash: 'sha384'}, forever())).toBe(pem);
    const [count, version, json = ''] = (await readFile(join(folder, 'args'), 'utf8')).split('\n');
    expect([count, version]).toEqual(['2', 'v1']);
    const ctxDeadline = '2030-01-02T03:04:15.000Z';
    const rpcOptions = {ctxDeadline, keyVersion: '', remoteVerification: false};
    expect(JSON.parse(json)).toEqual({
      initOptions: {ctxDeadline, protocolVersion: 'v1', keyResourceID: '/alias/a key?version=2', hashFunc: 6, rpcOptions},
      methodName: 'publicKey',
      publicKey: {publicKeyOptions: {rpcOptions}},
    });
    expect(await readFile(join(folder, 'stdin'), 'utf8')).toBe('');
    const seen = (await readFile(join(folder, 'env'), 'utf8')).split('\n').map(line => line.split('=', 1)[0]);
    expect(seen).toEqual(expect.arrayContaining(['HOME', 'AWS_REGION', 'AWS_PROFILE', 'VAULT_ADDR']));
    expect(seen).not.toContain('VAULT_TOKEN');
    expect(seen).not.toContain('GITHUB_TOKEN');
  });

  it('that ends with a failure has answered all the same, as the protocol has it', async () => {
    await install('exits', `printf '%s' '${answerOf(pem)}'; exit 3`);
    expect(await ask('exits://k')).toBe(pem);
  });

  it('is asked once by all who want the same key at one time, and not again for a while', async () => {
    await install('counted', `echo x >> ${folder}/count; sleep 0.2; printf '%s' '${answerOf(pem)}'`);
    let passed = 0;
    const from = services({clock: {...systemClock, monotonic: () => systemClock.monotonic() + passed}});
    await Promise.all(Array.from({length: 20}, () => ask('counted://k', from)));
    await ask('counted://k', from);
    const runs = async () => (await readFile(join(folder, 'count'), 'utf8')).length / 2;
    expect(await runs()).toBe(1);
    await ask('counted://other', from);
    expect(await runs()).toBe(2);
    passed += 11 * 60_000;
    await ask('counted://k', from);
    expect(await runs()).toBe(3);
  });

  it('runs a few at a time', async () => {
    await install('slow', `echo + >> ${folder}/slow; sleep 0.3; echo - >> ${folder}/slow; printf '%s' '${answerOf(pem)}'`);
    const from = services();
    await Promise.all(Array.from({length: 6}, (_, index) => ask(`slow://${index}`, from)));
    let running = 0;
    let most = 0;
    for (const mark of (await readFile(join(folder, 'slow'), 'utf8')).trim().split('\n')) {
      running += mark === '+' ? 1 : -1;
      most = Math.max(most, running);
    }
    expect(most).toBe(2);
  });

  it('whose first asker goes away answers the others', async () => {
    await install('left', `echo x >> ${folder}/left; sleep 0.3; printf '%s' '${answerOf(pem)}'`);
    const from = services();
    const impatient = new AbortController();
    const first = from.publicKey({uri: 'left://k', hash: 'sha256'}, impatient.signal);
    const second = ask('left://k', from);
    impatient.abort();
    await expect(first).rejects.toThrow();
    expect(await second).toBe(pem);
    expect((await readFile(join(folder, 'left'), 'utf8')).length).toBe(2);
  });

  it('that hangs is ended with what it started', async () => {
    await install('hangs', `sleep 60 & echo $! > ${folder}/child; sleep 60`);
    const started = Date.now();
    expect(await refusal(ask('hangs://k', services({timeoutMs: 3_000})))).toBe(
      `unreachable: key service hangs: program ${folder}/sigstore-kms-hangs: gave no answer in time`,
    );
    expect(Date.now() - started).toBeLessThan(50_000);
    const child = (await readFile(join(folder, 'child'), 'utf8')).trim();
    await expect.poll(async () => !existsSync(`/proc/${child}`) || / Z /.test(await readFile(`/proc/${child}/stat`, 'utf8').catch(() => ' Z ')), {timeout: 60_000}).toBe(true);
  });

  const two = `${pem}${pem}`;
  it.each([
    ['says something else', 'echo hello', 'gave no JSON'],
    ['fails without a word', 'exit 7', 'gave no JSON (exit code 7)'],
    ['kills itself', 'kill -9 $$', 'gave no JSON (exit code none, a signal ended it)'],
    ['gives a list', "echo '[]'", 'gave no JSON object'],
    ['gives bytes that are no text', "printf '\\377\\376'", 'gave no JSON'],
    ['gives nothing of what is asked for', "echo '{}'", 'gave no publicKeyPEM in base64'],
    ['gives a key that is no base64', `echo '{"publicKey": {"publicKeyPEM": "-----BEGIN"}}'`, 'gave no publicKeyPEM in base64'],
    ['gives base64 of something else', `printf '%s' '${answerOf('hello')}'`, 'its answer: no PEM public key'],
    ['gives a private key', `printf '%s' '${answerOf(generateKeyPairSync('ed25519').privateKey.export({format: 'pem', type: 'pkcs8'}) as string)}'`, 'its answer: no PEM public key'],
    ['gives a weak key', `printf '%s' '${answerOf(generateKeyPairSync('rsa', {modulusLength: 1024}).publicKey.export({format: 'pem', type: 'spki'}) as string)}'`, 'its answer: a public key cannot be read'],
    ['gives two keys', `printf '%s' '${answerOf(two)}'`, 'gave more than one key'],
    ['tells of a failure', `printf '%s' '{"errorMessage": "no access", "publicKey": {"publicKeyPEM": "${Buffer.from(pem).toString('base64')}"}}'`, 'reports a failure'],
    ['never stops talking', 'while :; do echo 0123456789012345678901234567890123456789; done', 'said more than 65536 bytes'],
  ])('that %s is an error', async (title, script, why) => {
    const scheme = title.replace(/[^a-z]/g, '');
    await install(scheme, script);
    expect(await refusal(ask(`${scheme}://k`))).toBe(`unreachable: key service ${scheme}: program ${folder}/sigstore-kms-${scheme}: ${why}`);
  });

  it('that tells of a failure is heard by its admin alone, on one line of some length', async () => {
    await install('told', `printf '%s' '{"errorMessage": "no access\\nto ${'x'.repeat(300)}"}'`);
    const heard: string[] = [];
    const why = await refusal(ask('told://k', services({onFailure: (program, told) => heard.push(`${program}: ${told}`)})));
    expect(why).not.toContain('no access');
    expect(heard).toEqual([`${folder}/sigstore-kms-told: ${`no access to ${'x'.repeat(300)}`.slice(0, 200)}…`]);
  });

  it('that failed is asked again after some seconds', async () => {
    await install('mended', 'exit 1');
    let passed = 0;
    const from = services({clock: {...systemClock, monotonic: () => systemClock.monotonic() + passed}});
    expect(await refusal(ask('mended://k', from))).toContain('gave no JSON');
    await install('mended', `printf '%s' '${answerOf(pem)}'`);
    expect(await refusal(ask('mended://k', from))).toContain('gave no JSON');
    passed += 6_000;
    expect(await ask('mended://k', from)).toBe(pem);
  });

  it('that cannot be run is named with its folder', async () => {
    await install('closed', 'exit 0', 0o644);
    await mkdir(join(folder, 'sigstore-kms-folder'));
    await writeFile(join(folder, 'sigstore-kms-broken'), '#!/no/such/interpreter\n', {mode: 0o755});
    const {lackOf} = services();
    expect(lackOf('awskms')).toBe(`program ${folder}/sigstore-kms-awskms does not exist`);
    expect(lackOf('closed')).toBe(`program ${folder}/sigstore-kms-closed cannot be run: EACCES`);
    expect(lackOf('folder')).toBe(`${folder}/sigstore-kms-folder is no file`);
    expect(services({directory: ''}).lackOf('awskms')).toBe('--kmsPluginsDirectory names no folder with a program sigstore-kms-awskms');
    expect(await refusal(ask('awskms://k'))).toBe(`unreachable: key service awskms: program ${folder}/sigstore-kms-awskms does not exist`);
    expect(await refusal(ask('broken://k'))).toBe(`unreachable: key service broken: program ${folder}/sigstore-kms-broken: cannot be run: ENOENT`);
  });
});

describe('settings of plug-ins', () => {
  it('that say nothing are refused', () => {
    expect(() => services({directory: 'plugins'})).toThrow('--kmsPluginsDirectory: "plugins" is no absolute folder');
    expect(() => services({variables: ['*']})).toThrow('--kmsPluginEnvironment: "*" is no name of a variable');
    expect(() => services({variables: ['A=b']})).toThrow('--kmsPluginEnvironment: "A=b" is no name of a variable');
  });
});
