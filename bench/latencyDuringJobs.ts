/** GET /health and GET /status, each a hundred times a second, while three jobs run. */
import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readFilms } from '../scripts/demo/realTable.ts';
import type { Bench } from './support/bench.ts';
import { call } from './support/callSteadily.ts';
import { printTable } from './support/printTable.ts';
import { quantile } from './support/quantile.ts';
import { type BenchServer, startServer } from './support/server.ts';
import { readRoles, sharedData } from './support/sharedTables.ts';

const JOBS = 3;
const INTERVAL_MS = 10;
const SECONDS = 10;
const WAIT_SECONDS = 60;
/** Rows asked for: enough that no job ends while the calls are made. */
const ROWS = 1_000_000;

type Latencies = Record<'/health' | '/status', number[]>;

export const bench: Bench = {
  title: '/health and /status during three running jobs: median below 5 ms, 99th percentile below 50 ms',
  async run() {
    const server = await startServer();
    try {
      const jobIds = await startJobs(server);
      await waitUntilRunning(server, jobIds);
      const latencies = await callSteadily(
        server,
        jobIds.map((id) => `/status/${id}`),
      );
      const states = await Promise.all(jobIds.map(async (id) => (await server.client.status(id)).status));
      print(latencies);
      console.log(`Jobs after the last call: ${states.join(', ')}.`);
    } finally {
      await server.stop();
    }
  },
};

function print(latencies: Latencies): void {
  const rows = Object.entries(latencies).map(([route, ms]) => {
    return [route, ms.length, quantile(ms, 0.5), quantile(ms, 0.99), Math.max(...ms)];
  });
  printTable(['route', 'calls', 'median ms', '99 % ms', 'largest ms'], rows);
}

async function startJobs(server: BenchServer): Promise<string[]> {
  const { text, request } = jobTable();
  const jobIds: string[] = [];
  for (let i = 0; i < JOBS; i++) {
    const { job_id } = await server.client.upload(text, 'table.csv');
    await server.client.generate({ ...request, job_id, n_samples: ROWS, seed: i });
    jobIds.push(job_id);
  }
  return jobIds;
}

/** Adult from the shared tables, or the films of the demo. */
function jobTable(): { text: string; request: Record<string, unknown> } {
  if (sharedData === undefined) {
    const request = { target_col: 'IMDB Rating', continuous_cols: ['US Gross', 'Production Budget'] };
    return { text: readFilms(), request: { ...request, categorical_cols: ['MPAA Rating', 'Major Genre'] } };
  }
  const { target, continuous, categorical } = readRoles(sharedData, 'adult');
  const request = { target_col: target, continuous_cols: continuous, categorical_cols: categorical };
  return { text: readFileSync(join(sharedData, 'adult.csv'), 'utf8'), request };
}

async function waitUntilRunning(server: BenchServer, jobIds: string[]): Promise<void> {
  const deadline = performance.now() + WAIT_SECONDS * 1000;
  for (const id of jobIds) {
    for (;;) {
      const { status, error } = await server.client.status(id);
      if (status === 'running') break;
      if (error) throw new Error(`A job failed before the calls began: ${error.code}: ${error.message}`);
      if (performance.now() > deadline) throw new Error(`A job is still ${status} after ${WAIT_SECONDS} s.`);
      await sleep(50);
    }
  }
}

/** One call of each route every INTERVAL_MS, whether or not the ones before were answered. */
async function callSteadily(server: BenchServer, statusPaths: string[]): Promise<Latencies> {
  const agent = new Agent({ keepAlive: true });
  const latencies: Latencies = { '/health': [], '/status': [] };
  const calls: Promise<void>[] = [];
  const start = performance.now();
  for (let tick = 0; tick < (SECONDS * 1000) / INTERVAL_MS; tick++) {
    const path = statusPaths[tick % statusPaths.length]!;
    calls.push(call(agent, server, '/health').then((ms) => void latencies['/health'].push(ms)));
    calls.push(call(agent, server, path).then((ms) => void latencies['/status'].push(ms)));
    await sleep(Math.max(0, start + (tick + 1) * INTERVAL_MS - performance.now()));
  }
  await Promise.all(calls);
  agent.destroy();
  return latencies;
}
