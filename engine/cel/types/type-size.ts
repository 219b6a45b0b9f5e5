import type {Type} from './type.js';

/** Nodes of a type; types of real expressions have a few. */
export const typeSizeLimit = 1_000;

const sizes = new WeakMap<Type, number>();

/** Nodes of the type written out, at most one more than the limit. Types share parts: each part is counted once and kept. */
export function typeSize(type: Type): number {
  switch (type.kind) {
    case 'list':
    case 'map':
    case 'optional':
    case 'type':
      break;
    default:
      return 1;
  }
  const known = sizes.get(type);
  if (known !== undefined) return known;
  const size = Math.min(typeSizeLimit + 1, 1 + partsSize(type));
  sizes.set(type, size);
  return size;
}

function partsSize(type: Type & {kind: 'list' | 'map' | 'optional' | 'type'}): number {
  switch (type.kind) {
    case 'list':
      return typeSize(type.element);
    case 'map':
      return typeSize(type.key) + typeSize(type.value);
    case 'optional':
      return typeSize(type.value);
    case 'type':
      return type.of === undefined ? 0 : typeSize(type.of);
  }
}
