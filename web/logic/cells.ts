/** Cells of CSV text as numbers, by the dress that the service found the column to wear. */
import type { ColumnReport } from './roles.ts';

type Dress = NonNullable<ColumnReport['dress']>;

const MS: Record<string, number> = { day: 86_400_000, minute: 60_000, second: 1000, millisecond: 1 };

/** The number of a cell; NaN for a missing cell and for what is none. Times as milliseconds since 1970. */
export function numberOf(cell: string, dress: Dress): number {
  if (cell.trim() === '') return Number.NaN;
  if (dress.kind === 'plain') return Number(cell);
  if (dress.kind === 'time') return Date.parse(cell);
  const bare = cell
    .replace(dress.prefix, '')
    .replace(dress.suffix, '')
    .replaceAll(dress.thousands === '' ? '\u0000' : dress.thousands, '')
    .replace(dress.decimal, '.')
    .replace('−', '-')
    .replaceAll(' ', '');
  const enclosed = /^\(([^)]*)\)$/.exec(bare)?.[1];
  const trailing = /^([\d.]+)-$/.exec(bare)?.[1];
  const negative = enclosed ?? trailing;
  return negative === undefined ? Number(bare) : -Number(negative);
}

/** Numbers of the profile as `numberOf` gives them; undefined where a unit has no fixed length. */
export function scaleOf(dress: Dress): number | undefined {
  return dress.kind === 'time' ? MS[dress.unit] : 1;
}
