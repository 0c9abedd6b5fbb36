/** Removes names of suppressed levels from saved models. */
import type { JsonValue } from '../models/model.ts';

export type SuppressedLevels = ReadonlyMap<string, readonly string[]>;

/** Occurs in no cell. */
const MARK = '\u0000';

/** Replaces suppressed levels by marks, also in regression terms ("city = Rome"), except terms that are `columns`. */
export function suppressNames(saved: JsonValue, suppressed: SuppressedLevels, columns: ReadonlySet<string>): JsonValue {
  const marks = new Map([...suppressed].map(([column, levels]) => [column, marksOf(levels)]));
  const terms = new Map(
    [...marks].flatMap(([column, own]) =>
      [...own].map(([level, mark]): [string, string] => [`${column} = ${level}`, `${column} = ${mark}`]),
    ),
  );
  for (const name of columns) terms.delete(name);
  return marks.size === 0 ? saved : replaced(saved, marks, terms);
}

type Marks = ReadonlyMap<string, string>;

const marksOf = (levels: readonly string[]): Marks => new Map(levels.map((level, k) => [level, `${MARK}${k}`]));

function replaced(value: JsonValue, marks: ReadonlyMap<string, Marks>, terms: Marks): JsonValue {
  if (Array.isArray(value)) return value.map((item) => replaced(item, marks, terms));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined);
  const { name, column } = Object.fromEntries(entries);
  const own = marks.get(String(name ?? column ?? ''));
  return Object.fromEntries(
    entries.map(([key, item]) => {
      if (own && key === 'levels' && Array.isArray(item)) return [key, item.map((level) => marked(level, own))];
      if (own && key === 'level') return [key, marked(item, own)];
      return [key, key === 'name' ? marked(item, terms) : replaced(item, marks, terms)];
    }),
  );
}

const marked = (value: JsonValue, marks: Marks): JsonValue =>
  typeof value === 'string' ? (marks.get(value) ?? value) : value;
