/** One column of pseudo-observations, with what is worked out from it once: its order and its ranks. Shapes: n rows. */
import { sortedBy } from '../kendallTau.ts';
import type { PairData } from '../pairCopula.ts';

/** The first m rows in order. */
export interface Ranking {
  /** Row numbers by ascending value. */
  order: Int32Array;
  /** Of each row: equal values have equal ranks, counted without gaps from 0. */
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

  constructor(at: Float64Array, below: Float64Array | null) {
    this.at = at;
    this.below = below;
    this.missing = at.some(Number.isNaN);
  }

  /** Of the first `rows` rows, by the middle of each row's step. No value may be missing. */
  ranking(rows: number): Ranking {
    if (this.#ranking?.order.length !== rows) this.#ranking = rankRows(this.middles(rows));
    return this.#ranking;
  }

  /** The middles of the first rows' steps. */
  middles(rows: number): Float64Array {
    const { at, below } = this;
    if (below === null) return at.subarray(0, rows);
    return Float64Array.from({ length: rows }, (_, i) => 0.5 * (at[i]! + below[i]!));
  }
}

function rankRows(values: Float64Array): Ranking {
  const n = values.length;
  const identity = new Int32Array(n);
  for (let i = 0; i < n; i++) identity[i] = i;
  const order = sortedBy(values, identity);
  const rank = new Int32Array(n);
  let tied = 0;
  let run = 0;
  let current = 0;
  for (let i = 1; i < n; i++) {
    const same = values[order[i]!] === values[order[i - 1]!];
    run = same ? run + 1 : 0;
    tied += run;
    if (!same) current++;
    rank[order[i]!] = current;
  }
  return { order, rank, tied };
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
