import type {JsonObject} from '../../json/types.js';

/** An entry of `status.autogen.configs`. */
export interface AutogenConfig {
  readonly name: 'defaults' | 'cronjobs' | 'extract';
  /** Sorted by group, version, resource. */
  readonly targets: ReadonlyArray<{
    readonly group: string;
    readonly version: string;
    readonly resource: string;
    readonly kind: string;
  }>;
  /** The spec for these, as users would write it. */
  readonly spec: JsonObject;
}
