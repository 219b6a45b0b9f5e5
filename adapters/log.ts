/** Where adapters and the operator report; one line per call, `fields` as structured data. */
export interface Log {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** For parts whose owner does not care. */
export const silentLog: Log = {debug() {}, info() {}, warn() {}, error() {}};
