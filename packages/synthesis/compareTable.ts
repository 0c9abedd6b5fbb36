/** compareTable: a table that was made elsewhere, measured and judged beside the real one, as `deliver` measures one of ours. */
import { ServiceError } from '../contract/errors.ts';
import type { TableRequest } from '../contract/requests.ts';
import type { Judgement } from '../contract/verdicts.ts';
import { createStream } from '../numerics/random/createStream.ts';
import { type CellColumn, type CellTable, MISSING } from '../tables/table.ts';
import { counted, withCommas } from '../words/wording.ts';
import { finish, type Synthesis } from './finish.ts';
import { type MeasuredColumns, measuredColumns } from './judge/columns.ts';
import type { AllMeasures } from './judge/measureAll.ts';
import { halves } from './judge/parts.ts';
import { sharedRows } from './judge/privacy/sharedRows.ts';
import { tableRead } from './make.ts';
import type { RealTable } from './methods/method.ts';
import { rowsSplit } from './methods/openPlan.ts';
import type { ModelColumn, ModelTable } from './models/model.ts';
import { makePlan, measureRolesOf, type Plan } from './plan/plan.ts';
import type { Progress } from './progress.ts';
import { type PlannedColumn, toModelColumn } from './table/modelTable.ts';
import type { Split } from './table/split.ts';
import { takeRows } from './table/takeRows.ts';

export interface ComparedTables {
  real: RealTable;
  synthetic: CellTable;
  /** Real rows that the maker did not see, or null. */
  holdout: CellTable | null;
}

export interface CompareTask {
  tables: ComparedTables;
  request: TableRequest;
  seed: number;
  progress: Progress;
}

/** Throws ServiceError `column_not_found` if a table lacks a column, and JobError if a column does not fit its role. */
export async function compareTable({ tables, request, seed, progress }: CompareTask): Promise<Synthesis> {
  const random = createStream(seed, 'compare');
  const { profile, cells } = tables.real;
  await progress.onProgress(tableRead(cells));
  const { plan } = makePlan(profile, cells, request);
  const { real, synthetic, holdout: given, notes } = readAlike(plan, tables);
  const holdout = given && withoutReal(real, given, measuredColumns(measureRolesOf(plan), real), notes);
  // The baseline compares two halves of the real rows.
  const split = holdout ? { train: real, holdout } : halves(real, random.child('halves'));
  await progress.onProgress(rowsSplit(split));
  const opened = {
    plan: { ...plan, settings: { ...plan.settings, family: null } },
    real,
    split,
    isSplit: holdout === null,
    notes,
    entities: null,
    refit: null,
    crossFits: { withoutHoldout: false, attacks: false },
  };
  return finish(
    { request, seed, progress, random, opened, generator: MADE_ELSEWHERE, drawn: synthetic },
    { describe: (found) => (holdout ? besideHeldOut(found, split) : found), advise: ofAnyMaker },
  );
}

const MADE_ELSEWHERE = { models: [], drawsTargetInSequence: false, disclosure: null, promise: null, verdicts: [] };

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

/** The training rows are unknown. */
function besideHeldOut(found: AllMeasures, { train, holdout }: Split): AllMeasures {
  const held = counted(holdout?.rows ?? 0, 'real row');
  const summary = `Compared with ${counted(train.rows, 'real row')}, and beside them with ${held} that were held out.`;
  return { ...found, measured_on: { ...found.measured_on, summary } };
}

/** Steps open to any maker. */
const OF_ANY_MAKER = ['use_more_rows', 'hold_out_rows', 'leave_out'];

const ofAnyMaker = (judgement: Judgement): Judgement => ({
  ...judgement,
  next: judgement.next.filter(({ action }) => OF_ANY_MAKER.includes(action)),
});

// All tables are read alike, so that equal cells have equal values.

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

function columnIn(table: CellTable, name: string): CellColumn {
  const found = table.columns.find((column) => column.name === name);
  if (found) return found;
  const names = table.columns.map((column) => column.name);
  const params = { column: name, available: names.slice(0, LISTED), more: Math.max(0, names.length - LISTED) };
  throw new ServiceError({ reason: 'compared_column_missing', ...params });
}

const LISTED = 20;

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
