interface Waiting {
  start(): void;
}

export class FairPermits {
  readonly #atOnce: number;
  readonly #perOwner: number;
  #running = 0;
  readonly #runningOf = new Map<string, number>();
  /** The owner served last is at the end. */
  readonly #waiting = new Map<string, Waiting[]>();

  /** Limits concurrent tasks, in all and per owner. */
  constructor(atOnce: number, perOwner: number) {
    this.#atOnce = atOnce;
    this.#perOwner = perOwner;
  }

  /** Rejects with the signal's reason if it aborts before the task begins. */
  async run<T>(owner: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#turn(owner, signal);
    try {
      return await task();
    } finally {
      this.#running -= 1;
      this.#add(owner, -1);
      this.#startNext();
    }
  }

  #turn(owner: string, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        this.#remove(owner, waiting);
        reject(signal?.reason);
      };
      const waiting: Waiting = {
        start: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.set(owner, [...(this.#waiting.get(owner) ?? []), waiting]);
      this.#startNext();
    });
  }

  #startNext(): void {
    while (this.#running < this.#atOnce) {
      const next = [...this.#waiting].find(([owner]) => (this.#runningOf.get(owner) ?? 0) < this.#perOwner);
      if (!next) return;
      const [owner, [first, ...rest]] = next;
      this.#waiting.delete(owner);
      if (rest.length > 0) this.#waiting.set(owner, rest);
      this.#running += 1;
      this.#add(owner, 1);
      first?.start();
    }
  }

  #add(owner: string, more: number): void {
    const count = (this.#runningOf.get(owner) ?? 0) + more;
    if (count > 0) this.#runningOf.set(owner, count);
    else this.#runningOf.delete(owner);
  }

  #remove(owner: string, waiting: Waiting): void {
    const rest = (this.#waiting.get(owner) ?? []).filter((other) => other !== waiting);
    if (rest.length > 0) this.#waiting.set(owner, rest);
    else this.#waiting.delete(owner);
  }
}
