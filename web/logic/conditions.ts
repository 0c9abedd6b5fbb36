/** Conditions as JSON text, shared by form and text field. */
import type { GenerateRequestBody } from '../../packages/contract/requests.ts';
import type { ColumnReport } from './roles.ts';

type Condition = NonNullable<GenerateRequestBody['conditions']>[number];
type Cell = NonNullable<Condition['in']>[number];

export const CONDITIONS_EXAMPLE =
  '[{"column": "age", "between": [18, null]}, {"column": "city", "equals": "Oslo", "rows": 500}]';

const isNothing = (value: unknown): value is null | undefined => value === undefined || value === null;
const isCell = (value: unknown): value is Cell => value === null || ['string', 'number'].includes(typeof value);
const isCells = (value: unknown): value is Cell[] => Array.isArray(value) && value.every(isCell);

/** The service checks the combination. */
function isCondition(entry: unknown): entry is Condition {
  if (typeof entry !== 'object' || entry === null) return false;
  const { column, equals, in: among, between, rows }: { [name: string]: unknown } = { ...entry };
  return (
    typeof column === 'string' &&
    (equals === undefined || isCell(equals)) &&
    (isNothing(among) || isCells(among)) &&
    (isNothing(between) || (isCells(between) && between.length === 2)) &&
    (isNothing(rows) || typeof rows === 'number')
  );
}

/** Returns [] for no text, undefined for invalid text. */
export function readConditions(typed: string): Condition[] | undefined {
  if (typed.trim() === '') return [];
  try {
    const value: unknown = JSON.parse(typed);
    return Array.isArray(value) && value.every(isCondition) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** One per line. */
export const writeConditions = (conditions: readonly Condition[]): string =>
  conditions.length === 0 ? '' : `[\n${conditions.map((one) => `  ${JSON.stringify(one)}`).join(',\n')}\n]`;

export const TESTS = { among: 'is one of', between: 'is between', missing: 'is missing' } as const;
export type Test = keyof typeof TESTS;

export interface Draft {
  column: string;
  test: Test;
  /** For `among`; null is missing. */
  values: readonly (string | null)[];
  /** For `between`, as typed. */
  low: string;
  high: string;
  /** As typed; null for all. */
  rows: string | null;
}

const textOf = (cell: Cell | undefined): string => (isNothing(cell) ? '' : String(cell));

export function draftOf({ column, equals, in: among, between, rows }: Condition): Draft {
  const [low, high] = between ?? [];
  const common = { column, low: textOf(low), high: textOf(high), rows: isNothing(rows) ? null : String(rows || '') };
  if (between) return { ...common, test: 'between', values: [] };
  if (!among && equals === null) return { ...common, test: 'missing', values: [] };
  const cells = among ?? (equals === undefined ? [] : [equals]);
  return { ...common, test: 'among', values: cells.map((cell) => (cell === null ? null : String(cell))) };
}

/** A number for plain numeric columns, else text in the column's format. */
function boundOf(typed: string, column: ColumnReport | undefined): Cell {
  const isNumber = column?.format?.kind === 'plain' && String(Number(typed)) === typed.trim();
  return isNumber ? Number(typed) : typed;
}

export function conditionOf(draft: Draft, column: ColumnReport | undefined): Condition {
  const end = (typed: string) => (typed.trim() === '' ? null : boundOf(typed, column));
  const rows = draft.rows === null ? {} : { rows: Number(draft.rows) || 0 };
  if (draft.test === 'missing') return { column: draft.column, equals: null, ...rows };
  if (draft.test === 'between') return { column: draft.column, between: [end(draft.low), end(draft.high)], ...rows };
  return { column: draft.column, in: [...draft.values], ...rows };
}

/** A number only for plain numeric columns. */
export function firstDraft(column: ColumnReport): Draft {
  const [level] = levelsOf(column);
  const test = level === undefined ? 'between' : 'among';
  return { column: column.name, test, values: level === undefined ? [] : [level], low: '', high: '', rows: null };
}

export const levelsOf = ({ picture }: ColumnReport): string[] =>
  picture?.kind === 'levels' ? picture.levels.map(([level]) => level) : [];

export function draftFault({ test, values, low, high, rows }: Draft): string | undefined {
  if (test === 'among' && values.length === 0) return 'Add at least one value.';
  if (test === 'between' && low.trim() === '' && high.trim() === '') return 'Enter at least one bound.';
  if (rows !== null && !/^[1-9]\d*$/.test(rows.trim())) return 'Enter the number of rows, 1 or more.';
  return undefined;
}

export function conditionsFault(typed: string): string | undefined {
  const conditions = readConditions(typed);
  if (!conditions) return 'Not valid JSON, or not a list of conditions. See the example below.';
  return conditions.map(draftOf).map(draftFault).find(Boolean);
}
