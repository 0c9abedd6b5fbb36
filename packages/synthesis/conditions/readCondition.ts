import type { CellFormat } from '../../contract/columns.ts';
import type { Condition } from '../../contract/conditions.ts';
import type { Case } from '../../contract/problems.ts';
import type { ConditionReason } from '../../contract/reasons.ts';
import { formatCell, parseCell } from '../../tables/format/cellFormat.ts';
import { toUnit } from '../../tables/format/time.ts';
import { isMissing } from '../../tables/missing.ts';
import { nearNames } from '../../words/nearNames.ts';
import { listed, quoted } from '../../words/wording.ts';

type Cell = string | number | null;

export type Reading = { allowed: Allowed } | { fault: Case<ConditionReason> };

/** Undefined for a range. */
export const askedCells = ({ equals, in: among }: Condition): readonly Cell[] | undefined =>
  among ?? (equals === undefined ? undefined : [equals]);

/** Texts as in the file, null for missing. */
export function readLevels(condition: Condition): Reading {
  const cells = askedCells(condition);
  const { column } = condition;
  if (!cells) return { fault: { reason: 'condition_range_of_levels', column } };
  const texts = new Set<string | null>();
  for (const cell of cells) {
    if (typeof cell === 'number') return { fault: { reason: 'condition_number_for_level', column, value: cell } };
    if (cell !== null && isMissing(cell))
      return { fault: { reason: 'condition_token_for_missing', column, token: cell } };
    texts.add(cell);
  }
  return { allowed: { kind: 'levels', texts } };
}

export function readNumbers(condition: Condition, format: CellFormat): Reading {
  const cells = askedCells(condition);
  if (!cells) return readRange(condition, format);
  const values = new Set<number>();
  for (const cell of cells) {
    if (cell === null) continue;
    const read = readNumber(cell, condition.column, format);
    if (typeof read !== 'number') return { fault: read };
    if (!isWritten(read, format)) return { fault: notWritten(condition.column, cell, format) };
    values.add(read);
  }
  return { allowed: { kind: 'numbers', values, low: -Infinity, high: Infinity, missing: cells.includes(null) } };
}

function readRange({ between, column }: Condition, format: CellFormat): Reading {
  const [low, high] = between ?? [null, null];
  const from = low === null ? -Infinity : readNumber(low, column, format);
  const upTo = high === null ? Infinity : readNumber(high, column, format);
  if (typeof from !== 'number') return { fault: from };
  if (typeof upTo !== 'number') return { fault: upTo };
  const isWhole = format.format.integer;
  const [first, last] = isWhole ? [Math.ceil(from), Math.floor(upTo)] : [from, upTo];
  if (first > last) {
    return { fault: { reason: 'condition_range_empty', column, low: show(low), high: show(high) } };
  }
  return { allowed: { kind: 'numbers', values: null, low: from, high: upTo, missing: false } };
}

function readNumber(cell: string | number, column: string, format: CellFormat): number | Case<ConditionReason> {
  const example = exampleOf(format);
  if (typeof cell === 'number') {
    if (format.kind !== 'time') return cell;
    return { reason: 'condition_number_for_time', column, value: cell, example };
  }
  const holds = format.kind === 'time' ? 'times' : 'numbers';
  return parseCell(cell, format) ?? { reason: 'condition_value_unreadable', column, value: cell, holds, example };
}

/** Ignores bounds. */
function isWritten(value: number, format: CellFormat): boolean {
  const open = widened(format, value);
  return parseCell(formatCell(value, open), open) === value;
}

function widened(format: CellFormat, value: number): CellFormat {
  const { format: numbers } = format;
  const bounds = { min: Math.min(numbers.min, value), max: Math.max(numbers.max, value) };
  return { ...format, format: { ...numbers, ...bounds } };
}

const notWritten = (column: string, cell: Cell, format: CellFormat): Case<ConditionReason> => ({
  reason: 'condition_value_not_written',
  column,
  value: show(cell),
  number_form: format.format.integer ? 'whole' : 'decimal',
  example: exampleOf(format),
});

/** Formats a fixed example, so that no real cell is shown. */
function exampleOf(format: CellFormat): string {
  const value = format.kind === 'time' ? toUnit(EXAMPLE_TIME, format.unit) : EXAMPLE_NUMBER;
  return quoted(formatCell(value, widened(format, value)));
}

const EXAMPLE_NUMBER = 12;
const EXAMPLE_TIME = Date.UTC(2024, 9, 4);

export function unknownLevel(
  level: string,
  levels: readonly string[],
  column: string,
): Case<'condition_level_unknown'> {
  const near = nearNames(level, levels);
  return { reason: 'condition_level_unknown', column, level, near, levels: levels.slice(0, MAX_LEVELS_LISTED) };
}

const MAX_LEVELS_LISTED = 50;

const show = (cell: Cell): string => (typeof cell === 'string' ? quoted(cell) : String(cell));

/** Conditions on one column are intersected. */

export type Allowed =
  /** Texts as in the file; null for missing. */
  | { kind: 'levels'; texts: ReadonlySet<string | null> }
  /** `values`, or the closed range `low` … `high` if null. */
  | { kind: 'numbers'; values: ReadonlySet<number> | null; low: number; high: number; missing: boolean };

export const allowsText = (allowed: Allowed, text: string | null): boolean =>
  allowed.kind === 'levels' && allowed.texts.has(text);

/** NaN is a missing cell. */
export function allowsNumber(allowed: Allowed, value: number): boolean {
  if (allowed.kind !== 'numbers') return false;
  if (Number.isNaN(value)) return allowed.missing;
  return value >= allowed.low && value <= allowed.high && (allowed.values?.has(value) ?? true);
}

/** Null if nothing satisfies both. Throws RangeError for different kinds. */
export function intersect(a: Allowed, b: Allowed): Allowed | null {
  if (a.kind === 'levels' && b.kind === 'levels') {
    const texts = new Set([...a.texts].filter((text) => b.texts.has(text)));
    return texts.size > 0 ? { kind: 'levels', texts } : null;
  }
  if (a.kind !== 'numbers' || b.kind !== 'numbers') throw new RangeError('a column has texts or numbers, not both');
  const [low, high] = [Math.max(a.low, b.low), Math.min(a.high, b.high)];
  const missing = a.missing && b.missing;
  const listed = a.values && b.values ? [...a.values].filter((value) => b.values?.has(value)) : (a.values ?? b.values);
  const values = listed && new Set([...listed].filter((value) => value >= low && value <= high));
  const isEmpty = values ? values.size === 0 : low > high;
  return isEmpty && !missing ? null : { kind: 'numbers', values, low, high, missing };
}

/** Such as `"sex" = "female"` or `"age" from 30 to 40`. */
export function conditionWords(condition: Condition): string {
  const column = quoted(condition.column);
  const cells = askedCells(condition);
  if (cells) {
    const words = cells.map((cell) => (cell === null ? 'missing' : show(cell)));
    return cells.length === 1 ? `${column} = ${words[0]}` : `${column} in ${listed(words)}`;
  }
  const [low, high] = condition.between ?? [null, null];
  if (low === null) return `${column} up to ${show(high)}`;
  return high === null ? `${column} from ${show(low)}` : `${column} from ${show(low)} to ${show(high)}`;
}
