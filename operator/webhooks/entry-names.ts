import {createHash} from 'node:crypto';

/** What the API server takes as the name of a webhook. */
const longest = 253;

/**
 * Names of one configuration's entries. Policies' names go into them, and the API server refuses a configuration as a whole
 * for one name that is too long or stands twice (`a/b-c` and `a-b/c` come to one).
 */
export class EntryNames {
  readonly #taken = new Set<string>();

  /** `name`, or something close to it; `owner` tells apart what would be called the same. */
  take(name: string, owner: string): string {
    const free = name.length > longest || this.#taken.has(name) ? distinct(name, owner) : name;
    this.#taken.add(free);
    return free;
  }
}

function distinct(name: string, owner: string): string {
  const mark = createHash('sha256').update(owner).digest('hex').slice(0, 10);
  return `${name.slice(0, longest - mark.length - 1).replace(/[-.]+$/, '')}-${mark}`;
}
