/** The shared tables as models see them: read with papaparse, numbers as numbers, '' and 'NA' missing. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Papa from 'papaparse';
import { z } from 'zod';
import type { ModelColumn, ModelTable } from '../../packages/synthesis/models/model.ts';

const candidate = join(import.meta.dirname, '..', '..', '..', 'shared', 'data');

/** Folder of the shared tables, or undefined in a clone that has none beside it. */
export const sharedData: string | undefined = existsSync(candidate) ? candidate : undefined;

const rolesSchema = z.record(
  z.string(),
  z.object({
    target: z.string().nullable(),
    continuous: z.array(z.string()),
    categorical: z.array(z.string()),
    text: z.array(z.string()),
  }),
);

export type TableRoles = z.infer<typeof rolesSchema>[string];

export interface SharedTable {
  name: string;
  roles: TableRoles;
  table: ModelTable;
}

const readAllRoles = (folder: string) =>
  rolesSchema.parse(JSON.parse(readFileSync(join(folder, 'roles.json'), 'utf8')));

/** Names of the shared tables that have roles. */
export const sharedNames = (folder: string): string[] => Object.keys(readAllRoles(folder));

/** Roles of a shared table's columns. Throws where there is none of this name. */
export function readRoles(folder: string, name: string): TableRoles {
  const roles = readAllRoles(folder)[name];
  if (!roles) throw new RangeError(`roles.json has no table ${name}`);
  return roles;
}

const NUMBERS_OF_BEIJING = ['DEWP', 'TEMP', 'PRES', 'Iws', 'Is', 'Ir'];
const NUMBERS_OF_MAGIC = ['fLength', 'fWidth', 'fSize', 'fConc', 'fConc1', 'fAsym', 'fM3long', 'fM3Trans', 'fAlpha'];

/** The shared tables that `roles.json` leaves out: those of a published benchmark, and one in a mixed encoding. */
const OTHERS: Readonly<Record<string, { path: string; roles: TableRoles | string; encoding?: string }>> = {
  beijing: {
    path: join('benchmark', 'beijing.csv'),
    roles: {
      target: 'pm2.5',
      continuous: NUMBERS_OF_BEIJING,
      categorical: ['year', 'month', 'day', 'hour', 'cbwd'],
      text: [],
    },
  },
  magic: {
    path: join('benchmark', 'magic.csv'),
    roles: { target: 'fDist', continuous: NUMBERS_OF_MAGIC, categorical: ['class'], text: [] },
  },
  coffee_reviews_raw_mixed_encoding: {
    path: 'coffee_reviews_raw_mixed_encoding.csv',
    roles: 'coffee_reviews',
    encoding: 'utf-8-windows-1252',
  },
};

/** The file of a shared table, its encoding where it is not UTF-8, and what POST /generate is asked for it. */
export function sharedFile(folder: string, name: string) {
  const { path, roles } = placeOf(folder, name);
  const { target, continuous, categorical, text } = roles;
  const fields = { continuous_cols: continuous, categorical_cols: categorical, text_cols: text };
  return {
    path,
    encoding: OTHERS[name]?.encoding,
    fields: target === null ? fields : { ...fields, target_col: target },
  };
}

function placeOf(folder: string, name: string): { path: string; roles: TableRoles } {
  const other = OTHERS[name];
  const roles = other?.roles ?? name;
  return {
    path: join(folder, other?.path ?? `${name}.csv`),
    roles: typeof roles === 'string' ? readRoles(folder, roles) : roles,
  };
}

/** Reads one shared table with its roles. */
export function readSharedTable(folder: string, name: string): SharedTable {
  const { path, roles } = placeOf(folder, name);
  const text = readFileSync(path, 'utf8');
  const [header = [], ...rows] = Papa.parse<string[]>(text, { skipEmptyLines: true }).data;
  const cells = (column: string) => rows.map((row) => row[header.indexOf(column)] ?? '');
  const columns: ModelColumn[] = [
    ...(roles.target === null ? [] : [numericColumn(roles.target, cells(roles.target))]),
    ...roles.continuous.map((column) => numericColumn(column, cells(column))),
    ...roles.categorical.map((column) => categoryColumn(column, cells(column))),
    ...roles.text.map(
      (column): ModelColumn => ({ kind: 'text', name: column, values: cells(column).map(presentText) }),
    ),
  ];
  return { name, roles, table: { rows: rows.length, columns: new Map(columns.map((c) => [c.name, c])) } };
}

const presentText = (cell: string): string | null => (cell === '' || cell === 'NA' ? null : cell);

function numericColumn(name: string, cells: string[]): ModelColumn {
  const number = (cell: string) => (presentText(cell) === null ? Number.NaN : Number(cell));
  return { kind: 'numeric', name, values: Float64Array.from(cells, number) };
}

function categoryColumn(name: string, cells: string[]): ModelColumn {
  const levels = [...new Set(cells.filter((cell) => presentText(cell) !== null))];
  const codeOf = new Map(levels.map((level, code) => [level, code]));
  return { kind: 'category', name, codes: Int32Array.from(cells, (cell) => codeOf.get(cell) ?? -1), levels };
}
