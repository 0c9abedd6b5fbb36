/** What every IdempotencyStore does. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IdempotencyStore } from '../../service/ports.ts';
import type { Made, MakeAdapter } from './made.ts';

const NOW = 1_800_000_000_000;
const KEPT = { digest: 'abc', answer: '{"job_id":"é"}' };

export function answerStoreSuite(name: string, makeAdapter: MakeAdapter<IdempotencyStore>): void {
  describe(`IdempotencyStore: ${name}`, () => {
    let made: Made<IdempotencyStore>;
    let store: IdempotencyStore;
    beforeEach(async () => {
      made = await makeAdapter();
      store = made.adapter;
    });
    afterEach(() => made.dispose());

    const claim = (token: string, at = NOW, by = store, name = 'k#1') => by.claim(name, token, at, at + 1000);

    it('gives a name to one of many that claim it at once, through any handle', async () => {
      const handles = [store, made.another(), made.another(), store];
      const claims = await Promise.all(handles.map((handle, i) => claim(`t${i}`, NOW, handle)));
      expect(claims.map(({ kind }) => kind).sort()).toEqual(['claimed', 'pending', 'pending', 'pending']);
    });

    it('keeps names apart', async () => {
      await claim('a');
      expect((await claim('b', NOW, store, 'k#2')).kind).toBe('claimed');
      expect((await claim('c', NOW, store, 'other#1')).kind).toBe('claimed');
    });

    it('renews a claim for its own token, and gives a lapsed one to another', async () => {
      await claim('a');
      expect((await claim('a', NOW + 900)).kind).toBe('claimed');
      expect((await claim('b', NOW + 1500)).kind).toBe('pending');
      expect((await claim('b', NOW + 1900)).kind).toBe('claimed');
      expect(await store.settle('k#1', 'a', KEPT, NOW + 9000)).toBe(false);
      expect(await store.settle('k#1', 'b', KEPT, NOW + 9000)).toBe(true);
    });

    it('gives what was settled to whoever claims the name, until its time is over', async () => {
      await claim('a');
      expect(await store.settle('k#1', 'a', KEPT, NOW + 5000)).toBe(true);
      expect(await claim('b', NOW + 4999, made.another())).toEqual({ kind: 'settled', ...KEPT });
      expect(await claim('a', NOW + 4999)).toEqual({ kind: 'settled', ...KEPT });
      expect((await claim('c', NOW + 5000)).kind).toBe('claimed');
      expect((await claim('d', NOW + 5001)).kind).toBe('pending');
    });

    it('gives a released name away again; only its owner can release it', async () => {
      await claim('a');
      await store.drop('k#1', 'b');
      expect((await claim('b')).kind).toBe('pending');
      await store.drop('k#1', 'a');
      await store.drop('k#1', 'a');
      expect((await claim('b')).kind).toBe('claimed');
      await store.drop('nothing', 'a');
    });

    it('releases what is settled for its own request alone, which failed afterwards', async () => {
      await claim('a');
      await store.settle('k#1', 'a', KEPT, NOW + 5000);
      await store.drop('k#1', 'b');
      expect((await claim('b')).kind).toBe('settled');
      await store.drop('k#1', 'a');
      expect((await claim('b')).kind).toBe('claimed');
    });

    it('forgets nothing before its time', async () => {
      await claim('a');
      await store.settle('k#1', 'a', KEPT, NOW + 5000);
      await store.expire(NOW + 4999);
      expect((await claim('b', NOW + 1)).kind).toBe('settled');
      await store.expire(NOW + 5000);
      expect((await claim('b', NOW + 5000)).kind).toBe('claimed');
    });
  });
}
