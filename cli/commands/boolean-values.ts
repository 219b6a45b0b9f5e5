import type {Command} from 'commander';

const values = new Map([
  ...['true', 'TRUE', 'True', 't', 'T', '1'].map(text => [text, true] as const),
  ...['false', 'FALSE', 'False', 'f', 'F', '0'].map(text => [text, false] as const),
]);

/**
 * Arguments with `--flag=true` and `--flag=false` of switches put as commander reads them: the switch, its negation, or
 * nothing.
 */
export function plainSwitches(program: Command, args: readonly string[]): string[] {
  let command = program;
  const plain: string[] = [];
  let options = true;
  for (const arg of args) {
    if (arg === '--') options = false;
    const next = options && !arg.startsWith('-') ? command.commands.find(known => known.name() === arg) : undefined;
    if (next !== undefined) command = next;
    plain.push(...(options ? plainSwitch(command, arg) : [arg]));
  }
  return plain;
}

function plainSwitch(command: Command, arg: string): readonly string[] {
  const equals = arg.indexOf('=');
  if (!arg.startsWith('--') || equals === -1) return [arg];
  const name = arg.slice(0, equals);
  const value = values.get(arg.slice(equals + 1));
  const option = command.options.find(known => known.long === name);
  if (option === undefined || option.required || option.optional || value === undefined) return [arg];
  if (value) return [name];
  const negation = name.replace(/^--/, '--no-');
  return command.options.some(known => known.long === negation) ? [negation] : [];
}
