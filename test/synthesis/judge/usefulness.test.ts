import { describe, expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { runMeasures } from '../../../packages/synthesis/judge/measure.ts';
import { independentColumns, makeParts } from '../../../packages/synthesis/judge/parts.ts';
import { TARGET_UTILITY, UTILITY } from '../../../packages/synthesis/judge/registry.ts';
import { measureText } from '../../../packages/synthesis/judge/text/measureText.ts';
import { overlap, planRegression, regress } from '../../../packages/synthesis/judge/utility/coefficients.ts';
import type { ModelTable } from '../../../packages/synthesis/models/model.ts';
import { DRAWN_ROLES, drawTable, levels, measureTask, numbers, tableOf, texts } from './tables.ts';

const random = createStream(51, 'usefulness');
const silent = async (): Promise<void> => {};

describe('utility', () => {
  const [train, holdout, fresh] = ['train', 'holdout', 'fresh'].map((name) => drawTable(1200, random.child(name))) as [
    ModelTable,
    ModelTable,
    ModelTable,
  ];
  const measure = async (synthetic: ModelTable) => {
    const parts = makeParts({ train, holdout, synthetic, folds: undefined, roles: DRAWN_ROLES, random });
    return runMeasures([...TARGET_UTILITY, ...UTILITY], await measureTask(parts, random));
  };

  it('is as good for fresh real rows and worse for independent columns, in the target and in every category', async () => {
    const good = await measure(fresh);
    const bad = await measure(independentColumns(train, 1200, random.child('independent')));
    expect(good.target.verdict).toBe('as good');
    expect(bad.target.verdict).toBe('worse');
    expect(good.categories.map(({ column, levels }) => [column, levels])).toEqual([
      ['place', 4],
      ['kind', 4],
    ]);
    for (const [at, { auc }] of good.categories.entries()) {
      expect(auc.verdict).toBe('as good');
      expect(auc.value!).toBeGreaterThan(bad.categories[at]!.auc.value!);
      expect(auc.low!).toBeLessThan(auc.value!);
    }
    expect(good.categories[0]!.auc.value!).toBeGreaterThan(0.8);
    expect(bad.categories[0]!.auc.verdict).toBe('worse');
    expect(good.coefficients.value!).toBeGreaterThan(bad.coefficients.value!);
  });

  it('of a category is the same whether the files are sorted by it or not', async () => {
    const sorted = (rows: number, name: string): ModelTable => {
      const [draw, label] = [random.child(name), (row: number) => (row < 0.6 * rows ? 'a' : 'b')];
      const at = Array.from({ length: rows }, (_, row) => row);
      const x = at.map((row) => draw.normal() + (label(row) === 'b' ? 2 : 0));
      return tableOf(
        numbers('x', ...x),
        numbers('noise', ...at.map(() => draw.normal())),
        levels('class', ...at.map(label)),
      );
    };
    const roles = { target: null, continuous: ['x', 'noise'], categorical: ['class'], text: [] };
    const [own, held, made] = [sorted(10_000, 'own'), sorted(2_000, 'held'), sorted(10_000, 'made')];
    const parts = makeParts({ train: own, holdout: held, synthetic: made, folds: undefined, roles, random });
    const { auc } = (await runMeasures(UTILITY, await measureTask(parts, random))).categories[0]!;
    // Two normal distributions two deviations apart: Φ(√2) = .921; trees of 5,000 rows have a little less.
    for (const value of [auc.value!, auc.holdout!]) expect(value).toBeGreaterThan(0.89);
    expect(auc.verdict).toBe('as good');
  });
});

describe('the overlap of coefficients', () => {
  it('comes from least squares: known coefficients and their errors are found', () => {
    const x = Array.from({ length: 500 }, () => random.normal());
    const y = x.map((value) => 3 * value + 2 * random.normal());
    const table = tableOf(numbers('y', ...y), numbers('x', ...x));
    const plan = planRegression(table, { numeric: ['y', 'x'], categorical: [], text: [] }, 'y')!;
    const found = regress(table, plan)!;
    // Standardised: β = r, and its error is √((1 − r²) / (n − 2)).
    const r = found.estimate[1]!;
    expect(r).toBeCloseTo(3 / Math.hypot(3, 2), 1);
    expect(found.error[1]! / Math.sqrt((1 - r * r) / 498)).toBeCloseTo(1, 2);
    expect(overlap(found, found)).toBeCloseTo(1, 12);
    const away = { ...found, estimate: found.estimate.map((b, j) => b + 10 * found.error[j]!) };
    expect(overlap(found, away)).toBe(0);
  });
});

describe('text figures', () => {
  it('tell texts that agree with their rows from the same texts in other rows', async () => {
    const words = (kind: number) =>
      Array.from({ length: 8 }, () =>
        random.uniform() < 0.5 ? ['dry', 'sweet'][kind] : ['a', 'b', 'c', 'd', 'e'][random.integer(5)],
      ).join(' ');
    const draw = (rows: number): ModelTable => {
      const kinds = Array.from({ length: rows }, () => random.integer(2));
      const label = kinds.map((kind) => `kind ${kind}`);
      return tableOf(
        { kind: 'category', name: 'k', codes: Int32Array.from(kinds), levels: ['kind 0', 'kind 1'] },
        texts('t', ...kinds.map((kind, row) => `${words(kind)} ${label.length + row}`)),
      );
    };
    const [train, holdout, synthetic] = [draw(400), draw(400), draw(400)];
    const roles = { target: null, continuous: [], categorical: ['k'], text: ['t'] };
    const parts = makeParts({ train, holdout, synthetic, folds: undefined, roles, random });
    const [found] = (await measureText(parts, random, silent))!.columns;
    const [agreement] = found!.agreement;
    expect(agreement!.accuracy.value).toBeGreaterThan(0.95);
    expect(agreement!.accuracy.independent).toBeLessThan(0.7);
    expect(agreement!.accuracy.verdict).toBe('as good');
    expect(found!.bits_per_character.verdict).toBe('as good');
    expect(found!.bits_per_character.value!).toBeLessThan(4);
    expect(found!.copies.verdict).toBe('as good');
    expect(found!.length.verdict).toBe('as good');
  });
});
