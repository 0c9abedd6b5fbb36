import type { MeasuredFigure } from '../../../contract/measuredFigure.ts';
import { mean } from '../../../numerics/moments.ts';
import { shuffledRows } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { firstAbove } from '../../../numerics/search.ts';
import type { ModelColumn } from '../../models/model.ts';
import { type EntityRows, startsOf, takeEntities } from '../../table/entityRows.ts';
import { kolmogorovBound, kolmogorovSmirnov } from '../distances.ts';
import { VERDICT_LEVEL } from '../intervals.ts';
import { bandInterval, judgeDistance, notMeasured, shareFigure, toMeasured } from '../measured.ts';
import { NO_HOLDOUT, sampleRows } from '../parts.ts';
import { sequenceCopies } from './sequenceCopies.ts';

export interface EntitySides {
  train: EntityRows;
  holdout: EntityRows | null;
  synthetic: EntityRows;
}

export interface EntityFigures {
  /** One minus mean total variation distance of lag-1 pairs. */
  coherence: MeasuredFigure;
  /** Kolmogorov-Smirnov distance of row counts. */
  lengths: MeasuredFigure;
  sequence_copies: MeasuredFigure;
}

const MAX_ENTITIES = 5_000;
/** Redrawn real samples. */
const REDRAWN = 19;
const BINS = 10;

/**
 * Compares with held-out entities, since an honest table is nearer to training entities than real ones are.
 * @param names columns that vary within entities.
 */
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
  const size = Math.min(MAX_ENTITIES, train.starts.length - 1, synthetic.starts.length - 1);
  const made = someEntities(synthetic, key, size, random.child('synthetic'));
  const shuffled = { ...made, table: { ...made.table, columns: mixed(made, names, random.child('independent')) } };
  const sequences = sequencesIn(train, names);
  const [own, independent] = [sequences(made), sequences(shuffled)];
  const [trained, unseen] = [sequences(train), sequences(holdout)];
  const training = Array.from(sampleRows(trained.length, size, random.child('train')), (entity) => trained[entity]!);
  const redrawn = Array.from({ length: REDRAWN }, (_, at) => {
    const pool = [...trained, ...unseen];
    const order = shuffledRows(pool.length, random.child(`redrawn ${at}`));
    const taken = (entities: Int32Array) => Array.from(entities, (entity) => pool[entity]!);
    return { some: taken(order.subarray(0, size)), others: taken(order.subarray(-unseen.length)) };
  });
  const figure = (distance: Distance, { isAccuracy = false, chance = 0 }): MeasuredFigure => {
    const real = distance(training, unseen);
    const known = [real, ...redrawn.map(({ some, others }) => distance(some, others))].flatMap((one) => one ?? []);
    const band = { distances: known, compared: size, reference: unseen.length, chance };
    const value = distance(own, unseen);
    const turn = (gap: number | undefined) => (isAccuracy && gap !== undefined ? Math.max(0, 1 - gap) : gap);
    const interval = bandInterval(value, band);
    return toMeasured({
      value: turn(value),
      rows: size,
      reason: 'no column changes from row to row',
      ideal: isAccuracy ? 1 : 0,
      interval: interval && isAccuracy ? [Math.max(0, 1 - interval[1]), 1 - interval[0]] : interval,
      holdout: turn(real),
      independent: turn(distance(independent, unseen)),
      verdict: judgeDistance(value, band),
    });
  };
  const columns = names.filter((name) => train.table.columns.get(name)?.kind !== 'text').map((_, column) => column);
  return {
    coherence: figure((a, b) => meanOf(columns.map((column) => pairDistance(a, b, column))), { isAccuracy: true }),
    lengths: figure(lengthDistance, { chance: kolmogorovBound(size, unseen.length, VERDICT_LEVEL) }),
    sequence_copies,
  };
}

type Distance = (own: readonly Sequence[], others: readonly Sequence[]) => number | undefined;

interface Sequence {
  rows: number;
  bins: readonly ArrayLike<number>[];
}

function someEntities(of: EntityRows, key: string, size: number, random: RandomStream): EntityRows {
  const entities = of.starts.length - 1;
  if (entities <= size) return of;
  const table = takeEntities(of.table, of.starts, shuffledRows(entities, random).slice(0, size).sort());
  return { table, starts: startsOf(table, key) };
}

/** Removes serial dependence. */
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

function sequencesIn(train: EntityRows, names: readonly string[]): (of: EntityRows) => Sequence[] {
  const binners = names
    .map((name) => train.table.columns.get(name)!)
    .filter(({ kind }) => kind !== 'text')
    .map((column) => ({ name: column.name, bin: binner(column) }));
  return ({ table, starts }) => {
    const bins = binners.map(({ name, bin }) => Int32Array.from(bin(table.columns.get(name)!)));
    return Array.from({ length: starts.length - 1 }, (_, entity) => {
      const [from, to] = [starts[entity]!, starts[entity + 1]!];
      return { rows: to - from, bins: bins.map((column) => column.subarray(from, to)) };
    });
  };
}

function pairDistance(own: readonly Sequence[], others: readonly Sequence[], column: number): number {
  const [a, b] = [pairShares(own, column), pairShares(others, column)];
  let distance = 0;
  for (const pair of new Set([...a.keys(), ...b.keys()])) distance += Math.abs((a.get(pair) ?? 0) - (b.get(pair) ?? 0));
  return distance / 2;
}

function pairShares(sequences: readonly Sequence[], column: number): Map<number, number> {
  const counts = new Map<number, number>();
  let pairs = 0;
  for (const { rows, bins } of sequences) {
    const own = bins[column]!;
    for (let row = 1; row < rows; row++) {
      const pair = (own[row - 1]! + 1) * (BINS + 2) + own[row]! + 1;
      counts.set(pair, (counts.get(pair) ?? 0) + 1);
    }
    pairs += rows - 1;
  }
  return new Map([...counts].map(([pair, count]) => [pair, count / Math.max(1, pairs)]));
}

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

function lengthDistance(own: readonly Sequence[], others: readonly Sequence[]): number {
  const lengths = (of: readonly Sequence[]) => Float64Array.from(of, ({ rows }) => rows);
  return kolmogorovSmirnov(lengths(own), lengths(others));
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
    synthetic: count(synthetic),
    holdout: holdout && count(holdout),
    independent: none,
    swapped: none,
    reason: 'there is no entity of five rows',
  });
}
