import { describe, expect, it } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import type { Decoder } from '../../../../packages/synthesis/models/text/network/decoder.ts';
import { createPunctuator } from '../../../../packages/synthesis/models/text/punctuation.ts';
import type { Speller } from '../../../../packages/synthesis/models/text/speller.ts';
import { vocabularyOf } from '../../../../packages/synthesis/models/text/tokens/vocabulary.ts';
import { type WritingTask, writeRows } from '../../../../packages/synthesis/models/text/writeRows.ts';

/** In the alphabet of bytes: the last two are the bytes of é. */
const PIECES = ['Ġred', 'Ġwine', '.', 'Ã', '©'];
const vocabulary = vocabularyOf({ merges: [], split: [] }, PIECES);
const MARKER = vocabulary.pieces.length;

/** Says the same after every token; counts its reads, the slots that they were of, and what it holds in each slot. */
function stubborn(
  probabilities: readonly number[],
  slots = 2,
): Decoder & { tokens: number; held: number[]; ofSlots: number } {
  const own = {
    slots,
    tokens: 0,
    ofSlots: 0,
    held: new Array<number>(slots).fill(0),
    clear: (slot: number) => {
      own.held[slot] = 0;
    },
    rewind: (slot: number, tokens: number) => {
      own.held[slot]! -= tokens;
    },
    read: async () => {
      own.tokens++;
      own.ofSlots += own.slots;
      own.held = own.held.map((held) => held + 1);
      return Float32Array.from(own.held.flatMap(() => probabilities));
    },
    narrow: async (kept: readonly number[]) => {
      own.held = kept.map((slot) => own.held[slot]!);
      own.slots = kept.length;
    },
    release: async () => {},
  };
  return own;
}

async function write(decoder: Decoder, changes: Partial<WritingTask>): Promise<string[]> {
  const texts: string[] = [];
  await writeRows({
    decoder,
    vocabulary,
    nucleus: 1,
    rows: 20,
    prefix: () => [],
    columns: [
      { marker: MARKER, mixer: null, punctuator: createPunctuator({ following: [] }), speller: null, longest: 40 },
    ],
    random: createStream(3, 'rows'),
    accept(_, row, text) {
      texts[row] = text;
      return 'taken';
    },
    attempts: 3,
    earliest: () => 0,
    eagerness: () => 1,
    mayHave: () => true,
    onProgress: async () => {},
    ...changes,
  });
  return texts;
}

describe('writing rows', () => {
  it('ends no text before its earliest end, in characters and not in bytes', async () => {
    const eager = [0.9, 0.04, 0.02, 0.02, 0.01, 0.01];
    const early = await write(stubborn(eager), {});
    expect(Math.min(...early.map((text) => text.length))).toBeLessThan(8);
    const texts = await write(stubborn(eager), { earliest: (_, row) => row });
    expect(texts).toHaveLength(20);
    texts.forEach((text, row) => {
      expect([...text].length).toBeGreaterThanOrEqual(row);
    });
    const accents = await write(stubborn([0.5, 0, 0, 0, 0.25, 0.25]), { earliest: () => 6 });
    for (const text of accents) expect(text).toMatch(/^é{6,}$/);
  });

  it('ends a text the sooner the more eagerly its end is wanted', async () => {
    const long = [0.02, 0.3, 0.3, 0.38, 0, 0];
    const beyond = (text: string): number => Math.max(0, [...text].length - 30);
    const over = (texts: string[]): number => texts.reduce((sum, text) => sum + beyond(text), 0);
    const calm = over(await write(stubborn(long), {}));
    const eager = over(await write(stubborn(long), { eagerness: (_, __, characters) => (characters < 30 ? 1 : 40) }));
    expect(calm).toBeGreaterThan(200);
    expect(eager).toBeLessThan(calm / 3);
  });

  it('goes on in fewer slots when few texts are left, to the same texts', async () => {
    const decoder = (slots: number) => stubborn([0.02, 0.3, 0.3, 0.38, 0, 0], slots);
    const task = { rows: 40, earliest: (_: number, row: number) => (row % 20 === 0 ? 150 : 20), eagerness: () => 10 };
    const [few, many] = [decoder(2), decoder(40)];
    expect(await write(many, task)).toEqual(await write(few, task));
    expect(many.slots).toBeLessThanOrEqual(5);
    expect(many.ofSlots).toBeLessThan((40 * many.tokens) / 2);
  });

  it('hastens no end within a word', async () => {
    const speller = (isWhole: boolean): Speller => ({
      after: (spelled) => spelled,
      mayEnd: () => true,
      isWhole: () => isWhole,
      took: () => {},
    });
    const lengthOf = async ({ isWhole }: { isWhole: boolean }): Promise<number> => {
      const columns = [
        {
          marker: MARKER,
          mixer: null,
          punctuator: createPunctuator({ following: [] }),
          speller: speller(isWhole),
          longest: 40,
        },
      ];
      const texts = await write(stubborn([0.02, 0.3, 0.3, 0.38, 0, 0]), { columns, eagerness: () => 20 });
      return texts.reduce((sum, text) => sum + text.length, 0);
    };
    expect(await lengthOf({ isWhole: true })).toBeLessThan((await lengthOf({ isWhole: false })) / 3);
  });

  it('writes a text again as soon as it has what it may not have, wherever that begins', async () => {
    const likely = [0.02, 0.45, 0.45, 0.08, 0, 0];
    const refused: string[] = [];
    const mayHave = (_: number, part: string): boolean => {
      const isRefused = part.includes('red wine red wine');
      if (isRefused) refused.push(part);
      return !isRefused;
    };
    const decoder = stubborn(likely);
    const texts = await write(decoder, { mayHave, attempts: 1000 });
    expect(texts).toHaveLength(20);
    for (const text of texts) expect(text).not.toContain('red wine red wine');
    expect(refused.length).toBeGreaterThan(0);
    for (const part of refused) expect(part.endsWith('red wine red wine')).toBe(true);
  });

  it('goes back within a text before it begins again', async () => {
    const likely = [0.02, 0.45, 0.45, 0.08, 0, 0];
    const mayHave = (_: number, part: string): boolean => !part.includes('red wine red wine');
    const decoder = stubborn(likely);
    const least: number[] = [];
    const rewind = (slot: number, tokens: number): void => {
      decoder.rewind(slot, tokens);
      least.push(decoder.held[slot]!);
    };
    const texts = await write({ ...decoder, rewind }, { mayHave, attempts: 1 });
    expect(texts.filter((text) => text !== undefined).length).toBeGreaterThan(15);
    for (const text of texts) expect(text ?? '').not.toContain('red wine red wine');
    expect(least.length).toBeGreaterThan(0);
    // The marker of the column stays.
    expect(Math.min(...least)).toBeGreaterThanOrEqual(1);
  });

  it('writes the end of a text again behind the characters that stay', async () => {
    const again = async (stays: number) => {
      const decoder = stubborn([0.01, 0.44, 0.45, 0.1, 0, 0]);
      const [first, texts]: [string[], string[]] = [[], []];
      const accept = (_: number, row: number, text: string): 'taken' | number => {
        texts[row] = text;
        if (first[row] !== undefined) return 'taken';
        first[row] = text;
        return stays;
      };
      await write(decoder, { accept, attempts: 2, earliest: () => 40, eagerness: () => 10 });
      return { first, texts, read: decoder.tokens, held: Math.min(...decoder.held) };
    };
    const [whole, end] = [await again(0), await again(30)];
    expect(end.read).toBeLessThan(0.92 * whole.read);
    expect(end.held).toBeGreaterThanOrEqual(0);
    const staying = ({ first, texts }: typeof end): number =>
      texts.filter((text, row) => text.slice(0, 25) === first[row]!.slice(0, 25)).length;
    expect([staying(end), end.texts.length]).toEqual([20, 20]);
    expect(staying(whole)).toBeLessThan(5);
    expect(end.texts.filter((text, row) => text !== end.first[row]).length).toBeGreaterThan(15);
  });

  it('writes a text again from its start where nothing of it stays', async () => {
    const seen: string[] = [];
    const accept = (_: number, __: number, text: string): 'taken' | number => (seen.push(text) < 3 ? 0 : 'taken');
    await write(stubborn([0.3, 0.35, 0.35, 0, 0, 0]), { accept, attempts: 3, rows: 1 });
    expect(seen).toHaveLength(3);
    expect(new Set(seen).size).toBeGreaterThan(1);
  });

  it('begins with the rows whose texts are longest', async () => {
    const begun: number[] = [];
    const prefix = (row: number): number[] => {
      begun.push(row);
      return [];
    };
    await write(stubborn([0.5, 0.25, 0.25, 0, 0, 0]), { prefix, rows: 4, earliest: (_, row) => [5, 30, 0, 30][row]! });
    expect(begun).toEqual([1, 3, 0, 2]);
  });

  it('writes and ends texts with the signs that the column has', async () => {
    const following: [string, string][] = [
      ['\u0002', ' '],
      [' ', 'a'],
      ['a', ' .'],
      ['.', ' \u0003'],
    ];
    const columns = [
      { marker: MARKER, mixer: null, punctuator: createPunctuator({ following }), speller: null, longest: 400 },
    ];
    const texts = await write(stubborn([0.2, 0.2, 0.2, 0.2, 0.1, 0.1]), { columns });
    expect(texts).toHaveLength(20);
    for (const text of texts) expect(text).toMatch(/^(( \p{L}+)+\.)+$/u);
  });

  it('goes back from where nothing may follow and no end', async () => {
    const speller: Speller = {
      after(spelled, characters) {
        if (spelled.word === 'stuck') return undefined;
        return { ...spelled, word: characters.includes('.') ? 'stuck' : '' };
      },
      mayEnd: ({ word }) => word !== 'stuck',
      isWhole: () => true,
      took: () => {},
    };
    const columns = [
      { marker: MARKER, mixer: null, punctuator: createPunctuator({ following: [] }), speller, longest: 40 },
    ];
    const texts = await write(stubborn([0.1, 0.4, 0.4, 0.1, 0, 0]), { columns, attempts: 100 });
    expect(texts.filter((text) => text !== undefined)).toHaveLength(20);
    for (const text of texts) expect(text).not.toContain('.');
  });

  it('goes back from an end that comes too early, and not on behind it', async () => {
    const decoder = stubborn([]);
    const STOP = 3;
    const read = async (tokens: Int32Array): Promise<Float32Array> =>
      Float32Array.from(
        [...tokens].flatMap((token) => (token === STOP ? [0.98, 0.02, 0] : [0, 0.8, 0.2]).flatMap(own)),
      );
    const own = (p: number, k: number): number[] => (k === 2 ? [0, p, 0, 0] : [p]);
    const texts = await write({ ...decoder, read }, { earliest: () => 30 });
    const early = texts.filter((text) => text.slice(0, 25).includes('.'));
    expect(texts).toHaveLength(20);
    for (const text of texts) expect(text.length).toBeGreaterThanOrEqual(30);
    // Without going back 18 have one.
    expect(early.length).toBeLessThan(6);
  });

  it('gives a row up after so many texts', async () => {
    const accepted = await write(stubborn([0.5, 0.5, 0, 0, 0, 0]), { mayHave: () => false });
    expect(accepted).toEqual([]);
  });
});
