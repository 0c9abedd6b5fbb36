/**
 * Attribute inference by look-up: an attacker who knows one column of a person, or two, finds the synthetic row that is
 * nearest in these alone, and reads every other column off it. Where all other columns are known, as `attributeInference`
 * has it, a cell that only one person has is drowned by the rest. Value: the share of right readings for training rows,
 * less that for held-out rows.
 */
import type { PrivacyMetrics } from '../../../contract/metrics.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { normalQuantile } from '../../../numerics/special/normal.ts';
import type { ModelTable } from '../../models/model.ts';
import { categoryNamed, type MeasuredColumns, numericNamed, takeRows } from '../columns.ts';
import { shareDifference } from '../intervals.ts';
import type { AttackTask, Measure } from '../measure.ts';
import { type Count, toMeasured } from '../measured.ts';
import { neighboursOf } from '../nearestNeighbours.ts';
import { type PrivatePart, sampleRows } from '../parts.ts';
import { rightGuess } from './attributeInference.ts';

/** The columns with most different cells are known one at a time, and the first of them in pairs. */
const KNOWN_ALONE = 12;
const KNOWN_IN_PAIRS = 4;

/** Persons of either side, and synthetic rows that they are looked up in, at most. */
const PERSONS = 1_000;
const LOOKED_AT = 10_000;

const REPORTED = 3;

/** Probability of a wrong verdict of "worse", over all look-ups together. */
const LEVEL = 0.001;

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
  for (const [at, part] of task.ranked.entries()) {
    for (const known of knownSets(task.ranked[0]!.train, columns)) {
      addLookUps(part, known, columns, random.child(`part ${at}`), found);
      await task.yieldToEventLoop?.();
    }
  }
  const z = normalQuantile(1 - LEVEL / Math.max(1, found.length));
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

/** Columns that tell most persons apart, alone and in pairs. */
function knownSets(table: ModelTable, columns: MeasuredColumns): string[][] {
  const names = [...columns.numeric, ...columns.categorical];
  if (names.length < 2) return [];
  const counted = names.map((name, at) => ({ name, at, cells: cellsOf(table, name, columns) }));
  const order = counted.sort((a, b) => b.cells - a.cells || a.at - b.at).map(({ name }) => name);
  const first = names.length > 2 ? order.slice(0, KNOWN_IN_PAIRS) : [];
  const pairs = first.flatMap((one, at) => first.slice(at + 1).map((other) => [one, other]));
  return [...order.slice(0, KNOWN_ALONE).map((name) => [name]), ...pairs];
}

const cellsOf = (table: ModelTable, name: string, columns: MeasuredColumns): number =>
  new Set(columns.numeric.includes(name) ? numericNamed(table, name).values : categoryNamed(table, name).codes).size;

/** Adds the counts of one part to those of the parts before it. */
function addLookUps(
  { peers, holdout, made }: PrivatePart,
  known: readonly string[],
  columns: MeasuredColumns,
  random: RandomStream,
  found: LookUp[],
): void {
  if (!peers || !holdout || made.synthetic.rows === 0) return;
  const some = (table: ModelTable, rows: number, name: string): ModelTable =>
    takeRows(table, sampleRows(table.rows, rows, random.child(name)));
  const looked = some(made.synthetic, LOOKED_AT, 'rows');
  const own: MeasuredColumns = {
    numeric: columns.numeric.filter((name) => known.includes(name)),
    categorical: columns.categorical.filter((name) => known.includes(name)),
    text: [],
  };
  const secrets = [...columns.numeric, ...columns.categorical].filter((name) => !known.includes(name));
  const sides = { train: some(peers, PERSONS, 'train'), holdout: some(holdout, PERSONS, 'holdout') };
  for (const side of ['train', 'holdout'] as const) {
    const persons = sides[side];
    const neighbours = neighboursOf(persons, looked, own);
    const nearest = Int32Array.from({ length: persons.rows }, (_, row) => neighbours.nearestRow(row).row);
    for (const column of secrets) {
      const isRight = rightGuess(persons, looked, column, columns);
      const count = countOf(found, known, column)[side];
      for (const [person, row] of nearest.entries()) {
        const right = isRight(person, row);
        if (right !== undefined) count.of++;
        if (right) count.hits++;
      }
    }
  }
}

function countOf(found: LookUp[], known: readonly string[], column: string): LookUp {
  const before = found.find((one) => one.column === column && one.known.join('\n') === known.join('\n'));
  if (before) return before;
  const one: LookUp = { known, column, train: { hits: 0, of: 0 }, holdout: { hits: 0, of: 0 } };
  found.push(one);
  return one;
}
