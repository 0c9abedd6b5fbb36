/** relations: columns that are copies, functions or sums of others, or never below another; cells missing where another column says so. */
import { undress } from '../dress/dress.ts';
import type { ColumnProfile, Profile } from '../profile/profile.ts';
import { findFunction } from './findFunctions.ts';
import { areLabels } from './findLabels.ts';
import { areMissingTogether, hasGaps, missingWhen } from './findMissing.ts';
import { findOrders } from './findOrders.ts';
import { findSum, mayBePart } from './findSums.ts';
import type { Relation } from './relation.ts';
import { isSame, type SampledColumn, sampledColumn } from './sampledColumn.ts';
import { sentenceOf, type Unsaid } from './sentenceOf.ts';

/** Columns looked at, the first ones of a table: time grows with the square of their number. */
const MOST_COLUMNS = 200;
/** Relations listed. */
const MOST_RELATIONS = 100;
/** Rows below which everything looks like a rule. */
const LEAST_ROWS = 20;

/**
 * Relations that hold in every row of the sample. A column is explained once, by an earlier column where one does; of a
 * chain all point to its first column. Free text and identifiers explain nothing but their copies.
 */
export function findRelations(columns: readonly ColumnProfile[], sample: Profile['sample']): Relation[] {
  if (sample.rows < LEAST_ROWS) return [];
  const looked = columns.flatMap((column, index) =>
    column.kind === 'empty'
      ? []
      : [{ ...sampledColumn(column.name, sample.cells[index] ?? [], numberIn(column)), column }],
  );
  const told = looked.filter(({ levels }) => levels.length > 1).slice(0, MOST_COLUMNS);
  const values = valueRelations(told);
  const times = new Set(told.flatMap(({ name, column }) => (column.dress?.kind === 'time' ? [name] : [])));
  return [...values, ...orderRelations(told, values), ...gapRelations(told, values)]
    .slice(0, MOST_RELATIONS)
    .map((relation) => ({
      ...relation,
      rows: sample.rows,
      sentence: sentenceOf(relation, sample.rows, times.has(relation.of)),
    }));
}

const numberIn =
  ({ dress }: ColumnProfile) =>
  (text: string): number | undefined =>
    dress ? undress(text, dress) : undefined;

type Looked = SampledColumn & { column: ColumnProfile };

function valueRelations(columns: readonly Looked[]): Unsaid[] {
  const found: Unsaid[] = [];
  const explained = new Set<string>();
  for (const find of [copyOf, functionOf, labelsOf]) {
    columns.forEach((column, place) => {
      if (explained.has(column.name)) return;
      const relation = firstOf(columns, (of, at) =>
        at === place || explained.has(of.name) ? undefined : find(of, column, at < place),
      );
      if (!relation) return;
      found.push(relation);
      explained.add(column.name);
    });
  }
  const isOpen = (column: Looked): boolean => !explained.has(column.name) && !tellsRows(column);
  const parts = columns.filter((column) => isOpen(column) && mayBePart(column));
  for (const column of columns.filter(isOpen)) {
    const sum = findSum(
      column,
      parts.filter((part) => part !== column && !explained.has(part.name)),
    );
    if (!sum) continue;
    found.push({ kind: 'sum', ...between(sum[0]!, column), parts: sum.map(({ name }) => name) });
    explained.add(column.name);
  }
  return found;
}

function firstOf<T, R>(items: readonly T[], find: (item: T, at: number) => R | undefined): R | undefined {
  for (const [at, item] of items.entries()) {
    const found = find(item, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

type Find = (of: Looked, column: Looked, isEarlier: boolean) => Unsaid | undefined;

const between = (of: { name: string }, column: { name: string }) => ({ column: column.name, of: of.name });

const copyOf: Find = (of, column, isEarlier) => {
  const isCopy =
    isEarlier &&
    of.levels.length === column.levels.length &&
    isSame(of.codes, column.codes) &&
    of.levels.every((level, code) => level === column.levels[code]);
  return isCopy ? { kind: 'copy', ...between(of, column) } : undefined;
};

/** Only later columns are taken for functions: "log x" stands behind "x". */
const functionOf: Find = (of, column, isEarlier) => {
  if (!isEarlier || tellsRows(of) || tellsRows(column)) return undefined;
  const found = findFunction(of, column);
  return found ? { kind: 'function', ...between(of, column), ...found } : undefined;
};

const labelsOf: Find = (of, column, isEarlier) => {
  if (tellsRows(of) || tellsRows(column) || !areLabels(of, column)) return undefined;
  const one_to_one = areLabels(column, of);
  return isEarlier || !one_to_one ? { kind: 'labels', ...between(of, column), one_to_one } : undefined;
};

const tellsRows = ({ column: { kind } }: Pick<Looked, 'column'>): boolean => kind === 'identifier' || kind === 'text';

/** Of numbers and times alone: codes and identifiers are in no order that means something. */
function orderRelations(columns: readonly Looked[], values: readonly Unsaid[]): Unsaid[] {
  const said = new Map(values.map((relation) => [relation.column, relation]));
  // What is made from one column has that column's orders, but for its form.
  const isOpen = ({ name, column }: Looked): boolean =>
    (column.kind === 'continuous' || column.dress?.kind === 'time') &&
    !isMade(said.get(name)) &&
    !tellsRows({ column });
  const asked = columns.filter(isOpen).map((column) => ({ ...column, dress: column.column.dress }));
  const parts = new Map(columns.map(({ name, numbers }) => [name, numbers]));
  const isAtLeastZero = (name: string): boolean => {
    const numbers = parts.get(name);
    return numbers ? numbers.values[numbers.low]! >= 0 : false;
  };
  const follows = (of: { name: string }, column: { name: string }): boolean => {
    const sum = said.get(column.name);
    if (sum?.kind !== 'sum' || !sum.parts.includes(of.name)) return false;
    return sum.parts.every((part) => part === of.name || isAtLeastZero(part));
  };
  return findOrders(asked, follows).map(({ of, column, strict }) => ({
    kind: 'order',
    ...between(of, column),
    strict,
  }));
}

const isMade = (relation: Unsaid | undefined): boolean => relation?.kind === 'copy' || relation?.kind === 'function';

/** Columns that are copies are missing together anyway, and so is whatever else says a column. */
function gapRelations(columns: readonly Looked[], values: readonly Unsaid[]): Unsaid[] {
  const explained = new Set(values.map(({ column }) => column));
  const gaps = columns.filter((column) => hasGaps(column) && !explained.has(column.name));
  const found: Unsaid[] = [];
  gaps.forEach((column, place) => {
    const first = gaps.slice(0, place).find((earlier) => areMissingTogether(earlier, column));
    if (first) {
      found.push({ kind: 'missing_together', ...between(first, column) });
      return;
    }
    const rule = firstOf(columns, (of) => {
      const when = of === column ? undefined : missingWhen(of, column);
      return when && { kind: 'missing_when' as const, ...between(of, column), ...when };
    });
    if (rule) found.push(rule);
  });
  return found;
}
