/** One row per entity: constants, row count, and summaries. Attacks on entities use this table. */
import type { CategoryColumn, ModelColumn, ModelTable, NumericColumn } from '../../models/model.ts';
import type { EntityRows } from '../../table/entityRows.ts';
import { takeRows } from '../../table/takeRows.ts';
import type { MeasureRoles } from '../columns.ts';

const MAX_COLUMNS = 30;

export function summaryRoles(
  { continuous, categorical, target }: MeasureRoles,
  constants: ReadonlySet<string>,
  table: ModelTable,
): MeasureRoles {
  const targetOf = (kind: ModelColumn['kind']): string[] =>
    target !== null && table.columns.get(target)?.kind === kind ? [target] : [];
  const numbers = [...continuous, ...targetOf('numeric')];
  const categories = [...categorical, ...targetOf('category')];
  const varying = (names: readonly string[]): string[] =>
    names.filter((name) => !constants.has(name)).slice(0, MAX_COLUMNS);
  const constant = (names: readonly string[]): string[] => names.filter((name) => constants.has(name));
  return {
    target: null,
    continuous: [ROWS, ...constant(numbers), ...varying(numbers).flatMap((name) => numberNames(name))],
    categorical: [...constant(categories), ...varying(categories).flatMap((name) => levelNames(name))],
    text: [],
  };
}

const ROWS = 'rows of the entity';
const numberNames = (name: string): string[] => [`mean ${name}`, `first ${name}`, `last ${name}`];
const levelNames = (name: string): string[] => [`usual ${name}`, `last ${name}`];

export function summarise({ table, starts }: EntityRows, constants: ReadonlySet<string>): ModelTable {
  const entities = starts.length - 1;
  const first = starts.slice(0, -1);
  const last = Int32Array.from({ length: entities }, (_, entity) => starts[entity + 1]! - 1);
  const columns = new Map<string, ModelColumn>();
  const rows = Float64Array.from({ length: entities }, (_, entity) => starts[entity + 1]! - starts[entity]!);
  columns.set(ROWS, { kind: 'numeric', name: ROWS, values: rows });
  for (const [name, column] of table.columns) {
    if (column.kind === 'text') continue;
    if (constants.has(name)) columns.set(name, taken(column, first));
    else if (column.kind === 'numeric') {
      const [mean, atFirst, atLast] = numberNames(name) as [string, string, string];
      columns.set(mean, { kind: 'numeric', name: mean, values: meansOf(column, starts) });
      columns.set(atFirst, { ...taken(column, first), name: atFirst });
      columns.set(atLast, { ...taken(column, last), name: atLast });
    } else {
      const [usual, atLast] = levelNames(name) as [string, string];
      columns.set(usual, { ...column, name: usual, codes: usualOf(column, starts) });
      columns.set(atLast, { ...taken(column, last), name: atLast });
    }
  }
  return { rows: entities, columns };
}

const taken = (column: ModelColumn, rows: Int32Array): ModelColumn =>
  takeRows({ rows: rows.length, columns: new Map([[column.name, column]]) }, rows).columns.get(column.name)!;

function meansOf({ values }: NumericColumn, starts: Int32Array): Float64Array {
  const out = new Float64Array(starts.length - 1);
  for (let entity = 0; entity < out.length; entity++) {
    let [sum, count] = [0, 0];
    for (let row = starts[entity]!; row < starts[entity + 1]!; row++) {
      if (Number.isNaN(values[row]!)) continue;
      sum += values[row]!;
      count++;
    }
    out[entity] = count === 0 ? Number.NaN : sum / count;
  }
  return out;
}

/** Ties go to the first level. */
function usualOf({ codes }: CategoryColumn, starts: Int32Array): Int32Array {
  return Int32Array.from({ length: starts.length - 1 }, (_, entity) => {
    const counts = new Map<number, number>();
    for (let row = starts[entity]!; row < starts[entity + 1]!; row++)
      counts.set(codes[row]!, (counts.get(codes[row]!) ?? 0) + 1);
    let best = codes[starts[entity]!]!;
    for (const [code, count] of counts) if (count > counts.get(best)!) best = code;
    return best;
  });
}
