import {describe, expect, it} from 'vitest';
import type {ContextLoader} from '../context-loader.js';
import {type JsonObject, ownPath} from '../json/types.js';
import {deadline, engineOf, policyOf} from '../testing/engines.js';
import {recordingImages} from '../testing/image-source.js';
import {recordingLoader} from '../testing/recording-loader.js';
import {requestOf} from '../testing/requests.js';
import {type ImageParseOptions, parseImageReference} from './parse-image.js';

const digest = `sha256:${'a'.repeat(64)}`;
const key = '-----BEGIN PUBLIC KEY-----\\nAAAA\\n-----END PUBLIC KEY-----\\n';
const pods = 'match: {any: [{resources: {kinds: [Pod]}}]}';
const mirror: ImageParseOptions = {defaultRegistry: 'mirror.io/hub'};
const hidden: ImageParseOptions = {defaultRegistry: 'docker.io', hidesDefault: true};

const pod: JsonObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {name: 'p', namespace: 'team'},
  spec: {containers: [{name: 'c', image: 'nginx:1'}]},
};

function engineWith(policy: JsonObject, defaults: () => ImageParseOptions | undefined) {
  const tags = Object.fromEntries(['docker.io/nginx:1', 'mirror.io/hub/nginx:1', 'nginx:1'].map(tag => [tag, digest]));
  const images = recordingImages({tags, signed: {[digest]: ['AAAA']}});
  const loader: ContextLoader = Object.defineProperty(recordingLoader({imageSource: images}), 'imageDefaults', {get: defaults});
  return {images, ...engineOf([policy], {loader})};
}

describe('an image that names no registry', () => {
  it('is in the default one, which may have a path', () => {
    expect(parseImageReference('nginx', mirror)).toMatchObject({registry: 'mirror.io', path: 'hub/nginx', reference: 'mirror.io/hub/nginx:latest'});
    expect(parseImageReference('ghcr.io/app', mirror)?.registry).toBe('ghcr.io');
    expect(parseImageReference('nginx', hidden)).toMatchObject({registry: '', path: 'nginx', reference: 'nginx:latest'});
  });

  const rows: ReadonlyArray<readonly [string, ImageParseOptions | undefined, readonly [references: string, asked: string, after: string]]> = [
    ['of Docker when nothing is said', undefined, ['docker.io/*', 'docker.io/nginx:1', 'docker.io/nginx:1']],
    ['of the installation', mirror, ['mirror.io/hub/*', 'mirror.io/hub/nginx:1', 'mirror.io/hub/nginx:1']],
    ['that is not shown, and still meant', hidden, ['docker.io/*', 'nginx:1', 'nginx:1']],
    ['that is not shown, by its name as written', hidden, ['nginx:*', 'nginx:1', 'nginx:1']],
  ];
  for (const [title, defaults, [references, asked, after]] of rows) {
    it(`is verified there: ${title}`, async () => {
      const entry = `{imageReferences: ["${references}"], attestors: [{entries: [{keys: {publicKeys: "${key}"}}]}]}`;
      const {engine, images} = engineWith(policyOf('p', `[{name: r, ${pods}, verifyImages: [${entry}]}]`), () => defaults);
      const {object} = await engine.verifyAndPatchImages(requestOf({object: pod}), {deadline});
      expect(images.calls).toEqual([`signature ${asked} AAAA`]);
      const [container] = ownPath(object, 'spec', 'containers') as JsonObject[];
      expect(container?.['image']).toBe(`${after}@${digest}`);
    });
  }

  it('is shown so in variables and by image_normalize, from the next request on', async () => {
    let defaults: ImageParseOptions = {defaultRegistry: 'docker.io'};
    const message = "{{ images.containers.c.registry || 'none' }} {{ image_normalize('nginx') }}";
    const rule = `[{name: r, ${pods}, validate: {message: "${message}", deny: {}}}]`;
    const {engine} = engineWith(policyOf('p', rule), () => defaults);
    const told = async () => {
      const {results} = await engine.validate(requestOf({object: pod}), {bucket: 'all', deadline});
      return results[0]?.rules[0]?.message;
    };
    expect(await told()).toBe('docker.io docker.io/nginx:latest');
    defaults = mirror;
    expect(await told()).toBe('mirror.io mirror.io/hub/nginx:latest');
    defaults = hidden;
    expect(await told()).toBe('none nginx:latest');
  });
});
