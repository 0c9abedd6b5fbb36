/** Uploads that no one would send on purpose: each has to be read, or refused by one of the upload errors, soon. */
import { ServiceError } from '../../domain/errors.ts';
import { profileUpload } from '../../domain/profile/profileUpload.ts';
import { createStream } from '../../numerics/random/createStream.ts';
import { mutate } from './mutate.ts';

const UPLOAD_ERRORS: ReadonlySet<string> = new Set([
  'unsupported_file_type',
  'empty_file',
  'no_data_rows',
  'encoding_error',
  'parse_error',
  'file_too_large',
]);

/** A file that was answered otherwise than it may be: `createStream(seed, String(number))` makes it again. */
export interface Finding {
  number: number;
  what: string;
}

export interface FuzzReport {
  /** Files by answer: 'read' or the code of the error. */
  answers: Map<string, number>;
  findings: Finding[];
  slowestMs: number;
  /** Largest resident memory seen, in bytes. */
  peakBytes: number;
}

export interface FuzzOptions {
  seed: number;
  count: number;
  /** No further file is begun after this time. */
  budgetMs: number;
  /** A file that takes longer is a finding. */
  mostMs: number;
}

/** Profiles `count` mutated files one after the other. A hang is told by whoever watches the process. */
export async function fuzz(
  files: readonly Uint8Array[],
  { seed, count, budgetMs, mostMs }: FuzzOptions,
): Promise<FuzzReport> {
  const report: FuzzReport = { answers: new Map(), findings: [], slowestMs: 0, peakBytes: 0 };
  const start = performance.now();
  for (let number = 0; number < count && performance.now() - start < budgetMs; number++) {
    const bytes = mutate(files, createStream(seed, String(number)));
    const before = performance.now();
    const answer = await answerTo(bytes);
    const took = performance.now() - before;
    report.slowestMs = Math.max(report.slowestMs, took);
    report.answers.set(answer, (report.answers.get(answer) ?? 0) + 1);
    if (answer !== 'read' && !UPLOAD_ERRORS.has(answer)) report.findings.push({ number, what: answer });
    if (took > mostMs) report.findings.push({ number, what: `took ${Math.round(took)} ms` });
    if (number % 100 === 0) report.peakBytes = Math.max(report.peakBytes, process.memoryUsage().rss);
  }
  return report;
}

async function answerTo(bytes: Uint8Array): Promise<string> {
  try {
    await profileUpload(once(bytes), 'upload.csv');
    return 'read';
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
