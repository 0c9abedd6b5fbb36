/** compare: a synthetic table that was made anywhere, judged beside the real one. n real rows, m synthetic ones. */
import { ServiceError } from '../../contract/errors.ts';
import type { JobMetrics } from '../../contract/metrics.ts';
import { type ReportIdentity, WITHOUT_JOB } from '../../contract/report.ts';
import { type TableRequest, type TableRequestBody, tableRequestSchema } from '../../contract/requests.ts';
import type { Judgement } from '../../contract/verdicts.ts';
import { VERSION } from '../../contract/version.ts';
import { createStream } from '../../numerics/random/createStream.ts';
import { type CellColumn, type CellTable, MISSING } from '../../tables/table.ts';
import { counted } from '../../words/wording.ts';
import { takeRows } from '../metrics/columns.ts';
import { type AllMeasures, measureAll } from '../metrics/measureAll.ts';
import { halves } from '../metrics/parts.ts';
import type { ModelColumn, ModelTable } from '../models/model.ts';
import { associationsOf, type DrawnReport, drawReport, withLargestDifferences } from '../pipeline/deliver.ts';
import type { Split } from '../pipeline/holdOut.ts';
import { type PlannedColumn, toModelColumn } from '../pipeline/modelTable.ts';
import { makePlan, measureRolesOf, type Plan } from '../pipeline/plan.ts';
import type { RealTable } from '../pipeline/runPipeline.ts';
import { judge } from '../report/judge.ts';
import { softwareFacts } from '../report/makeReport.ts';
import { checkRequest } from '../request/checkRequest.ts';
import type { TableSource } from './source.ts';
import { readSource, seedOf, withRoles } from './synthesize.ts';
import { parsed, type ReadOptions, type Work, working } from './work.ts';

/** What two tables are compared with; each may be left out. */
export interface CompareOptions extends ReadOptions {
  /** Real rows that whatever made the synthetic table did not see: without them no attack can be judged. */
  holdout?: TableSource | undefined;
  /** Of what is sampled. A whole number from 0 to 2^53 - 1; drawn where left out. */
  seed?: number | undefined;
}

/** A synthetic table with its figures beside real ones. */
export interface TableComparison {
  /** The columns that were compared, in the real table's order. */
  columns: readonly string[];
  request: TableRequest;
  metrics: JobMetrics;
  verdicts: readonly Judgement[];
  /** As data and as a page that stands alone; null where none can be drawn. */
  report(): Promise<DrawnReport | null>;
}

/**
 * Judges a synthetic table by the figures, attacks and verdicts that `synthesize` judges its own by.
 *
 * @param real the rows that the synthetic table was made from.
 * @param synthetic rows from anywhere, with the real table's columns; others are left out.
 * @param request roles of the columns, as `synthesize` takes them; suggested where it names none.
 * @throws ServiceError where a table cannot be read, lacks a column that has a role, or the request does not fit;
 *   JobError where a column cannot be read in its role; the signal's reason within 100 ms of its abort.
 */
export function compare(
  real: TableSource,
  synthetic: TableSource,
  request: TableRequestBody = {},
  options: CompareOptions = {},
): Promise<TableComparison> {
  return working(options, async (work) => {
    const body = parsed(tableRequestSchema, request);
    const seed = seedOf(options, body.seed);
    const { name, table } = await readSource(real, work, options);
    const asked = { ...withRoles({ ...body, allow_few_rows: true }, table.profile), seed };
    checkRequest(asked, table.profile);
    const made = await readSource(synthetic, work, options);
    const held = options.holdout === undefined ? null : await readSource(options.holdout, work, options);
    const tables: ComparedTables = { real: table, synthetic: made.table, holdout: held?.table ?? null };
    return compared(tables, { name, identity: made.identity, request: asked, seed }, work);
  });
}

interface ComparedTables {
  real: RealTable;
  synthetic: RealTable;
  holdout: RealTable | null;
}

interface Asked {
  /** Of the real table's file. */
  name: string;
  /** Of the synthetic table's. */
  identity: ReportIdentity;
  request: TableRequest;
  seed: number;
}

async function compared(tables: ComparedTables, asked: Asked, work: Work): Promise<TableComparison> {
  const { progress } = work;
  const { name, identity, request, seed } = asked;
  const random = createStream(seed, 'compare');
  const { profile, cells } = tables.real;
  await progress.onProgress({ stage: 'load', fact: 'table_read', rows: cells.rows, columns: cells.columns.length });
  const { plan } = makePlan(profile, cells, request);
  const { real, synthetic, holdout, notes } = readAlike(plan, tables);
  // Half of the rows stand for those that were learned from, half for fresh ones: what real rows get beside real rows.
  const split = holdout ? { train: real, holdout } : halves(real, random.child('halves'));
  const rows = { train: split.train.rows, holdout: split.holdout?.rows ?? null };
  await progress.onProgress({ stage: 'holdout', fact: 'rows_split', ...rows });
  const found = await measureAll({
    ...{ ...split, synthetic, roles: measureRolesOf(plan), family: null, crossFit: null },
    ...{ isSplit: holdout === null, random: random.child('measure'), onProgress: progress.onProgress },
  });
  const measures = holdout ? besideHeldOut(found, split) : found;
  const associations = associationsOf(plan, real, synthetic, random);
  const columns = plan.columns.map((column) => column.name);
  const figures = {
    ...withLargestDifferences(measures, associations),
    ...{ regression: null, release: null, notes: [...notes, ...measures.notes] },
    ...{ rows_generated: synthetic.rows, columns, seed, version: VERSION },
  };
  const metrics = { ...figures, verdicts: judge(figures).map(ofAnyMaker) };
  const shown = {
    request,
    seed,
    progress,
    random,
    plan,
    models: [],
    seedColumns: null,
    sequences: null,
    table: real,
    split,
  };
  let report: Promise<DrawnReport | null> | undefined;
  return {
    ...{ columns, request, metrics, verdicts: metrics.verdicts },
    report() {
      report ??= drawReport(
        { ...shown, synthetic, associations, metrics },
        {
          ...{ jobId: WITHOUT_JOB.compared, fileName: name, madeAt: new Date().toISOString() },
          ...{ request: { ...request, seed }, identity, software: softwareFacts(null) },
        },
      ).then((drawn) => drawn.report);
      return report;
    },
  };
}

/** Nothing is known of what the rows were learned from. */
function besideHeldOut(found: AllMeasures, { train, holdout }: Split): AllMeasures {
  const said = found.measured_on?.summary;
  const held = counted(holdout?.rows ?? 0, 'real row');
  const summary = `Compared with ${counted(train.rows, 'real row')}, and beside them with ${held} that were held out.`;
  const notes = found.notes.map((note) => (note === said ? summary : note));
  return { ...found, notes, measured_on: found.measured_on && { ...found.measured_on, summary } };
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
  const tables = [real, synthetic, ...(holdout ? [holdout] : [])].map(({ cells }) => cells);
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
