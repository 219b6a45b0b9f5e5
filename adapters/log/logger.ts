import pino from 'pino';
import type {Log} from '../log.js';
import {formatTextLine} from './text-line.js';

export type LogFormat = 'text' | 'json';
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Structured log. Lines of level n of `v` appear from `--v=n` on, so a higher verbosity only adds lines; `error`,
 * `warn` and `info` always appear; `debug` is `v(4, …)`.
 */
export interface Logger extends Log {
  /** Verbosity 1 (life cycle) to 5 (everything). */
  v(level: number, message: string, fields?: LogFields): void;
  /** Whether `v(level, …)` would be written: guards work done for a line alone. */
  enabled(level: number): boolean;
  /** A logger whose lines all carry `fields`. */
  child(fields: LogFields): Logger;
}

export interface LoggerOptions {
  /** A function: may change while the log is written. */
  readonly format: LogFormat | (() => LogFormat);
  /** `--v`, 0 to 9. */
  readonly verbosity: number | (() => number);
  /** Takes whole lines with their line end; default: standard error. */
  readonly write?: (line: string) => void;
}

const debugVerbosity = 4;

/** The process's log, on pino. JSON lines carry `level`, `time` (RFC 3339) and `message` besides their fields. */
export function createLogger(options: LoggerOptions): Logger {
  const write = options.write ?? ((line: string) => void process.stderr.write(line));
  const {format, verbosity} = options;
  const isJson = typeof format === 'function' ? () => format() === 'json' : () => format === 'json';
  const destination = {write: (line: string) => write(isJson() ? line : formatTextLine(line))};
  const root = pino(
    {
      level: 'debug',
      base: null,
      messageKey: 'message',
      errorKey: 'error',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {level: label => ({level: label})},
      serializers: {error: errorText},
    },
    destination,
  );
  return wrap(root, typeof verbosity === 'function' ? verbosity : () => verbosity);
}

function errorText(value: unknown): unknown {
  return value instanceof Error ? value.message : value;
}

function wrap(target: pino.Logger, verbosity: () => number): Logger {
  const logger: Logger = {
    error: (message, fields) => target.error(fields ?? {}, message),
    warn: (message, fields) => target.warn(fields ?? {}, message),
    info: (message, fields) => target.info(fields ?? {}, message),
    debug: (message, fields) => logger.v(debugVerbosity, message, fields),
    v(level, message, fields) {
      if (level > verbosity()) return;
      const line = {v: level, ...fields};
      if (level >= debugVerbosity) target.debug(line, message);
      else target.info(line, message);
    },
    enabled: level => level <= verbosity(),
    child: fields => wrap(target.child(fields), verbosity),
  };
  return logger;
}

/** Swallows everything: for parts whose owner does not care. */
export const silentLogger: Logger = {
  error() {},
  warn() {},
  info() {},
  debug() {},
  v() {},
  enabled: () => false,
  child: () => silentLogger,
};
