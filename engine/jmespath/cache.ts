export interface LruLimits {
  readonly entries: number;
  /** Characters of all keys together; a key longer than an eighth of it is never kept. */
  readonly characters: number;
}

/** A map bounded by count and by the length of its keys that forgets what was used least recently. */
export class LruCache<V> {
  readonly #entries = new Map<string, V>();
  readonly #limits: LruLimits;
  #characters = 0;

  constructor(limits: LruLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The cached value, or what `make` gives; nothing is kept when `make` throws. */
  getOrMake(key: string, make: () => V): V {
    const cached = this.#entries.get(key);
    if (cached !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, cached);
      return cached;
    }
    const made = make();
    if (key.length * 8 > this.#limits.characters) return made;
    this.#entries.set(key, made);
    this.#characters += key.length;
    this.#shrink();
    return made;
  }

  #shrink(): void {
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#limits.entries && this.#characters <= this.#limits.characters) return;
      this.#entries.delete(oldest);
      this.#characters -= oldest.length;
    }
  }
}
