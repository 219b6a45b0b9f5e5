import type {CelVerdict} from '../cel-policies/run/results.js';
import {notesProperty} from './evaluate-images.js';
import type {ImageRecord} from './types.js';

/** A policy's own verdict, and what it looked at. */
export interface JudgedImages {
  readonly verdict: CelVerdict;
  readonly record: ImageRecord | undefined;
  readonly policy: string;
  /** `validationConfigurations.required`. */
  readonly required: boolean;
}

/**
 * The verdicts once all policies of a request have spoken: a policy that passes and asks for verified images fails where
 * none of them verified one that it means.
 */
export function requireVerified(judged: readonly JudgedImages[]): CelVerdict[] {
  const checked = new Set(judged.flatMap(({record}) => [...(record?.checked ?? [])]));
  const verified = new Set(judged.flatMap(({record}) => [...(record?.verified ?? [])]));
  const notes = new Set(judged.flatMap(({record}) => record?.notes ?? []));
  return judged.map(({verdict, record, policy, required}) => {
    if (!required || verdict.status !== 'pass') return verdict;
    const image = record?.meant.find(one => !verified.has(one));
    if (image === undefined) return verdict;
    if (!checked.has(image)) {
      const message = `image ${image} is not verified: no policy performed a signature or attestation check on it`;
      return {...verdict, rule: policy, status: 'fail', message};
    }
    const why = [...notes].filter(note => note.startsWith(`image ${image}: `)).join('\n');
    const message = `image ${image} failed signature or attestation verification`;
    return {...verdict, rule: policy, status: 'fail', message, ...(why !== '' && {properties: {...verdict.properties, [notesProperty]: why}})};
  });
}
