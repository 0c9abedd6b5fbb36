import { beforeAll, describe, expect, it } from 'vitest';
import type { PrivacyMetrics } from '../../../packages/contract/metrics.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { makeParts } from '../../../packages/synthesis/judge/parts.ts';
import { attributeInference } from '../../../packages/synthesis/judge/privacy/attributeInference.ts';
import { copiesButOne } from '../../../packages/synthesis/judge/privacy/copiesButOne.ts';
import { excessOfMeans, excessOfShares } from '../../../packages/synthesis/judge/privacy/excess.ts';
import { linkability } from '../../../packages/synthesis/judge/privacy/linkability.ts';
import { membership } from '../../../packages/synthesis/judge/privacy/membership.ts';
import { singlingOutExcess } from '../../../packages/synthesis/judge/privacy/singlingOutExcess.ts';
import type { ModelColumn, ModelTable } from '../../../packages/synthesis/models/model.ts';
import { takeRows } from '../../../packages/synthesis/table/takeRows.ts';
import { DRAWN_ROLES, drawTable, measureTask } from './tables.ts';

const random = createStream(43, 'attacks');

interface Tables {
  train: ModelTable;
  holdout: ModelTable;
  synthetic: ModelTable;
}

async function taskOf(tables: Tables, name: string) {
  const stream = random.child(name);
  return measureTask(makeParts({ ...tables, folds: undefined, roles: DRAWN_ROLES, random: stream }), stream);
}

const draw = (rows: number, name: string): ModelTable => drawTable(rows, random.child(name));

/** A table with the first rows of another in the place of its own. */
function withRowsOf(table: ModelTable, other: ModelTable, count: number): ModelTable {
  const columns = [...table.columns].map(([name, column]): [string, ModelColumn] => {
    const from = other.columns.get(name);
    if (column.kind === 'numeric' && from?.kind === 'numeric') {
      return [
        name,
        { ...column, values: column.values.map((value, row) => (row < count ? from.values[row]! : value)) },
      ];
    }
    if (column.kind !== 'category' || from?.kind !== 'category') return [name, column];
    const codeOf = (level: string | undefined) => column.levels.indexOf(level ?? '');
    const codes = column.codes.map((code, row) => (row < count ? codeOf(from.levels[from.codes[row]!]) : code));
    return [name, { ...column, codes }];
  });
  return { rows: table.rows, columns: new Map(columns) };
}

describe('membership attacks', () => {
  let found: Record<'fresh' | 'some', PrivacyMetrics['membership']>;
  beforeAll(async () => {
    const [train, holdout, fresh] = [draw(600, 'train'), draw(600, 'holdout'), draw(600, 'fresh')];
    const some = withRowsOf(fresh, train, 60);
    const attack = async (synthetic: ModelTable, name: string) =>
      (await membership(await taskOf({ train, holdout, synthetic }, name))).membership;
    found = { fresh: await attack(fresh, 'fresh table'), some: await attack(some, 'some copied') };
  });

  it('are by five scores, over all rows and the isolated twentieth, at chance on fresh rows', () => {
    expect(found.fresh.map(({ score, over }) => `${score} ${over}`)).toEqual(
      ['distance', 'distance_ratio', 'density_ratio', 'coincidence', 'worst_column'].flatMap((score) => [
        `${score} all`,
        `${score} isolated`,
      ]),
    );
    for (const { auc, true_positives_1, true_positives_10 } of found.fresh) {
      for (const { verdict } of [auc, true_positives_1, true_positives_10]) expect(verdict).not.toBe('worse');
    }
    expect(found.fresh[1]!.auc.rows).toBeLessThan(0.07 * found.fresh[0]!.auc.rows);
  });

  it('find a tenth of the rows copied at few false alarms, where the AUC hardly moves', () => {
    const byDistance = found.some.filter(({ score, over }) => over === 'all' && /^d/.test(score));
    for (const { score, over, true_positives_1: found1 } of byDistance) {
      expect(found1.value, `${score} ${over}`).toBeGreaterThan(0.07);
      expect(found1.verdict, `${score} ${over}`).toBe('worse');
    }
  });

  it('find them among the persons who score highest, by whichever score', () => {
    for (const { score, highest } of found.some.filter(({ over }) => over === 'all')) {
      expect(highest.verdict, score).toBe('worse');
      expect(highest.value, score).toBeGreaterThan(0.8);
    }
  });

  it('count true positives beyond the score that one in a hundred, or in ten, held-out rows exceeds', () => {
    for (const { true_positives_1, true_positives_10 } of found.some.filter(({ over }) => over === 'all')) {
      expect(true_positives_1.holdout).toBeLessThanOrEqual(0.01);
      expect(true_positives_10.holdout).toBeLessThanOrEqual(0.1);
    }
    expect(found.some.find(({ over }) => over === 'isolated')!.true_positives_1).toMatchObject({
      value: null,
      reason: 'it needs 100 held-out rows',
    });
  });

  it('compare training rows with a reference of as many rows as held-out ones: no small table is off', async () => {
    const [trials, rows] = [40, 25];
    let [sum, squares] = [0, 0];
    for (let at = 0; at < trials; at++) {
      const tables = { train: draw(rows, `t${at}`), holdout: draw(rows, `h${at}`), synthetic: draw(rows, `s${at}`) };
      const attacks = (await membership(await taskOf(tables, `trial ${at}`))).membership;
      const { value } = attacks.find(({ score }) => score === 'density_ratio')!.auc;
      sum += value!;
      squares += value! ** 2;
    }
    const [mean, error] = [sum / trials, Math.sqrt((squares / trials - (sum / trials) ** 2) / trials)];
    expect(Math.abs(mean - 0.5)).toBeLessThan(3 * error);
  });
});

describe('copies but for one cell', () => {
  it('are those that brute force finds', async () => {
    const train = draw(120, 'b train');
    const made = withRowsOf(draw(120, 'b made'), train, 30);
    const price = made.columns.get('price');
    // Every second copy has another price.
    if (price?.kind === 'numeric') for (let row = 0; row < 30; row += 2) price.values[row] = -1 - row;
    const tables = { train, holdout: draw(120, 'b holdout'), synthetic: made };
    const { copies_but_one: found } = await copiesButOne(await taskOf(tables, 'brute'));
    const cells = (table: ModelTable, row: number) =>
      [...table.columns.values()].flatMap((column) => {
        if (column.kind === 'text') return [];
        return [column.kind === 'numeric' ? String(column.values[row]) : (column.levels[column.codes[row]!] ?? '')];
      });
    const rowsOf = (table: ModelTable) => Array.from({ length: table.rows }, (_, row) => cells(table, row));
    const known = rowsOf(train);
    const differ = (a: string[], b: string[]) => a.filter((cell, at) => cell !== b[at]).length;
    const hits = rowsOf(made).filter((row) => known.some((other) => differ(row, other) <= 1)).length;
    expect(found.value! * 120).toBeCloseTo(hits, 9);
    expect(hits).toBeGreaterThanOrEqual(30);
    expect(found.verdict).toBe('worse');
  });
});

describe('excess over held-out rows', () => {
  it('is at most what Wilson’s one-sided bound allows where nothing is found', () => {
    const none = { hits: 0, of: 1000 };
    const z = 1.6448536269514722;
    // With no hits on either side Newcombe's bound is Wilson's of one side: z² / (n + z²).
    expect(excessOfShares(none, none, '').upper).toBeCloseTo(z ** 2 / (1000 + z ** 2), 12);
    const means = excessOfMeans({ mean: 0.3, error: 0.01 }, { mean: 0.28, error: 0.02 }, 1000, '');
    expect(means.upper).toBeCloseTo(0.02 + z * Math.hypot(0.01, 0.02), 12);
    expect(excessOfMeans({ mean: 1, error: 0 }, { mean: 1, error: 0 }, 300, '').upper).toBe(0.01);
    expect(excessOfShares({ hits: 0, of: 0 }, none, 'why').reason).toBe('why');
  });

  it.each([
    ['singling_out_excess', singlingOutExcess],
    ['linkability_excess', linkability],
  ] as const)('%s is small on fresh rows, and large on copies', async (name, measure) => {
    const [train, holdout] = [draw(800, 'x train'), draw(800, 'x holdout')];
    const of = async (synthetic: ModelTable) => {
      const found: Partial<PrivacyMetrics> = await measure(await taskOf({ train, holdout, synthetic }, name));
      return found[name]!;
    };
    const [fresh, copies] = [
      await of(draw(800, 'x fresh')),
      await of(
        takeRows(
          train,
          Int32Array.from({ length: 800 }, (_, row) => row),
        ),
      ),
    ];
    expect(fresh.verdict).toBe('as good');
    expect(fresh.upper).toBeLessThan(0.06);
    expect(copies).toMatchObject({ verdict: 'worse', ideal: 0 });
    expect(copies.value).toBeGreaterThan(0.1);
    expect(copies.upper).toBeGreaterThan(copies.value!);
    expect(copies.upper).toBeLessThan(copies.high!);
  });

  it('of attributes is the surer the more training rows there are, and no larger on fresh rows', async () => {
    const [holdout, synthetic] = [draw(200, 'z holdout'), draw(800, 'z made')];
    const of = async (rows: number) =>
      (await attributeInference(await taskOf({ train: draw(rows, 'z train'), holdout, synthetic }, 'z')))
        .attribute_excess;
    const [few, many] = [await of(200), await of(2_000)];
    expect([few.rows, many.rows]).toEqual([400, 2_200]);
    const width = ({ low, high }: typeof few): number => high! - low!;
    // By 1/200 + 1/2,000 in place of 2/200: .74 of the width.
    expect(width(many) / width(few)).toBeCloseTo(0.74, 1);
    expect(many.verdict).toBe('as good');
  });

  it('singling out lets other work go on between guesses, and stops where that throws', async () => {
    const tables = { train: draw(300, 'y train'), holdout: draw(300, 'y holdout'), synthetic: draw(300, 'y made') };
    const task = await taskOf(tables, 'yields');
    let yields = 0;
    const yieldToEventLoop = async () => {
      if (++yields === 3) throw new Error('stopped');
    };
    await expect(singlingOutExcess({ ...task, yieldToEventLoop })).rejects.toThrow('stopped');
    expect(yields).toBe(3);
  });
});
