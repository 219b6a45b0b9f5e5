import {existsSync, readFileSync} from 'node:fs';
import {mkdir, mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {systemClock} from '../../adapters/clock.js';
import {createKeyServices, type KeyServices} from '../../adapters/images/kms/key-services.js';
import {createPluginPrograms} from '../../adapters/images/kms/plugin-program.js';
import {createRegexEngine} from '../../adapters/regex/regex-engine.js';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import {compileCelPolicy} from '../../engine/cel-policies/compile/compile-cel-policy.js';
import {loadCelPolicy} from '../../engine/cel-policies/load/load-cel-policy.js';
import {compilePolicy} from '../../engine/compile/compile-policy.js';
import type {Json, JsonObject} from '../../engine/json/types.js';
import {loadClassicPolicy} from '../../engine/policy/index.js';

/** Which program is run is the admin's word: a folder and a fixed name. What a policy says chooses among what lies there. */
let home: string;
let marker: string;
let services: KeyServices;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'key-services-'));
  marker = join(home, 'ran');
  const script = `#!/bin/sh\necho "$0" >> ${marker}\n`;
  await mkdir(join(home, 'plugins'));
  // A folder whose name begins as programs do would be a way out, were a path in the scheme followed.
  await mkdir(join(home, 'plugins', 'sigstore-kms-a'));
  await mkdir(join(home, 'bin'));
  for (const name of ['bin/sh', 'sigstore-kms-x', 'plugins/sh']) await writeFile(join(home, name), script, {mode: 0o755});
  services = createKeyServices({clock: systemClock, directory: join(home, 'plugins'), variables: [], environment: process.env});
});
afterAll(() => rm(home, {recursive: true, force: true}));

const addresses = [
  '../../bin/sh://x',
  '../bin/sh://x',
  '/../bin/sh://x',
  'a/../../bin/sh://x',
  'a/../sh://x',
  '/bin/sh://x',
  './sh://x',
  '..://x',
  '%2e%2e/bin/sh://x',
  '..\\bin\\sh://x',
  'x\0://x',
  'x y://x',
  'x;id://x',
  '`id`://x',
  '-x://x',
  'X://x',
  'ｘ://x',
  'x\n://x',
  `${'x'.repeat(300)}://x`,
];
const compile = () => ({matchConditions: 'by-api-server', regex: createRegexEngine(), keyServiceLack: services.lackOf}) as const;

function classicFaults(keys: JsonObject): string[] {
  const rule = {name: 'r', match: {any: [{resources: {kinds: ['Pod']}}]}, verifyImages: [{imageReferences: ['*'], attestors: [{entries: [{keys}]}]}]};
  const raw: JsonObject = {apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', metadata: {name: 'p'}, spec: {rules: [rule as Json]}};
  const {policy, errors} = loadClassicPolicy(raw, {resources: builtinResourceMap});
  return (policy === undefined ? errors : compilePolicy(policy, compile()).problems).map(({code}) => code);
}

function celFaults(kms: string): string[] {
  const spec = {
    matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods']}]},
    attestors: [{name: 'a', cosign: {key: {kms}}}],
    validations: [{expression: 'true'}],
  };
  const {policy, errors} = loadCelPolicy({apiVersion: 'policies.kyverno.io/v1', kind: 'ImageValidatingPolicy', metadata: {name: 'p'}, spec} as JsonObject);
  return (policy === undefined ? errors : compileCelPolicy(policy, {...compile(), resources: builtinResourceMap}).problems).map(({code}) => code);
}

describe('the address of a key', () => {
  it.each(addresses)('%j chooses no program', async address => {
    expect(classicFaults({kms: address})).toEqual(['image-attestor']);
    expect(classicFaults({publicKeys: address})).toEqual(['image-attestor']);
    expect(celFaults(address)).toEqual(['attestor-key']);
    await expect(services.publicKey({uri: address, hash: 'sha256'}, new AbortController().signal)).rejects.toThrow('is no address of a key service');
    const scheme = address.slice(0, address.lastIndexOf('://'));
    expect(() => createPluginPrograms(join(home, 'plugins'), '--flag').pathOf(scheme)).toThrow('is no scheme');
    expect(existsSync(marker)).toBe(false);
  });

  it.each(['a://x', 'x://x', 'sh://x'])('%s finds nothing but a program of the folder and of that name', async address => {
    expect(classicFaults({kms: address})).toEqual(['not-served']);
    expect(celFaults(address)).toEqual(['not-served']);
    await expect(services.publicKey({uri: address, hash: 'sha256'}, new AbortController().signal)).rejects.toThrow(join(home, 'plugins', `sigstore-kms-${address.slice(0, -4)}`));
    expect(existsSync(marker)).toBe(false);
  });

  it('is one argument, whatever stands in it', async () => {
    await writeFile(join(home, 'plugins/sigstore-kms-args'), `#!/bin/sh\necho $# > ${home}/count\n`, {mode: 0o755});
    await expect(services.publicKey({uri: 'args://x; touch y $(touch z) `touch a` " \' --help \n\0', hash: 'sha256'}, new AbortController().signal)).rejects.toThrow('gave no JSON');
    expect(readFileSync(join(home, 'count'), 'utf8')).toBe('2\n');
  });
});
