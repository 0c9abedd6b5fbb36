/** Averages trees over fits that each left out other rows, which predicts better and depends less on each row. */
import { shuffledRows } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { poolTrees } from '../../../numerics/trees/classTrees.ts';
import { type BoostJob, boostInThreads } from '../shared/boostInThreads.ts';
import { type BoostingTask, boostClasses } from '../shared/boosting.ts';
import { rowsThere } from './associated.ts';
import { boostLabel, type LabelModel, type LabelTask } from './treesOrAssociation.ts';

export interface LabelToFit {
  name: string;
  cells: number;
  rows(): LabelRows;
}

/** Class 0 is a missing cell. */
export type LabelRows = Pick<BoostingTask, 'features' | 'classes' | 'kinds'>;

interface LabelHooks {
  rounds: number;
  random: RandomStream;
  yieldToEventLoop(): Promise<void>;
}

const HELD_OUT = 0.1;
/** Leaves per tree, and more if the rounds run out. */
const LEAVES = { few: 32, more: 32 } as const;
/** Many labels start small, since their dependence on rows adds up. */
const LEAVES_OF_MANY = { few: 8, more: 32 } as const;
const MANY_LABELS = 3;
/** Few rounds mean many rows, so small trees are skipped. */
const LEAVES_OF_FEW_ROUNDS = { few: 16, more: 16 } as const;
const FEW_ROUNDS = 100;
/** Large tables need one fit. */
const MAX_FITS = 4;
const MAX_CELLS = 7e6;

interface LabelReports {
  first(done: number): Promise<void>;
  again(done: number, total: number): Promise<void>;
}

export async function fitLabelModels(
  labels: readonly LabelToFit[],
  hooks: LabelHooks,
  reports: LabelReports,
): Promise<LabelModel[]> {
  const { yieldToEventLoop } = hooks;
  const { few, more } = leavesFor(labels.length, hooks.rounds);
  const first = labels.map((label): BoostJob<LabelTask> => {
    const { task, ...job } = jobOf(label, hooks, 0, few);
    return { ...job, task: () => ({ label: task(), moreLeaves: more }) };
  });
  const fits = await boostInThreads(boostLabel, first, { yieldToEventLoop, onColumn: reports.first });
  const byTrees = [...labels.keys()].filter((i) => fits[i]!.trees.roots.length > 0);
  const others = fitsOf(byTrees.map((i) => labels[i]!)) - 1;
  const again = byTrees.flatMap((i) =>
    Array.from({ length: others }, (_, k) => jobOf(labels[i]!, hooks, k + 1, fits[i]!.leaves)),
  );
  const repeats = await boostInThreads(boostClasses, again, {
    yieldToEventLoop,
    onColumn: (done) => reports.again(done, again.length),
  });
  return fits.map(({ association, trees }, i) => {
    const at = byTrees.indexOf(i);
    return {
      association,
      trees: at < 0 ? trees : poolTrees([trees, ...repeats.slice(at * others, (at + 1) * others)]),
    };
  });
}

function leavesFor(labels: number, rounds: number): { few: number; more: number } {
  if (labels < MANY_LABELS) return LEAVES;
  return rounds < FEW_ROUNDS ? LEAVES_OF_FEW_ROUNDS : LEAVES_OF_MANY;
}

function fitsOf(labels: readonly LabelToFit[]): number {
  const cells = labels.reduce((sum, label) => sum + label.cells, 0);
  return Math.max(1, Math.min(MAX_FITS, Math.floor(MAX_CELLS / Math.max(1, cells))));
}

function jobOf(
  { name, cells, rows }: LabelToFit,
  { rounds, random }: LabelHooks,
  fit: number,
  leaves: number,
): BoostJob<LabelTask['label']> {
  const own = random.child('label').child(name);
  return {
    cells,
    seed: (fit === 0 ? own : own.child(`fit ${fit}`)).integer(2 ** 32),
    task: () => {
      const all = rows();
      return { ...all, order: 'none', ...apartOf(all.classes, random.child('apart'), fit), rounds, leaves };
    },
  };
}

/** Holds out another tenth in each fit. */
function apartOf(classes: Int32Array, random: RandomStream, fit: number): { rows: Int32Array; apart: Int32Array } {
  const there = rowsThere(classes);
  const order = shuffledRows(there.length, random).map((at) => there[at]!);
  const size = Math.ceil(order.length * HELD_OUT);
  const [from, upTo] = [fit * size, (fit + 1) * size];
  return {
    rows: order.filter((_, at) => at < from || at >= upTo).sort(),
    apart: order.slice(from, upTo).sort(),
  };
}
