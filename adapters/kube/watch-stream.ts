import type {IncomingMessage} from 'node:http';
import {parseJson} from '../../engine/json/parse.js';
import {isObject, type Json, own} from '../../engine/json/types.js';
import {KubeError} from './kube-error.js';
import type {WatchEvent} from './types.js';

interface StreamOptions {
  readonly maxLineBytes: number;
  onEvent(event: WatchEvent): void;
  onBytes(): void;
}

const eventTypes: ReadonlySet<string> = new Set(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']);
const newline = 0x0a;

/**
 * Reads one JSON event per line until the server ends the stream. Rejects when a line is no event, and when the
 * connection breaks off; an event cut off in the middle is never delivered.
 */
export async function readWatchStream(response: IncomingMessage, options: StreamOptions): Promise<void> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  for await (const part of response) {
    options.onBytes();
    let chunk = part as Buffer;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline)) {
      rest.push(chunk.subarray(0, end));
      const line = rest.length === 1 ? rest[0]! : Buffer.concat(rest);
      rest = [];
      restBytes = 0;
      chunk = chunk.subarray(end + 1);
      if (line.length > 0) options.onEvent(decodeEvent(line.toString('utf8')));
    }
    if (chunk.length === 0) continue;
    restBytes += chunk.length;
    if (restBytes > options.maxLineBytes) {
      throw new KubeError({
        status: 0,
        reason: 'TooLarge',
        message: `a watch event exceeded ${options.maxLineBytes} bytes`,
      });
    }
    rest.push(chunk);
  }
}

function decodeEvent(line: string): WatchEvent {
  let value: Json;
  try {
    value = parseJson(line);
  } catch (error) {
    throw new KubeError({status: 0, reason: 'Malformed', message: 'a watch event is no JSON', cause: error});
  }
  const type = isObject(value) ? own(value, 'type') : undefined;
  const object = isObject(value) ? own(value, 'object') : undefined;
  if (typeof type !== 'string' || !eventTypes.has(type) || !isObject(object)) {
    throw new KubeError({status: 0, reason: 'Malformed', message: 'a watch line is no event'});
  }
  return {type: type as WatchEvent['type'], object};
}
