import {CompileError, EvalError} from '../diagnostic.js';
import type {TextMatch} from '../image/verification.js';
import type {RegexEngine} from '../regex/types.js';
import type {AttestorSet} from './model.js';

/** Whether the regular expressions of identities are any. Throws `CompileError`. */
export function checkExpressions(set: AttestorSet, regex: RegexEngine | undefined): void {
  if (regex === undefined) return;
  for (const member of set.members) {
    if (member.type === 'set') {
      checkExpressions(member.set, regex);
      continue;
    }
    const {signer} = member.attestor;
    if (signer.type !== 'keyless') continue;
    for (const {issuer, subject} of signer.identities)
      for (const match of [issuer, subject]) checkExpression(match, member.path, regex);
  }
}

function checkExpression(match: TextMatch | undefined, path: string, regex: RegexEngine): void {
  if (match?.kind !== 'regexp') return;
  try {
    regex.compile(match.text);
  } catch (error) {
    if (!(error instanceof EvalError)) throw error;
    throw new CompileError({code: 'image-attestor', path, message: `${path}: ${error.message}`});
  }
}
