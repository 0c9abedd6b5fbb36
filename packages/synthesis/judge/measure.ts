import type { RandomStream } from '../../numerics/random/stream.ts';
import type { OnProgress } from '../models/model.ts';
import type { Comparison } from './fidelity/compareParts.ts';
import type { Parts, PrivatePart } from './parts.ts';

export interface Predictions {
  actual: Float64Array;
  predicted: Float64Array;
}

/** Target predictions for real rows, by trees trained on synthetic and on real rows. */
export interface TargetPredictions {
  own: Predictions | null;
  real: Predictions | null;
}

export interface MeasureTask {
  measured: Parts;
  /** The group's stream; each measure uses a named child. */
  random: RandomStream;
  onProgress: OnProgress;
  /** Yields without reporting. Throws if the job was stopped. Defaults to yielding on reports only. */
  yieldToEventLoop?: (() => Promise<void>) | undefined;
}

export interface FidelityTask extends MeasureTask {
  compared: Comparison;
}

export interface TargetTask extends MeasureTask {
  /** As in `metrics.numeric`. */
  predictions: TargetPredictions;
}

export interface AttackTask extends MeasureTask {
  /** Parts ranked among real rows. */
  ranked: readonly PrivatePart[];
  /** Owners of training rows; absent if each is its own. */
  owners?: Int32Array;
}

export type Measure<Figures extends object = object, Task extends MeasureTask = MeasureTask> = (
  task: Task,
) => Figures | Promise<Figures>;

export type FiguresOf<Measures extends readonly ((task: never) => unknown)[]> = Intersection<
  Awaited<ReturnType<Measures[number]>>
>;

type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

export async function runMeasures<Task extends MeasureTask, Measures extends readonly Measure<object, Task>[]>(
  measures: Measures,
  task: Task,
): Promise<FiguresOf<Measures>> {
  const found: object[] = [];
  for (const measure of measures) found.push(await measure(task));
  return Object.assign({}, ...found);
}
