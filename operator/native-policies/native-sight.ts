import type {JsonObject} from '../../engine/json/types.js';
import {isCopyOf, type NativeObject, saysTheSame} from './native-objects.js';
import type {NativePolicyState} from './native-states.js';

/** From the writing of a native policy, or of webhooks, until the API server surely acts on it (milliseconds). */
export const inForceMs = 3_000;
/** So long a copy of the wording before stands in while the new one is on its way. */
const graceMs = 10_000;

export interface SightInput {
  readonly policy: NativeObject;
  readonly binding: NativeObject;
  /** As the API server has them. */
  readonly livePolicy: JsonObject | undefined;
  readonly liveBinding: JsonObject | undefined;
  /** The API server judged in our place so far. */
  readonly stoodIn: boolean;
  /** Why this wording cannot be written. */
  readonly refusal: string | undefined;
  /** Monotonic milliseconds. */
  readonly now: number;
}

export interface SeenState {
  readonly state: NativePolicyState;
  /** After which the answer may be another one, though nothing changes. */
  readonly againInMs?: number;
}

/** What one replica has seen of a copy, and since when (monotonic milliseconds). */
export class NativeSight {
  #sameSince: number | undefined;
  #differsSince: number | undefined;
  #coveredSince: number | undefined;

  /** `settled`: what is there was there before us, and is in force already. */
  look({policy, binding, livePolicy, liveBinding, stoodIn, refusal, now}: SightInput, settled: boolean): SeenState {
    if (saysTheSame(livePolicy, policy) && saysTheSame(liveBinding, binding)) {
      this.#differsSince = undefined;
      this.#sameSince ??= settled ? now - inForceMs : now;
      const left = this.#sameSince + inForceMs - now;
      if (left <= 0) return {state: {generated: true, message: ''}};
      return {state: stoodIn ? {generated: true, message: '', outdated: true} : {generated: false, message: ''}, againInMs: left};
    }
    this.#sameSince = undefined;
    if (refusal !== undefined) return {state: {generated: false, message: refusal}};
    const nobody: SeenState = {state: {generated: false, message: ''}};
    if (!stoodIn || !isCopyOf(livePolicy, policy.owner) || !isCopyOf(liveBinding, binding.owner)) return nobody;
    this.#differsSince ??= now;
    const left = this.#differsSince + graceMs - now;
    return left <= 0 ? nobody : {state: {generated: true, message: '', outdated: true}, againInMs: left};
  }

  /** There is to be no copy. */
  forget(): void {
    this.#sameSince = undefined;
  }

  /** Whether webhooks cover the policy for long enough that the API server surely acts on them. */
  isCovered(covered: boolean, now: number): boolean {
    if (!covered) {
      this.#coveredSince = undefined;
      return false;
    }
    this.#coveredSince ??= now;
    return now - this.#coveredSince >= inForceMs;
  }
}
