/** What is worth knowing of an upload before it is modelled: few sentences, each with its figures. */
import { isNumeric } from '../detect/isNumeric.ts';
import { counted, listed, percent, quoted, withCommas } from '../table/wording.ts';
import type { ColumnProfile } from './profile.ts';

/** Columns that get a sentence of their own for missing cells; the others are counted in one. */
const MOST_SENTENCES = 20;

/** The heaviest first: columns without cells, cells that are not what their column is, missing cells, and so on. */
export function warningsOf(columns: readonly ColumnProfile[], rows: number): string[] {
  return [
    ...emptyColumns(columns),
    ...strayCells(columns, rows),
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
    if (strays === 0 || column.kind !== 'continuous' || !isNumeric(column.numbers, present)) return [];
    return [
      `Column ${quoted(column.name)} has ${counted(strays, 'value')} that ${strays === 1 ? 'is no number' : 'are no numbers'}, among ${withCommas(present)}; used as a number, ${strays === 1 ? 'it counts' : 'they count'} as missing.`,
    ];
  });
}

function missingCells(columns: readonly ColumnProfile[], rows: number): string[] {
  const gaps = columns.filter(({ kind, missing }) => missing > 0 && kind !== 'empty');
  const sentences = gaps
    .slice(0, MOST_SENTENCES)
    .map(
      ({ name, missing }) =>
        `Column ${quoted(name)} has ${counted(missing, 'missing value')} (${percent(missing / rows)}).`,
    );
  const others = gaps.slice(MOST_SENTENCES);
  if (others.length === 0) return sentences;
  const count = others.reduce((sum, { missing }) => sum + missing, 0);
  return [...sentences, `${counted(others.length, 'further column')} have ${counted(count, 'missing value')} in all.`];
}

function constantColumns(columns: readonly ColumnProfile[]): string[] {
  const names = namesOf(columns.filter(({ distinct, missing }) => distinct === 1 && missing === 0));
  if (names.length === 0) return [];
  return [
    `${names.length === 1 ? 'Column' : 'Columns'} ${listed(names)}: one value in all rows, which says nothing about other columns.`,
  ];
}

function identifiers(columns: readonly ColumnProfile[]): string[] {
  const names = namesOf(columns.filter(({ kind }) => kind === 'identifier'));
  if (names.length === 0) return [];
  const look = names.length === 1 ? 'Column % looks like an identifier' : 'Columns % look like identifiers';
  return [
    `${look.replace('%', () => listed(names))}: best left out of the request, since real identifiers point to real rows.`,
  ];
}

const namesOf = (columns: readonly ColumnProfile[]): string[] => columns.map(({ name }) => quoted(name));
