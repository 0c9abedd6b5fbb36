import { describe, expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { SAMPLE_ROWS } from '../../../packages/tables/profile/profile.ts';
import { RowSample } from '../../../packages/tables/profile/profileUpload.ts';

function sampleOf(rows: number, cell: (row: number) => string, seed = 1, mostBytes?: number) {
  const sample = new RowSample(createStream(seed, 'profile-sample'), mostBytes);
  for (let row = 0; row < rows; row++) sample.add([String(row), cell(row)]);
  return sample.columns(2);
}

describe('RowSample', () => {
  it('keeps all rows in order where there are no more than it takes', () => {
    const { rows, cells } = sampleOf(300, (row) => (row % 2 ? 'NA' : 'x'));
    expect(rows).toBe(300);
    expect(cells[0]).toEqual(Array.from({ length: 300 }, (_, row) => String(row)));
    expect(cells[1]?.slice(0, 2)).toEqual(['x', null]);
  });

  it('keeps whole rows, each as likely as any other', () => {
    const { rows, cells } = sampleOf(50_000, (row) => `row ${row}`);
    expect(rows).toBe(SAMPLE_ROWS);
    const [indices = [], texts = []] = cells;
    expect(indices.every((index, at) => texts[at] === `row ${index}`)).toBe(true);
    // 500 of each tenth of the file, with standard deviation 20.
    const tenths = new Array(10).fill(0);
    for (const index of indices) tenths[Math.floor(Number(index) / 5000)]++;
    for (const count of tenths) expect(Math.abs(count - 500)).toBeLessThan(100);
  });

  it('depends on the stream alone', () => {
    const some = sampleOf(20_000, String);
    expect(sampleOf(20_000, String)).toEqual(some);
    expect(sampleOf(20_000, String, 2)).not.toEqual(some);
  });

  it('keeps fewer rows rather than cut cells where they are large', () => {
    const long = 'x'.repeat(1000);
    const { rows, cells } = sampleOf(20_000, (row) => long + row, 1, 400_000);
    expect(rows).toBeGreaterThan(100);
    expect(rows).toBeLessThan(200);
    expect(cells[1]?.every((cell) => (cell?.length ?? 0) > 1000)).toBe(true);
    const mean = (cells[0] ?? []).reduce((sum, index) => sum + Number(index), 0) / rows;
    expect(Math.abs(mean - 10_000)).toBeLessThan(2500);
  });

  it('keeps one row that is larger than its room', () => {
    expect(sampleOf(3, () => 'x'.repeat(5000), 1, 1000).rows).toBe(1);
  });
});
