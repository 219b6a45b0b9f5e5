import {opaque} from '../types/type.js';
import {OpaqueValue} from '../values/value.js';

export const decisionType = opaque('authz.CheckResponse');
export const answerType = opaque('authz.Answer');

/** What an expression answers a proxy: `envoy.Denied(403)`, still to be made a response by `.Response()`. */
export class Answer extends OpaqueValue {
  readonly typeName: string = 'authz.Answer';

  constructor(
    readonly allowed: boolean,
    /** Why not, as users read it. */
    readonly reason: string,
  ) {
    super();
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof Answer && other.allowed === this.allowed && other.reason === this.reason;
  }
}

/** The response itself: it ends the evaluation. */
export class Decision extends Answer {
  override readonly typeName = 'authz.CheckResponse';
}
