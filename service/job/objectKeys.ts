/** Where a job's objects lie in the object store. Said once; every key is made by the server, never from a client's text. */
import type { ConversionName } from '../../packages/tables/formats.ts';
import type { ObjectStore } from '../ports.ts';

export const RESULT_FILE_NAME = 'synthetic_data.csv';

export const JOBS_PREFIX = 'jobs/';

/** Everything of a job lies under this prefix, so that erasing the prefix erases the job. */
export const jobPrefix = (jobId: string): string => `${JOBS_PREFIX}${jobId}/`;

/** The job that a key under `JOBS_PREFIX` belongs to. */
export const jobOfKey = (key: string): string => key.slice(JOBS_PREFIX.length).split('/', 1)[0] ?? '';

/** What is kept of private tables: no part of any job, since it outlives them. */
export const LEDGERS_PREFIX = 'privacy/';
/** A ledger of version 0.2, by the hash of the file's bytes. */
export const olderLedgerKey = (source: string): string => `${LEDGERS_PREFIX}${source}.json`;
/** Samples of the rows of an owner's tables, by which two of them are compared. `owner` is the hash of the key's id. */
export const rowSamplesPrefix = (owner: string): string => `${LEDGERS_PREFIX}rows/${owner}/`;
export const rowSampleKey = (owner: string, ledger: string): string => `${rowSamplesPrefix(owner)}${ledger}.json`;

/** The file as it was uploaded. */
export const uploadKey = (jobId: string): string => `${jobPrefix(jobId)}upload`;

/** What one pass over the upload found: the `Profile` of `packages/tables/profile`. */
export const profileKey = (jobId: string): string => `${jobPrefix(jobId)}profile.json`;

/** What POST /upload answered, but for the job's id. */
export const columnsKey = (jobId: string): string => `${jobPrefix(jobId)}columns.json`;

/** Marks of what is not complete: an upload whose job has no record yet, and a job that is being erased. */
export const uploadingKey = (jobId: string): string => `${jobPrefix(jobId)}uploading`;
export const erasingKey = (jobId: string): string => `${jobPrefix(jobId)}erasing`;

/** Goes with the upload, when its time is over. */
export const uploadKeys = (jobId: string): string[] => [uploadKey(jobId), profileKey(jobId), columnsKey(jobId)];

/** Attempts write to keys of their own, so that a late writer never touches the result of a newer attempt. */
export const attemptPrefix = (jobId: string, attempt: number): string => `${jobPrefix(jobId)}attempt-${attempt}/`;

export const resultKey = (jobId: string, attempt: number): string =>
  `${attemptPrefix(jobId, attempt)}${RESULT_FILE_NAME}`;

/** An attempt's result in another format, made when it is first asked for. */
export const convertedKey = (jobId: string, attempt: number, format: ConversionName): string =>
  resultKey(jobId, attempt).replace(/csv$/, format);

/** Marks of the jobs whose rows come from this one's model. */
export const samplesPrefix = (jobId: string): string => `${jobPrefix(jobId)}samples/`;
export const sampleMarkKey = (jobId: string, sampleId: string): string => `${samplesPrefix(jobId)}${sampleId}`;

/** The fitted models of an attempt. */
export const modelKey = (jobId: string, attempt: number): string => `${attemptPrefix(jobId, attempt)}model.json`;

const REPORT_KINDS = ['html', 'json'] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

/**
 * The report of an attempt's result; the same without anything of single rows, for as long as those are withheld; and of a job
 * with `privacy`, what may be handed on.
 */
const REPORT_NAMES = { whole: 'report', withheld: 'report-withheld', sharing: 'report-for-sharing' } as const;
export type ReportForm = keyof typeof REPORT_NAMES;

export const reportKey = (jobId: string, attempt: number, kind: ReportKind, form: ReportForm = 'whole'): string =>
  `${attemptPrefix(jobId, attempt)}${REPORT_NAMES[form]}.${kind}`;

/** What the receipt of an attempt's result says, unsigned. */
export const manifestKey = (jobId: string, attempt: number): string => `${attemptPrefix(jobId, attempt)}manifest.json`;

/** Erases all objects of a job but its marks, so that what is cut off in the middle is still known. */
export async function eraseFiles(objects: ObjectStore, jobId: string): Promise<void> {
  const marks = [uploadingKey(jobId), erasingKey(jobId)];
  const keys = await objects.list(jobPrefix(jobId));
  const files = keys.filter((key) => !marks.includes(key) && !key.startsWith(samplesPrefix(jobId)));
  await Promise.all(files.map((key) => objects.erase(key)));
}

/** Erases all objects of a job, its marks last. */
export async function eraseObjects(objects: ObjectStore, jobId: string): Promise<void> {
  await eraseFiles(objects, jobId);
  await objects.erase(jobPrefix(jobId));
}

/** A whole object in memory, or undefined where there is none. For small objects. */
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
