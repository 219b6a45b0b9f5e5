import type {Plugin} from 'esbuild';

/** Entry points of what is read when it is asked for. */
export const clientModels: Readonly<Record<string, string>>;
export const clientPlugins: Plugin[];
