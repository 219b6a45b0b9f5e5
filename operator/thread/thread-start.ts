import type {OperatorEnvironment} from '../config/environment.js';
import type {Flags, FlagSources} from '../config/flags.js';
import type {SharedMemory} from '../process/shared-memory.js';

/** What the thread is started with. */
export interface ThreadStart {
  readonly settings: {
    readonly flags: Flags;
    readonly sources: FlagSources;
    /** JSON of the KyvernoConfiguration at the start of the process. */
    readonly started: string | undefined;
  };
  readonly environment: OperatorEnvironment;
  readonly memory: SharedMemory;
}
