/** Where a command writes; tests collect. */
export interface Streams {
  out(text: string): void;
  err(text: string): void;
  /** Standard output is a terminal. */
  readonly terminal: boolean;
}

/** A reader that has seen enough (`| head`) ends the command without a word. */
function endOnClosedPipe(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(process.exitCode ?? 0);
  });
}

let guarded = false;

function guard(): void {
  if (guarded) return;
  guarded = true;
  endOnClosedPipe(process.stdout);
  endOnClosedPipe(process.stderr);
}

export const processStreams: Streams = {
  out: text => {
    guard();
    if (text !== '') process.stdout.write(text);
  },
  err: text => {
    guard();
    if (text !== '') process.stderr.write(text);
  },
  get terminal() {
    return process.stdout.isTTY === true;
  },
};
