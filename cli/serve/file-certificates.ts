import {mkdir, readFile, rename, writeFile} from 'node:fs/promises';
import {homedir, tmpdir} from 'node:os';
import {join} from 'node:path';
import type {IssuedCertificate} from '../../adapters/tls/index.js';
import {planTls} from '../../operator/tls/tls-material.js';
import type {CertificateSource} from '../../webhook/types.js';

const dayMs = 86_400_000;

export interface FileCertificates extends CertificateSource {
  /** PEM file for `curl --cacert`. */
  readonly caFile: string;
}

/** Certificates for localhost, kept in a folder so that a later start has nothing to issue. */
export async function fileCertificates(directory: string | undefined, host: string, now: number): Promise<FileCertificates> {
  const folder = directory ?? (await defaultFolder());
  await mkdir(folder, {recursive: true, mode: 0o700});
  const isIp = /^[\d.]+$|:/.test(host);
  const plan = await planTls(
    {ca: await readPair(folder, 'ca'), leaf: await readPair(folder, 'tls')},
    {
      now,
      renewBefore: 15 * dayMs,
      algorithm: 'ECDSA',
      commonName: 'kyverno standalone',
      dnsNames: ['localhost', ...(isIp || host === 'localhost' ? [] : [host])],
      ipAddresses: ['127.0.0.1', ...(isIp && host !== '127.0.0.1' && host !== '0.0.0.0' && host !== '::' ? [host] : [])],
    },
  );
  if (plan.renewed.includes('ca')) await writePair(folder, 'ca', plan.ca);
  if (plan.renewed.includes('leaf')) await writePair(folder, 'tls', plan.leaf);
  const certificate = {key: plan.leaf.key, cert: plan.leaf.cert, ca: plan.ca.cert};
  return {caFile: join(folder, 'ca.crt'), current: () => certificate, subscribe: () => () => {}};
}

async function defaultFolder(): Promise<string> {
  const base = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const folder = join(base, 'kyverno', 'tls');
  try {
    await mkdir(folder, {recursive: true, mode: 0o700});
    return folder;
  } catch {
    // A read-only home, as in a container.
    return join(tmpdir(), `kyverno-tls-${process.getuid?.() ?? 0}`);
  }
}

async function readPair(folder: string, name: string): Promise<IssuedCertificate | undefined> {
  try {
    const [cert, key] = await Promise.all([readFile(join(folder, `${name}.crt`), 'utf8'), readFile(join(folder, `${name}.key`), 'utf8')]);
    return {cert, key};
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function writePair(folder: string, name: string, pair: IssuedCertificate): Promise<void> {
  await writeWhole(join(folder, `${name}.key`), pair.key);
  await writeWhole(join(folder, `${name}.crt`), pair.cert);
}

async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, {mode: 0o600});
  await rename(`${path}.new`, path);
}
