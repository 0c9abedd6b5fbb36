/** A condition of a request as what it allows of the column's cells. */
import { type Dress, redress, undress } from '../dress/dress.ts';
import type { Condition } from '../schema/condition.ts';
import { isMissing } from '../table/missing.ts';
import { quoted } from '../table/wording.ts';
import type { Allowed } from './allowed.ts';

type Cell = string | number | null;

/** What is allowed, or why the condition cannot be read, in words that follow the column's name. */
export type Reading = { allowed: Allowed } | { fault: string };

/** The cells that a condition lists; undefined for a range. */
export const cellsOf = ({ equals, in: among }: Condition): readonly Cell[] | undefined =>
  among ?? (equals === undefined ? undefined : [equals]);

/** Of a categorical column: texts exactly as in the file, null for missing cells. */
export function readLevels(condition: Condition): Reading {
  const cells = cellsOf(condition);
  if (!cells) return { fault: 'is in categorical_cols, which "between" cannot be asked of. List its levels with "in"' };
  const texts = new Set<string | null>();
  for (const cell of cells) {
    if (typeof cell === 'number') return { fault: `has texts for levels. Write ${quoted(String(cell))} for ${cell}` };
    if (cell !== null && isMissing(cell))
      return { fault: `has missing cells for ${quoted(cell)}. Ask for them by null` };
    texts.add(cell);
  }
  return { allowed: { kind: 'levels', texts } };
}

/** Of a column of numbers or times, written as `dress` says. */
export function readNumbers(condition: Condition, dress: Dress): Reading {
  const cells = cellsOf(condition);
  if (!cells) return readRange(condition, dress);
  const values = new Set<number>();
  for (const cell of cells) {
    if (cell === null) continue;
    const read = readNumber(cell, dress);
    if (typeof read === 'string') return { fault: read };
    if (!isWritten(read, dress)) return { fault: `has no cell like ${show(cell)}: ${formOf(dress)}` };
    values.add(read);
  }
  return { allowed: { kind: 'numbers', values, low: -Infinity, high: Infinity, missing: cells.includes(null) } };
}

function readRange({ between }: Condition, dress: Dress): Reading {
  const [low, high] = between ?? [null, null];
  const from = low === null ? -Infinity : readNumber(low, dress);
  const upTo = high === null ? Infinity : readNumber(high, dress);
  if (typeof from === 'string') return { fault: from };
  if (typeof upTo === 'string') return { fault: upTo };
  const isWhole = dress.format.integer;
  const [first, last] = isWhole ? [Math.ceil(from), Math.floor(upTo)] : [from, upTo];
  if (first > last) return { fault: `has no number between ${show(low)} and ${show(high)}` };
  return { allowed: { kind: 'numbers', values: null, low: from, high: upTo, missing: false } };
}

/** A text where the cell is no number of the dress: why. */
function readNumber(cell: string | number, dress: Dress): number | string {
  if (typeof cell === 'number') {
    if (dress.kind !== 'time') return cell;
    return `holds times, and ${cell} is a number. Write times as the column does (${exampleOf(dress)})`;
  }
  return (
    undress(cell, dress) ??
    `holds ${dress.kind === 'time' ? 'times' : 'numbers'}, and ${quoted(cell)} cannot be read as one (${exampleOf(dress)} can)`
  );
}

/** True where the column can write the number without changing it, bounds aside. */
function isWritten(value: number, dress: Dress): boolean {
  const { format } = dress;
  const open = { ...dress, format: { ...format, min: Math.min(format.min, value), max: Math.max(format.max, value) } };
  return undress(redress(value, open), open) === value;
}

const formOf = (dress: Dress): string =>
  dress.format.integer ? 'its numbers are whole' : `its numbers are written like ${exampleOf(dress)}`;

const exampleOf = (dress: Dress): string => quoted(redress(dress.format.max, dress));

export const show = (cell: Cell): string => (typeof cell === 'string' ? quoted(cell) : String(cell));
