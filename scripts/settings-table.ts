import type {FlagKind} from '../operator/config/flag-kinds.js';
import {flagTable} from '../operator/config/flag-table.js';
import {type FlagName, inertFlags} from '../operator/config/flags.js';
import {type ConfigKey, configKeys, hotFlags, type MetricsKey, metricsKeys} from '../operator/settings/setting-keys.js';
import {configTexts, flagTexts, metricsTexts} from '../operator/settings/setting-texts.js';
import {defaultTexts, flagText} from '../operator/settings/settings.js';

export const settingsPage = 'docs/configuration.md';
const begin = '<!-- generated from the table of flags and the keys of the ConfigMaps: npm run generate -->';
const end = '<!-- end -->';

const kinds = new Map<string, FlagKind<unknown>>(Object.entries(flagTable));

function code(text: string): string {
  return text === '' ? '' : `\`${text.replaceAll('|', '\\|')}\``;
}

function row(...cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function prose(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('*', '\\*').replaceAll('<', '&lt;');
}

function flagRow([name, kind]: readonly [string, FlagKind<unknown>]): string {
  const field = name === 'kubeconfig' ? '' : code(name);
  const isHot = hotFlags.has(name as FlagName) ? 'yes' : name === 'kubeconfig' ? '' : 'at start';
  return row(code(`--${name}`), code(kind.env ?? ''), field, code(flagText(name as FlagName, kind.initial)), isHot, prose(flagTexts[name as FlagName]));
}

function keyRow(key: string, prefix: string, text: string): string {
  return row(code(key), code(`${prefix}${key}`), code(defaultTexts[`${prefix}${key}`] ?? ''), 'yes', prose(text));
}

/** The tables of every setting, as Markdown. */
function tables(): string {
  const working = [...kinds].filter(([, kind]) => !kind.inert);
  return [
    'Flags. The field is one of `spec` in a KyvernoConfiguration.',
    '',
    row('flag', 'environment', 'field', 'default', 'hot', 'effect'),
    row('---', '---', '---', '---', '---', '---'),
    ...working.map(flagRow),
    '',
    'Keys of the ConfigMap `kyverno`:',
    '',
    row('key', 'field', 'default', 'hot', 'effect'),
    row('---', '---', '---', '---', '---'),
    ...Object.keys(configKeys).map(key => keyRow(key, '', configTexts[key as ConfigKey])),
    '',
    'Keys of the ConfigMap `kyverno-metrics`:',
    '',
    row('key', 'field', 'default', 'hot', 'effect'),
    row('---', '---', '---', '---', '---'),
    ...Object.keys(metricsKeys).map(key => keyRow(key, 'metrics.', metricsTexts[key as MetricsKey])),
    '',
    'Taken so that existing arguments work, without effect in this release; in a KyvernoConfiguration they are rejected:',
    `${inertFlags.map(name => `\`${name}\``).join(', ')}.`,
  ].join('\n');
}

/** The page with its tables as they should be; throws when it has lost the marks. */
export function withSettingsTables(page: string): string {
  const from = page.indexOf(begin);
  const to = page.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`${settingsPage} has no place for the tables of settings: ${begin} … ${end}`);
  return `${page.slice(0, from + begin.length)}\n\n${tables()}\n\n${page.slice(to)}`;
}
