/** What is trained, as one vector: where each matrix lies in it, and what it starts as. Graphs take matrix by matrix. */

import type { RandomStream } from '../../../../numerics/random/stream.ts';
import { type Graph, input, type Tensor } from '../../../tensor/graph.ts';

export interface Parameter {
  name: string;
  shape: readonly number[];
  /** Normal of this standard deviation, or given values. */
  start: number | Float32Array;
  /** Matrices decay, gains and rows of conditions do not. */
  isDecayed: boolean;
}

export interface ParameterVector {
  /** In their order in the vector: decayed ones first. */
  entries: readonly Parameter[];
  length: number;
  /** Entries that decay: the first ones. */
  decayed: number;
}

const sizeOf = ({ shape }: Parameter): number => shape.reduce((a, b) => a * b, 1);

export function layOut(parameters: readonly Parameter[]): ParameterVector {
  const entries = [...parameters.filter((one) => one.isDecayed), ...parameters.filter((one) => !one.isDecayed)];
  const total = (of: readonly Parameter[]): number => of.reduce((sum, one) => sum + sizeOf(one), 0);
  return { entries, length: total(entries), decayed: total(entries.filter((one) => one.isDecayed)) };
}

export function startVector({ entries, length }: ParameterVector, random: RandomStream): Float32Array {
  const out = new Float32Array(length);
  let at = 0;
  for (const parameter of entries) {
    const { start } = parameter;
    const size = sizeOf(parameter);
    if (start instanceof Float32Array) out.set(start, at);
    else if (start > 0) for (let k = at; k < at + size; k++) out[k] = start * random.normal();
    at += size;
  }
  return out;
}

/** Trained matrices by name, as inputs of a graph. */
export type ParameterTensors = ReadonlyMap<string, Tensor>;

export const parameterInputs = (graph: Graph, { entries }: ParameterVector): ParameterTensors =>
  new Map(entries.map(({ name, shape }) => [name, input(graph, name, shape)]));

/** The vector's matrices by name, as views of its memory. */
export function parameterViews(vector: Float32Array, { entries }: ParameterVector): ReadonlyMap<string, Float32Array> {
  let at = 0;
  return new Map(
    entries.map((parameter) => {
      at += sizeOf(parameter);
      return [parameter.name, vector.subarray(at - sizeOf(parameter), at)];
    }),
  );
}

/** One vector of matrices by name. */
export function parameterVector(
  matrices: (name: string) => Float32Array,
  { entries, length }: ParameterVector,
): Float32Array {
  const out = new Float32Array(length);
  let at = 0;
  for (const { name } of entries) {
    const own = matrices(name);
    out.set(own, at);
    at += own.length;
  }
  return out;
}
