/**
 * Finds nested lattices of a column's numbers (whole ones, tens, endings such as .99) that chance does not explain, by
 * parts of the range, since babies' ages have decimals.
 */
import { z } from 'zod';
import type { RandomStream } from '../../../numerics/random/stream.ts';

/** Numbers are multiples of `multiple` / `scale`. */
export interface Grid {
  scale: number;
  multiple: number;
}

export const latticesSchema = z.object({
  /** Numbers `residue` + i `modulus` in grid steps, minus child lattices; the grid comes first. */
  lattices: z.array(z.object({ modulus: z.number(), residue: z.number(), parent: z.int() })).min(1),
  /** Upper ends of parts, ascending, without the last. */
  bounds: z.array(z.number()),
  /** Rows per lattice, by part. */
  rows: z.array(z.array(z.number())).min(1),
});
export type Lattices = z.infer<typeof latticesSchema>;
type Lattice = Lattices['lattices'][number];

interface Weighted {
  values: Float64Array;
  weights: Float64Array;
}

/** Minimum rows and distinct numbers, ratio to chance, and evidence (nats). */
const MIN_ROWS = 5;
const MIN_DISTINCT = 3;
const MIN_RATIO = 1.5;
const MIN_EVIDENCE = 6;
const MAX_LATTICES = 64;
const MIN_STEPS = 3;

const FINE: Grid = { scale: 1e6, multiple: 1 };

/** Returns null without a lattice beside the grid. */
export function fitLattices(numbers: Weighted, grid: Grid | null): Lattices | null {
  const { values } = numbers;
  if (values.length < MIN_DISTINCT) return null;
  const own = grid ?? FINE;
  const indices = values.map((value) => indexOf(own, value));
  const widest = (((values.at(-1)! - values[0]!) / own.multiple) * own.scale) / MIN_STEPS;
  const lattices: Lattice[] = [{ modulus: 1, residue: 0, parent: -1 }];
  const latticeOf = new Int32Array(values.length);
  for (let parent = 0; parent < lattices.length; parent++) {
    const step = lattices[parent]!.modulus;
    const modulus = nextModulus(step, own);
    if (!(modulus <= widest)) continue;
    const on = [...latticeOf.keys()].filter((i) => latticeOf[i] === parent && !Number.isNaN(indices[i]!));
    for (const found of elevated(on, indices, numbers.weights, step, modulus)) {
      if (lattices.length === MAX_LATTICES) break;
      for (const i of found.members) latticeOf[i] = lattices.length;
      lattices.push({ modulus, residue: found.residue, parent });
    }
  }
  return lattices.length === 1 ? null : { lattices, ...partsOf(numbers, latticeOf, lattices.length) };
}

function indexOf({ scale, multiple }: Grid, value: number): number {
  const index = Math.round((value * scale) / multiple);
  return Number.isSafeInteger(index) && (index * multiple) / scale === value ? index : Number.NaN;
}

const residueOf = (index: number, modulus: number): number => ((index % modulus) + modulus) % modulus;

function nextModulus(modulus: number, { scale, multiple }: Grid): number {
  if (modulus > 1) return 10 * modulus;
  for (let power = 1 / scale; power <= 1000 * (multiple / scale); power *= 10) {
    const steps = Math.round(power * scale) / multiple;
    if (steps > 1 && Number.isInteger(steps)) return steps;
  }
  return 10;
}

interface Members {
  residue: number;
  members: number[];
}

/** Returns residues with clearly more rows than evenly spread ones. */
function elevated(
  on: readonly number[],
  indices: Float64Array,
  weights: Float64Array,
  step: number,
  modulus: number,
): Members[] {
  const groups = new Map<number, number[]>();
  for (const i of on) {
    const residue = residueOf(indices[i]!, modulus);
    const group = groups.get(residue);
    if (group) group.push(i);
    else groups.set(residue, [i]);
  }
  const weightOf = (members: readonly number[]): number => members.reduce((sum, i) => sum + weights[i]!, 0);
  const left = [...groups].map(([residue, members]) => ({ residue, members, rows: weightOf(members) }));
  left.sort((a, b) => b.rows - a.rows || a.residue - b.residue);
  let rows = left.reduce((sum, one) => sum + one.rows, 0);
  const found: Members[] = [];
  for (const { residue, members, rows: own } of left) {
    const open = Math.max(1, modulus / step - found.length);
    const isClear = own >= MIN_ROWS && members.length >= MIN_DISTINCT && isMoreThan(own, rows / open);
    if (!isClear) break;
    found.push({ residue, members });
    rows -= own;
  }
  return found;
}

const isMoreThan = (rows: number, expected: number): boolean =>
  rows >= MIN_RATIO * expected && rows * Math.log(rows / expected) - (rows - expected) >= MIN_EVIDENCE;

const MAX_PARTS = 8;
const MAX_PLACES = 500;

function partsOf(numbers: Weighted, latticeOf: Int32Array, lattices: number): Omit<Lattices, 'lattices'> {
  const { values, weights } = numbers;
  const count = (from: number, to: number): Float64Array => {
    const rows = new Float64Array(lattices);
    for (let i = from; i < to; i++) rows[latticeOf[i]!]! += weights[i]!;
    return rows;
  };
  const ends = [values.length];
  for (let part = 0; part < ends.length && ends.length < MAX_PARTS; ) {
    const from = part === 0 ? 0 : ends[part - 1]!;
    const place = bestPlace(from, ends[part]!, latticeOf, weights, count);
    if (place === null) part++;
    else ends.splice(part, 0, place);
  }
  return {
    bounds: ends.slice(0, -1).map((end) => (values[end - 1]! + values[end]!) / 2),
    rows: ends.map((end, part) => [...count(part === 0 ? 0 : ends[part - 1]!, end)]),
  };
}

/** Returns the bound that best separates lattice shares, or null. */
function bestPlace(
  from: number,
  to: number,
  latticeOf: Int32Array,
  weights: Float64Array,
  count: (from: number, to: number) => Float64Array,
): number | null {
  const above = count(from, to);
  const below = new Float64Array(above.length);
  const rows = sumOf(above);
  const whole = likelihood(above);
  const kinds = above.filter((one) => one > 0).length;
  const stride = Math.ceil((to - from) / MAX_PLACES);
  let best = { place: -1, gain: ((kinds + 2) / 2) * Math.log(rows) };
  for (let i = from; i < to - 1; i++) {
    below[latticeOf[i]!]! += weights[i]!;
    above[latticeOf[i]!]! -= weights[i]!;
    if ((i + 1 - from) % stride !== 0 || sumOf(below) < MIN_ROWS || sumOf(above) < MIN_ROWS) continue;
    const gain = likelihood(below) + likelihood(above) - whole;
    if (gain > best.gain) best = { place: i + 1, gain };
  }
  return best.place < 0 ? null : best.place;
}

const sumOf = (rows: Float64Array): number => rows.reduce((sum, one) => sum + one, 0);

function likelihood(rows: Float64Array): number {
  const all = sumOf(rows);
  return rows.reduce((sum, own) => sum + (own > 0 ? own * Math.log(own / all) : 0), 0);
}

const MAX_TRIED = 5;

/** Moves a number to the nearest `isFree` one on a random lattice, or returns undefined. */
export function toLattice(
  { lattices, bounds, rows }: Lattices,
  grid: Grid | null,
  value: number,
  random: RandomStream,
  isFree: (value: number) => boolean,
): number | undefined {
  const part = bounds.filter((bound) => bound < value).length;
  const chosen = drawLattice(rows[part]!, random);
  if (grid === null && chosen === 0) return value;
  const { scale, multiple } = grid ?? FINE;
  const { modulus, residue } = lattices[chosen]!;
  const others = lattices.filter(({ parent }) => parent === chosen);
  const exact = ((value * scale) / multiple - residue) / modulus;
  const nearest = Math.round(exact);
  const side = exact < nearest ? -1 : 1;
  for (let tried = 0; tried < MAX_TRIED; tried++) {
    const away = Math.ceil(tried / 2) * (tried % 2 === 0 ? -side : side);
    const index = residue + (nearest + away) * modulus;
    if (others.some((other) => residueOf(index, other.modulus) === other.residue)) continue;
    const moved = (index * multiple) / scale;
    if (isFree(moved)) return moved;
  }
  return undefined;
}

function drawLattice(rows: readonly number[], random: RandomStream): number {
  let left = random.uniform() * rows.reduce((sum, one) => sum + one, 0);
  const found = rows.findIndex((one) => {
    left -= one;
    return left < 0;
  });
  return found < 0 ? rows.length - 1 : found;
}
