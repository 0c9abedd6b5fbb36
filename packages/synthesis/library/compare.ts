/** compare: a synthetic table that was made anywhere, judged beside the real one. n real rows, m synthetic ones. */
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
