import type {OperatorEnvironment} from '../config/environment.js';
import type {Flags, FlagSources} from '../config/flags.js';

/** What the thread is started with. */
export interface ThreadStart {
  readonly settings: {
    readonly flags: Flags;
    readonly sources: FlagSources;
    /** JSON of the KyvernoConfiguration at the start of the process. */
    readonly started: string | undefined;
  };
  readonly environment: OperatorEnvironment;
  /** Of an AnswerMark. */
  readonly answers: SharedArrayBuffer;
}
