/**
 * Whole tables beside those of SDV, mostlyai-engine, ARF and the shared trial: the same training rows, as many rows back, scored by
 * the shared scorecard against rows that nobody saw; one table and one peer after the other on this machine. Columns of text, which
 * none of the peers can write, are left out.
 */
import { mkdirSync, openAsBlob, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Bench } from './support/bench.ts';
import { cacheFolder } from './support/cacheFolder.ts';
import { loadLine } from './support/load.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { execute, preparePeers } from './support/python.ts';
import { type BenchServer, startServer } from './support/server.ts';
import { readRoles, sharedData } from './support/sharedTables.ts';

/** `BENCH_TABLES` may name others, with commas. */
const TABLES = (process.env.BENCH_TABLES ?? 'adult,california_housing,diamonds,wine_reviews_au').split(',');
const PEERS = ['gaussian_copula', 'tvae', 'tabular_argn', 'arf', 'trial'] as const;
type Peer = (typeof PEERS)[number];
const SEED = 1;
/** Held-out rows below which one scoring of as many of the others says little: of wine's 466 two_way has a standard deviation of .005. */
const FEW_ROWS = 1000;
const SCORINGS_OF_FEW = 10;

const secondsSchema = z.object({ seconds: z.number() });
const figure = z.number().nullish();
const tstrSchema = z.object({ synthetic: z.object({ r2: figure, auc: figure }).nullish() }).nullish();
const scoreSchema = z.object({
  two_way: figure,
  c2st_auc: figure,
  corr_diff_f: figure,
  tstr: tstrSchema,
  dcr_share: z.object({ share: figure }).nullish(),
});

export const bench: Bench = {
  title:
    'Whole tables beside SDV (GaussianCopula, TVAE), TabularARGN, ARF and the trial: ahead on two_way and TSTR, in half the time of TabularARGN',
  async run() {
    if (sharedData === undefined) throw new Error('it needs the shared tables, and there is no ../shared beside it.');
    const python = preparePeers();
    const server = await startServer();
    try {
      for (const name of TABLES) {
        const rows = await compare(python, server, sharedData, name);
        printTable([name, 's', 'two_way', 'c2st_auc', 'TSTR', 'corr_diff_f', 'dcr_share'], rows);
        console.log(loadLine());
      }
    } finally {
      await server.stop();
    }
  },
};

async function compare(python: string, server: BenchServer, data: string, name: string): Promise<TableCell[][]> {
  const folder = join(cacheFolder(), `joint-${name}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const script = join(import.meta.dirname, 'support', 'jointPeers.py');
  writeFileSync(join(folder, 'roles.json'), JSON.stringify({ ...readRoles(data, name), text: [] }));
  execute(python, [script, 'split', join(data, `${name}.csv`), `${SEED}`, folder]);
  const ours = await makeOurs(server, data, name, folder);
  const rows = [['ours', ours, ...score(python, data, folder, 'ours')]];
  for (const peer of PEERS) {
    const seconds = makeByPeer(python, script, data, folder, peer);
    rows.push(seconds === null ? [peer] : [peer, seconds, ...score(python, data, folder, peer)]);
  }
  return rows;
}

/** Seconds; null where it fails, on which the others do not depend: what it complains of is printed. */
function makeByPeer(python: string, script: string, data: string, folder: string, peer: Peer): number | null {
  const trial = join(data, '..', 'tools', 'boosted_chain.py');
  const args = peer === 'trial' ? [script, 'trial', trial, folder] : [script, 'fit', peer, folder];
  try {
    return secondsSchema.parse(lastLine(execute(python, args))).seconds;
  } catch (error) {
    console.log(`${peer}: ${error instanceof Error ? error.message : error}`);
    return null;
  }
}

/** Seconds from the start of the job to its end; the rows stand in ours.csv. */
async function makeOurs({ client }: BenchServer, data: string, name: string, folder: string): Promise<number> {
  const { target, continuous, categorical } = readRoles(data, name);
  const { job_id, n_rows } = await client.upload(await openAsBlob(join(folder, 'train.csv')), 'train.csv');
  const start = performance.now();
  await client.generate({
    job_id,
    ...(target === null ? {} : { target_col: target }),
    continuous_cols: continuous,
    categorical_cols: categorical,
    text_cols: [],
    n_samples: n_rows,
    seed: SEED,
  });
  await client.wait(job_id);
  const seconds = (performance.now() - start) / 1000;
  const { body } = await client.download(job_id);
  writeFileSync(join(folder, 'ours.csv'), new Uint8Array(await new Response(body).arrayBuffer()));
  await client.erase(job_id);
  return seconds;
}

/** The mean of several scorings of a small table: each compares as many rows as were held out, drawn by its seed. */
function score(python: string, data: string, folder: string, made: string): TableCell[] {
  const scorings = rowsIn(join(folder, 'holdout.csv')) < FEW_ROWS ? SCORINGS_OF_FEW : 1;
  const scores = Array.from({ length: scorings }, (_, k) => scoreOnce(python, data, folder, made, SEED + k));
  return scores[0]!.map((first, figure) =>
    first === null ? null : scores.reduce((sum, own) => sum + (own[figure] ?? 0), 0) / scorings,
  );
}

const rowsIn = (file: string): number => readFileSync(file, 'utf8').trim().split('\n').length - 1;

function scoreOnce(python: string, data: string, folder: string, made: string, seed: number): (number | null)[] {
  const of = (file: string) => join(folder, `${file}.csv`);
  const tables = ['--train', of('train'), '--holdout', of('holdout'), '--synthetic', of(made)];
  const card = join(data, '..', 'tools', 'scorecard.py');
  const out = execute(python, [card, ...tables, '--roles', join(folder, 'roles.json'), '--seed', `${seed}`]);
  const { two_way, c2st_auc, tstr, corr_diff_f, dcr_share } = scoreSchema.parse(JSON.parse(out));
  return [two_way, c2st_auc, tstr?.synthetic?.r2 ?? tstr?.synthetic?.auc, corr_diff_f, dcr_share?.share].map(
    (own) => own ?? null,
  );
}

const lastLine = (out: string): unknown => JSON.parse(out.trim().split('\n').at(-1) ?? '');
