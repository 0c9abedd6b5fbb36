/**
 * What others get of the service while one key does its worst, by each attack, and by those together that starve without jobs:
 * GET /health, and how soon their job runs. `PHASE_SECONDS=10` is
 * the time of each attack, `DATA_FOLDER` another place for the data than the cache of the benches: one in memory, say.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { openStores } from '../adapters/local/openStores.ts';
import { SyntheticTables } from '../packages/client/client.ts';
import { type LiveServer, startServer } from '../test/support/liveServer.ts';
import { housesCsv } from '../test/support/tables.ts';
import { ATTACKS, STARVING, type Tally, type Victim } from './attacks/attacks.ts';
import { type Access, probeHealth, startJobs } from './attacks/measure.ts';
import type { Bench } from './support/bench.ts';
import { cacheFolder } from './support/cacheFolder.ts';
import { loadLine } from './support/load.ts';
import { numberFrom } from './support/numberFrom.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { quantile } from './support/quantile.ts';
import { firstThread, peakMegabytes } from './support/server.ts';

/** Without it, the three slots for running jobs may all be one key's. */
const SETTINGS = { MAX_RUNNING_JOBS_PER_KEY: '2' };
const MAX_HEALTH_MS = 50;
const MAX_START_MS = 2000;
const WARM_MS = 1500;

const WIDE_COLUMNS = 16_384;
const RESULT_ROWS = 50_000;
const RESULTS = 4;
const LONG_JOBS = 3;

const HEADER =
  'attack|calls|median ms|99 % ms|largest ms|starts|median s|largest s|ran %|waited %|peak MB|answers'.split('|');

export const bench: Bench = {
  title:
    '/health while one key does its worst: 99 % below 50 ms, and another key has a job running in 2 s; else exit code 1',
  async run() {
    const folder = mkdtempSync(join(process.env.DATA_FOLDER ?? cacheFolder(), 'attacks-'));
    const server = await startServer(SETTINGS, join(folder, 'data'));
    try {
      const other: Access = { url: server.url, key: await secondKey(server) };
      const victim = await prepare(server);
      const names = Object.keys(ATTACKS);
      const phases: string[][] = [[], ...names.map((name) => [name]), [...STARVING], names];
      const rows: TableCell[][] = [];
      for (const attacks of phases) rows.push(await underAttack({ server, other, victim }, attacks));
      printTable(HEADER, rows);
      console.log(`\nran, waited: the first thread of the service, of the time; ${loadLine()}`);
    } finally {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function secondKey({ dataDir }: LiveServer): Promise<string> {
  const stores = openStores(dataDir);
  try {
    return (await stores.keys.create('other', [])).key;
  } finally {
    stores.close();
  }
}

/** The attacker's uploads and finished jobs. */
async function prepare({ url, key = '' }: LiveServer): Promise<Victim> {
  const client = new SyntheticTables({ url, key });
  const wide = await client.upload(wideCsv(), 'wide.csv');
  const { job_id } = await client.upload(housesCsv(2000), 'table.csv');
  await client.generate({
    job_id,
    target_col: 'price',
    continuous_cols: ['area'],
    categorical_cols: ['city'],
    n_samples: RESULT_ROWS,
  });
  await client.wait(job_id);
  const results = [job_id];
  while (results.length < RESULTS) {
    const more = await client.sample(job_id, { rows: RESULT_ROWS });
    await client.wait(more.job_id);
    results.push(more.job_id);
  }
  const long: string[] = [];
  while (long.length < LONG_JOBS) long.push((await client.upload(housesCsv(2000), 'table.csv')).job_id);
  return { url, key, wide: wide.job_id, results, long };
}

function wideCsv(): string {
  const line = (cell: (column: number) => string) => Array.from({ length: WIDE_COLUMNS }, (_, i) => cell(i)).join(',');
  return [line((i) => `column ${i}`), ...Array.from({ length: 50 }, (_, row) => line((i) => `${row * i}`)), ''].join(
    '\n',
  );
}

interface Scene {
  server: LiveServer;
  other: Access;
  victim: Victim;
}

/** A row of the table; notes where the figure is not reached. */
async function underAttack({ server, other, victim }: Scene, attacks: readonly string[]): Promise<TableCell[]> {
  const attackers = attacks.map((attack) => startAttacker(victim, attack));
  await sleep(WARM_MS);
  const [before, from] = [firstThread(server.pid), performance.now()];
  const until = from + numberFrom('PHASE_SECONDS', 10) * 1000;
  const isDone = () => performance.now() > until;
  const [latencies, { starts }] = await Promise.all([probeHealth(other, isDone), startJobs(other, isDone)]);
  const [after, took] = [firstThread(server.pid), performance.now() - from];
  const tallies = await Promise.all(attackers.map(({ end }) => end()));
  const [p99, longest] = [quantile(latencies, 0.99), Math.max(...starts)];
  if (isJudged(attacks) && !(p99 < MAX_HEALTH_MS && longest < MAX_START_MS)) process.exitCode = 1;
  const share = (part: 'ranMs' | 'waitedMs') =>
    after && before && Math.round((100 * (after[part] - before[part])) / took);
  return [
    nameOf(attacks),
    latencies.length,
    quantile(latencies, 0.5),
    p99,
    Math.max(...latencies),
    starts.length,
    quantile(starts, 0.5) / 1000,
    longest / 1000,
    share('ranMs'),
    share('waitedMs'),
    peakMegabytes(server.pid),
    tallies.map(tallyText).join(' | '),
  ];
}

/** All of them are shown alone: their processes and the jobs they start are more than the processors of a small machine. */
const isJudged = (attacks: readonly string[]): boolean => attacks.length <= STARVING.length;

const nameOf = (attacks: readonly string[]): string => {
  if (attacks.length < 2) return attacks[0] ?? 'none';
  return isJudged(attacks) ? 'those that hold answers and sockets' : 'all of them';
};

const tallySchema = z.record(z.string(), z.number());

const tallyText = (tally: Tally): string =>
  Object.entries(tally)
    .map(([outcome, count]) => `${outcome}: ${count}`)
    .join(', ');

function startAttacker(victim: Victim, attack: string): { end(): Promise<Tally> } {
  const order = JSON.stringify({ victim, attack });
  const script = join(import.meta.dirname, 'attacks', 'attacker.ts');
  const child: ChildProcess = spawn(process.execPath, [script, order], { stdio: ['ignore', 'pipe', 'inherit'] });
  return {
    async end() {
      child.kill('SIGTERM');
      return tallySchema.parse(child.stdout ? await json(child.stdout) : {});
    },
  };
}
