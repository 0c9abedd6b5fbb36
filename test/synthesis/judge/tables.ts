/** Small tables for tests of metrics. */

import type { RandomStream } from '../../../packages/numerics/random/stream.ts';
import { compareParts } from '../../../packages/synthesis/judge/fidelity/compareParts.ts';
import type { AttackTask, FidelityTask, TargetTask } from '../../../packages/synthesis/judge/measure.ts';
import { type Parts, privateParts } from '../../../packages/synthesis/judge/parts.ts';
import type { ModelColumn, ModelTable } from '../../../packages/synthesis/models/model.ts';

export function tableOf(...columns: ModelColumn[]): ModelTable {
  const [first] = columns;
  if (!first) return { rows: 0, columns: new Map() };
  const rows = first.kind === 'category' ? first.codes.length : first.values.length;
  return { rows, columns: new Map(columns.map((column) => [column.name, column])) };
}

const silent = async (): Promise<void> => {};

/** What measures share, as `measureAll` makes it. */
export async function measureTask(
  measured: Parts,
  random: RandomStream,
): Promise<FidelityTask & TargetTask & AttackTask> {
  const compared = await compareParts(measured, random, silent);
  const ranked = privateParts(measured, random.child('rows'));
  return { measured, compared, ranked, predictions: { own: null, real: null }, random, onProgress: silent };
}

export const numbers = (name: string, ...values: number[]): ModelColumn => ({
  kind: 'numeric',
  name,
  values: Float64Array.from(values),
});

/** Levels are numbered as they come; null is missing. */
export function levels(name: string, ...cells: (string | null)[]): ModelColumn {
  const found = [...new Set(cells.filter((cell) => cell !== null))];
  const codes = Int32Array.from(cells, (cell) => (cell === null ? -1 : found.indexOf(cell)));
  return { kind: 'category', name, codes, levels: found };
}

export const texts = (name: string, ...values: (string | null)[]): ModelColumn => ({ kind: 'text', name, values });

/**
 * A table with dependence of every kind: a category that moves a number, two numbers that go together, a target that
 * both explain, missing cells that a category goes with.
 */
export function drawTable(rows: number, random: RandomStream): ModelTable {
  const place: string[] = [];
  const kind: (string | null)[] = [];
  const [width, height, price]: [number[], number[], number[]] = [[], [], []];
  for (let row = 0; row < rows; row++) {
    const at = random.integer(4);
    const w = random.normal() + at;
    const h = 0.8 * w + 0.6 * random.normal();
    place.push(`place ${at}`);
    kind.push(random.uniform() < 0.1 ? null : `kind ${random.integer(3) + (w > 2 ? 1 : 0)}`);
    width.push(rounded(w, 100));
    height.push(at === 3 && random.uniform() < 0.3 ? Number.NaN : rounded(h, 100));
    price.push(rounded(w * w + 2 * at + 0.5 * random.normal(), 10));
  }
  return tableOf(
    numbers('price', ...price),
    numbers('width', ...width),
    numbers('height', ...height),
    levels('place', ...place),
    levels('kind', ...kind),
  );
}

export const DRAWN_ROLES = {
  target: 'price',
  continuous: ['width', 'height'],
  categorical: ['place', 'kind'],
  text: [],
};

/** To the nearest 1/unit, never -0. */
const rounded = (value: number, unit: number): number => Math.round(value * unit) / unit + 0;
