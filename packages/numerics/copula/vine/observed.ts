import { sortedBy } from '../kendallTau.ts';
import type { PairData } from '../pairCopula.ts';

export interface Ranking {
  order: Int32Array;
  /** Equal values share a rank; 0 if missing. */
  rank: Int32Array;
  tied: number;
}

export class Observed {
  readonly at: Float64Array;
  /** F(x⁻), or null if continuous. */
  readonly below: Float64Array | null;
  readonly missing: boolean;
  #ranking: Ranking | undefined;
  #ranked = -1;

  constructor(at: Float64Array, below: Float64Array | null) {
    this.at = at;
    this.below = below;
    this.missing = at.some(Number.isNaN);
  }

  ranking(rows: number): Ranking {
    if (this.#ranking === undefined || this.#ranked !== rows) {
      this.#ranking = rankRows(this.#middles(rows), this.missing);
      this.#ranked = rows;
    }
    return this.#ranking;
  }

  #middles(rows: number): Float64Array {
    const { at, below } = this;
    if (below === null) return at.subarray(0, rows);
    return Float64Array.from({ length: rows }, (_, i) => 0.5 * (at[i]! + below[i]!));
  }
}

function rankRows(values: Float64Array, missing: boolean): Ranking {
  let rows = new Int32Array(values.length);
  for (let i = 0; i < rows.length; i++) rows[i] = i;
  if (missing) rows = rows.filter((row) => !Number.isNaN(values[row]!));
  const order = sortedBy(values, rows);
  const rank = new Int32Array(values.length);
  let current = 0;
  for (let i = 1; i < order.length; i++) {
    if (values[order[i]!] !== values[order[i - 1]!]) current++;
    rank[order[i]!] = current;
  }
  return { order, rank, tied: tiedPairs(order, rank) };
}

function tiedPairs(order: Int32Array, rank: Int32Array): number {
  let tied = 0;
  let run = 0;
  for (let i = 1; i < order.length; i++) {
    run = rank[order[i]!] === rank[order[i - 1]!] ? run + 1 : 0;
    tied += run;
  }
  return tied;
}

export function rankingWithin({ order, rank }: Ranking, other: Observed): Ranking {
  const both = new Int32Array(order.length);
  let count = 0;
  for (let i = 0; i < order.length; i++) if (!Number.isNaN(other.at[order[i]!]!)) both[count++] = order[i]!;
  const kept = both.subarray(0, count);
  return { order: kept, rank, tied: tiedPairs(kept, rank) };
}

/** Null for all rows. */
export function completeRows(a: Observed, b: Observed): Int32Array | null {
  if (!a.missing && !b.missing) return null;
  const rows: number[] = [];
  for (let i = 0; i < a.at.length; i++) if (!Number.isNaN(a.at[i]!) && !Number.isNaN(b.at[i]!)) rows.push(i);
  return Int32Array.from(rows);
}

const pick = (values: Float64Array, rows: Int32Array): Float64Array => {
  const out = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) out[i] = values[rows[i]!]!;
  return out;
};

export function pairData(a: Observed, b: Observed, rows: Int32Array | null): PairData {
  const side = (values: Float64Array | null) => (values === null || rows === null ? values : pick(values, rows));
  return {
    u: rows === null ? a.at : pick(a.at, rows),
    v: rows === null ? b.at : pick(b.at, rows),
    uBelow: side(a.below),
    vBelow: side(b.below),
  };
}

// Nodes of tree t+1 are edges of tree t; tree 0 has columns.

export interface Node {
  /** Null for a column. */
  ends: readonly [number, number] | null;
  /** Ascending. */
  columns: readonly number[];
  /** Column absent from the neighbour over end `shared`. */
  column(shared: 0 | 1): number;
  /** Its distribution given the node's other columns. */
  observed(shared: 0 | 1): Observed;
}

export interface Candidate {
  a: number;
  b: number;
  sharedA: 0 | 1;
  sharedB: 0 | 1;
}

/** Returns pairs that satisfy the proximity condition. */
export function candidatesOf(nodes: readonly Node[]): Candidate[] {
  const out: Candidate[] = [];
  const byEnd = new Map<number, [number, 0 | 1][]>();
  nodes.forEach(({ ends }, at) => {
    if (ends === null) for (let b = at + 1; b < nodes.length; b++) out.push({ a: at, b, sharedA: 0, sharedB: 0 });
    else for (const side of [0, 1] as const) byEnd.set(ends[side], [...(byEnd.get(ends[side]) ?? []), [at, side]]);
  });
  for (const touching of byEnd.values()) {
    touching.forEach(([a, sharedA], i) => {
      for (const [b, sharedB] of touching.slice(i + 1)) out.push({ a, b, sharedA, sharedB });
    });
  }
  return out;
}

/** Throws a RangeError without a shared end. */
export function candidateOf(nodes: readonly Node[], a: number, b: number): Candidate {
  const [endsA, endsB] = [nodes[a]!.ends, nodes[b]!.ends];
  if (endsA === null || endsB === null) return { a, b, sharedA: 0, sharedB: 0 };
  for (const sharedA of [0, 1] as const) {
    for (const sharedB of [0, 1] as const) {
      if (a !== b && endsA[sharedA] === endsB[sharedB]) return { a, b, sharedA, sharedB };
    }
  }
  throw new RangeError(
    `columns ${nodes[a]!.columns.join(', ')} and ${nodes[b]!.columns.join(', ')} cannot be joined: this is no regular vine`,
  );
}
