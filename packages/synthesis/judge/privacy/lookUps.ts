/**
 * Look-up attack: reads other columns off the synthetic row nearest in one or two known columns, since more known
 * columns would hide leaks. Measures success on training minus held-out rows.
 */
import type { PrivacyMetrics } from '../../../contract/metrics.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { takeNumbers } from '../../../numerics/rows.ts';
import { firstAtLeast } from '../../../numerics/search.ts';
import { normalQuantile } from '../../../numerics/special/normal.ts';
import type { ModelTable } from '../../models/model.ts';
import { takeRows } from '../../table/takeRows.ts';
import { categoryNamed, jointCodes, type MeasuredColumns, numericNamed } from '../columns.ts';
import { shareDifference, VERDICT_LEVEL } from '../intervals.ts';
import type { AttackTask, Measure } from '../measure.ts';
import { type Count, toMeasured } from '../measured.ts';
import { neighboursOf } from '../nearestNeighbours.ts';
import { type PrivatePart, sampleRows } from '../parts.ts';
import { rightGuess } from './attributeInference.ts';

/** Columns known alone and in pairs. */
const KNOWN_ALONE = 12;
const KNOWN_IN_PAIRS = 4;

/** Maximum persons and synthetic rows. */
const PERSONS = 1_000;
const LOOKED_AT = 10_000;

const REPORTED = 3;

interface LookUp {
  known: readonly string[];
  column: string;
  train: Count;
  holdout: Count;
}

export const lookUps: Measure<Pick<PrivacyMetrics, 'look_ups'>, AttackTask> = async (task) => {
  const { columns } = task.measured;
  const random = task.random.child('look-ups');
  const found: LookUp[] = [];
  const sets = knownSets(task.ranked[0]!.train, columns);
  for (const [at, part] of task.ranked.entries()) {
    const tables = tablesOf(part, random.child(`part ${at}`));
    for (const known of tables ? sets : []) {
      addLookUps(tables!, known, columns, found);
      await task.yieldToEventLoop?.();
    }
  }
  const z = normalQuantile(1 - VERDICT_LEVEL / Math.max(1, found.length));
  const sure = ({ train, holdout }: LookUp): number =>
    shareDifference(train.hits, train.of, holdout.hits, holdout.of, z)[0];
  const tried = found.filter(({ train, holdout }) => train.of > 0 && holdout.of > 0);
  const worst = tried.map((one) => ({ ...one, lower: sure(one) })).sort((a, b) => b.lower - a.lower);
  const reported = worst.slice(0, REPORTED).map(({ known, column, train, holdout, lower }) => ({
    known: [...known],
    column,
    advantage: toMeasured({
      value: train.hits / train.of - holdout.hits / holdout.of,
      interval: shareDifference(train.hits, train.of, holdout.hits, holdout.of),
      rows: train.of + holdout.of,
      ideal: 0,
      holdout: holdout.hits / holdout.of,
      verdict: lower > 0 ? 'worse' : 'as good',
    }),
  }));
  return { look_ups: reported };
};

/** Most distinct cells first. */
function knownSets(table: ModelTable, columns: MeasuredColumns): string[][] {
  const names = [...columns.numeric, ...columns.categorical];
  if (names.length < 2) return [];
  const counted = names.map((name, at) => ({ name, at, cells: distinctCells(table, name, columns) }));
  const order = counted.sort((a, b) => b.cells - a.cells || a.at - b.at).map(({ name }) => name);
  const first = names.length > 2 ? order.slice(0, KNOWN_IN_PAIRS) : [];
  const pairs = first.flatMap((one, at) => first.slice(at + 1).map((other) => [one, other]));
  return [...order.slice(0, KNOWN_ALONE).map((name) => [name]), ...pairs];
}

const distinctCells = (table: ModelTable, name: string, columns: MeasuredColumns): number =>
  new Set(columns.numeric.includes(name) ? numericNamed(table, name).values : categoryNamed(table, name).codes).size;

interface LookedUp {
  persons: Readonly<Record<'train' | 'holdout', ModelTable>>;
  made: ModelTable;
}

function tablesOf({ peers, holdout, made }: PrivatePart, random: RandomStream): LookedUp | undefined {
  if (!peers || !holdout || made.synthetic.rows === 0) return undefined;
  const some = (table: ModelTable, rows: number, name: string): ModelTable =>
    takeRows(table, sampleRows(table.rows, rows, random.child(name)));
  return {
    persons: { train: some(peers, PERSONS, 'train'), holdout: some(holdout, PERSONS, 'holdout') },
    made: some(made.synthetic, LOOKED_AT, 'rows'),
  };
}

function addLookUps(
  { persons, made }: LookedUp,
  known: readonly string[],
  columns: MeasuredColumns,
  found: LookUp[],
): void {
  const secrets = [...columns.numeric, ...columns.categorical].filter((name) => !known.includes(name));
  for (const side of ['train', 'holdout'] as const) {
    const nearest = nearestMadeRows(persons[side], made, known, columns);
    for (const column of secrets) {
      const isRight = rightGuess(persons[side], made, column, columns);
      const count = countOf(found, known, column)[side];
      for (const [person, row] of nearest.entries()) {
        const right = isRight(person, row);
        if (right !== undefined) count.of++;
        if (right) count.hits++;
      }
    }
  }
}

function nearestMadeRows(
  persons: ModelTable,
  made: ModelTable,
  known: readonly string[],
  columns: MeasuredColumns,
): Int32Array {
  const [name] = known;
  if (known.length === 1 && name !== undefined) {
    return columns.categorical.includes(name) ? rowsOfLevel(persons, made, name) : rowsByNumber(persons, made, name);
  }
  const neighbours = neighboursOf(persons, made, {
    numeric: columns.numeric.filter((column) => known.includes(column)),
    categorical: columns.categorical.filter((column) => known.includes(column)),
    text: [],
  });
  return Int32Array.from({ length: persons.rows }, (_, row) => neighbours.nearestRow(row).row);
}

/** First row with the level, else row 0. */
function rowsOfLevel(persons: ModelTable, made: ModelTable, name: string): Int32Array {
  const [own, theirs] = jointCodes([categoryNamed(persons, name), categoryNamed(made, name)]).codes;
  const firstOf = new Map([...theirs!.entries()].reverse().map(([row, code]) => [code, row]));
  return own!.map((code) => firstOf.get(code) ?? 0);
}

/** Missing numbers match missing ones. */
function rowsByNumber(persons: ModelTable, made: ModelTable, name: string): Int32Array {
  const numbers = numericNamed(made, name).values;
  const order = Int32Array.from(numbers, (_, row) => row).sort(
    (a, b) => placeOf(numbers[a]!) - placeOf(numbers[b]!) || a - b,
  );
  const sorted = takeNumbers(numbers, order).map(placeOf);
  return Int32Array.from(numericNamed(persons, name).values, (value) => {
    const place = placeOf(value);
    const above = Math.min(firstAtLeast(sorted, place), sorted.length - 1);
    const below = firstAtLeast(sorted, sorted[Math.max(0, above - 1)]!);
    return order[place - sorted[below]! < sorted[above]! - place ? below : above]!;
  });
}

const placeOf = (rank: number): number => (Number.isNaN(rank) ? MISSING_PLACE : rank);
const MISSING_PLACE = 4;

function countOf(found: LookUp[], known: readonly string[], column: string): LookUp {
  const before = found.find((one) => one.column === column && one.known.join('\n') === known.join('\n'));
  if (before) return before;
  const one: LookUp = { known, column, train: { hits: 0, of: 0 }, holdout: { hits: 0, of: 0 } };
  found.push(one);
  return one;
}
