/** Rules for cells that are missing exactly when another column has certain values. */
import type { CellFormat, Relation } from '../../contract/columns.ts';
import { formatCell } from '../../tables/format/cellFormat.ts';
import { type CellTable, cellAt, columnOf } from '../../tables/table.ts';
import type { ModelColumn, ModelTable } from '../models/model.ts';
import type { ModelledRole } from '../models/registry.ts';
import { isGone, isMissing, type MissingRule, markMissing, type PlannedColumn } from '../table/modelTable.ts';

/** Drawing order: rules must not read later roles. */
const MADE: Readonly<Record<ModelledRole, number>> = {
  categorical: 0,
  continuous: 1,
  target: 2,
  text: 3,
  identifier: 4,
};

type Candidate = Pick<PlannedColumn, 'name' | 'role' | 'tokens'>;
type Known = Pick<PlannedColumn, 'name' | 'role' | 'tokens' | 'derivation'>;

/** Returns null unless a rule holds in every row. */
export function missingRuleOf(
  column: Candidate,
  relations: readonly Relation[],
  others: ReadonlyMap<string, Known>,
  table: ModelTable,
  cells: CellTable,
): MissingRule | null {
  const relation = missingWhen(relations, column.name);
  if (!relation || column.role === 'categorical' || column.tokens.length > 0) return null;
  const of = others.get(relation.of);
  if (!of || of.derivation || of.role === 'text' || MADE[of.role] > MADE[column.role]) return null;
  const rule = { of: relation.of, values: new Set(relation.values), except: relation.except };
  const says = columnOf(cells, relation.of);
  const modelled = table.columns.get(column.name)!;
  for (let row = 0; row < table.rows; row++) {
    if (isMissing(modelled, row) !== saysMissing(rule, cellAt(says, row))) return null;
  }
  return rule;
}

/** Also finds the rule of a column with the same missing rows. */
function missingWhen(relations: readonly Relation[], name: string) {
  const together = relations.find((each) => each.kind === 'missing_together' && each.column === name);
  for (const column of [name, together?.of]) {
    const found = relations.find((each) => each.kind === 'missing_when' && each.column === column);
    if (found?.kind === 'missing_when') return found;
  }
  return undefined;
}

/** Returns undefined unless another column has the same missing rows. */
export function sharedMissingness(
  column: Candidate,
  relations: readonly Relation[],
  others: ReadonlyMap<string, PlannedColumn>,
  table: ModelTable,
): Pick<PlannedColumn, 'indicator' | 'missingRule'> | undefined {
  const relation = relations.find((each) => each.kind === 'missing_together' && each.column === column.name);
  const of = relation && others.get(relation.of);
  if (!of || [of, column].some(({ role, tokens }) => role === 'categorical' || tokens.length > 0)) return undefined;
  const rule = of.missingRule;
  if (of.derivation || (rule && MADE[others.get(rule.of)!.role] > MADE[column.role])) return undefined;
  const [first, second] = [table.columns.get(of.name)!, table.columns.get(column.name)!];
  for (let row = 0; row < table.rows; row++) if (isMissing(first, row) !== isMissing(second, row)) return undefined;
  return { indicator: of.indicator, missingRule: rule };
}

const saysMissing = ({ values, except }: MissingRule, text: string | null): boolean =>
  text !== null && values.has(text) !== except;

interface Asked {
  source: ModelColumn;
  format: CellFormat | null;
  indicator: ModelColumn | undefined;
}

/** Moves values from rows that become missing to rows that become present, which preserves their distribution. */
export function withRule(column: ModelColumn, rule: MissingRule, { source, format, indicator }: Asked): ModelColumn {
  const isMissingAt = Array.from({ length: rowsOf(column) }, (_, row) =>
    saysMissing(rule, textIn(source, row, format)),
  );
  const values: { to: number[]; from: number[] } = { to: [], from: [] };
  isMissingAt.forEach((missing, row) => {
    if (missing !== isGone(indicator, row)) values[missing ? 'from' : 'to'].push(row);
  });
  return markMissing(moved(column, values.from, values.to), (row) => isMissingAt[row]!);
}

const rowsOf = (column: ModelColumn): number => (column.kind === 'category' ? column.codes : column.values).length;

function moved(column: ModelColumn, from: readonly number[], to: readonly number[]): ModelColumn {
  if (column.kind === 'category') return column;
  const count = Math.min(from.length, to.length);
  if (column.kind === 'numeric') {
    const values = column.values.slice();
    for (let i = 0; i < count; i++) values[to[i]!] = column.values[from[i]!]!;
    return { ...column, values };
  }
  const values = column.values.slice();
  for (let i = 0; i < count; i++) values[to[i]!] = column.values[from[i]!] ?? null;
  return { ...column, values };
}

function textIn(column: ModelColumn, row: number, format: CellFormat | null): string | null {
  if (column.kind === 'numeric') {
    const value = column.values[row]!;
    if (Number.isNaN(value)) return null;
    return format ? formatCell(value, format) : String(value);
  }
  return column.kind === 'category' ? (column.levels[column.codes[row]!] ?? null) : (column.values[row] ?? null);
}
