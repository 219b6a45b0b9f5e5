// A registry in a process of its own, so that its work is not counted: `image` is signed by `key`. Tells what it is by a
// first message, and how often it was asked in answer to each further one.
import {generateKeyPairSync, sign} from 'node:crypto';
import {startTestRegistry} from '../../../adapters/images/testing/test-registry.js';

export interface RegistryFacts {
  readonly image: string;
  /** PEM. */
  readonly key: string;
}

const registry = await startTestRegistry();
const digest = registry.pushImage('app', 'v1');
const {privateKey, publicKey} = generateKeyPairSync('ec', {namedCurve: 'P-256'});
const payload = Buffer.from(JSON.stringify({critical: {identity: {}, image: {'docker-manifest-digest': digest}, type: 'cosign container image signature'}, optional: null}));
const annotations = {'dev.cosignproject.cosign/signature': sign('sha256', payload, privateKey).toString('base64')};
const layer = {mediaType: 'application/vnd.dev.cosign.simplesigning.v1+json', digest: registry.pushBlob(payload), size: payload.length, annotations};
const config = {mediaType: 'application/vnd.oci.image.config.v1+json', digest: registry.pushBlob('{}'), size: 2};
registry.pushManifest('app', {schemaVersion: 2, config, layers: [layer]}, `${digest.replace(':', '-')}.sig`);

process.on('message', () => process.send!({requests: registry.requests.splice(0).length}));
process.send!({image: `${registry.host}/app:v1`, key: publicKey.export({type: 'spki', format: 'pem'}).toString()} satisfies RegistryFacts);
