/** Matches levels exactly, and numbers within half a percent of the ranks. */
import { takeNumbers } from '../../../numerics/rows.ts';
import { firstAbove, firstAtLeast } from '../../../numerics/search.ts';
import type { ModelTable } from '../../models/model.ts';
import { categoryNamed, jointCodes, type MeasuredColumns, numericNamed } from '../columns.ts';

const WITHIN = 0.005;

/** Persons (rows of `tables` in turn) who match a queried row's cell. */
export interface Predicate {
  all: (row: number) => Int32Array;
  among: (row: number, persons: Int32Array) => Int32Array;
}

/** One per column, numbers first. */
export const predicatesOf = (
  asked: ModelTable,
  tables: readonly ModelTable[],
  columns: MeasuredColumns,
): Predicate[] => [
  ...columns.numeric.map((name) => numberPredicate(asked, tables, name)),
  ...columns.categorical.map((name) => levelPredicate(asked, tables, name)),
];

function numberPredicate(table: ModelTable, real: readonly ModelTable[], name: string): Predicate {
  const cells = numericNamed(table, name).values;
  const persons = Float64Array.from(real.flatMap((side) => [...numericNamed(side, name).values]));
  const everybody = Int32Array.from(persons, (_, person) => person);
  const gone = everybody.filter((person) => Number.isNaN(persons[person]!));
  const order = everybody.filter((person) => !Number.isNaN(persons[person]!));
  order.sort((a, b) => persons[a]! - persons[b]! || a - b);
  const sorted = takeNumbers(persons, order);
  return {
    all(row) {
      const cell = cells[row]!;
      if (Number.isNaN(cell)) return gone;
      return order.subarray(firstAtLeast(sorted, cell - WITHIN), firstAbove(sorted, cell + WITHIN));
    },
    among(row, queried) {
      const cell = cells[row]!;
      if (Number.isNaN(cell)) return queried.filter((person) => Number.isNaN(persons[person]!));
      return between(cell - WITHIN, cell + WITHIN, persons, queried);
    },
  };
}

function levelPredicate(table: ModelTable, real: readonly ModelTable[], name: string): Predicate {
  const [cells, ...sides] = jointCodes([table, ...real].map((side) => categoryNamed(side, name))).codes;
  const persons = Int32Array.from(sides.flatMap((side) => [...side]));
  const byLevel = new Map<number, number[]>();
  for (const [person, code] of persons.entries()) {
    const own = byLevel.get(code) ?? [];
    byLevel.set(code, own);
    own.push(person);
  }
  const lists = new Map([...byLevel].map(([code, list]) => [code, Int32Array.from(list)]));
  return {
    all: (row) => lists.get(cells![row]!) ?? new Int32Array(),
    among: (row, queried) => between(cells![row]!, cells![row]!, persons, queried),
  };
}

/** `filter` is several times slower. */
function between(low: number, high: number, cells: Float64Array | Int32Array, queried: Int32Array): Int32Array {
  const found = new Int32Array(queried.length);
  let count = 0;
  for (let i = 0; i < queried.length; i++) {
    const cell = cells[queried[i]!]!;
    if (cell >= low && cell <= high) found[count++] = queried[i]!;
  }
  return found.subarray(0, count);
}
