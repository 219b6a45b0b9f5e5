import {describe, expect, it} from 'vitest';
import {Float, type Json} from '../../engine/json/types.js';
import {parseYaml} from '../../engine/yaml/index.js';
import {coloursFor} from './colours.js';
import {prettyJson} from './json-text.js';
import {junitXml} from './junit.js';
import {createProgressBar} from './progress-bar.js';
import {type SarifResult, sarifLog} from './sarif.js';
import {drawTable} from './table.js';
import {escapeXml} from './xml.js';
import {yamlText} from './yaml-text.js';

describe('table', () => {
  it('has four borders and upper-case headers', () => {
    expect(drawTable(['id', 'Name'], [[{text: '1'}, {text: 'long name'}]])).toBe(
      '│────│───────────│\n│ ID │ NAME      │\n│────│───────────│\n│ 1  │ long name │\n│────│───────────│\n',
    );
  });

  it('counts beyond ten rows and breaks very long cells at words', () => {
    const rows = Array.from({length: 11}, (_, index) => [{text: String(index)}, {text: 'word '.repeat(100).trim()}]);
    const text = drawTable(['ID', 'TEXT'], rows);
    expect(text).toContain('│ ID (11) │');
    expect(text.split('\n').every(line => line.length < 330)).toBe(true);
  });
});

describe('colours', () => {
  it.each<[terminal: boolean, remove: boolean, environment: NodeJS.ProcessEnv, coloured: boolean]>([
    [true, false, {}, true],
    [false, false, {}, false],
    [true, true, {}, false],
    [true, false, {NO_COLOR: '1'}, false],
  ])('terminal %s, --remove-color %s, environment %j: %s', (terminal, remove, environment, coloured) => {
    expect(coloursFor({terminal, remove, environment}).good('x') !== 'x').toBe(coloured);
  });
});

describe('YAML text', () => {
  it.each<[what: string, value: Json]>([
    ['words that readers may take for booleans', {a: ['yes', 'no', 'on', 'off', 'y', 'true', 'null', '~', '']}],
    [
      'texts that look like numbers',
      {a: ['1', '012', '0x1F', '1_000', '1e3', '1:30', '.5', '0o14', '-.inf', '2001-01-01']},
    ],
    [
      'texts of many lines',
      {a: 'one\ntwo\n', b: 'x: y', c: '- a', d: ' lead', e: 'tab\there', f: '#no comment', g: 'a # b'},
    ],
    ['numbers', {a: 1, b: 1.5, c: 12345678901234567890n, d: new Float(2)}],
    ['empty things', {a: {}, b: [], c: null}],
    ['keys', {yes: 1, '1': 2, 'a: b': 3, 'generate.kyverno.io/x': 4}],
  ])('reads back as written: %s', (_what, value) => {
    const read = parseYaml(yamlText(value));
    expect(prettyJson(read)).toBe(prettyJson(value));
  });

  it('sorts and indents as asked', () => {
    expect(yamlText({b: {c: [1]}, a: 2}, {sortKeys: true, indent: 4})).toBe('a: 2\nb:\n    c:\n      - 1\n');
  });
});

describe('XML', () => {
  it('escapes what would be markup and replaces what cannot be', () => {
    expect(escapeXml(`<a b="c">&'\u0000\n`)).toBe('&lt;a b=&quot;c&quot;&gt;&amp;&apos;\uFFFD&#10;');
  });

  it('JUnit groups by policy', () => {
    const xml = junitXml([
      {suite: 'p', className: 'r', name: 'a', outcome: 'pass', reason: 'Ok'},
      {suite: 'q', className: 'r', name: 'b', outcome: 'fail', reason: 'Want <pass>', message: 'm & n'},
      {suite: 'p', className: 's', name: 'c', outcome: 'skip', reason: 'Invalid Policy'},
    ]);
    expect(xml).toContain('<testsuites tests="3" failures="1" errors="0">');
    expect(xml).toContain('<testsuite name="p" tests="2" failures="0" errors="0" skipped="1">');
    expect(xml).toContain('<failure message="Want &lt;pass&gt;">m &amp; n</failure>');
  });
});

describe('SARIF', () => {
  const result = (more: Partial<SarifResult>): SarifResult => ({
    policy: 'p',
    rule: 'r',
    status: 'fail',
    message: 'm',
    resource: 'n/Pod/a',
    file: 'dir with space/x.yaml',
    line: 7,
    severity: 'high',
    description: 'why',
    ...more,
  });

  it.each<[status: SarifResult['status'], kind: string, level: string]>([
    ['pass', 'pass', 'none'],
    ['fail', 'fail', 'error'],
    ['warn', 'fail', 'warning'],
    ['error', 'fail', 'error'],
    ['skip', 'notApplicable', 'none'],
  ])('%s is %s of level %s', (status, kind, level) => {
    expect(sarifLog([result({status})], '1')).toMatchObject({runs: [{results: [{kind, level}]}]});
  });

  it('rules are listed once, places are encoded', () => {
    const log = sarifLog([result({}), result({}), result({rule: '', file: ''})], '1');
    expect(log).toHaveProperty('runs.0.tool.driver.rules.length', 2);
    expect(log).toHaveProperty(
      'runs.0.results.0.locations.0.physicalLocation.artifactLocation.uri',
      'dir%20with%20space/x.yaml',
    );
    expect(log).toHaveProperty('runs.0.results.2.ruleIndex', 1);
    expect(log).not.toHaveProperty('runs.0.results.2.locations.0.physicalLocation');
  });
});

describe('progress bar', () => {
  it('is drawn on a terminal only', () => {
    const written: string[] = [];
    const write = (text: string) => void written.push(text);
    createProgressBar('Reading', {terminal: false, write}).show(1, 2);
    expect(written).toEqual([]);
    createProgressBar('Reading', {terminal: true, write}).show(1, 2);
    expect(written.join('')).toContain(`[${'#'.repeat(15)}${'.'.repeat(15)}] 1/2`);
  });
});
