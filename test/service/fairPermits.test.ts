import { describe, expect, it } from 'vitest';
import { FairPermits } from '../../service/fairPermits.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Tasks that end when the test says so, in the order in which they began. */
function bench(permits: FairPermits) {
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (owner: string, name: string, signal?: AbortSignal) =>
    permits.run(
      owner,
      () =>
        new Promise<string>((resolve) => {
          began.push(name);
          ends.set(name, () => resolve(name));
        }),
      signal,
    );
  const end = async (name: string) => {
    ends.get(name)?.();
    await turn();
  };
  return { began, start, end };
}

describe('FairPermits', () => {
  it("lets an owner's second task wait behind the first of every other", async () => {
    const { began, start, end } = bench(new FairPermits(1, 1));
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) void start(name.slice(0, 1), name);
    for (let i = 0; i < 6; i++) {
      await turn();
      await end(began.at(-1) ?? '');
    }
    expect(began).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  it('leaves a place for another owner, however many one has', async () => {
    const { began, start } = bench(new FairPermits(2, 1));
    for (const name of ['a1', 'a2', 'a3']) void start('a', name);
    await turn();
    expect(began).toEqual(['a1']);
    void start('b', 'b1');
    await turn();
    expect(began).toEqual(['a1', 'b1']);
  });

  it('forgets a task whose signal aborts before its turn', async () => {
    const { began, start, end } = bench(new FairPermits(1, 1));
    void start('a', 'a1');
    const stop = new AbortController();
    const gone = start('b', 'b1', stop.signal);
    stop.abort('gone');
    await expect(gone).rejects.toBe('gone');
    await expect(start('b', 'b2', stop.signal)).rejects.toBe('gone');
    void start('c', 'c1');
    await end('a1');
    expect(began).toEqual(['a1', 'c1']);
  });

  it('goes on where a task fails', async () => {
    const permits = new FairPermits(1, 1);
    await expect(permits.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await permits.run('a', async () => 7)).toBe(7);
  });
});
