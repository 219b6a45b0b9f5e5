import type {AdmissionAnswer} from '../types.js';
import type {DecodedReview} from './decode.js';

/**
 * The answering AdmissionReview, as text: node:http sends a text in one write with its headers. `apiVersion` and `kind`
 * are whatever came in. The request is left out: no API server reads it back, and it would be most of the bytes.
 */
export function encodeReview(review: DecodedReview, answer: AdmissionAnswer): string {
  let text = '{';
  if (review.kind !== '') text += `"kind":${JSON.stringify(review.kind)},`;
  if (review.apiVersion !== '') text += `"apiVersion":${JSON.stringify(review.apiVersion)},`;
  text += `"response":{"uid":${JSON.stringify(review.request.uid)},"allowed":${answer.allowed}`;
  if (answer.message !== undefined && !answer.allowed) {
    text += `,"status":{"metadata":{},"status":"Failure","message":${JSON.stringify(answer.message)}}`;
  }
  if (answer.patch !== undefined) {
    text += `,"patch":"${Buffer.from(answer.patch).toString('base64')}","patchType":"JSONPatch"`;
  }
  if (answer.warnings !== undefined && answer.warnings.length > 0) {
    text += `,"warnings":${JSON.stringify(answer.warnings)}`;
  }
  return `${text}}}`;
}
