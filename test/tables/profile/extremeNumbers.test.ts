/** Numbers at the ends of what doubles hold, and texts beyond them: profiles that can be stored and answered. */
import { describe, expect, it } from 'vitest';
import { uploadReplySchema } from '../../../packages/contract/replies.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { NumberScanner } from '../../../packages/tables/format/number.ts';
import { profileSchema, tableReport } from '../../../packages/tables/profile/profile.ts';
import { profileUpload } from '../../../packages/tables/profile/profileUpload.ts';
import { NumberSummariser, QuantileSketch } from '../../../packages/tables/profile/quantileSketch.ts';
import { bytesOf } from '../../support/bytes.ts';

async function profileOf(cells: readonly string[]) {
  const profile = await profileUpload(bytesOf(`z,c\n${cells.map((cell) => `z,${cell}`).join('\n')}\n`), 't.csv');
  expect(profileSchema.parse(JSON.parse(JSON.stringify(profile)))).toEqual(profile);
  uploadReplySchema.parse({ job_id: 'x', ...tableReport(profile) });
  return profile.columns[1]!;
}

function momentsOf(values: readonly number[]) {
  const numbers = new NumberSummariser(new QuantileSketch(100, createStream(1, 'q')));
  const scanner = new NumberScanner();
  values.forEach((value, row) => {
    scanner.scan(String(value));
    numbers.add(scanner, 1, row + 1);
  });
  const { mean, sd } = numbers.numbers()!;
  return { mean, sd };
}

const many = (count: number, cell: (i: number) => string): string[] => Array.from({ length: count }, (_, i) => cell(i));
const hex = (i: number): string => ((i * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, '0');

describe('numbers of a column', () => {
  it.each([1, 1e-300, 5e-320, 1e200, 4e307])('have the moments of the same numbers in another unit: %s', (unit) => {
    const { mean, sd } = momentsOf([0, 1, 2, 4].map((value) => value * unit));
    expect(mean / unit).toBeCloseTo(1.75, 3);
    expect(sd / unit).toBeCloseTo(Math.sqrt(8.75 / 3), 3);
  });

  it('have moments where they are of all sizes, in any order', () => {
    const sizes = [1e-300, 1e300, 1e-20, -1e300, 3, 0];
    for (const values of [sizes, sizes.toReversed(), [...sizes.slice(3), ...sizes.slice(0, 3)]]) {
      const { mean, sd } = momentsOf(values);
      expect(Math.abs(mean)).toBeLessThan(1e285);
      expect(sd / 1e300).toBeCloseTo(Math.sqrt(2 / 5), 12);
    }
    expect(momentsOf([-1.7e308, 1.7e308])).toEqual({ mean: 0, sd: Number.MAX_VALUE });
  });

  it('have quantiles between ends that lie further apart than any double', async () => {
    const { numbers } = await profileOf(['-1.5e308', '1.5e308']);
    expect(numbers?.quantiles.at(7)).toBe(0);
    expect(numbers?.quantiles.every(Number.isFinite)).toBe(true);
  });
});

describe('an upload', () => {
  it('is profiled where a number has more than 154 digits', async () => {
    const column = await profileOf(['1e200', '-1e200', '3']);
    expect(column).toMatchObject({ kind: 'continuous', numbers: { count: 3 } });
    expect(column.numbers!.sd / 1e200).toBeCloseTo(1, 10);
  });

  it('takes numbers that no double holds for texts', async () => {
    const { numbers } = await profileOf([
      '1e400',
      '-1e999',
      '1e-400',
      '7e-99999999999999999999',
      '5',
      '0e-99999999999999999999',
    ]);
    expect(numbers).toMatchObject({ count: 2, zeros: 1, format: { min: 0, max: 5 } });
    expect(numbers?.format.decimals).toBeLessThan(1100);
  });

  it('takes keys of hexadecimal digits for texts, though some could be numbers', async () => {
    const keys = many(400, (i) => (i % 4 ? hex(i) : `${1000 + i}e${100 + (i % 200)}`));
    for (const cells of [keys, keys.flatMap((key) => [key, key, key])]) {
      expect(await profileOf(cells)).toMatchObject({ numbers: null, format: null });
    }
  });

  it('takes numbers with exponents for quantities, however large they are', async () => {
    expect(await profileOf(many(60, (i) => `${i + 1}e${20 + (i % 7)}`))).toMatchObject({ kind: 'continuous' });
  });
});
