import type {Readable} from 'node:stream';
import {setTimeout as delay} from 'node:timers/promises';
import type {ApiClient} from '../api-client.js';

export interface MirrorOptions<T> {
  readonly api: Pick<ApiClient, 'request' | 'stream'>;
  /** Path of the collection. */
  readonly path: string;
  readonly signal: AbortSignal;
  readonly onObject: (object: T) => void;
  readonly onGone: (uid: string) => void;
}

interface Meta {
  readonly metadata: {readonly uid: string};
}

interface List<T> {
  readonly metadata: {readonly resourceVersion: string};
  readonly items: readonly T[];
}

/** Tells every object of a collection and each change until `signal`; whatever breaks is mended by listing again. */
export async function mirror<T extends Meta>({api, path, signal, onObject, onGone}: MirrorOptions<T>): Promise<void> {
  const known = new Set<string>();
  const gone = (uid: string) => {
    if (known.delete(uid)) onGone(uid);
  };
  while (!signal.aborted) {
    try {
      const {status, body} = await api.request<List<T>>('GET', path);
      if (status !== 200) throw new Error(`GET ${path}: ${status}`);
      const listed = new Set(body.items.map(item => item.metadata.uid));
      for (const uid of [...known]) if (!listed.has(uid)) gone(uid);
      for (const item of body.items) {
        known.add(item.metadata.uid);
        onObject(item);
      }
      const query = new URLSearchParams({watch: 'true', resourceVersion: body.metadata.resourceVersion});
      const stream = await api.stream(`${path}?${query}`, signal);
      for await (const line of linesOf(stream)) {
        const event = JSON.parse(line) as {readonly type: string; readonly object: T};
        if (event.type === 'ERROR') break;
        const {uid} = event.object.metadata;
        if (event.type === 'DELETED') gone(uid);
        else {
          known.add(uid);
          onObject(event.object);
        }
      }
      stream.destroy();
    } catch {
      // The API server is away or closed the stream: nothing to tell, the next list shows what changed.
    }
    if (!signal.aborted) await delay(200, undefined, {signal}).catch(() => undefined);
  }
}

/** Lines of a stream; unlike node:readline it passes on that the stream broke. */
async function* linesOf(stream: Readable): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
