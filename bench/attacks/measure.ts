/** What another key than the attacker's gets from the service. */
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { SyntheticTables } from '../../packages/client/client.ts';
import { housesCsv } from '../../test/support/tables.ts';

const INTERVAL_MS = 20;
const POLL_MS = 10;
const PAUSE_MS = 500;
const LONGEST_MS = 30_000;

export interface Access {
  url: string;
  key: string;
}

/** GET /health by a new connection every 20 ms until `isDone`: milliseconds to the last byte, or infinity where it failed. */
export async function probeHealth(access: Access, isDone: () => boolean): Promise<number[]> {
  const calls: Promise<number>[] = [];
  const start = performance.now();
  while (!isDone()) {
    calls.push(healthCall(access));
    await sleep(Math.max(0, start + calls.length * INTERVAL_MS - performance.now()));
  }
  return Promise.all(calls);
}

function healthCall({ url, key }: Access): Promise<number> {
  return new Promise((resolve) => {
    const start = performance.now();
    const failed = () => resolve(Number.POSITIVE_INFINITY);
    get(`${url}/health`, { agent: false, timeout: LONGEST_MS, headers: { 'X-API-Key': key } }, (reply) => {
      if (reply.statusCode !== 200) failed();
      reply.resume().on('end', () => resolve(performance.now() - start));
    })
      .on('timeout', failed)
      .on('error', failed);
  });
}

export interface Starts {
  /** Milliseconds from POST /upload of a small table to its answer. */
  uploads: number[];
  /** Milliseconds from POST /generate until the job runs, or infinity where it was refused. */
  starts: number[];
}

/** Uploads a small table and starts its job, again and again until `isDone`. */
export async function startJobs(access: Access, isDone: () => boolean): Promise<Starts> {
  const client = new SyntheticTables(access);
  const found: Starts = { uploads: [], starts: [] };
  while (!isDone()) {
    const before = performance.now();
    const { job_id } = await client.upload(housesCsv(200), 'table.csv');
    found.uploads.push(performance.now() - before);
    found.starts.push(await startJob(access, client, job_id));
    await client.erase(job_id);
    await sleep(PAUSE_MS);
  }
  return found;
}

async function startJob({ url, key }: Access, client: SyntheticTables, job_id: string): Promise<number> {
  const start = performance.now();
  const reply = await fetch(`${url}/generate`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ job_id, target_col: 'price', continuous_cols: ['area'], categorical_cols: ['city'] }),
  });
  const text = await reply.text();
  if (!reply.ok) {
    console.error(`POST /generate answered ${reply.status}: ${errorSchema.parse(JSON.parse(text)).error.message}`);
    return Number.POSITIVE_INFINITY;
  }
  while (!['running', 'done'].includes((await client.status(job_id)).status)) {
    if (performance.now() - start > LONGEST_MS) return Number.POSITIVE_INFINITY;
    await sleep(POLL_MS);
  }
  return performance.now() - start;
}

const errorSchema = z.object({ error: z.object({ message: z.string() }) });
