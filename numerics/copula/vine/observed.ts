/** One column of pseudo-observations, with what is worked out from it once: its order and its ranks. Shapes: n rows. */
import { sortedBy } from '../kendallTau.ts';
import type { PairData } from '../pairCopula.ts';

/** The first m rows in order, those without a value left out. */
export interface Ranking {
  /** Row numbers by ascending value. */
  order: Int32Array;
  /** Of each row: equal values have equal ranks, and greater values greater ones; 0 without a value. */
  rank: Int32Array;
  /** Pairs of rows with equal values. */
  tied: number;
}

export class Observed {
  readonly at: Float64Array;
  /** F(x⁻); null of a continuous column. */
  readonly below: Float64Array | null;
  /** Whether a value is NaN. */
  readonly missing: boolean;
  #ranking: Ranking | undefined;
  #ranked = -1;

  constructor(at: Float64Array, below: Float64Array | null) {
    this.at = at;
    this.below = below;
    this.missing = at.some(Number.isNaN);
  }

  /** Of the first `rows` rows, by the middle of each row's step. */
  ranking(rows: number): Ranking {
    if (this.#ranking === undefined || this.#ranked !== rows) {
      this.#ranking = rankRows(this.#middles(rows), this.missing);
      this.#ranked = rows;
    }
    return this.#ranking;
  }

  /** The middles of the first rows' steps. */
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

/** The ranking of those of its rows that have a value in `other` too. */
export function rankingWithin({ order, rank }: Ranking, other: Observed): Ranking {
  const both = new Int32Array(order.length);
  let count = 0;
  for (let i = 0; i < order.length; i++) if (!Number.isNaN(other.at[order[i]!]!)) both[count++] = order[i]!;
  const kept = both.subarray(0, count);
  return { order: kept, rank, tied: tiedPairs(kept, rank) };
}

/** Rows in which neither value is missing; null: all. */
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

/** The pair (a, b) at `rows`; null: at all. */
export function pairData(a: Observed, b: Observed, rows: Int32Array | null): PairData {
  const side = (values: Float64Array | null) => (values === null || rows === null ? values : pick(values, rows));
  return {
    u: rows === null ? a.at : pick(a.at, rows),
    v: rows === null ? b.at : pick(b.at, rows),
    uBelow: side(a.below),
    vBelow: side(b.below),
  };
}
