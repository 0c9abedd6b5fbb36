/** plan: which column plays which part, and the table as the models see it. */

import { type ColumnProfile, namedColumns, type RequestRole } from '../../contract/columns.ts';
import { type Family, type FamilyChoice, isOfNumbers } from '../../contract/families.ts';
import type { TableRequest } from '../../contract/requests.ts';
import { inferCellFormat } from '../../tables/format/cellFormat.ts';
import { isMissing } from '../../tables/missing.ts';
import type { Profile } from '../../tables/profile/profile.ts';
import { type CellColumn, type CellTable, columnOf } from '../../tables/table.ts';
import { keyNote, quoted } from '../../words/wording.ts';
import { detectFamily } from '../family/detectFamily.ts';
import { writtenSupport } from '../family/familySupport.ts';
import { isLabelTarget } from '../family/labelTarget.ts';
import type { MeasureRoles } from '../metrics/columns.ts';
import { MIN_RELEASED_ROWS } from '../models/categorical/features.ts';
import type { FitSettings, ModelColumn, ModelTable } from '../models/model.ts';
import type { ModelledRole } from '../models/registry.ts';
import { releasedRange } from '../models/shared/margin.ts';
import { type Batch, planBatches } from './conditions.ts';
import { derivationsOf, formatOfSum } from './derive.ts';
import type { EntityColumns } from './entities/arrangeEntities.ts';
import { missingRuleOf, sharedMissingness } from './missingRules.ts';
import {
  type ColumnReading,
  countMissing,
  type Derivation,
  type Difference,
  indicatorColumn,
  type PlannedColumn,
  toModelColumn,
} from './modelTable.ts';
import { differencesOf, freeName, type GrowingTable, type Order, ordersOf } from './orders.ts';

export interface Plan {
  /** In the upload's order; ignored ones are left out. */
  columns: readonly PlannedColumn[];
  /** Columns of the upload that the request names in no role. */
  notUsed: readonly Pick<ColumnProfile, 'name' | 'kind'>[];
  /** What holds in every real row, or in nearly all, and in as many of those that are made. */
  orders: readonly Order[];
  /** Rows made under conditions, and the others; none where there are no conditions. */
  batches: readonly Batch[];
  /** Category columns that are there before the models: those that conditions are kept by. */
  seedColumns: readonly string[];
  /** Whether a target that is made from other columns gets a model all the same, for what it reports. */
  describesTarget: boolean;
  settings: FitSettings;
  /** The columns by which rows belong together; null where each is made alone. */
  entity: EntityColumns | null;
  /** How the target's family was chosen; null where the request names one, or no target. */
  familyChoice: FamilyChoice | null;
}

/**
 * The table has the plan's columns and their indicators. Throws JobError invalid_data where a column cannot be modelled
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
  // Of one entity the distance from the last row says more.
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

/** The columns that have a role, each by itself, and their cells as the models see them. */
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

/** Entities, not rows, meet conditions: `planSequences` looks at them. */
const NO_BATCHES = { batches: [], seedColumns: [] };

export interface PlanOptions {
  withoutExceptions?: boolean;
  /** Of a table whose rows are those of one entity under those of another. */
  entity?: EntityColumns | null;
}

/** Keys of entities are identifiers, whatever they look like. */
function withEntity(
  readings: Map<string, ColumnReading>,
  { entity_col: key }: TableRequest,
  { columns }: Profile,
): Map<string, ColumnReading> {
  const column = columns.find(({ name }) => name === key);
  if (column) readings.set(column.name, { role: 'identifier', format: null, tokens: tokensOf(column) });
  return readings;
}

/** A total is written however large its parts are. */
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

/**
 * A column that is made from others may come to lie where only a few real rows do, which its margin rules out for one that
 * is drawn; and one in an order may be moved, no further than its format.
 */
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

/** A target whose predictive draws are written as they are ends where its family does, not where its numbers do. */
function withSupport(column: PlannedColumn, family: Family): PlannedColumn {
  const { role, format, derivation } = column;
  if (role !== 'target' || derivation || !format) return column;
  const { format: numbers } = format;
  return { ...column, format: { ...format, format: { ...numbers, ...writtenSupport(family, numbers) } } };
}

/** The columns with what says where their cells are missing: an indicator, which is added to the table, and perhaps a rule. */
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

/** A copy stands behind its original, and is missing where that is, as what that is. */
const indicatorOfCopy = (derivation: Derivation, columns: ReadonlyMap<string, PlannedColumn>): string | null =>
  derivation.kind === 'copy' ? (columns.get(derivation.of)?.indicator ?? null) : null;

/** Adds the column's indicator to the table and gives its name; null where it needs none. */
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

/** An order that is in no list, or in one of another kind, is a number or a time. */
function rolesByName(request: TableRequest, entity: EntityColumns | null): Map<string, RequestRole> {
  const roles = new Map<string, RequestRole>(namedColumns(request).map(({ name, role }) => [name, role]));
  const { order_col: order } = request;
  if (order !== null && (entity ? roles.get(order) !== 'target' : !roles.has(order))) roles.set(order, 'continuous');
  return roles;
}

/** Identifiers are identifiers in whatever list they stand. Without a format in the profile, one is inferred from the cells. */
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

/** Family `auto` stands for what POST /detect_family says: the same function of the same profile. */
function chooseFamily(profile: Profile, { target_col, family }: TableRequest): FamilyChoice | null {
  const target = family === 'auto' ? profile.columns.find(({ name }) => name === target_col) : undefined;
  return target ? detectFamily(profile, target) : null;
}

/** A name that no column has, where some cells of this one are missing and some are not. */
function indicatorName(table: ModelTable, name: string, taken: Set<string>): string | null {
  const missing = countMissing(table, name);
  if (missing === 0 || missing === table.rows) return null;
  return freeName(`${name} is missing`, taken);
}

/** Whether its target is one of labels. */
export const hasLabel = ({ columns }: Pick<Plan, 'columns'>): boolean => columns.some(({ isLabel }) => isLabel);

export const namesOf = (plan: Plan, ...roles: ModelledRole[]): string[] =>
  plan.columns.filter(({ role }) => roles.includes(role)).map(({ name }) => name);

export const measureRolesOf = (plan: Plan): MeasureRoles => ({
  target: namesOf(plan, 'target')[0] ?? null,
  continuous: namesOf(plan, 'continuous'),
  categorical: namesOf(plan, 'categorical'),
  text: namesOf(plan, 'text'),
});

/** The plan without texts and identifiers, for figures that do not read them. */
export const withoutText = (plan: Plan): Plan => ({
  ...plan,
  columns: plan.columns.filter(({ role }) => role !== 'text' && role !== 'identifier'),
});

/** As `withoutText`, for rows like the real ones: without conditions, whose category columns are modelled like others. */
export const forFigures = (plan: Plan): Plan => ({
  ...withoutText(plan),
  batches: [],
  seedColumns: [],
  describesTarget: false,
});
