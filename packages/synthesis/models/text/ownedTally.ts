import type { Owners } from '../../disclosure/guardTexts.ts';
import { COMMON_ROWS } from '../../disclosure/thresholds.ts';

/** Counts keys and their owners: a key that one owner repeats is not common. */
export class OwnedTally<Key = string> {
  readonly #met = new Map<Key, { count: number; owners: number; last: number }>();
  readonly #owners: Owners | undefined;

  constructor(owners?: Owners) {
    this.#owners = owners;
  }

  /** Texts must be in order. */
  add(key: Key, text: number): void {
    const owner = this.#owners?.[text] ?? text;
    const own = this.#met.get(key);
    if (!own) return void this.#met.set(key, { count: 1, owners: 1, last: owner });
    own.count++;
    if (own.last === owner) return;
    own.owners++;
    own.last = owner;
  }

  ownersOf(key: Key): number {
    return this.#met.get(key)?.owners ?? 0;
  }

  byOwners(): [Key, number][] {
    return [...this.#met].map(([key, { owners }]) => [key, owners]);
  }

  isCommon(key: Key): boolean {
    return this.ownersOf(key) >= COMMON_ROWS;
  }

  /** Keys of enough owners, with their counts. */
  common(): [Key, number][] {
    return [...this.#met].flatMap(([key, { count, owners }]) => (owners >= COMMON_ROWS ? [[key, count]] : []));
  }

  rare(): Key[] {
    return [...this.#met.keys()].filter((key) => !this.isCommon(key));
  }

  /** Total count of rare keys. */
  get rest(): number {
    return [...this.#met.values()].reduce((sum, { count, owners }) => sum + (owners >= COMMON_ROWS ? 0 : count), 0);
  }
}
