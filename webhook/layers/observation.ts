import type {Clock} from '../../adapters/clock.js';
import type {Logger} from '../../adapters/log/logger.js';
import {after, errorText, type Layer} from '../context.js';
import type {AdmissionAnswer, AdmissionObserver} from '../types.js';

/** Longest time an answer waits for its observer. */
const patienceMs = 1_000;

/** Tells the observer of what is let in and is no dry run; its trouble never changes the answer. */
export function observation(
  observer: AdmissionObserver,
  {clock, log}: {readonly clock: Clock; readonly log: Logger},
): Layer {
  return (context, next) =>
    after(next(context), answer => {
      const request = context.engineRequest;
      if (!answer.allowed || request === undefined || request.dryRun || !observer.concerns(request, context.route))
        return answer;
      return observed(answer);

      async function observed(standing: AdmissionAnswer): Promise<AdmissionAnswer> {
        const deadline = Math.min(clock.now() + patienceMs, context.answerBy);
        let timer: NodeJS.Timeout | undefined;
        const late = new Promise<void>(resolve => {
          timer = setTimeout(resolve, Math.max(0, deadline - clock.now()));
        });
        try {
          await Promise.race([observer.admitted(request!, context.route, deadline), late]);
        } catch (error) {
          log.error(`what follows from request ${context.request.uid} failed: ${errorText(error)}`);
        } finally {
          clearTimeout(timer);
        }
        return standing;
      }
    });
}
