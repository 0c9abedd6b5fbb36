/** Our pair copulas against pyvinecopulib: every family and TLL on the pairs of two shared tables, in one run. */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { fitPair, type PairFit } from '../packages/numerics/copula/fitPair.ts';
import type { PairData } from '../packages/numerics/copula/pairCopula.ts';
import { isFamilyId, PAIR_FAMILIES } from '../packages/numerics/copula/registry.ts';
import { selectPair } from '../packages/numerics/copula/selectPair.ts';
import { createStream } from '../packages/numerics/random/createStream.ts';
import type { ModelTable } from '../packages/synthesis/models/model.ts';
import type { Bench } from './support/bench.ts';
import { cacheFolder } from './support/cacheFolder.ts';
import { printTable } from './support/printTable.ts';
import { readSharedTable, sharedData } from './support/sharedTables.ts';

const TABLES = ['california_housing', 'diamonds'];
const ROWS = 2000;
const PARAMETRIC = Object.keys(PAIR_FAMILIES).filter(isFamilyId);
const DEGREES = ['constant', 'linear', 'quadratic'] as const;
/** The peer's name for independence. */
const PEER_NAMES: Record<string, string> = { indep: 'independence' };

const fitSchema = z.object({
  logLikelihood: z.number(),
  seconds: z.number(),
  chosen: z.string(),
  rotation: z.number(),
});
const peerSchema = z.array(z.record(z.string(), fitSchema));
type Outcome = z.infer<typeof fitSchema>;

export const bench: Bench = {
  title:
    'Pair copulas against pyvinecopulib: log-likelihood at most 0.1 % or 0.5 lower, same families, time at most 1.5×',
  async run() {
    if (sharedData === undefined)
      throw new Error('it needs the shared tables, and there is no ../shared beside this checkout.');
    const pairs = TABLES.flatMap((name) => pairsOf(sharedData!, name));
    const peers = askPeer(pairs.map(({ data }) => data));
    const ours = pairs.map(({ data }) => fitAll(data));
    const kinds = Object.keys(ours[0]!).filter((kind) => kind !== 'selected');
    printTable(
      ['family', 'pairs', 'short of peer', 'worst difference', 'mean difference', 'ms ours', 'ms peer', 'ratio'],
      kinds.map((kind) => familyRow(kind, ours, peers)),
    );
    console.log('');
    printSelection(pairs, ours, peers);
  },
};

interface NamedPair {
  name: string;
  data: PairData;
}

/** Ranks of every pair of numeric columns on a sample of rows without missing cells. */
function pairsOf(folder: string, name: string): NamedPair[] {
  const { table, roles } = readSharedTable(folder, name);
  const names = [...(roles.target === null ? [] : [roles.target]), ...roles.continuous];
  const columns = sampleColumns(table, names).map(ranks);
  return names.flatMap((a, i) =>
    names.slice(i + 1).map((b, k) => ({
      name: `${a} / ${b}`,
      data: { u: columns[i]!, v: columns[i + 1 + k]!, uBelow: null, vBelow: null },
    })),
  );
}

function sampleColumns(table: ModelTable, names: readonly string[]): Float64Array[] {
  const values = names.map((name) => {
    const column = table.columns.get(name);
    if (column?.kind !== 'numeric') throw new Error(`${name} is not numeric`);
    return column.values;
  });
  const whole = Array.from({ length: table.rows }, (_, row) => row).filter((row) =>
    values.every((column) => Number.isFinite(column[row])),
  );
  const random = createStream(1, 'bench/pairCopulas');
  const keyed = whole.map((row) => [random.uniform(), row] as const).sort((a, b) => a[0] - b[0]);
  return values.map((column) => Float64Array.from(keyed.slice(0, ROWS), ([, row]) => column[row]!));
}

/** Mean ranks over n + 1. */
function ranks(values: Float64Array): Float64Array {
  const n = values.length;
  const order = Array.from(values.keys()).sort((a, b) => values[a]! - values[b]!);
  const result = new Float64Array(n);
  for (let start = 0; start < n; ) {
    let end = start + 1;
    while (end < n && values[order[end]!] === values[order[start]!]) end++;
    for (let k = start; k < end; k++) result[order[k]!] = (start + end + 1) / 2 / (n + 1);
    start = end;
  }
  return result;
}

function fitAll(data: PairData): Record<string, Outcome> {
  const entries: [string, Outcome][] = [];
  for (const family of PARAMETRIC.filter((name) => name !== 'independence')) {
    entries.push([family, timed(() => fitPair(data, family))]);
  }
  for (const tllDegree of DEGREES) entries.push([`tll ${tllDegree}`, timed(() => fitPair(data, 'tll', { tllDegree }))]);
  entries.push(['selected', timed(() => selectPair(data, { families: PARAMETRIC, criterion: 'aic' }))]);
  return Object.fromEntries(entries);
}

function timed(make: () => PairFit): Outcome {
  const start = performance.now();
  const { pair, logLikelihood } = make();
  const seconds = (performance.now() - start) / 1000;
  return { logLikelihood, seconds, chosen: pair.family, rotation: pair.rotation };
}

/** Lower by more than 0.1 % and by more than half a unit. */
const isShort = (ours: number, peer: number): boolean => ours < peer - Math.max(0.5, 0.001 * Math.abs(peer));

function familyRow(kind: string, ours: Record<string, Outcome>[], peers: Record<string, Outcome>[]) {
  const both = ours.map((fits, i) => [fits[kind]!, peers[i]![kind]!] as const);
  const differences = both.map(([own, peer]) => own.logLikelihood - peer.logLikelihood);
  const short = both.filter(([own, peer]) => isShort(own.logLikelihood, peer.logLikelihood)).length;
  const [own, peer] = [0, 1].map((k) => both.reduce((sum, pair) => sum + pair[k]!.seconds, 0) * 1000);
  const mean = differences.reduce((sum, d) => sum + d, 0) / differences.length;
  return [kind, both.length, short, Math.min(...differences), mean, own, peer, own! / peer!];
}

function printSelection(pairs: NamedPair[], ours: Record<string, Outcome>[], peers: Record<string, Outcome>[]): void {
  const both = pairs.map(({ name }, i) => ({ name, own: ours[i]!.selected!, peer: peers[i]!.selected! }));
  const label = ({ chosen, rotation }: Outcome) => `${PEER_NAMES[chosen] ?? chosen} ${rotation}`;
  const differing = both.filter(({ own, peer }) => label(own) !== label(peer));
  const [own, peer] = [both.map((b) => b.own.seconds), both.map((b) => b.peer.seconds)].map((seconds) =>
    seconds.reduce((sum, s) => sum + s, 0),
  );
  console.log(
    `Selection by AIC over all parametric families: ${both.length - differing.length} of ${both.length} alike; ` +
      `${own!.toFixed(2)} s ours, ${peer!.toFixed(2)} s pyvinecopulib.`,
  );
  const rows = differing.map(({ name, own, peer }) => [
    name,
    label(own),
    label(peer),
    own.logLikelihood - peer.logLikelihood,
  ]);
  if (rows.length > 0) printTable(['pair', 'ours', 'pyvinecopulib', 'log-likelihood difference'], rows);
}

function askPeer(pairs: PairData[]): Record<string, Outcome>[] {
  const python = preparePython();
  const path = join(cacheFolder(), 'pair-copulas.json');
  writeFileSync(path, JSON.stringify(pairs.map(({ u, v }) => ({ u: [...u], v: [...v] }))));
  return peerSchema.parse(
    JSON.parse(execute(python, [join(import.meta.dirname, 'support', 'vinecopulibPairs.py'), path])),
  );
}

/** A Python of the bench's own with pyvinecopulib, made once. */
function preparePython(): string {
  const folder = join(tmpdir(), 'synthetic-tables-pyvinecopulib-1.0.1');
  const python = join(folder, 'bin', 'python');
  if (!existsSync(join(folder, 'ready'))) {
    execute('python3', ['-m', 'venv', folder]);
    execute(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', 'pyvinecopulib==1.0.1']);
    writeFileSync(join(folder, 'ready'), '');
  }
  return python;
}

function execute(command: string, args: string[]): string {
  const result = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (result.status === 0) return result.stdout;
  const complaint = result.error?.message ?? result.stderr.trim().split('\n').at(-1);
  throw new Error(`${command} ${args.slice(0, 3).join(' ')} failed: ${complaint}`);
}
