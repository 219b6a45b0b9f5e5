import type {ExplainNode, Verdict} from './types.js';

/** The node without the fields that have no value. */
export function node(
  fields: {readonly [K in keyof ExplainNode]: ExplainNode[K] | undefined} & Pick<
    ExplainNode,
    'kind' | 'name' | 'path' | 'verdict'
  >,
): ExplainNode {
  const {kind, name, path, at, verdict, wanted, got, note, children} = fields;
  return {
    kind,
    name,
    path,
    ...(at !== undefined && {at}),
    verdict,
    ...(wanted !== undefined && {wanted}),
    ...(got !== undefined && {got}),
    ...(note !== undefined && note !== '' && {note}),
    ...(children !== undefined && children.length > 0 && {children}),
  };
}

export function yesNo(holds: boolean): Verdict {
  return holds ? 'yes' : 'no';
}
