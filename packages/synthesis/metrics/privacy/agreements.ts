/**
 * How closely a person agrees with some synthetic row, by two scores that a mean over columns would drown.
 *   coincidence    Σ over columns of ln(n / 10 r), where it is above 0: the synthetic row is the r-th nearest of n to the
 *                  person in this column, ties counted in full. The largest over synthetic rows. A few agreements that
 *                  chance seldom gives count; a middling nearness in all other columns does not.
 *   worst column   the difference in the column where it is largest, in standard deviations; the smallest over synthetic
 *                  rows. Infinity if no row has the person's categories and missing cells.
 */

import { firstAtLeast } from '../../../numerics/search.ts';
import { tally } from '../../../numerics/tally.ts';
import type { ModelTable } from '../../models/model.ts';
import { categoryNamed, jointCodes, type MeasuredColumns, numericNamed } from '../columns.ts';

/** Agreements that a larger share of synthetic rows have tell nothing of anybody. */
const RARE = 0.1;

/** Calls back with each synthetic row that agrees with a person in one column, and with what that agreement counts. */
type Agreements = (person: number, add: (row: number, surprise: number) => void) => void;

/** For each person, 0 or more; 0 if there are no synthetic rows. O(persons · columns · rows / 10). */
export function coincidences(persons: ModelTable, made: ModelTable, columns: MeasuredColumns): Float64Array {
  const most = RARE * made.rows;
  const agreements = [
    ...columns.numeric.map((name) => numberAgreements(persons, made, name, most)),
    ...columns.categorical.map((name) => levelAgreements(persons, made, name, most)),
  ];
  const sums = new Float64Array(made.rows);
  const touched: number[] = [];
  const add = (row: number, surprise: number): void => {
    if (sums[row] === 0) touched.push(row);
    sums[row]! += surprise;
  };
  return Float64Array.from({ length: persons.rows }, (_, person) => {
    for (const agreeing of agreements) agreeing(person, add);
    let largest = 0;
    for (const row of touched) {
      largest = Math.max(largest, sums[row]!);
      sums[row] = 0;
    }
    touched.length = 0;
    return largest;
  });
}

/** Synthetic rows by the distinct numbers of a column, ascending; those without one apart. */
interface ByNumber {
  numbers: Float64Array;
  /** Where the rows of each number begin in `rows`, and where the last ones end. */
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

/** Walks outwards from the person's number, over all rows of one distance at a time. */
function numberAgreements(persons: ModelTable, made: ModelTable, name: string, most: number): Agreements {
  const own = numericNamed(persons, name).values;
  const { numbers, starts, rows, missing } = byNumber(numericNamed(made, name).values);
  return (person, add) => {
    const number = own[person]!;
    if (Number.isNaN(number)) {
      if (missing.length <= most) for (const row of missing) add(row, Math.log(most / missing.length));
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
      for (let at = starts[from]!; at < starts[from + 1]!; at++) add(rows[at]!, surprise);
      if (from !== to) for (let at = starts[to]!; at < starts[to + 1]!; at++) add(rows[at]!, surprise);
    }
  };
}

function levelAgreements(persons: ModelTable, made: ModelTable, name: string, most: number): Agreements {
  const [own, codes] = jointCodes([categoryNamed(persons, name), categoryNamed(made, name)]).codes;
  const counts = tally(codes!);
  const rare = new Map([...counts].filter(([, count]) => count <= most).map(([code]) => [code, [] as number[]]));
  for (const [row, code] of codes!.entries()) rare.get(code)?.push(row);
  return (person, add) => {
    const rows = rare.get(own![person]!) ?? [];
    for (const row of rows) add(row, Math.log(most / rows.length));
  };
}

/** For each person, 0 or more. `scale` gives a standard deviation by column. O(persons · rows), seldom beyond a column or two. */
export function worstColumns(
  persons: ModelTable,
  made: ModelTable,
  columns: MeasuredColumns,
  scale: (name: string) => number,
): Float64Array {
  const codes = columns.categorical.map((name) =>
    jointCodes([categoryNamed(persons, name), categoryNamed(made, name)]).codes.map((side) => Float64Array.from(side)),
  );
  const numbers = columns.numeric.map((name) => {
    const unit = scale(name);
    return [persons, made].map((table) => numericNamed(table, name).values.map((value) => value / unit));
  });
  const asked = [...numbers, ...codes].map(([own]) => own!);
  const rows = [...numbers, ...codes].map(([, other]) => other!);
  return Float64Array.from({ length: persons.rows }, (_, person) => {
    let least = Number.POSITIVE_INFINITY;
    for (let row = 0; row < made.rows; row++) {
      let worst = 0;
      for (let j = 0; j < asked.length && worst < least; j++) {
        const gap = gapBetween(asked[j]![person]!, rows[j]![row]!, j < numbers.length);
        if (gap > worst) worst = gap;
      }
      if (worst < least) least = worst;
    }
    return least;
  });
}

function gapBetween(a: number, b: number, isNumber: boolean): number {
  if (a === b) return 0;
  const gap = isNumber ? Math.abs(a - b) : Number.POSITIVE_INFINITY;
  if (Number.isNaN(gap)) return Number.isNaN(a) && Number.isNaN(b) ? 0 : Number.POSITIVE_INFINITY;
  return gap;
}
