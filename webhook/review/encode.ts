import type {AdmissionAnswer} from '../types.js';
import type {DecodedReview} from './decode.js';

/**
 * The answering AdmissionReview, as text: node:http sends a text in one write with its headers. `apiVersion` and `kind`
 * are whatever came in. The request is left out: no API server reads it back, and it would be most of the bytes. `annotations` are for its audit log.
 */
export function encodeReview(review: DecodedReview, answer: AdmissionAnswer, annotations?: Readonly<Record<string, string>>): string {
  const {uid} = review.request;
  let text = '{';
  if (review.kind !== '') text += `"kind":${JSON.stringify(review.kind)},`;
  if (review.apiVersion !== '') text += `"apiVersion":${JSON.stringify(review.apiVersion)},`;
  text += `"response":{"uid":${JSON.stringify(uid)},"allowed":${answer.allowed}`;
  if (answer.message !== undefined && !answer.allowed) {
    // Scripts compare the message; the id of the decision goes with it to clients that ask for details.
    const details = uid === '' ? '' : `,"details":{"causes":[{"reason":"DecisionID","message":${JSON.stringify(uid)}}]}`;
    text += `,"status":{"metadata":{},"status":"Failure","message":${JSON.stringify(answer.message)}${details}}`;
  }
  if (answer.patch !== undefined) {
    text += `,"patch":"${Buffer.from(answer.patch).toString('base64')}","patchType":"JSONPatch"`;
  }
  if (answer.warnings !== undefined && answer.warnings.length > 0) {
    text += `,"warnings":${JSON.stringify(answer.warnings)}`;
  }
  if (annotations !== undefined) text += `,"auditAnnotations":${JSON.stringify(annotations)}`;
  return `${text}}}`;
}
