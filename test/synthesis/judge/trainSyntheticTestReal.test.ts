import { describe, expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { scorePredictions, trainAndTest } from '../../../packages/synthesis/judge/trainSyntheticTestReal.ts';
import { drawTable, levels, numbers, tableOf } from './tables.ts';

const columns = { numeric: ['price', 'width', 'height'], categorical: ['place', 'kind'], text: [] };

describe('scorePredictions', () => {
  it('gives R² and RMSE by their definitions', () => {
    const scores = scorePredictions({ actual: Float64Array.of(1, 2, 3), predicted: Float64Array.of(1, 2, 5) });
    expect(scores.r2).toBeCloseTo(1 - 4 / 2, 12);
    expect(scores.rmse).toBeCloseTo(Math.sqrt(4 / 3), 12);
  });

  it('has no R² where the target does not vary, and nothing where there is no row', () => {
    expect(scorePredictions({ actual: Float64Array.of(4, 4), predicted: Float64Array.of(4, 6) })).toEqual({
      rmse: Math.SQRT2,
    });
    expect(scorePredictions({ actual: new Float64Array(), predicted: new Float64Array() })).toEqual({});
  });

  it.each([1e308, 1e-300])('scores numbers whose squares no double holds: %s', (size) => {
    const scores = scorePredictions({
      actual: Float64Array.of(-size, size),
      predicted: Float64Array.of(-size, size / 2),
    });
    expect(scores.r2).toBeCloseTo(1 - 0.25 / 2, 12);
    expect(scores.rmse! / size).toBeCloseTo(Math.sqrt(0.125), 12);
  });
});

describe('trainAndTest', () => {
  it('learns what numbers and categories say of the target', () => {
    const train = drawTable(2000, createStream(7, 'train'));
    const test = drawTable(1000, createStream(7, 'test'));
    const { r2 } = scorePredictions(trainAndTest(train, test, 'price', columns));
    expect(r2).toBeGreaterThan(0.95);
  });

  it('knows a level by its text, not by its code', () => {
    const level = (row: number) => ['low', 'high'][row % 2]!;
    const train = tableOf(
      numbers('y', ...Array.from({ length: 200 }, (_, row) => (row % 2) * 10)),
      levels('x', ...Array.from({ length: 200 }, (_, row) => level(row))),
    );
    const test = tableOf(numbers('y', 10, 0, 5), levels('x', 'high', 'low', 'unseen'));
    const { predicted } = trainAndTest(train, test, 'y', { numeric: ['y'], categorical: ['x'], text: [] });
    expect(predicted[0]).toBeCloseTo(10, 2);
    expect(predicted[1]).toBeCloseTo(0, 2);
  });

  it('leaves out rows without a target on both sides', () => {
    const table = tableOf(numbers('y', 1, Number.NaN, 3), numbers('x', 1, 2, 3));
    const { actual } = trainAndTest(table, table, 'y', { numeric: ['y', 'x'], categorical: [], text: [] });
    expect([...actual]).toEqual([1, 3]);
    const none = tableOf(numbers('y', Number.NaN), numbers('x', 1));
    expect(trainAndTest(none, table, 'y', { numeric: ['y', 'x'], categorical: [], text: [] }).actual).toHaveLength(0);
  });
});
