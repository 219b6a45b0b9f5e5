import type {CelIssue} from '../errors.js';
import {limits} from './limits.js';

/** An issue; of messages that quote a very long name or text, the beginning is kept. */
export function issueOf(message: string, at: number, hint?: string): CelIssue {
  const text = message.length > limits.message ? `${message.slice(0, limits.message)}…` : message;
  return hint === undefined ? {message: text, at} : {message: text, at, hint};
}
