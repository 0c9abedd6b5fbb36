/** Compares the records of a data folder with its files, and both with what a client was told. */
import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../../adapters/local/database.ts';
import { FileObjectStore } from '../../../adapters/local/fileObjectStore.ts';
import { isAlive } from '../../../adapters/local/leases.ts';
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
import { parseCharges } from '../../../service/privacy/charges.ts';
import { PRIVATE_TABLE, TABLE } from './cutOffClient.ts';

/** How a job may be found; `gone` has no record and no file. */
export type Standing = 'gone' | 'uploaded' | 'failed' | 'withheld' | 'released';

/** Results by what made them: equal requests give equal bytes, interrupted or not. */
export type Results = Map<'fit' | 'sample', string>;

export interface Found {
  standings: Map<string, Standing>;
  faults: string[];
}

/** All jobs of a data folder. Its service may be running, but nothing may be at work. `calls`: names of those that have come. */
export async function audit(folder: string, results: Results, calls: ReadonlySet<string>): Promise<Found> {
  const stores = openStores(folder);
  try {
    const keys = await stores.objects.list(JOBS_PREFIX);
    const jobs = await jobsIn(stores);
    const found: Found = { standings: new Map(), faults: [] };
    for (const job of jobs) {
      found.standings.set(job.id, standingOf(job));
      const own = keys.filter((key) => key.startsWith(jobPrefix(job.id)));
      const faults = [...faultsOfFiles(job, own), ...(await faultsOfBytes(stores, job, results))];
      found.faults.push(...faults.map((fault) => `job ${job.id} ${fault}`));
    }
    const ids = new Set(jobs.map(({ id }) => id));
    const stray = keys.filter((key) => !ids.has(jobOfKey(key)) || isMarkOfNone(key, ids));
    found.faults.push(...stray.map((key) => `file without record: ${key}`));
    found.faults.push(...faultsOfCallbacks(folder, jobs, calls), ...(await heldSlots(stores)));
    found.faults.push(...faultsOfLedgers(folder, jobs));
    return found;
  } finally {
    stores.close();
  }
}

async function jobsIn({ jobs, keys }: LocalStores): Promise<Job[]> {
  const all = (await keys.list()).map(({ id }) => jobs.madeBy(id, 10_000, null));
  return (await Promise.all(all)).flat();
}

const isSampleMark = (key: string): boolean => key.startsWith(samplesPrefix(jobOfKey(key)));

/** Of a sample that is not there. */
const isMarkOfNone = (key: string, ids: ReadonlySet<string>): boolean =>
  isSampleMark(key) && !ids.has(key.slice(key.lastIndexOf('/') + 1));

function standingOf(job: Job): Standing {
  if (job.state === 'uploaded' || job.state === 'failed') return job.state;
  // A private table has no policy, so nothing withholds its rows.
  const state = releaseStateOf(job);
  return state === 'released' || state === 'open' ? 'released' : 'withheld';
}

/** Files that are not there, and those that are there for nothing. */
function faultsOfFiles(job: Job, keys: readonly string[]): string[] {
  const { id, attempt } = job;
  const made = [resultKey(id, attempt), manifestKey(id, attempt), reportKey(id, attempt, 'html')];
  const due = [...(sourceOf(job) ? [] : uploadKeys(id)), ...(job.state === 'done' ? made : [])];
  const faults = due.filter((key) => !keys.includes(key)).map((key) => `(${job.state}) has no ${key}`);
  const stale = keys.filter((key) => key.includes('/attempt-') && !key.startsWith(attemptPrefix(id, attempt)));
  if (job.state === 'done') faults.push(...stale.map((key) => `keeps a file of an attempt that was killed: ${key}`));
  const marks = keys.filter((key) => key === erasingKey(id) || key === uploadingKey(id));
  faults.push(...marks.map((key) => `still has the mark ${key}`));
  return faults;
}

async function faultsOfBytes(stores: LocalStores, job: Job, results: Results): Promise<string[]> {
  const faults: string[] = [];
  const upload = await readObject(stores.objects, uploadKey(job.id));
  if (upload && ![TABLE, PRIVATE_TABLE].some((table) => table.equals(upload)))
    faults.push('has an upload of other bytes');
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
  if (sha256Of(table) !== said.output.sha256) faults.push('has a result that is not that of its receipt');
  // Its noise is new each time.
  if (job.request?.privacy) return faults;
  const kind = sourceOf(job) ? 'sample' : 'fit';
  const expected = results.get(kind) ?? said.output.sha256;
  results.set(kind, expected);
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

/**
 * A private job is started once at most here: it has one charge if it was started, none if not, and one or none if it was
 * cancelled, which may have been before it ran; of erased jobs no more can be said. No attempt holds a charge to be taken back.
 */
function faultsOfLedgers(folder: string, jobs: readonly Job[]): string[] {
  const database = openDatabase(folder);
  try {
    const ledgers = database.prepare('SELECT id, charges FROM ledgers').all();
    const charges = ledgers.flatMap(({ id, charges: text }) =>
      parseCharges(String(id), () => JSON.parse(String(text))),
    );
    const held = database.prepare('SELECT id FROM jobs WHERE charge IS NOT NULL').all();
    const counts = new Map<string, number>();
    for (const { job_id: id } of charges) counts.set(id, (counts.get(id) ?? 0) + 1);
    const states = new Map(jobs.map(({ id, state, request }) => [id, request?.privacy ? state : 'uploaded']));
    const faults = held.map(({ id }) => `job ${id} has ended and holds a charge`);
    for (const id of new Set([...counts.keys(), ...states.keys()])) {
      const [state, count] = [states.get(id), counts.get(id) ?? 0];
      const isRight = state === 'done' ? count === 1 : state === 'uploaded' ? count === 0 : count <= 1;
      if (!isRight) faults.push(`job ${id} (${state ?? 'gone'}) has ${count} charges`);
    }
    return faults;
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

/** The service is not running: an hour passes for what was cut off. */
export async function passAnHour(folder: string): Promise<void> {
  const then = new Date(Date.now() - CUT_OFF_MS);
  const keys = await new FileObjectStore(folder).list(JOBS_PREFIX);
  const marks = keys.filter((key) => key === uploadingKey(jobOfKey(key)) || isSampleMark(key));
  for (const key of marks) utimesSync(join(folder, 'objects', key), then, then);
}

/** What killed processes were writing: a name has the process's id after the first dot. */
export function temporaryFiles(folder: string): string[] {
  const left = readdirSync(join(folder, 'tmp')).filter((name) => !isAlive(Number(name.split('.')[1])));
  return left.map((file) => `temporary file left: ${file}`);
}
