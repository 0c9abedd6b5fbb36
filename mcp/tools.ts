/** The tools, in the order in which they are used. */
import type { Tool } from './tool.ts';
import { detectFamily } from './tools/detectFamily.ts';
import { estimate } from './tools/estimate.ts';
import { fetchReport } from './tools/fetchReport.ts';
import { fetchRows } from './tools/fetchRows.ts';
import { follow } from './tools/follow.ts';
import { generate } from './tools/generate.ts';
import { inspectColumns } from './tools/inspectColumns.ts';
import { cancelJob, eraseJob, listJobs } from './tools/jobs.ts';
import { sample } from './tools/sample.ts';
import { uploadTable } from './tools/uploadTable.ts';

export const TOOLS: readonly Tool[] = [
  uploadTable,
  inspectColumns,
  detectFamily,
  estimate,
  generate,
  follow,
  sample,
  fetchRows,
  fetchReport,
  listJobs,
  cancelJob,
  eraseJob,
];
