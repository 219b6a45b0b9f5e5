import {describe, expect, it} from 'vitest';
import {type ImageOptions, type ImageSource, ImageVerificationError, type SignatureQuery} from '../../engine/image/verification.js';
import {createSharedImages, knownOfImages} from './shared-images.js';

const query = {image: 'a.example/b:1'} as SignatureQuery;

/** Knows what `verdicts` says, and counts what it has to fetch. */
function source(verdicts: Readonly<Record<string, string | ImageVerificationError>>) {
  const fetched: string[] = [];
  const images = {
    verifySignature({image}: SignatureQuery, {cacheOnly}: ImageOptions) {
      const known = verdicts[image];
      if (known instanceof ImageVerificationError) throw known;
      if (known !== undefined) return {digest: known};
      if (cacheOnly === true) throw new ImageVerificationError('nothing is known', 'uncached');
      fetched.push(image);
      return {digest: 'sha256:fetched'};
    },
  } as unknown as ImageSource;
  return {images, fetched};
}

function shared(admission: ReturnType<typeof source>, own: ReturnType<typeof source>): ImageSource {
  return createSharedImages(own.images, async question => structuredClone(await knownOfImages(admission.images, structuredClone(question))));
}

const options = (more: Partial<ImageOptions> = {}): ImageOptions => ({deadline: Date.now() + 1_000, useCache: true, ...more});

describe('images of two threads', () => {
  it('are known to both where admission has asked', async () => {
    const own = source({});
    const images = shared(source({'a.example/b:1': 'sha256:one'}), own);
    expect(await images.verifySignature(query, options({cacheOnly: true}))).toEqual({digest: 'sha256:one'});
    expect(own.fetched).toEqual([]);
  });

  it('are fetched where nobody has, and only if that is wanted', async () => {
    const admission = source({});
    const own = source({});
    const images = shared(admission, own);
    await expect(images.verifySignature(query, options({cacheOnly: true}))).rejects.toMatchObject({reason: 'uncached'});
    expect(await images.verifySignature(query, options())).toEqual({digest: 'sha256:fetched'});
    expect([admission.fetched, own.fetched]).toEqual([[], ['a.example/b:1']]);
  });

  it('fail for the same reason', async () => {
    const images = shared(source({'a.example/b:1': new ImageVerificationError('no signature', 'unverified')}), source({}));
    await expect(images.verifySignature(query, options({cacheOnly: true}))).rejects.toMatchObject({reason: 'unverified', message: 'no signature'});
  });

  it('are fetched by each where that is wanted: tags stand for something else a moment later', async () => {
    const own = source({});
    const images = shared(source({'a.example/b:1': 'sha256:one'}), own);
    expect(await images.verifySignature(query, options())).toEqual({digest: 'sha256:fetched'});
  });
});
