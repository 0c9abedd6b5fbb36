/**
 * Coincidence score: maximum over synthetic rows of Σ max(0, ln(n / 10 r)) over columns in which the row is r-th
 * nearest of n. Counts rare agreements, which mean distances hide.
 */

import { firstAtLeast } from '../../../numerics/search.ts';
import { tally } from '../../../numerics/tally.ts';
import type { ModelTable } from '../../models/model.ts';
import { categoryNamed, jointCodes, type MeasuredColumns, numericNamed } from '../columns.ts';

/** Maximum share of rows that share an agreement. */
const RARE = 0.1;

type Agreements = (person: number, sums: Float64Array) => void;

/** At least 0 per person. O(persons · columns · rows / 10). */
export function coincidences(persons: ModelTable, made: ModelTable, columns: MeasuredColumns): Float64Array {
  const most = RARE * made.rows;
  const agreements = [
    ...columns.numeric.map((name) => numberAgreements(persons, made, name, most)),
    ...columns.categorical.map((name) => levelAgreements(persons, made, name, most)),
  ];
  const sums = new Float64Array(made.rows);
  return Float64Array.from({ length: persons.rows }, (_, person) => {
    sums.fill(0);
    for (const addAgreements of agreements) addAgreements(person, sums);
    let largest = 0;
    for (let row = 0; row < sums.length; row++) if (sums[row]! > largest) largest = sums[row]!;
    return largest;
  });
}

interface ByNumber {
  numbers: Float64Array;
  /** Starts in `rows`, then the end. */
  starts: Int32Array;
  rows: Int32Array;
  missing: Int32Array;
}

function byNumber(values: Float64Array): ByNumber {
  const all = Int32Array.from(values, (_, row) => row);
  const rows = all.filter((row) => !Number.isNaN(values[row]!)).sort((a, b) => values[a]! - values[b]! || a - b);
  const isFirst = (at: number): boolean => at === 0 || values[rows[at]!] !== values[rows[at - 1]!];
  const firsts = Int32Array.from(rows.keys()).filter(isFirst);
  return {
    numbers: Float64Array.from(firsts, (at) => values[rows[at]!]!),
    starts: Int32Array.from([...firsts, rows.length]),
    rows,
    missing: all.filter((row) => Number.isNaN(values[row]!)),
  };
}

function numberAgreements(persons: ModelTable, made: ModelTable, name: string, most: number): Agreements {
  const own = numericNamed(persons, name).values;
  const { numbers, starts, rows, missing } = byNumber(numericNamed(made, name).values);
  return (person, sums) => {
    const number = own[person]!;
    if (Number.isNaN(number)) {
      if (missing.length <= most) addTo(sums, missing, 0, missing.length, Math.log(most / missing.length));
      return;
    }
    let right = firstAtLeast(numbers, number);
    let left = right - 1;
    let nearer = 0;
    while (left >= 0 || right < numbers.length) {
      const below = left >= 0 ? number - numbers[left]! : Number.POSITIVE_INFINITY;
      const above = right < numbers.length ? numbers[right]! - number : Number.POSITIVE_INFINITY;
      const from = below <= above ? left-- : right;
      const to = above <= below ? right++ : from;
      const [first, second] = [starts[from + 1]! - starts[from]!, from === to ? 0 : starts[to + 1]! - starts[to]!];
      nearer += first + second;
      if (nearer > most) return;
      const surprise = Math.log(most / nearer);
      addTo(sums, rows, starts[from]!, starts[from + 1]!, surprise);
      if (from !== to) addTo(sums, rows, starts[to]!, starts[to + 1]!, surprise);
    }
  };
}

function addTo(sums: Float64Array, rows: Int32Array, from: number, to: number, surprise: number): void {
  for (let at = from; at < to; at++) sums[rows[at]!]! += surprise;
}

function levelAgreements(persons: ModelTable, made: ModelTable, name: string, most: number): Agreements {
  const [own, codes] = jointCodes([categoryNamed(persons, name), categoryNamed(made, name)]).codes;
  const counts = tally(codes!);
  const rare = new Map([...counts].filter(([, count]) => count <= most).map(([code]) => [code, [] as number[]]));
  for (const [row, code] of codes!.entries()) rare.get(code)?.push(row);
  const rowsOf = new Map([...rare].map(([code, rows]) => [code, Int32Array.from(rows)]));
  return (person, sums) => {
    const rows = rowsOf.get(own![person]!);
    if (rows) addTo(sums, rows, 0, rows.length, Math.log(most / rows.length));
  };
}
