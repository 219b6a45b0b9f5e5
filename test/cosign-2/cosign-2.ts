import {execFile} from 'node:child_process';
import {createSign, generateKeyPairSync} from 'node:crypto';
import {mkdir, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {promisify} from 'node:util';
import type {CosignKey} from '../images/cosign.js';
import type {Sigstore} from '../images/sigstore.js';
import {cosign2} from './program.js';

const run = promisify(execFile);

export interface Identity {
  readonly subject: string;
  readonly issuer: string;
}

/** With a key nothing is published; by an identity the certificate and the log's entry are those of `Sigstore`. */
export type Signer = {readonly key: CosignKey; readonly logged?: boolean} | {readonly identity: Identity};

/** Cosign 2 with a folder of its own, in the format that it has had from the start: tags beside the image. */
export interface Cosign2 {
  newKey(name: string): Promise<CosignKey>;
  sign(image: string, signer: Signer, annotations?: Readonly<Record<string, string>>): Promise<void>;
  attest(image: string, signer: Signer, statement: {readonly type: string; readonly predicate: object}): Promise<void>;
}

export async function createCosign2(parent: string, sigstore: Sigstore): Promise<Cosign2> {
  const program = await cosign2();
  const folder = join(parent, 'cosign-2');
  await mkdir(folder);
  const files = {ct: join(folder, 'ct.pub'), rekor: join(folder, 'rekor.pub'), roots: join(folder, 'roots.pem')};
  await writeFile(files.ct, sigstore.ctlogKey);
  await writeFile(files.rekor, sigstore.rekorKey);
  await writeFile(files.roots, sigstore.roots);
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    COSIGN_PASSWORD: 'x',
    // In place of the public roots, which it would fetch.
    SIGSTORE_CT_LOG_PUBLIC_KEY_FILE: files.ct,
    SIGSTORE_REKOR_PUBLIC_KEY: files.rekor,
    SIGSTORE_ROOT_FILE: files.roots,
  };
  const call = (args: readonly string[]) => run(program, args, {cwd: folder, env});
  let predicates = 0;

  function signerArgs(signer: Signer): string[] {
    const common = ['--yes', '--allow-http-registry', '--allow-insecure-registry'];
    if ('identity' in signer) return [...common, `--fulcio-url=${sigstore.url}`, `--rekor-url=${sigstore.url}`, `--identity-token=${tokenOf(signer.identity)}`];
    const log = signer.logged === true ? `--rekor-url=${sigstore.url}` : '--tlog-upload=false';
    return [...common, log, `--key=${signer.key.privateKeyFile}`];
  }

  return {
    async newKey(name) {
      await call(['generate-key-pair', `--output-key-prefix=${name}`]);
      return {publicKey: await readFile(join(folder, `${name}.pub`), 'utf8'), privateKeyFile: join(folder, `${name}.key`)};
    },
    async sign(image, signer, annotations = {}) {
      const named = Object.entries(annotations).flatMap(([name, value]) => ['-a', `${name}=${value}`]);
      await call(['sign', ...signerArgs(signer), ...named, image]);
    },
    async attest(image, signer, {type, predicate}) {
      predicates += 1;
      const file = join(folder, `predicate-${predicates}.json`);
      await writeFile(file, JSON.stringify(predicate));
      await call(['attest', ...signerArgs(signer), `--predicate=${file}`, `--type=${type}`, image]);
    },
  };
}

const tokenKey = generateKeyPairSync('rsa', {modulusLength: 2048}).privateKey;

/** An identity token, as a build system has one. */
function tokenOf({subject, issuer}: Identity): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const now = Math.floor(Date.now() / 1000);
  const text = `${encode({alg: 'RS256', typ: 'JWT'})}.${encode({iss: issuer, sub: subject, aud: 'sigstore', iat: now, exp: now + 600})}`;
  return `${text}.${createSign('RSA-SHA256').update(text).sign(tokenKey, 'base64url')}`;
}
