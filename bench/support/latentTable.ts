/** A made-up table of any size: numbers and categories that hang together by a few hidden factors, some cells missing. */

import type { RandomStream } from '../../packages/numerics/random/stream.ts';
import type { MeasureRoles } from '../../packages/synthesis/judge/columns.ts';
import type { ModelColumn, ModelTable } from '../../packages/synthesis/models/model.ts';

const FACTORS = 3;

export interface LatentShape {
  rows: number;
  numbers: number;
  categories: number;
}

/** The first number is the target; the same names at every call. */
export function latentTable({ rows, numbers, categories }: LatentShape, random: RandomStream): ModelTable {
  const factors = Array.from({ length: FACTORS }, (_, at) => {
    const stream = random.child(`factor ${at}`);
    return Float64Array.from({ length: rows }, () => stream.normal());
  });
  const signal = (column: number, row: number): number =>
    factors.reduce((sum, factor, at) => sum + Math.cos(column * 1.7 + at) * factor[row]!, 0);
  const columns: ModelColumn[] = [];
  for (let j = 0; j < numbers; j++) {
    const stream = random.child(`number ${j}`);
    const values = Float64Array.from({ length: rows }, (_, row) => {
      const value = signal(j, row) + 0.6 * stream.normal() + (j % 3 === 0 ? factors[0]![row]! * factors[1]![row]! : 0);
      const cell = j % 4 === 1 ? Math.exp(value) : value;
      return j % 5 === 4 && stream.uniform() < 0.05 ? Number.NaN : Math.round(cell * 1000) / 1000;
    });
    columns.push({ kind: 'numeric', name: `n${j}`, values });
  }
  for (let j = 0; j < categories; j++) {
    const stream = random.child(`category ${j}`);
    const kinds = 2 + ((j * 5) % 12);
    const codes = Int32Array.from({ length: rows }, (_, row) => {
      const place = 1 / (1 + Math.exp(-signal(j + 100, row) - 0.5 * stream.normal()));
      return stream.uniform() < 0.02 ? -1 : Math.min(kinds - 1, Math.floor(place * kinds));
    });
    columns.push({
      kind: 'category',
      name: `c${j}`,
      codes,
      levels: Array.from({ length: kinds }, (_, k) => `level ${k}`),
    });
  }
  return { rows, columns: new Map(columns.map((column) => [column.name, column])) };
}

export function latentRoles({ numbers, categories }: LatentShape): MeasureRoles {
  const names = (letter: string, count: number) => Array.from({ length: count }, (_, j) => `${letter}${j}`);
  const [target = null, ...continuous] = names('n', numbers);
  return { target, continuous, categorical: names('c', categories), text: [] };
}
