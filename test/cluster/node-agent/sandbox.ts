import type {Container, Pod} from './types.js';

/** Gives each Pod a network and files of its own; without, Pods share this machine's. */
export interface PodSandboxes {
  readonly nodeAddress: string;
  /** Where Pods reach the API server. */
  readonly apiServer: {readonly host: string; readonly port: string};
  create(pod: Pod, signal: AbortSignal): Promise<PodSandbox>;
}

export interface PodSandbox {
  readonly address: string;
  /** The command line that runs `argv` inside, as the process that is started. */
  wrap(container: Container, argv: readonly string[]): readonly string[];
  remove(): Promise<void>;
}
