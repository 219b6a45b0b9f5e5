import type {JsonObject} from '../../engine/json/types.js';
import type {Colours} from '../output/colours.js';
import {prettyJson} from '../output/json-text.js';
import {type JunitCase, junitXml} from '../output/junit.js';
import {type Cell, drawTable} from '../output/table.js';
import {yamlText} from '../output/yaml-text.js';
import type {Row} from './match-rows.js';

export const rowFormats = ['json', 'yaml', 'markdown', 'junit'] as const;
export type RowFormat = (typeof rowFormats)[number];

export interface FormatOptions {
  readonly detailed: boolean;
  readonly colours: Colours;
}

const headers = ['ID', 'POLICY', 'RULE', 'RESOURCE', 'RESULT', 'REASON'];

export function rowTable(rows: readonly Row[], {detailed, colours}: FormatOptions): string {
  const paint = {Pass: colours.good, Fail: colours.bad, Skip: colours.doubtful};
  const cells = rows.map((row, index): Cell[] => [
    {text: String(index + 1)},
    {text: row.policy, paint: colours.name},
    {text: row.rule, paint: colours.name},
    {text: row.resource, paint: colours.name},
    {text: row.result, paint: paint[row.result]},
    {text: row.reason, ...(row.result === 'Fail' && {paint: colours.bad})},
    ...(detailed ? [{text: row.message}] : []),
  ]);
  return drawTable(detailed ? [...headers, 'MESSAGE'] : headers, cells, colours);
}

/** Rows of all tests of a run as one document. */
export function formatRows(rows: readonly Row[], format: RowFormat, options: FormatOptions): string {
  switch (format) {
    case 'json':
      return `${prettyJson(rows.map((row, index) => rowJson(row, index, options.detailed)))}\n`;
    case 'yaml':
      return yamlText(rows.map((row, index) => rowJson(row, index, options.detailed)));
    case 'markdown':
      return markdown(rows, options.detailed);
    case 'junit':
      return junitXml(rows.map(junitCase));
  }
}

function rowJson(row: Row, index: number, detailed: boolean): JsonObject {
  return {
    ID: index + 1,
    POLICY: row.policy,
    RULE: row.rule,
    RESOURCE: row.resource,
    RESULT: row.result,
    REASON: row.reason,
    ...(detailed && {Message: row.message}),
  };
}

function markdown(rows: readonly Row[], detailed: boolean): string {
  const titles = detailed ? [...headers, 'MESSAGE'] : headers;
  const line = (cells: readonly string[]) =>
    `| ${cells.map(cell => cell.replaceAll('|', '\\|').replaceAll('\n', '<br>')).join(' | ')} |\n`;
  const body = rows.map((row, index) =>
    line([
      String(index + 1),
      row.policy,
      row.rule,
      row.resource,
      row.result,
      row.reason,
      ...(detailed ? [row.message] : []),
    ]),
  );
  return line(titles) + line(titles.map(() => '---')) + body.join('');
}

function junitCase(row: Row): JunitCase {
  const outcome = row.result === 'Fail' ? 'fail' : row.result === 'Skip' ? 'skip' : 'pass';
  return {
    suite: row.policy,
    className: row.rule,
    name: row.resource,
    outcome,
    reason: row.reason,
    message: row.message,
  };
}
