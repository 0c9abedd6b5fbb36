/** The server builds every key, never from a client's text. */
import type { ConversionName } from '../../packages/tables/formats.ts';
import type { ObjectStore } from '../ports.ts';

export const RESULT_FILE_NAME = 'synthetic_data.csv';

export const JOBS_PREFIX = 'jobs/';

export const jobPrefix = (jobId: string): string => `${JOBS_PREFIX}${jobId}/`;

export const jobOfKey = (key: string): string => key.slice(JOBS_PREFIX.length).split('/', 1)[0] ?? '';

/** Ledgers and samples of private tables, which outlive jobs. */
export const LEDGERS_PREFIX = 'privacy/';
/** Version 0.2: `source` is the file's hash. */
export const olderLedgerKey = (source: string): string => `${LEDGERS_PREFIX}${source}.json`;
/** `owner` is the hash of the key's id. */
export const rowSamplesPrefix = (owner: string): string => `${LEDGERS_PREFIX}rows/${owner}/`;
export const rowSampleKey = (owner: string, ledger: string): string => `${rowSamplesPrefix(owner)}${ledger}.json`;

export const uploadKey = (jobId: string): string => `${jobPrefix(jobId)}upload`;

export const profileKey = (jobId: string): string => `${jobPrefix(jobId)}profile.json`;

/** Answer of POST /upload without the job's id. */
export const columnsKey = (jobId: string): string => `${jobPrefix(jobId)}columns.json`;

/** Marks of incomplete uploads and erasures. */
export const uploadingKey = (jobId: string): string => `${jobPrefix(jobId)}uploading`;
export const erasingKey = (jobId: string): string => `${jobPrefix(jobId)}erasing`;

export const uploadKeys = (jobId: string): string[] => [uploadKey(jobId), profileKey(jobId), columnsKey(jobId)];

/** Separate keys per attempt, so that late writers cannot touch newer results. */
export const attemptPrefix = (jobId: string, attempt: number): string => `${jobPrefix(jobId)}attempt-${attempt}/`;

export const resultKey = (jobId: string, attempt: number): string =>
  `${attemptPrefix(jobId, attempt)}${RESULT_FILE_NAME}`;

export const convertedKey = (jobId: string, attempt: number, format: ConversionName): string =>
  resultKey(jobId, attempt).replace(/csv$/, format);

export const samplesPrefix = (jobId: string): string => `${jobPrefix(jobId)}samples/`;
export const sampleMarkKey = (jobId: string, sampleId: string): string => `${samplesPrefix(jobId)}${sampleId}`;

export const modelKey = (jobId: string, attempt: number): string => `${attemptPrefix(jobId, attempt)}model.json`;

const REPORT_KINDS = ['html', 'json'] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

/** `withheld` leaves out single rows; `sharing` has only what may be passed on. */
const REPORT_NAMES = { whole: 'report', withheld: 'report-withheld', sharing: 'report-for-sharing' } as const;
export type ReportForm = keyof typeof REPORT_NAMES;

export const reportKey = (jobId: string, attempt: number, kind: ReportKind, form: ReportForm = 'whole'): string =>
  `${attemptPrefix(jobId, attempt)}${REPORT_NAMES[form]}.${kind}`;

export const manifestKey = (jobId: string, attempt: number): string => `${attemptPrefix(jobId, attempt)}manifest.json`;

/** Keeps the marks, so that an interrupted erasure is found again. */
export async function eraseFiles(objects: ObjectStore, jobId: string): Promise<void> {
  const marks = [uploadingKey(jobId), erasingKey(jobId)];
  const keys = await objects.list(jobPrefix(jobId));
  const files = keys.filter((key) => !marks.includes(key) && !key.startsWith(samplesPrefix(jobId)));
  await Promise.all(files.map((key) => objects.erase(key)));
}

/** Erases the marks last. */
export async function eraseObjects(objects: ObjectStore, jobId: string): Promise<void> {
  await eraseFiles(objects, jobId);
  await objects.erase(jobPrefix(jobId));
}

/** Reads a small object into memory. */
export async function readObject(objects: ObjectStore, key: string): Promise<Uint8Array | undefined> {
  const found = await objects.get(key);
  if (!found) return undefined;
  const whole = new Uint8Array(found.bytes);
  let filled = 0;
  for await (const chunk of found.body) {
    whole.set(chunk, filled);
    filled += chunk.byteLength;
  }
  return whole;
}
