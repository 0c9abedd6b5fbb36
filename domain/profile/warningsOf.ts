/** What is worth knowing of an upload before it is modelled: few sentences, each with its figures and what will be done. */
import { isNumeric } from '../detect/isNumeric.ts';
import { counted, listed, percent, quoted, withCommas } from '../table/wording.ts';
import type { ColumnProfile } from './profile.ts';
import { writingWarnings } from './writingWarnings.ts';

/** Columns that get a sentence of their own for missing cells; the others share one. */
const MOST_SENTENCES = 6;
/** Columns that a sentence names. */
const MOST_NAMES = 20;

/**
 * The heaviest first: columns without cells, cells that are not what their column is, what may be read otherwise than it
 * was meant, missing cells, and so on. `sample`: cells of the row sample, column by column.
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
  ];
}

function emptyColumns(columns: readonly ColumnProfile[]): string[] {
  const names = namesOf(columns.filter(({ kind }) => kind === 'empty'));
  if (names.length === 0) return [];
  const [have, them] = names.length === 1 ? ['Column % has', 'it'] : ['Columns % have', 'them'];
  return [`${have.replace('%', () => listed(names))} no values at all: leave ${them} out of the request.`];
}

function strayCells(columns: readonly ColumnProfile[], rows: number): string[] {
  return columns.flatMap((column) => {
    const present = rows - column.missing;
    const strays = present - (column.numbers?.count ?? 0);
    const isTime = column.dress?.kind === 'time';
    if (strays === 0 || (column.kind !== 'continuous' && !isTime)) return [];
    if (!isNumeric(column.numbers, present)) return [];
    const what = isTime
      ? 'of another form than the other dates'
      : strays === 1
        ? 'that is no number'
        : 'that are no numbers';
    return [
      `Column ${quoted(column.name)} has ${counted(strays, 'value')} ${what}, among ${withCommas(present)}; used as a ${isTime ? 'time' : 'number'}, ${strays === 1 ? 'it counts' : 'they count'} as missing.`,
    ];
  });
}

function missingCells(columns: readonly ColumnProfile[], rows: number): string[] {
  const gaps = columns.filter(({ kind, missing }) => missing > 0 && kind !== 'empty');
  const heaviest = gaps.toSorted((a, b) => b.missing - a.missing);
  const sentences = heaviest
    .slice(0, MOST_SENTENCES)
    .map(
      ({ name, missing }) =>
        `Column ${quoted(name)} has ${counted(missing, 'missing value')} (${percent(missing / rows)}); it is made with as large a share of them.`,
    );
  const others = heaviest.slice(MOST_SENTENCES);
  if (others.length === 0) return sentences;
  const named = listed(
    others.map(({ name, missing }) => `${quoted(name)} ${withCommas(missing)}`),
    MOST_NAMES,
  );
  return [...sentences, `${counted(others.length, 'further column')} with missing values, made likewise: ${named}.`];
}

function constantColumns(columns: readonly ColumnProfile[]): string[] {
  const names = namesOf(columns.filter(({ distinct, missing }) => distinct === 1 && missing === 0));
  if (names.length === 0) return [];
  return [
    `${names.length === 1 ? 'Column' : 'Columns'} ${listed(names)}: one value in all rows, which says nothing about other columns and is repeated.`,
  ];
}

function identifiers(columns: readonly ColumnProfile[]): string[] {
  const names = namesOf(columns.filter(({ kind }) => kind === 'identifier'));
  if (names.length === 0) return [];
  const [look, they] =
    names.length === 1
      ? ['Column % looks like an identifier', 'it is']
      : ['Columns % look like identifiers', 'they are'];
  return [
    `${look.replace('%', () => listed(names))}: best left out of the request; given in it, ${they} made anew by the same pattern, since real identifiers point to real rows.`,
  ];
}

const namesOf = (columns: readonly ColumnProfile[]): string[] => columns.map(({ name }) => quoted(name));
