import type {ImageDataOptions, MaybePromise} from '../../engine/context-loader.js';
import {EvalError} from '../../engine/diagnostic.js';
import type {ImageSource} from '../../engine/image/verification.js';
import type {Json} from '../../engine/json/types.js';

/** Data of an image for variables and expressions, with the installation's credentials and what else is given. */
export function imageDataOf(
  images: ImageSource | undefined,
  reference: string,
  {deadline, access: given, allowInsecureRegistry}: ImageDataOptions & {readonly allowInsecureRegistry: boolean},
): MaybePromise<Json> {
  if (images === undefined) throw new EvalError(`image ${reference}: registries are not asked here`);
  const failed = (error: unknown): never => {
    if (error instanceof EvalError) throw error;
    throw new EvalError(error instanceof Error ? error.message : `image ${reference} cannot be read`);
  };
  try {
    const access = {
      secrets: given?.secrets ?? [],
      providers: given?.providers ?? [],
      allowInsecureRegistry: allowInsecureRegistry || given?.allowInsecureRegistry === true,
    };
    const data = images.imageData(reference, access, {deadline, useCache: true});
    return data instanceof Promise ? data.catch(failed) : data;
  } catch (error) {
    return failed(error);
  }
}
