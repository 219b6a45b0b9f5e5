import type {TraceParent} from '../../adapters/tracing/types.js';

const header = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const zeros = /^0+$/;
const longestState = 512;

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Reads W3C trace context; `undefined` where there is none or it is malformed. */
export function traceParentOf(headers: Headers): TraceParent | undefined {
  const text = headers['traceparent'];
  const parts = typeof text === 'string' ? header.exec(text.trim()) : null;
  if (parts === null) return undefined;
  const [, version = '', traceId = '', spanId = '', flags = '', more] = parts;
  // Later versions may say more, the first one must not.
  if (version === 'ff' || (version === '00' && more !== undefined) || zeros.test(traceId) || zeros.test(spanId)) return undefined;
  const state = headers['tracestate'];
  return {
    traceId,
    spanId,
    sampled: (Number.parseInt(flags, 16) & 1) === 1,
    ...(typeof state === 'string' && state.length <= longestState && {state}),
  };
}
