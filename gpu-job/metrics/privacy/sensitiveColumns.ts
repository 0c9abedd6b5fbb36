/**
 * Which columns somebody would least like to be guessed: those whose name says so (after Art. 9 GDPR and what is
 * usually asked of money, health and household), then the target, then those that are hardest to guess.
 */
import type { ModelTable } from '../../models/model.ts';
import { categoryNamed, type MeasuredColumns, numericNamed } from '../columns.ts';

const TELLING: readonly RegExp[] = [
  /health|disease|diagnos|illness|disab|medic|hospital|symptom|hiv|cancer|blood|pregnan|smok|alcohol|drug|visits|emergency/i,
  /relig|faith|church|politic|party|vote|union|ethni|race|racial|origin|nationality|citizen|sexual|orientation|gene/i,
  /income|salary|wage|earn|debt|loan|credit|balance|wealth|tax|pension|claim|price|fare|gain|loss|default/i,
  /crime|convict|arrest|offen[cs]e|surviv|death|died/i,
  /\bsex\b|gender|marital|married|child|age\b|birth|relationship|education|occupation/i,
];

export interface SensitiveColumn {
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
    const kind = TELLING.findIndex((words) => words.test(spoken));
    if (kind >= 0) return [{ column, why: 'its name', rank: kind, surprise }];
    if (column === target) return [{ column, why: 'it is the target', rank: TELLING.length, surprise }];
    return [{ column, why: 'it is hard to guess', rank: TELLING.length + 1, surprise }];
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
