import type { JobMetrics } from '../../contract/metrics.ts';
import { WITHOUT_JOB } from '../../contract/report.ts';
import { type TableRequest, type TableRequestBody, tableRequestSchema } from '../../contract/requests.ts';
import type { Judgement } from '../../contract/verdicts.ts';
import { compareTable } from '../compareTable.ts';
import { type DrawnReport, drawReport } from '../report/drawReport.ts';
import { softwareFacts } from '../report/makeReport.ts';
import { checkRequest } from '../request/checkRequest.ts';
import type { TableSource } from './source.ts';
import { readSource, seedOf, withRoles } from './synthesize.ts';
import { parsed, type ReadOptions, working } from './work.ts';

/** Options of `compare`. */
export interface CompareOptions extends ReadOptions {
  /** Real rows that were not used to make the synthetic table. Privacy attacks cannot be judged without them. */
  holdout?: TableSource | undefined;
  /** Seed for sampling (0 to 2^53 - 1). Random by default. */
  seed?: number | undefined;
}

/** A synthetic table compared with the real one. */
export interface TableComparison {
  /** Compared columns, in the real table's order. */
  columns: readonly string[];
  request: TableRequest;
  metrics: JobMetrics;
  verdicts: readonly Judgement[];
  /** Returns the report as data and a self-contained page, or null if it cannot be drawn. */
  report(): Promise<DrawnReport | null>;
}

/**
 * Judges a synthetic table with the measures, attacks and verdicts of `synthesize`.
 *
 * @param real the rows that the synthetic table was made from.
 * @param synthetic rows from any source. Ignores columns that the real table lacks.
 * @param request column roles. Defaults to the suggested roles.
 * @throws ServiceError if a table is unreadable, lacks a column with a role, or the request does not fit; JobError if a
 *   column cannot be read in its role; the signal's reason within 100 ms of an abort.
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
    const tables = { real: table, synthetic: made.table.cells, holdout: held?.table.cells ?? null };
    const compared = await compareTable({ tables, request: asked, seed, progress: work.progress });
    const { plan, metrics } = compared;
    let report: Promise<DrawnReport | null> | undefined;
    return {
      columns: plan.columns.map((column) => column.name),
      request: asked,
      metrics,
      verdicts: metrics.verdicts ?? [],
      report() {
        report ??= drawReport(compared, {
          jobId: WITHOUT_JOB.compared,
          fileName: name,
          madeAt: new Date().toISOString(),
          request: asked,
          identity: made.identity,
          software: softwareFacts(null),
        }).then((drawn) => drawn.report);
        return report;
      },
    };
  });
}
