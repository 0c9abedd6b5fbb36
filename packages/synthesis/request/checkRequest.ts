import { type ColumnProfile, type NamedColumn, namedColumns } from '../../contract/columns.ts';
import { ServiceError } from '../../contract/errors.ts';
import { isOfNumbers } from '../../contract/families.ts';
import type { Case } from '../../contract/problems.ts';
import type { RefusalReason } from '../../contract/reasons.ts';
import { MIN_REAL_ROWS } from '../../contract/releasePolicy.ts';
import type { Condition } from '../../contract/conditions.ts';
import type { TableRequest } from '../../contract/requests.ts';
import { isNumeric } from '../../tables/detect/kinds.ts';
import { formatCell } from '../../tables/format/cellFormat.ts';
import { isMissing } from '../../tables/missing.ts';
import type { Profile } from '../../tables/profile/profile.ts';
import { nearNames } from '../../words/nearNames.ts';
import {
  type Allowed,
  allowsNumber,
  cellsOf,
  conditionWords,
  intersect,
  readLevels,
  readNumbers,
  unknownLevel,
} from '../conditions/readCondition.ts';
import { holdingRelative, supportName, supportViolationOf, targetFacts } from '../family/familySupport.ts';
import { hasLabels, isLabelTarget, requireLabels } from '../family/labelTarget.ts';
import { SURE_ROWS } from '../models/categorical/features.ts';
import { checkPrivacy, isPrivate, refuseLoneDomain } from './checkPrivacy.ts';

/**
 * Checks a request against what the upload holds. Throws, in this order: `missing_target`, `column_not_found`, and
 * `invalid_parameter` for a column named twice, an empty column, one that has to be numeric and is not, labels that are too many,
 * a family that cannot hold the target, or conditions that no row can meet; then `too_few_rows`. Numbers may be in format ("$1,204.50"). A time
 * may be a continuous column, not a target; keys may be in any list, since new ones are generated, but are no target. Gives
 * the columns of keys.
 */
export function checkRequest(request: TableRequest, profile: Profile): string[] {
  refuseLoneDomain(request);
  const named = namedColumns(request);
  if (!hasWork(request, named)) throw missingTarget();
  if (!request.calibrate && request.target_col === null)
    throw new ServiceError({ reason: 'calibrate_without_target' }, { field: 'calibrate' });
  for (const { field, name } of named) findColumn(profile, name, field);
  refuseTwice(named);
  if (isPrivate(request)) {
    checkPrivacy(request, profile);
    return [];
  }
  const keys: string[] = checkEntities(request, profile, named);
  for (const { field, name } of named) {
    const column = findColumn(profile, name, field);
    if (column.kind === 'identifier') keys.push(name);
    if (field === 'target_col') requireTarget(profile, column, request);
    else if (field === 'continuous_cols' && column.kind !== 'identifier') requireNumeric(profile, column, field);
    else requireCells(profile, column, field);
  }
  checkFamily(request, profile);
  checkConditions(request, profile);
  refuseFewRows(request, profile);
  return keys;
}

/** Without a target and texts, a table is made only where the request says so, as a bare one is taken for a mistake. */
const hasWork = ({ target_col, target, text_cols, privacy }: TableRequest, named: readonly NamedColumn[]): boolean =>
  target_col !== null || text_cols.length > 0 || ((target !== null || !!privacy) && named.length > 0);

/** The request with the suggested target where it asks for that by `target: auto`: as it came where there is none. */
export function withTarget<R extends TableRequest>(request: R, { columns }: Profile): R {
  if (request.target !== 'auto' || request.target_col !== null || isPrivate(request)) return request;
  const taken = new Set([request.entity_col, ...namedColumns(request).map(({ name }) => name)]);
  const found = columns.find(({ suggested_role, name }) => suggested_role === 'target' && !taken.has(name));
  return found ? { ...request, target_col: found.name } : request;
}

// Rows that belong together.

/** Throws for an entity or order column that cannot be one; gives the entity column, whose keys are replaced. */
function checkEntities(request: TableRequest, profile: Profile, named: readonly NamedColumn[]): string[] {
  const { entity_col, order_col, n_entities, allow_few_rows } = request;
  if (entity_col === null) {
    const field = order_col !== null ? 'order_col' : 'n_entities';
    if (order_col !== null || n_entities !== null) throw new ServiceError({ reason: 'entity_col_missing' }, { field });
    return [];
  }
  const column = findColumn(profile, entity_col, 'entity_col');
  const twice = named.find(({ name }) => name === entity_col)?.field ?? (order_col === entity_col ? 'order_col' : null);
  if (order_col !== null && order_col === request.target_col) {
    const params = { column: order_col, first: 'order_col', second: 'target_col' };
    throw new ServiceError({ reason: 'column_given_twice', ...params }, { field: 'order_col' });
  }
  if (twice !== null) {
    const params = { column: entity_col, first: 'entity_col', second: twice };
    throw new ServiceError({ reason: 'column_given_twice', ...params }, { field: 'entity_col' });
  }
  requireCells(profile, column, 'entity_col');
  if (order_col !== null) requireOrder(profile, findColumn(profile, order_col, 'order_col'));
  if (column.distinct === 1)
    throw new ServiceError({ reason: 'entity_alone', column: entity_col }, { field: 'entity_col' });
  if (!allow_few_rows && column.distinct < MIN_REAL_ROWS) {
    const params = { column: entity_col, entities: column.distinct, min: MIN_REAL_ROWS };
    throw new ServiceError({ reason: 'too_few_entities', ...params }, { field: 'allow_few_rows' });
  }
  return [entity_col];
}

function requireOrder(profile: Profile, column: ColumnProfile): void {
  requireCells(profile, column, 'order_col');
  const cells = presentCells(profile, column);
  if (column.format?.kind === 'time' || isNumeric(column.numbers, cells)) return;
  const params = { column: column.name, numbers: column.numbers?.count ?? 0, cells };
  throw new ServiceError({ reason: 'order_is_not_numeric', ...params }, { field: 'order_col' });
}

function refuseFewRows({ allow_few_rows }: TableRequest, { rows }: Profile): void {
  if (allow_few_rows || rows >= MIN_REAL_ROWS) return;
  throw new ServiceError({ reason: 'too_few_rows', rows, min: MIN_REAL_ROWS }, { field: 'allow_few_rows' });
}

function refuseTwice(named: NamedColumn[]): void {
  const first = new Map<string, string>();
  for (const { field, name } of named) {
    const earlier = first.get(name);
    if (earlier !== undefined) {
      throw new ServiceError({ reason: 'column_given_twice', column: name, first: earlier, second: field }, { field });
    }
    first.set(name, field);
  }
}

const missingTarget = (): ServiceError => new ServiceError({ reason: 'no_roles_given' });

/**
 * Throws `invalid_parameter` where the request names a family that cannot hold a number of its target, with the number
 * and its row: from what the profile knows of all rows. `auto` chooses among those that can.
 */
export function checkFamily({ family, target_col }: TableRequest, profile: Profile): void {
  if (family === 'auto' || !isOfNumbers(family) || target_col === null) return;
  const facts = targetFacts(findColumn(profile, target_col, 'target_col'));
  const supportViolation = facts && supportViolationOf(family, facts);
  if (!supportViolation) return;
  throw new ServiceError(
    {
      reason: 'family_cannot_hold',
      column: target_col,
      family,
      support: supportName(family),
      ...supportViolation,
      values: facts.count,
      instead: holdingRelative(family, facts),
    },
    { field: 'family' },
  );
}

// The conditions of a request, checked against what the upload's profile knows: before the job, so that it need not
// fail.

/**
 * Throws `column_not_found`, or `invalid_parameter` where a condition names a column without a role that has cells to
 * choose from, a level or number that the column does not have, one too rare to be released, or where conditions contradict
 * each other or ask for more rows than there will be.
 */
export function checkConditions(request: TableRequest, profile: Profile): void {
  const { conditions } = request;
  const read = conditions.map((condition, i) => {
    const field = `conditions[${i}]`;
    const column = findColumn(profile, condition.column, field);
    return { condition, field, allowed: allowedBy(condition, column, request, profile, field) };
  });
  const everywhere = new Map<string, Read>();
  for (const each of read.filter(({ condition }) => condition.rows === null)) {
    const { column } = each.condition;
    const before = everywhere.get(column);
    everywhere.set(column, before ? { ...each, allowed: bothOf(before, each) } : each);
  }
  for (const each of read.filter(({ condition }) => condition.rows !== null)) {
    const before = everywhere.get(each.condition.column);
    if (before) bothOf(before, each);
  }
  checkRows(request);
}

interface Read {
  condition: Condition;
  field: string;
  allowed: Allowed;
}

const refused = (params: Case<RefusalReason>, field: string): ServiceError => new ServiceError(params, { field });

function bothOf(a: Read, b: Read): Allowed {
  const both = intersect(a.allowed, b.allowed);
  if (both) return both;
  throw refused(
    {
      reason: 'conditions_contradict',
      first_field: a.field,
      first: conditionWords(a.condition),
      second_field: b.field,
      second: conditionWords(b.condition),
    },
    a.field,
  );
}

function checkRows({ conditions, n_samples, n_entities }: TableRequest): void {
  const asked = conditions.reduce((sum, { rows }) => sum + (rows ?? 0), 0);
  if (n_entities !== null && asked > n_entities)
    throw refused({ reason: 'conditions_exceed_entities', entities: asked, n_entities }, 'conditions');
  if (asked <= n_samples) return;
  throw refused({ reason: 'conditions_exceed_rows', rows: asked, n_samples }, 'conditions');
}

function allowedBy(
  condition: Condition,
  column: ColumnProfile,
  request: TableRequest,
  profile: Profile,
  field: string,
): Allowed {
  const { name, format } = column;
  const isLabel = request.target_col === name && isLabelTarget(column, profile.rows, request.family);
  const isLevels = request.categorical_cols.includes(name) || isLabel;
  const isNumber = request.continuous_cols.includes(name) || request.target_col === name;
  if (!isLevels && !isNumber) throw withoutRole(name, request, field);
  if (column.kind === 'identifier') {
    throw refused({ reason: 'condition_on_identifier', column: name }, field);
  }
  const reading = isLevels
    ? readLevels(condition)
    : format
      ? readNumbers(condition, format)
      : { fault: { reason: 'condition_column_without_format' as const, column: name } };
  if ('fault' in reading) throw refused(reading.fault, field);
  if (cellsOf(condition)?.includes(null)) checkMissing(column, profile, field);
  if (isLevels) checkLevels(condition, column, request, field);
  else checkRange(condition, reading.allowed, column, field);
  return reading.allowed;
}

function withoutRole(name: string, request: TableRequest, field: string): ServiceError {
  const { target_col, continuous_cols, categorical_cols, text_cols } = request;
  if (text_cols.includes(name)) {
    return refused({ reason: 'condition_on_text', column: name }, field);
  }
  const able = [...(target_col === null ? [] : [target_col]), ...continuous_cols, ...categorical_cols];
  const near = nearNames(name, able);
  return refused({ reason: 'condition_column_without_role', column: name, near }, field);
}

function checkMissing(column: ColumnProfile, { rows }: Profile, field: string): void {
  if (column.missing > 0) return;
  throw refused({ reason: 'condition_nothing_missing', column: column.name, rows }, field);
}

/** The texts of which a category's cells are known to be; undefined where it has too many for the profile to list. */
function knownLevels({ top_levels, distinct, distinct_exact, missing_tokens }: ColumnProfile) {
  const own = missing_tokens.filter(([text, count]) => count > 0 && !isMissing(text));
  return distinct_exact && top_levels.length >= distinct ? new Map([...top_levels, ...own]) : undefined;
}

function checkLevels(condition: Condition, column: ColumnProfile, request: TableRequest, field: string): void {
  const counts = new Map([...column.top_levels, ...column.missing_tokens]);
  const known = knownLevels(column);
  for (const cell of cellsOf(condition) ?? []) {
    if (typeof cell !== 'string') continue;
    if (known && !known.has(cell)) throw refused(unknownLevel(cell, [...known.keys()], column.name), field);
    const rows = counts.get(cell);
    if (rows === undefined || rows >= SURE_ROWS || request.keep_rare) continue;
    throw refused({ reason: 'condition_level_too_rare', column: column.name, level: cell, min: SURE_ROWS }, field);
  }
}

/** Numbers that lie outside the column's are never made. */
function checkRange(
  condition: Condition,
  allowed: Allowed,
  { name, format, numbers }: ColumnProfile,
  field: string,
): void {
  const range = format?.format ?? numbers?.format;
  if (!range || allowed.kind !== 'numbers') return;
  const { min, max } = range;
  const inside = (value: number): boolean => value >= min && value <= max && allowsNumber(allowed, value);
  const isThere = allowed.values ? [...allowed.values].every(inside) : allowed.low <= max && allowed.high >= min;
  if (isThere) return;
  const [low, high] = format ? [formatCell(min, format), formatCell(max, format)] : [String(min), String(max)];
  const params = { column: name, condition: conditionWords(condition), low, high };
  throw refused({ reason: 'condition_out_of_range', ...params }, field);
}

/**
 * The conditions of a job's request for another number of rows: those that hold in some of the rows hold in the same
 * share of them, and in one row at least. Undefined where there are fewer rows than parts.
 */
export function scaleConditions(conditions: readonly Condition[], from: number, to: number): Condition[] | undefined {
  const parts = conditions.flatMap(({ rows }) => (rows === null ? [] : [rows]));
  const others = from - parts.reduce((sum, rows) => sum + rows, 0);
  const all = others > 0 ? [...parts, others] : parts;
  if (parts.length === 0) return [...conditions];
  if (to < all.length) return undefined;
  const scaled = shared(all, from, to);
  let next = 0;
  return conditions.map((condition) => (condition.rows === null ? condition : { ...condition, rows: scaled[next++]! }));
}

/** Whole numbers of 1 or more in the proportions given, `to` together: what is left over goes to the largest remainders. */
function shared(parts: readonly number[], from: number, to: number): number[] {
  const exact = parts.map((rows) => (rows * to) / from);
  const out = exact.map((share) => Math.max(1, Math.floor(share)));
  const left = to - out.reduce((sum, rows) => sum + rows, 0);
  const byRemainder = [...exact.keys()].sort((a, b) => (exact[b]! % 1) - (exact[a]! % 1) || a - b);
  for (const at of byRemainder.slice(0, Math.max(0, left))) out[at]!++;
  // The least of a row each may be more than there are: the largest parts give it.
  for (let over = -left; over > 0; over--) out[out.indexOf(Math.max(...out))]!--;
  return out;
}

const MAX_NAMES_LISTED = 200;

const presentCells = (profile: Profile, column: ColumnProfile): number => profile.rows - column.missing;

/** The named column. Throws `column_not_found`, listing the columns that there are. */
export function findColumn(profile: Profile, name: string, field: string): ColumnProfile {
  const column = profile.columns.find((candidate) => candidate.name === name);
  if (column) return column;
  throw new ServiceError({ reason: 'column_unknown', column: name.slice(0, 200), ...namesOf(profile) }, { field });
}

/** Throws `invalid_parameter` where the column has no cells, or too few that are numbers, or times to be read as such. */
function requireNumeric(profile: Profile, column: ColumnProfile, field: string): void {
  requireCells(profile, column, field);
  if (isNumeric(column.numbers, presentCells(profile, column))) return;
  if (column.kind === 'datetime') throw timeOfManyForms(column, field);
  throw new ServiceError(
    {
      reason: 'column_not_numeric',
      column: column.name,
      numbers: column.numbers?.count ?? 0,
      cells: presentCells(profile, column),
    },
    { field },
  );
}

/** Throws `invalid_parameter` where the column is no target: keys, dates or times, or neither numbers nor a few labels. */
export function requireTarget(
  profile: Profile,
  column: ColumnProfile,
  asked: Pick<TableRequest, 'family' | 'keep_rare'> = { family: 'auto', keep_rare: false },
): void {
  requireCells(profile, column, 'target_col');
  if (column.kind === 'identifier') {
    throw new ServiceError({ reason: 'target_is_key', column: column.name }, { field: 'target_col' });
  }
  if (column.kind === 'datetime' || column.format?.kind === 'time') {
    throw new ServiceError({ reason: 'target_is_time', column: column.name }, { field: 'target_col' });
  }
  if (asked.family === 'categorical' || hasLabels(column, profile.rows)) requireLabels(column, asked);
  else requireNumeric(profile, column, 'target_col');
}

const timeOfManyForms = ({ name }: ColumnProfile, field: string): ServiceError =>
  new ServiceError({ reason: 'column_of_mixed_times', column: name }, { field });

/** Throws `invalid_parameter` where every cell of the column is missing. */
function requireCells(profile: Profile, column: ColumnProfile, field: string): void {
  if (presentCells(profile, column) > 0) return;
  throw new ServiceError({ reason: 'column_empty', column: column.name, rows: profile.rows }, { field });
}

function namesOf({ columns }: Profile): { available: string[]; more: number } {
  const names = columns.map(({ name }) => name);
  return { available: names.slice(0, MAX_NAMES_LISTED), more: Math.max(0, names.length - MAX_NAMES_LISTED) };
}
