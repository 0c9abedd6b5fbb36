/** Measures fidelity and utility, in a thread if that is faster, with the same results. */
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import type { ProgressEvent } from '../../contract/events.ts';
import { createStream } from '../../numerics/random/createStream.ts';
import { sideBySide } from '../../numerics/steps.ts';
import { messagesOf, shareArrays, startThread, WorkerDiedError, watched } from '../../numerics/workers.ts';
import { type ModelTable, type OnProgress, threadFailure } from '../models/model.ts';
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

const ENTRY = new URL('./fidelityWorker.ts', import.meta.url);
/** Minimum cells: they take a second, starting a thread 0.3 s. */
const WORTH_THREAD = 100_000;

export type FidelityReply = { event: ProgressEvent } | { figures: FidelityAndUtility };

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
  const { measured, alike, seed } = task;
  const { onProgress, yieldToEventLoop = async () => {} } = hooks;
  const worker = startThread(ENTRY);
  try {
    worker.postMessage(shareArrays({ measured: withoutTexts(measured), alike: withoutTexts(alike), seed }));
    return await sideBySide(
      yieldToEventLoop,
      (look) => watched(figuresFrom(worker, onProgress), look),
      (look) => beside(look),
    );
  } finally {
    await worker.terminate();
  }
}

async function figuresFrom(worker: Worker, onProgress: OnProgress): Promise<FidelityAndUtility> {
  try {
    for await (const reply of messagesOf<FidelityReply>(worker)) {
      if ('figures' in reply) return reply.figures;
      await onProgress(reply.event);
    }
  } catch (error) {
    throw error instanceof WorkerDiedError ? threadFailure(error, 'metrics') : error;
  }
  throw new Error('a thread sends messages until it ends');
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
  return cells > WORTH_THREAD && availableParallelism() > 1;
}
