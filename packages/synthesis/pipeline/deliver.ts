/** deliver: the gate, the metrics and the report of a table whose rows are drawn. */
import { JobError, ServiceError } from '../../contract/errors.ts';
import type { JobMetrics } from '../../contract/metrics.ts';
import { NO_RULES } from '../../contract/releasePolicy.ts';
import type { ReportData, SharedReport } from '../../contract/report.ts';
import type { TableRequest } from '../../contract/requests.ts';
import type { Judgement } from '../../contract/verdicts.ts';
import { VERSION } from '../../contract/version.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import { tally } from '../../numerics/tally.ts';
import { counted, withCommas } from '../../words/wording.ts';
import { measuredColumns } from '../metrics/columns.ts';
import { numberRows } from '../metrics/duplicateRate.ts';
import type { ModelTable } from '../models/model.ts';
import { type AssociationsReport, findAssociations } from '../report/associationsReport.ts';
import { judge } from '../report/judge.ts';
import { type DrawnColumn, makeReport, pairedColumns, type ReportTask, withoutSamples } from '../report/makeReport.ts';
import { renderReport } from '../report/page/renderReport.ts';
import { renderSharedReport } from '../report/page/renderSharedReport.ts';
import { shareReport } from '../report/shareReport.ts';
import type { SeedColumns } from './conditions.ts';
import { avoidSequences } from './entities/redrawEntities.ts';
import type { FittedSequences } from './entities/sequences.ts';
import type { FittedRole } from './fit.ts';
import type { Split } from './holdOut.ts';
import { refuseRealKeys } from './keys.ts';
import { type CrossFits, measure } from './measure.ts';
import { measureRolesOf, type Plan } from './plan.ts';
import type { Progress } from './progress.ts';
import { copyBreach, countRows, type RedrawTask, redrawRows } from './redrawRows.ts';
import { passGate } from './releaseGate.ts';
import { toMetrics } from './toMetrics.ts';

export interface Delivery {
  request: TableRequest;
  seed: number;
  progress: Progress;
  random: RandomStream;
  plan: Plan;
  models: readonly FittedRole[];
  seedColumns: SeedColumns | null;
  /** Null where each row is made alone. */
  sequences: FittedSequences | null;
  /** The real rows, and which of them the models saw. */
  table: ModelTable;
  split: Split;
  drawn: ModelTable;
  notes: readonly string[];
  crossFits: CrossFits;
  /** Verdicts on the table that the models first made, for rows that are drawn later. */
  before?: readonly Judgement[];
}

/** A synthetic table with its figures, and what it was made from and by. */
export interface Synthesis extends Omit<Delivery, 'drawn' | 'crossFits' | 'notes' | 'before'> {
  /** The plan's columns and their indicators. */
  synthetic: ModelTable;
  /** Of the real and the synthetic columns, for the metrics and the report alike. */
  associations: AssociationsReport;
  metrics: JobMetrics;
}

/** Has rows that equal real ones or break the policy redrawn, and measures. Throws where the work is to stop, and JobError unsafe_result where a key is a real one. */
export async function deliver({ drawn, crossFits, notes, before, ...made }: Delivery): Promise<Synthesis> {
  const { request, seed, progress, random, plan, models, seedColumns, sequences, table, split } = made;
  const gate = {
    plan,
    models,
    seedColumns,
    sequences,
    split,
    progress,
    policy: request.policy ?? NO_RULES,
    random: random.child('release'),
    realRows: table.rows,
    measure: (synthetic: ModelTable, name: string) =>
      measure({
        plan,
        real: table,
        split,
        synthetic,
        random: random.child(name),
        progress,
        crossFits,
        sequences: sequences?.plan ?? null,
      }),
  };
  const own = sequences
    ? await avoidSequences({ ...gate, sequences, random: random.child('copies') }, drawn)
    : await avoidCopies({ ...gate, random: random.child('copies') }, table, drawn);
  const { table: synthetic, measures, release } = await passGate(gate, own.table);
  refuseRealKeys(plan, table, synthetic);
  const columns = plan.columns.map(({ name }) => name);
  const associations = associationsOf(plan, table, synthetic, random);
  const figures = {
    ...toMetrics(measures, associations, [...notes, ...own.notes], made),
    release,
    rows_generated: synthetic.rows,
    columns,
    seed,
    version: VERSION,
  };
  return {
    ...made,
    synthetic,
    associations,
    metrics: { ...figures, verdicts: judge(figures, before, { keptRare: request.keep_rare }) },
  };
}

/** Of the columns whose pairs are looked at. */
export function associationsOf(
  plan: Plan,
  real: ModelTable,
  synthetic: ModelTable,
  random: RandomStream,
): AssociationsReport {
  const paired = pairedColumns(drawnColumns(plan), real);
  return findAssociations({ real, synthetic }, paired, random.child('report').child('ties'));
}

/** A report as data and as a page that stands alone. */
export interface DrawnReport<Data = ReportData> {
  data: Data;
  html: string;
}

interface DrawnReports {
  report: DrawnReport | null;
  /** Of a table that is withheld: the same without its texts. */
  withoutTexts: DrawnReport | null;
  /** Of a table with `privacy`: what may be handed on. */
  forSharing: DrawnReport<SharedReport> | null;
}

/** What a report says of where its table comes from. */
export type ReportNames = Pick<ReportTask, 'jobId' | 'fileName' | 'madeAt' | 'software' | 'request' | 'identity'>;

/** The reports, and the metrics, with a note if none could be drawn: a table is not lost for want of a drawing. */
export async function drawReport(
  { plan, table, split, synthetic, associations, random, metrics, progress }: Synthesis,
  names: ReportNames,
): Promise<DrawnReports & { metrics: JobMetrics }> {
  const columns = drawnColumns(plan);
  const { yieldToEventLoop } = progress;
  const rendered = async (data: ReportData) => ({ data, html: await renderReport(data, yieldToEventLoop) });
  try {
    const shown = { ...split, real: table, synthetic, associations, random: random.child('report') };
    const data = makeReport({ ...names, ...shown, columns, entity: plan.entity, notUsed: plan.notUsed, metrics });
    const report = await rendered(data);
    const shared = shareReport({ ...names, columns, synthetic, metrics, notUsed: plan.notUsed, random: shown.random });
    const forSharing = shared && { data: shared, html: await renderSharedReport(shared, yieldToEventLoop) };
    await progress.onProgress({ stage: 'report', fact: 'report_drawn', columns: columns.length });
    const isWithheld = metrics.release?.outcome === 'withheld';
    return { metrics, report, withoutTexts: isWithheld ? await rendered(withoutSamples(data)) : null, forSharing };
  } catch (error) {
    if (error instanceof JobError || error instanceof ServiceError || isAbort(error)) throw error;
    const why = error instanceof Error ? error.message : String(error);
    const notes = [...metrics.notes, `No report could be made for this table: ${why}`];
    return { metrics: { ...metrics, notes }, report: null, withoutTexts: null, forSharing: null };
  }
}

/** What a signal gives as its reason, unless it was given another one. */
const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

const drawnColumns = ({ columns }: Plan): DrawnColumn[] =>
  columns.map(({ name, role, format }) => ({ name, role, format }));

// Rows that equal a real one, where hardly any two real rows are equal: chance makes some, and whoever finds one
// would take it for a real person's. They are redrawn. Where real rows are often equal, so may these be; and where
// many rows made equal real ones, there are few possible rows: an equal one identifies no one, and without them the
// rest would be another table.

/** Share of rows made from which on equal ones stay. */
const MAX_COPIES = 0.05;

/** @param real all real rows, those too that no model saw. Text does not count. */
export async function avoidCopies(
  task: RedrawTask,
  real: ModelTable,
  table: ModelTable,
): Promise<{ table: ModelTable; notes: string[] }> {
  const columns = { ...measuredColumns(measureRolesOf(task.plan), real), text: [] };
  const breach = copyBreach(real, columns);
  const copies = countRows(breach(table));
  const least = shareWithTwins(numberRows(real, columns)) * table.rows;
  if (copies <= least || copies > MAX_COPIES * table.rows) return { table, notes: [] };
  const out = await redrawRows(task, table, breach);
  const left = countRows(breach(out.table));
  await task.progress.onProgress({ stage: 'gate', fact: 'copies_redrawn', rows: out.redrawn });
  return { table: out.table, notes: [noteOf(copies, left)] };
}

/** Share of rows that equal another one, by the number of each row's group. */
function shareWithTwins(groupOf: Int32Array): number {
  const sizes = tally(groupOf);
  return groupOf.filter((group) => sizes.get(group)! > 1).length / groupOf.length;
}

const noteOf = (copies: number, left: number): string =>
  `${counted(copies, 'drawn row')} equalled a real row, more than real rows equal each other, and ${copies === 1 ? 'was' : 'were'} redrawn${
    left === 0 ? '.' : `; ${withCommas(left)} still ${left === 1 ? 'does' : 'do'}, since no other rows could be drawn.`
  }`;
