/** Made-up tables whose structure is easy to lose: a ring and two moons, and a spread that depends on two columns. */
import type { RandomStream } from '../../packages/numerics/random/stream.ts';

export interface HardTable {
  name: string;
  request: { target: 'none'; continuous_cols: string[]; categorical_cols: string[] };
  rows(count: number, random: RandomStream): Row[];
}

export type Row = Record<string, string | number>;

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

/** A ring of radius 1 ± 0.05, and two half circles of which each embraces an end of the other. */
const shapes: HardTable = {
  name: 'shapes',
  request: {
    target: 'none',
    continuous_cols: ['ring_x', 'ring_y', 'moon_x', 'moon_y'],
    categorical_cols: [],
  },
  rows: (count, random) =>
    Array.from({ length: count }, () => {
      const [angle, radius] = [2 * Math.PI * random.uniform(), 1 + 0.05 * random.normal()];
      const [turn, isSecond] = [Math.PI * random.uniform(), random.integer(2) === 1];
      const [x, y] = [Math.cos(turn), Math.sin(turn)];
      return {
        ring_x: rounded(radius * Math.cos(angle), 4),
        ring_y: rounded(radius * Math.sin(angle), 4),
        moon_x: rounded((isSecond ? 1 - x : x) + 0.05 * random.normal(), 4),
        moon_y: rounded((isSecond ? 0.5 - y : y) + 0.05 * random.normal(), 4),
      };
    }),
};

const SPREADS = [1, 2, 5, 10];

/** Readings of four labs: their standard deviation is 0.18 for x of 0 to 2 in the first, 9 for x of 8 to 10 in the last. */
const spread: HardTable = {
  name: 'spread',
  request: { target: 'none', continuous_cols: ['x', 'reading'], categorical_cols: ['lab'] },
  rows: (count, random) =>
    Array.from({ length: count }, () => {
      const [lab, x] = [random.integer(SPREADS.length), 10 * random.uniform()];
      const deviation = SPREADS[lab]! * 0.09 * (1 + x);
      return {
        lab: `lab${lab + 1}`,
        x: rounded(x, 2),
        reading: rounded(50 + 5 * x + 30 * Math.sin(x) + deviation * random.normal(), 3),
      };
    }),
};

export const HARD_TABLES: readonly HardTable[] = [shapes, spread];
