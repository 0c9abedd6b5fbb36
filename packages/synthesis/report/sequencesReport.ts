/** Numbers along entities: real quantiles and single synthetic ones. */
import type { Band, SequenceReport } from '../../contract/report.ts';
import { pearson } from '../judge/distances.ts';
import type { ModelTable } from '../models/model.ts';
import { startsOf } from '../table/entityRows.ts';

export interface ReportedEntity {
  key: string;
  order: string | null;
}

interface Tables {
  real: ModelTable;
  synthetic: ModelTable;
}

const MAX_COLUMNS = 3;
const MAX_ROWS = 40;
const SHOWN = 12;

/** Minimum entities, so that ten lie beyond the outer quantiles. */
const MIN_ENTITIES = 100;

/**
 * Rows of an entity must be adjacent.
 * @param columns numeric columns in table order.
 */
export function sequencesReport(
  { real, synthetic }: Tables,
  columns: readonly string[],
  entity: ReportedEntity,
): SequenceReport[] {
  const [starts, made] = [startsOf(real, entity.key), startsOf(synthetic, entity.key)];
  return chosen(real, starts, columns, entity).map((name) => ({
    column: name,
    real: bandsOf(numbersOrMissing(real, name), starts),
    synthetic: firstSequences(numbersOrMissing(synthetic, name), made),
  }));
}

/** Prefers strong serial correlation. */
function chosen(
  table: ModelTable,
  starts: Int32Array,
  columns: readonly string[],
  { order }: ReportedEntity,
): string[] {
  const ranked = columns.flatMap((name, at) => {
    const tie = name === order ? undefined : tieToNext(numbersOrMissing(table, name), starts);
    return tie === undefined ? [] : [{ name, at, tie }];
  });
  const best = ranked.sort((a, b) => b.tie - a.tie || a.at - b.at).slice(0, MAX_COLUMNS);
  return best.sort((a, b) => a.at - b.at).map(({ name }) => name);
}

/** Absolute lag-1 correlation times the share of known pairs; undefined for constants. */
function tieToNext(values: Float64Array, starts: Int32Array): number | undefined {
  const pairs = values.length - (starts.length - 1);
  const [before, after] = [new Float64Array(pairs), new Float64Array(pairs)];
  let [at, known, isChanging] = [0, 0, false];
  for (let entity = 0; entity + 1 < starts.length; entity++) {
    for (let row = starts[entity]! + 1; row < starts[entity + 1]!; row++) {
      before[at] = values[row - 1]!;
      after[at] = values[row]!;
      const step = Math.abs(after[at]! - before[at]!);
      if (!Number.isNaN(step)) known++;
      isChanging ||= step > 0;
      at++;
    }
  }
  return isChanging ? (Math.abs(pearson(before, after) ?? 0) * known) / pairs : undefined;
}

const numbersOrMissing = (table: ModelTable, name: string): Float64Array => {
  const column = table.columns.get(name);
  return column?.kind === 'numeric' ? column.values : new Float64Array(table.rows).fill(Number.NaN);
};

const LEVELS = { q10: 0.1, q25: 0.25, q50: 0.5, q75: 0.75, q90: 0.9 };

/** Ends when too few real entities remain. */
function bandsOf(values: Float64Array, starts: Int32Array): Band[] {
  const bands: Band[] = [];
  while (bands.length < MAX_ROWS) {
    const own = cellsOfRow(values, starts, bands.length);
    if (own.length < MIN_ENTITIES) break;
    bands.push(mapBand(LEVELS, (level) => own[Math.round(level * (own.length - 1))]!));
  }
  return bands.length < 2 ? [] : rounded(bands);
}

function cellsOfRow(values: Float64Array, starts: Int32Array, row: number): Float64Array {
  const own: number[] = [];
  for (let entity = 0; entity + 1 < starts.length; entity++) {
    const at = starts[entity]! + row;
    if (at < starts[entity + 1]! && Number.isFinite(values[at]!)) own.push(values[at]!);
  }
  return Float64Array.from(own).sort();
}

const mapBand = (band: Band, change: (value: number) => number): Band => ({
  q10: change(band.q10),
  q25: change(band.q25),
  q50: change(band.q50),
  q75: change(band.q75),
  q90: change(band.q90),
});

const DIGITS = 3;

/** To three digits of the range, so that quantiles reveal no long cell. */
function rounded(bands: readonly Band[]): Band[] {
  const [low, high] = [Math.min(...bands.map(({ q10 }) => q10)), Math.max(...bands.map(({ q90 }) => q90))];
  const span = high > low ? high - low : Math.abs(high);
  const power = Math.floor(Math.log10(span)) - DIGITS + 1;
  return bands.map((band) => mapBand(band, (value) => roundTo(value, power)));
}

function roundTo(value: number, power: number): number {
  if (!Number.isFinite(power)) return value;
  // Inverse powers of ten are exact. Adding 0 removes a negative zero.
  if (power < 0) return Math.round(value * 10 ** -power) / 10 ** -power + 0;
  return Math.round(value / 10 ** power) * 10 ** power + 0;
}

const SHOWN_DIGITS = 6;

function firstSequences(values: Float64Array, starts: Int32Array): (number | null)[][] {
  const out: (number | null)[][] = [];
  for (let entity = 0; entity + 1 < starts.length && out.length < SHOWN; entity++) {
    const [from, to] = [starts[entity]!, starts[entity + 1]!];
    if (to - from < 2) continue;
    const own = values.subarray(from, Math.min(to, from + MAX_ROWS));
    out.push(Array.from(own, (value) => (Number.isFinite(value) ? Number(value.toPrecision(SHOWN_DIGITS)) : null)));
  }
  return out;
}
