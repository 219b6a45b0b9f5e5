import {CelError} from '../errors.js';
import type {FunctionDeclaration, Library} from '../library/library.js';
import {boolType, opaque, stringType, type Type} from '../types/type.js';
import {OpaqueValue, type Value} from '../values/value.js';
import {declare} from './declare.js';
import {type ResolvedReference, resolveReference} from './image-reference.js';

export const imageType = opaque('kyverno.image');

/** What `parseImageReference` makes. */
export class ImageValue extends OpaqueValue {
  readonly typeName = 'kyverno.image';

  constructor(readonly reference: ResolvedReference) {
    super();
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof ImageValue && other.text() === this.text();
  }

  override text(): string {
    const {registry, repository, tag, digest} = this.reference;
    return `${registry}/${repository}${tag === '' ? '' : `:${tag}`}${digest === '' ? '' : `@${digest}`}`;
  }
}

function parse(text: string): ImageValue {
  const reference = resolveReference(text);
  if (reference === undefined) throw new CelError(`could not parse reference: ${text.slice(0, 200)}`);
  return new ImageValue(reference);
}

const fromText = (result: Type, call: (text: string) => Value) => [
  {id: 'string', receiver: false, params: [stringType], result, call, cost: (text: string) => text.length >>> 6},
];

function part(name: string, result: Type, read: (reference: ResolvedReference) => Value): FunctionDeclaration[] {
  const call = (image: ImageValue) => read(image.reference);
  return declare('image', [name], [{id: 'image', receiver: true, params: [imageType], result, call}]);
}

/** Image references, parsed only: nothing is asked of a registry. */
export const imageLibrary: Library = {
  name: 'kyverno.image',
  functions: [
    ...declare('image', ['parseImageReference', 'image'], fromText(imageType, parse)),
    ...declare(
      'image',
      ['isImage'],
      fromText(boolType, text => resolveReference(text) !== undefined),
    ),
    ...part('registry', stringType, ({registry}) => registry),
    ...part('repository', stringType, ({repository}) => repository),
    ...part('tag', stringType, ({tag}) => tag),
    ...part('digest', stringType, ({digest}) => digest),
    ...part('containsDigest', boolType, ({digest}) => digest !== ''),
    ...part('identifier', stringType, ({tag, digest}) =>
      digest === '' ? tag : tag === '' ? digest : `${tag}@${digest}`,
    ),
    ...part('identifierWithSeparator', stringType, ({tag, digest}) => (digest === '' ? `:${tag}` : `@${digest}`)),
  ],
};
