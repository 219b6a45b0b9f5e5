import type {LoadOptions} from '../../context-loader.js';
import type {Json} from '../../json/types.js';
import type {CelHost, Library} from '../library/library.js';
import {dynType, stringType} from '../types/type.js';
import type {Value} from '../values/value.js';
import {ask} from './ask.js';
import {imageDataContext} from './contexts.js';
import {declare} from './declare.js';
import {withDoubles} from './doubles.js';

const failure = 'failed to get image data';

/** The variable `image`: manifest and configuration of an image from its registry. */
export const imageDataLibrary: Library = {
  name: 'kyverno.imageData',
  variables: {image: imageDataContext.type},
  functions: declare(
    'imagedata',
    ['GetMetadata', 'getMetadata'],
    [
      {
        id: 'reference',
        receiver: true,
        params: [imageDataContext.type, stringType],
        result: dynType,
        host: true,
        // A policy on images has credentials of its own.
        call: (host: CelHost, _self: Value, reference: string): Value =>
          host.imageRun?.imageData(reference, failure) ??
          ask<Json>(host, {
            failure,
            key: ['image.metadata', reference],
            load: options => described(host, reference, options),
          }),
      },
    ],
  ),
};

function described(host: CelHost, reference: string, options: LoadOptions): Json | Promise<Json> {
  const data = host.loader.imageData(reference, options);
  return data instanceof Promise ? data.then(withDoubles) : withDoubles(data);
}
