/** What every KeyStore does. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KeyStore } from '../../service/ports.ts';
import type { Made, MakeAdapter } from './made.ts';

export function keyStoreSuite(name: string, makeAdapter: MakeAdapter<KeyStore>): void {
  describe(`KeyStore: ${name}`, () => {
    let made: Made<KeyStore>;
    let store: KeyStore;
    beforeEach(async () => {
      made = await makeAdapter();
      store = made.adapter;
    });
    afterEach(() => made.dispose());

    it('verifies a key that it made, from another handle too, and names its record', async () => {
      const { key, record } = await store.create('laptop', []);
      expect(await made.another().verify(key)).toEqual(record);
      expect(record).toMatchObject({ name: 'laptop', revokedAt: null });
      expect(Number.isNaN(Date.parse(record.createdAt))).toBe(false);
    });

    it('makes one first key, whoever asks for it at once, and none where there was a key', async () => {
      const asked = await Promise.all([store, made.another(), made.another()].map((each) => each.createFirst('first')));
      const firsts = asked.filter((first) => first !== undefined);
      expect(firsts).toHaveLength(1);
      expect(await store.verify(firsts[0]?.key ?? '')).toMatchObject({ name: 'first', rights: ['release'] });
      await store.revoke(firsts[0]?.record.id ?? '');
      expect(await store.createFirst('first')).toBeUndefined();
      expect(await store.list()).toHaveLength(1);
    });

    it('keeps what a key may do', async () => {
      const made = [await store.create('reviewer', ['release']), await store.create('client', [])];
      const found = await Promise.all(made.map(({ key }) => store.verify(key)));
      expect(found.map((record) => record?.rights)).toEqual([['release'], []]);
      expect((await store.list()).map(({ name, rights }) => [name, rights])).toEqual(
        expect.arrayContaining([
          ['reviewer', ['release']],
          ['client', []],
        ]),
      );
    });

    it('makes keys of at least 256 random bits, each unlike any other, that fit into a header', async () => {
      const made = await Promise.all(Array.from({ length: 20 }, () => store.create('same name', [])));
      expect(new Set(made.map(({ key }) => key)).size).toBe(20);
      expect(new Set(made.map(({ record }) => record.id)).size).toBe(20);
      for (const { key } of made) expect(key).toMatch(/^[A-Za-z0-9._-]{43,200}$/);
    });

    it('refuses a key with one character changed, anywhere', async () => {
      const { key } = await store.create('laptop', []);
      for (let i = 0; i < key.length; i++) {
        const other = key[i] === 'a' ? 'b' : 'a';
        expect(await store.verify(key.slice(0, i) + other + key.slice(i + 1))).toBeUndefined();
      }
    });

    it.each([
      ['no text', ''],
      ['a space', ' '],
      ['a dot', '.'],
      ['a letter', 'x'],
      ['the name of a property', '__proto__'],
      ['a zero', '\u0000'],
      ['an accent', 'é'],
      ['100,000 letters', 'a'.repeat(100_000)],
    ])('refuses %s', async (_, key) => {
      await store.create('laptop', []);
      expect(await store.verify(key)).toBeUndefined();
    });

    it('refuses the id alone, the secret alone, and a key with something before or behind it', async () => {
      const { key, record } = await store.create('laptop', []);
      const secret = key.replace(record.id, '');
      for (const text of [record.id, secret, ` ${key}`, `${key} `, `${key}\n`, key.slice(0, -1)]) {
        expect(await store.verify(text)).toBeUndefined();
      }
    });

    it('refuses the id of one key with the secret of another', async () => {
      const [one, two] = [await store.create('one', []), await store.create('two', [])];
      expect(await store.verify(two.key.replace(two.record.id, one.record.id))).toBeUndefined();
    });

    it('refuses a revoked key from then on, and no other', async () => {
      const [kept, revoked] = [await store.create('kept', []), await store.create('revoked', [])];
      expect(await made.another().revoke(revoked.record.id)).toBe(true);
      expect(await store.verify(revoked.key)).toBeUndefined();
      expect(await store.verify(kept.key)).toEqual(kept.record);
    });

    it('revokes once, and nothing that is not there', async () => {
      const { record } = await store.create('laptop', []);
      expect(await store.revoke(record.id)).toBe(true);
      expect(await store.revoke(record.id)).toBe(false);
      expect(await store.revoke('absent')).toBe(false);
    });

    it('lists keys with their names and revocations, and nothing of their secrets', async () => {
      const { key, record } = await store.create('Büro, "zweiter Stock" 🐧', []);
      await store.create('other', []);
      await store.revoke(record.id);
      const list = await store.list();
      expect(list.map(({ name }) => name).sort()).toEqual(['Büro, "zweiter Stock" 🐧', 'other']);
      expect(list.find(({ id }) => id === record.id)?.revokedAt).toEqual(expect.any(String));
      expect(JSON.stringify(list)).not.toContain(key.slice(-20));
    });
  });
}
