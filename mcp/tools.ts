/** In order of use. */
import type { Tool } from './tool.ts';
import { detectFamily, estimate, generate } from './tools/generate.ts';
import { cancelJob, compare, eraseJob, listJobs, sample, status } from './tools/jobs.ts';
import { readReport } from './tools/report.ts';
import { readRows } from './tools/rows.ts';
import { inspect, upload } from './tools/upload.ts';

export const TOOLS: readonly Tool[] = [
  upload,
  inspect,
  detectFamily,
  estimate,
  generate,
  status,
  sample,
  compare,
  readReport,
  readRows,
  listJobs,
  cancelJob,
  eraseJob,
];
