/** Draws rows clique by clique, in proportion to probabilities, and balances pairs of variables. */
import { shuffle } from '../random/draws.ts';
import type { RandomStream } from '../random/stream.ts';
import { type Alike, balanceRows, type Levels } from './balanceRows.ts';
import type { MarkovModel } from './markovModel.ts';

export interface DrawTree {
  random: RandomStream;
  /** Balances other pairs within this variable's levels. */
  within?: number | null;
  yieldToEventLoop?(): Promise<void>;
}

/** Maximum partners per row, and maximum partners × rows × variables². */
const MAX_OFFERS = 20;
const MAX_WORK = 2e8;

export async function drawTree(model: MarkovModel, rows: number, options: DrawTree): Promise<Int32Array[]> {
  const { random, within = null, yieldToEventLoop = async () => {} } = options;
  const offers = Math.min(MAX_OFFERS, Math.floor(MAX_WORK / (rows * model.sizes.length ** 2)));
  const levels = model.sizes.map((size): Levels => ({ of: new Int32Array(rows), size }));
  const made = new Map<number, Levels>();
  for (const [at, { variables }] of model.nodes.entries()) {
    const given = variables.filter((variable) => made.has(variable));
    for (const variable of firstOf(variables, within)) {
      if (made.has(variable)) continue;
      await yieldToEventLoop();
      const groups = groupsOf(levels, given, jointOf(model, at, [...given, variable]), model.sizes[variable]!);
      const own = levels[variable]!;
      for (const { rows: alike, shares } of groups) dealRows(alike, shares, own.of, random);
      // Conditioning levels need no balance.
      const beside = [...made].flatMap(([one, other]) => (given.includes(one) ? [] : [other]));
      await balanceRows(own, groups, beside, { offers, random, yieldToEventLoop });
      made.set(variable, offers > 0 && within !== null && made.has(within) ? crossed(own, levels[within]!) : own);
      given.push(variable);
    }
  }
  return levels.map(({ of }) => of);
}

const firstOf = (variables: readonly number[], first: number | null): readonly number[] =>
  first !== null && variables.includes(first) ? [first, ...variables.filter((one) => one !== first)] : variables;

const crossed = (one: Levels, two: Levels): Levels => ({
  of: one.of.map((level, row) => level * two.size + two.of[row]!),
  size: one.size * two.size,
});

function jointOf(model: MarkovModel, node: number, scope: readonly number[]): Float64Array {
  const joint = new Float64Array(scope.reduce((cells, one) => cells * model.sizes[one]!, 1));
  const map = model.mapOf(node, scope);
  const { belief } = model.nodes[node]!;
  for (let cell = 0; cell < belief.length; cell++) joint[map[cell]!]! += belief[cell]!;
  return joint;
}

function groupsOf(levels: readonly Levels[], given: readonly number[], joint: Float64Array, size: number): Alike[] {
  const groups = new Map<number, number[]>();
  const rows = levels[0]!.of.length;
  for (let row = 0; row < rows; row++) {
    let cell = 0;
    for (const variable of given) cell = cell * levels[variable]!.size + levels[variable]!.of[row]!;
    const group = groups.get(cell);
    if (group) group.push(row);
    else groups.set(cell, [row]);
  }
  return Array.from(groups, ([cell, alike]) => ({
    rows: alike,
    shares: sharesOf(joint.subarray(cell * size, (cell + 1) * size)),
  }));
}

function sharesOf(weights: Float64Array): Float64Array {
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => (sum > 0 ? weight / sum : 1 / weights.length));
}

function dealRows(rows: readonly number[], shares: ArrayLike<number>, out: Int32Array, random: RandomStream): void {
  const dealt = deal(rows.length, shares, random);
  for (const [at, row] of rows.entries()) out[row] = dealt[at]!;
}

/** Returns `rows` shuffled indices, proportional to weights to within one row. */
export function deal(rows: number, weights: ArrayLike<number>, random: RandomStream): Int32Array {
  let sum = 0;
  for (let at = 0; at < weights.length; at++) sum += weights[at]!;
  const out = new Int32Array(rows);
  const start = random.uniform();
  let [reached, filled] = [0, 0];
  for (let at = 0; at < weights.length; at++) {
    reached += sum > 0 ? (rows * weights[at]!) / sum : rows / weights.length;
    const end = at === weights.length - 1 ? rows : Math.min(rows, Math.floor(reached + start));
    while (filled < end) out[filled++] = at;
  }
  shuffle(out, random);
  return out;
}
