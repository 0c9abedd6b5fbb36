/** Nine made-up populations of different kinds, any number of rows of each: none of them is a table that models were tuned on. */
import { drawStudentT } from '../../packages/numerics/random/draws.ts';
import type { RandomStream } from '../../packages/numerics/random/stream.ts';
import { HARD_TABLES, type Row } from './hardTables.ts';

export interface Population {
  name: string;
  continuous: string[];
  categorical: string[];
  rows(count: number, random: RandomStream): Row[];
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

const rowsBy =
  (row: (random: RandomStream) => Row) =>
  (count: number, random: RandomStream): Row[] =>
    Array.from({ length: count }, () => row(random));

export const NINE_TABLES: readonly Population[] = [
  ...HARD_TABLES.map(({ name, request, rows }) => ({
    name,
    continuous: request.continuous_cols,
    categorical: request.categorical_cols,
    rows,
  })),
  {
    name: 'joint outliers',
    continuous: ['u', 'v', 'w', 'z'],
    categorical: ['site'],
    rows: rowsBy((random) => {
      const isOut = random.uniform() < 0.02;
      const [u, v, w] = isOut ? [9, -8, 10] : [0, 0, 0];
      return {
        u: rounded(u + random.normal(), 3),
        v: rounded(v + random.normal(), 3),
        w: rounded(w + random.normal(), 3),
        z: rounded(random.normal(), 3),
        site: `s${random.integer(4)}`,
      };
    }),
  },
  {
    name: 'circular',
    continuous: ['hour', 'direction', 'speed'],
    categorical: ['sky'],
    rows: rowsBy((random) => {
      const hour = (12 + 5 * random.normal() + 24) % 24;
      const direction = (360 * (hour / 24) + 40 * random.normal() + 720) % 360;
      const speed = 5 + 3 * Math.cos((direction / 180) * Math.PI) + random.normal();
      return {
        hour: rounded(hour, 2),
        direction: rounded(direction, 0),
        speed: rounded(speed, 1),
        sky: speed > 6 ? 'clear' : `cloud${random.integer(3)}`,
      };
    }),
  },
  {
    name: 'zeros',
    continuous: ['spend', 'visits', 'tenure'],
    categorical: ['channel', 'plan'],
    rows: rowsBy((random) => {
      const channel = random.integer(3);
      const spends = random.uniform() < [0.2, 0.5, 0.8][channel]!;
      const spend = spends ? Math.min(100, Math.exp(3 + 0.8 * random.normal())) : 0;
      return {
        spend: rounded(spend, 2),
        visits: spends ? 1 + random.integer(6) : 0,
        tenure: random.integer(120),
        channel: ['web', 'shop', 'phone'][channel]!,
        plan: random.uniform() < 0.3 ? 'a' : 'b',
      };
    }),
  },
  {
    name: 'relations',
    continuous: ['qty', 'unit_price', 'net', 'tax'],
    categorical: ['country'],
    rows: rowsBy((random) => {
      const [qty, price] = [1 + random.integer(20), rounded(Math.exp(2 + 0.7 * random.normal()), 2)];
      const country = random.integer(3);
      const net = rounded(qty * price, 2);
      return {
        qty,
        unit_price: price,
        net,
        tax: rounded(net * [0.19, 0.2, 0.07][country]!, 2),
        country: ['de', 'fr', 'jp'][country]!,
      };
    }),
  },
  {
    name: 'parity',
    continuous: ['x1', 'x2', 'y'],
    categorical: ['a', 'b', 'd'],
    rows: rowsBy((random) => {
      const [a, b] = [random.integer(2), random.integer(2)];
      const [x1, x2] = [random.normal(), random.normal()];
      const d = random.uniform() < 0.95 ? a ^ b : 1 - (a ^ b);
      const y = Math.sign(x1 * x2) * (0.5 + Math.abs(random.normal()));
      return { a: `a${a}`, b: `b${b}`, d: `d${d}`, x1: rounded(x1, 3), x2: rounded(x2, 3), y: rounded(y, 3) };
    }),
  },
  {
    name: 'heavy tails',
    continuous: ['t', 'pareto', 'lognormal'],
    categorical: ['group'],
    rows: rowsBy((random) => ({
      t: rounded(drawStudentT(1.5, random), 4),
      pareto: rounded((1 - random.uniform()) ** (-1 / 1.3), 3),
      lognormal: rounded(Math.exp(1.2 * random.normal()), 3),
      group: `g${random.integer(5)}`,
    })),
  },
  {
    name: 'survey',
    continuous: ['age', 'income'],
    categorical: ['q1', 'q2', 'q3', 'q4', 'region'],
    rows: rowsBy((random) => {
      const mood = random.normal();
      const answer = (): string => String(Math.max(1, Math.min(5, Math.round(3 + mood + 0.9 * random.normal()))));
      const age = 18 + random.integer(70);
      const income = 500 * Math.round(2 * Math.exp(1 + 0.005 * age + 0.5 * random.normal()));
      return { age, income, q1: answer(), q2: answer(), q3: answer(), q4: answer(), region: `r${random.integer(8)}` };
    }),
  },
];
