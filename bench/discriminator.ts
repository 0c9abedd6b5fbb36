/**
 * Figures of fidelity on fresh real rows (their null), and on tables whose structure our models lose. `BENCH_ONLY`: fresh or hard.
 * `BENCH_SEED`: the first trial of fresh rows; from 1000 on they are none of those that a rule was chosen on.
 */
import type { MeasuredFigure } from '../packages/contract/measuredFigure.ts';
import type { FidelityMetrics } from '../packages/contract/metrics.ts';
import { createStream } from '../packages/numerics/random/createStream.ts';
import { compareParts } from '../packages/synthesis/judge/fidelity/compareParts.ts';
import { DISTANCES } from '../packages/synthesis/judge/fidelity/summarise.ts';
import { type FiguresOf, runMeasures } from '../packages/synthesis/judge/measure.ts';
import { makeParts } from '../packages/synthesis/judge/parts.ts';
import { FIDELITY } from '../packages/synthesis/judge/registry.ts';
import { compare } from '../packages/synthesis/library/compare.ts';
import { synthesize } from '../packages/synthesis/library/synthesize.ts';
import type { Bench } from './support/bench.ts';
import { freshParts, type Sizes, TRIALS } from './support/freshParts.ts';
import { HARD_TABLES, type HardTable } from './support/hardTables.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { readSharedTable, type SharedTable, sharedData } from './support/sharedTables.ts';

type Found = FiguresOf<typeof FIDELITY>;

export const bench: Bench = {
  title:
    'the discriminator: 0.500 ± 0.005 on 130 tables of fresh real rows, 0.58 or more where a ring or a spread is lost',
  async run() {
    const only = process.env.BENCH_ONLY;
    if (only !== 'hard') await freshTables();
    if (only !== 'fresh') await hardTables();
  },
};

async function freshTables(): Promise<void> {
  if (!sharedData) throw new Error('the shared tables are not here');
  const first = Number(process.env.BENCH_SEED ?? 0);
  const all: Found[] = [];
  const rows: TableCell[][] = [];
  for (const { name, sizes, trials } of TRIALS) {
    const shared = readSharedTable(sharedData, name);
    const found: Found[] = [];
    for (let trial = 0; trial < trials; trial++) found.push(await fidelityOf(shared, sizes, first + trial));
    rows.push([name, sizes.join(' / '), ...nullCells(found)]);
    all.push(...found);
  }
  rows.push(['all', '', ...nullCells(all)]);
  const header = ['table', 'training / held-out / fresh rows', 'tables', 'AUC', 'sd', 'sd said', '95 % covers 0.5'];
  printTable([...header, 'AUC against training rows', 'real rows'], rows);
  console.log('\nVerdicts on fresh rows; 1 in 1,000 is to be worse, and 1 in 1,000 suspiciously better\n');
  const names = [...DISTANCES, 'discriminator', 'discriminator_training'] as const;
  printTable(
    ['figure', 'judged', 'worse', 'suspiciously better'],
    names.map((name) =>
      verdictCells(
        name,
        all.map((found) => found[name]),
      ),
    ),
  );
}

async function fidelityOf(shared: SharedTable, sizes: Sizes, trial: number): Promise<Found> {
  const { random, train, holdout, fresh } = freshParts(shared, sizes, trial);
  const stream = random.child('measure');
  const roles = shared.roles;
  const measured = makeParts({ train, holdout, synthetic: fresh, folds: undefined, roles, random: stream });
  const onProgress = async () => {};
  const compared = await compareParts(measured, stream.child('parts'), onProgress);
  return runMeasures(FIDELITY, { measured, compared, onProgress, random: stream.child('fidelity') });
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value / values.length, 0);

function nullCells(found: readonly Found[]): TableCell[] {
  const figures = found.map(({ discriminator }) => discriminator);
  const values = figures.map(auc);
  const centre = mean(values);
  const covered = figures.filter(({ low, high }) => (low ?? 1) <= 0.5 && (high ?? 0) >= 0.5).length;
  return [
    found.length,
    centre,
    Math.sqrt(mean(values.map((value) => (value - centre) ** 2))),
    mean(figures.map(({ low, high }) => ((high ?? Number.NaN) - (low ?? Number.NaN)) / (2 * 1.96))),
    covered / found.length,
    mean(found.map((one) => auc(one.discriminator_training))),
    mean(figures.map(({ holdout }) => holdout ?? Number.NaN)),
  ];
}

const auc = ({ value }: MeasuredFigure): number => value ?? Number.NaN;

function verdictCells(name: keyof FidelityMetrics & string, figures: readonly MeasuredFigure[]): TableCell[] {
  const count = (verdict: MeasuredFigure['verdict']) => figures.filter((figure) => figure.verdict === verdict).length;
  return [name, figures.length - count(null), count('worse'), count('suspiciously better')];
}

const HARD_ROWS = 3_000;
const SEED = 5;

async function hardTables(): Promise<void> {
  console.log(
    `\nTables of ${HARD_ROWS} rows made by ourselves, judged in the job and beside ${HARD_ROWS} unseen rows\n`,
  );
  const rows: TableCell[][] = [];
  for (const hard of HARD_TABLES) rows.push(...(await hardCells(hard)));
  printTable(['table', 'judged', 'rows', 'AUC', 'low', 'high', 'verdict', 'against training rows', 'likeness'], rows);
}

async function hardCells({ name, request, rows }: HardTable): Promise<TableCell[][]> {
  const random = createStream(SEED, `hard tables/${name}`);
  const [real, unseen] = [rows(HARD_ROWS, random.child('real')), rows(HARD_ROWS, random.child('unseen'))];
  const made = await synthesize(real, { ...request, n_samples: HARD_ROWS, seed: SEED });
  const { target: _, ...roles } = request;
  const compared = await compare(real, made.rows.all(), roles, { holdout: unseen, seed: SEED });
  return [['in the job', made] as const, ['beside unseen rows', compared] as const].map(
    ([how, { metrics, verdicts }]) => {
      const { discriminator, discriminator_training } = metrics.fidelity ?? {};
      return [
        name,
        how,
        discriminator?.rows ?? 0,
        discriminator?.value ?? '',
        discriminator?.low ?? '',
        discriminator?.high ?? '',
        discriminator?.verdict ?? 'not shown',
        discriminator_training?.value ?? '',
        verdicts.find(({ area }) => area === 'likeness')?.grade ?? '',
      ];
    },
  );
}
