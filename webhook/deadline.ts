import type {Clock} from '../adapters/clock.js';
import {failed} from './answers.js';
import {errorPolicy} from './routes.js';
import type {AdmissionAnswer} from './types.js';
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

/** Turns a throw into an answer; for layers, which wait for nothing themselves. */
export function shielded(handler: Handler): Handler {
  return context => {
    try {
      return handler(context);
    } catch (error) {
      return brokenAnswer(context, error);
    }
  };
}

/** Turns whatever a handler does — answer, throw, wait too long — into an answer in time. */
export function guarded(handler: Handler, clock: Clock): Handler {
  return context => {
    let result: ReturnType<Handler>;
    try {
      result = handler(context);
    } catch (error) {
      return brokenAnswer(context, error);
    }
    if (!isPromise(result)) return result;
    const pending = result;
    return new Promise(resolve => {
      const cancel = clock.schedule(Math.max(0, context.answerBy - clock.now()), () => {
        context.expired = true;
        resolve(context.standingAnswer ?? failed(errorPolicy(context.route), lateText(context)));
      });
      pending.then(
        answer => {
          cancel();
          resolve(answer);
        },
        error => {
          cancel();
          resolve(brokenAnswer(context, error));
        },
      );
    });
  };
}

function brokenAnswer(context: AdmissionContext, error: unknown): AdmissionAnswer {
  return failed(errorPolicy(context.route), `failed to judge the request: ${errorText(error)}`);
}

function lateText(context: AdmissionContext): string {
  return `failed to judge the request within its timeout of ${context.timeoutMs / 1000}s`;
}
