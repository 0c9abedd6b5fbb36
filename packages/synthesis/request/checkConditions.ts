import type { ColumnProfile } from '../../contract/columns.ts';
import type { Condition } from '../../contract/conditions.ts';
import { ServiceError } from '../../contract/errors.ts';
import type { Case } from '../../contract/problems.ts';
import type { RefusalReason } from '../../contract/reasons.ts';
import type { TableRequest } from '../../contract/requests.ts';
import { formatCell } from '../../tables/format/cellFormat.ts';
import { isMissing } from '../../tables/missing.ts';
import type { Profile } from '../../tables/profile/profile.ts';
import { nearNames } from '../../words/nearNames.ts';
import {
  type Allowed,
  allowsNumber,
  askedCells,
  conditionWords,
  intersect,
  readLevels,
  readNumbers,
  unknownLevel,
} from '../conditions/readCondition.ts';
import { SURE_ROWS } from '../disclosure/thresholds.ts';
import { isLabelTarget } from '../family/labelTarget.ts';
import { findColumn } from './requireColumn.ts';

/**
 * Throws `column_not_found`, or `invalid_parameter` for a column without a suitable role, unknown or rare levels,
 * numbers out of range, contradictions, or too many rows.
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
  if (askedCells(condition)?.includes(null)) checkMissing(column, profile, field);
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

/** Undefined if the profile does not list all. */
function knownLevels({ top_levels, distinct, distinct_exact, missing_tokens }: ColumnProfile) {
  const own = missing_tokens.filter(([text, count]) => count > 0 && !isMissing(text));
  return distinct_exact && top_levels.length >= distinct ? new Map([...top_levels, ...own]) : undefined;
}

function checkLevels(condition: Condition, column: ColumnProfile, request: TableRequest, field: string): void {
  const counts = new Map([...column.top_levels, ...column.missing_tokens]);
  const known = knownLevels(column);
  for (const cell of askedCells(condition) ?? []) {
    if (typeof cell !== 'string') continue;
    if (known && !known.has(cell)) throw refused(unknownLevel(cell, [...known.keys()], column.name), field);
    const rows = counts.get(cell);
    if (rows === undefined || rows >= SURE_ROWS || request.keep_rare) continue;
    throw refused({ reason: 'condition_level_too_rare', column: column.name, level: cell, min: SURE_ROWS }, field);
  }
}

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
