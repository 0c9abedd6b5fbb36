import { describe, expect, test } from 'vitest';
import type { MeasuredFigure } from '../../../packages/contract/measuredFigure.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import type { RandomStream } from '../../../packages/numerics/random/stream.ts';
import { associationsOf, pairsOf, strengthGap } from '../../../packages/synthesis/judge/fidelity/associations.ts';
import { encodeTables } from '../../../packages/synthesis/judge/fidelity/encodeTables.ts';
import { likeness } from '../../../packages/synthesis/judge/fidelity/likeness.ts';
import { makeParts } from '../../../packages/synthesis/judge/parts.ts';
import type { ModelTable } from '../../../packages/synthesis/models/model.ts';
import { levels, measureTask, numbers, tableOf } from './tables.ts';

const QUESTIONS = 6;
const names = Array.from({ length: QUESTIONS }, (_, i) => `q${i}`);
const COLUMNS = { numeric: ['score'], categorical: names, text: [] };

/** Answers that share a latent number, and a score that goes by it; `loading` ² is the correlation behind the answers. */
function survey(rows: number, loading: number, random: RandomStream): ModelTable {
  const latent = Float64Array.from({ length: rows }, random.normal);
  const item = (row: number): number => loading * latent[row]! + Math.sqrt(1 - loading ** 2) * random.normal();
  const answer = (row: number): string => 'abcde'[Math.max(0, Math.min(4, Math.floor(1.2 * item(row) + 2.5)))]!;
  const columns = names.map((name) => levels(name, ...Array.from({ length: rows }, (_, row) => answer(row))));
  return tableOf(numbers('score', ...Array.from({ length: rows }, (_, row) => item(row))), ...columns);
}

const strengthsOf = (table: ModelTable): Float64Array => {
  const [encoded] = encodeTables([table], COLUMNS);
  return associationsOf(encoded!, pairsOf(QUESTIONS + 1)).strength;
};

const mean = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length;

test('the strength of associations is about the same of many rows and of few', () => {
  const random = createStream(4, 'strength');
  const many = mean(strengthsOf(survey(20_000, 0.8, random)));
  const few = Array.from({ length: 20 }, () => mean(strengthsOf(survey(150, 0.8, random))));
  // The mean of twenty means has a standard error of some .006; V and η as they are would be .06 higher.
  expect(few.reduce((sum, value) => sum + value / 20, 0)).toBeCloseTo(many, 1);
  expect(Math.abs(few.reduce((sum, value) => sum + value / 20, 0) - many)).toBeLessThan(0.03);
});

test('columns that have nothing to do with one another have none', () => {
  const random = createStream(5, 'strength');
  expect(mean(strengthsOf(survey(400, 0, random)))).toBeLessThan(0.04);
});

test('the gap is that of the slope, over pairs that are clear in the real table', () => {
  expect(strengthGap(Float64Array.of(0.5, -0.4, 0.1), Float64Array.of(0.4, -0.32, 0.9))).toBeCloseTo(0.2, 12);
  expect(strengthGap(Float64Array.of(0.5, 0.4), Float64Array.of(0.6, 0.48))).toBeCloseTo(0.2, 12);
  expect(strengthGap(Float64Array.of(0.5, 0.4), Float64Array.of(0.5, Number.NaN))).toBeCloseTo(0, 12);
  expect(strengthGap(Float64Array.of(0.1, Number.NaN), Float64Array.of(0.5, 0.5))).toBeUndefined();
});

describe('the strength of associations, as a figure', () => {
  async function figureOf(loading: number, seed: number): Promise<MeasuredFigure> {
    const random = createStream(seed, 'surveys');
    const [train, holdout] = [2_250, 250].map((rows) => survey(rows, 0.75, random)) as [ModelTable, ModelTable];
    const roles = { target: null, continuous: ['score'], categorical: names, text: [] };
    const synthetic = survey(2_250, loading, random);
    const parts = makeParts({ train, holdout, synthetic, folds: undefined, roles, random });
    return (await likeness(await measureTask(parts, random))).association_strength;
  }

  test('is worse where all of them are a quarter weaker, which no single pair shows', async () => {
    const figure = await figureOf(Math.sqrt(0.75) * 0.75, 1);
    expect(figure.value).toBeLessThan(0.86);
    expect(figure.verdict).toBe('worse');
  });

  test.each([2, 3, 4, 5])('is as good where they are as strong (%i)', async (seed) => {
    expect((await figureOf(0.75, seed)).verdict).toBe('as good');
  });
});
