import type {Streams} from '../streams.js';

export interface CollectedStreams extends Streams {
  readonly written: {out: string; err: string};
}

/** Streams that keep what is written; no terminal unless told. */
export function collectStreams(terminal = false): CollectedStreams {
  const written = {out: '', err: ''};
  return {
    written,
    terminal,
    out(text) {
      written.out += text;
    },
    err(text) {
      written.err += text;
    },
  };
}
