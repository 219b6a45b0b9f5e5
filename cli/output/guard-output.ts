/**
 * Errors of writing end no command half-way. A reader that has seen enough (`| head`) is no error: the command goes on
 * to its exit status, in silence. Anything else (a full disk) is told, with status 1.
 */
export function guardOutput(): void {
  for (const [name, stream] of [
    ['standard output', process.stdout],
    ['standard error', process.stderr],
  ] as const) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') return;
      if (stream !== process.stderr) process.stderr.write(`Error: write ${name}: ${error.message}\n`);
      process.exit(1);
    });
  }
}
