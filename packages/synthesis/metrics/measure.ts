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

export interface MeasureTask {
  measured: Parts;
  /** Every table of each part against its training rows, by bins, distributions and associations. */
  compared: Comparison;
  /** The parts as attacks see them: numbers by their ranks among the real rows. */
  ranked: readonly PrivatePart[];
  /** Of the target, as `metrics.numeric` has them. */
  predictions: TargetPredictions;
  /** Whose each training row of the released part is; absent where each is its own. */
  owners?: Int32Array;
  /** The group's stream; a measure that draws takes a child of it under a name of its own. */
  random: RandomStream;
  /** Says in a line what was measured, and lets other work go on. */
  onProgress: OnProgress;
  /** Says nothing; lets other work go on, and throws where the job was stopped. Left out: reports alone do. */
  yieldToEventLoop?: (() => Promise<void>) | undefined;
}

/** Figures by their names in the group, each a `MeasuredFigure`; and what explains them. */
export type Measure<Figures extends object = object> = (task: MeasureTask) => Figures | Promise<Figures>;

/** All that the measures of a list give. */
export type FiguresOf<Measures extends readonly Measure[]> = Intersection<Awaited<ReturnType<Measures[number]>>>;

type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** Runs measures one after the other, in their order. */
export async function runMeasures<Measures extends readonly Measure[]>(
  measures: Measures,
  task: MeasureTask,
): Promise<FiguresOf<Measures>> {
  const found: object[] = [];
  for (const measure of measures) found.push(await measure(task));
  return Object.assign({}, ...found);
}
