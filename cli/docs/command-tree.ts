import type {Command, Option} from 'commander';

/** A command as its documentation and completions need it. */
export interface CommandNode {
  /** `kyverno jp query`. */
  readonly path: readonly string[];
  readonly description: string;
  readonly usage: string;
  readonly flags: readonly Flag[];
  readonly children: readonly CommandNode[];
}

export interface Flag {
  /** With their dashes; either may be absent. */
  readonly short: string | undefined;
  readonly long: string | undefined;
  readonly takesValue: boolean;
  readonly written: string;
  readonly description: string;
  readonly default: string | undefined;
}

/** The whole tree under a command, sorted by name; commands that are not shown are left out. */
export function commandTree(command: Command, above: readonly string[] = []): CommandNode {
  const path = [...above, command.name()];
  const help = command.createHelp();
  return {
    path,
    description: command.description(),
    usage: `${path.join(' ')} ${command.usage()}`.trim(),
    flags: help.visibleOptions(command).map(flagOf),
    children: help
      .visibleCommands(command)
      .filter(child => child.name() !== 'help')
      .sort((a, b) => (a.name() < b.name() ? -1 : 1))
      .map(child => commandTree(child, path)),
  };
}

function flagOf(option: Option): Flag {
  const value = option.defaultValue as unknown;
  const isEmpty = value === undefined || value === false || (Array.isArray(value) && value.length === 0);
  return {
    short: option.short,
    long: option.long,
    takesValue: option.required || option.optional,
    written: option.flags,
    description: option.description,
    default: isEmpty ? undefined : String(value),
  };
}

export function flatten(node: CommandNode): readonly CommandNode[] {
  return [node, ...node.children.flatMap(flatten)];
}
