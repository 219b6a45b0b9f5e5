/** Where a command writes; tests collect. */
export interface Streams {
  out(text: string): void;
  err(text: string): void;
  /** Standard output is a terminal. */
  readonly terminal: boolean;
}

export const processStreams: Streams = {
  out: text => {
    if (text !== '') process.stdout.write(text);
  },
  err: text => {
    if (text !== '') process.stderr.write(text);
  },
  get terminal() {
    return process.stdout.isTTY === true;
  },
};
