import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, it} from 'vitest';
import {parse} from 'yaml';
import {formatDiagnostic} from '../../engine/diagnostic.js';
import type {SignatureQuery} from '../../engine/image/verification.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import {emptyCache, engineOf, policyOf} from '../../engine/testing/engines.js';
import {recordingLoader} from '../../engine/testing/recording-loader.js';
import {requestOf} from '../../engine/testing/requests.js';

/** A field of a verifier that nobody reads: what was meant to be strict lets everybody's signature pass. */
const digest = `sha256:${'a'.repeat(64)}`;
const pod = {apiVersion: 'v1', kind: 'Pod', metadata: {name: 'p', namespace: 'default'}, spec: {containers: [{name: 'c', image: `registry.example.org/app@${digest}`}]}};

function policy(keyless: JsonObject): JsonObject {
  const entry = {imageReferences: ['*'], attestors: [{entries: [{keyless}]}], mutateDigest: false};
  return policyOf('signed', JSON.stringify([{name: 'r', match: {any: [{resources: {kinds: ['Pod']}}]}, verifyImages: [entry]}]));
}

async function asked(keyless: JsonObject): Promise<SignatureQuery | undefined> {
  const queries: SignatureQuery[] = [];
  const imageSource = {
    imageData: () => ({}),
    resolveDigest: () => digest,
    verifySignature: (query: SignatureQuery) => {
      queries.push(query);
      return {digest};
    },
    verifyAttestations: () => ({digest, statements: [], otherTypes: []}),
  };
  const {engine} = engineOf([policy(keyless)], {loader: recordingLoader({imageSource: imageSource as never})});
  await engine.verifyAndPatchImages(requestOf({object: pod}), {deadline: Number.POSITIVE_INFINITY});
  return queries[0];
}

const base = {rekor: {url: 'https://rekor.example.org'}};

describe('what a keyless verifier asks for', () => {
  it.each([
    ['issuer', {issuer: 'https://issuer.example.org'}, 'issuer', 'https://issuer.example.org'],
    ['issuerRegExp', {issuerRegExp: '^https://issuer[.]example'}, 'issuer', '^https://issuer[.]example'],
    ['subject', {subject: 'me@example.org'}, 'subject', 'me@example.org'],
    ['subjectRegExp', {subjectRegExp: '^me@'}, 'subject', '^me@'],
  ] as const)('%s reaches who verifies, and without it nothing does', async (_name, field, part, text) => {
    const signer = (await asked({...base, ...(part === 'issuer' ? {subject: 's'} : {issuer: 'https://i'}), ...field}))?.attestor.signer;
    expect(signer).toMatchObject({type: 'keyless', identities: [{[part]: {text}}]});
    const without = (await asked({...base, issuer: 'https://i', subject: 's'}))?.attestor.signer;
    expect(without).not.toMatchObject({identities: [{[part]: {text}}]});
  });

  it.each(['subjectRegex', 'issuerRegexp', 'Subject', 'subjects'])('a field that there is not is told: %s', name => {
    const loaded = emptyCache().putPolicy(policy({...base, issuer: 'https://i', subject: 's', [name]: 'x'}));
    const told = [...(loaded.status === 'refused' ? loaded.problems : []), ...(loaded.warnings ?? [])].map(formatDiagnostic).join('\n');
    expect(told).toContain(name);
  });
});

describe('every field of an attestor that the definition has', () => {
  const file = join(import.meta.dirname, '../../crds/kyverno.io_clusterpolicies.yaml');
  const versions = ownPath(parse(readFileSync(file, 'utf8')) as JsonObject, 'spec', 'versions') as JsonObject[];
  const schema = ownPath(versions[0] ?? {}, 'schema', 'openAPIV3Schema', 'properties', 'spec', 'properties', 'rules', 'items', 'properties', 'verifyImages', 'items', 'properties', 'attestors', 'items', 'properties', 'entries', 'items');

  it('is known to the loader: none is dropped as unknown', () => {
    expect(leaves(schema).length).toBeGreaterThan(15);
    const text = readFileSync(join(import.meta.dirname, '../../engine/policy/known-fields.ts'), 'utf8');
    expect(leaves(schema).filter(name => !text.includes(name))).toEqual([]);
  });
});

function leaves(node: Json | undefined): string[] {
  if (!isObject(node)) return [];
  const properties = own(node, 'properties');
  if (!isObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, child]) => [name, ...leaves(child)]);
}
