import { describe, expect, it } from 'vitest';
import { CellHash, lowHash } from '../../packages/tables/profile/distinctCounter.ts';

const hash = new CellHash();

function hashOf(text: string): string {
  hash.take(text);
  return `${hash.low} ${hash.high}`;
}

const lengths = [1, 2, 7, 31, 32, 33, 34, 35, 100, 2 ** 14, 2 ** 14 + 1];

describe('hashes of cells', () => {
  it('depend on the text alone, whatever was hashed before', () => {
    for (const length of lengths) {
      const text = 'é'.repeat(length);
      const before = hashOf(text);
      hashOf('z'.repeat(9000));
      expect(hashOf(text)).toBe(before);
    }
  });

  it('tell texts apart that differ in one character, wherever it is', () => {
    for (const length of [31, 32, 33, 34, 35, 100]) {
      const texts = Array.from({ length }, (_, at) => `${'a'.repeat(at)}b${'a'.repeat(length - at - 1)}`);
      expect(new Set([...texts, 'a'.repeat(length)].map(hashOf)).size).toBe(length + 1);
    }
  });

  it('tell texts apart that differ in length alone, and ASCII from wider characters', () => {
    const texts = lengths.flatMap((length) => ['a', '\u0000', 'é', '漢', '😀'].map((letter) => letter.repeat(length)));
    expect(new Set(texts.map(hashOf)).size).toBe(texts.length);
  });

  it('spread 100,000 long texts over 32 bits like random numbers: about one pair collides in a word', () => {
    const texts = Array.from({ length: 100_000 }, (_, i) => `a sentence that is repeated with the number ${i} in it`);
    expect(new Set(texts.map(lowHash)).size).toBeGreaterThan(texts.length - 12);
    expect(new Set(texts.map(hashOf)).size).toBe(texts.length);
  });

  it('have the low word that is given alone', () => {
    for (const length of lengths) {
      hash.take('x'.repeat(length));
      expect(lowHash('x'.repeat(length))).toBe(hash.low);
    }
  });
});
