/**
 * What labels are drawn by. Trees that stay are the mean of several fits, of which each left other rows out: they predict better
 * than one, and lean less on each row.
 */
import { shuffledRows } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { poolTrees } from '../../../numerics/trees/classTrees.ts';
import { type BoostJob, boostInThreads } from '../shared/boostInThreads.ts';
import type { BoostingTask } from '../shared/boosting.ts';
import { rowsThere } from './associated.ts';
import type { LabelModel, LabelTask } from './treesOrAssociation.ts';

/** A label to fit; `rows` are made when they are needed. */
export interface LabelToFit {
  name: string;
  /** Rows times columns that its trees may split on. */
  cells: number;
  rows(): LabelRows;
}

/** Features of some rows, and the classes of the label there; 0 where its cell is missing. */
export type LabelRows = Pick<BoostingTask, 'features' | 'classes' | 'kinds'>;

interface LabelHooks {
  /** Rounds of boosting of a fit, at most. */
  rounds: number;
  random: RandomStream;
  yieldToEventLoop(): Promise<void>;
}

/** Rows that say how many rounds there are. */
const HELD_OUT = 0.1;
/** Leaves of a tree, and more where the rounds end before these have said all. */
const LEAVES = { few: 32, more: 32 } as const;
/** Of many labels each leans on the rows a little, and that adds up: they begin with few. */
const LEAVES_OF_MANY = { few: 8, more: 32 } as const;
const MANY_LABELS = 3;
/** Few leaves are not tried where there are fewer rounds: rows are many, and lean less. */
const LEAVES_OF_FEW_ROUNDS = { few: 16, more: 16 } as const;
const FEW_ROUNDS = 100;
/** Fits whose mean is drawn from, at most, and the cells of all labels that they go over: of many, one has seen enough. */
const MAX_FITS = 4;
const MAX_CELLS = 7e6;

/** What is heard of labels: `first` of each one's first fit, `again` of the others, of which there are `total`. */
interface LabelReports {
  first(done: number): Promise<void>;
  again(done: number, total: number): Promise<void>;
}

/** In the order of the labels. */
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
  const fits = await boostInThreads(first, { yieldToEventLoop, onColumn: reports.first });
  const byTrees = [...labels.keys()].filter((i) => fits[i]!.trees.roots.length > 0);
  const others = fitsOf(byTrees.map((i) => labels[i]!)) - 1;
  const again = byTrees.flatMap((i) =>
    Array.from({ length: others }, (_, k) => jobOf(labels[i]!, hooks, k + 1, fits[i]!.leaves)),
  );
  const repeats = await boostInThreads(again, {
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

/** Rows whose cell is there: to grow trees from, and a tenth that says how many there are, another one in each fit. */
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
