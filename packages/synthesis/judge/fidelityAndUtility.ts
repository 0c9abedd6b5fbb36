/** Measures fidelity and utility, in a thread if that is faster, with the same results. */
import { createStream } from '../../numerics/random/createStream.ts';
import { sideBySide } from '../../numerics/steps.ts';
import type { ModelTable } from '../models/model.ts';
import { runTasks, threadsWorth } from '../tasks/runTasks.ts';
import type { Task } from '../tasks/task.ts';
import { compareParts } from './fidelity/compareParts.ts';
import { type FiguresOf, type MeasureTask, runMeasures } from './measure.ts';
import type { Part, Parts } from './parts.ts';
import { FIDELITY, UTILITY } from './registry.ts';

export interface FidelityAndUtilityTask {
  measured: Parts;
  /** Parts for fidelity: halves of the real rows if none are fresh. */
  alike: Parts;
  seed: number;
}

export interface FidelityAndUtility {
  fidelity: FiguresOf<typeof FIDELITY>;
  utility: FiguresOf<typeof UTILITY>;
}

export async function measureHere(
  { measured, alike, seed }: FidelityAndUtilityTask,
  hooks: Pick<MeasureTask, 'onProgress' | 'yieldToEventLoop'>,
): Promise<FidelityAndUtility> {
  const random = createStream(seed, 'figures');
  const compared = await compareParts(alike, random.child('parts'), hooks.onProgress);
  const fidelity = { ...hooks, measured: alike, compared, random: random.child('fidelity') };
  return {
    fidelity: await runMeasures(FIDELITY, fidelity),
    utility: await runMeasures(UTILITY, { ...hooks, measured, random: random.child('utility') }),
  };
}

export const measureFigures = {
  name: 'measureFigures',
  work: 'metrics',
  // More than 100,000 cells.
  cost: { seconds: { cell: 1e-5 }, worthSeconds: 1.000_005, coresInUse: 1 },
  open: () => measureHere,
} satisfies Task<FidelityAndUtilityTask, FidelityAndUtility>;

interface Hooks extends Pick<MeasureTask, 'onProgress' | 'yieldToEventLoop'> {
  /** Defaults to the faster choice. */
  inThread?: boolean | undefined;
}

/** Throws JobError if the thread dies. */
export async function measureBeside<T>(
  task: FidelityAndUtilityTask,
  { inThread = pays(task.measured), ...hooks }: Hooks,
  beside: (yieldToEventLoop: MeasureTask['yieldToEventLoop']) => Promise<T>,
): Promise<[FidelityAndUtility, T]> {
  if (!inThread) return [await measureHere(task, hooks), await beside(hooks.yieldToEventLoop)];
  const { onProgress, yieldToEventLoop = async () => {} } = hooks;
  const order = { ...task, measured: withoutTexts(task.measured), alike: withoutTexts(task.alike) };
  const [[figures], besides] = await sideBySide(
    yieldToEventLoop,
    (look) =>
      runTasks(measureFigures, [() => order], {
        threads: 1,
        onProgress,
        yieldToEventLoop: look,
        take: (reply) => reply,
      }),
    (look) => beside(look),
  );
  return [figures!, besides];
}

/** Avoids copying unused texts. */
function withoutTexts(parts: Parts): Parts {
  if (parts.columns.text.length === 0) return parts;
  const without = (table: ModelTable): ModelTable => ({
    rows: table.rows,
    columns: new Map([...table.columns].filter(([, { kind }]) => kind !== 'text')),
  });
  const ofPart = (part: Part): Part => ({
    ...part,
    train: without(part.train),
    holdout: part.holdout && without(part.holdout),
    synthetic: without(part.synthetic),
    independent: without(part.independent),
    swapped: without(part.swapped),
  });
  const columns = { ...parts.columns, text: [] };
  return { ...parts, parts: parts.parts.map(ofPart), released: ofPart(parts.released), columns };
}

function pays({ parts }: Parts): boolean {
  const cells = parts.reduce(
    (sum, { train, synthetic }) => sum + (train.rows + synthetic.rows) * train.columns.size,
    0,
  );
  return threadsWorth(measureFigures, { cell: cells }, 1) > 0;
}
