import type { Owners } from '../../disclosure/guardTexts.ts';
import { COMMON_ROWS } from '../../disclosure/thresholds.ts';

/** How often each key is met, and how many owners of texts have it: what one owner has in many texts is not common. */
export class OwnedTally<Key = string> {
  readonly #met = new Map<Key, { count: number; owners: number; last: number }>();
  readonly #owners: Owners | undefined;

  /** @param owners of each text, those of one owner one under the other; without them each is its own. */
  constructor(owners?: Owners) {
    this.#owners = owners;
  }

  /** Texts come in their order. */
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

  /** Each key with how many owners have it. */
  byOwners(): [Key, number][] {
    return [...this.#met].map(([key, { owners }]) => [key, owners]);
  }

  isCommon(key: Key): boolean {
    return this.ownersOf(key) >= COMMON_ROWS;
  }

  /** Keys that enough owners have, with how often they are met. */
  common(): [Key, number][] {
    return [...this.#met].flatMap(([key, { count, owners }]) => (owners >= COMMON_ROWS ? [[key, count]] : []));
  }

  rare(): Key[] {
    return [...this.#met.keys()].filter((key) => !this.isCommon(key));
  }

  /** How often keys are met that are not common. */
  get rest(): number {
    return [...this.#met.values()].reduce((sum, { count, owners }) => sum + (owners >= COMMON_ROWS ? 0 : count), 0);
  }
}
