import {generateKeyPairSync} from 'node:crypto';
import {celEngineOf, celPolicy} from '../../cel-policies/testing/cel-engines.js';
import type {CelEngine} from '../../cel-policies/run/create-cel-engine.js';
import type {JsonObject} from '../../json/types.js';
import {recordingLoader} from '../../testing/recording-loader.js';
import type {ImageSource} from '../../image/verification.js';

const pem = () => generateKeyPairSync('ec', {namedCurve: 'P-256', publicKeyEncoding: {type: 'spki', format: 'pem'}, privateKeyEncoding: {type: 'pkcs8', format: 'pem'}}).publicKey;

/** Public keys of two signers. */
export const keys = {alice: pem().trim(), bob: pem().trim()};

/** YAML of attestors alice and bob, by keys. */
export const signers = `attestors: [{name: alice, cosign: {key: {data: ${JSON.stringify(keys.alice)}}}}, {name: bob, cosign: {key: {data: ${JSON.stringify(keys.bob)}}}}]`;
export const off = 'validationConfigurations: {mutateDigest: false, verifyDigest: false, required: false}';
export const signedByAlice = 'validations: [{expression: "images.containers.all(i, verifyImageSignatures(i, [attestors.alice]) > 0)", message: not signed by alice}]';

export function imagePolicy(spec: string, metadata: JsonObject = {}, kind = 'ImageValidatingPolicy'): JsonObject {
  return celPolicy(kind, spec, metadata);
}

export function imageEngine(objects: readonly JsonObject[], source: ImageSource, exceptionNamespace?: string): CelEngine {
  return celEngineOf(objects, {
    loader: recordingLoader({imageSource: source}),
    ...(exceptionNamespace !== undefined && {exceptionNamespace}),
  });
}

