/**
 * Our NUTS against nutpie, family by family and size by size: the same rows, priors and draws, one after the other in one run.
 * Ours from a process that has started to draws, with its search for the mode; nutpie's of sampling, and with compilation.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { FAMILY_NAMES, type FamilyName, familyOf } from '../packages/numerics/distributions/families.ts';
import { createStream } from '../packages/numerics/random/createStream.ts';
import { type Prior, toLink } from '../packages/numerics/regression/spec.ts';
import type { PlainModel } from './regression/plainModel.ts';
import type { Bench } from './support/bench.ts';
import { cacheFolder } from './support/cacheFolder.ts';
import { loadLine } from './support/load.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { execute, preparePython } from './support/python.ts';

const SIZES = [
  [1_000, 20],
  [10_000, 20],
  [100_000, 20],
  [17_000, 300],
] as const;
/** Of the columns of the widest: the share that is not 0, as categories leave them. */
const WIDE_DENSITY = 0.07;
/** Draws and warm-up of a chain, fewer where a gradient is long; four chains. */
const drawsFor = (n: number): number => (n > 10_000 ? 250 : 1_000);

const normal = (sd: number): Prior => ({ kind: 'normal', mean: 0, sd });
/** Truth and prior of what has no predictor. */
const CONSTANTS: Record<string, readonly [number, Prior]> = {
  sigma: [0.7, { kind: 'exponential', rate: 1 }],
  nu: [5, { kind: 'gamma', shape: 2, rate: 0.1 }],
  phi: [3, { kind: 'exponential', rate: 0.2 }],
  shape: [2, { kind: 'exponential', rate: 0.2 }],
  zero: [0.3, { kind: 'beta', a: 1, b: 1 }],
  one: [0.2, { kind: 'beta', a: 1, b: 1 }],
};

const peerSchema = z.object({ name: z.string(), compile: z.number(), sample: z.number(), ess: z.number() });
const ownSchema = z.object({ ess: z.number(), seconds: z.number(), divergences: z.number() });

export const bench: Bench = {
  title:
    'Every family beside nutpie at n = 10³, 10⁴, 10⁵ (p = 20) and 17,000 × 300: our ESS/s ahead at each, 5 × in the median (BENCH_FAMILIES, BENCH_ROWS for some)',
  async run() {
    const python = preparePython('nutpie', ['nutpie==0.16.8', 'pymc==5.28.5', 'numba==0.65.1', 'arviz==0.23.4']);
    const only = (name: string): string[] | undefined => process.env[name]?.split(',');
    const families = FAMILY_NAMES.filter((name) => only('BENCH_FAMILIES')?.includes(name) ?? true);
    const sizes = SIZES.filter(([n]) => only('BENCH_ROWS')?.includes(`${n}`) ?? true);
    console.log(loadLine());
    const rows: TableCell[][] = [];
    const ratios: number[] = [];
    for (const [n, p] of sizes) {
      for (const family of families) {
        const { row, ratio } = compare(python, family, n, p);
        rows.push(row);
        ratios.push(ratio);
        console.log(row.map((cell) => (typeof cell === 'number' ? cell.toPrecision(4) : cell)).join('  '));
      }
    }
    const own = ['our ESS', 's', 'divergences'];
    const peer = ['nutpie ESS', 's sample', 's compile'];
    printTable(['family', 'n', 'p', ...own, ...peer, 'ESS/s ÷ sampling', '÷ compiled'], rows);
    const sorted = ratios.toSorted((a, b) => a - b);
    console.log(`least ${sorted[0]?.toFixed(2)}, median ${sorted[Math.floor(sorted.length / 2)]?.toFixed(2)}`);
    console.log(loadLine());
  },
};

function compare(python: string, family: FamilyName, n: number, p: number): { row: TableCell[]; ratio: number } {
  const file = join(cacheFolder(), `family-${family}-${n}.json`);
  const draws = drawsFor(n);
  writeFileSync(file, JSON.stringify({ draws, tune: draws, models: [simulate(family, n, p)] }));
  const script = join(import.meta.dirname, 'regression', 'sampleFamily.ts');
  const own = ownSchema.parse(JSON.parse(execute(process.execPath, [script, file, `${draws}`, `${draws}`])));
  const peerScript = join(import.meta.dirname, 'support', 'nutpieSample.py');
  const peer = peerSchema.parse(JSON.parse(execute(python, [peerScript, file]).trim().split('\n').at(-1)!));
  rmSync(file);
  const rate = own.ess / own.seconds;
  const ratio = rate / (peer.ess / peer.sample);
  const compiled = rate / (peer.ess / (peer.sample + peer.compile));
  const ours = [own.ess, own.seconds, own.divergences];
  return { row: [family, n, p, ...ours, peer.ess, peer.sample, peer.compile, ratio, compiled], ratio };
}

function simulate(family: FamilyName, n: number, p: number): PlainModel {
  const random = createStream(1, `families/${family}/${n}`);
  const { parameters, draw } = familyOf(family);
  const isWide = p > 100;
  const entry = (j: number): number => {
    if (j === 0) return 1;
    return isWide ? Number(random.uniform() < WIDE_DENSITY) : random.normal();
  };
  const beta = Array.from({ length: p }, (_, j) => (j === 0 ? 0.5 : (isWide ? 0.3 : 0.15) * random.normal()));
  const constants = parameters.slice(1).map((parameter) => ({ parameter, truth: CONSTANTS[parameter.name]! }));
  const eta = Float64Array.from([0, ...constants.map(({ parameter, truth }) => toLink(parameter.link, truth[0]))]);
  const x = Array.from({ length: n }, () => Array.from({ length: p }, (_, j) => entry(j)));
  const y = x.map((row) => {
    eta[0] = row.reduce((sum, value, j) => sum + value * beta[j]!, 0);
    return draw(eta, random);
  });
  const priors = Object.fromEntries(constants.map(({ parameter, truth }) => [parameter.name, truth[1]]));
  return { name: family, family, y, x, priors: beta.map(() => normal(2.5)), constants: priors };
}
