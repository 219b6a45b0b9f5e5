/** A metric that an expression asks for, and the labels it is asked by. */
export interface Selection {
  readonly metric: string;
  readonly labels: readonly string[];
}

const words = new Set(
  'by without on ignoring group_left group_right bool offset and or unless atan2 sum min max avg group stddev stdvar count count_values bottomk topk quantile'.split(' '),
);

/**
 * Metrics and labels of a PromQL expression as our rules and dashboards write them: matchers belong to their metric,
 * groupings to every metric within the parentheses beside them. No parser: functions are told by the parenthesis after them.
 */
export function selections(expression: string): readonly Selection[] {
  const bare = expression.replace(/"(?:[^"\\]|\\.)*"/g, '""').replace(/\[[^\]]*\]/g, '');
  const groupings = [...bare.matchAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g)].flatMap(match => names(match[1]!));
  const rest = bare.replace(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ');
  return [...rest.matchAll(/([a-zA-Z_:][\w:]*)\s*(\{[^}]*\})?(\s*\()?/g)].flatMap(([, name = '', matchers, call]) => {
    if (call !== undefined || words.has(name)) return [];
    return [{metric: name, labels: [...names((matchers ?? '').replace(/(!=|=~|!~|=)\s*""/g, ' ')), ...groupings]}];
  });
}

/** Labels that a legend or an annotation shows: `{{ $labels.reason }}`, `{{reason}}`. */
export function shownLabels(text: string): readonly string[] {
  return [...text.matchAll(/\{\{\s*(?:\$labels\.)?([a-z_]+)\s*\}\}/g)].map(match => match[1]!);
}

function names(list: string): string[] {
  return list.match(/[a-zA-Z_]\w*/g) ?? [];
}
