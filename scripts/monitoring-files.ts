import {readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {parse} from 'yaml';
import {type Selection, selections, shownLabels} from './promql-names.js';

const folder = resolve(import.meta.dirname, '../monitoring');

interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface RuleGroups {
  readonly groups: ReadonlyArray<{readonly name: string; readonly rules: readonly Rule[]}>;
}

interface Dashboard {
  readonly panels: ReadonlyArray<{readonly title: string; readonly targets?: ReadonlyArray<{readonly expr: string; readonly legendFormat: string}>}>;
}

export function monitoringFile<T>(name: string): T {
  const text = readFileSync(join(folder, name), 'utf8');
  return (name.endsWith('.json') ? JSON.parse(text) : parse(text)) as T;
}

export interface Use extends Selection {
  /** Where it stands, for messages. */
  readonly where: string;
}

/** Labels that scraping adds. */
const added = new Set(['pod', 'job', 'instance']);

/** Every metric with every label that rules and dashboard use; what rules record is left out. */
export function monitoringUses(): readonly Use[] {
  const {groups} = monitoringFile<RuleGroups>('rules.yaml');
  const rules = groups.flatMap(group => group.rules);
  const recorded = new Set(rules.flatMap(({record}) => record ?? []));
  const uses = [
    ...rules.flatMap(({record, alert, expr, annotations}) =>
      usesOf(`${record ?? alert}`, expr, Object.values(annotations ?? {}).flatMap(shownLabels)),
    ),
    ...monitoringFile<Dashboard>('grafana-dashboard.json').panels.flatMap(({title, targets}) =>
      (targets ?? []).flatMap(({expr, legendFormat}) => usesOf(title, expr, shownLabels(legendFormat))),
    ),
  ];
  return uses.filter(({metric}) => !recorded.has(metric));
}

function usesOf(where: string, expression: string, shown: readonly string[]): Use[] {
  return selections(expression).map(({metric, labels}) => ({where, metric, labels: [...new Set([...labels, ...shown])].filter(label => !added.has(label))}));
}

/** What a scrape has of each use; texts name what it lacks. `text`: the exposition. */
export function missingSeries(text: string, uses: readonly Use[]): string[] {
  const series = new Map<string, Set<string>[]>();
  for (const line of text.split('\n')) {
    const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/.exec(line);
    if (match === null) continue;
    const labels = new Set([...(match[2] ?? '').matchAll(/([a-zA-Z_]\w*)="(?:[^"\\]|\\.)*"/g)].map(found => found[1]!));
    const known = series.get(match[1]!);
    if (known === undefined) series.set(match[1]!, [labels]);
    else known.push(labels);
  }
  return uses.flatMap(({where, metric, labels}) => {
    const found = series.get(metric);
    if (found === undefined) return [`${where}: no series ${metric}`];
    return found.some(one => labels.every(label => one.has(label))) ? [] : [`${where}: ${metric} has no labels ${labels.join(', ')}`];
  });
}
