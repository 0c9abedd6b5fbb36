import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterBytes,
  BYTE_PIECES,
  DIGITS,
  decodePieces,
  encoderOf,
  GPT2,
  pieceBytes,
  SPLITS,
  splitWords,
  toByteCharacters,
  WHOLE,
} from '../../../../../packages/synthesis/models/text/tokens/bytePairs.ts';
import {
  cutVocabulary,
  trainedVocabulary,
  trainMerges,
  trainTokenizer,
} from '../../../../../packages/synthesis/models/text/tokens/vocabulary.ts';

const TEXTS = ['the cat and the hat', 'the bat, the mat', 'that the', 'Réd wine 2015 😀', 'the the the'];
const wellFormed = fc.string({ unit: 'grapheme-composite', maxLength: 60 });

describe('the alphabet of bytes', () => {
  it('has a character for every byte, and is its own inverse', () => {
    expect(new Set(BYTE_PIECES).size).toBe(256);
    fc.assert(
      fc.property(wellFormed, (text) => {
        expect(new TextDecoder().decode(pieceBytes(toByteCharacters(text)))).toBe(text);
      }),
    );
    expect(toByteCharacters(' a\n')).toBe('ĠaĊ');
    expect(pieceBytes('日')).toBeUndefined();
  });
});

describe('words', () => {
  it('make the text again, whatever the text and the pattern', () => {
    fc.assert(
      fc.property(wellFormed, fc.constantFrom(...Object.keys(SPLITS)), (text, name) => {
        expect(splitWords(text, SPLITS[name]!).join('')).toBe(text);
      }),
    );
  });

  it('are those of the tokenizer of GPT-2, with digits apart where they are', () => {
    expect(splitWords("It's 42  ok", [GPT2])).toEqual(['It', "'s", ' 42', ' ', ' ok']);
    expect(splitWords('a 42', [DIGITS, GPT2])).toEqual(['a', ' ', '4', '2']);
  });

  it('are short, and so merging ends soon, where a text has no spaces', () => {
    const words = splitWords('x'.repeat(1000), [GPT2]);
    expect(Math.max(...words.map(({ length }) => length))).toBeLessThanOrEqual(200);
    expect(words.join('').length).toBe(1000);
  });
});

describe('byte pairs', () => {
  it('are trained most frequent first, and merged in that order', () => {
    const merges = trainMerges(TEXTS, [DIGITS, GPT2], 3);
    expect(merges).toEqual([
      ['t', 'h'],
      ['th', 'e'],
      ['a', 't'],
    ]);
    const encode = encoderOf({ merges, split: [DIGITS, GPT2] });
    expect(encode('the then that')).toEqual(['the', 'Ġ', 'the', 'n', 'Ġ', 'th', 'at']);
  });

  it('are none where nothing stands five times', () => {
    expect(trainMerges(['abcdef'], [GPT2], 10)).toEqual([]);
  });

  it('of a base are those of the texts, and its first ones that merges make, up to a number', () => {
    const merges: (readonly [string, string])[] = [
      ['a', 't'],
      ['t', 'h'],
      ['th', 'e'],
    ];
    const known = new Map(['a', 'e', 'h', 't', 'at', 'th', 'the', '<end>'].map((piece, id) => [piece, id]));
    const kept = (most?: number) => cutVocabulary({ merges, split: [GPT2] }, known, ['the'], most).pieces.slice(1);
    expect(kept(0)).toEqual(['a', 'e', 'h', 't', 'the']);
    expect(kept(6)).toEqual(['a', 'e', 'h', 't', 'at', 'the']);
    expect(kept()).toEqual(['a', 'e', 'h', 't', 'at', 'th', 'the']);
  });

  it.each([
    ['trained', () => trainedVocabulary(trainTokenizer(TEXTS))],
    [
      'cut',
      () => {
        const tokenizer = trainTokenizer(TEXTS);
        const { pieces } = trainedVocabulary(tokenizer);
        return cutVocabulary(tokenizer, new Map(pieces.slice(1).map((piece, id) => [piece, id])), ['the'], 0);
      },
    ],
  ])('of a vocabulary that is %s make every text again', (_, make) => {
    const { encode, bytes } = make();
    fc.assert(
      fc.property(wellFormed, (text) => {
        expect(decodePieces(encode(text).map((id) => bytes[id]!))).toBe(text);
      }),
    );
    expect(bytes[0]).toEqual(new Uint8Array());
  });
});

describe('UTF-8 as it comes', () => {
  it('accepts the bytes of every text, in any pieces, and is whole at its end', () => {
    fc.assert(
      fc.property(wellFormed, (text) => {
        let state: ReturnType<typeof afterBytes> = WHOLE;
        for (const byte of new TextEncoder().encode(text)) state = state && afterBytes(state, Uint8Array.of(byte));
        expect(state?.missing).toBe(0);
      }),
    );
  });

  it('agrees with the decoder on what is no UTF-8', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5 }), (bytes) => {
        const isWhole = afterBytes(WHOLE, bytes)?.missing === 0;
        let isDecoded = true;
        try {
          new TextDecoder('utf-8', { fatal: true }).decode(bytes);
        } catch {
          isDecoded = false;
        }
        expect(isWhole).toBe(isDecoded);
      }),
      { numRuns: 2000 },
    );
  });
});
