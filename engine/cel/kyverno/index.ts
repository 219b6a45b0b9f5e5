export {type GeneratorCall, GeneratorContext, generatorLibrary} from './generator.js';
export {globalContextLibrary} from './global-context.js';
export {gzipLibrary} from './gzip.js';
export {hashLibrary} from './hash.js';
export {httpLibrary} from './http.js';
export {ImageValue, imageLibrary, imageType} from './image.js';
export {imageDataLibrary} from './image-data.js';
export {type ResolvedReference, resolveReference} from './image-reference.js';
export {jsonLibrary} from './json.js';
export {
  type KyvernoContextOptions,
  type KyvernoLibraryOptions,
  kyvernoContexts,
  kyvernoLibraries,
} from './libraries.js';
export {randomLibrary} from './random.js';
export {resourceLibrary, resourceMapType} from './resource.js';
export {roundLibrary} from './round.js';
export {timeLibrary} from './time.js';
export {transformLibrary} from './transform.js';
export {userLibrary} from './user.js';
export {x509Library} from './x509.js';
export {yamlLibrary} from './yaml.js';
