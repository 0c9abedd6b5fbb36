/** Small made-up tables for tests of models. */

import { createStream } from '../../../packages/numerics/random/createStream.ts';
import type { FitTask, ModelColumn, ModelTable } from '../../../packages/synthesis/models/model.ts';

export const silent = async (): Promise<void> => {};

export const tableOf = (...columns: ModelColumn[]): ModelTable => ({
  rows: columns[0]?.kind === 'category' ? columns[0].codes.length : (columns[0]?.values.length ?? 0),
  columns: new Map(columns.map((column) => [column.name, column])),
});

export const numeric = (name: string, values: ArrayLike<number>): ModelColumn => ({
  kind: 'numeric',
  name,
  values: Float64Array.from(values),
});

/** Levels in the order of first appearance; null is a missing cell. */
export function category(name: string, cells: readonly (string | null)[]): ModelColumn {
  const levels = [...new Set(cells)].filter((cell) => cell !== null);
  return {
    kind: 'category',
    name,
    levels,
    codes: Int32Array.from(cells, (cell) => (cell === null ? -1 : levels.indexOf(cell))),
  };
}

export const text = (name: string, values: (string | null)[]): ModelColumn => ({ kind: 'text', name, values });

export const fitTask = (
  table: ModelTable,
  columns: readonly string[],
  given: readonly string[] = [],
  seed = 1,
): FitTask => ({
  table,
  columns,
  given,
  settings: {
    draws: 100,
    tune: 100,
    family: null,
    sampler: 'auto',
    calibrate: true,
    textEpochs: 1,
    textSampling: { temperature: 1, nucleus: 0.95 },
    keepRare: false,
  },
  random: createStream(seed, 'fit'),
  onProgress: silent,
  yieldToEventLoop: silent,
});

/** Numbers of one column of a sample. */
export function numbersOf(columns: readonly ModelColumn[], name: string): Float64Array {
  const column = columns.find((candidate) => candidate.name === name);
  if (column?.kind !== 'numeric') throw new RangeError(`no numeric ${name}`);
  return column.values;
}

/** Cells of one category column of a sample. */
export function cellsOf(columns: readonly ModelColumn[], name: string): (string | null)[] {
  const column = columns.find((candidate) => candidate.name === name);
  if (column?.kind !== 'category') throw new RangeError(`no category ${name}`);
  return Array.from(column.codes, (code) => column.levels[code] ?? null);
}

export function textsOf(columns: readonly ModelColumn[], name: string): (string | null)[] {
  const column = columns.find((candidate) => candidate.name === name);
  if (column?.kind !== 'text') throw new RangeError(`no text ${name}`);
  return column.values;
}

export const mean = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;

export function correlation(left: ArrayLike<number>, right: ArrayLike<number>): number {
  const centre = [mean(left), mean(right)] as const;
  const product = (a: ArrayLike<number>, b: ArrayLike<number>, ca: number, cb: number): number =>
    mean(Array.from(a, (value, i) => (value - ca) * (b[i]! - cb)));
  return (
    product(left, right, ...centre) /
    Math.sqrt(product(left, left, centre[0], centre[0]) * product(right, right, centre[1], centre[1]))
  );
}
