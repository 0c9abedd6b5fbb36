/** The report and what the receipt is made of, beside the result. */
import { manifestKey, RESULT_FILE_NAME, reportKey } from '../../domain/job/objectKeys.ts';
import type { ObjectStore } from '../../domain/ports.ts';
import type { Manifest, Software } from '../../domain/receipt/receipt.ts';
import type { JobMetrics } from '../../domain/schema/metrics.ts';
import type { ReportData } from '../../domain/schema/report.ts';
import type { JobRequest } from '../../domain/schema/sampleRequest.ts';
import { withoutSamples } from '../report/makeReport.ts';
import { renderReport } from '../report/page/renderReport.ts';
import type { Hashed } from './hashing.ts';

export interface ResultPlace {
  objects: ObjectStore;
  jobId: string;
  attempt: number;
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** As a page and as data; of a table that is withheld also without its texts. */
export async function writeReport(
  { objects, jobId, attempt }: ResultPlace,
  report: ReportData,
  breathe: () => Promise<void>,
): Promise<void> {
  const isWithheld = report.metrics.release?.outcome === 'withheld';
  for (const hides of isWithheld ? [false, true] : [false]) {
    const shown = hides ? withoutSamples(report) : report;
    await objects.put(reportKey(jobId, attempt, 'json', hides), bytesOf(JSON.stringify(shown)));
    await objects.put(reportKey(jobId, attempt, 'html', hides), bytesOf(await renderReport(shown, breathe)));
  }
}

export interface ManifestTask extends ResultPlace {
  fileName: string;
  madeAt: string;
  input: Hashed;
  output: Hashed;
  request: JobRequest;
  software: Software;
  metrics: JobMetrics;
}

export async function writeManifest(task: ManifestTask): Promise<void> {
  const { objects, jobId, attempt, metrics } = task;
  const { job_id: _, ...request } = task.request;
  const manifest: Manifest = {
    format: 'synthetic-tables-receipt/1',
    job_id: jobId,
    made_at: task.madeAt,
    input: { name: task.fileName, ...task.input },
    output: { name: RESULT_FILE_NAME, ...task.output, rows: metrics.rows_generated, columns: metrics.columns },
    request,
    software: task.software,
    metrics,
  };
  await objects.put(manifestKey(jobId, attempt), bytesOf(JSON.stringify(manifest)));
}
