/** More than a storm leaves waiting; beyond, the oldest are written without waiting for their work. */
const most = 10_000;

/** Objects on which work is under way whose findings can go with what else is to be said of them, in one write. */
export class ExpectedFindings {
  readonly #subjects = new Map<string, string>();
  readonly #works = new Map<string, Set<string>>();
  readonly #listeners = new Set<(uid: string) => void>();

  /** `work` is any name that tells this work from others. */
  expect(uid: string, work: string): void {
    if (uid === '' || this.#subjects.has(work)) return;
    const [oldest] = this.#subjects.keys();
    if (oldest !== undefined && this.#subjects.size >= most) this.over(oldest);
    this.#subjects.set(work, uid);
    const works = this.#works.get(uid);
    if (works === undefined) this.#works.set(uid, new Set([work]));
    else works.add(work);
  }

  /** Done, or not to be waited for any longer. */
  over(work: string): void {
    const uid = this.#subjects.get(work);
    if (uid === undefined) return;
    this.#subjects.delete(work);
    const works = this.#works.get(uid);
    works?.delete(work);
    if (works !== undefined && works.size > 0) return;
    this.#works.delete(uid);
    for (const listener of this.#listeners) listener(uid);
  }

  has(uid: string): boolean {
    return this.#works.has(uid);
  }

  /** This replica does that work no more. */
  clear(): void {
    for (const work of [...this.#subjects.keys()]) this.over(work);
  }

  /** Called with the uid of an object whose last work is over. */
  subscribe(listener: (uid: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
