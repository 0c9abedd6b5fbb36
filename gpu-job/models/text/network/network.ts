/**
 * A network and how it is trained: low-rank adapters (Hu et al., 2021) on every matrix of a base whose weights stay, or
 * all weights of a compact model. Rows of conditions stand behind the pieces in the table of embeddings; they are read,
 * never written.
 */
import type { Feeds } from '../../../tensor/engine.ts';
import { type Graph, input, type Tensor } from '../../../tensor/graph.ts';
import { add, scale } from '../../../tensor/operators/elementwise.ts';
import { matMul } from '../../../tensor/operators/matrix.ts';
import { concat } from '../../../tensor/operators/shapes.ts';
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
import { layOut, type Parameter, type ParameterVector, parameterTensors, parameterViews } from './parameters.ts';

/** Weights as they are read: nothing of them is trained any more. */
export interface PlainWeights extends Weights {
  /** [pieces, D]. */
  pieces: Float32Array;
  /** [conditions, D]. */
  conditions: Float32Array;
}

export interface Network {
  architecture: Architecture;
  /** Rows of the table: pieces that are written, and conditions. */
  pieces: number;
  conditions: number;
  vector: ParameterVector;
  /** Feeds of the inputs that stay. */
  frozen: Feeds;
  /** What a pass reads, on a graph whose trained vector is `parameters`. */
  source(graph: Graph, parameters: Tensor): WeightSource & { table(): Tensor; pieceTable(): Tensor };
  /** The weights after training. */
  plain(parameters: Float32Array): PlainWeights;
}

const RANK = 16;
/** Adapters count for α / r = 2. */
const ADAPTER_SCALE = 2;

const weightName = (layer: number, name: MatrixName | GainName): string => `layer ${layer} ${name}`;
const FINAL = 'final norm';
const PIECES = 'pieces';
const CONDITIONS = 'conditions';

interface Rows {
  pieces: Float32Array;
  conditions: Float32Array;
}

/** Adapters on a base. `rows` are the base's embeddings of the pieces kept, and what conditions start as. */
export function adaptedNetwork(architecture: Architecture, base: Weights, rows: Rows): Network {
  const { width } = architecture;
  const conditions = rows.conditions.length / width;
  const adapters = base.layers.flatMap((_, layer) =>
    MATRICES.flatMap((name): Parameter[] => {
      const [outputs, inputs] = matrixShape(name, architecture);
      return [
        { name: `${weightName(layer, name)} A`, shape: [RANK, inputs], start: (3 * inputs) ** -0.5, isDecayed: true },
        { name: `${weightName(layer, name)} B`, shape: [outputs, RANK], start: 0, isDecayed: true },
      ];
    }),
  );
  const table: Parameter = { name: CONDITIONS, shape: [conditions, width], start: rows.conditions, isDecayed: false };
  const vector = layOut([...adapters, table]);
  const frozen: Record<string, Float32Array> = { [PIECES]: rows.pieces, [FINAL]: base.finalNorm };
  base.layers.forEach((own, layer) => {
    for (const name of [...MATRICES, ...GAINS]) frozen[weightName(layer, name)] = own[name];
  });
  const pieces = rows.pieces.length / width;
  return {
    architecture,
    pieces,
    conditions,
    vector,
    frozen,
    source(graph, parameters) {
      const trained = parameterTensors(parameters, vector);
      const held = frozenInputs(graph, architecture, pieces);
      return {
        linear(x, layer, name) {
          const own = weightName(layer, name);
          const low = matMul(x, trained.get(`${own} A`)!, false, true);
          const high = matMul(low, trained.get(`${own} B`)!, false, true);
          return add(matMul(x, held(own), false, true), scale(high, ADAPTER_SCALE));
        },
        gain: (layer, name) => held(weightName(layer, name)),
        finalGain: () => held(FINAL),
        pieceTable: () => held(PIECES),
        table: () => concat([held(PIECES), trained.get(CONDITIONS)!], 0),
      };
    },
    plain(parameters) {
      const views = parameterViews(parameters, vector);
      const merged = (layer: number, name: MatrixName): Float32Array => {
        const own = weightName(layer, name);
        return withAdapter(base.layers[layer]![name], views.get(`${own} A`)!, views.get(`${own} B`)!);
      };
      const layers = base.layers.map((own, layer): LayerWeights => mapMatrices(own, (name) => merged(layer, name)));
      return { layers, finalNorm: base.finalNorm, pieces: rows.pieces, conditions: views.get(CONDITIONS)! };
    },
  };
}

/** All weights of a compact model. */
export function wholeNetwork(architecture: Architecture, pieces: number, conditions: number): Network {
  const { width, layers } = architecture;
  const start = width ** -0.5 / 2;
  const parameters: Parameter[] = [
    { name: PIECES, shape: [pieces, width], start, isDecayed: true },
    { name: CONDITIONS, shape: [conditions, width], start, isDecayed: false },
    { name: FINAL, shape: [width], start: new Float32Array(width).fill(1), isDecayed: false },
  ];
  for (let layer = 0; layer < layers; layer++) {
    for (const name of MATRICES) {
      const shape = matrixShape(name, architecture);
      // What is added to the stream starts smaller the more often it is added.
      const shrink = name === 'output' || name === 'down' ? (2 * layers) ** -0.5 : 1;
      parameters.push({
        name: weightName(layer, name),
        shape,
        start: shrink * (2 * shape[1]) ** -0.5,
        isDecayed: true,
      });
    }
    for (const name of GAINS) {
      const ones = new Float32Array(width).fill(1);
      parameters.push({ name: weightName(layer, name), shape: [width], start: ones, isDecayed: false });
    }
  }
  const vector = layOut(parameters);
  return {
    architecture,
    pieces,
    conditions,
    vector,
    frozen: {},
    source(_graph, trainedVector) {
      const trained = parameterTensors(trainedVector, vector);
      return {
        linear: (x, layer, name) => matMul(x, trained.get(weightName(layer, name))!, false, true),
        gain: (layer, name) => trained.get(weightName(layer, name))!,
        finalGain: () => trained.get(FINAL)!,
        pieceTable: () => trained.get(PIECES)!,
        table: () => concat([trained.get(PIECES)!, trained.get(CONDITIONS)!], 0),
      };
    },
    plain(trained) {
      const views = parameterViews(trained, vector);
      const view = (name: string): Float32Array => views.get(name)!;
      const own = (layer: number): LayerWeights => ({
        ...mapMatrices(
          {
            attentionNorm: view(weightName(layer, 'attentionNorm')),
            hiddenNorm: view(weightName(layer, 'hiddenNorm')),
          },
          (name) => view(weightName(layer, name)),
        ),
      });
      return {
        layers: Array.from({ length: layers }, (_, layer) => own(layer)),
        finalNorm: view(FINAL),
        pieces: view(PIECES),
        conditions: view(CONDITIONS),
      };
    },
  };
}

function mapMatrices(gains: Pick<LayerWeights, GainName>, of: (name: MatrixName) => Float32Array): LayerWeights {
  const { attentionNorm, hiddenNorm } = gains;
  return {
    attentionNorm,
    hiddenNorm,
    query: of('query'),
    key: of('key'),
    value: of('value'),
    output: of('output'),
    gate: of('gate'),
    up: of('up'),
    down: of('down'),
  };
}

/** Inputs of weights that stay, made when they are first asked for. */
function frozenInputs(graph: Graph, architecture: Architecture, pieces: number): (name: string) => Tensor {
  const shapes = weightShapes(architecture, pieces);
  const known = new Map<string, Tensor>();
  return (name) => {
    const tensor = known.get(name) ?? input(graph, name, shapes.get(name)!);
    known.set(name, tensor);
    return tensor;
  };
}

/** Shapes of all weights but the conditions', by name. */
export function weightShapes(architecture: Architecture, pieces: number): ReadonlyMap<string, readonly number[]> {
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

export function plainSource(
  graph: Graph,
  architecture: Architecture,
  pieces: number,
): WeightSource & { pieceTable(): Tensor } {
  const held = frozenInputs(graph, architecture, pieces);
  return {
    linear: (x, layer, name) => matMul(x, held(weightName(layer, name)), false, true),
    gain: (layer, name) => held(weightName(layer, name)),
    finalGain: () => held(FINAL),
    pieceTable: () => held(PIECES),
  };
}

/** W + 2 B A. */
function withAdapter(weights: Float32Array, a: Float32Array, b: Float32Array): Float32Array {
  const outputs = b.length / RANK;
  const inputs = a.length / RANK;
  const out = weights.slice();
  for (let row = 0; row < outputs; row++) {
    for (let k = 0; k < RANK; k++) {
      const factor = ADAPTER_SCALE * b[row * RANK + k]!;
      if (factor === 0) continue;
      for (let column = 0; column < inputs; column++) out[row * inputs + column]! += factor * a[k * inputs + column]!;
    }
  }
  return out;
}
