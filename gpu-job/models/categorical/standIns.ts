/**
 * What stands in for levels that may not come out: of the others those that are nearest to as rare, so that frequent levels keep
 * their shares even where every second cell of a column is withheld.
 */
import type { LeafCounts } from './leafCounts.ts';

/** Of every class the rows that it lends its name to: the rarest that may come out rise to one height, 0 for the others. */
export function standInRows(margin: Int32Array, released: readonly boolean[]): Float64Array {
  const withheld = margin.reduce((sum, count, one) => sum + (released[one] ? 0 : count), 0);
  const may = [...margin.keys()].filter((one) => one > 0 && released[one] && margin[one]! > 0);
  may.sort((a, b) => margin[a]! - margin[b]!);
  let height = 0;
  let filled = withheld;
  for (const [below, one] of may.entries()) {
    if (below > 0 && height <= margin[one]!) break;
    filled += margin[one]!;
    height = filled / (below + 1);
  }
  const rows = new Float64Array(margin.length);
  for (const one of may) rows[one] = Math.max(0, height - margin[one]!);
  return rows;
}

/** How many rows each entry of the leaves comes out for. */
export interface LeafWeights {
  /** One an entry of `LeafCounts`; 0 where the class may not come out. */
  weights: Float64Array;
  /** By leaf: their sum, and the rows that no level stands in for. */
  rows: Float64Array;
  unplaced: Float64Array;
}

/**
 * The withheld rows of a leaf go to its own levels, as far as they are among the rarest, else to all that it has: what never
 * stood together is not brought together. Missing cells stand in for nothing.
 */
export function weighLeaves(leaves: LeafCounts, released: readonly boolean[]): LeafWeights {
  const { from, classes, counts, margin } = leaves;
  const standIns = standInRows(margin, released);
  const weights = Float64Array.from(counts, (count, k) => (released[classes[k]!] ? count : 0));
  const rows = new Float64Array(from.length - 1);
  const unplaced = new Float64Array(from.length - 1);
  for (let leaf = 0; leaf < rows.length; leaf++) {
    const entries = Array.from({ length: from[leaf + 1]! - from[leaf]! }, (_, i) => from[leaf]! + i);
    const withheld = sumOver(entries, (k) => (released[classes[k]!] ? 0 : counts[k]!));
    const levels = entries.filter((k) => released[classes[k]!] && classes[k]! > 0);
    const rare = levels.map((k) => (counts[k]! * standIns[classes[k]!]!) / margin[classes[k]!]!);
    const shares = rare.some((share) => share > 0) ? rare : levels.map((k) => counts[k]!);
    const all = shares.reduce((sum, share) => sum + share, 0);
    if (all === 0) unplaced[leaf] = withheld;
    else if (withheld > 0) {
      for (const [i, k] of levels.entries()) weights[k]! += (withheld * shares[i]!) / all;
    }
    rows[leaf] = sumOver(entries, (k) => weights[k]!);
  }
  return { weights, rows, unplaced };
}

const sumOver = (entries: readonly number[], of: (k: number) => number): number =>
  entries.reduce((sum, k) => sum + of(k), 0);
