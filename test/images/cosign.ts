import {execFile} from 'node:child_process';
import {readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {cosign} from './programs.js';

const run = promisify(execFile);

/** `tag`: the older payload under a tag; `bundle`: Sigstore bundles among the referrers. */
export type CosignFormat = 'tag' | 'bundle';

export interface CosignKey {
  /** PEM. */
  readonly publicKey: string;
  readonly privateKeyFile: string;
}

export interface SigningOptions {
  readonly format: CosignFormat;
  /** `host/repository@digest`. */
  readonly image: string;
  readonly key: CosignKey;
}

/** Cosign with a folder of its own; nothing is uploaded to logs, and nobody is asked but the registry. */
export interface Cosign {
  newKey(name: string): Promise<CosignKey>;
  sign(options: SigningOptions & {readonly annotations?: Readonly<Record<string, string>>; readonly certificate?: string; readonly chain?: string}): Promise<void>;
  attest(options: SigningOptions & {readonly type: string; readonly predicate: object}): Promise<void>;
}

/** No service at all: neither log nor authority nor timestamps. */
const signingConfig = {mediaType: 'application/vnd.dev.sigstore.signingconfig.v0.2+json', rekorTlogConfig: {selector: 'ANY'}, tsaConfig: {selector: 'ANY'}};
const trustedRoot = {mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1', tlogs: [], certificateAuthorities: [], ctlogs: [], timestampAuthorities: []};

export async function createCosign(folder: string): Promise<Cosign> {
  const program = await cosign();
  const files = {signingConfig: join(folder, 'signing-config.json'), trustedRoot: join(folder, 'trusted-root.json')};
  await writeFile(files.signingConfig, JSON.stringify(signingConfig));
  await writeFile(files.trustedRoot, JSON.stringify(trustedRoot));
  const env = {PATH: process.env['PATH'], HOME: folder, COSIGN_PASSWORD: 'x', COSIGN_YES: 'true'};
  const call = (args: readonly string[]) => run(program, args, {cwd: folder, env});

  const formatArgs = (format: CosignFormat): string[] =>
    format === 'bundle'
      ? ['--new-bundle-format=true', `--signing-config=${files.signingConfig}`, `--trusted-root=${files.trustedRoot}`]
      : ['--new-bundle-format=false', '--use-signing-config=false', '--tlog-upload=false'];
  const common = ({format, key}: SigningOptions): string[] => [...formatArgs(format), '--yes', '--allow-http-registry', '--allow-insecure-registry', `--key=${key.privateKeyFile}`];

  return {
    async newKey(name) {
      await call(['generate-key-pair', `--output-key-prefix=${name}`]);
      return {publicKey: await readFile(join(folder, `${name}.pub`), 'utf8'), privateKeyFile: join(folder, `${name}.key`)};
    },
    async sign({annotations = {}, certificate, chain, ...options}) {
      const args = ['sign', ...common(options)];
      for (const [name, value] of Object.entries(annotations)) args.push('-a', `${name}=${value}`);
      if (certificate !== undefined) args.push(`--certificate=${certificate}`);
      if (chain !== undefined) args.push(`--certificate-chain=${chain}`);
      await call([...args, options.image]);
    },
    async attest({type, predicate, ...options}) {
      const file = join(folder, `predicate-${Math.random().toString(36).slice(2)}.json`);
      await writeFile(file, JSON.stringify(predicate));
      await call(['attest', ...common(options), `--predicate=${file}`, `--type=${type}`, options.image]);
    },
  };
}
