/** compareTable: a table that was made elsewhere, measured and judged beside the real one, as `deliver` measures one of ours. */
import { ServiceError } from '../../contract/errors.ts';
import type { TableRequest } from '../../contract/requests.ts';
import type { Judgement } from '../../contract/verdicts.ts';
import { VERSION } from '../../contract/version.ts';
import { createStream } from '../../numerics/random/createStream.ts';
import { type CellColumn, type CellTable, MISSING } from '../../tables/table.ts';
import { counted, withCommas } from '../../words/wording.ts';
import { type MeasuredColumns, measuredColumns, takeRows } from '../metrics/columns.ts';
import { type AllMeasures, measureAll, measureNotes } from '../metrics/measureAll.ts';
import { halves } from '../metrics/parts.ts';
import { sharedRows } from '../metrics/privacy/sharedRows.ts';
import type { ModelColumn, ModelTable } from '../models/model.ts';
import { judge } from '../report/judge.ts';
import { associationsOf, type Synthesis } from './deliver.ts';
import type { Split } from './holdOut.ts';
import { type PlannedColumn, toModelColumn } from './modelTable.ts';
import { makePlan, measureRolesOf, type Plan } from './plan.ts';
import type { Progress } from './progress.ts';
import type { RealTable } from './runPipeline.ts';
import { withLargestDifferences } from './toMetrics.ts';

export interface ComparedTables {
  real: RealTable;
  synthetic: CellTable;
  /** Real rows that whoever made the synthetic table did not see; null where there are none. */
  holdout: CellTable | null;
}

export interface CompareTask {
  tables: ComparedTables;
  /** Of the real table's columns. */
  request: TableRequest;
  seed: number;
  progress: Progress;
}

/**
 * @returns the columns of the plan as they were read, and their figures; no model.
 * Throws ServiceError `column_not_found` where a table lacks a column of the plan, and JobError where one cannot be read in its role.
 */
export async function compareTable({ tables, request, seed, progress }: CompareTask): Promise<Synthesis> {
  const random = createStream(seed, 'compare');
  const { profile, cells } = tables.real;
  await progress.onProgress({ stage: 'load', fact: 'table_read', rows: cells.rows, columns: cells.columns.length });
  const { plan } = makePlan(profile, cells, request);
  const { real, synthetic, holdout: given, notes } = readAlike(plan, tables);
  const holdout = given && withoutReal(real, given, measuredColumns(measureRolesOf(plan), real), notes);
  // Half of the rows stand for those that were learned from, half for fresh ones: what real rows get beside real rows.
  const split = holdout ? { train: real, holdout } : halves(real, random.child('halves'));
  const rows = { train: split.train.rows, holdout: split.holdout?.rows ?? null };
  await progress.onProgress({ stage: 'holdout', fact: 'rows_split', ...rows });
  const found = await measureAll({
    ...split,
    synthetic,
    real,
    roles: measureRolesOf(plan),
    family: null,
    crossFit: null,
    isSplit: holdout === null,
    random: random.child('measure'),
    ...progress,
  });
  const measures = holdout ? besideHeldOut(found, split) : found;
  const associations = associationsOf(plan, real, synthetic, random);
  const columns = plan.columns.map((column) => column.name);
  const figures = {
    ...withLargestDifferences(measures, associations),
    regression: null,
    release: null,
    notes: [...notes, ...measureNotes(measures)],
    rows_generated: synthetic.rows,
    columns,
    seed,
    version: VERSION,
  };
  const metrics = { ...figures, verdicts: judge(figures).map(ofAnyMaker) };
  const none = { models: [], seedColumns: null, sequences: null };
  return { ...none, request, seed, progress, random, plan, table: real, split, synthetic, associations, metrics };
}

/** The held-out rows that are not among the real ones; null if none is left. */
function withoutReal(
  real: ModelTable,
  holdout: ModelTable,
  columns: MeasuredColumns,
  notes: string[],
): ModelTable | null {
  const { sure, suspected } = sharedRows(real, holdout, columns);
  if (sure.length > 0) {
    notes.push(
      `${counted(sure.length, 'held-out row')} ${sure.length === 1 ? 'is a row' : 'are rows'} of the real table, too, and ${sure.length === 1 ? 'was' : 'were'} left out: attacks are judged by rows that whoever made the table did not see.`,
    );
  } else if (suspected > 0) {
    notes.push(
      `${counted(suspected, 'held-out row')} of ${withCommas(holdout.rows)} equal a real row, more than real rows equal each other. If they are the same rows, attacks look weaker than they are: hold out rows that whoever made the table did not see.`,
    );
  }
  const isShared = new Set(sure);
  const rest = Int32Array.from({ length: holdout.rows }, (_, row) => row).filter((row) => !isShared.has(row));
  return rest.length > 0 ? takeRows(holdout, rest) : null;
}

/** Nothing is known of what the rows were learned from. */
function besideHeldOut(found: AllMeasures, { train, holdout }: Split): AllMeasures {
  const held = counted(holdout?.rows ?? 0, 'real row');
  const summary = `Compared with ${counted(train.rows, 'real row')}, and beside them with ${held} that were held out.`;
  return { ...found, measured_on: { ...found.measured_on, summary } };
}

/** Steps that whoever made the table elsewhere can take: not those of this product's own settings. */
const OF_ANY_MAKER = ['use_more_rows', 'hold_out_rows', 'leave_out'];

const ofAnyMaker = (judgement: Judgement): Judgement => ({
  ...judgement,
  next: judgement.next.filter(({ action }) => OF_ANY_MAKER.includes(action)),
});

// Cells of all tables are read by one reading of each column: equal cells are equal in every table.

interface ReadTables {
  real: ModelTable;
  synthetic: ModelTable;
  holdout: ModelTable | null;
  notes: string[];
}

function readAlike(plan: Plan, { real, synthetic, holdout }: ComparedTables): ReadTables {
  const tables = [real.cells, synthetic, ...(holdout ? [holdout] : [])];
  const notes: string[] = [];
  const columns = new Map<string, ModelColumn>();
  for (const column of plan.columns) columns.set(column.name, readColumn(column, tables, notes));
  const all = { rows: tables.reduce((sum, { rows }) => sum + rows, 0), columns };
  let at = 0;
  const [first, second, third] = tables.map(({ rows }) => {
    at += rows;
    return takeRows(
      all,
      Int32Array.from({ length: rows }, (_, row) => at - rows + row),
    );
  });
  return { real: first!, synthetic: second!, holdout: third ?? null, notes };
}

const readColumn = (column: PlannedColumn, tables: readonly CellTable[], notes: string[]): ModelColumn =>
  toModelColumn(joined(tables.map((table) => columnIn(table, column.name))), column, notes);

/** Throws ServiceError `column_not_found`. */
function columnIn(table: CellTable, name: string): CellColumn {
  const found = table.columns.find((column) => column.name === name);
  if (found) return found;
  const names = table.columns.map((column) => column.name);
  const params = { column: name, available: names.slice(0, LISTED), more: Math.max(0, names.length - LISTED) };
  throw new ServiceError({ reason: 'compared_column_missing', ...params });
}

const LISTED = 20;

/** One column under the other, under one dictionary. */
function joined(columns: readonly CellColumn[]): CellColumn {
  const codeOf = new Map<string, number>();
  const codes = new Int32Array(columns.reduce((sum, column) => sum + column.codes.length, 0));
  let at = 0;
  for (const column of columns) {
    const joint = column.levels.map((level) => {
      const code = codeOf.get(level) ?? codeOf.size;
      codeOf.set(level, code);
      return code;
    });
    for (const code of column.codes) codes[at++] = code === MISSING ? MISSING : joint[code]!;
  }
  return { name: columns[0]!.name, codes, levels: [...codeOf.keys()] };
}
