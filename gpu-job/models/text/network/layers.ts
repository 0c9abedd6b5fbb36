/**
 * Parts of the Llama family's forward pass that training and writing share. N = tokens, D = width, H = heads, K = key heads,
 * G = H / K queries a key head, E = head width.
 */
import { constant, type Graph, type Tensor } from '../../../tensor/graph.ts';
import { add, multiply, silu } from '../../../tensor/operators/elementwise.ts';
import { matMul } from '../../../tensor/operators/matrix.ts';
import { rmsNorm } from '../../../tensor/operators/network.ts';
import { reshape } from '../../../tensor/operators/shapes.ts';
import type { Architecture, GainName, MatrixName } from '../base/architecture.ts';

/** Where a pass finds its weights. */
export interface WeightSource {
  /** x Wᵀ: [N, inputs] to [N, outputs]. */
  linear(x: Tensor, layer: number, name: MatrixName): Tensor;
  gain(layer: number, name: GainName): Tensor;
  finalGain(): Tensor;
}

/** One layer on [N, D]. `attend` takes the normed stream to [N, H E]. */
export function layer(
  x: Tensor,
  at: number,
  weights: WeightSource,
  { epsilon }: Architecture,
  attend: (normed: Tensor) => Tensor,
): Tensor {
  const attended = weights.linear(attend(rmsNorm(x, weights.gain(at, 'attentionNorm'), epsilon)), at, 'output');
  const middle = add(x, attended);
  const normed = rmsNorm(middle, weights.gain(at, 'hiddenNorm'), epsilon);
  const gated = multiply(silu(weights.linear(normed, at, 'gate')), weights.linear(normed, at, 'up'));
  return add(middle, weights.linear(gated, at, 'down'));
}

/** What logits are taken from: the normed stream, and what the row's conditions add to it. */
export function lastNorm(x: Tensor, told: Tensor, gain: Tensor, { width, epsilon }: Architecture): Tensor {
  const ones = constant(x.graph, new Float32Array(width).fill(1), [width]);
  return multiply(add(rmsNorm(x, ones, epsilon), told), gain);
}

/** Cosines and sines of rotary positions (Su et al., 2021), [positions, E]: entry k turns with entry k + E / 2. */
export function rotaryTables(
  positions: ArrayLike<number>,
  { headWidth, ropeBase }: Pick<Architecture, 'headWidth' | 'ropeBase'>,
): { cosines: Float32Array; sines: Float32Array } {
  const half = headWidth / 2;
  const cosines = new Float32Array(positions.length * headWidth);
  const sines = new Float32Array(positions.length * headWidth);
  for (let p = 0; p < positions.length; p++) {
    for (let k = 0; k < headWidth; k++) {
      const angle = positions[p]! * ropeBase ** (-(k % half) / half);
      cosines[p * headWidth + k] = Math.cos(angle);
      sines[p * headWidth + k] = Math.sin(angle);
    }
  }
  return { cosines, sines };
}

/** x cos + (x R) sin, where R swaps the halves of a head and negates the first: last axis E. */
export function rotate(x: Tensor, cosines: Tensor, sines: Tensor, turn: Tensor): Tensor {
  const flat = reshape(x, [x.shape.slice(0, -1).reduce((a, b) => a * b, 1), x.shape.at(-1)!]);
  const turned = reshape(matMul(flat, turn), x.shape);
  return add(multiply(x, cosines), multiply(turned, sines));
}

/** The R of `rotate`. */
export function turnMatrix(graph: Graph, headWidth: number): Tensor {
  const half = headWidth / 2;
  const entries = new Float32Array(headWidth * headWidth);
  for (let k = 0; k < half; k++) {
    entries[(k + half) * headWidth + k] = -1;
    entries[k * headWidth + k + half] = 1;
  }
  return constant(graph, entries, [headWidth, headWidth]);
}
