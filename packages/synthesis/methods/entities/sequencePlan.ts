/** Separates columns drawn once per entity from those drawn row by row. */
import { JobError } from '../../../contract/errors.ts';
import type { TableRequest } from '../../../contract/requests.ts';
import type { ModelColumn, ModelTable } from '../../models/model.ts';
import type { SequenceColumn } from '../../models/sequence/sequenceModel.ts';
import { planBatches } from '../../plan/conditions.ts';
import { sourcesOf } from '../../plan/derive.ts';
import type { GrowingTable } from '../../plan/orders.ts';
import type { Plan } from '../../plan/plan.ts';
import { startsOf } from '../../table/entityRows.ts';
import type { PlannedColumn } from '../../table/modelTable.ts';
import { takeRows } from '../../table/takeRows.ts';
import { findWithin } from './findWithin.ts';
import type { Within } from './withinEntities.ts';

export interface SequencePlan {
  key: string;
  /** Key and constant columns, one row per entity. */
  ofEntities: Plan;
  ofRows: Plan;
  constants: string[];
  columns: SequenceColumn[];
  within: Within[];
}

/** Requires each entity's rows to be adjacent. */
export function planSequences(
  plan: Plan,
  table: GrowingTable,
  request: TableRequest,
  notes: string[],
): { plan: Plan; sequences: SequencePlan } {
  const { key, order } = plan.entity!;
  const starts = startsOf(table, key);
  const isConstant = (name: string): boolean => isConstantIn(table.columns.get(name)!, starts);
  const constant = constantColumns(
    plan.columns.filter(({ name }) => name !== key && name !== order && isConstant(name)),
  );
  const names = new Set([key, ...constant.map(({ name }) => name)]);
  const rows = plan.columns.filter(({ name }) => !names.has(name));
  const within = findWithin(
    { table, starts },
    rows.filter(({ role }) => role === 'categorical' || role === 'continuous' || role === 'target'),
  );
  const open = (column: PlannedColumn): PlannedColumn =>
    names.has(column.name) ? column : withOpenFormat(column, within, order);
  const opened = { ...plan, columns: plan.columns.map(open) };
  const varying = opened.columns.filter(({ name }) => !names.has(name));
  const ofRows = {
    ...opened,
    columns: varying,
    orders: plan.orders.filter(({ of, column }) => !(names.has(of) && names.has(column))),
  };
  const ofEntities = withBatches(
    partOf(
      opened,
      opened.columns.filter(({ name }) => names.has(name)),
    ),
    table,
    starts,
    request,
    notes,
  );
  const constants = [...new Set([...tableNames(ofEntities.columns), ...ofEntities.seedColumns])].filter(
    (name) => name !== key,
  );
  return {
    plan: opened,
    sequences: { key, ofEntities, ofRows, constants, columns: sequenceColumns(ofRows.columns, within, order), within },
  };
}

/** Applies conditions to entities. */
function withBatches(
  plan: Plan,
  table: GrowingTable,
  starts: Int32Array,
  request: TableRequest,
  notes: string[],
): Plan {
  const { conditions, n_entities, n_samples } = request;
  if (conditions.length === 0) return plan;
  const varying = conditions.find(({ column }) => !plan.columns.some(({ name }) => name === column));
  if (varying)
    throw new JobError({ reason: 'condition_within_entities', column: varying.column }, { field: 'conditions' });
  const first = starts.slice(0, -1);
  const own = takeRows({ rows: table.rows, columns: new Map(table.columns) }, first);
  const growing = { rows: own.rows, columns: new Map(own.columns) };
  const entities = n_entities ?? Math.max(1, Math.floor((n_samples * own.rows) / table.rows));
  const taken = new Set(table.columns.keys());
  const planned = planBatches({ ...request, n_samples: entities }, plan.columns, growing, taken, notes);
  for (const [name, column] of growing.columns) {
    if (column.kind === 'category' && !table.columns.has(name))
      table.columns.set(name, { ...column, codes: spreadOut(column.codes, starts) });
  }
  return { ...plan, ...planned };
}

function spreadOut(codes: Int32Array, starts: Int32Array): Int32Array {
  const out = new Int32Array(starts.at(-1)!);
  codes.forEach((code, entity) => {
    out.fill(code, starts[entity], starts[entity + 1]);
  });
  return out;
}

const partOf = (plan: Plan, columns: readonly PlannedColumn[]): Plan => {
  const names = new Set(columns.map(({ name }) => name));
  return { ...plan, columns, orders: plan.orders.filter(({ of, column }) => names.has(of) && names.has(column)) };
};

/** Drops columns that depend on changing ones. */
function constantColumns(columns: readonly PlannedColumn[]): PlannedColumn[] {
  const names = new Set(columns.map(({ name }) => name));
  const kept = columns.filter(({ derivation, missingRule, difference }) => {
    const needed = [
      ...(derivation ? sourcesOf(derivation) : []),
      ...[missingRule, difference].flatMap((one) => one?.of ?? []),
    ];
    return needed.every((name) => names.has(name));
  });
  return kept.length === columns.length ? kept : constantColumns(kept);
}

function isConstantIn(column: ModelColumn, starts: Int32Array): boolean {
  const cells: ArrayLike<unknown> = column.kind === 'category' ? column.codes : column.values;
  for (let entity = 0; entity + 1 < starts.length; entity++) {
    for (let row = starts[entity]! + 1; row < starts[entity + 1]!; row++) {
      if (!Object.is(cells[row], cells[row - 1])) return false;
    }
  }
  return true;
}

const tableNames = (columns: readonly PlannedColumn[]): string[] =>
  columns.flatMap(({ name, difference, indicator }) => [
    name,
    ...(difference ? [difference.name] : []),
    ...(indicator === null ? [] : [indicator]),
  ]);

/** Lets sums, monotone numbers and the order exceed their observed range. */
function withOpenFormat(column: PlannedColumn, within: readonly Within[], order: string | null): PlannedColumn {
  const { format } = column;
  const isOpen = within.some(
    (one) => one.kind !== 'distinct' && one.kind !== 'days' && one.kind !== 'advances' && one.column === column.name,
  );
  if (!format || !(isOpen || column.name === order)) return column;
  const { min, max } = format.format;
  const reach = Math.max(1, max - min);
  const numbers = { ...format.format, min: min - reach, max: max + reach };
  return { ...column, format: withNumbers(format, numbers) };
}

const withNumbers = <F extends NonNullable<PlannedColumn['format']>>(format: F, numbers: F['format']): F => ({
  ...format,
  format: numbers,
});

function sequenceColumns(
  columns: readonly PlannedColumn[],
  within: readonly Within[],
  order: string | null,
): SequenceColumn[] {
  const drawn = columns.filter(
    ({ role, derivation }) => derivation === null && role !== 'text' && role !== 'identifier',
  );
  const rank = ({ name, role }: PlannedColumn): number => {
    if (name === order) return 0;
    if (within.some((one) => one.kind === 'sum' && one.column === name)) return 4;
    return role === 'categorical' ? 1 : role === 'continuous' ? 2 : 3;
  };
  const inOrder = [...drawn].sort((a, b) => rank(a) - rank(b));
  const indicators = new Set(
    columns
      .filter(({ derivation }) => derivation === null)
      .flatMap(({ indicator }) => (indicator === null ? [] : [indicator])),
  );
  const out: SequenceColumn[] = [];
  const plain = { isChange: false, days: null, follows: null, parts: null };
  const add = (name: string, rest: Partial<SequenceColumn> = {}): void => {
    if (!out.some((column) => column.name === name)) out.push({ ...plain, name, indicator: null, ...rest });
  };
  for (const column of inOrder) {
    if (column.indicator !== null) add(column.indicator);
    indicators.delete(column.indicator ?? '');
    const { name } = column;
    const own = within.filter((one) => one.kind !== 'distinct' && one.column === name);
    const days = own.find((one) => one.kind === 'days');
    const advances = own.find((one) => one.kind === 'advances');
    const sum = own.find((one) => one.kind === 'sum');
    add(column.difference?.name ?? name, {
      indicator: column.indicator,
      days: days?.kind === 'days' ? { units: days.units, allowed: days.allowed } : null,
      isChange: name === order || own.some(({ kind }) => kind === 'rises' || kind === 'falls'),
      follows: advances?.kind === 'advances' ? advances.follows : null,
      parts: sum?.kind === 'sum' ? sum.parts : null,
    });
  }
  for (const name of indicators) add(name);
  return out;
}

/** Leaves out indicators of conditions. */
export const columnsOfRows = ({ constants, columns, ofEntities }: SequencePlan, table: ModelTable): string[] => {
  const isCondition = (name: string): boolean => {
    const column = table.columns.get(name);
    return ofEntities.seedColumns.includes(name) && column?.kind === 'category' && column.indicator === true;
  };
  return [...constants.filter((name) => !isCondition(name)), ...columns.map(({ name }) => name)];
};

export function entityTable(table: ModelTable, starts: Int32Array, names: readonly string[]): ModelTable {
  const columns = new Map(
    names.flatMap((name) => {
      const column = table.columns.get(name);
      return column ? [[name, column] as const] : [];
    }),
  );
  return takeRows({ rows: table.rows, columns }, starts.slice(0, -1));
}
