/** A made-up table of continuous columns as they come: point masses, skew, whole numbers, gaps, bends; and a few categories. */

import type { RandomStream } from '../../packages/numerics/random/stream.ts';
import type { CategoryColumn, ModelColumn, ModelTable, NumericColumn } from '../../packages/synthesis/models/model.ts';

const FACTORS = 6;
const LEVELS = [2, 5, 12, 3, 30, 7];

export interface ContinuousShape {
  rows: number;
  numbers: number;
  categories: number;
}

/** A column's line through the factors, what it bends by, and its own noise. */
interface Recipe {
  weights: number[];
  bend: [number, number, number];
  noise: number;
}

/** Names of the numbers and of the categories, gaps' indicators among these. */
export function continuousTable({ rows, numbers, categories }: ContinuousShape, random: RandomStream) {
  const normals = (name: string): Float64Array => {
    const stream = random.child(name);
    return Float64Array.from({ length: rows }, () => stream.normal());
  };
  const factors = Array.from({ length: FACTORS }, (_, at) => normals(`factor ${at}`));
  const columns: ModelColumn[] = [];
  for (let j = 0; j < numbers; j++) {
    const recipe = recipeOf(random.child(`recipe ${j}`));
    const column = numberColumn(j, scoresOf(recipe, factors, normals(`noise ${j}`)));
    if (j % 9 === 5) columns.push(hideSome(column, factors[j % FACTORS]!));
    columns.push(column);
  }
  for (let j = 0; j < categories; j++) {
    const recipe = recipeOf(random.child(`recipe of category ${j}`));
    columns.push(categoryColumn(j, scoresOf(recipe, factors, normals(`noise of category ${j}`))));
  }
  const table: ModelTable = { rows, columns: new Map(columns.map((column) => [column.name, column])) };
  const namesOf = (kind: ModelColumn['kind']) =>
    columns.filter((column) => column.kind === kind).map(({ name }) => name);
  return { table, numbers: namesOf('numeric'), categories: namesOf('category') };
}

function recipeOf(random: RandomStream): Recipe {
  const weights = Array.from({ length: FACTORS }, () => (random.uniform() < 0.5 ? random.normal() : 0));
  return {
    weights,
    bend: [random.integer(FACTORS), random.integer(FACTORS), random.uniform() < 0.4 ? random.normal() : 0],
    noise: 0.2 + random.uniform(),
  };
}

/** About standard normal, and bent. */
function scoresOf({ weights, bend, noise }: Recipe, factors: readonly Float64Array[], own: Float64Array): Float64Array {
  const [a, b, size] = bend;
  const spread = Math.hypot(...weights, size, noise);
  return own.map((value, row) => {
    const line = weights.reduce((sum, weight, at) => sum + weight * factors[at]![row]!, noise * value);
    return (line + size * factors[a]![row]! * factors[b]![row]!) / spread;
  });
}

/** Kinds in turn: smooth, skew, skew with a point mass at 0, capped, whole numbers, rounded, and a scale of five. */
const SHAPES: readonly ((score: number) => number)[] = [
  (score) => score,
  (score) => Math.exp(2 * score),
  (score) => (score < 0 ? 0 : Math.exp(score) - 1),
  (score) => Math.min(1.2, score),
  (score) => Math.floor(Math.exp(1 + score)),
  (score) => Math.round(score * 100) / 100,
  (score) => Math.min(5, Math.max(1, Math.round(3 + score))),
];

const numberColumn = (j: number, scores: Float64Array): NumericColumn => ({
  kind: 'numeric',
  name: `n${j}`,
  values: scores.map(SHAPES[j % SHAPES.length]!),
});

/** Takes the cells away where `by` is high; the column that says so. */
function hideSome({ name, values }: NumericColumn, by: Float64Array): CategoryColumn {
  const codes = Int32Array.from(by, (score) => (score > 1.3 ? 1 : 0));
  codes.forEach((code, row) => {
    if (code === 1) values[row] = Number.NaN;
  });
  return { kind: 'category', name: `gap of ${name}`, codes, levels: ['there', 'missing'], indicator: true };
}

function categoryColumn(j: number, scores: Float64Array): CategoryColumn {
  const kinds = LEVELS[j % LEVELS.length]!;
  const codes = Int32Array.from(scores, (score) => Math.min(kinds - 1, Math.floor(kinds / (1 + Math.exp(-2 * score)))));
  return { kind: 'category', name: `c${j}`, codes, levels: Array.from({ length: kinds }, (_, k) => `level ${k}`) };
}
