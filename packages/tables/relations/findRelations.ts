import type { ColumnProfile, Relation } from '../../contract/columns.ts';
import { counted, listed, quoted } from '../../words/wording.ts';
import { parseCell } from '../format/cellFormat.ts';
import type { Profile } from '../profile/profile.ts';
import { findOrders } from './findOrders.ts';
import { isSame, mostBroken, type SampledColumn, sampledColumn } from './sampledColumn.ts';
import { findSum, mayBePart } from './sums.ts';
import { brokenLabels, findFunction } from './valueRelations.ts';

/** Time is quadratic. */
const MAX_COLUMNS = 200;
const MAX_RELATIONS = 100;
const MIN_ROWS = 20;

/**
 * Finds relations with few or no exceptions. Explains each column once, preferably by an earlier one. Free text and
 * identifiers explain only copies.
 */
export function findRelations(columns: readonly ColumnProfile[], sample: Profile['sample']): Relation[] {
  if (sample.rows < MIN_ROWS) return [];
  const looked = columns.flatMap((column, index) =>
    column.kind === 'empty'
      ? []
      : [{ ...sampledColumn(column.name, sample.cells[index] ?? [], numberIn(column)), column }],
  );
  const informative = looked.filter(({ levels }) => levels.length > 1).slice(0, MAX_COLUMNS);
  const values = valueRelations(informative);
  const times = new Set(informative.flatMap(({ name, column }) => (column.format?.kind === 'time' ? [name] : [])));
  return [...values, ...orderRelations(informative, values), ...missingRelations(informative, values)]
    .slice(0, MAX_RELATIONS)
    .map((relation) => ({
      ...relation,
      rows: sample.rows,
      sentence: sentenceOf(relation, sample.rows, times.has(relation.of)),
    }));
}

const numberIn =
  ({ format }: ColumnProfile) =>
  (text: string): number | undefined =>
    format ? parseCell(text, format) : undefined;

type Looked = SampledColumn & { column: ColumnProfile };

function valueRelations(columns: readonly Looked[]): RelationDraft[] {
  const found: RelationDraft[] = [];
  const explained = new Set<string>();
  const add = (relation: RelationDraft): void => {
    found.push(relation);
    explained.add(relation.column);
  };
  for (const find of [copyOf, functionOf(0), labelsOf(0)]) eachUnexplained(columns, explained, find, add);
  addSums(columns, explained, 0, add);
  const most = mostBroken(columns[0]?.codes.length ?? 0);
  if (most === 0) return found;
  for (const column of saidByNumbers(found, columns)) explained.delete(column);
  addSums(columns, explained, most, add);
  for (const find of [functionOf(most), labelsOf(most)]) eachUnexplained(columns, explained, find, add);
  return found;
}

/** The function may exist in the other direction. */
const saidByNumbers = (found: readonly RelationDraft[], columns: readonly Looked[]): string[] =>
  found
    .filter(
      ({ kind, of }) =>
        kind === 'labels' && columns.some((one) => one.name === of && one.column.kind !== 'categorical'),
    )
    .map(({ column }) => column);

function eachUnexplained(
  columns: readonly Looked[],
  explained: ReadonlySet<string>,
  find: Find,
  add: (relation: RelationDraft) => void,
): void {
  columns.forEach((column, place) => {
    if (explained.has(column.name)) return;
    const relation = firstOf(columns, (of, at) =>
      at === place || explained.has(of.name) ? undefined : find(of, column, at < place),
    );
    if (relation) add(relation);
  });
}

function addSums(
  columns: readonly Looked[],
  explained: ReadonlySet<string>,
  most: number,
  add: (relation: RelationDraft) => void,
): void {
  const isOpen = (column: Looked): boolean => !explained.has(column.name) && !identifiesRows(column);
  const parts = columns.filter((column) => isOpen(column) && mayBePart(column));
  for (const column of columns.filter(isOpen)) {
    const others = parts.filter((part) => part !== column && !explained.has(part.name));
    const sum = findSum(column, others, most);
    if (!sum) continue;
    const names = sum.parts.map(({ name }) => name);
    add({ kind: 'sum', ...between(sum.parts[0]!, column), parts: names, ...shareThatHolds(sum.broken.length, column) });
  }
}

/** Rounds down: 1 means no exceptions. */
const shareThatHolds = (broken: number, { codes: { length } }: SampledColumn): { share?: number } =>
  broken === 0 ? {} : { share: Math.floor((10_000 * (length - broken)) / length) / 10_000 };

function firstOf<T, R>(items: readonly T[], find: (item: T, at: number) => R | undefined): R | undefined {
  for (const [at, item] of items.entries()) {
    const found = find(item, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

type Find = (of: Looked, column: Looked, isEarlier: boolean) => RelationDraft | undefined;

const between = (of: { name: string }, column: { name: string }) => ({ column: column.name, of: of.name });

const copyOf: Find = (of, column, isEarlier) => {
  const isCopy =
    isEarlier &&
    of.levels.length === column.levels.length &&
    isSame(of.codes, column.codes) &&
    of.levels.every((level, code) => level === column.levels[code]);
  return isCopy ? { kind: 'copy', ...between(of, column) } : undefined;
};

/** A function must follow its argument: "log x" after "x". */
const functionOf =
  (most: number): Find =>
  (of, column, isEarlier) => {
    if (!isEarlier || identifiesRows(of) || identifiesRows(column)) return undefined;
    const own = findFunction(of, column, most);
    if (!own) return undefined;
    return { kind: 'function', ...between(of, column), ...own.found, ...shareThatHolds(own.broken.length, column) };
  };

const labelsOf =
  (most: number): Find =>
  (of, column, isEarlier) => {
    if (identifiesRows(of) || identifiesRows(column)) return undefined;
    // Most of many numbers have too few rows.
    if (most > 0 && of.column.kind !== 'categorical') return undefined;
    const broken = brokenLabels(of, column, most);
    if (!broken) return undefined;
    const one_to_one = brokenLabels(column, of, most) !== undefined;
    if (!isEarlier && one_to_one) return undefined;
    return { kind: 'labels', ...between(of, column), one_to_one, ...shareThatHolds(broken.length, column) };
  };

const identifiesRows = ({ column: { kind } }: Pick<Looked, 'column'>): boolean =>
  kind === 'identifier' || kind === 'text';

/** Codes and identifiers have no meaningful order. */
function orderRelations(columns: readonly Looked[], values: readonly RelationDraft[]): RelationDraft[] {
  const said = new Map(values.map((relation) => [relation.column, relation]));
  // A derived column inherits the orders of its source.
  const isOpen = ({ name, column }: Looked): boolean =>
    (column.kind === 'continuous' || column.format?.kind === 'time') &&
    !isMade(said.get(name)) &&
    !identifiesRows({ column });
  const comparable = columns.filter(isOpen).map((column) => ({ ...column, format: column.column.format }));
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
  return findOrders(comparable, follows).map(({ of, column, strict, broken }) => ({
    kind: 'order',
    ...between(of, column),
    strict,
    ...shareThatHolds(broken, column),
  }));
}

const isMade = (relation: RelationDraft | undefined): boolean =>
  relation?.kind === 'copy' || relation?.kind === 'function';

/** Explained columns are missing together anyway. */
function missingRelations(columns: readonly Looked[], values: readonly RelationDraft[]): RelationDraft[] {
  const explained = new Set(values.map(({ column }) => column));
  const incomplete = columns.filter((column) => hasBoth(column) && !explained.has(column.name));
  const found: RelationDraft[] = [];
  incomplete.forEach((column, index) => {
    const first = incomplete.slice(0, index).find((earlier) => areMissingTogether(earlier, column));
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

const MIN_CELLS = 5;
const MAX_VALUES = 3;

const hasBoth = ({ missing, codes }: SampledColumn): boolean =>
  missing >= MIN_CELLS && codes.length - missing >= MIN_CELLS;

const areMissingTogether = (a: SampledColumn, b: SampledColumn): boolean =>
  a.missing === b.missing && a.codes.every((code, row) => code < 0 === b.codes[row]! < 0);

/** Texts of `of` beside which `column` is missing, or not (`except`). */
function missingWhen(of: SampledColumn, column: SampledColumn): { values: string[]; except: boolean } | undefined {
  if (of.missing > 0 || of.levels.length < 2) return undefined;
  const isMissing = new Int8Array(of.levels.length).fill(-1);
  for (let row = 0; row < of.codes.length; row++) {
    const missing = column.codes[row]! < 0 ? 1 : 0;
    const code = of.codes[row]!;
    if (isMissing[code] === -1) isMissing[code] = missing;
    else if (isMissing[code] !== missing) return undefined;
  }
  const missing = of.levels.filter((_, code) => isMissing[code] === 1);
  const others = of.levels.filter((_, code) => isMissing[code] === 0);
  const [values, except] = missing.length <= others.length ? [missing, false] : [others, true];
  const isOften = (level: string): boolean => of.counts[of.levels.indexOf(level)]! >= MIN_CELLS;
  return values.length <= MAX_VALUES && values.every(isOften) ? { values, except } : undefined;
}

type WithoutWords<R> = R extends Relation ? Omit<R, 'sentence' | 'rows'> : never;
type RelationDraft = WithoutWords<Relation>;

function sentenceOf(relation: RelationDraft, rows: number, isTime = false): string {
  const column = `Column ${quoted(relation.column)}`;
  const { share } = relation;
  const where = share === undefined ? 'all' : `${Math.round(10_000 * share) / 100} % of the`;
  return `${column} ${predicate(relation, isTime)} in ${where} ${counted(rows, 'row')} examined.`;
}

function predicate(relation: RelationDraft, isTime: boolean): string {
  const of = quoted(relation.of);
  switch (relation.kind) {
    case 'copy':
      return `is a copy of ${of}`;
    case 'function':
      return `equals ${formula(relation)}, up to rounding,`;
    case 'sum':
      return `equals ${relation.parts.map(quoted).join(' + ')}, up to rounding,`;
    case 'order':
      if (relation.strict) return `is ${isTime ? 'after' : 'above'} ${of}`;
      return `is ${relation.share === undefined ? 'never' : 'not'} ${isTime ? 'before' : 'below'} ${of}`;
    case 'labels':
      return relation.one_to_one ? `is a one-to-one relabelling of ${of}` : `is determined by ${of}`;
    case 'missing_together':
      return `is missing exactly where ${of} is missing`;
    case 'missing_when': {
      const values = listed(relation.values.map(quoted));
      return `is missing exactly where ${of} is ${relation.except ? 'not ' : ''}${values}`;
    }
  }
}

function formula({ form, slope, intercept, of }: RelationDraft & { kind: 'function' }): string {
  const x = quoted(of);
  if (form !== 'linear') return form === 'ln(1+x)' ? `ln(1 + ${x})` : `${form}(${x})`;
  if (slope === 1 && intercept === 0) return x;
  const scaled = slope === 1 ? x : slope === -1 ? `−${x}` : `${short(slope)} × ${x}`;
  if (intercept === 0) return scaled;
  return `${scaled} ${intercept < 0 ? '−' : '+'} ${short(Math.abs(intercept))}`;
}

const short = (value: number): string => String(Number(value.toPrecision(6)));
