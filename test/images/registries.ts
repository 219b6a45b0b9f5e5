import {spawn} from 'node:child_process';
import {createInterface} from 'node:readline';
import {imagesTool} from './programs.js';

export interface RegistrySettings<Name extends string = string> {
  readonly name: Name;
  /** `distribution`: tags only; `referrers`: with the referrers API. */
  readonly kind: 'distribution' | 'referrers';
  /** As in distribution's own configuration. */
  readonly auth?: Readonly<Record<string, object>>;
}

export interface Registries<Name extends string = string> {
  /** `127.0.0.2:port` by name; plain HTTP. */
  readonly hosts: Readonly<Record<Name, string>>;
  stop(): Promise<void>;
}

/** Real registries on loopback; they end with this process. */
export async function startRegistries<Name extends string>(settings: readonly RegistrySettings<Name>[]): Promise<Registries<Name>> {
  const child = spawn(await imagesTool(), ['registries'], {stdio: ['pipe', 'pipe', 'inherit']});
  const ended = new Promise<void>((done, fail) => child.once('error', fail).once('exit', () => done()));
  child.stdin.write(`${JSON.stringify(settings)}\n`);
  const lines = createInterface({input: child.stdout});
  const line = await Promise.race([new Promise<string>(done => lines.once('line', done)), ended]);
  if (line === undefined) throw new Error('the registries ended before they served');
  return {
    hosts: JSON.parse(line) as Record<Name, string>,
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
