/** What a suite is given to test: an adapter on storage of its own, empty at first. */
export interface Made<T> {
  adapter: T;
  /** Another handle on the same storage, as another process would have. */
  another(): T;
  dispose(): Promise<void>;
}

export type MakeAdapter<T> = () => Promise<Made<T>>;

/** Waits until `look` gives something. Throws after the time (ms), naming what was waited for. */
export async function until<T>(what: string, look: () => Promise<T | undefined | false>, limitMs = 60_000): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`waited ${limitMs} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
