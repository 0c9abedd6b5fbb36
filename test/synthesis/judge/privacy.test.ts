import { describe, expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { rocAuc, shareDifference, wilson } from '../../../packages/synthesis/judge/intervals.ts';
import { neighboursOf, rankTables } from '../../../packages/synthesis/judge/nearestNeighbours.ts';
import { makeParts, privateParts } from '../../../packages/synthesis/judge/parts.ts';
import { sensitiveColumns } from '../../../packages/synthesis/judge/privacy/attributeInference.ts';
import { wonShare } from '../../../packages/synthesis/judge/privacy/distanceShare.ts';
import { RUN, runHashes, textMemorisation } from '../../../packages/synthesis/judge/privacy/textMemorisation.ts';
import { DRAWN_ROLES, drawTable, levels, measureTask, numbers, tableOf, texts } from './tables.ts';

const random = createStream(41, 'privacy');
const columns = { numeric: ['price', 'width', 'height'], categorical: ['place', 'kind'], text: [] };

describe('the area under the curve', () => {
  it('is the share of pairs in order, ties half', () => {
    const positive = Float64Array.from({ length: 60 }, () => random.integer(12) + 2);
    const negative = Float64Array.from({ length: 80 }, () => random.integer(12));
    let pairs = 0;
    for (const a of positive) for (const b of negative) pairs += a > b ? 1 : a === b ? 0.5 : 0;
    expect(rocAuc(positive, negative)!.value).toBeCloseTo(pairs / (60 * 80), 12);
    expect(rocAuc(new Float64Array(), negative)).toBeUndefined();
  });

  it('has a 95 % interval that holds 0.5 in 95 of 100 tables without a difference', () => {
    const stream = random.child('coverage');
    const draw = (n: number) => Float64Array.from({ length: n }, () => stream.normal());
    let holds = 0;
    for (let i = 0; i < 400; i++) {
      const [low, high] = rocAuc(draw(40), draw(60))!.interval;
      if (low <= 0.5 && high >= 0.5) holds++;
    }
    // Three standard errors of a share of 0.95 in 400, and DeLong is known to be a little short at such sizes.
    expect(holds / 400).toBeGreaterThan(0.91);
  });
});

describe('intervals of shares', () => {
  it('are those of Wilson and Newcombe as published', () => {
    // Newcombe (1998): 81 of 263 → 0.2553 … 0.3662; 56/70 − 48/80 → 0.0524 … 0.3339.
    expect([wilson(0, 300)[0], wilson(300, 300)[1]]).toEqual([0, 1]);
    expect(wilson(81, 263)[0]).toBeCloseTo(0.2553, 4);
    expect(wilson(81, 263)[1]).toBeCloseTo(0.3662, 4);
    const [low, high] = shareDifference(56, 70, 48, 80);
    expect(low).toBeCloseTo(0.0524, 4);
    expect(high).toBeCloseTo(0.3339, 4);
  });
});

describe('neighbours', () => {
  it('are those of brute force: the nearest, its row and the second nearest', () => {
    const real = drawTable(400, random.child('real'));
    const queried = drawTable(60, random.child('asked'));
    const [a, b] = rankTables([real], [queried, real], columns) as [typeof real, typeof real];
    const cell = (table: typeof real, name: string, row: number): number | string => {
      const column = table.columns.get(name)!;
      if (column.kind === 'numeric') return column.values[row]!;
      return column.kind === 'category' ? (column.levels[column.codes[row]!] ?? '') : '';
    };
    const gap = (x: number | string, y: number | string): number => {
      if (typeof x === 'string' || typeof y === 'string') return x === y ? 0 : 1;
      if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) && Number.isNaN(y) ? 0 : 1;
      return Math.min(1, Math.abs(x - y));
    };
    const names = [...columns.numeric, ...columns.categorical];
    const found = neighboursOf(a, b, columns);
    for (let row = 0; row < queried.rows; row++) {
      const all = Array.from({ length: real.rows }, (_, other) =>
        names.reduce((sum, name) => sum + gap(cell(a, name, row), cell(b, name, other)) / names.length, 0),
      );
      const [first, second] = all.toSorted((x, y) => x - y);
      // Cells are in single precision.
      expect(Math.abs(found.nearest(row) - first!)).toBeLessThan(1e-6);
      expect(Math.abs(all[found.nearestRow(row).row]! - first!)).toBeLessThan(1e-6);
      expect(Math.abs(found.nearestTwo(row).distance - first!)).toBeLessThan(1e-6);
      expect(Math.abs(found.nearestTwo(row).second - second!)).toBeLessThan(1e-6);
    }
  });
});

describe('the share of rows nearer to training rows', () => {
  it('has intervals that hold 0.5 about as often as they say, few held-out rows asked about often', () => {
    let holds = 0;
    const trials = 40;
    for (let at = 0; at < trials; at++) {
      const stream = random.child(`trial ${at}`);
      const [train, holdout] = [drawTable(60, stream.child('train')), drawTable(60, stream.child('holdout'))];
      const synthetic = drawTable(600, stream.child('synthetic'));
      const parts = makeParts({ train, holdout, synthetic, folds: undefined, roles: DRAWN_ROLES, random: stream });
      const { share, error } = wonShare(privateParts(parts, stream), 'synthetic', columns)!;
      if (Math.abs(share - 0.5) <= 1.96 * error) holds++;
    }
    // Rows taken as independent would hold in two trials of three: their error is half of the true one.
    expect(holds).toBeGreaterThanOrEqual(34);
  });
});

describe('sensitive columns', () => {
  it('are those whose name says so, then the target, then what is hardest to guess; never a constant one', () => {
    const rows = 100;
    const draw = (kinds: number) => Array.from({ length: rows }, () => `level ${random.integer(kinds)}`);
    const table = tableOf(
      numbers('y', ...Array.from({ length: rows }, () => random.normal())),
      numbers('hourlyWage', ...Array.from({ length: rows }, () => random.normal())),
      levels('religion', ...draw(5)),
      levels('colour', ...draw(3)),
      levels('diagnosis', ...draw(1)),
    );
    const names = { numeric: ['y', 'hourlyWage'], categorical: ['religion', 'colour', 'diagnosis'], text: [] };
    const found = sensitiveColumns(table, names, 'y', 3).map(({ column }) => column);
    expect(found).toEqual(['religion', 'hourlyWage', 'y']);
  });
});

describe('text memorisation', () => {
  it('hashes every run of a text alike wherever it stands', () => {
    const run = 'x'.repeat(20) + 'the quick brown fox jumps over it'.slice(0, RUN - 20);
    expect(run).toHaveLength(RUN);
    const [alone] = runHashes(run);
    expect([...runHashes(`some words before ${run} and after`)]).toContain(alone);
    expect([...runHashes(`some words before ${run.replace('q', 'k')} and after`)]).not.toContain(alone);
    expect([...runHashes('short')]).toEqual([]);
  });

  it('finds a long run of a training text inside another one, and not in texts of its own', async () => {
    const sentence = (at: number) =>
      `row ${at} ${Array.from({ length: 12 }, () => ['red', 'green', 'blue', 'old', 'new', 'far'][random.integer(6)]).join(' ')}`;
    const train = Array.from({ length: 200 }, (_, at) => sentence(at));
    const held = Array.from({ length: 200 }, (_, at) => sentence(at + 500));
    const made = Array.from({ length: 200 }, (_, at) => (at % 4 === 0 ? `well, ${train[at]}` : sentence(at + 900)));
    const parts = makeParts({
      train: tableOf(texts('t', ...train)),
      holdout: tableOf(texts('t', ...held)),
      synthetic: tableOf(texts('t', ...made)),
      folds: undefined,
      roles: { target: null, continuous: [], categorical: [], text: ['t'] },
      random,
    });
    const { text_memorisation: found, worst_text_column } = await textMemorisation(await measureTask(parts, random));
    expect(worst_text_column).toBe('t');
    expect(found.value).toBeGreaterThanOrEqual(0.25);
    expect(found.value! - found.holdout!).toBeGreaterThan(0.2);
    expect(found.verdict).toBe('worse');
  });
});
