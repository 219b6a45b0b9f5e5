import type {IncomingMessage} from 'node:http';

export type BodyFailure = 'too-large' | 'no-room' | 'broken';

export interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly maxInFlightBytes: number;
}

export interface BodyReader {
  /** The whole body, or why there is none. Bytes count as held until `release`. */
  read(request: IncomingMessage): Promise<Buffer | BodyFailure>;
  release(body: Buffer): void;
}

/** Reads raw bodies under a cap for each and one for all that are held together. */
export function createBodyReader(limits: BodyLimits): BodyReader {
  let held = 0;
  return {
    read(request) {
      const announced = Number(request.headers['content-length'] ?? 0);
      if (announced > limits.maxBodyBytes) return Promise.resolve('too-large');
      if (held + announced > limits.maxInFlightBytes) return Promise.resolve('no-room');
      return new Promise(resolve => {
        const chunks: Buffer[] = [];
        let size = 0;
        let settled = false;
        const settle = (result: Buffer | BodyFailure) => {
          if (settled) return;
          settled = true;
          request.removeListener('data', take);
          if (typeof result === 'string') held -= size;
          resolve(result);
        };
        const take = (chunk: Buffer) => {
          chunks.push(chunk);
          size += chunk.length;
          held += chunk.length;
          if (size > limits.maxBodyBytes) settle('too-large');
          else if (held > limits.maxInFlightBytes) settle('no-room');
        };
        request.on('data', take);
        request.once('end', () => settle(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)));
        request.once('error', () => settle('broken'));
        request.once('aborted', () => settle('broken'));
      });
    },
    release(body) {
      held -= body.length;
    },
  };
}
