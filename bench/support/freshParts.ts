/** Real rows of a shared table as training, held-out and fresh ones: the fresh ones stand for an honest synthetic table. */
import { createStream } from '../../packages/numerics/random/createStream.ts';
import { shuffledRows } from '../../packages/numerics/random/draws.ts';
import { takeRows } from '../../packages/synthesis/table/takeRows.ts';
import type { SharedTable } from './sharedTables.ts';

/** Training, held-out and fresh rows. */
export type Sizes = readonly [number, number, number];

interface Trials {
  name: string;
  sizes: Sizes;
  trials: number;
}

export const TRIALS: readonly Trials[] = [
  { name: 'penguins', sizes: [120, 60, 120], trials: 60 },
  { name: 'titanic', sizes: [300, 150, 300], trials: 30 },
  { name: 'adult', sizes: [600, 200, 600], trials: 20 },
  { name: 'diamonds', sizes: [600, 200, 600], trials: 20 },
];

export function freshParts({ table }: SharedTable, [train, held, fresh]: Sizes, trial: number) {
  const random = createStream(trial, 'fresh rows');
  const order = shuffledRows(table.rows, random.child('order'));
  const part = (from: number, rows: number) => takeRows(table, order.slice(from, from + rows));
  return { random, train: part(0, train), holdout: part(train, held), fresh: part(train + held, fresh) };
}
