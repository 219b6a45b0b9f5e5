/** One rule's failure on one trigger. */
export class RuleFailure extends Error {
  override readonly name = 'RuleFailure';
  constructor(
    readonly rule: string,
    message: string,
    /** The work was done as far as it could be; the rest is for the rule's author. */
    override readonly cause: unknown,
  ) {
    super(message);
  }
}
