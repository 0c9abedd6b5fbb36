import { describe, expect, test } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { protectedTexts } from '../../../../packages/synthesis/disclosure/guardTexts.ts';
import { characterMarkov } from '../../../../packages/synthesis/models/text/characterMarkov.ts';
import {
  alphabetOf,
  bitsByOrder,
  buildAlphabet,
  buildTrie,
  childFinder,
  contextOf,
  drawAfter,
  probabilitiesByOrder,
} from '../../../../packages/synthesis/models/text/characterTrie.ts';
import { fitTask, mean, silent, tableOf, text, textsOf } from '../tables.ts';

const random = createStream(9, 'text');
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
const pick = <T>(items: readonly T[]): T => items[random.integer(items.length)]!;

const sentence = (): string =>
  `The ${pick(['old', 'red', 'quiet'])} ${pick(['house', 'river', 'señor', 'cat 😀'])} ${pick(['sleeps', 'runs', 'sings'])}${pick([' today', ' again', ''])}.`;

async function sampled(values: (string | null)[], rows = 300): Promise<(string | null)[]> {
  const fitted = await characterMarkov.fit(fitTask(tableOf(text('t', values)), ['t']));
  return textsOf(
    await fitted.sample({ rows, made: { rows, columns: new Map() }, random: createStream(2, 's'), onProgress: silent }),
    't',
  );
}

describe('a trie of contexts', () => {
  const { characters, encode } = buildAlphabet(['abab', 'abac']);
  const kinds = characters.length + 1;
  const trie = buildTrie([encode('abab'), encode('abac')], kinds, 3);
  const childOf = childFinder(trie);
  const successors = (context: string): Record<string, number> => {
    const node = contextOf(childOf, encode(context), context.length, 3);
    const found: Record<string, number> = {};
    for (let k = trie.from[node]!; k < trie.from[node + 1]!; k++) {
      const before = k > trie.from[node]! ? trie.cumulative[k - 1]! : 0;
      found[characters[trie.symbol[k]! - 1] ?? 'END'] = trie.cumulative[k]! - before;
    }
    return found;
  };

  test('counts what follows each context', () => {
    expect(successors('')).toEqual({ a: 4, b: 3, c: 1, END: 2 });
    expect(successors('a')).toEqual({ b: 3, c: 1 });
    expect(successors('ab')).toEqual({ a: 2, END: 1 });
    expect(successors('ba')).toEqual({ b: 1, c: 1 });
  });

  test('falls back to the longest context that it has', () => {
    expect(successors('ca')).toEqual(successors('a'));
    expect(successors('cc')).toEqual({ END: 1 });
  });

  test('gives every text a finite cost, and the texts that it was trained on a lower one with longer contexts', () => {
    const bits = bitsByOrder(trie, childOf, [encode('abab'), encode('abac')]);
    expect([...bits]).toEqual([...bits].sort((a, b) => b - a));
    expect(bitsByOrder(trie, childOf, [encode('ccbb')]).every(Number.isFinite)).toBe(true);
  });

  test('makes probabilities that add up to one after every history, whatever the order', () => {
    for (const before of ['', 'a', 'ab', 'cab', 'ccc']) {
      const history = [kinds, ...encode(before)];
      const sums = new Float64Array(trie.order + 1);
      for (let symbol = 0; symbol < kinds; symbol++) {
        const each = probabilitiesByOrder(trie, childOf, history, history.length, symbol);
        for (let order = 0; order <= trie.order; order++) sums[order]! += each[order]!;
      }
      for (const sum of sums) expect(sum).toBeCloseTo(1, 12);
    }
  });

  test('draws as often as it says', () => {
    const history = [kinds, ...encode('ab')];
    const context = contextOf(childOf, history, history.length, trie.order);
    const drawn = times(40_000, () => drawAfter(trie, context, random));
    for (let symbol = 0; symbol < kinds; symbol++) {
      const said = probabilitiesByOrder(trie, childOf, history, history.length, symbol)[trie.order]!;
      // What the base measure adds below the empty context is never drawn.
      const uniformPart = 1 / kinds;
      expect(Math.abs(drawn.filter((one) => one === symbol).length / 40_000 - said)).toBeLessThan(
        0.1 * uniformPart + 0.01,
      );
    }
  });
});

describe('an alphabet', () => {
  test('takes whole code points and leaves out broken ones', () => {
    const { characters, encode } = buildAlphabet(['a😀', 'b\ud83d']);
    expect(characters).toEqual(['a', '😀', 'b']);
    expect([...encode('😀\ud83db')]).toEqual([2, 3]);
    expect([...alphabetOf(characters).encode('ba')]).toEqual([3, 1]);
  });
});

describe('synthetic text', () => {
  const real = times(1500, sentence);

  test('is spelt like the real one, in whole code points', async () => {
    const made = await sampled(real);
    const words = new Set(real.flatMap((line) => line.split(' ')));
    const known = made.flatMap((line) => line!.split(' ')).filter((word) => words.has(word)).length;
    expect(known / made.flatMap((line) => line!.split(' ')).length).toBeGreaterThan(0.8);
    expect(made.every((line) => line!.isWellFormed())).toBe(true);
  });

  test('has the lengths of the real one', async () => {
    const unique = times(
      800,
      (i) => `${i} ${times(3 + random.integer(30), () => pick(['ab', 'cd ', 'e', 'f. '])).join('')}.`,
    );
    const made = await sampled(unique, 800);
    const lengths = (texts: (string | null)[]) => texts.map((line) => [...line!].length);
    expect(Math.abs(mean(lengths(made)) / mean(lengths(unique)) - 1)).toBeLessThan(0.05);
    expect(Math.max(...lengths(made))).toBeLessThan(1.3 * Math.max(...lengths(unique)) + 10);
  });

  test('never repeats a text that stands fewer than five times, and may repeat one that stands more often', async () => {
    const rare = times(400, (i) => `entry number ${i} of ${pick(['one', 'two'])}`);
    const common = times(100, () => 'Thank you!');
    const made = await sampled([...rare, ...common], 2000);
    const rareOnes = new Set(rare);
    expect(made.filter((line) => rareOnes.has(line!))).toEqual([]);
    expect(made.filter((line) => line === 'Thank you!').length).toBeGreaterThan(50);
  });

  test('of a handful of texts is none of them', async () => {
    for (const values of [['a', 'b'], ['same', 'same'], ['x'], ['only one long text that stands alone']]) {
      const made = await sampled(values, 40);
      expect(made.filter((line) => line !== null && values.includes(line))).toEqual([]);
      expect(made.some((line) => line !== null)).toBe(true);
    }
  });

  test('is missing where there was nothing to learn from, and reads as missing nowhere else', async () => {
    expect(await sampled([null, null, ''], 3)).toEqual([null, null, null]);
    const made = await sampled(
      times(200, () => pick(['NAN', 'NAB', 'BAN', 'N A', 'A  ', 'NA.'])),
      400,
    );
    expect(made.filter((line) => line !== null && ['', 'NA', 'NaN'].includes(line.trim()))).toEqual([]);
  });

  test('holds no word of four letters or more that fewer than five owners have', async () => {
    const planted: readonly (readonly [string, number])[] = [
      ['Zokadix', 1],
      ['Bulomax', 3],
      ['Ridepux', 10],
    ];
    const own = planted.flatMap(([name, rows], owner) =>
      times(rows, (row) => ({
        text: `${sentence()} Seen by ${name}.`,
        owner: rows === 10 ? -owner : 1000 + 10 * owner + row,
      })),
    );
    const others = times(60, (row) => ({ text: sentence(), owner: row }));
    const all = [...own, ...others];
    const task = fitTask(
      tableOf(
        text(
          't',
          all.map((one) => one.text),
        ),
      ),
      ['t'],
    );
    const fitted = await characterMarkov.fit({ ...task, owners: Int32Array.from(all, (one) => one.owner) });
    const made = textsOf(
      await fitted.sample({
        rows: 3000,
        made: { rows: 3000, columns: new Map() },
        random: createStream(2, 's'),
        onProgress: silent,
      }),
      't',
    );
    for (const [name] of planted) expect(made.filter((line) => line?.includes(name.slice(0, 5)))).toEqual([]);
    expect(JSON.stringify(fitted.save())).not.toContain('Zokadix');
    expect(made.filter((line) => line?.includes('house')).length).toBeGreaterThan(100);
  });

  test('protects texts by how often they stand', () => {
    expect(protectedTexts(['a', 'b', 'b', ...times(5, () => 'c')]).size).toBe(2);
  });
});
