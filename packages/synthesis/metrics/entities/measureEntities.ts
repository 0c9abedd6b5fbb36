/** What is measured of entities: how their rows follow one another, how many they are, and whether a real sequence came out. */
import type { MeasuredFigure } from '../../../contract/measuredFigure.ts';
import { mean } from '../../../numerics/moments.ts';
import { shuffledRows } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { firstAbove } from '../../../numerics/search.ts';
import type { ModelColumn } from '../../models/model.ts';
import { bandInterval, judgeDistance, notMeasured, shareFigure, toMeasured } from '../measured.ts';
import { NO_HOLDOUT } from '../parts.ts';
import { type EntityRows, startsOf, takeEntities } from './entityRows.ts';
import { sequenceCopies } from './sequenceCopies.ts';

export interface EntitySides {
  train: EntityRows;
  holdout: EntityRows | null;
  synthetic: EntityRows;
}

export interface EntityFigures {
  /** One minus the mean total variation distance of a column in one row and in the next. */
  coherence: MeasuredFigure;
  /** Kolmogorov-Smirnov distance of the numbers of rows. */
  lengths: MeasuredFigure;
  sequence_copies: MeasuredFigure;
}

/** Entities compared at once, at most; and as many real ones, several times over, that show what chance makes of a distance. */
const MAX_ENTITIES = 5_000;
const REAL_SAMPLES = 4;
const BINS = 10;

/** @param names columns that change within entities. @param key the column by which rows belong together. */
export function measureEntities(
  sides: EntitySides,
  { names, all, key, random }: { names: readonly string[]; all: readonly string[]; key: string; random: RandomStream },
): EntityFigures {
  const { train, holdout, synthetic } = sides;
  const sequence_copies = copiesFigure(sides, all, random.child('copies'));
  if (!holdout || holdout.starts.length < 3 || train.starts.length < 3) {
    const none = notMeasured(NO_HOLDOUT);
    return { coherence: none, lengths: none, sequence_copies };
  }
  const size = Math.min(MAX_ENTITIES, holdout.starts.length - 1, synthetic.starts.length - 1);
  const some = (of: EntityRows, name: string): EntityRows => someEntities(of, key, size, random.child(name));
  const made = some(synthetic, 'synthetic');
  const real = [
    some(holdout, 'holdout'),
    ...Array.from({ length: REAL_SAMPLES }, (_, at) => some(train, `train ${at}`)),
  ];
  const shuffled = { ...made, table: { ...made.table, columns: mixed(made, names, random.child('independent')) } };
  const figure = (distance: (of: EntityRows) => number | undefined, isAccuracy: boolean): MeasuredFigure => {
    const known = real.flatMap((one) => distance(one) ?? []);
    const band = { distances: known, compared: size, reference: train.starts.length - 1 };
    const value = distance(made);
    const turn = (own: number | undefined) => (isAccuracy && own !== undefined ? Math.max(0, 1 - own) : own);
    const interval = bandInterval(value, band);
    return toMeasured({
      ...{ value: turn(value), rows: size, reason: 'no column changes from row to row', ideal: isAccuracy ? 1 : 0 },
      interval: interval && isAccuracy ? [Math.max(0, 1 - interval[1]), 1 - interval[0]] : interval,
      ...{ holdout: turn(known[0]), independent: turn(distance(shuffled)) },
      verdict: judgeDistance(value, band),
    });
  };
  const pairs = names.map((name) => pairsOf(train, name));
  const pairDistance = (of: EntityRows): number | undefined => meanOf(pairs.map((pair) => pair(of)));
  return {
    coherence: figure(pairDistance, true),
    lengths: figure((of) => lengthDistance(of, train), false),
    sequence_copies,
  };
}

function someEntities(of: EntityRows, key: string, size: number, random: RandomStream): EntityRows {
  const entities = of.starts.length - 1;
  if (entities <= size) return of;
  const table = takeEntities(of.table, of.starts, shuffledRows(entities, random).slice(0, size).sort());
  return { table, starts: startsOf(table, key) };
}

/** Each column's cells in random rows: no row says anything of the next. */
function mixed(
  { table }: EntityRows,
  names: readonly string[],
  random: RandomStream,
): ReadonlyMap<string, ModelColumn> {
  const columns = new Map(table.columns);
  for (const name of names) {
    const column = columns.get(name)!;
    const order = shuffledRows(table.rows, random.child(name));
    if (column.kind === 'numeric')
      columns.set(name, { ...column, values: column.values.map((_, row) => column.values[order[row]!]!) });
    else if (column.kind === 'category')
      columns.set(name, { ...column, codes: order.map((row) => column.codes[row]!) });
  }
  return columns;
}

const meanOf = (values: readonly number[]): number | undefined => (values.length === 0 ? undefined : mean(values));

/** A function that gives the total variation distance of pairs of the column, in a row and in the next, from those of `train`. */
function pairsOf(train: EntityRows, name: string): (of: EntityRows) => number {
  const bin = binner(train.table.columns.get(name)!);
  const count = (of: EntityRows): Map<string, number> => {
    const bins = bin(of.table.columns.get(name)!);
    const counts = new Map<string, number>();
    let pairs = 0;
    for (let entity = 0; entity + 1 < of.starts.length; entity++) {
      for (let row = of.starts[entity]! + 1; row < of.starts[entity + 1]!; row++) {
        const pair = `${bins[row - 1]} ${bins[row]}`;
        counts.set(pair, (counts.get(pair) ?? 0) + 1);
        pairs++;
      }
    }
    return new Map([...counts].map(([pair, own]) => [pair, own / Math.max(1, pairs)]));
  };
  const real = count(train);
  return (of) => {
    const own = count(of);
    let distance = 0;
    for (const pair of new Set([...real.keys(), ...own.keys()]))
      distance += Math.abs((real.get(pair) ?? 0) - (own.get(pair) ?? 0));
    return distance / 2;
  };
}

/** Tenths of numbers; levels, the rarer ones together. */
function binner(real: ModelColumn): (column: ModelColumn) => ArrayLike<number> {
  if (real.kind === 'numeric') {
    const sorted = real.values.filter((value) => !Number.isNaN(value)).sort();
    const cuts = Float64Array.from(
      new Set(Array.from({ length: BINS - 1 }, (_, k) => sorted[Math.floor(((k + 1) * sorted.length) / BINS)] ?? 0)),
    );
    return (column) =>
      column.kind === 'numeric'
        ? Int32Array.from(column.values, (value) => (Number.isNaN(value) ? -1 : firstAbove(cuts, value)))
        : [];
  }
  if (real.kind === 'text') return () => [];
  const rows = new Map<string, number>();
  for (const code of real.codes) if (code >= 0) rows.set(real.levels[code]!, (rows.get(real.levels[code]!) ?? 0) + 1);
  const rank = new Map([...rows].sort((a, b) => b[1] - a[1]).map(([level], at) => [level, Math.min(at, BINS)]));
  return (column) => {
    if (column.kind !== 'category') return [];
    const ofLevel = column.levels.map((level) => rank.get(level) ?? BINS);
    return column.codes.map((code) => (code < 0 ? -1 : ofLevel[code]!));
  };
}

function lengthDistance(of: EntityRows, train: EntityRows): number {
  const lengths = ({ starts }: EntityRows): Float64Array =>
    Float64Array.from({ length: starts.length - 1 }, (_, entity) => starts[entity + 1]! - starts[entity]!).sort();
  const [a, b] = [lengths(of), lengths(train)];
  return a.reduce(
    (most, length) => Math.max(most, Math.abs(firstAbove(a, length) / a.length - firstAbove(b, length) / b.length)),
    0,
  );
}

function copiesFigure(
  { train, holdout, synthetic }: EntitySides,
  names: readonly string[],
  random: RandomStream,
): MeasuredFigure {
  const count = (of: EntityRows) => {
    const flags = sequenceCopies(of, train, names, random);
    return { hits: flags.reduce((sum, flag) => sum + flag, 0), of: flags.length };
  };
  const none = { hits: 0, of: 0 };
  return shareFigure({
    ...{ synthetic: count(synthetic), holdout: holdout && count(holdout), independent: none, swapped: none },
    reason: 'there is no entity of five rows',
  });
}
