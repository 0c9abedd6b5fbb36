/** Compares the records of a data folder with its files, and both with what a client was told. */
import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../../adapters/local/database.ts';
import { type LocalStores, openStores } from '../../../adapters/local/openStores.ts';
import { manifestSchema } from '../../../packages/contract/receipt.ts';
import { sha256Of } from '../../../service/hashing.ts';
import { CUT_OFF_MS } from '../../../service/job/cutOff.ts';
import { type Job, sourceOf } from '../../../service/job/job.ts';
import {
  attemptPrefix,
  erasingKey,
  JOBS_PREFIX,
  jobOfKey,
  jobPrefix,
  manifestKey,
  readObject,
  reportKey,
  resultKey,
  samplesPrefix,
  uploadingKey,
  uploadKey,
  uploadKeys,
} from '../../../service/job/objectKeys.ts';
import { releaseStateOf } from '../../../service/job/release.ts';
import { TABLE } from './cutOffClient.ts';

/** How a job may be found; `gone` has no record and no file. */
export type Standing = 'gone' | 'uploaded' | 'failed' | 'withheld' | 'released';

/** Results by what made them: equal requests give equal bytes, interrupted or not. */
export type Results = Map<'fit' | 'sample', string>;

export interface Found {
  standings: Map<string, Standing>;
  faults: string[];
  /** Keys of what requests that were cut off have left, for an hour. */
  cutOff: string[];
}

/** All jobs of a data folder. Its service may be running, but nothing may be at work. `calls`: names of those that have come. */
export async function audit(folder: string, results: Results, calls: ReadonlySet<string>): Promise<Found> {
  const stores = openStores(folder);
  try {
    const keys = await stores.objects.list(JOBS_PREFIX);
    const [begun, cutOff] = apart(await jobsIn(stores), keys);
    const found: Found = { standings: new Map(), faults: [], cutOff };
    for (const job of begun) {
      found.standings.set(job.id, standingOf(job));
      const own = keys.filter((key) => key.startsWith(jobPrefix(job.id)));
      const faults = [...faultsOfFiles(job, own), ...(await faultsOfBytes(stores, job, results))];
      found.faults.push(...faults.map((fault) => `job ${job.id} ${fault}`));
    }
    const known = new Set(begun.map(({ id }) => id));
    const stray = keys.filter((key) => !known.has(jobOfKey(key)) && !cutOff.includes(key));
    found.faults.push(...stray.map((key) => `file without record: ${key}`));
    found.faults.push(...faultsOfCallbacks(folder, begun, calls), ...(await heldSlots(stores)));
    return found;
  } finally {
    stores.close();
  }
}

async function jobsIn({ jobs, keys }: LocalStores): Promise<Job[]> {
  const all = (await keys.list()).map(({ id }) => jobs.madeBy(id, 10_000, null));
  return (await Promise.all(all)).flat();
}

/** Jobs, and keys of what was cut off before there was one: of a marked upload, and marks of samples that did not start. */
function apart(jobs: readonly Job[], keys: readonly string[]): [begun: Job[], cutOff: string[]] {
  const uploading = keys.filter((key) => key === uploadingKey(jobOfKey(key))).map(jobOfKey);
  const started = new Set(jobs.filter(({ attempt }) => attempt > 0).map(({ id }) => id));
  const marks = keys.filter((key) => key.startsWith(samplesPrefix(jobOfKey(key))) && !started.has(lastOf(key)));
  const samples = marks.map(lastOf);
  const begun = jobs.filter(({ id }) => !samples.includes(id));
  const known = new Set(begun.map(({ id }) => id));
  const uploads = keys.filter((key) => uploading.includes(jobOfKey(key)) && !known.has(jobOfKey(key)));
  return [begun, [...uploads, ...marks]];
}

const lastOf = (key: string): string => key.slice(key.lastIndexOf('/') + 1);

function standingOf(job: Job): Standing {
  if (job.state === 'uploaded' || job.state === 'failed') return job.state;
  return releaseStateOf(job) === 'released' ? 'released' : 'withheld';
}

/** Files that are not there, and those that are there for nothing. */
function faultsOfFiles(job: Job, keys: readonly string[]): string[] {
  const { id, attempt } = job;
  const made = [resultKey(id, attempt), manifestKey(id, attempt), reportKey(id, attempt, 'html')];
  const due = [...(sourceOf(job) ? [] : uploadKeys(id)), ...(job.state === 'done' ? made : [])];
  const faults = due.filter((key) => !keys.includes(key)).map((key) => `(${job.state}) has no ${key}`);
  const stale = keys.filter((key) => key.includes('/attempt-') && !key.startsWith(attemptPrefix(id, attempt)));
  if (job.state === 'done') faults.push(...stale.map((key) => `keeps a file of an attempt that was killed: ${key}`));
  if (keys.includes(erasingKey(id))) faults.push('is half erased');
  return faults;
}

async function faultsOfBytes(stores: LocalStores, job: Job, results: Results): Promise<string[]> {
  const faults: string[] = [];
  const upload = await readObject(stores.objects, uploadKey(job.id));
  if (upload && !TABLE.equals(upload)) faults.push('has an upload of other bytes');
  if (job.state === 'failed' && job.error?.code !== 'cancelled') faults.push(`failed with ${job.error?.code}`);
  if (job.state === 'done') faults.push(...(await faultsOfResult(stores, job, results)));
  return faults;
}

async function faultsOfResult({ objects }: LocalStores, job: Job, results: Results): Promise<string[]> {
  const faults: string[] = [];
  const [table, manifest] = await Promise.all(
    [resultKey, manifestKey].map((keyOf) => readObject(objects, keyOf(job.id, job.attempt))),
  );
  if (!table || !manifest) return faults;
  if (sha256Of(manifest) !== job.receipt?.manifest_sha256) faults.push('has a manifest of other bytes');
  const said = manifestSchema.parse(JSON.parse(Buffer.from(manifest).toString()));
  const kind = sourceOf(job) ? 'sample' : 'fit';
  const expected = results.get(kind) ?? said.output.sha256;
  results.set(kind, expected);
  if (sha256Of(table) !== said.output.sha256) faults.push('has a result that is not that of its receipt');
  if (sha256Of(table) !== expected) faults.push('has other bytes than an equal request');
  return faults;
}

/** Those of attempts that have ended were made: a call names the attempt. */
function faultsOfCallbacks(folder: string, jobs: readonly Job[], calls: ReadonlySet<string>): string[] {
  const database = openDatabase(folder);
  try {
    return database
      .prepare('SELECT job_id, attempt FROM callbacks')
      .all()
      .flatMap(({ job_id: id, attempt }) => {
        const job = jobs.find((each) => each.id === id);
        if (!job) return `callback of no job: ${id}`;
        return job.attempt === attempt && !calls.has(`${id}-${attempt}`) ? `nobody was called for job ${id}` : [];
      });
  } finally {
    database.close();
  }
}

/** As many jobs can start as ever. */
async function heldSlots({ jobs }: LocalStores): Promise<string[]> {
  const probes = ['probe#1', 'probe#2', 'probe#3'];
  const taken = await Promise.all(probes.map((slot) => jobs.takeSlot(slot, probes.length)));
  for (const slot of probes) await jobs.freeSlot(slot);
  return taken.every((outcome) => outcome === 'taken') ? [] : [`slots are held: ${taken.join()}`];
}

/** What is left when the server has been stopped, an hour has passed, and `start` has started it again. */
export async function leftAfterAnHour(folder: string, cutOff: readonly string[], start: () => Promise<void>) {
  const then = new Date(Date.now() - CUT_OFF_MS);
  for (const key of cutOff) utimesSync(join(folder, 'objects', key), then, then);
  await start();
  const found = await audit(folder, new Map(), new Set());
  return [...found.cutOff, ...readdirSync(join(folder, 'tmp'))].map((file) => `left after an hour: ${file}`);
}
