import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { profileUpload } from '../../../packages/tables/profile/profileUpload.ts';
import { bytesOf } from '../../support/bytes.ts';

async function firstOf(cells: readonly (string | number)[]) {
  const profile = await profileUpload(bytesOf(`y,z\n${cells.map((cell) => `${cell},z`).join('\n')}\n`), 'y.csv');
  return profile.columns[0]?.numbers?.first;
}

/** By search, row after row. */
function searched(values: readonly number[]) {
  const placed = (value: number | undefined) =>
    value === undefined ? null : { value, row: values.indexOf(value) + 1 };
  return {
    min: placed(Math.min(...values)),
    max: placed(Math.max(...values)),
    zero: values.includes(0) ? values.indexOf(0) + 1 : null,
    fraction: placed(values.find((value) => !Number.isInteger(value))),
  };
}

describe('the rows of first numbers', () => {
  it('are those that a search finds, in a column of few levels', async () => {
    const cell = fc.integer({ min: -8, max: 8 }).map((i) => i / 2);
    await fc.assert(
      fc.asyncProperty(fc.array(cell, { minLength: 1, maxLength: 30 }), async (values) => {
        expect(await firstOf(values)).toEqual(searched(values));
      }),
      { numRuns: 100 },
    );
  });

  it('are those that a search finds, beyond the levels that a column keeps', async () => {
    const values = Array.from({ length: 70_000 }, (_, i) => (i * 7919) % 70_001);
    values[65_000] = -3;
    values[66_000] = 0.5;
    expect(await firstOf(values)).toEqual(searched(values));
  });

  it('count cells that are missing or no numbers as rows', async () => {
    expect(await firstOf(['NA', 4, '', 0, 2.5, ...Array.from({ length: 40 }, () => 3), '?'])).toEqual({
      min: { value: 0, row: 4 },
      max: { value: 4, row: 2 },
      zero: 4,
      fraction: { value: 2.5, row: 5 },
    });
  });
});
