/** Compares the records of a data folder with its files, and both with what a client was told. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../../adapters/local/database.ts';
import { type LocalStores, openStores } from '../../../adapters/local/openStores.ts';
import { manifestSchema } from '../../../packages/contract/receipt.ts';
import { sha256Of } from '../../../service/hashing.ts';
import { type Job, sourceOf } from '../../../service/job/job.ts';
import {
  attemptPrefix,
  JOBS_PREFIX,
  jobOfKey,
  jobPrefix,
  manifestKey,
  readObject,
  reportKey,
  resultKey,
  sampleMarkKey,
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
  /** What requests and attempts that were cut off have left, and is not missed. */
  leftovers: string[];
}

/** All jobs of a data folder. Its service may be running, but nothing may be at work. `calls`: names of those that have come. */
export async function audit(folder: string, results: Results, calls: ReadonlySet<string>): Promise<Found> {
  const stores = openStores(folder);
  try {
    const jobs = await jobsIn(stores);
    const keys = await stores.objects.list(JOBS_PREFIX);
    const found: Found = { standings: new Map(), faults: [], leftovers: [] };
    for (const job of jobs) {
      found.standings.set(job.id, standingOf(job));
      const own = keys.filter((key) => key.startsWith(jobPrefix(job.id)));
      for (const fault of await faultsOf(stores, job, results)) found.faults.push(`job ${job.id} ${fault}`);
      for (const left of await leftoversOf(stores, job, own)) found.leftovers.push(`job ${job.id} ${left}`);
    }
    const ids = new Set(jobs.map(({ id }) => id));
    for (const key of keys) if (!ids.has(jobOfKey(key))) found.leftovers.push(`file without record: ${key}`);
    found.faults.push(...faultsOfCallbacks(folder, jobs, calls), ...(await heldSlots(stores)));
    return found;
  } finally {
    stores.close();
  }
}

async function jobsIn({ jobs, keys }: LocalStores): Promise<Job[]> {
  const all = (await keys.list()).map(({ id }) => jobs.madeBy(id, 10_000, null));
  return (await Promise.all(all)).flat();
}

function standingOf(job: Job): Standing {
  if (job.state === 'uploaded' || job.state === 'failed') return job.state;
  return releaseStateOf(job) === 'released' ? 'released' : 'withheld';
}

async function faultsOf(stores: LocalStores, job: Job, results: Results): Promise<string[]> {
  const faults: string[] = [];
  const upload = await readObject(stores.objects, uploadKey(job.id));
  if (upload && !TABLE.equals(upload)) faults.push('has an upload of other bytes');
  if (job.state === 'failed' && job.error?.code !== 'cancelled') faults.push(`failed with ${job.error?.code}`);
  if (job.state === 'done') faults.push(...(await faultsOfResult(stores, job, results)));
  return faults;
}

/** Files that are not there, those of attempts that are over, and marks of samples that are not there. */
async function leftoversOf({ jobs }: LocalStores, job: Job, keys: readonly string[]): Promise<string[]> {
  const { id, attempt } = job;
  const source = sourceOf(job);
  const made = [resultKey(id, attempt), manifestKey(id, attempt), reportKey(id, attempt, 'html')];
  const due = [...(source ? [] : uploadKeys(id)), ...(job.state === 'done' ? made : [])];
  const faults = due.filter((key) => !keys.includes(key)).map((key) => `(${job.state}) has no ${key}`);
  const stale = keys.filter((key) => key.includes('/attempt-') && !key.startsWith(attemptPrefix(id, attempt)));
  if (job.state === 'done' && stale.length > 0) faults.push(`keeps files of interrupted attempts: ${stale.join()}`);
  const samples = sampleMarkKey(id, '');
  for (const mark of keys.filter((key) => key.startsWith(samples))) {
    if (!(await jobs.find(mark.slice(samples.length)))) faults.push(`has the mark of a sample without record: ${mark}`);
  }
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

/** Files of processes that are gone. */
export const temporaryFiles = (folder: string): string[] => readdirSync(join(folder, 'tmp'));
