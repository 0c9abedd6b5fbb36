import { JobError, ServiceError } from '../packages/contract/errors.ts';
import type { JobMetrics } from '../packages/contract/metrics.ts';
import type { JobReceipt, Manifest, Software } from '../packages/contract/receipt.ts';
import { WITHOUT_JOB } from '../packages/contract/report.ts';
import type { JobRequest } from '../packages/contract/requests.ts';
import { compareTable } from '../packages/synthesis/compareTable.ts';
import type { Synthesis } from '../packages/synthesis/finish.ts';
import { makeTable, sampleTable } from '../packages/synthesis/make.ts';
import type { OpenTextResources } from '../packages/synthesis/models/model.ts';
import { cpuMs, createProgress, type Progress } from '../packages/synthesis/progress.ts';
import { type DrawnReport, drawReport } from '../packages/synthesis/report/drawReport.ts';
import { writeCells, writeTable } from '../packages/synthesis/write.ts';
import type { CellTable } from '../packages/tables/table.ts';
import { shareable } from '../packages/words/shareable.ts';
import { type Hashed, hashed, sha256Of } from '../service/hashing.ts';
import { type Job, sourceOf } from '../service/job/job.ts';
import {
  attemptPrefix,
  manifestKey,
  modelKey,
  RESULT_FILE_NAME,
  type ReportForm,
  readObject,
  reportKey,
  resultKey,
  uploadKey,
} from '../service/job/objectKeys.ts';
import type { Clock, JobStore, ObjectStore } from '../service/ports.ts';
import { type Input, loadUpload, type Uploaded } from './loadUpload.ts';

export interface JobRun {
  jobs: Pick<JobStore, 'find' | 'addEvents' | 'finish'>;
  objects: ObjectStore;
  clock: Clock;
  software: Software;
  jobId: string;
  attempt: number;
  /** Aborted when the process must stop. */
  signal: AbortSignal;
  openText?: OpenTextResources;
}

/**
 * Runs an attempt from `running` to `done`. Throws JobError if the data cannot be modelled or the job must stop; then
 * the state is unchanged, and objects are under the attempt's keys.
 */
export async function runJob(run: JobRun): Promise<void> {
  const started = await startedJob(run);
  const progress = progressOf(run);
  const made = await madeBy(run, started, progress);
  await store(run, started, made);
}

function madeBy(run: JobRun, started: StartedJob, progress: Progress): Promise<Made> {
  if (started.request.compared_with) return compared(run, started, progress);
  return sourceOf(started.job) ? sampled(run, started, progress) : fitted(run, started, progress);
}

interface StartedJob {
  job: Job;
  request: JobRequest;
  seed: number;
}

/** Throws JobError cancelled if the record is gone or at another attempt. */
async function startedJob({ jobs, jobId, attempt }: JobRun): Promise<StartedJob> {
  const job = await jobs.find(jobId);
  if (!job || job.attempt !== attempt) throw cancelled();
  const seed = job.request?.seed ?? null;
  if (!job.request || seed === null) throw new Error('the record of a started job has no request or no seed');
  return { job, request: job.request, seed };
}

/** Adding events reveals whether the attempt is over. */
function progressOf({ jobs, clock, jobId, attempt, signal }: JobRun): Progress {
  return createProgress({
    cpu: cpuMs,
    now: () => clock.now().getTime(),
    stopIfAsked() {
      if (signal.aborted) throw new JobError({ reason: 'service_stopped' });
    },
    async onEvent(event) {
      if (!(await jobs.addEvents(jobId, attempt, [event]))) throw cancelled();
    },
  });
}

interface Made {
  table: Synthesis;
  input: Input;
  /** Cells of an uploaded synthetic table, and the real file's name. */
  given?: { cells: CellTable; realName: string };
}

async function fitted(run: JobRun, { job, request, seed }: StartedJob, progress: Progress): Promise<Made> {
  const { objects, jobId, attempt, openText } = run;
  const upload = uploadOf(run, job);
  const { saved, ...table } = await makeTable({ load: upload.load, request, seed, progress, openText });
  if (saved !== null) await objects.put(modelKey(jobId, attempt), bytesOf(saved));
  return { table, input: upload.input() };
}

async function sampled(run: JobRun, { job, request, seed }: StartedJob, progress: Progress): Promise<Made> {
  const { owner, ...source } = await findSource(run, job);
  const upload = uploadOf(run, owner);
  const table = await sampleTable({
    load: upload.load,
    request,
    seed,
    progress,
    openText: run.openText,
    source: { ...source, models: () => savedModels(run, source) },
  });
  return { table, input: upload.input() };
}

async function compared(run: JobRun, { job, request, seed }: StartedJob, progress: Progress): Promise<Made> {
  const { objects } = run;
  const named = request.compared_with;
  if (!named) throw new Error('a comparison without a real table');
  const own = await loadUpload(objects, job);
  const realJob = await otherJob(run, named.job_id);
  const real = await loadUpload(objects, realJob);
  const held =
    named.holdout_job_id === null ? null : await loadUpload(objects, await otherJob(run, named.holdout_job_id));
  const tables = { real, synthetic: own.cells, holdout: held?.cells ?? null };
  const table = await compareTable({ tables, request, seed, progress }).catch(refuseColumns);
  const names = new Set(table.plan.columns.map(({ name }) => name));
  const cells = { ...own.cells, columns: own.cells.columns.filter(({ name }) => names.has(name)) };
  return { table, input: real.input, given: { cells, realName: realJob.fileName } };
}

async function otherJob({ jobs, objects }: JobRun, id: string): Promise<Job> {
  const found = await jobs.find(id);
  const keys = found ? await objects.list(uploadKey(id)) : [];
  if (!found || keys.length === 0) throw new JobError({ reason: 'compared_table_erased', job_id: id });
  return found;
}

/** Here a missing column is a fault of the data, elsewhere of the request. */
function refuseColumns(error: unknown): never {
  if (!(error instanceof ServiceError) || error.params.reason !== 'compared_column_missing') throw error;
  throw new JobError({ ...error.params, reason: 'compared_table_lacks_column' }, { cause: error });
}

function uploadOf({ objects }: JobRun, owner: Uploaded) {
  let input: Input | undefined;
  return {
    async load() {
      const loaded = await loadUpload(objects, owner);
      input = loaded.input;
      return loaded;
    },
    input(): Input {
      if (!input) throw new Error('the upload was not read');
      return input;
    },
  };
}

async function findSource({ jobs }: JobRun, job: Job) {
  const source = sourceOf(job);
  const found = source && (await jobs.find(source.job_id));
  const seed = found?.request?.seed ?? null;
  if (!source || found?.state !== 'done' || found.attempt !== source.attempt || !found.request || seed === null) {
    throw new JobError({ reason: 'source_erased' });
  }
  return { owner: found, jobId: source.job_id, attempt: source.attempt, request: found.request, seed };
}

async function savedModels({ objects }: JobRun, source: { jobId: string; attempt: number }): Promise<string> {
  const bytes = await readObject(objects, modelKey(source.jobId, source.attempt));
  if (!bytes) throw new JobError({ reason: 'model_erased', job_id: source.jobId });
  return new TextDecoder().decode(bytes);
}

async function store(run: JobRun, { job, request }: StartedJob, { table, input, given }: Made): Promise<void> {
  const { objects, jobId, attempt, clock, software } = run;
  const { progress, plan, synthetic } = table;
  const output = await writeResult(run, table, given?.cells);
  await progress.onProgress({ stage: 'write', fact: 'table_written', bytes: output.bytes });
  const madeAt = clock.now().toISOString();
  const { job_id: _, ...asked } = request;
  const identity = {
    input_commitment: input.commitment,
    output_sha256: output.sha256,
    output_bytes: output.bytes,
    receipt_key_id: null,
  };
  const fileName = given?.realName ?? job.fileName;
  // The source of an uploaded table is unknown, so its report names none.
  const names = { jobId: given ? WITHOUT_JOB.compared : jobId, fileName, madeAt, software, request: asked, identity };
  const { metrics, report, withoutTexts, forSharing } = await drawReport(table, names);
  if (report) await putReport(run, report, 'whole');
  if (withoutTexts) await putReport(run, withoutTexts, 'withheld');
  if (forSharing) await putReport(run, forSharing, 'sharing');
  const manifest: Manifest = {
    format: 'synthetic-tables-receipt/2',
    job_id: jobId,
    made_at: madeAt,
    input: { name: fileName, commitment: input.commitment },
    output: { name: RESULT_FILE_NAME, ...output, rows: metrics.rows_generated, columns: metrics.columns },
    request: asked,
    software,
    metrics: shareable(metrics),
  };
  const said = bytesOf(JSON.stringify(manifest));
  await objects.put(manifestKey(jobId, attempt), said);
  const [rows, columns] = [synthetic.rows, plan.columns.length];
  await progress.onProgress({ stage: 'done', fact: 'finished', rows, columns });
  await eraseEarlier(run);
  await finish(run, metrics, { manifest_sha256: sha256Of(said), input_salt: input.salt });
}

async function eraseEarlier({ objects, jobId, attempt }: JobRun): Promise<void> {
  for (let earlier = 1; earlier < attempt; earlier++) await objects.erase(attemptPrefix(jobId, earlier));
}

async function writeResult(
  { objects, jobId, attempt }: JobRun,
  table: Synthesis,
  given: CellTable | undefined,
): Promise<Hashed> {
  let written: Hashed | undefined;
  const { yieldToEventLoop } = table.progress;
  const rows = given ? writeCells(given, yieldToEventLoop) : writeTable(table, yieldToEventLoop);
  const body = hashed(rows, (found) => {
    written = found;
  });
  await objects.put(resultKey(jobId, attempt), body);
  if (!written) throw new Error('the store did not take the whole result');
  return written;
}

async function putReport(
  { objects, jobId, attempt }: JobRun,
  { data, html }: DrawnReport<object>,
  form: ReportForm,
): Promise<void> {
  await objects.put(reportKey(jobId, attempt, 'json', form), bytesOf(JSON.stringify(data)));
  await objects.put(reportKey(jobId, attempt, 'html', form), bytesOf(html));
}

async function finish(
  { jobs, clock, jobId, attempt }: JobRun,
  metrics: JobMetrics,
  receipt: JobReceipt,
): Promise<void> {
  if (!(await jobs.finish(jobId, attempt, metrics, receipt, clock.now().toISOString()))) throw cancelled();
}

const cancelled = (): JobError => new JobError({ reason: 'cancelled' });

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
