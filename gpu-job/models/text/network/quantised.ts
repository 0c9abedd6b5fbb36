/**
 * Weights rounded to bytes for writing on a CPU: a quarter of the memory, and products more than three times as fast. The
 * stream and what is multiplied are spread over their channels first, which changes nothing else: weights take it back.
 */
import type { Feeds } from '../../../tensor/engine.ts';
import { constant, type Graph, input, type Tensor, type Values } from '../../../tensor/graph.ts';
import { MOST_LEVEL, matMul, quantisedMatMul } from '../../../tensor/operators/matrix.ts';
import { reshape } from '../../../tensor/operators/shapes.ts';
import { type Architecture, type LayerWeights, MATRICES, type MatrixName, matrixShape } from '../base/architecture.ts';
import { type FrozenSource, PIECES, type PlainWeights, weightName } from './network.ts';
import { spread, spreadMatrix } from './spread.ts';

/** A matrix as it is multiplied from the right: bytes [inputs, outputs], and what a unit of each column counts for. */
export interface QuantisedMatrix {
  levels: Int8Array;
  scales: Float32Array;
}

/** Rounds each row of [outputs, inputs] to 1 / 127 of its largest absolute value. */
export function quantise(matrix: Float32Array, inputs: number): QuantisedMatrix {
  const outputs = matrix.length / inputs;
  const levels = new Int8Array(matrix.length);
  const scales = new Float32Array(outputs);
  for (let row = 0; row < outputs; row++) {
    const own = matrix.subarray(row * inputs, (row + 1) * inputs);
    let peak = 0;
    for (let k = 0; k < inputs; k++) peak = Math.max(peak, Math.abs(own[k]!));
    scales[row] = peak / MOST_LEVEL;
    const factor = peak === 0 ? 0 : MOST_LEVEL / peak;
    for (let k = 0; k < inputs; k++) levels[k * outputs + row] = Math.round(factor * own[k]!);
  }
  return { levels, scales };
}

/** Hidden channels are spread on the way, by a product: in blocks of a power of two, at most this many. */
const MOST_HIDDEN = 64;
const hiddenBlock = (hidden: number): number => Math.min(MOST_HIDDEN, hidden & -hidden);

/** A matrix between spread channels: [outputs, inputs] as before. */
function spreadMatrixOf(name: MatrixName, layer: LayerWeights, own: Architecture): Float32Array {
  const { width, headWidth, hidden } = own;
  const inputs = matrixShape(name, own)[1];
  if (name === 'output' || name === 'down') {
    const out = layer[name].slice();
    spread(out, name === 'output' ? headWidth : hiddenBlock(hidden));
    spread(out, width, inputs);
    return out;
  }
  const out = behindGain(layer[name], name === 'gate' || name === 'up' ? layer.hiddenNorm : layer.attentionNorm);
  if (name === 'value') spread(out, headWidth, inputs);
  return out;
}

/** Takes a norm's gain and the spreading of the stream into the matrix behind it. */
function behindGain(matrix: Float32Array, gain: Float32Array): Float32Array {
  const out = matrix.slice();
  for (let from = 0; from < out.length; from += gain.length) {
    for (let k = 0; k < gain.length; k++) out[from + k]! *= gain[k]!;
  }
  spread(out, gain.length);
  return out;
}

const scalesName = (name: string): string => `${name} scales`;

/** `breathe` is called after each layer. */
export async function quantisedFeeds(
  { layers, finalNorm, pieces }: PlainWeights,
  own: Architecture,
  breathe: () => Promise<void>,
): Promise<Feeds> {
  const feeds: Record<string, Values> = {};
  const add = (name: string, matrix: Float32Array, inputs: number): void => {
    const { levels, scales } = quantise(matrix, inputs);
    feeds[name] = levels;
    feeds[scalesName(name)] = scales;
  };
  add(PIECES, behindGain(pieces, finalNorm), own.width);
  for (const [at, layer] of layers.entries()) {
    for (const name of MATRICES) add(weightName(at, name), spreadMatrixOf(name, layer, own), matrixShape(name, own)[1]);
    await breathe();
  }
  return feeds;
}

/** On a stream that is spread. */
export function quantisedSource(graph: Graph, architecture: Architecture, pieces: number): FrozenSource {
  const { width, hidden } = architecture;
  const ones = constant(graph, new Float32Array(width).fill(1), [width]);
  const block = hiddenBlock(hidden);
  const turn = constant(graph, spreadMatrix(block), [block, block]);
  const product = (x: Tensor, name: string, outputs: number, inputs: number): Tensor => {
    const levels = input(graph, name, [inputs, outputs], 'byte');
    return quantisedMatMul(x, levels, input(graph, scalesName(name), [outputs]));
  };
  const spreadHidden = (x: Tensor): Tensor =>
    reshape(matMul(reshape(x, [(x.shape[0]! * hidden) / block, block]), turn), x.shape);
  return {
    linear: (x, layer, name) =>
      product(name === 'down' ? spreadHidden(x) : x, weightName(layer, name), ...matrixShape(name, architecture)),
    gain: () => ones,
    finalGain: () => ones,
    logits: (x) => product(x, PIECES, pieces, width),
  };
}
