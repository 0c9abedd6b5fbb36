/** The conditions of a request, checked against what the upload's profile knows: before the job, so that it need not fail. */
import { type Allowed, allowsNumber, intersect } from '../conditions/allowed.ts';
import { nearNames } from '../conditions/nearNames.ts';
import { cellsOf, readLevels, readNumbers, show } from '../conditions/readCondition.ts';
import { conditionWords } from '../conditions/wordsOf.ts';
import { redress } from '../dress/dress.ts';
import { ServiceError } from '../errors.ts';
import type { ColumnProfile, Profile } from '../profile/profile.ts';
import type { Condition } from '../schema/condition.ts';
import type { GenerateRequest } from '../schema/generateRequest.ts';
import { isMissing } from '../table/missing.ts';
import { counted, listed, quoted } from '../table/wording.ts';
import { findColumn } from './requestedColumns.ts';

/** Rows from which a level is sure to come out, whatever number between 5 and 7 the job draws. */
export const SURE_ROWS = 8;

/**
 * Throws `column_not_found`, or `invalid_parameter` where a condition names a column without a role that has cells to
 * choose from, a level or number that the column does not have, one too rare to come out, or where conditions contradict
 * each other or ask for more rows than there will be.
 */
export function checkConditions(request: GenerateRequest, profile: Profile): void {
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

const refused = (message: string): ServiceError => new ServiceError('invalid_parameter', message);

function bothOf(a: Read, b: Read): Allowed {
  const both = intersect(a.allowed, b.allowed);
  if (both) return both;
  throw refused(
    `${a.field} (${conditionWords(a.condition)}) and ${b.field} (${conditionWords(b.condition)}) contradict each other: no row can meet both. A condition without rows holds in every row; give each its number of rows, or leave one out.`,
  );
}

function checkRows({ conditions, n_samples }: GenerateRequest): void {
  const asked = conditions.reduce((sum, { rows }) => sum + (rows ?? 0), 0);
  if (asked <= n_samples) return;
  throw refused(
    `conditions ask for ${counted(asked, 'row')} together, and n_samples is ${n_samples}. Raise n_samples to ${asked}, or ask for fewer rows.`,
  );
}

function allowedBy(
  condition: Condition,
  column: ColumnProfile,
  request: GenerateRequest,
  profile: Profile,
  field: string,
): Allowed {
  const { name, dress } = column;
  const isLevels = request.categorical_cols.includes(name);
  const isNumber = request.continuous_cols.includes(name) || request.target_col === name;
  if (!isLevels && !isNumber) throw withoutRole(name, request, field);
  if (column.kind === 'identifier' && request.target_col !== name) {
    throw refused(`${field}: column ${quoted(name)} holds identifiers, which are made anew. Leave the condition out.`);
  }
  const reading = isLevels
    ? readLevels(condition)
    : dress
      ? readNumbers(condition, dress)
      : { fault: 'has no form that its numbers are written in' };
  if ('fault' in reading) throw refused(`${field}: column ${quoted(name)} ${reading.fault}.`);
  if (cellsOf(condition)?.includes(null)) checkMissing(column, profile, field);
  if (isLevels) checkLevels(condition, column, request, field);
  else checkRange(condition, reading.allowed, column, field);
  return reading.allowed;
}

function withoutRole(name: string, request: GenerateRequest, field: string): ServiceError {
  const { target_col, continuous_cols, categorical_cols, text_cols } = request;
  if (text_cols.includes(name)) {
    return refused(
      `${field}: column ${quoted(name)} is in text_cols, and conditions can be on the target, continuous and categorical columns. Leave the condition out.`,
    );
  }
  const able = [...(target_col === null ? [] : [target_col]), ...continuous_cols, ...categorical_cols];
  const near = nearNames(name, able);
  const meant = near.length > 0 ? ` Did you mean ${near.map(quoted).join(' or ')}?` : '';
  return refused(
    `${field}: column ${quoted(name)} has no role in the request.${meant} Put it in categorical_cols or continuous_cols, or leave the condition out.`,
  );
}

function checkMissing(column: ColumnProfile, { rows }: Profile, field: string): void {
  if (column.missing > 0) return;
  throw refused(
    `${field}: column ${quoted(column.name)} has no missing cell in its ${counted(rows, 'row')}, so none can be asked for. Leave null out.`,
  );
}

/** The texts of which a category's cells are known to be; undefined where it has too many for the profile to list. */
function knownLevels({ top_levels, distinct, distinct_exact, missing_tokens }: ColumnProfile) {
  const own = missing_tokens.filter(([text, count]) => count > 0 && !isMissing(text));
  return distinct_exact && top_levels.length >= distinct ? new Map([...top_levels, ...own]) : undefined;
}

function checkLevels(condition: Condition, column: ColumnProfile, request: GenerateRequest, field: string): void {
  const counts = new Map([...column.top_levels, ...column.missing_tokens]);
  const known = knownLevels(column);
  for (const cell of cellsOf(condition) ?? []) {
    if (typeof cell !== 'string') continue;
    if (known && !known.has(cell)) throw unknownLevel(cell, [...known.keys()], column.name, field);
    const rows = counts.get(cell);
    if (rows === undefined || rows >= SURE_ROWS || request.keep_rare) continue;
    throw refused(
      `${field}: ${show(cell)} stands in ${counted(rows, 'row')} of column ${quoted(column.name)}, and levels of fewer than ${SURE_ROWS} rows are not released. Send keep_rare: true to release them, or leave it out.`,
    );
  }
}

export function unknownLevelWords(level: string, levels: readonly string[], column: string): string {
  const near = nearNames(level, levels);
  const hint =
    near.length > 0
      ? `Did you mean ${near.map(quoted).join(' or ')}? Levels are compared exactly, by case, spaces and Unicode form too.`
      : `Its levels are ${listed(levels.map(quoted))}.`;
  return `no cell of column ${quoted(column)} is ${quoted(level)}. ${hint}`;
}

const unknownLevel = (level: string, levels: readonly string[], column: string, field: string): ServiceError =>
  refused(`${field}: ${unknownLevelWords(level, levels, column)}`);

/** Numbers that lie outside the column's are never made. */
function checkRange(
  condition: Condition,
  allowed: Allowed,
  { name, dress, numbers }: ColumnProfile,
  field: string,
): void {
  const format = dress?.format ?? numbers?.format;
  if (!format || allowed.kind !== 'numbers') return;
  const { min, max } = format;
  const inside = (value: number): boolean => value >= min && value <= max && allowsNumber(allowed, value);
  const isThere = allowed.values ? [...allowed.values].every(inside) : allowed.low <= max && allowed.high >= min;
  if (isThere) return;
  const bounds = dress ? `${redress(min, dress)} to ${redress(max, dress)}` : `${min} to ${max}`;
  throw refused(
    `${field}: ${conditionWords(condition)} lies outside the range of ${quoted(name)}, ${bounds}, beyond which nothing is made. Ask for values within it.`,
  );
}
