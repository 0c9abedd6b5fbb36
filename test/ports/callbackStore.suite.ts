/** What every CallbackStore does. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Callback } from '../../service/callback/callbackUrl.ts';
import type { CallbackStore } from '../../service/ports.ts';
import type { Made, MakeAdapter } from './made.ts';

const at = (minute: number) => `2026-11-03T09:${String(minute).padStart(2, '0')}:00.000Z`;
const callOf = (jobId: string, attempt = 1) => ({
  jobId,
  attempt,
  keyId: 'key-1',
  url: `https://example.org/hook?job=${jobId}&ü`,
});

export function callbackStoreSuite(name: string, makeAdapter: MakeAdapter<CallbackStore>): void {
  describe(`CallbackStore: ${name}`, () => {
    let made: Made<CallbackStore>;
    let store: CallbackStore;
    beforeEach(async () => {
      made = await makeAdapter();
      store = made.adapter;
    });
    afterEach(() => made.dispose());

    async function enqueue(jobId: string, minute: number, attempt = 1): Promise<Callback> {
      await store.enqueue(callOf(jobId, attempt), at(minute));
      const found = await store.find(jobId);
      if (!found) throw new Error('the call is not there');
      return found;
    }
    const dueIds = async (minute: number, limit = 10) => (await store.due(at(minute), limit)).map(({ jobId }) => jobId);

    it('finds a call as it was entered, from another handle too, and none that was not', async () => {
      await store.enqueue(callOf('a'), at(1));
      const waiting = { ...callOf('a'), state: 'waiting', tries: 0, dueAt: at(1), lastAnswer: null };
      expect(await made.another().find('a')).toEqual(waiting);
      expect(await store.find('b')).toBeUndefined();
    });

    it('lists those that were due, the longest first, no more than asked for', async () => {
      for (const [jobId, minute] of [
        ['b', 2],
        ['a', 1],
        ['c', 3],
      ] as const)
        await enqueue(jobId, minute);
      await expect.poll(() => dueIds(4)).toEqual(['a', 'b', 'c']);
      expect(await dueIds(3)).toEqual(['a', 'b']);
      expect(await dueIds(4, 2)).toEqual(['a', 'b']);
      expect(await dueIds(1)).toEqual([]);
    });

    it('gives a try to one of many that take it at once, and to nobody until its time', async () => {
      const callback = await enqueue('a', 1);
      const handles = [store, made.another(), made.another(), made.another()];
      const taken = await Promise.all(handles.map((handle) => handle.take(callback, at(5))));
      expect(taken.filter(Boolean)).toHaveLength(1);
      expect(await store.find('a')).toMatchObject({ tries: 1, dueAt: at(5), state: 'waiting' });
      await expect.poll(() => dueIds(5)).toEqual([]);
      await expect.poll(() => dueIds(6)).toEqual(['a']);
    });

    it('notes what a try met: a later one to come, or the end', async () => {
      const callback = await enqueue('a', 1);
      await store.take(callback, at(5));
      const tried = { ...callback, tries: 1 };
      expect(await store.note(tried, { state: 'waiting', dueAt: at(9), lastAnswer: 'answered 500' })).toBe(true);
      expect(await store.find('a')).toMatchObject({ tries: 1, dueAt: at(9), lastAnswer: 'answered 500' });
      await expect.poll(() => dueIds(8)).toEqual([]);
      await expect.poll(() => dueIds(10)).toEqual(['a']);
      await store.take(tried, at(12));
      const again = { ...tried, tries: 2 };
      expect(await store.note(again, { state: 'delivered', dueAt: at(12), lastAnswer: 'answered 204' })).toBe(true);
      expect(await store.find('a')).toMatchObject({ state: 'delivered', tries: 2, lastAnswer: 'answered 204' });
      await expect.poll(() => dueIds(59)).toEqual([]);
      expect(await store.take(again, at(20))).toBe(false);
    });

    it('lets a try that came too late note nothing', async () => {
      const callback = await enqueue('a', 1);
      await store.take(callback, at(2));
      await store.take({ ...callback, tries: 1 }, at(3));
      const late = { state: 'failed', dueAt: at(9), lastAnswer: 'answered 500' } as const;
      expect(await store.note({ ...callback, tries: 1 }, late)).toBe(false);
      await store.enqueue(callOf('a', 2), at(4));
      expect(await store.note({ ...callback, tries: 2 }, late)).toBe(false);
      expect(await store.find('a')).toMatchObject({ attempt: 2, tries: 0, state: 'waiting' });
    });

    it('erases the call of a job, or only for one attempt of it', async () => {
      await enqueue('a', 1, 2);
      await store.erase('a', 1);
      expect(await store.find('a')).toBeDefined();
      await store.erase('a', 2);
      expect(await store.find('a')).toBeUndefined();
      await enqueue('a', 1);
      await store.erase('a');
      await store.erase('a');
      expect(await store.find('a')).toBeUndefined();
      await expect.poll(() => dueIds(5)).toEqual([]);
    });

    it('gives each key one secret of its own, to many at once', async () => {
      const handles = [store, made.another(), made.another()];
      const secrets = await Promise.all(handles.map((handle) => handle.secretOf('key-1')));
      const hex = secrets.map((secret) => Buffer.from(secret).toString('hex'));
      expect(new Set(hex).size).toBe(1);
      expect(hex[0]).toHaveLength(64);
      expect(Buffer.from(await store.secretOf('key-2')).toString('hex')).not.toBe(hex[0]);
    });
  });
}
