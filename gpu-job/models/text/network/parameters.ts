/** What is trained, as one vector: where each matrix lies in it, and what it starts as. */

import type { RandomStream } from '../../../../numerics/random/stream.ts';
import type { Tensor } from '../../../tensor/graph.ts';
import { reshape, split } from '../../../tensor/operators/shapes.ts';

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

/** The vector's matrices by name, as tensors of its graph. */
export function parameterTensors(vector: Tensor, { entries }: ParameterVector): ReadonlyMap<string, Tensor> {
  const parts = split(vector, entries.map(sizeOf), 0);
  return new Map(entries.map(({ name, shape }, k) => [name, reshape(parts[k]!, shape)]));
}

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
