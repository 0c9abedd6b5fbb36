/** Counts wrong keys per address. A right key is never refused. */
import { ServiceError } from '../../packages/contract/errors.ts';

/** Wrong keys beyond this number get `too_many_requests`. */
export const MAX_WRONG_KEYS = 300;
export const WINDOW_MS = 60_000;

/** The oldest are forgotten. */
const MAX_ADDRESSES = 10_000;

interface Count {
  wrong: number;
  since: number;
}

export class WrongKeys {
  readonly #counts = new Map<string, Count>();

  /** Milliseconds. */
  count(address: string, now: number): void {
    const found = this.#counts.get(address);
    const isOpen = found !== undefined && now - found.since < WINDOW_MS;
    const count = isOpen ? found : { wrong: 0, since: now };
    count.wrong += 1;
    if (!isOpen) this.#remember(address, count);
    if (count.wrong <= MAX_WRONG_KEYS) return;
    const seconds = Math.max(1, Math.ceil((count.since + WINDOW_MS - now) / 1000));
    throw new ServiceError({ reason: 'too_many_wrong_keys', seconds });
  }

  #remember(address: string, count: Count): void {
    this.#counts.delete(address);
    this.#counts.set(address, count);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > MAX_ADDRESSES && oldest !== undefined) this.#counts.delete(oldest);
  }
}
