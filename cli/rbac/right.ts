/** Whose work a right is for; grants are labelled by it. */
export type Duty = 'admission' | 'background' | 'cleanup' | 'reports';

/** Something that a policy makes the operator do. */
export interface Right {
  readonly duty: Duty;
  readonly verbs: readonly string[];
  readonly group: string;
  /** `pods`, `pods/status`; `*` where the policy names every kind. */
  readonly resource: string;
  /** Empty = in the whole cluster. */
  readonly namespace: string;
  /** Empty = objects of any name. */
  readonly names: readonly string[];
  /** Where in the policy it follows from. */
  readonly path: string;
}

/** What a policy needs, as far as its text tells. */
export interface Needs {
  readonly rights: readonly Right[];
  /** Parts whose kinds are known only when the policy works, each as a sentence. */
  readonly untold: readonly string[];
}

export const scanVerbs = ['get', 'list', 'watch'] as const;
export const ownVerbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'] as const;

/** Collects while a policy is looked through. */
export class NeedsList {
  readonly rights: Right[] = [];
  readonly untold: string[] = [];

  add(right: Omit<Right, 'namespace' | 'names'> & Partial<Pick<Right, 'namespace' | 'names'>>): void {
    this.rights.push({namespace: '', names: [], ...right});
  }

  unknown(sentence: string): void {
    if (!this.untold.includes(sentence)) this.untold.push(sentence);
  }
}
