/**
 * Attribute inference (after Giomi et al., 2023, "A unified framework for quantifying privacy risk in synthetic data"):
 * an attacker knows all of a person's columns but one, and guesses it as the nearest synthetic row has it. What can be
 * guessed of held-out persons too is knowledge of the world; the advantage is how much oftener it is right for persons
 * trained on. A guess is right where the level is the same, or the number within 2.5 % of the ranks.
 */
import type { PrivacyMetrics } from '../../../contract/metrics.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { ModelTable } from '../../models/model.ts';
import { categoryNamed, type MeasuredColumns, numericNamed, takeRows } from '../columns.ts';
import { type Auc, rocAuc, shareDifference } from '../intervals.ts';
import type { Measure } from '../measure.ts';
import { addCounts, type Count, judgeLeak, toMeasured } from '../measured.ts';
import { neighboursOf, widthOf } from '../nearestNeighbours.ts';
import {
  ATTACKED_ROWS,
  type Made,
  NO_COLUMN,
  NO_HOLDOUT,
  type PrivatePart,
  sampleRows,
  YARDSTICK_ROWS,
} from '../parts.ts';

const SECRETS = 3;

/** Persons attacked of either side, and synthetic rows that the attacker looks at, at most. */
const PERSONS = { synthetic: 2_000, independent: 500, swapped: 500 };
const LOOKED_AT = 10_000;

const NEAR_RANK = 0.025;

interface Guesses {
  train: Count;
  holdout: Count;
}

export const attributeInference: Measure<Pick<PrivacyMetrics, 'attribute_inference'>> = (task) => {
  const { columns, target } = task.measured;
  const parts = task.ranked;
  const random = task.random.child('attributes');
  if (widthOf(columns) < 2) return { attribute_inference: [] };
  const found = sensitiveColumns(parts[0]!.train, columns, target, SECRETS).map(({ column, why }) => {
    const of = (made: Made) => attack(parts, made, column, columns, random.child(`${made} ${column}`));
    const advantageOf = ({ train, holdout }: Guesses): number | undefined =>
      train.of > 0 && holdout.of > 0 ? train.hits / train.of - holdout.hits / holdout.of : undefined;
    const own = of('synthetic');
    const value = advantageOf(own);
    const interval =
      value === undefined ? undefined : shareDifference(own.train.hits, own.train.of, own.holdout.hits, own.holdout.of);
    const advantage = toMeasured({
      value,
      interval,
      rows: own.train.of + own.holdout.of,
      reason: parts.some(({ holdout }) => holdout)
        ? 'no real row has a value in this column, or there are no synthetic rows'
        : NO_HOLDOUT,
      ideal: 0,
      independent: advantageOf(of('independent')),
      swapped: advantageOf(of('swapped')),
      verdict: judgeLeak(value, interval, 0),
    });
    return { column, why, advantage };
  });
  return { attribute_inference: found };
};

function attack(
  parts: readonly PrivatePart[],
  made: Made,
  secret: string,
  columns: MeasuredColumns,
  random: RandomStream,
): Guesses {
  const found = parts.flatMap((part, at): Guesses[] => {
    if (!part.holdout || !part.peers || part.made[made].rows === 0) return [];
    const stream = random.child(`part ${at}`);
    const some = (table: ModelTable, rows: number, name: string) =>
      takeRows(table, sampleRows(table.rows, rows, stream.child(name)));
    const looked = some(part.made[made], LOOKED_AT, 'rows');
    const count = (table: ModelTable, name: string) =>
      countRight(some(table, PERSONS[made], name), looked, secret, columns);
    return [{ train: count(part.peers, 'train'), holdout: count(part.holdout, 'holdout') }];
  });
  return {
    train: addCounts(found.map(({ train }) => train)),
    holdout: addCounts(found.map(({ holdout }) => holdout)),
  };
}

function countRight(persons: ModelTable, made: ModelTable, secret: string, columns: MeasuredColumns): Count {
  const known = {
    ...columns,
    numeric: columns.numeric.filter((name) => name !== secret),
    categorical: columns.categorical.filter((name) => name !== secret),
  };
  const neighbours = neighboursOf(persons, made, known);
  const isRight = columns.numeric.includes(secret)
    ? numberGuess(persons, made, secret)
    : levelGuess(persons, made, secret);
  const count = { hits: 0, of: 0 };
  for (let row = 0; row < persons.rows; row++) {
    const right = isRight(row, neighbours.nearestRow(row).row);
    if (right === undefined) continue;
    count.of++;
    count.hits += right ? 1 : 0;
  }
  return count;
}

/** Undefined where the person has no such cell. */
type Guess = (person: number, made: number) => boolean | undefined;

function numberGuess(persons: ModelTable, made: ModelTable, secret: string): Guess {
  const [truth, guess] = [numericNamed(persons, secret).values, numericNamed(made, secret).values];
  return (person, row) => {
    const actual = truth[person]!;
    return Number.isNaN(actual) ? undefined : Math.abs(actual - guess[row]!) <= NEAR_RANK;
  };
}

function levelGuess(persons: ModelTable, made: ModelTable, secret: string): Guess {
  const [truth, guess] = [categoryNamed(persons, secret), categoryNamed(made, secret)];
  return (person, row) => {
    const actual = truth.levels[truth.codes[person]!];
    return actual === undefined ? undefined : actual === guess.levels[guess.codes[row]!];
  };
}

// Which columns somebody would least like to be guessed: those whose name says so (after Art. 9 GDPR and what is
// usually asked about money, health and household), then the target, then those that are hardest to guess.

const SENSITIVE: readonly RegExp[] = [
  /health|disease|diagnos|illness|disab|medic|hospital|symptom|hiv|cancer|blood|pregnan|smok|alcohol|drug|visits|emergency/i,
  /relig|faith|church|politic|party|vote|union|ethni|race|racial|origin|nationality|citizen|sexual|orientation|gene/i,
  /income|salary|wage|earn|debt|loan|credit|balance|wealth|tax|pension|claim|price|fare|gain|loss|default/i,
  /crime|convict|arrest|offen[cs]e|surviv|death|died/i,
  /\bsex\b|gender|marital|married|child|age\b|birth|relationship|education|occupation/i,
];

interface SensitiveColumn {
  column: string;
  why: string;
}

/** The `most` most sensitive-looking of the numeric and category columns that vary. */
export function sensitiveColumns(
  table: ModelTable,
  columns: MeasuredColumns,
  target: string | null,
  most: number,
): SensitiveColumn[] {
  const all = [...columns.numeric, ...columns.categorical];
  const rated = all.flatMap((column) => {
    const surprise = surpriseOf(table, column, columns);
    if (!(surprise > 0)) return [];
    const spoken = column.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[_.-]+/g, ' ');
    const kind = SENSITIVE.findIndex((words) => words.test(spoken));
    if (kind >= 0) return [{ column, why: 'its name', rank: kind, surprise }];
    if (column === target) return [{ column, why: 'it is the target', rank: SENSITIVE.length, surprise }];
    return [{ column, why: 'it is hard to guess', rank: SENSITIVE.length + 1, surprise }];
  });
  rated.sort((a, b) => a.rank - b.rank || b.surprise - a.surprise);
  return rated.slice(0, most).map(({ column, why }) => ({ column, why }));
}

/** Entropy of a column's levels (of tenths for numbers), in nats; 0 where it is constant. */
function surpriseOf(table: ModelTable, name: string, columns: MeasuredColumns): number {
  if (columns.numeric.includes(name)) {
    const { values } = numericNamed(table, name);
    const distinct = new Set(values.filter(Number.isFinite)).size;
    return Math.log(Math.max(1, Math.min(10, distinct)));
  }
  const { codes } = categoryNamed(table, name);
  const counts = new Map<number, number>();
  for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum - (count / codes.length) * Math.log(count / codes.length), 0);
}

// Membership inference by distance (Hayes et al., 2019; Chen et al., 2020): an attacker who has real rows and the
// synthetic table guesses that those nearest to a synthetic row were trained on. The AUC of the guess over as many
// training rows as held-out ones; 0.5 is a coin.

const COIN = 0.5;

export const membershipInference: Measure<Pick<PrivacyMetrics, 'membership_inference'>> = async (task) => {
  const { columns } = task.measured;
  const parts = task.ranked;
  const of = (made: Made) => guessMembers(parts, made, columns);
  const { auc, rows } = of('synthetic');
  const figure = toMeasured({
    value: auc?.value,
    interval: auc?.interval,
    rows,
    reason: parts.some(({ holdout }) => holdout) ? NO_COLUMN : NO_HOLDOUT,
    ideal: COIN,
    independent: of('independent').auc?.value,
    swapped: of('swapped').auc?.value,
    verdict: judgeLeak(auc?.value, auc?.interval, COIN),
  });
  await task.onProgress({ stage: 'measure', fact: 'membership_tested', rows });
  return { membership_inference: figure };
};

function guessMembers(
  parts: readonly PrivatePart[],
  made: Made,
  columns: MeasuredColumns,
): { auc: Auc | undefined; rows: number } {
  const [members, others]: [number[], number[]] = [[], []];
  for (const part of parts) {
    if (!part.holdout || !part.peers || part.made[made].rows === 0 || widthOf(columns) === 0) continue;
    const most = made === 'synthetic' ? ATTACKED_ROWS : YARDSTICK_ROWS;
    addNearness(part.peers, part.made[made], columns, most, members);
    addNearness(part.holdout, part.made[made], columns, most, others);
  }
  return {
    auc: rocAuc(Float64Array.from(members), Float64Array.from(others)),
    rows: members.length + others.length,
  };
}

function addNearness(
  queried: ModelTable,
  made: ModelTable,
  columns: MeasuredColumns,
  most: number,
  out: number[],
): void {
  const neighbours = neighboursOf(queried, made, columns);
  // Evenly spread over the rows, which are in the order of the upload.
  const step = Math.max(1, queried.rows / most);
  for (let row = 0; row < queried.rows; row += step) out.push(-neighbours.nearest(Math.floor(row)));
}
