/**
 * Makes rows meet the request's conditions: seed columns (categories, or indicators of conditions) are drawn first, and
 * rows that break a condition are redrawn.
 */

import type { Condition } from '../../contract/conditions.ts';
import { JobError } from '../../contract/errors.ts';
import type { Case } from '../../contract/problems.ts';
import type { FailureReason } from '../../contract/reasons.ts';
import type { TableRequest } from '../../contract/requests.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import { counted, countedRoughly, quoted } from '../../words/wording.ts';
import {
  type Allowed,
  allowsNumber,
  allowsText,
  conditionWords,
  intersect,
  readLevels,
  readNumbers,
  unknownLevel,
} from '../conditions/readCondition.ts';
import { drawThreshold, releasable, SURE_ROWS } from '../disclosure/thresholds.ts';
import { findFunctions } from '../models/categorical/categoryChain.ts';
import { levelCounts, levelsOf } from '../models/categorical/columnOrder.ts';
import type { CategoryColumn, ModelColumn, ModelTable } from '../models/model.ts';
import type { PlannedColumn } from '../table/modelTable.ts';
import { freeName, type GrowingTable } from './orders.ts';

export interface Batch {
  rows: number;
  allowed: ReadonlyMap<string, Allowed>;
  /** Marks real rows that meet all conditions; null if levels suffice. */
  indicator: string | null;
  words: string;
}

/** Minimum real rows that meet numeric or combined conditions. */
const MIN_ROWS = 20;
const MET = 'met';

/** Adds indicators to the table. */
export function planBatches(
  { conditions, n_samples, keep_rare }: TableRequest,
  columns: readonly PlannedColumn[],
  table: GrowingTable,
  taken: Set<string>,
  notes: string[],
): { batches: Batch[]; seedColumns: string[] } {
  if (conditions.length === 0) return { batches: [], seedColumns: [] };
  const planned = new Map(columns.map((column) => [column.name, column]));
  const first = conditions.filter(({ rows }) => rows === null);
  const groups = conditions.flatMap(({ rows }, i) =>
    rows === null ? [] : [{ rows, all: [...first, conditions[i]!] }],
  );
  const others = n_samples - groups.reduce((sum, { rows }) => sum + rows, 0);
  if (others > 0) groups.push({ rows: others, all: first });
  const levelled = levelledColumns(conditions, columns, table);
  const indicators = new Map<string, string>();
  const batches = groups.map(({ rows, all }): Batch => {
    const allowed = allowedBy(all, planned, table);
    const words = all.map(conditionWords).join(' and ');
    const byLevels = [...allowed.keys()].every((name) => levelled.includes(name)) && allowed.size < 2;
    const met = rowsMeeting(allowed, table);
    refuseFew(met, byLevels ? (keep_rare ? 1 : SURE_ROWS) : MIN_ROWS, words, table.rows);
    if (words !== '') notes.push(noteOf(rows, words, met, table.rows));
    if (byLevels) return { rows, allowed, words, indicator: null };
    const indicator = indicators.get(words) ?? addIndicator(met, table, words, taken);
    indicators.set(words, indicator);
    return { rows, allowed, words, indicator };
  });
  notes.push(METRICS_NOTE);
  return { batches, seedColumns: [...indicators.values(), ...levelled] };
}

const METRICS_NOTE =
  'The rows were generated under conditions, so the table differs from the uploaded one on purpose: metrics that compare the two mean less than they otherwise would.';

const noteOf = (rows: number, words: string, met: Uint8Array, of: number): string =>
  `Exactly ${counted(rows, 'row')} generated with ${words}; ${count(met)} of the ${counted(of, 'row')} of the file meet that.`;

/** Others follow from another column and need an indicator. */
function levelledColumns(
  conditions: readonly Condition[],
  columns: readonly PlannedColumn[],
  table: ModelTable,
): string[] {
  const categories = columns.flatMap(({ name, role, derivation }): CategoryColumn[] => {
    const column = table.columns.get(name);
    return role === 'categorical' && !derivation && column?.kind === 'category' ? [column] : [];
  });
  const asked = new Set(conditions.map(({ column }) => column));
  const order = [...categories.keys()].sort(
    (a, b) => Number(asked.has(categories[b]!.name)) - Number(asked.has(categories[a]!.name)) || a - b,
  );
  const classes = categories.map(({ codes, levels }) => ({
    classes: codes.map((code) => code + 1),
    kinds: levels.length + 1,
    seen: new Set(codes).size,
  }));
  const functions = findFunctions(classes, order);
  return categories.flatMap(({ name }, i) => (asked.has(name) && functions[i] === null ? [name] : []));
}

function allowedBy(
  conditions: readonly Condition[],
  planned: ReadonlyMap<string, PlannedColumn>,
  table: ModelTable,
): Map<string, Allowed> {
  const out = new Map<string, Allowed>();
  for (const condition of conditions) {
    const { column: name } = condition;
    const own = planned.get(name);
    const column = table.columns.get(name);
    if (!own || !column) throw refused({ reason: 'condition_column_without_role', column: name, near: [] });
    const allowed = readAllowed(condition, own, column);
    const before = out.get(name);
    const both = before ? intersect(before, allowed) : allowed;
    if (!both) throw refused({ reason: 'conditions_contradict_on_column', column: name });
    out.set(name, both);
  }
  return out;
}

function readAllowed(condition: Condition, { name, format }: PlannedColumn, column: ModelColumn): Allowed {
  const reading =
    column.kind === 'category'
      ? readLevels(condition)
      : column.kind === 'numeric' && format
        ? readNumbers(condition, format)
        : { fault: { reason: 'condition_column_without_format' as const, column: name } };
  if ('fault' in reading) throw refused(reading.fault);
  const { allowed } = reading;
  if (column.kind === 'category' && allowed.kind === 'levels') {
    const unknown = [...allowed.texts].find((text) => text !== null && !column.levels.includes(text));
    if (typeof unknown === 'string') throw refused(unknownLevel(unknown, column.levels, name));
  }
  return allowed;
}

const refused = (params: Case<FailureReason>): JobError => new JobError(params, { field: 'conditions' });

export function cellTest(allowed: Allowed, column: ModelColumn): (row: number) => boolean {
  if (column.kind === 'numeric') return (row) => allowsNumber(allowed, column.values[row]!);
  if (column.kind === 'text') return (row) => allowsText(allowed, column.values[row] ?? null);
  const ofLevels = column.levels.map((level) => allowsText(allowed, level));
  const ofMissing = allowsText(allowed, null);
  return (row) => ofLevels[column.codes[row]!] ?? ofMissing;
}

/** Flags rows that meet all conditions (1 or 0, n). */
export function rowsMeeting(allowed: Batch['allowed'], table: ModelTable): Uint8Array {
  const met = new Uint8Array(table.rows).fill(1);
  for (const [name, each] of allowed) {
    const column = table.columns.get(name);
    if (!column) continue;
    const isAllowed = cellTest(each, column);
    for (let row = 0; row < table.rows; row++) if (!isAllowed(row)) met[row] = 0;
  }
  return met;
}

const count = (met: Uint8Array): number => met.reduce((sum, one) => sum + one, 0);

function refuseFew(met: Uint8Array, least: number, words: string, rows: number): void {
  if (count(met) >= least || words === '') return;
  throw refused({ reason: 'conditions_met_by_too_few', conditions: words, min: least, rows });
}

function addIndicator(met: Uint8Array, table: GrowingTable, words: string, taken: Set<string>): string {
  const name = freeName(words.slice(0, 100), taken);
  const codes = Int32Array.from(met, (one) => 1 - one);
  table.columns.set(name, { kind: 'category', name, codes, levels: [MET, 'not met'], indicator: true });
  return name;
}

export interface SeedColumns {
  /** Draws with replacement from real rows that meet the conditions. */
  draw(batch: Batch, rows: number, random: RandomStream): Map<string, ModelColumn>;
  notes: readonly string[];
}

interface SeedPlan {
  batches: readonly Batch[];
  seedColumns: readonly string[];
  settings: { keepRare: boolean };
}

/** Leaves out rare levels. Returns null without conditions. Throws JobError `invalid_data` if no row is left. */
export function fitSeedColumns(plan: SeedPlan, table: ModelTable, random: RandomStream): SeedColumns | null {
  if (plan.batches.length === 0) return null;
  const columns = plan.seedColumns.map((name) => categoryNamed(table, name));
  const isReleased = new Uint8Array(table.rows).fill(1);
  const notes: string[] = [];
  for (const column of columns) {
    if (plan.settings.keepRare || column.indicator) continue;
    const counts = levelCounts(levelsOf(column), column.levels.length + 1);
    const may = releasable(counts, drawThreshold(random.child(column.name)));
    let withheld = 0;
    column.codes.forEach((code, row) => {
      if (may[code + 1]) return;
      isReleased[row] = 0;
      withheld++;
    });
    const levels = may.filter((one, at) => !one && counts[at]! > 0).length;
    if (withheld > 0) notes.push(withheldNote(levels, column.name, withheld));
  }
  const sources = new Map(plan.batches.map((batch) => [batch, sourceRows(batch, table, isReleased)]));
  return { notes, draw: (batch, rows, stream) => drawn(columns, sources.get(batch)!, rows, stream) };
}

const withheldNote = (levels: number, name: string, rows: number): string =>
  `${counted(levels, 'level')} of column ${quoted(name)}, in ${countedRoughly(rows, 'row')}, had too few rows to be released and were replaced by other levels. Set keep_rare to keep them.`;

function sourceRows(batch: Batch, table: ModelTable, isReleased: Uint8Array): Int32Array {
  const met = rowsMeeting(batch.allowed, table);
  const rows: number[] = [];
  met.forEach((one, row) => {
    if (one === 1 && isReleased[row] === 1) rows.push(row);
  });
  if (rows.length > 0) return Int32Array.from(rows);
  throw new JobError({ reason: 'conditions_leave_too_few', conditions: batch.words || null }, { field: 'conditions' });
}

function drawn(
  columns: readonly CategoryColumn[],
  source: Int32Array,
  rows: number,
  random: RandomStream,
): Map<string, ModelColumn> {
  const from = Int32Array.from({ length: rows }, () => source[random.integer(source.length)]!);
  return new Map(columns.map((column) => [column.name, { ...column, codes: from.map((row) => column.codes[row]!) }]));
}

function categoryNamed(table: ModelTable, name: string): CategoryColumn {
  const column = table.columns.get(name);
  if (column?.kind === 'category') return column;
  throw new RangeError(`no categorical column ${JSON.stringify(name)}`);
}
