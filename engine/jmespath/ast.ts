import type {Json} from '../json/types.js';

export type ComparatorOperator = '==' | '!=' | '<' | '<=' | '>' | '>=';

/** What a query means, before it is compiled. `depth` counts levels, so that later passes may recurse safely. */
export type Ast = {readonly depth: number; readonly position: number} & AstShape;

type AstShape =
  | {readonly kind: 'current'}
  | {readonly kind: 'literal'; readonly value: Json}
  | {readonly kind: 'field'; readonly name: string}
  | {readonly kind: 'index'; readonly index: number}
  | {readonly kind: 'slice'; readonly start?: number; readonly stop?: number; readonly step: number}
  /** `left.right` and `left[0]`: `right` is evaluated on what `left` gives. */
  | {readonly kind: 'sub'; readonly left: Ast; readonly right: Ast}
  | {readonly kind: 'pipe'; readonly left: Ast; readonly right: Ast}
  | {readonly kind: 'or'; readonly left: Ast; readonly right: Ast}
  | {readonly kind: 'and'; readonly left: Ast; readonly right: Ast}
  | {readonly kind: 'not'; readonly operand: Ast}
  | {readonly kind: 'compare'; readonly operator: ComparatorOperator; readonly left: Ast; readonly right: Ast}
  | {readonly kind: 'list'; readonly items: readonly Ast[]}
  | {readonly kind: 'hash'; readonly entries: ReadonlyArray<readonly [string, Ast]>}
  | {readonly kind: 'call'; readonly name: string; readonly args: readonly Ast[]}
  | {readonly kind: 'reference'; readonly operand: Ast}
  | {readonly kind: 'flatten'; readonly source: Ast}
  /** `source[*].item`, `source[].item`, `source[1:2].item`. */
  | {readonly kind: 'project'; readonly source: Ast; readonly item: Ast}
  /** `source.*.item`. */
  | {readonly kind: 'values'; readonly source: Ast; readonly item: Ast}
  | {readonly kind: 'filter'; readonly source: Ast; readonly condition: Ast; readonly item: Ast};

export type AstOf<K extends Ast['kind']> = Extract<Ast, {kind: K}>;
