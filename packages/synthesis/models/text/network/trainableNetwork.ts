/** Networks to train: low-rank adapters (Hu et al., 2021) on a frozen base, or all weights. */
import { add, scale } from '../../../../numerics/tensor/operators/elementwise.ts';
import { matMul } from '../../../../numerics/tensor/operators/matrix.ts';
import { concat } from '../../../../numerics/tensor/operators/shapes.ts';
import {
  type Architecture,
  GAINS,
  type LayerWeights,
  MATRICES,
  type MatrixName,
  matrixShape,
  type Weights,
} from '../base/textBase.ts';
import {
  CONDITIONS,
  FINAL,
  frozenInputs,
  layOut,
  mapMatrices,
  type Network,
  type Parameter,
  PIECES,
  parameterViews,
  SHORTCUTS,
  weightName,
} from './network.ts';

const RANK = 16;
/** α / r. */
const ADAPTER_SCALE = 2;

export interface Rows {
  pieces: Float32Array;
  conditions: Float32Array;
}

/** @param rows embeddings of kept pieces, and initial conditions. */
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
  const shortcuts: Parameter = { name: SHORTCUTS, shape: [conditions, width], start: 0, isDecayed: false };
  const vector = layOut([...adapters, table, shortcuts]);
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
    source(graph, trained) {
      const held = frozenInputs(graph, architecture, pieces);
      return {
        linear(x, layer, name) {
          const own = weightName(layer, name);
          // Scales the narrow product, which is cheaper.
          const low = scale(matMul(x, trained.get(`${own} A`)!, { transposeB: true }), ADAPTER_SCALE);
          return add(
            matMul(x, held(own), { transposeB: true }),
            matMul(low, trained.get(`${own} B`)!, { transposeB: true }),
          );
        },
        gain: (layer, name) => held(weightName(layer, name)),
        finalGain: () => held(FINAL),
        pieceTable: () => held(PIECES),
        shortcuts: () => trained.get(SHORTCUTS)!,
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
      const [own, shortcuts] = [views.get(CONDITIONS)!, views.get(SHORTCUTS)!];
      return { layers, finalNorm: base.finalNorm, pieces: rows.pieces, conditions: own, shortcuts };
    },
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

export interface WholeStart {
  weights: Weights;
  rows: Rows;
}

export function wholeNetwork(
  architecture: Architecture,
  pieces: number,
  conditions: number,
  from?: WholeStart,
): Network {
  const { width, layers } = architecture;
  const start = width ** -0.5 / 2;
  const ones = new Float32Array(width).fill(1);
  const parameters: Parameter[] = [
    { name: PIECES, shape: [pieces, width], start: from?.rows.pieces ?? start, isDecayed: true },
    { name: CONDITIONS, shape: [conditions, width], start: from?.rows.conditions ?? start, isDecayed: false },
    { name: SHORTCUTS, shape: [conditions, width], start: 0, isDecayed: false },
    { name: FINAL, shape: [width], start: from?.weights.finalNorm ?? ones, isDecayed: false },
  ];
  for (let layer = 0; layer < layers; layer++) {
    const given = from?.weights.layers[layer];
    for (const name of MATRICES) {
      const shape = matrixShape(name, architecture);
      // Matrices that write to the stream start smaller in deeper networks.
      const shrink = name === 'output' || name === 'down' ? (2 * layers) ** -0.5 : 1;
      const drawn = shrink * (2 * shape[1]) ** -0.5;
      parameters.push({ name: weightName(layer, name), shape, start: given?.[name] ?? drawn, isDecayed: true });
    }
    for (const name of GAINS) {
      parameters.push({
        name: weightName(layer, name),
        shape: [width],
        start: given?.[name] ?? ones,
        isDecayed: false,
      });
    }
  }
  const vector = layOut(parameters);
  return {
    architecture,
    pieces,
    conditions,
    vector,
    frozen: {},
    source: (_graph, trained) => ({
      linear: (x, layer, name) => matMul(x, trained.get(weightName(layer, name))!, { transposeB: true }),
      gain: (layer, name) => trained.get(weightName(layer, name))!,
      finalGain: () => trained.get(FINAL)!,
      pieceTable: () => trained.get(PIECES)!,
      shortcuts: () => trained.get(SHORTCUTS)!,
      table: () => concat([trained.get(PIECES)!, trained.get(CONDITIONS)!], 0),
    }),
    plain(trained) {
      const views = parameterViews(trained, vector);
      const view = (name: string): Float32Array => views.get(name)!;
      const own = (layer: number): LayerWeights =>
        mapMatrices(
          {
            attentionNorm: view(weightName(layer, 'attentionNorm')),
            hiddenNorm: view(weightName(layer, 'hiddenNorm')),
          },
          (name) => view(weightName(layer, name)),
        );
      return {
        layers: Array.from({ length: layers }, (_, layer) => own(layer)),
        finalNorm: view(FINAL),
        pieces: view(PIECES),
        conditions: view(CONDITIONS),
        shortcuts: view(SHORTCUTS),
      };
    },
  };
}
