/**
 * Rows of a Markov model, drawn clique by clique and variable by variable: rows that are alike so far are dealt to the
 * levels of the next variable as nearly by their probabilities as whole rows can be, and chance decides the rest.
 */
import { shuffle } from '../random/draws.ts';
import type { RandomStream } from '../random/stream.ts';
import type { MarkovModel } from './markovModel.ts';

/** A level for each row, by variable. */
export async function drawTree(
  model: MarkovModel,
  rows: number,
  random: RandomStream,
  yieldToEventLoop: () => Promise<void> = async () => {},
): Promise<Int32Array[]> {
  const levels = model.sizes.map(() => new Int32Array(rows));
  const made = new Set<number>();
  for (const [at, { variables, belief }] of model.nodes.entries()) {
    const given = variables.filter((variable) => made.has(variable));
    for (const variable of variables) {
      if (made.has(variable)) continue;
      await yieldToEventLoop();
      const scope = [...given, variable];
      const joint = new Float64Array(scope.reduce((cells, one) => cells * model.sizes[one]!, 1));
      const map = model.mapOf(at, scope);
      for (let cell = 0; cell < belief.length; cell++) joint[map[cell]!]! += belief[cell]!;
      const groups = groupsOf(levels, given, model.sizes, rows);
      dealVariable(groups, joint, model.sizes[variable]!, levels[variable]!, random);
      made.add(variable);
      given.push(variable);
    }
  }
  return levels;
}

/** Rows by the cell of the given variables that they are in. */
function groupsOf(
  levels: readonly Int32Array[],
  given: readonly number[],
  sizes: readonly number[],
  rows: number,
): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (let row = 0; row < rows; row++) {
    let cell = 0;
    for (const variable of given) cell = cell * sizes[variable]! + levels[variable]![row]!;
    const group = groups.get(cell);
    if (group) group.push(row);
    else groups.set(cell, [row]);
  }
  return groups;
}

function dealVariable(
  groups: ReadonlyMap<number, number[]>,
  joint: Float64Array,
  size: number,
  out: Int32Array,
  random: RandomStream,
): void {
  for (const [cell, rows] of groups) {
    const dealt = deal(rows.length, joint.subarray(cell * size, (cell + 1) * size), random);
    rows.forEach((row, at) => {
      out[row] = dealt[at]!;
    });
  }
}

/** `rows` indices of the weights, each as often as its share says but for less than one row, in random order. */
export function deal(rows: number, weights: ArrayLike<number>, random: RandomStream): Int32Array {
  let sum = 0;
  for (let at = 0; at < weights.length; at++) sum += weights[at]!;
  const out = new Int32Array(rows);
  // One draw decides all that is left over of whole rows: each index gets one more with the probability of its rest.
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
