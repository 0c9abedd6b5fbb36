/** Plans how columns are read and generated, and prepares the table for the models. */

import { type ColumnProfile, namedColumns, type RequestRole } from '../../contract/columns.ts';
import { type Family, type FamilyChoice, isOfNumbers } from '../../contract/families.ts';
import type { TableRequest } from '../../contract/requests.ts';
import { inferCellFormat } from '../../tables/format/cellFormat.ts';
import { isMissing } from '../../tables/missing.ts';
import type { Profile } from '../../tables/profile/profile.ts';
import { type CellColumn, type CellTable, columnOf } from '../../tables/table.ts';
import { keyNote, quoted } from '../../words/wording.ts';
import { releasedRange } from '../disclosure/margin.ts';
import { MIN_RELEASED_ROWS } from '../disclosure/thresholds.ts';
import { detectFamily } from '../family/detectFamily.ts';
import { writtenSupport } from '../family/familySupport.ts';
import { isLabelTarget } from '../family/labelTarget.ts';
import type { MeasureRoles } from '../judge/columns.ts';
import type { EntityColumns } from '../methods/entities/arrangeEntities.ts';
import type { FitSettings, ModelColumn, ModelTable } from '../models/model.ts';
import type { ModelledRole } from '../models/registry.ts';
import {
  type ColumnReading,
  countMissing,
  type Derivation,
  type Difference,
  indicatorColumn,
  type PlannedColumn,
  toModelColumn,
} from '../table/modelTable.ts';
import { type Batch, planBatches } from './conditions.ts';
import { derivationsOf, formatOfSum } from './derive.ts';
import { missingRuleOf, sharedMissingness } from './missingRules.ts';
import { differencesOf, freeName, type GrowingTable, type Order, ordersOf } from './orders.ts';

export interface Plan {
  /** In the upload's order. */
  columns: readonly PlannedColumn[];
  notUsed: readonly Pick<ColumnProfile, 'name' | 'kind'>[];
  /** Broken in generated rows as often as in real ones. */
  orders: readonly Order[];
  batches: readonly Batch[];
  /** Drawn before the models, to meet conditions. */
  seedColumns: readonly string[];
  /** Whether to model a derived target for the report. */
  describesTarget: boolean;
  settings: FitSettings;
  /** Null if rows are independent. */
  entity: EntityColumns | null;
  /** Null if the request names a family or no target. */
  familyChoice: FamilyChoice | null;
}

/**
 * The table has the plan's columns and their indicators. Throws JobError invalid_data if a column cannot be modelled
 * in its role. `notes` are for the metrics.
 */
export function makePlan(
  profile: Profile,
  cells: CellTable,
  request: TableRequest,
  { withoutExceptions = false, entity = null }: PlanOptions = {},
): { plan: Plan; table: GrowingTable; notes: string[] } {
  const notes: string[] = [];
  const { draws, tune, sampler, calibrate, text_epochs: textEpochs, keep_rare: keepRare } = request;
  const textSampling = { temperature: request.text_temperature, nucleus: request.text_nucleus };
  const familyChoice = chooseFamily(profile, request);
  const named = request.target_col === null || request.family === 'auto' ? null : request.family;
  const family = familyChoice?.family ?? named;
  const readings = withEntity(readingsOf(profile, cells, request, entity), request, profile);
  const derivations = derivationsOf(profile, cells, readings, { notes, withoutExceptions });
  const { columns, table } = readColumns(profile, cells, readings, derivations, notes);
  const taken = new Set(profile.columns.map(({ name }) => name));
  const orders = ordersOf(profile.relations, table, { notes, withoutExceptions });
  // Within entities, the change since the last row is more informative.
  const differences = entity ? new Map<string, Difference>() : differencesOf(orders, columns, table, taken);
  const related = columns
    .map((column) => withRelations(column, differences, readings))
    .map((column) => withReleased(column, orders, table, request.keep_rare))
    .map((column) => (calibrate || family === null || !isOfNumbers(family) ? column : withSupport(column, family)));
  const whole = withMissingness(related, profile, cells, table, taken);
  const { batches, seedColumns } = entity ? NO_BATCHES : planBatches(request, whole, table, taken, notes);
  const settings = { draws, tune, sampler, calibrate, textEpochs, textSampling, family, keepRare };
  const notUsed = profile.columns.flatMap(({ name, kind }) => (readings.has(name) ? [] : [{ name, kind }]));
  const drawn = { batches, seedColumns, describesTarget: true, entity };
  return { plan: { columns: whole, notUsed, orders, ...drawn, settings, familyChoice }, table, notes };
}

function readColumns(
  profile: Profile,
  cells: CellTable,
  readings: ReadonlyMap<string, ColumnReading>,
  derivations: ReturnType<typeof derivationsOf>,
  notes: string[],
): { columns: PlannedColumn[]; table: GrowingTable } {
  const made = new Map<string, ModelColumn>();
  const columns = profile.columns.flatMap((column): PlannedColumn[] => {
    const { name } = column;
    const reading = readings.get(name);
    if (!reading) return [];
    made.set(name, toModelColumn(columnOf(cells, name), reading, notes));
    notes.push(...notesOf(name, reading));
    if (reading.role === 'identifier') notes.push(keyNote(name));
    const own = derivations.get(name) ?? { derivation: null, exceptions: null };
    const later = { indicator: null, missingRule: null, difference: null, released: null };
    return [{ ...reading, name, profile: column, derivation: own.derivation, exceptions: own.exceptions, ...later }];
  });
  return { columns, table: { rows: cells.rows, columns: made } };
}

/** Entities, not rows, meet conditions (`planSequences`). */
const NO_BATCHES = { batches: [], seedColumns: [] };

export interface PlanOptions {
  withoutExceptions?: boolean;
  entity?: EntityColumns | null;
}

function withEntity(
  readings: Map<string, ColumnReading>,
  { entity_col: key }: TableRequest,
  { columns }: Profile,
): Map<string, ColumnReading> {
  const column = columns.find(({ name }) => name === key);
  if (column) readings.set(column.name, { role: 'identifier', format: null, tokens: tokensOf(column) });
  return readings;
}

/** Lets totals exceed their observed range. */
function withRelations(
  column: PlannedColumn,
  differences: ReadonlyMap<string, Difference>,
  readings: ReadonlyMap<string, ColumnReading>,
): PlannedColumn {
  const { name, derivation, format } = column;
  const parts = derivation?.kind === 'sum' ? derivation.parts.map((part) => readings.get(part)?.format ?? null) : null;
  const open = parts && format ? formatOfSum(format, parts) : format;
  return { ...column, format: open, difference: differences.get(name) ?? null };
}

/** Derived and ordered columns bypass the margin, so bounds them by the released range. */
function withReleased(
  column: PlannedColumn,
  orders: readonly Order[],
  table: ModelTable,
  keepRare: boolean,
): PlannedColumn {
  const { name, format, derivation, difference } = column;
  const own = table.columns.get(name);
  const isMade = derivation !== null || difference !== null;
  if (own?.kind !== 'numeric' || !(isMade || orders.some((order) => order.of === name || order.column === name)))
    return column;
  const numbers = own.values.filter((value) => !Number.isNaN(value));
  if (numbers.length === 0) return column;
  const released = releasedRange(numbers, keepRare ? 0 : MIN_RELEASED_ROWS);
  if (isMade) return { ...column, released };
  return { ...column, format: format && { ...format, format: { ...format.format, ...released } } };
}

/** Uncalibrated targets end where their family does. */
function withSupport(column: PlannedColumn, family: Family): PlannedColumn {
  const { role, format, derivation } = column;
  if (role !== 'target' || derivation || !format) return column;
  const { format: numbers } = format;
  return { ...column, format: { ...format, format: { ...numbers, ...writtenSupport(family, numbers) } } };
}

function withMissingness(
  columns: readonly PlannedColumn[],
  profile: Profile,
  cells: CellTable,
  table: GrowingTable,
  taken: Set<string>,
): PlannedColumn[] {
  const planned = new Map(columns.map((column) => [column.name, column]));
  for (const column of columns) {
    const { name, derivation } = column;
    if (derivation) planned.set(name, { ...column, indicator: indicatorOfCopy(derivation, planned) });
    else {
      const shared = sharedMissingness(column, profile.relations, planned, table);
      const own = (): Pick<PlannedColumn, 'indicator' | 'missingRule'> => ({
        missingRule: missingRuleOf(column, profile.relations, planned, table, cells),
        indicator: addIndicator(table, columnOf(cells, name), column, taken),
      });
      planned.set(name, { ...column, ...(shared ?? own()) });
    }
  }
  return [...planned.values()];
}

const indicatorOfCopy = (derivation: Derivation, columns: ReadonlyMap<string, PlannedColumn>): string | null =>
  derivation.kind === 'copy' ? (columns.get(derivation.of)?.indicator ?? null) : null;

function addIndicator(
  table: GrowingTable,
  own: CellColumn,
  { role, tokens }: ColumnReading,
  taken: Set<string>,
): string | null {
  const name = role === 'categorical' ? null : indicatorName(table, own.name, taken);
  if (name !== null) table.columns.set(name, indicatorColumn(own, table.columns.get(own.name)!, name, tokens));
  return name;
}

function readingsOf(
  profile: Profile,
  cells: CellTable,
  request: TableRequest,
  entity: EntityColumns | null,
): Map<string, ColumnReading> {
  const roles = rolesByName(request, entity);
  const readings = new Map<string, ColumnReading>();
  for (const column of profile.columns) {
    const role = roles.get(column.name);
    if (!role) continue;
    const isLabel = role === 'target' && isLabelTarget(column, profile.rows, request.family);
    readings.set(column.name, isLabel ? LABEL : readingOf(column, role, columnOf(cells, column.name)));
  }
  return readings;
}

const LABEL: ColumnReading = { role: 'target', format: null, tokens: [], isLabel: true };

/** In entity tables, overrides the order column's role, except target. */
function rolesByName(request: TableRequest, entity: EntityColumns | null): Map<string, RequestRole> {
  const roles = new Map<string, RequestRole>(namedColumns(request).map(({ name, role }) => [name, role]));
  const { order_col: order } = request;
  if (order !== null && (entity ? roles.get(order) !== 'target' : !roles.has(order))) roles.set(order, 'continuous');
  return roles;
}

function readingOf(column: ColumnProfile, asked: RequestRole, cells: CellColumn): ColumnReading {
  const tokens = tokensOf(column);
  const isNumeric = asked === 'target' || asked === 'continuous';
  if (column.kind === 'identifier' && asked !== 'target') return { role: 'identifier', format: null, tokens };
  if (!isNumeric) return { role: asked, format: null, tokens: asked === 'text' ? tokens : [] };
  const format = column.format ?? inferCellFormat(cells.levels.filter((level) => !tokens.includes(level))) ?? null;
  return { role: asked, format, tokens };
}

const tokensOf = ({ missing_tokens }: ColumnProfile): string[] =>
  missing_tokens.map(([token]) => token).filter((token) => !isMissing(token));

function notesOf(name: string, { format }: ColumnReading): string[] {
  if (format?.kind !== 'time') return [];
  return [`Column ${quoted(name)} was modelled as time in ${format.unit}s and written as ${format.pattern}.`];
}

/** Uses the same function as POST /detect_family. */
function chooseFamily(profile: Profile, { target_col, family }: TableRequest): FamilyChoice | null {
  const target = family === 'auto' ? profile.columns.find(({ name }) => name === target_col) : undefined;
  return target ? detectFamily(profile, target) : null;
}

function indicatorName(table: ModelTable, name: string, taken: Set<string>): string | null {
  const missing = countMissing(table, name);
  if (missing === 0 || missing === table.rows) return null;
  return freeName(`${name} is missing`, taken);
}

export const hasLabel = ({ columns }: Pick<Plan, 'columns'>): boolean => columns.some(({ isLabel }) => isLabel);

export const namesOf = (plan: Plan, ...roles: ModelledRole[]): string[] =>
  plan.columns.filter(({ role }) => roles.includes(role)).map(({ name }) => name);

export const measureRolesOf = (plan: Plan): MeasureRoles => ({
  target: namesOf(plan, 'target')[0] ?? null,
  continuous: namesOf(plan, 'continuous'),
  categorical: namesOf(plan, 'categorical'),
  text: namesOf(plan, 'text'),
});

export const withoutText = (plan: Plan): Plan => ({
  ...plan,
  columns: plan.columns.filter(({ role }) => role !== 'text' && role !== 'identifier'),
});

export const withoutSeedColumns = (plan: Plan): Plan => ({ ...plan, seedColumns: [] });

/** Also drops conditions, for refits. */
export const forFigures = (plan: Plan): Plan => ({
  ...withoutText(plan),
  batches: [],
  seedColumns: [],
  describesTarget: false,
});
