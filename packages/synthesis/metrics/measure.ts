/** The contract of a measure: figures for one group of a job's metrics, from what all measures share. */
import type { RandomStream } from '../../numerics/random/stream.ts';
import type { OnProgress } from '../models/model.ts';
import type { Comparison } from './fidelity/compareParts.ts';
import type { Parts, PrivatePart } from './parts.ts';

export interface Predictions {
  actual: Float64Array;
  predicted: Float64Array;
}

/** Of the target for real rows, by trees trained on the synthetic rows and on real ones: what every figure of it is computed on. */
export interface TargetPredictions {
  own: Predictions | null;
  real: Predictions | null;
}

/** What every measure is given. */
export interface MeasureTask {
  measured: Parts;
  /** The group's stream; a measure that draws takes a child of it under a name of its own. */
  random: RandomStream;
  /** Says in a line what was measured, and lets other work go on. */
  onProgress: OnProgress;
  /** Says nothing; lets other work go on, and throws where the job was stopped. Left out: reports alone do. */
  yieldToEventLoop?: (() => Promise<void>) | undefined;
}

/** What measures of fidelity are given besides. */
export interface FidelityTask extends MeasureTask {
  /** Every table of each part against its training rows, by bins, distributions and associations. */
  compared: Comparison;
}

/** What measures of the target are given besides. */
export interface TargetTask extends MeasureTask {
  /** Of the target, as `metrics.numeric` has them. */
  predictions: TargetPredictions;
}

/** What attacks are given besides. */
export interface AttackTask extends MeasureTask {
  /** The parts as attacks see them: numbers by their ranks among the real rows. */
  ranked: readonly PrivatePart[];
  /** Whose each training row of the released part is; absent where each is its own. */
  owners?: Int32Array;
}

/** Figures by their names in the group, each a `MeasuredFigure`; and what explains them. */
export type Measure<Figures extends object = object, Task extends MeasureTask = MeasureTask> = (
  task: Task,
) => Figures | Promise<Figures>;

/** All that the measures of a list give. */
export type FiguresOf<Measures extends readonly ((task: never) => unknown)[]> = Intersection<
  Awaited<ReturnType<Measures[number]>>
>;

type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** Runs measures one after the other, in their order. */
export async function runMeasures<Task extends MeasureTask, Measures extends readonly Measure<object, Task>[]>(
  measures: Measures,
  task: Task,
): Promise<FiguresOf<Measures>> {
  const found: object[] = [];
  for (const measure of measures) found.push(await measure(task));
  return Object.assign({}, ...found);
}
