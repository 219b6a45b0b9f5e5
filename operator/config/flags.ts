import type {FlagKind} from './flag-kinds.js';
import {flagTable} from './flag-table.js';

type Table = typeof flagTable;
export type FlagName = keyof Table;

/** Every flag with its value: given, from the environment, or the default. Durations are milliseconds. */
export type Flags = {readonly [N in FlagName]: Table[N] extends FlagKind<infer T> ? T : never};

/** Flags that were given, and where. */
export type FlagSources = Readonly<Partial<Record<FlagName, 'environment' | 'flag'>>>;

export type FlagOutcome =
  | {
      readonly flags: Flags;
      readonly sources: FlagSources;
      /** Flags that were given and have no effect yet, for a line in the log. */
      readonly withoutEffect: readonly FlagName[];
    }
  /** One line that names the flag and what it takes; the process ends with code 2. */
  | {readonly error: string};

type Environment = Readonly<Record<string, string | undefined>>;

const kinds = new Map<string, FlagKind<unknown>>(Object.entries(flagTable));
const byLowerCase = new Map([...kinds.keys()].map(name => [name.toLowerCase(), name]));

/** Names of flags that are accepted and not yet looked at. */
export const inertFlags: readonly FlagName[] = [...kinds]
  .filter(([, kind]) => kind.inert)
  .map(([name]) => name as FlagName);

/**
 * Reads arguments as Go's flag package does: one or two dashes, `--name=value` or `--name value`, switches bare, the
 * last of several wins, a flag beats its environment variable. Unlike there, words that are no flags are refused.
 */
export function parseFlags(argv: readonly string[], environment: Environment = process.env): FlagOutcome {
  const values = new Map<string, unknown>();
  const given = new Set<string>();
  const sources: Partial<Record<FlagName, 'environment' | 'flag'>> = {};
  for (const [name, kind] of kinds) {
    values.set(name, kind.initial);
    const set = kind.env === undefined ? undefined : environment[kind.env];
    if (set === undefined || set === '') continue;
    const value = kind.parse(set);
    if (value === undefined)
      return {error: `invalid value "${set}" for environment variable ${kind.env}: it takes ${kind.allowed}`};
    values.set(name, value);
    sources[name as FlagName] = 'environment';
  }
  for (let index = 0; index < argv.length; index += 1) {
    const argument = argv[index] ?? '';
    const parts = /^--?([^-=][^=]*)(?:=([\s\S]*))?$/.exec(argument);
    if (parts === null) return {error: `unexpected argument "${argument}": flags look like --name=value`};
    const [, name = '', inline] = parts;
    const kind = kinds.get(name);
    if (kind === undefined) return {error: `unknown flag --${name}${suggestion(name)}`};
    let written = inline;
    if (written === undefined && kind.isSwitch) written = 'true';
    if (written === undefined) {
      index += 1;
      written = argv[index];
    }
    if (written === undefined) return {error: `flag --${name} needs a value: it takes ${kind.allowed}`};
    const value = kind.parse(written);
    if (value === undefined) return {error: `invalid value "${written}" for flag --${name}: it takes ${kind.allowed}`};
    values.set(name, value);
    given.add(name);
    sources[name as FlagName] = 'flag';
  }
  return {flags: Object.fromEntries(values) as Flags, sources, withoutEffect: inertFlags.filter(name => given.has(name))};
}

function suggestion(name: string): string {
  const known = byLowerCase.get(name.toLowerCase());
  return known === undefined ? '' : `, did you mean --${known}?`;
}

/** One line per flag: name, default, what it takes. */
export function flagUsage(): string {
  const lines = [...kinds].map(([name, kind]) => {
    const initial = Array.isArray(kind.initial) ? kind.initial.join(',') : String(kind.initial);
    const note = kind.inert ? '; no effect yet' : '';
    return `  --${name}${initial === '' ? '' : `=${initial}`}  (${kind.allowed}${note})`;
  });
  return `Flags:\n${lines.join('\n')}\n`;
}
