import {spawn} from 'node:child_process';

/** Runs a program that answers `input` in JSON; throws with what it says when it fails. */
export async function runTool<T>(program: string, {args, input}: {readonly args: readonly string[]; readonly input: unknown}): Promise<T> {
  const child = spawn(program, args, {stdio: ['pipe', 'pipe', 'pipe']});
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  child.stdin.end(JSON.stringify(input));
  const code = await new Promise<number | null>((done, fail) => child.once('error', fail).once('close', done));
  if (code !== 0) throw new Error(`${args.join(' ')}: ${Buffer.concat(errors).toString()}`);
  return JSON.parse(Buffer.concat(output).toString()) as T;
}
