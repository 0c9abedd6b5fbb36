/** The tools, in the order in which they are used. */
import type { Tool } from './tool.ts';
import { detectFamily, estimate, generate } from './tools/generate.ts';
import { cancelJob, eraseJob, follow, listJobs, sample } from './tools/jobs.ts';
import { fetchReport, fetchRows } from './tools/results.ts';
import { inspectColumns, uploadTable } from './tools/uploadTable.ts';

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
