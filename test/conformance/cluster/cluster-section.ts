import {gistOf} from './chainsaw-report.js';
import type {SuiteResult} from './results.js';
import {type ClusterSuite, counts} from './suites.js';

const begin = '<!-- cluster: made by npm run conformance:cluster -->';
const end = '<!-- cluster end -->';

/** Puts the section into the page, in place of the one there or at its end. */
export function withClusterSection(page: string, section: string): string {
  const block = `${begin}\n${section}${end}\n`;
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from === -1 || to === -1) return `${page.trimEnd()}\n\n${block}`.trimStart();
  return `${page.slice(0, from)}${block}${page.slice(to + end.length).replace(/^\n/, '')}`;
}

/** The section of a page, with its marks; empty when there is none. */
export function clusterSectionOf(page: string): string {
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  return from === -1 || to === -1 ? '' : page.slice(from, to + end.length);
}

interface Row {
  suites: number;
  counted: number;
  passed: number;
  failed: number;
}

/** One row per family, and each counted suite that does not pass, with its cause where one is known. */
export function clusterSection(
  suites: readonly ClusterSuite[],
  last: ReadonlyMap<string, SuiteResult>,
  causes: ReadonlyMap<string, string>,
): string {
  const kinds = [...new Set(suites.map(({kind}) => kind))];
  const tables = kinds.map(kind =>
    table(
      kind,
      suites.filter(suite => suite.kind === kind),
      last,
    ),
  );
  return `# Suites on a cluster

Each chainsaw suite of Kyverno's own repositories on a real API server, controller manager and etcd, with this operator. A
suite counts when Kyverno's own operator passes it on such a control plane, or was not tried there and the suite needs
neither a network nor running Pods.
${tables.join('')}${share(suites, last)}${failures(suites, last, causes)}`;
}

function share(suites: readonly ClusterSuite[], last: ReadonlyMap<string, SuiteResult>): string {
  const ran = suites.filter(suite => counts(suite) && last.has(suite.id));
  const passed = ran.filter(({id}) => last.get(id)?.status === 'pass').length;
  if (ran.length === 0) return '';
  return `\nOf ${ran.length} suites that count and were run, ${passed} pass (${((100 * passed) / ran.length).toFixed(1)} %).\n`;
}

function failures(
  suites: readonly ClusterSuite[],
  last: ReadonlyMap<string, SuiteResult>,
  causes: ReadonlyMap<string, string>,
): string {
  const failed = suites.filter(suite => counts(suite) && !['pass', undefined].includes(last.get(suite.id)?.status));
  if (failed.length === 0) return '';
  const rows = failed.map(({id}) => {
    const result = last.get(id);
    const text =
      causes.get(id) ?? `not explained: ${result?.reason ?? gistOf(result?.failure?.message ?? result?.status ?? '')}`;
    return `| ${id} | ${text.replaceAll('|', '\\|').replaceAll('\n', ' ')} |\n`;
  });
  return `
## Suites that count and do not pass

| suite | cause |
|---|---|
${rows.join('')}`;
}

function table(kind: string, suites: readonly ClusterSuite[], last: ReadonlyMap<string, SuiteResult>): string {
  const rows = new Map<string, Row>();
  const total: Row = {suites: 0, counted: 0, passed: 0, failed: 0};
  for (const suite of suites) {
    const row = rows.get(suite.family) ?? {suites: 0, counted: 0, passed: 0, failed: 0};
    rows.set(suite.family, row);
    const status = last.get(suite.id)?.status;
    for (const sum of [row, total]) {
      sum.suites += 1;
      if (!counts(suite)) continue;
      sum.counted += 1;
      if (status === 'pass') sum.passed += 1;
      else if (status === 'fail' || status === 'timeout') sum.failed += 1;
    }
  }
  if (total.passed + total.failed === 0) return '';
  const line = (name: string, {suites: all, counted, passed, failed}: Row) =>
    `| ${name} | ${all} | ${counted} | ${passed} | ${failed} | ${counted - passed - failed} |\n`;
  return `
## ${kind}

| family | suites | count | pass | fail | not run |
|---|---|---|---|---|---|
${[...rows].map(([name, row]) => line(name, row)).join('')}${line('**all**', total)}`;
}
