/** Columns of cells as people write them, and what is known of the tables that are made of them. */
import { expect } from 'vitest';
import type { CellFormat, ColumnProfile } from '../../../../packages/contract/columns.ts';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { inferCellFormat, parseCell } from '../../../../packages/tables/format/cellFormat.ts';
import type { Profile } from '../../../../packages/tables/profile/profile.ts';
import { findRelations } from '../../../../packages/tables/relations/findRelations.ts';
import { cellsOf, type Drawn, profileOf, tableOf } from '../../world.ts';

export const ROWS = 240;
const DAY = 86_400_000;
export const random = createStream(7, 'back out');
export const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
export const pick = <T>(items: readonly T[]): T => items[random.integer(items.length)]!;
const two = (number: number): string => String(number).padStart(2, '0');
export const grouped = (number: number, decimals: number): string =>
  number.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });

const dates = times(
  ROWS,
  () => new Date(Date.UTC(2019, 0, 1) + random.integer(1500) * DAY + random.integer(1440) * 60_000),
);
const [year, month, day] = [
  (date: Date) => String(date.getUTCFullYear()),
  (date: Date) => two(date.getUTCMonth() + 1),
  (date: Date) => two(date.getUTCDate()),
];
const clock = (date: Date): string => `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A cell of each format, and the form that all cells of the column have. */
export const NUMBERS: Record<string, [cell: (i: number) => string, form: RegExp]> = {
  whole: [() => String(random.integer(900)), /^\d+$/],
  'one decimal': [() => (random.uniform() * 90).toFixed(1), /^\d+\.\d$/],
  dollars: [() => `$${grouped(500 + random.uniform() * 3000, 2)}`, /^\$(\d{3}|\d,\d{3})\.\d\d$/],
  percent: [() => `${random.integer(100)} %`, /^\d+ %$/],
  accounting: [
    () => (random.integer(3) ? String(1 + random.integer(80)) : `(${1 + random.integer(80)})`),
    /^(\d+|\(\d+\))$/,
  ],
  'few thousands': [
    (i) => grouped(i % 20 === 0 ? 1000 + random.integer(900) : random.integer(1000), 0),
    /^(\d{1,3}|\d,\d{3})$/,
  ],
  'few losses': [
    (i) => (i % 20 === 0 ? `(${1 + random.integer(80)})` : String(1 + random.integer(800))),
    /^(\d+|\(\d+\))$/,
  ],
  thousands: [() => grouped(random.integer(90_000) + 1000, 0), /^\d{1,2},\d{3}$/],
  german: [
    () => grouped(1000 + random.uniform() * 8000, 2).replace(/[.,]/g, (sign) => (sign === ',' ? '.' : ',')),
    /^\d\.\d{3},\d\d$/,
  ],
  zeros: [() => String(random.integer(90_000)).padStart(5, '0'), /^\d{5}$/],
  weight: [() => `${random.integer(90) + 10} kg`, /^\d+ kg$/],
};
export const TIMES: Record<string, [cell: (i: number) => string, form: RegExp]> = {
  iso: [(i) => `${year(dates[i]!)}-${month(dates[i]!)}-${day(dates[i]!)}`, /^20\d\d-[01]\d-[0-3]\d$/],
  'iso with time': [
    (i) => `${year(dates[i]!)}-${month(dates[i]!)}-${day(dates[i]!)}T${clock(dates[i]!)}:00Z`,
    /^20\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:\d\dZ$/,
  ],
  german: [(i) => `${day(dates[i]!)}.${month(dates[i]!)}.${year(dates[i]!)}`, /^[0-3]\d\.[01]\d\.20\d\d$/],
  american: [
    (i) => `${month(dates[i]!)}/${day(dates[i]!)}/${year(dates[i]!)} ${clock(dates[i]!)}`,
    /^[01]\d\/[0-3]\d\/20\d\d [0-2]\d:[0-5]\d$/,
  ],
  compact: [(i) => `${year(dates[i]!)}${month(dates[i]!)}${day(dates[i]!)}`, /^20\d\d[01]\d[0-3]\d$/],
  'month and year': [
    (i) => `${MONTHS[dates[i]!.getUTCMonth()]}-${year(dates[i]!).slice(2)}`,
    /^(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)-\d\d$/,
  ],
};
export const WORDS: Record<string, readonly string[]> = {
  yes: ['yes', 'no'],
  letters: ['Y', 'N'],
  truth: ['TRUE', 'FALSE'],
  ones: ['1', '0'],
  dashes: ['-', 'x'],
};

export type Column = (i: number) => string;
export const csvOf = (columns: Record<string, Column>, rows = ROWS): string => {
  const names = Object.keys(columns);
  const cells = times(rows, (i) => names.map((name) => columns[name]!(i)));
  const line = (texts: readonly string[]): string => texts.map((text) => `"${text.replaceAll('"', '""')}"`).join(',');
  return `${[names, ...cells].map(line).join('\n')}\n`;
};

/** The profile of a CSV, with what tests want to be known of some columns. */
export async function known(csv: string, changes: Record<string, Partial<ColumnProfile>>): Promise<Profile> {
  const profile = await profileOf(csv);
  const table = await tableOf(csv);
  const columns = profile.columns.map((column) => ({ ...column, ...changes[column.name] }));
  const sample = { rows: table.rows, cells: columns.map(({ name }) => cellsOf(table, name)) };
  return { ...profile, columns, sample, relations: findRelations(columns, sample) };
}

export const there = ({ table }: Pick<Drawn, 'table'>, name: string): string[] =>
  cellsOf(table, name).filter((cell) => cell !== null);
const formatOf = async (csv: string, name: string): Promise<CellFormat> => {
  const format = inferCellFormat([...new Set(cellsOf(await tableOf(csv), name).filter((cell) => cell !== null))]);
  if (!format) throw new RangeError(`no format for ${name}`);
  return format;
};

export async function expectWithin(csv: string, outcome: Pick<Drawn, 'table'>, name: string): Promise<void> {
  const format = await formatOf(csv, name);
  const numbers = (cells: (string | null)[]): number[] =>
    cells.map((cell) => (cell === null ? Number.NaN : (parseCell(cell, format) ?? Number.NaN))).filter(Number.isFinite);
  const real = numbers(cellsOf(await tableOf(csv), name));
  const made = numbers(there(outcome, name));
  expect(made.length).toBe(there(outcome, name).length);
  expect(Math.min(...made)).toBeGreaterThanOrEqual(Math.min(...real));
  expect(Math.max(...made)).toBeLessThanOrEqual(Math.max(...real));
  expect(new Set(made).size).toBeGreaterThan(10);
}
