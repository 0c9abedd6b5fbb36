/** 90 % intervals of the mean E[y | x] at rows that no model saw, of simulated tables whose mean is known. */

import { createStream } from '../packages/numerics/random/createStream.ts';
import type { RandomStream } from '../packages/numerics/random/stream.ts';
import type { NumericPredictor } from '../packages/numerics/regression/design/design.ts';
import { linearPredictors } from '../packages/numerics/regression/predict.ts';
import { sampleRegression } from '../packages/numerics/regression/sampleRegression.ts';
import type { Bench } from './support/bench.ts';
import { numberFrom } from './support/numberFrom.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { quantile } from './support/quantile.ts';

const TABLES = numberFrom('BENCH_TABLES', 40);
/** The seed of the first table. */
const FIRST = numberFrom('BENCH_FIRST', 0);
const ROWS = numberFrom('BENCH_ROWS', 300);
const NEW_ROWS = 300;
const COLUMNS = numberFrom('BENCH_COLUMNS', 5);
/** Standard deviation of the mean over rows, unless it is the same for all of them, and of the noise. */
const [SIGNAL, NOISE] = [1.5, 1];

type Mean = (x: readonly number[]) => number;

/** A mean function for each table: a single function would be one case, repeated. */
const KINDS: Record<string, (random: RandomStream) => Mean> = {
  linear: (random) => sumOf(slope, random),
  smooth: (random) => sumOf(wave, random),
  'pure noise': () => () => 0,
  interactions: (random) => {
    const mains = sumOf(slope, random);
    const pairs = Array.from({ length: 3 }, () => pair(random));
    return (x) => 0.5 * mains(x) + pairs.reduce((sum, own) => sum + own(x), 0);
  },
};

/** One function a column, added up. */
function sumOf(draw: (random: RandomStream) => (x: number) => number, random: RandomStream): Mean {
  const parts = Array.from({ length: COLUMNS }, () => draw(random));
  return (x) => parts.reduce((sum, part, j) => sum + part(x[j]!), 0);
}

function slope(random: RandomStream): (x: number) => number {
  const size = random.normal();
  return (x) => size * x;
}

function wave(random: RandomStream): (x: number) => number {
  const [size, phase] = [random.normal(), 2 * Math.PI * random.uniform()];
  const speed = 0.5 + 1.5 * random.uniform();
  return (x) => size * Math.sin(speed * x + phase);
}

/** What two columns say together: a product, a step in both, or a wave along a slant. */
function pair(random: RandomStream): Mean {
  const a = random.integer(COLUMNS);
  const b = (a + 1 + random.integer(COLUMNS - 1)) % COLUMNS;
  const size = random.normal();
  const kind = random.integer(3);
  if (kind === 0) return (x) => size * x[a]! * x[b]!;
  if (kind === 1) return (x) => (x[a]! > 0 === x[b]! > 0 ? size : -size);
  return (x) => 1.4 * size * Math.sin(x[a]! + x[b]!);
}

export const bench: Bench = {
  title: `90 % intervals of E[y | x] at new rows of ${TABLES} tables of ${ROWS} rows each; should cover .87 to .93 (BENCH_TABLES, BENCH_FIRST, BENCH_ROWS, BENCH_COLUMNS)`,
  async run() {
    const rows: TableCell[][] = [];
    const only = process.env.BENCH_KINDS?.split(',');
    for (const kind of Object.keys(KINDS)) {
      if (only && !only.includes(kind)) continue;
      const found: Found[] = [];
      for (let table = 0; table < TABLES; table++) found.push(await measure(kind, createStream(FIRST + table, kind)));
      const mean = (of: (one: Found) => number): number => found.reduce((sum, one) => sum + of(one) / TABLES, 0);
      const covered = found.map((one) => one.covered);
      const centre = mean((one) => one.covered);
      const error = Math.sqrt(covered.reduce((sum, own) => sum + (own - centre) ** 2, 0) / (TABLES - 1) / TABLES);
      rows.push([
        kind,
        centre,
        error,
        quantile(covered, 0.1),
        mean((one) => one.predicted),
        mean((one) => one.rmse),
        mean((one) => one.width),
        mean((one) => one.sigma),
        mean((one) => one.columns),
        mean((one) => one.seconds),
      ]);
      console.log(rows.at(-1)!.join('  '));
    }
    const head = ['kind', 'mean covered', 'standard error', 'of a table in ten', 'new y covered', 'RMSE of the mean'];
    printTable([...head, 'width', 'sigma (1)', 'columns', 's'], rows);
  },
};

interface Found {
  covered: number;
  predicted: number;
  rmse: number;
  width: number;
  sigma: number;
  columns: number;
  seconds: number;
}

async function measure(kind: string, random: RandomStream): Promise<Found> {
  const mean = standardised(KINDS[kind]!(random.child('mean')), random.child('scale'));
  const fitted = drawTable(mean, ROWS, random.child('fitted'));
  const fresh = drawTable(mean, NEW_ROWS, random.child('new'));
  const start = performance.now();
  const { model, scale, names } = await sampleRegression(
    { response: fitted.y, family: 'gaussian', columns: fitted.columns, draws: 250, tune: 250 },
    { random: random.child('fit'), workers: 0 },
  );
  const seconds = (performance.now() - start) / 1000;
  const count = model.draws.length / model.width;
  const fill = linearPredictors(model, fresh.columns, NEW_ROWS);
  const eta = new Float64Array(model.designs.length);
  const out = { covered: 0, predicted: 0, rmse: 0, width: 0, sigma: 0 };
  for (let row = 0; row < NEW_ROWS; row++) {
    const drawn = new Float64Array(count);
    const responses = new Float64Array(count);
    for (let at = 0; at < count; at++) {
      fill(row, at * model.width, eta);
      drawn[at] = scale.offset + scale.factor * eta[0]!;
      const sigma = scale.factor * Math.exp(eta[1]!);
      responses[at] = drawn[at]! + sigma * random.normal();
      out.sigma += sigma / count / NEW_ROWS;
    }
    const [low, high] = [quantile([...drawn], 0.05), quantile([...drawn], 0.95)];
    const centre = drawn.reduce((sum, own) => sum + own / count, 0);
    const [real, y] = [fresh.mean[row]!, fresh.y[row]!];
    if (low <= real && real <= high) out.covered += 1 / NEW_ROWS;
    if (quantile([...responses], 0.05) <= y && y <= quantile([...responses], 0.95)) out.predicted += 1 / NEW_ROWS;
    out.rmse += (centre - real) ** 2 / NEW_ROWS;
    out.width += (high - low) / NEW_ROWS;
  }
  return { ...out, rmse: Math.sqrt(out.rmse), columns: names.length, seconds };
}

/** Of standard deviation `SIGNAL` over rows, unless it is constant. */
function standardised(mean: Mean, random: RandomStream): Mean {
  const sample = Array.from({ length: 2_000 }, () => mean(drawRow(random)));
  const centre = sample.reduce((sum, own) => sum + own / sample.length, 0);
  const sd = Math.sqrt(sample.reduce((sum, own) => sum + (own - centre) ** 2 / sample.length, 0));
  return sd > 0 ? (x) => ((mean(x) - centre) / sd) * SIGNAL : mean;
}

/** Normal and even columns by turns. */
const drawRow = (random: RandomStream): number[] =>
  Array.from({ length: COLUMNS }, (_, j) => (j % 2 === 0 ? random.normal() : Math.sqrt(12) * (random.uniform() - 0.5)));

function drawTable(mean: Mean, n: number, random: RandomStream) {
  const x = Array.from({ length: n }, () => drawRow(random));
  const means = Float64Array.from(x, mean);
  const columns = Array.from(
    { length: COLUMNS },
    (_, j): NumericPredictor => ({
      kind: 'numeric',
      name: `x${j + 1}`,
      values: Float64Array.from(x, (row) => row[j]!),
    }),
  );
  return { mean: means, y: means.map((own) => own + NOISE * random.normal()), columns };
}
