import type {HashAlgorithm} from '../../../engine/image/verification.js';
import {parseJsonBytes} from '../../../engine/json/parse.js';
import {textOf} from '../../../engine/json/text.js';
import {isObject, type Json, ownPath} from '../../../engine/json/types.js';
import type {PluginOutput} from './run-plugin.js';

export interface KeyQuestion {
  /** What stands behind `scheme://`. */
  readonly key: string;
  readonly hash: HashAlgorithm;
  readonly deadline: Date;
}

const version = 'v1';
/** Numbers that Go gives them. */
const hashNumbers: Readonly<Record<HashAlgorithm, number>> = {sha224: 4, sha256: 5, sha384: 6, sha512: 7};
const mostText = 200;

/** Arguments of the method `publicKey` in the protocol of Sigstore's plug-ins. */
export function publicKeyArgs({key, hash, deadline}: KeyQuestion): string[] {
  const ctxDeadline = deadline.toISOString();
  const rpcOptions = {ctxDeadline, keyVersion: '', remoteVerification: false};
  const initOptions = {ctxDeadline, protocolVersion: version, keyResourceID: key, hashFunc: hashNumbers[hash], rpcOptions};
  return [version, JSON.stringify({initOptions, methodName: 'publicKey', publicKey: {publicKeyOptions: {rpcOptions}}})];
}

/** The plug-in's own word for what went wrong: for its admin, not for whoever makes a Pod. */
export class PluginFailure extends Error {
  override readonly name = 'PluginFailure';
  constructor(readonly told: string) {
    super('reports a failure');
  }
}

/** The PEM text of an answer. Throws an Error that tells what it is instead. The exit code says nothing, as the protocol has it. */
export function readPublicKey({stdout, code}: PluginOutput): string {
  let json: Json;
  try {
    json = parseJsonBytes(stdout);
  } catch {
    throw new Error(`gave no JSON${code === 0 ? '' : ` (exit code ${code ?? 'none, a signal ended it'})`}`);
  }
  if (!isObject(json)) throw new Error('gave no JSON object');
  const told = textOf(ownPath(json, 'errorMessage'));
  if (told !== '') throw new PluginFailure(oneLine(told));
  const encoded = textOf(ownPath(json, 'publicKey', 'publicKeyPEM'));
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) throw new Error('gave no publicKeyPEM in base64');
  return Buffer.from(encoded, 'base64').toString('utf8');
}

function oneLine(text: string): string {
  const line = text.replace(/[\p{C}\s]+/gu, ' ').trim();
  return line.length > mostText ? `${line.slice(0, mostText)}…` : line;
}
