import { expect, test } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { profileUpload } from '../../../packages/tables/profile/profileUpload.ts';
import { bytesOf } from '../../support/bytes.ts';
import { type Asked, cellsOf, drawnOf, tableOf } from '../world.ts';

const ROWS = 500;
const MADE = 4000;
/** Rows at or beyond a number that is released, at least. */
const MIN_RELEASED_ROWS = 5;
const NAMES = ['height', 'start', 'end', 'fare', 'tip', 'total', 'score'];
const random = createStream(12, 'tails');

/** One giant, one stay that ends far after all others, one fare and one tip that make the two largest totals by far. */
const csv = [
  NAMES.join(','),
  ...Array.from({ length: ROWS }, (_, i) => {
    const height = i === 3 ? 251.7 : 170 + 7 * random.normal();
    const start = Math.round(1000 * random.uniform());
    const end = start + 1 + (i === 5 ? 4000 : Math.floor(-20 * Math.log(random.uniform())));
    const fare = 5 + Math.round(i === 7 ? 90_000 : -2000 * Math.log(random.uniform())) / 100;
    const tip = i % 3 === 0 ? 0 : Math.round(i === 8 ? 80_000 : 300 * random.uniform()) / 100;
    const score = i === 9 ? -3000 : height + 10 * random.normal();
    const numbers = [fare.toFixed(2), tip.toFixed(2), (fare + tip).toFixed(2), score.toFixed(1)];
    return [height.toFixed(1), start, end, ...numbers].join(',');
  }),
].join('\n');
const ASKED: Asked = { target_col: 'score', n_samples: MADE, continuous_cols: NAMES.slice(0, -1) };

const drawn = async (asked: Partial<Asked> = {}) => {
  const profile = await profileUpload(bytesOf(csv), 'stays.csv');
  const { table } = await drawnOf(csv, { ...ASKED, ...asked }, profile);
  return (name: string): number[] => cellsOf(table, name).map(Number);
};
const real = async () => {
  const table = await tableOf(csv);
  return (name: string): number[] => cellsOf(table, name).map(Number);
};

test('no number lies where fewer than five real ones do: margins, distances, totals and the target', async () => {
  const [made, given] = [await drawn(), await real()];
  for (const name of NAMES) {
    const [own, all] = [made(name), given(name)];
    const [least, greatest] = [Math.min(...own), Math.max(...own)];
    expect(all.filter((value) => value >= greatest).length, `${name} up to ${greatest}`).toBeGreaterThanOrEqual(
      MIN_RELEASED_ROWS,
    );
    expect(all.filter((value) => value <= least).length, `${name} from ${least}`).toBeGreaterThanOrEqual(
      MIN_RELEASED_ROWS,
    );
    expect(own.filter((value) => value === greatest).length / MADE).toBeLessThan(0.01);
  }
  const [start, end, fare, tip, total] = ['start', 'end', 'fare', 'tip', 'total'].map(made);
  for (let row = 0; row < MADE; row++) {
    expect(end![row]!).toBeGreaterThanOrEqual(start![row]!);
    expect(Math.abs(total![row]! - fare![row]! - tip![row]!)).toBeLessThan(0.001);
  }
});

test('a condition on the upper end is met by numbers that many rows have', async () => {
  const tall = (await real())('height').sort((a, b) => b - a)[24]!;
  const heights = (await drawn({ n_samples: 200, conditions: [{ column: 'height', between: [tall, null] }] }))(
    'height',
  );
  expect(Math.min(...heights)).toBeGreaterThanOrEqual(tall);
  expect(Math.max(...heights)).toBeLessThan(200);
});
