import {Command} from 'commander';

/** The root command; faults of usage are told as users of the command know them. Set up before sub-commands are added. */
export function createProgram(name: string): Command {
  return new Command(name).configureOutput({outputError: (text, write) => write(usageError(text, name))});
}

type GroupAction = () => Promise<void> | undefined;
const groupActions = new WeakMap<Command, GroupAction>();

/** What a command that holds others does by itself; `undefined` when it was not asked for that. */
export function setGroupAction(command: Command, action: GroupAction): void {
  groupActions.set(command, action);
}

/** Commands that only hold others show their help, and know no other words. */
export function completeGroups(command: Command, path: string = command.name()): void {
  if (command.commands.length > 0) {
    command.allowExcessArguments().action(() => {
      const [word] = command.args;
      const done = word === undefined ? groupActions.get(command)?.() : undefined;
      if (done !== undefined) return done;
      if (word === undefined) command.outputHelp();
      else command.error(`error: unknown command ${JSON.stringify(word)} for ${JSON.stringify(path)}`);
      return undefined;
    });
  }
  for (const child of command.commands) completeGroups(child, `${path} ${child.name()}`);
}

const forms: ReadonlyArray<readonly [RegExp, string]> = [
  [/^unknown option '-([^-])'/, "unknown shorthand flag: '$1' in -$1"],
  [/^unknown option '(--[^']*)'/, 'unknown flag: $1'],
  [/^option '(?:-.,? ?)?(--[\w-]+)?[^']*' argument missing/, 'flag needs an argument: $1'],
];

/** The text for standard error. */
export function usageError(text: string, name: string): string {
  const plain = text.replace(/^error: /, '').replace(/\n$/, '');
  const known = forms.find(([form]) => form.test(plain));
  const message = known === undefined ? plain : plain.replace(known[0], known[1]);
  const more = message.startsWith('unknown command ') ? `Run '${name} --help' for usage.\n` : '';
  return `Error: ${message}\n${more}`;
}
