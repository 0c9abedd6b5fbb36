import { ASSOCIATIONS } from '../../contract/metrics.ts';
import type { AssociationGap, ReportData } from '../../contract/report.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import type { MeasuredColumns } from '../judge/columns.ts';
import { type Associations, associationsOf, type Pair, pairsOf } from '../judge/fidelity/associations.ts';
import { encodeTables } from '../judge/fidelity/encodeTables.ts';
import { sampleRows } from '../judge/parts.ts';
import type { ModelTable } from '../models/model.ts';
import { takeRows } from '../table/takeRows.ts';
import type { Tables } from './binned.ts';

export type AssociationsReport = ReportData['associations'];

/** Wider tables use fewer rows. */
const MAX_ROWS = 10_000;
const PAIR_ROWS = 40_000_000;

/** Prefers the largest differences. */
const MAX_LISTED_COLUMNS = 60;

const NAMED_PAIRS = 50;

const DIGITS = 1e4;

export function findAssociations(
  { real, synthetic }: Tables,
  columns: MeasuredColumns,
  random: RandomStream,
): AssociationsReport {
  const names = [...columns.numeric, ...columns.categorical];
  const empty = {
    columns: names,
    matrices: [],
    rows: { real: real.rows, synthetic: synthetic.rows },
    differences: null,
  };
  if (names.length < 2) return empty;
  const pairs = pairsOf(names.length);
  const most = Math.min(MAX_ROWS, Math.ceil(PAIR_ROWS / pairs.length));
  const some = (table: ModelTable, name: string) => takeRows(table, sampleRows(table.rows, most, random.child(name)));
  const tables = [some(real, 'real'), some(synthetic, 'synthetic')] as const;
  const [a, b] = encodeTables(tables, columns);
  const matrices = matricesOf(pairs, associationsOf(a!, pairs), associationsOf(b!, pairs));
  return {
    columns: names,
    matrices,
    rows: { real: tables[0].rows, synthetic: tables[1].rows },
    differences: differencesOf(names, matrices),
  };
}

function matricesOf(pairs: readonly Pair[], own: Associations, made: Associations): AssociationsReport['matrices'] {
  return ASSOCIATIONS.map((measure) => ({
    measure,
    pairs: pairs.flatMap(([i, j], at) => {
      const [x, y] = [rounded(own[measure][at]!), rounded(made[measure][at]!)];
      return x === null && y === null ? [] : [{ columns: [i, j] as [number, number], real: x, synthetic: y }];
    }),
  }));
}

const rounded = (value: number): number | null => (Number.isFinite(value) ? Math.round(value * DIGITS) / DIGITS : null);

/** Omits Pearson, as Spearman covers the same pairs. */
function differencesOf(
  names: readonly string[],
  matrices: AssociationsReport['matrices'],
): AssociationsReport['differences'] {
  const gaps = matrices
    .filter(({ measure }) => measure !== 'pearson')
    .flatMap(({ measure, pairs }) =>
      pairs.flatMap(({ columns: [i, j], real, synthetic }): AssociationGap[] =>
        real === null || synthetic === null ? [] : [{ measure, columns: [names[i]!, names[j]!], real, synthetic }],
      ),
    );
  if (gaps.length === 0) return null;
  const sorted = gaps.toSorted((a, b) => sizeOf(b) - sizeOf(a));
  return {
    pairs: gaps.length,
    mean: rounded(gaps.reduce((sum, gap) => sum + sizeOf(gap), 0) / gaps.length) ?? 0,
    columns: names.map((name) => columnDifference(name, sorted)).filter((column) => column !== null),
    largest: sorted.slice(0, NAMED_PAIRS),
  };
}

const sizeOf = ({ real, synthetic }: AssociationGap): number => Math.abs(real - synthetic);

/** `sorted` is descending. Null without pairs. */
function columnDifference(name: string, sorted: readonly AssociationGap[]) {
  const own = sorted.filter(({ columns }) => columns.includes(name));
  const [first] = own;
  if (!first) return null;
  const mean = own.reduce((sum, gap) => sum + sizeOf(gap), 0) / own.length;
  const other = first.columns[0] === name ? first.columns[1] : first.columns[0];
  return { name, mean: rounded(mean) ?? 0, largest: rounded(sizeOf(first)) ?? 0, with: other };
}

/** Keeps the columns that differ most, in table order. */
export function listedOnly(found: AssociationsReport): AssociationsReport {
  const { columns, matrices, differences } = found;
  if (columns.length <= MAX_LISTED_COLUMNS || !differences) return found;
  const worst = differences.columns.toSorted((a, b) => b.mean - a.mean).slice(0, MAX_LISTED_COLUMNS);
  const listed = columns.filter((name) => worst.some((column) => column.name === name));
  const places = new Map(listed.map((name, at) => [name, at]));
  const placeOf = (at: number) => places.get(columns[at]!);
  return {
    ...found,
    columns: listed,
    matrices: matrices.map(({ measure, pairs }) => ({
      measure,
      pairs: pairs.flatMap(({ columns: [a, b], ...of }) => {
        const [i, j] = [placeOf(a), placeOf(b)];
        return i === undefined || j === undefined ? [] : [{ columns: [i, j] as [number, number], ...of }];
      }),
    })),
  };
}
