/** Warnings of cells that may be read otherwise than they were meant: dates, units, missing marks, spellings. */
import { unitsOf } from '../detect/hasMixedUnits.ts';
import { isMissing } from '../table/missing.ts';
import { counted, listed, quoted } from '../table/wording.ts';
import type { ColumnProfile } from './profile.ts';

/** Cells of one column in the row sample. */
type Sample = readonly (string | null)[];

type Warning = (column: ColumnProfile, sample: Sample) => string | undefined;

/** In this order, each for all columns. */
const WARNINGS: readonly Warning[] = [ambiguousDates, mixedUnits, mixedForms, sentinels, spellings];

export function writingWarnings(columns: readonly ColumnProfile[], samples: readonly Sample[]): string[] {
  return WARNINGS.flatMap((warn) => columns.flatMap((column, index) => warn(column, samples[index] ?? []) ?? []));
}

const present = (sample: Sample): string[] => sample.filter((cell) => cell !== null);

function ambiguousDates({ name, dress }: ColumnProfile): string | undefined {
  if (dress?.kind !== 'time' || !dress.ambiguous) return undefined;
  const order = /^M/.test(dress.pattern) ? 'month first' : 'day first';
  return `Column ${quoted(name)}: no cell tells day and month apart; read with the ${order} (${dress.pattern}). If that is wrong, write the dates as YYYY-MM-DD.`;
}

function mixedUnits({ name, kind, numbers }: ColumnProfile, sample: Sample): string | undefined {
  if (numbers || (kind !== 'categorical' && kind !== 'text')) return undefined;
  const units = unitsOf(present(sample));
  if (units.length < 2) return undefined;
  const named = listed(
    units.map((unit) => (unit === '' ? 'none' : quoted(unit))),
    5,
  );
  return `Column ${quoted(name)} has numbers of different units (${named}), which cannot be compared; it is taken as ${kind === 'text' ? 'text' : 'categories'}. Convert it to one unit to use it as a number.`;
}

function mixedForms({ name, kind, dress }: ColumnProfile): string | undefined {
  if (kind !== 'datetime' || dress) return undefined;
  return `Column ${quoted(name)} has dates or times in several forms, so it cannot be used as time; as categories it can. Write all of them in one form.`;
}

/** Marks such as "-999" that only this column's cells show to be missing. */
function sentinels({ name, kind, missing_tokens }: ColumnProfile): string | undefined {
  const found = missing_tokens.filter(([text]) => !isMissing(text));
  if (found.length === 0 || kind === 'empty') return undefined;
  const marks = listed(found.map(([text, count]) => `${quoted(text)} in ${counted(count, 'cell')}`));
  return `Column ${quoted(name)}: ${marks} was taken for missing, not for a value.`;
}

/** Categories that differ in case or spaces alone. */
function spellings({ name, kind, top_levels }: ColumnProfile): string | undefined {
  if (kind !== 'categorical') return undefined;
  const groups = new Map<string, string[]>();
  for (const [text] of top_levels) {
    const key = text.trim().replace(/\s+/g, ' ').toLowerCase();
    groups.set(key, [...(groups.get(key) ?? []), text]);
  }
  const alike = [...groups.values()].filter((texts) => texts.length > 1);
  if (alike.length === 0) return undefined;
  const examples = listed(
    alike.map((texts) => texts.map(quoted).join(' = ')),
    3,
  );
  return `Column ${quoted(name)} has categories that differ in case or spaces alone (${examples}); they are kept apart. Write them alike if they are the same.`;
}
