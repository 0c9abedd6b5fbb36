/** The report of a finished table as data and as a page, and what of it may be handed on. */
import { JobError, ServiceError } from '../../contract/errors.ts';
import type { JobMetrics } from '../../contract/metrics.ts';
import type { ReportData, SharedReport } from '../../contract/report.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import type { ModelTable } from '../models/model.ts';
import type { Plan } from '../plan/plan.ts';
import type { Progress } from '../progress.ts';
import type { Split } from '../table/split.ts';
import { type AssociationsReport, findAssociations } from './associationsReport.ts';
import { type DrawnColumn, makeReport, pairedColumns, type ReportTask, withoutSamples } from './makeReport.ts';
import { renderReport } from './page/renderReport.ts';
import { renderSharedReport } from './page/renderSharedReport.ts';
import { shareReport } from './shareReport.ts';

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

/** A table with its figures. */
interface ReportedTable {
  plan: Plan;
  table: ModelTable;
  split: Split;
  synthetic: ModelTable;
  associations: AssociationsReport;
  random: RandomStream;
  metrics: JobMetrics;
  progress: Progress;
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

/** Origin of a table, as its report names it. */
export type ReportNames = Pick<ReportTask, 'jobId' | 'fileName' | 'madeAt' | 'software' | 'request' | 'identity'>;

/** The reports, and the metrics, with a note if none could be drawn: a table is not lost for want of a drawing. */
export async function drawReport(
  { plan, table, split, synthetic, associations, random, metrics, progress }: ReportedTable,
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
