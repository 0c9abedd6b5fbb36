/** Batches of windows as programs take them, and the scoring of sequences. */
import type { TensorEngine } from '../../../tensor/engine.ts';
import type { Network } from './network.ts';
import { parameterViews } from './parameters.ts';
import { type StepShape, scoringProgram } from './trainingProgram.ts';
import { packWindows, type Sequence, type Windows } from './windows.ts';

/**
 * Places `from` … of some steps; places after the last window are empty. Weights of each step sum to one. What
 * is told by a condition is counted from 1; 0 is a piece.
 */
export function batchOf(
  windows: Windows,
  from: number,
  steps: number,
  places: number,
  pieces: number,
): { feeds: Record<string, Float32Array | Int32Array>; totals: number[] } {
  const to = from + steps * places;
  const ints = (values: Int32Array): Int32Array => {
    const out = new Int32Array(steps * places);
    out.set(values.subarray(from, to));
    return out;
  };
  const weights = new Float32Array(steps * places);
  weights.set(windows.weights.subarray(from, to));
  const totals: number[] = [];
  for (let step = 0; step < steps; step++) {
    const own = weights.subarray(step * places, (step + 1) * places);
    const total = own.reduce((sum, weight) => sum + weight, 0);
    totals.push(total);
    for (let k = 0; k < own.length; k++) own[k]! /= Math.max(1, total);
  }
  const { next, segments } = windows;
  const tokens = ints(windows.tokens);
  const told = tokens.map((token) => Math.max(0, token - pieces + 1));
  return { feeds: { tokens, told, next: ints(next), segments: ints(segments), weights }, totals };
}

export interface ScoringTask {
  engine: TensorEngine;
  network: Network;
  heldOut: readonly Sequence[];
  shape: StepShape;
  breathe?(): Promise<void>;
}

/** Log-likelihoods of the predicted tokens of sequences, by sequence and token; NaN where none is predicted. */
export async function scoreSequences(task: ScoringTask, parameters: Float32Array): Promise<Float32Array[]> {
  const scorer = await createScorer(task);
  const likelihoods = await scorer.score(parameters);
  await scorer.release();
  return likelihoods;
}

export interface Scorer {
  score(parameters: Float32Array): Promise<Float32Array[]>;
  release(): Promise<void>;
}

export async function createScorer({ engine, network, heldOut, shape, breathe }: ScoringTask): Promise<Scorer> {
  const executable = await engine.compile(scoringProgram(network, shape), network.frozen);
  const windows = packWindows(
    heldOut,
    heldOut.map((_, k) => k),
    shape.length,
  );
  const places = shape.windows * shape.length;
  return {
    async score(parameters) {
      const matrices = Object.fromEntries(parameterViews(parameters, network.vector));
      const out = heldOut.map(({ tokens }) => new Float32Array(tokens.length).fill(Number.NaN));
      for (let from = 0; from < windows.tokens.length; from += places) {
        const { weights: _, ...feeds } = batchOf(windows, from, 1, places, network.pieces).feeds;
        const { reports } = await executable.run({ ...feeds, ...matrices }, 1);
        for (let k = 0; k < places && from + k < windows.tokens.length; k++) {
          if (windows.weights[from + k]! > 0) {
            out[windows.sequence[from + k]!]![windows.offset[from + k]!] = reports.likelihoods![k]!;
          }
        }
        await breathe?.();
      }
      return out;
    },
    release: () => executable.release(),
  };
}
