export interface Colours {
  header(text: string): string;
  name(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  doubtful(text: string): string;
}

const plain = (text: string) => text;
export const noColours: Colours = {header: plain, name: plain, good: plain, bad: plain, doubtful: plain};

function code(codes: string): (text: string) => string {
  return text => (text === '' ? '' : `\u001b[${codes}m${text}\u001b[0m`);
}

const ansi: Colours = {
  header: code('40;32'),
  name: code('1;36'),
  good: code('1;32'),
  bad: code('1;31'),
  doubtful: code('1;33'),
};

/** Colour only on a terminal, and only when neither a flag nor `NO_COLOR` says otherwise. */
export function coloursFor(options: {
  readonly terminal: boolean;
  readonly remove: boolean;
  readonly environment: NodeJS.ProcessEnv;
}): Colours {
  return options.terminal && !options.remove && !options.environment['NO_COLOR'] ? ansi : noColours;
}
