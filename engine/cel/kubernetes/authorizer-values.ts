import type {LoadOptions} from '../../context-loader.js';
import {OpaqueValue} from '../values/value.js';

/** Who asks. */
export interface AuthorizationUser {
  readonly username: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What is asked: a path, or a resource. Selectors are texts as users wrote them. */
export type AuthorizationAttributes = {readonly user: AuthorizationUser; readonly verb: string} & (
  | {readonly path: string}
  | ResourceAttributes
);

export interface ResourceAttributes {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly fieldSelector: string;
  readonly labelSelector: string;
}

export interface AuthorizationDecision {
  readonly allowed: boolean;
  readonly reason: string;
  /** Why there is no real answer. */
  readonly error?: string;
}

/** Answers what a user may do. In a cluster by SubjectAccessReviews; the command has no answer. */
export interface Authorizer {
  /** Rejections count as errors of the check, which `errored()` tells of. */
  authorize(
    attributes: AuthorizationAttributes,
    options: LoadOptions,
  ): AuthorizationDecision | Promise<AuthorizationDecision>;
}

abstract class Receiver extends OpaqueValue {
  equals(other: OpaqueValue): boolean {
    return other === this;
  }
}

/** The variable `authorizer`. */
export class AuthorizerValue extends Receiver {
  readonly typeName = 'kubernetes.authorization.Authorizer';

  constructor(
    readonly user: AuthorizationUser,
    readonly authorizer: Authorizer,
  ) {
    super();
  }
}

export class PathCheck extends Receiver {
  readonly typeName = 'kubernetes.authorization.PathCheck';

  constructor(
    readonly owner: AuthorizerValue,
    readonly path: string,
  ) {
    super();
  }
}

export class GroupCheck extends Receiver {
  readonly typeName = 'kubernetes.authorization.GroupCheck';

  constructor(
    readonly owner: AuthorizerValue,
    readonly group: string,
  ) {
    super();
  }
}

/** The variable `authorizer.requestResource` is one too. */
export class ResourceCheck extends Receiver {
  readonly typeName = 'kubernetes.authorization.ResourceCheck';

  constructor(
    readonly owner: AuthorizerValue,
    readonly attributes: ResourceAttributes,
  ) {
    super();
  }

  with(changes: Partial<ResourceAttributes>): ResourceCheck {
    return new ResourceCheck(this.owner, {...this.attributes, ...changes});
  }
}

export class Decision extends Receiver {
  readonly typeName = 'kubernetes.authorization.Decision';

  constructor(readonly decision: AuthorizationDecision) {
    super();
  }
}
