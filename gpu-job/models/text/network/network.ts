/**
 * A network and how it is trained: low-rank adapters (Hu et al., 2021) on every matrix of a base whose weights stay, or
 * all weights of a compact model. Rows of conditions stand behind the pieces in the table of embeddings; they are read,
 * never written.
 */
import type { Feeds } from '../../../tensor/engine.ts';
import { type Graph, input, type Tensor } from '../../../tensor/graph.ts';
import { matMul } from '../../../tensor/operators/matrix.ts';
import {
  type Architecture,
  GAINS,
  type GainName,
  type LayerWeights,
  MATRICES,
  type MatrixName,
  matrixShape,
  type Weights,
} from '../base/architecture.ts';
import type { WeightSource } from './layers.ts';
import type { ParameterTensors, ParameterVector } from './parameters.ts';

/** Weights as they are read: nothing of them is trained any more. */
export interface PlainWeights extends Weights {
  /** [pieces, D]. */
  pieces: Float32Array;
  /** [conditions, D]. */
  conditions: Float32Array;
  /** What a condition adds to the normed stream wherever its row's texts go on, [conditions, D]. */
  shortcuts: Float32Array;
}

export interface Network {
  architecture: Architecture;
  /** Rows of the table: pieces that are written, and conditions. */
  pieces: number;
  conditions: number;
  vector: ParameterVector;
  /** Feeds of the inputs that stay. */
  frozen: Feeds;
  /** What a pass reads, on a graph with the trained matrices. */
  source(graph: Graph, trained: ParameterTensors): TrainedSource;
  /** The weights after training. */
  plain(parameters: Float32Array): PlainWeights;
}

/** What a pass reads in training: tables have rows of width D. */
export interface TrainedSource extends WeightSource {
  /** Pieces, then conditions. */
  table(): Tensor;
  pieceTable(): Tensor;
  shortcuts(): Tensor;
}

/** What a pass reads whose weights stay. */
export interface FrozenSource extends WeightSource {
  /** [N, D] to the logits of pieces, [N, pieces]. */
  logits(x: Tensor): Tensor;
}

export const weightName = (layer: number, name: MatrixName | GainName): string => `layer ${layer} ${name}`;
export const FINAL = 'final norm';
export const PIECES = 'pieces';
export const CONDITIONS = 'conditions';
export const SHORTCUTS = 'shortcuts';

/** A layer of given gains, each of whose matrices is made whenever it is read. */
export function mapMatrices(gains: Pick<LayerWeights, GainName>, of: (name: MatrixName) => Float32Array): LayerWeights {
  const { attentionNorm, hiddenNorm } = gains;
  return {
    attentionNorm,
    hiddenNorm,
    get query() {
      return of('query');
    },
    get key() {
      return of('key');
    },
    get value() {
      return of('value');
    },
    get output() {
      return of('output');
    },
    get gate() {
      return of('gate');
    },
    get up() {
      return of('up');
    },
    get down() {
      return of('down');
    },
  };
}

/** Inputs of weights that stay, made when they are first asked for. */
export function frozenInputs(graph: Graph, architecture: Architecture, pieces: number): (name: string) => Tensor {
  const shapes = weightShapes(architecture, pieces);
  const known = new Map<string, Tensor>();
  return (name) => {
    const tensor = known.get(name) ?? input(graph, name, shapes.get(name)!);
    known.set(name, tensor);
    return tensor;
  };
}

/** Shapes of all weights but the conditions', by name. */
function weightShapes(architecture: Architecture, pieces: number): ReadonlyMap<string, readonly number[]> {
  const { width, layers } = architecture;
  const shapes = new Map<string, readonly number[]>([
    [PIECES, [pieces, width]],
    [FINAL, [width]],
  ]);
  for (let layer = 0; layer < layers; layer++) {
    for (const name of MATRICES) shapes.set(weightName(layer, name), matrixShape(name, architecture));
    for (const name of GAINS) shapes.set(weightName(layer, name), [width]);
  }
  return shapes;
}

/** Plain weights as feeds, and a source on them. */
export function plainFeeds({ layers, finalNorm, pieces }: PlainWeights): Feeds {
  const feeds: Record<string, Float32Array> = { [PIECES]: pieces, [FINAL]: finalNorm };
  layers.forEach((own, layer) => {
    for (const name of [...MATRICES, ...GAINS]) feeds[weightName(layer, name)] = own[name];
  });
  return feeds;
}

export function plainSource(graph: Graph, architecture: Architecture, pieces: number): FrozenSource {
  const held = frozenInputs(graph, architecture, pieces);
  return {
    linear: (x, layer, name) => matMul(x, held(weightName(layer, name)), false, true),
    gain: (layer, name) => held(weightName(layer, name)),
    finalGain: () => held(FINAL),
    logits: (x) => matMul(x, held(PIECES), false, true),
  };
}
