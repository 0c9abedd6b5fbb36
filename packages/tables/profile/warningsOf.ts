import type { ColumnProfile } from '../../contract/columns.ts';
import { counted, listed, percent, quoted, withCommas } from '../../words/wording.ts';
import { isNumeric, unitsOf } from '../detect/kinds.ts';
import { isMissing } from '../missing.ts';

/** The other columns share a sentence on missing cells. */
const MAX_SENTENCES = 6;

/**
 * Returns the most serious warnings first.
 * @param sample Cells of the row sample, column by column.
 */
export function warningsOf(
  columns: readonly ColumnProfile[],
  rows: number,
  sample: readonly (readonly (string | null)[])[],
): string[] {
  return [
    ...emptyColumns(columns),
    ...strayCells(columns, rows),
    ...writingWarnings(columns, sample),
    ...missingCells(columns, rows),
    ...constantColumns(columns),
    ...identifiers(columns),
    ...repeatedKeys(columns),
  ];
}

function emptyColumns(columns: readonly ColumnProfile[]): string[] {
  const names = namesOf(columns.filter(({ kind }) => kind === 'empty'));
  if (names.length === 0) return [];
  const [have, are] = names.length === 1 ? ['Column % has', 'is'] : ['Columns % have', 'are'];
  return [`${have.replace('%', () => listed(names))} no values and ${are} left out.`];
}

function strayCells(columns: readonly ColumnProfile[], rows: number): string[] {
  return columns.flatMap((column) => {
    const present = rows - column.missing;
    const strays = present - (column.numbers?.count ?? 0);
    const isTime = column.format?.kind === 'time';
    if (strays === 0 || (column.kind !== 'continuous' && !isTime)) return [];
    if (!isNumeric(column.numbers, present)) return [];
    const what = isTime
      ? 'in another format than the other dates'
      : strays === 1
        ? 'that is not a number'
        : 'that are not numbers';
    return [
      `Column ${quoted(column.name)} has ${counted(strays, 'value')} ${what}, among ${withCommas(present)}; used as a ${isTime ? 'time' : 'number'}, ${strays === 1 ? 'it counts' : 'they count'} as missing.`,
    ];
  });
}

function missingCells(columns: readonly ColumnProfile[], rows: number): string[] {
  const incomplete = columns.filter(({ kind, missing }) => missing > 0 && kind !== 'empty');
  const heaviest = incomplete.toSorted((a, b) => b.missing - a.missing);
  const sentences = heaviest
    .slice(0, MAX_SENTENCES)
    .map(
      ({ name, missing }) =>
        `Column ${quoted(name)} has ${counted(missing, 'missing value')} (${percent(missing / rows)}); the synthetic column keeps the same share.`,
    );
  const others = heaviest.slice(MAX_SENTENCES);
  if (others.length === 0) return sentences;
  const named = listed(
    others.map(({ name, missing }) => `${quoted(name)} ${withCommas(missing)}`),
    others.length,
  );
  return [
    ...sentences,
    `${counted(others.length, 'further column')} with missing values, handled in the same way: ${named}.`,
  ];
}

function constantColumns(columns: readonly ColumnProfile[]): string[] {
  const names = namesOf(columns.filter(({ distinct, missing }) => distinct === 1 && missing === 0));
  if (names.length === 0) return [];
  return [
    `${names.length === 1 ? 'Column' : 'Columns'} ${listed(names)}: the same value in every row; it is repeated in the synthetic table.`,
  ];
}

function identifiers(columns: readonly ColumnProfile[]): string[] {
  const names = namesOf(columns.filter(({ kind, key }) => kind === 'identifier' && key?.kind !== 'repeated'));
  if (names.length === 0) return [];
  const look = names.length === 1 ? 'Column % looks like an identifier' : 'Columns % look like identifiers';
  return [
    `${look.replace('%', () => listed(names))}: new ones with the same pattern are generated, because real ones would point to real rows.`,
  ];
}

function repeatedKeys(columns: readonly ColumnProfile[]): string[] {
  return columns.flatMap(({ name, key }) =>
    key?.kind === 'repeated'
      ? [
          `Column ${quoted(name)} has keys that repeat (${withCommas(key.keys)} distinct ones in ${counted(key.rows, 'cell')}): new keys with the same pattern are generated, each in as many rows as real ones are, because real ones would point to real rows.`,
        ]
      : [],
  );
}

const namesOf = (columns: readonly ColumnProfile[]): string[] => columns.map(({ name }) => quoted(name));

type Sample = readonly (string | null)[];

type Warning = (column: ColumnProfile, sample: Sample) => string | undefined;

const WARNINGS: readonly Warning[] = [ambiguousDates, mixedUnits, mixedForms, sentinels, spellings];

function writingWarnings(columns: readonly ColumnProfile[], samples: readonly Sample[]): string[] {
  return WARNINGS.flatMap((warn) => columns.flatMap((column, index) => warn(column, samples[index] ?? []) ?? []));
}

const present = (sample: Sample): string[] => sample.filter((cell) => cell !== null);

function ambiguousDates({ name, format }: ColumnProfile): string | undefined {
  if (format?.kind !== 'time' || !format.ambiguous) return undefined;
  const order = /^M/.test(format.pattern) ? 'month first' : 'day first';
  return `Column ${quoted(name)}: no cell shows whether the day or the month comes first; read as ${order} (${format.pattern}). If that is wrong, write the dates as YYYY-MM-DD.`;
}

function mixedUnits({ name, kind, numbers }: ColumnProfile, sample: Sample): string | undefined {
  if (numbers || (kind !== 'categorical' && kind !== 'text')) return undefined;
  const units = unitsOf(present(sample));
  if (units.length < 2) return undefined;
  const named = listed(
    units.map((unit) => (unit === '' ? 'none' : quoted(unit))),
    5,
  );
  return `Column ${quoted(name)} has numbers with different units (${named}); it is used as ${kind === 'text' ? 'text' : 'categories'}. Convert it to one unit to use it as a number.`;
}

function mixedForms({ name, kind, format }: ColumnProfile): string | undefined {
  if (kind !== 'datetime' || format) return undefined;
  return `Column ${quoted(name)} has dates or times in several formats and is left out by default. It can be used as categories; write all of them in one format to use them as time.`;
}

function sentinels({ name, kind, missing_tokens }: ColumnProfile): string | undefined {
  const found = missing_tokens.filter(([text]) => !isMissing(text));
  if (found.length === 0 || kind === 'empty') return undefined;
  const marks = listed(found.map(([text, count]) => `${quoted(text)} in ${counted(count, 'cell')}`));
  return `Column ${quoted(name)}: ${marks} counts as missing, not as a value.`;
}

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
  return `Column ${quoted(name)} has categories that differ only in case or spaces (${examples}); they count as different categories. Use one spelling if they are the same.`;
}
