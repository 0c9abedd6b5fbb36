/** What every ObjectStore does. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readObject } from '../../service/job/objectKeys.ts';
import type { ObjectStore } from '../../service/ports.ts';
import type { Made, MakeAdapter } from './made.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield bytesOf(text);
}

export function objectStoreSuite(name: string, makeAdapter: MakeAdapter<ObjectStore>): void {
  describe(`ObjectStore: ${name}`, () => {
    let made: Made<ObjectStore>;
    let store: ObjectStore;
    beforeEach(async () => {
      made = await makeAdapter();
      store = made.adapter;
    });
    afterEach(() => made.dispose());

    async function textAt(key: string, handle = store): Promise<string | undefined> {
      const bytes = await readObject(handle, key);
      return bytes && new TextDecoder().decode(bytes);
    }

    it('gives back what was put, whole or in chunks, and counts its bytes', async () => {
      expect(await store.put('jobs/a/whole', bytesOf('whole ✓'))).toEqual({ bytes: 9 });
      expect(await store.put('jobs/a/chunks', chunks('one ', '', 'two'))).toEqual({ bytes: 7 });
      expect(await textAt('jobs/a/whole', made.another())).toBe('whole ✓');
      expect(await textAt('jobs/a/chunks')).toBe('one two');
      expect((await store.get('jobs/a/whole'))?.bytes).toBe(9);
    });

    it('knows when each object under a prefix was put', async () => {
      const before = Date.now();
      await store.put('jobs/a/one', bytesOf('1'));
      await store.put('jobs/b/two', bytesOf('2'));
      const times = await store.times('jobs/a/');
      expect([...times.keys()]).toEqual(['jobs/a/one']);
      // The store's clock may be another machine's, and tell whole seconds.
      expect(Math.abs((times.get('jobs/a/one') ?? 0) - before)).toBeLessThan(3_600_000);
      expect(await store.times('jobs/c/')).toEqual(new Map());
    });

    it('keeps an empty object', async () => {
      expect(await store.put('jobs/a/empty', chunks())).toEqual({ bytes: 0 });
      expect(await textAt('jobs/a/empty')).toBe('');
    });

    it('gives back every byte of a large object', async () => {
      const block = Uint8Array.from({ length: 100_003 }, (_, i) => (i * 31) % 256);
      async function* many() {
        for (let i = 0; i < 40; i++) yield block;
      }
      expect(await store.put('jobs/a/large', many())).toEqual({ bytes: 40 * block.length });
      const whole = await readObject(store, 'jobs/a/large');
      expect(Buffer.compare(Buffer.from(whole ?? []), Buffer.concat(Array(40).fill(block)))).toBe(0);
    });

    it('finds nothing at a key that was not put, nor at the folder of one', async () => {
      await store.put('jobs/a/upload', bytesOf('x'));
      expect(await store.get('jobs/b/upload')).toBeUndefined();
      expect(await store.get('jobs/a')).toBeUndefined();
    });

    it('replaces an object whole', async () => {
      await store.put('jobs/a/upload', bytesOf('a longer first text'));
      await store.put('jobs/a/upload', bytesOf('second'));
      expect(await textAt('jobs/a/upload')).toBe('second');
    });

    it('shows nothing of an object that is being written', async () => {
      let seen: unknown = 'not looked';
      async function* looking() {
        yield bytesOf('first half');
        seen = await made.another().get('jobs/a/upload');
        yield bytesOf('second half');
      }
      await store.put('jobs/a/upload', looking());
      expect(seen).toBeUndefined();
      expect(await store.list('jobs/')).toEqual(['jobs/a/upload']);
    });

    it('keeps nothing where the body breaks off, and passes its error on', async () => {
      const broken = new Error('the client went away');
      async function* breaking() {
        yield bytesOf('half');
        throw broken;
      }
      await expect(store.put('jobs/a/upload', breaking())).rejects.toBe(broken);
      expect(await store.get('jobs/a/upload')).toBeUndefined();
      expect(await store.list('')).toEqual([]);
    });

    it('keeps the object that was there where a replacement breaks off', async () => {
      await store.put('jobs/a/upload', bytesOf('first'));
      async function* breaking() {
        yield bytesOf('half of the second');
        throw new Error('broken off');
      }
      await expect(store.put('jobs/a/upload', breaking())).rejects.toThrow('broken off');
      expect(await textAt('jobs/a/upload')).toBe('first');
    });

    it('of many writers to one key at once, one wins whole', async () => {
      const texts = Array.from({ length: 8 }, (_, i) => `${i}`.repeat(1000 + i));
      const handles = [store, made.another()];
      await Promise.all(
        texts.map((text, i) => handles[i % 2]!.put('jobs/a/upload', chunks(text.slice(0, 9), text.slice(9)))),
      );
      expect(texts).toContain(await textAt('jobs/a/upload'));
    });

    it('lists keys under a prefix, in order, and no other', async () => {
      for (const key of ['jobs/b/upload', 'jobs/a/upload', 'jobs/a/attempt-1/synthetic_data.csv', 'jobs/ab/upload']) {
        await store.put(key, bytesOf('x'));
      }
      expect(await store.list('jobs/a/')).toEqual(['jobs/a/attempt-1/synthetic_data.csv', 'jobs/a/upload']);
      expect(await store.list('jobs/a')).toHaveLength(3);
      expect(await store.list('jobs/')).toHaveLength(4);
      expect(await store.list('jobs/absent/')).toEqual([]);
    });

    it('erases a key, or all under a prefix, twice without complaint, and no other', async () => {
      for (const key of ['jobs/a/upload', 'jobs/a/profile.json', 'jobs/a/attempt-1/model.json', 'jobs/ab/upload']) {
        await store.put(key, bytesOf('x'));
      }
      await store.erase('jobs/a/upload');
      await store.erase('jobs/a/upload');
      expect(await store.list('jobs/a/')).toEqual(['jobs/a/attempt-1/model.json', 'jobs/a/profile.json']);
      await store.erase('jobs/a/');
      await store.erase('jobs/a/');
      expect(await store.list('jobs/')).toEqual(['jobs/ab/upload']);
    });

    it('takes an object again where one was erased', async () => {
      await store.put('jobs/a/upload', bytesOf('first'));
      await store.erase('jobs/a/');
      await store.put('jobs/a/upload', bytesOf('second'));
      expect(await textAt('jobs/a/upload')).toBe('second');
    });
  });
}
