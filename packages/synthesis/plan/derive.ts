/** Computes columns that follow from others, so that every row agrees. */
import type { CellFormat } from '../../contract/columns.ts';
import { parseCell } from '../../tables/format/cellFormat.ts';
import type { Profile } from '../../tables/profile/profile.ts';
import {
  confirmRelation,
  confirmSum,
  isValueRelation,
  mostlyBeside,
  type SumRelation,
  type ValueRelation,
  valueBy,
} from '../../tables/relations/valueRelations.ts';
import { type CellColumn, type CellTable, cellAt, columnOf, MISSING } from '../../tables/table.ts';
import { listed, quoted } from '../../words/wording.ts';
import type { ModelColumn } from '../models/model.ts';
import {
  type ColumnReading,
  type Derivation,
  type Exceptions,
  exceptionsOf,
  exceptionWords,
  type RelationHooks,
  readAs,
} from '../table/modelTable.ts';

export const sourcesOf = (derivation: Derivation): readonly string[] =>
  derivation.kind === 'sum' ? derivation.parts : [derivation.of];

export interface Derived {
  derivation: Derivation;
  exceptions: Exceptions | null;
}

/** Derives columns by relations that hold in all or nearly all rows. */
export function derivationsOf(
  profile: Profile,
  cells: CellTable,
  readings: ReadonlyMap<string, ColumnReading>,
  { notes, withoutExceptions }: RelationHooks,
): Map<string, Derived> {
  const derivations = new Map<string, Derived>();
  const whole = (name: string) => ({ ...readings.get(name)!, cells: columnOf(cells, name) });
  for (const relation of profile.relations) {
    const column = readings.get(relation.column);
    if (!column || derivations.has(relation.column)) continue;
    const own = isValueRelation(relation)
      ? valueDerivation(relation, column, readings, whole, cells)
      : relation.kind === 'sum'
        ? sumDerivation(relation, column, readings, whole)
        : undefined;
    if (!own || (withoutExceptions && own.exceptions)) continue;
    if (sourcesOf(own.derivation).some((name) => leadsTo(name, relation.column, derivations))) continue;
    derivations.set(relation.column, own);
    notes.push(noteOf(relation.column, column, own));
  }
  return derivations;
}

type Whole = (name: string) => ColumnReading & { cells: CellColumn };

function noteOf(name: string, { role }: ColumnReading, { derivation, exceptions }: Derived): string {
  const column = role === 'target' ? `The target ${quoted(name)}` : `Column ${quoted(name)}`;
  const sources = listed(sourcesOf(derivation).map(quoted));
  const how =
    derivation.kind === 'sum'
      ? `as the sum of ${sources}`
      : `from ${sources}, which determines it${exceptions ? '' : ' in every row'}`;
  const but = exceptions ? `, ${exceptionWords(exceptions)}` : '';
  const model = role === 'target' ? ' Its model is reported but was not used to generate it.' : '';
  return `${column} was computed ${how}${but}.${model}`;
}

function leadsTo(from: string, to: string, derivations: ReadonlyMap<string, Derived>): boolean {
  const derivation = derivations.get(from)?.derivation;
  return from === to || (derivation ? sourcesOf(derivation).some((name) => leadsTo(name, to, derivations)) : false);
}

const isNumeric = (reading: ColumnReading): boolean => readAs(reading) === 'numbers';

function valueDerivation(
  relation: ValueRelation,
  column: ColumnReading,
  readings: ReadonlyMap<string, ColumnReading>,
  whole: Whole,
  cells: CellTable,
): Derived | undefined {
  const of = readings.get(relation.of);
  if (!of || !canDerive(relation, of, column)) return undefined;
  const confirmed = confirmRelation(relation, whole(relation.of), whole(relation.column));
  if (!confirmed) return undefined;
  const { relation: own, broken } = confirmed;
  const offsetIn = (row: number): number =>
    own.kind === 'function'
      ? numberIn(whole(own.column), row) - valueBy(own, numberIn(whole(own.of), row))
      : Number.NaN;
  return {
    derivation: derivationBy(own, cells, column),
    // Missing cells can break it too, so all rows count.
    exceptions: exceptionsAt(broken, own.kind === 'labels' ? cells.rows : cellsIn(whole(own.column)), offsetIn),
  };
}

const numberIn = ({ cells, format }: ReturnType<Whole>, row: number): number => {
  const text = cellAt(cells, row);
  return (text === null || !format ? undefined : parseCell(text, format)) ?? Number.NaN;
};

const cellsIn = ({ cells }: ReturnType<Whole>): number =>
  cells.codes.reduce((count, code) => count + (code === MISSING ? 0 : 1), 0);

const exceptionsAt = (broken: readonly number[], rows: number, offsetIn: (row: number) => number): Exceptions | null =>
  exceptionsOf(broken.length / rows, Float64Array.from(broken, offsetIn));

function canDerive({ kind }: ValueRelation, of: ColumnReading, column: ColumnReading): boolean {
  // Only copies keep a column's own missing tokens.
  const hasTokens = of.tokens.length + column.tokens.length > 0;
  if (hasTokens && kind !== 'copy') return false;
  if (kind === 'function') return isNumeric(of) && isNumeric(column);
  if (kind === 'labels') return readAs(of) === 'levels' && (readAs(column) === 'levels' || isNumeric(column));
  return readAs(of) === readAs(column);
}

/** A sum cannot produce missing tokens. */
function sumDerivation(
  { column, parts }: SumRelation,
  total: ColumnReading,
  readings: ReadonlyMap<string, ColumnReading>,
  whole: Whole,
): Derived | undefined {
  const read = parts.map((name) => readings.get(name));
  const isCountable = (part: ColumnReading | undefined): boolean =>
    part !== undefined && isNumeric(part) && part.format !== null && part.format.kind !== 'time';
  if (!isCountable(total) || total.tokens.length > 0 || !read.every(isCountable)) return undefined;
  const [own, others] = [whole(column), parts.map(whole)];
  const broken = confirmSum(own, others);
  if (!broken) return undefined;
  const offsetIn = (row: number): number =>
    numberIn(own, row) - others.reduce((sum, part) => sum + numberIn(part, row), 0);
  return { derivation: { kind: 'sum', parts }, exceptions: exceptionsAt(broken, cellsIn(own), offsetIn) };
}

/** Widens the range to all possible sums. */
export function formatOfSum(format: CellFormat, parts: readonly (CellFormat | null)[]): CellFormat {
  const ends = (end: 'min' | 'max'): number => parts.reduce((sum, part) => sum + (part?.format[end] ?? 0), 0);
  const { format: numbers } = format;
  const bounds = { min: Math.min(numbers.min, ends('min')), max: Math.max(numbers.max, ends('max')) };
  return { ...format, format: { ...numbers, ...bounds } };
}

function derivationBy(relation: ValueRelation, cells: CellTable, column: ColumnReading): Derivation {
  const { format } = column;
  const { of } = relation;
  if (relation.kind === 'copy') return { kind: 'copy', of };
  if (relation.kind === 'function') return { kind: 'function', of, valueOf: (x) => valueBy(relation, x) };
  const [from, to] = [columnOf(cells, of), columnOf(cells, relation.column)];
  const labels = new Map<string | null, string | null>();
  const textOf = (levels: readonly string[], code: number) => (code === MISSING ? null : (levels[code] ?? null));
  const beside = mostlyBeside(from, to, from.codes.length)!;
  for (const code of new Set(from.codes)) labels.set(textOf(from.levels, code), textOf(to.levels, beside[code + 1]!));
  if (isNumeric(column)) {
    const numberOf = (text: string | null): number =>
      (text === null || !format ? undefined : parseCell(text, format)) ?? Number.NaN;
    return { kind: 'numbers', of, numbers: new Map([...labels].map(([level, label]) => [level, numberOf(label)])) };
  }
  return { kind: 'labels', of, levels: to.levels, labels };
}

/** `sources` are ordered as by `sourcesOf`. Throws RangeError if their kind does not fit. */
export function derived(name: string, derivation: Derivation, sources: readonly ModelColumn[]): ModelColumn {
  if (derivation.kind === 'sum') return { kind: 'numeric', name, values: addedUp(sources) };
  const source = sources[0]!;
  if (derivation.kind === 'copy') return { ...source, name };
  if (derivation.kind === 'function' && source.kind === 'numeric') {
    const values = source.values.map((value) => {
      const made = derivation.valueOf(value);
      return Number.isFinite(made) ? made : Number.NaN;
    });
    return { kind: 'numeric', name, values };
  }
  if (derivation.kind === 'numbers' && source.kind === 'category') {
    const { levels, codes } = source;
    const numberOf = (code: number) => derivation.numbers.get(levels[code] ?? null) ?? Number.NaN;
    return { kind: 'numeric', name, values: Float64Array.from(codes, numberOf) };
  }
  if (derivation.kind === 'labels' && source.kind === 'category') {
    const { levels, labels } = derivation;
    const codeOf = (level: string | null): number => {
      const label = labels.get(level) ?? null;
      return label === null ? MISSING : levels.indexOf(label);
    };
    const ofLevels = source.levels.map(codeOf);
    const ofMissing = codeOf(null);
    return {
      kind: 'category',
      name,
      levels,
      codes: source.codes.map((code) => (code < 0 ? ofMissing : ofLevels[code]!)),
    };
  }
  throw new RangeError(
    `column ${JSON.stringify(name)} cannot be made from a ${source.kind} column by ${derivation.kind}`,
  );
}

function addedUp(parts: readonly ModelColumn[]): Float64Array {
  const numbers = parts.map((part) => {
    if (part.kind === 'numeric') return part.values;
    throw new RangeError(`column ${JSON.stringify(part.name)} is ${part.kind}, and no part of a sum`);
  });
  return numbers[0]!.map((_, row) => numbers.reduce((sum, values) => sum + values[row]!, 0));
}
