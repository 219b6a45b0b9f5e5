import type {ObjectShape} from '../../policy/shape.js';
import type {CelPolicyType} from '../model.js';
import {
  deletingSpecShape,
  generatingSpecShape,
  imageValidatingSpecShape,
  mutatingSpecShape,
  validatingSpecShape,
} from './shapes.js';

export const celPolicyGroup = 'policies.kyverno.io';

export interface CelKind {
  readonly type: CelPolicyType;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly versions: readonly string[];
  readonly spec: ObjectShape;
}

const kinds: ReadonlyMap<string, CelKind> = new Map(
  (
    [
      ['ValidatingPolicy', 'validating', validatingSpecShape],
      ['MutatingPolicy', 'mutating', mutatingSpecShape],
      ['GeneratingPolicy', 'generating', generatingSpecShape],
      ['DeletingPolicy', 'deleting', deletingSpecShape],
      ['ImageValidatingPolicy', 'imageValidating', imageValidatingSpecShape],
    ] as const
  ).flatMap(([kind, type, spec]): Array<[string, CelKind]> => {
    const twin = `Namespaced${kind}`;
    return [
      [kind, {type, kind, namespaced: false, versions: ['v1beta1', 'v1', 'v1alpha1'], spec}],
      [twin, {type, kind: twin, namespaced: true, versions: ['v1beta1', 'v1'], spec}],
    ];
  }),
);

/** `undefined` for a kind that is no CEL policy. */
export function celKind(kind: string): CelKind | undefined {
  return kinds.get(kind);
}

export const celKinds: readonly string[] = [...kinds.keys()];
