/**
 * Each group is one Lambda function. Application, description, functions and permissions follow from this table, in its
 * order.
 */
import type { Route } from './http/route.ts';
import { callbackSecret } from './routes/callbackSecret.ts';
import { cancelJob } from './routes/cancelJob.ts';
import { columns } from './routes/columns.ts';
import { compare, estimateComparison } from './routes/compare.ts';
import { describe } from './routes/describe.ts';
import { detectFamily } from './routes/detectFamily.ts';
import { download } from './routes/download.ts';
import { eraseJob } from './routes/eraseJob.ts';
import { estimate } from './routes/estimate.ts';
import { events } from './routes/events.ts';
import { generate } from './routes/generate.ts';
import { health } from './routes/health.ts';
import { listJobs } from './routes/listJobs.ts';
import { mcpCall, mcpDownload, mcpPage } from './routes/mcp.ts';
import { pages } from './routes/pages.ts';
import { receipt, receiptKey } from './routes/receipt.ts';
import { releaseJob } from './routes/releaseJob.ts';
import { repeatJob } from './routes/repeatJob.ts';
import { report, reportData } from './routes/report.ts';
import { sample } from './routes/sample.ts';
import { status } from './routes/status.ts';
import { upload } from './routes/upload.ts';

export const ROUTE_GROUPS = {
  health: [health],
  upload: [upload],
  detectFamily: [detectFamily],
  estimate: [estimate, estimateComparison],
  generate: [generate],
  sample: [sample],
  compare: [compare],
  status: [status],
  events: [events],
  listJobs: [listJobs],
  columns: [columns],
  download: [download],
  report: [reportData, report],
  receipt: [receipt, receiptKey],
  callbackSecret: [callbackSecret],
  releaseJob: [releaseJob],
  repeatJob: [repeatJob],
  cancelJob: [cancelJob],
  eraseJob: [eraseJob],
  describe: [describe],
  pages: [...pages, mcpDownload],
  mcp: [mcpPage, mcpCall],
} as const satisfies Record<string, readonly Route[]>;
