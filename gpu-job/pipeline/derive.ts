/** derive: columns that follow from others are not modelled but made from them, so that they agree in every row. */
import { undress } from '../../domain/dress/dress.ts';
import type { Profile } from '../../domain/profile/profile.ts';
import { confirmRelation, isValueRelation, type ValueRelation } from '../../domain/relations/confirmRelation.ts';
import { FORM_VALUES } from '../../domain/relations/relation.ts';
import { type CellTable, columnOf, MISSING } from '../../domain/table/table.ts';
import { quoted } from '../../domain/table/wording.ts';
import type { ModelColumn } from '../models/model.ts';
import type { ColumnReading } from './modelTable.ts';

/** How a column is made from another one. */
export type Derivation =
  | { kind: 'copy'; of: string }
  | { kind: 'function'; of: string; valueOf: (x: number) => number }
  /** The number, or the text, beside each text of `of`; null is a missing cell. */
  | { kind: 'numbers'; of: string; numbers: ReadonlyMap<string | null, number> }
  | { kind: 'labels'; of: string; levels: readonly string[]; labels: ReadonlyMap<string | null, string | null> };

/** Derivations by column: of the relations between columns of the request, those that hold in every row. The target is modelled. */
export function derivationsOf(
  profile: Profile,
  cells: CellTable,
  readings: ReadonlyMap<string, ColumnReading>,
  notes: string[],
): Map<string, Derivation> {
  const derivations = new Map<string, Derivation>();
  for (const relation of profile.relations.filter(isValueRelation)) {
    const [of, column] = [readings.get(relation.of), readings.get(relation.column)];
    if (!of || !column || !canDerive(relation, of, column)) continue;
    const whole = (name: string, { dress }: ColumnReading) => ({ cells: columnOf(cells, name), dress });
    const confirmed = confirmRelation(relation, whole(relation.of, of), whole(relation.column, column));
    if (!confirmed) continue;
    derivations.set(relation.column, derivationBy(confirmed, cells, column));
    notes.push(
      `Column ${quoted(relation.column)} was made from ${quoted(relation.of)}, from which it follows in every row.`,
    );
  }
  return derivations;
}

function canDerive({ kind }: ValueRelation, of: ColumnReading, column: ColumnReading): boolean {
  const isNumeric = ({ role }: ColumnReading): boolean => role === 'continuous' || role === 'target';
  // A column's own token for a missing cell is no number, and stands for none.
  const hasTokens = of.tokens.length + column.tokens.length > 0;
  if (column.role === 'target' || (hasTokens && kind !== 'copy')) return false;
  if (kind === 'function') return isNumeric(of) && isNumeric(column);
  if (kind === 'labels') return of.role === 'categorical' && (column.role === 'categorical' || isNumeric(column));
  return of.role === column.role || (isNumeric(of) && isNumeric(column));
}

function derivationBy(relation: ValueRelation, cells: CellTable, { role, dress }: ColumnReading): Derivation {
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
  if (role === 'continuous') {
    const numberOf = (text: string | null): number =>
      (text === null || !dress ? undefined : undress(text, dress)) ?? Number.NaN;
    return { kind: 'numbers', of, numbers: new Map([...labels].map(([level, label]) => [level, numberOf(label)])) };
  }
  return { kind: 'labels', of, levels: to.levels, labels };
}

/** The column of the given name, made from the one that it follows from. */
export function derived(name: string, derivation: Derivation, source: ModelColumn): ModelColumn {
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
