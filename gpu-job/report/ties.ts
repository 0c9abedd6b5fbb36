/** How strongly columns are tied to each other: in all real rows, and in the rows that are handed out. */
import { ASSOCIATIONS } from '../../domain/schema/fidelityMetrics.ts';
import type { ReportData } from '../../domain/schema/report.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import { type MeasuredColumns, takeRows } from '../metrics/columns.ts';
import { associationsOf, pairsOf } from '../metrics/fidelity/associations.ts';
import { encodeTables } from '../metrics/fidelity/encodeTables.ts';
import { sampleRows } from '../metrics/sampleRows.ts';
import type { ModelTable } from '../models/model.ts';
import type { Tables } from './binned.ts';

/** Rows that are looked at, at most. */
const ROWS = 10_000;

const DIGITS = 1e4;

export function tiesReport(
  { real, synthetic }: Tables,
  columns: MeasuredColumns,
  random: RandomStream,
): ReportData['associations'] {
  const names = [...columns.numeric, ...columns.categorical];
  if (names.length < 2) return { columns: names, matrices: [] };
  const some = (table: ModelTable, name: string) => takeRows(table, sampleRows(table.rows, ROWS, random.child(name)));
  const [a, b] = encodeTables([some(real, 'real'), some(synthetic, 'synthetic')], columns);
  const pairs = pairsOf(names.length);
  const [own, made] = [associationsOf(a!, pairs), associationsOf(b!, pairs)];
  return {
    columns: names,
    matrices: ASSOCIATIONS.map((measure) => ({
      measure,
      pairs: pairs.flatMap(([i, j], at) => {
        const [x, y] = [rounded(own[measure][at]!), rounded(made[measure][at]!)];
        return x === null && y === null ? [] : [{ columns: [i, j] as [number, number], real: x, synthetic: y }];
      }),
    })),
  };
}

const rounded = (value: number): number | null => (Number.isFinite(value) ? Math.round(value * DIGITS) / DIGITS : null);
