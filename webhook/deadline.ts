import type {Clock} from '../adapters/clock.js';
import {failed} from './answers.js';
import {errorText, isPromise, type AdmissionContext, type Handler} from './context.js';

/** Room for the timer's own lateness. */
const timerSlackMs = 50;
/** Between the end of evaluation and the answer: what a policy makes of its own time-out is worth waiting for. */
const evaluationSlackMs = 100;

/** When to stop judging and when to answer, both on the wall clock, for a caller that waits `timeoutMs`. */
export function deadlines(
  receivedAt: number,
  timeoutMs: number,
  answerReserveMs: number,
): {readonly deadline: number; readonly answerBy: number} {
  const forAnswer = Math.max(timeoutMs - answerReserveMs - timerSlackMs, timeoutMs / 4);
  const forEvaluation = Math.max(forAnswer - evaluationSlackMs, forAnswer / 2);
  return {deadline: receivedAt + forEvaluation, answerBy: receivedAt + forAnswer};
}

/** Turns whatever a handler does — answer, throw, wait too long — into an answer in time. */
export function guarded(handler: Handler, clock: Clock): Handler {
  return context => {
    const {failurePolicy} = context.route;
    const broken = (error: unknown) => failed(failurePolicy, `failed to judge the request: ${errorText(error)}`);
    let result: ReturnType<Handler>;
    try {
      result = handler(context);
    } catch (error) {
      return broken(error);
    }
    if (!isPromise(result)) return result;
    const pending = result;
    return new Promise(resolve => {
      const cancel = clock.schedule(Math.max(0, context.answerBy - clock.now()), () => {
        context.expired = true;
        resolve(context.standingAnswer ?? failed(failurePolicy, lateText(context)));
      });
      pending.then(
        answer => {
          cancel();
          resolve(answer);
        },
        error => {
          cancel();
          resolve(broken(error));
        },
      );
    });
  };
}

function lateText(context: AdmissionContext): string {
  return `failed to judge the request within its timeout of ${context.timeoutMs / 1000}s`;
}
