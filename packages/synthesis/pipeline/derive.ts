/** derive: columns that follow from others are not modelled but made from them, so that they agree in every row. */
import type { CellFormat } from '../../contract/columns.ts';
import { parseCell } from '../../tables/format/cellFormat.ts';
import type { Profile } from '../../tables/profile/profile.ts';
import {
  confirmRelation,
  confirmSum,
  FORM_VALUES,
  isValueRelation,
  type SumRelation,
  type ValueRelation,
} from '../../tables/relations/valueRelations.ts';
import { type CellColumn, type CellTable, columnOf, MISSING } from '../../tables/table.ts';
import { listed, quoted } from '../../words/wording.ts';
import type { ModelColumn } from '../models/model.ts';
import type { ColumnReading, Derivation } from './modelTable.ts';

export const sourcesOf = (derivation: Derivation): readonly string[] =>
  derivation.kind === 'sum' ? derivation.parts : [derivation.of];

/** Derivations by column: of the relations between columns of the request, those that hold in every row. */
export function derivationsOf(
  profile: Profile,
  cells: CellTable,
  readings: ReadonlyMap<string, ColumnReading>,
  notes: string[],
): Map<string, Derivation> {
  const derivations = new Map<string, Derivation>();
  const whole = (name: string) => ({ ...readings.get(name)!, cells: columnOf(cells, name) });
  for (const relation of profile.relations) {
    const column = readings.get(relation.column);
    if (!column || derivations.has(relation.column)) continue;
    const derivation = isValueRelation(relation)
      ? valueDerivation(relation, column, readings, whole, cells)
      : relation.kind === 'sum'
        ? sumDerivation(relation, column, readings, whole)
        : undefined;
    if (!derivation || sourcesOf(derivation).some((name) => leadsTo(name, relation.column, derivations))) continue;
    derivations.set(relation.column, derivation);
    notes.push(noteOf(relation.column, column, derivation));
  }
  return derivations;
}

type Whole = (name: string) => ColumnReading & { cells: CellColumn };

function noteOf(name: string, { role }: ColumnReading, derivation: Derivation): string {
  const column = role === 'target' ? `The target ${quoted(name)}` : `Column ${quoted(name)}`;
  const sources = listed(sourcesOf(derivation).map(quoted));
  const how =
    derivation.kind === 'sum' ? `as the sum of ${sources}` : `from ${sources}, which determines it in every row`;
  const model = role === 'target' ? ' Its model is reported but was not used to generate it.' : '';
  return `${column} was computed ${how}.${model}`;
}

/** True where the column named `from` is, or is made from, the one named `to`. */
function leadsTo(from: string, to: string, derivations: ReadonlyMap<string, Derivation>): boolean {
  const derivation = derivations.get(from);
  return from === to || (derivation ? sourcesOf(derivation).some((name) => leadsTo(name, to, derivations)) : false);
}

const isNumeric = ({ role }: ColumnReading): boolean => role === 'continuous' || role === 'target';

function valueDerivation(
  relation: ValueRelation,
  column: ColumnReading,
  readings: ReadonlyMap<string, ColumnReading>,
  whole: Whole,
  cells: CellTable,
): Derivation | undefined {
  const of = readings.get(relation.of);
  if (!of || !canDerive(relation, of, column)) return undefined;
  const confirmed = confirmRelation(relation, whole(relation.of), whole(relation.column));
  return confirmed && derivationBy(confirmed, cells, column);
}

function canDerive({ kind }: ValueRelation, of: ColumnReading, column: ColumnReading): boolean {
  // A column's own token for a missing cell is no number, and stands for none.
  const hasTokens = of.tokens.length + column.tokens.length > 0;
  if (hasTokens && kind !== 'copy') return false;
  if (kind === 'function') return isNumeric(of) && isNumeric(column);
  if (kind === 'labels') return of.role === 'categorical' && (column.role === 'categorical' || isNumeric(column));
  return (of.role === column.role && !isNumeric(of)) || (isNumeric(of) && isNumeric(column));
}

/** A total of numbers; one with tokens of its own for missing cells is modelled, since a sum knows but one. */
function sumDerivation(
  { column, parts }: SumRelation,
  total: ColumnReading,
  readings: ReadonlyMap<string, ColumnReading>,
  whole: Whole,
): Derivation | undefined {
  const read = parts.map((name) => readings.get(name));
  const isCountable = (part: ColumnReading | undefined): boolean =>
    part !== undefined && isNumeric(part) && part.format !== null && part.format.kind !== 'time';
  if (!isCountable(total) || total.tokens.length > 0 || !read.every(isCountable)) return undefined;
  return confirmSum(whole(column), parts.map(whole)) ? { kind: 'sum', parts } : undefined;
}

/** The format of a total, open to all sums that its parts can have. */
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
  if (relation.kind === 'function') {
    const curve = FORM_VALUES[relation.form];
    return { kind: 'function', of, valueOf: (x) => relation.slope * curve(x) + relation.intercept };
  }
  const [from, to] = [columnOf(cells, of), columnOf(cells, relation.column)];
  const labels = new Map<string | null, string | null>();
  const textOf = (levels: readonly string[], code: number) => (code === MISSING ? null : (levels[code] ?? null));
  from.codes.forEach((code, row) => {
    labels.set(textOf(from.levels, code), textOf(to.levels, to.codes[row]!));
  });
  if (isNumeric(column)) {
    const numberOf = (text: string | null): number =>
      (text === null || !format ? undefined : parseCell(text, format)) ?? Number.NaN;
    return { kind: 'numbers', of, numbers: new Map([...labels].map(([level, label]) => [level, numberOf(label)])) };
  }
  return { kind: 'labels', of, levels: to.levels, labels };
}

/** The column of the given name, made from those that it follows from, in the order of `sourcesOf`. */
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
