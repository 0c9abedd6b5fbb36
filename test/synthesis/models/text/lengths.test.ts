import { describe, expect, it } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { kolmogorovSmirnov } from '../../../../packages/synthesis/judge/distances.ts';
import {
  drawLengths,
  fitLengths,
  type Lengths,
  lengthJudge,
  lengthNats,
  lengthScores,
  withLengths,
} from '../../../../packages/synthesis/models/text/lengths.ts';
import { category, fitTask, numeric, silent, tableOf, text } from '../tables.ts';

const random = createStream(1, 'lengths');
const n = 3000;
const rating = Array.from({ length: n }, () => random.integer(5));
/** Titles that end at 50 characters, the longer the better the rating; one in ten is missing. */
const lengthOf = rating.map((own) => Math.max(1, Math.min(50, Math.round(22 + 6 * own + 6 * random.normal()))));
const titles = lengthOf.map((length, row) => (row % 10 === 3 ? null : 'é'.repeat(length)));
const table = tableOf(
  category('rating', rating.map(String)),
  numeric(
    'noise',
    rating.map(() => random.normal()),
  ),
  text('title', titles),
);
const task = fitTask(table, ['title'], ['rating', 'noise']);
const sampleOf = (seed: number) => ({ rows: n, made: table, random: createStream(seed, 's'), onProgress: silent });

/** Rows that are to have texts of these bins; -1 for none. */
const rowsIn = ({ name, edges }: Pick<Lengths, 'name' | 'edges'>, bins: number[]) =>
  tableOf({ kind: 'category', name, levels: edges.map(String), codes: Int32Array.from(bins) });

const meanOf = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('lengths of texts', () => {
  it('are bins of about equal shares, a length that many texts have at the end of one', async () => {
    const { edges, shares, name } = await fitLengths(task, 'title');
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
    expect(edges.toSorted((a, b) => a - b)).toEqual(edges);
    expect(edges.at(-1)).toBe(50);
    expect(name).toBe('length of title');
    const taken = tableOf(...table.columns.values(), category('length of title', rating.map(String)));
    expect((await fitLengths({ ...task, table: taken }, 'title')).name).toBe("length of title'");
  });

  it('keep a length that most texts of a bin have apart from the few that are longer', async () => {
    const longer = titles.map((title, row) => (row === 5 ? 'é'.repeat(112) : title));
    const { edges, shares } = await fitLengths(
      fitTask(tableOf(category('rating', rating.map(String)), text('title', longer)), ['title'], ['rating']),
      'title',
    );
    expect(edges.slice(-2)).toEqual([50, 112]);
    expect(Math.min(...shares)).toBe(shares.at(-1));
    expect(shares.at(-2)).toBeCloseTo(
      lengthOf.filter((length, row) => length === 50 && row % 10 !== 3).length / 2700,
      2,
    );
    expect(shares.at(-1)).toBeCloseTo(1 / 2700, 6);
  });

  it('are drawn as they go with the row, and all together as in the data, saved and restored', async () => {
    const saved = JSON.parse(JSON.stringify(await fitLengths(task, 'title')));
    const made = await drawLengths({ ...sampleOf(2), representative: true }, [saved]);
    const bins = made.columns.get('length of title');
    if (bins?.kind !== 'category') throw new Error('no bins');
    const real = withLengths(table, ['title'], [saved]).columns.get('length of title');
    if (real?.kind !== 'category') throw new Error('no bins');
    const present = (codes: Int32Array) => Float64Array.from(codes.filter((code) => code >= 0));
    expect(kolmogorovSmirnov(present(real.codes), present(bins.codes))).toBeLessThan(0.03);
    const byRating = (codes: Int32Array) =>
      [0, 4].map((own) => meanOf([...codes].filter((code, row) => code >= 0 && rating[row] === own)));
    const [low, high] = byRating(bins.codes);
    const [realLow, realHigh] = byRating(real.codes);
    expect(Math.abs(low! - realLow!)).toBeLessThan(0.7);
    expect(Math.abs(high! - realHigh!)).toBeLessThan(0.7);
  });

  it('have scores that rise with them, and weigh as much below their middle as above', async () => {
    const lengths = await fitLengths(task, 'title');
    const bins = withLengths(table, ['title'], [lengths]).columns.get('length of title');
    if (bins?.kind !== 'category') throw new Error('no bins');
    const scores = bins.levels.map((level) => lengthScores(lengths).get(level)!);
    expect(scores).toEqual(scores.toSorted((a, b) => a - b));
    expect(Math.abs(scores.reduce((sum, score, k) => sum + score * lengths.shares[k]!, 0))).toBeLessThan(0.05);
  });

  it('cost what their bin is worth in nats', async () => {
    const lengths = await fitLengths(task, 'title');
    expect(lengthNats(lengths, 'é'.repeat(50))).toBeCloseTo(-Math.log(lengths.shares.at(-1)!), 12);
    expect(lengthNats(lengths, 'é'.repeat(500))).toBe(lengthNats(lengths, 'é'.repeat(50)));
  });

  it('are missed by texts beyond a twentieth of their bin, and by none beyond the longest of the data', async () => {
    const lengths = await fitLengths(task, 'title');
    const codes = [0, lengths.edges.length - 1, -1];
    const { earliest, miss, mayTryAgain } = lengthJudge(lengths, rowsIn(lengths, codes));
    const longest = Math.floor(lengths.edges[0]! * 1.05);
    expect([miss(0, 'x', 0), miss(0, 'x'.repeat(longest), 0), miss(0, 'x'.repeat(longest + 5), 0) > 3]).toEqual([
      0,
      0,
      true,
    ]);
    expect([miss(1, 'é'.repeat(50), 0), miss(1, 'é'.repeat(51), 0), miss(1, 'x', 0) > 30]).toEqual([0, 1, true]);
    expect(miss(2, 'x'.repeat(1000), 0)).toBe(0);
    // Lines cost little.
    expect([2, 3, 4].map((tries) => mayTryAgain(0, 'x'.repeat(lengths.shortest), tries))).toEqual([true, true, false]);
    expect([earliest(0), earliest(1), earliest(2)]).toEqual([0, 50, 0]);
  });

  it('are kept to where they are a heap: no end before it, and ends the sooner in it and beyond', async () => {
    const lengths = {
      name: 'length',
      edges: [20, 31, 32, 50],
      shortest: 5,
      shares: [0.25, 0.25, 0.25, 0.25],
      tree: null,
    };
    const { earliest, eagerness, mayTryAgain } = lengthJudge(lengths, rowsIn(lengths, [1, 2]));
    expect([2, 3, 4].map((tries) => mayTryAgain(1, 'x'.repeat(32), tries))).toEqual([true, true, false]);
    expect([earliest(0) > 0, earliest(0) < 0.86 * 21, earliest(1)]).toEqual([true, true, 32]);
    expect([20, 31].map((characters) => eagerness(0, characters))).toEqual([1, 4]);
    const [before, inside, beyond] = [31, 32, 33].map((characters) => eagerness(1, characters));
    expect(before).toBe(1);
    expect(inside).toBeGreaterThan(1);
    expect(beyond).toBeGreaterThan(inside!);
  });

  it('are no heap where lengths beside them are as frequent: titles of 44, 45 and 46 characters', () => {
    const shares = [0.2, 0.05, 0.05, 0.05, 0.2, 0.45];
    const lengths = { name: 'length', edges: [43, 44, 45, 46, 50, 120], shortest: 20, shares, tree: null };
    const { earliest, eagerness, miss, mayTryAgain } = lengthJudge(lengths, rowsIn(lengths, [2]));
    expect(earliest(0)).toBeLessThan(38);
    expect([miss(0, 'x'.repeat(43), 0), miss(0, 'x'.repeat(47), 0), miss(0, 'x'.repeat(48), 0) > 0]).toEqual([
      0,
      0,
      true,
    ]);
    expect([44, 45, 46].map((characters) => eagerness(0, characters))).toEqual([1, 4, 20]);
    // A line costs little.
    expect([2, 3, 4].map((tries) => mayTryAgain(0, 'x'.repeat(60), tries))).toEqual([true, true, false]);
  });

  it('are written again twice where texts are long, and more often where one is longer than all, or shorter', () => {
    const lengths = { name: 'length', edges: [200, 300], shortest: 120, shares: [0.5, 0.5], tree: null };
    const { mayTryAgain } = lengthJudge(lengths, rowsIn(lengths, [0]));
    const again = (length: number) => [1, 2, 3, 4].map((tries) => mayTryAgain(0, 'x'.repeat(length), tries));
    expect(again(250)).toEqual([true, false, false, false]);
    expect([again(301), again(119)]).toEqual([again(301), again(301)]);
    expect(again(301)).toEqual([true, true, true, false]);
  });

  it('are heaps before a cliff, as messages of 137 to 140 characters', () => {
    const shares = [0.4, 0.1, 0.1, 0.1, 0.1, 0.2];
    const lengths = { name: 'length', edges: [130, 136, 137, 138, 140, 180], shortest: 20, shares, tree: null };
    const { earliest } = lengthJudge(lengths, rowsIn(lengths, [1, 2, 3, 4, 5]));
    expect([0, 1, 2, 3, 4].map((row) => earliest(row) >= 131)).toEqual([false, true, true, true, false]);
  });

  it('may miss their bin a little, but not all on one side', () => {
    const lengths = { name: 'length', edges: [200, 300, 400], shortest: 20, shares: [0.3, 0.3, 0.4], tree: null };
    const { beside, miss } = lengthJudge(lengths, rowsIn(lengths, [1, -1]));
    const [short, fit, long] = [195, 250, 310].map((length) => 'x'.repeat(length));
    expect([short, fit, long].map((text) => beside(0, text!))).toEqual([-6, 0, 10]);
    expect(beside(1, long!)).toBe(0);
    const missed = (ahead: number) => [short, fit, long].map((text) => miss(0, text!, ahead));
    expect([missed(0), missed(-300), missed(300)]).toEqual([
      [0, 0, 0],
      [0, 0, 0],
      [0, 0, 0],
    ]);
    expect([missed(-301), missed(301)]).toEqual([
      [6, 0, 0],
      [0, 0, 10],
    ]);
  });

  it('hasten no end in the bin of the shortest', () => {
    const lengths = { name: 'length', edges: [90, 120], shortest: 20, shares: [0.5, 0.5], tree: null };
    const { eagerness } = lengthJudge(lengths, rowsIn(lengths, [0]));
    expect([5, 90, 91].map((characters) => eagerness(0, characters))).toEqual([1, 1, 20]);
  });

  it('leave the beginning of a text that misses them, ever less of it, and nothing of a short one', () => {
    const lengths = { name: 'length', edges: [12, 100, 200], shortest: 1, shares: [0.3, 0.3, 0.4], tree: null };
    const { stays } = lengthJudge(lengths, rowsIn(lengths, [0, 1, -1]));
    // Of a text that is too long, as much as of one that just is not.
    expect([50, 100, 400].map((length) => stays(1, 'x'.repeat(length), 1))).toEqual([37, 75, 75]);
    expect([1, 2, 3].map((tries) => stays(1, 'x'.repeat(100), tries))).toEqual([75, 56, 42]);
    expect([stays(0, 'x'.repeat(20), 1), stays(2, 'x'.repeat(20), 1)]).toEqual([0, 0]);
  });

  it('are no heap in a bin of ten lengths, however small its share of them', () => {
    const lengths = { name: 'length', edges: [240, 250, 300], shortest: 100, shares: [0.4, 0.1, 0.5], tree: null };
    const { earliest, eagerness, miss } = lengthJudge(lengths, rowsIn(lengths, [1]));
    expect([eagerness(0, 200), eagerness(0, 260) > eagerness(0, 245), eagerness(0, 245) > 1]).toEqual([1, true, true]);
    expect(earliest(0)).toBeLessThan(241);
    expect(miss(0, 'x'.repeat(238), 0)).toBe(0);
  });
});
