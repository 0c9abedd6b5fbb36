import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownText, TextDictionary } from '../../packages/tables/textDictionary.ts';

describe('TextDictionary', () => {
  it('gives equal texts equal codes, in the order of first appearance', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 20 })), (texts) => {
        const dictionary = new TextDictionary();
        const codes = texts.map((text) => dictionary.encode(text));
        expect(dictionary.texts).toEqual([...new Set(texts)]);
        expect(codes.map((code) => dictionary.texts[code])).toEqual(texts);
      }),
    );
  });

  it('holds many thousand texts', () => {
    const dictionary = new TextDictionary();
    const texts = Array.from({ length: 50_000 }, (_, i) => `text number ${i % 40_000}`);
    expect(texts.map((text) => dictionary.encode(text))).toEqual(texts.map((_, i) => i % 40_000));
  });
});

describe('ownText', () => {
  it('is the same text', () => {
    for (const text of ['', 'short', 'a text of more than thirteen characters', '🦒'.repeat(10)]) {
      expect(ownText(text)).toBe(text);
    }
  });
});
