import {CelError} from '../cel/errors.js';
import type {CelHost} from '../cel/library/library.js';
import {Suspend} from '../context/suspend.js';
import {BudgetError, EvalError} from '../diagnostic.js';

interface Asked<T> {
  readonly key: string;
  readonly load: (options: {readonly deadline: number}) => T | Promise<T>;
}

/**
 * Answers to several questions, asked together. `ahead` are asked along when one has to be waited for; what comes of them
 * is only kept for whoever asks them. Throws CelError, or Suspend to wait.
 */
export function settleAll<T>(host: CelHost, questions: ReadonlyArray<Asked<T>>, ahead: () => ReadonlyArray<Asked<T>> = () => []): T[] {
  const waits: Array<Promise<void>> = [];
  const answers: T[] = [];
  for (const question of questions) {
    try {
      answers.push(host.settle(question.key, question.load));
    } catch (thrown) {
      if (thrown instanceof Suspend) waits.push(thrown.promise);
      else if (thrown instanceof EvalError && !(thrown instanceof BudgetError)) throw new CelError(thrown.message);
      else throw thrown;
    }
  }
  if (waits.length === 0) return answers;
  for (const question of ahead()) {
    try {
      host.settle(question.key, question.load);
    } catch (thrown) {
      if (thrown instanceof Suspend) waits.push(thrown.promise);
      else if (!(thrown instanceof EvalError)) throw thrown;
      // Told to whoever asks it in earnest; a budget that is used up ends the rule there.
      else if (thrown instanceof BudgetError) break;
    }
  }
  throw new Suspend(Promise.all(waits).then(() => {}));
}
